"""Runs: many submissions, graded by several judges, and nothing graded twice without need.

students ──► current record? keep it ──► pool of judges ──► results/<student>/<assignment>.json
"""

from torchgrade.runs.pool import Done, grade_all
from torchgrade.runs.reuse import current_record, record_for

__all__ = ["Done", "current_record", "grade_all", "record_for"]
