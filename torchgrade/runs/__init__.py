"""Runs: many submissions, graded by several judges, and nothing graded twice without need.

students ──► current record? keep it ──► pool of judges ──► results/<student>/<assignment>.json
"""

from torchgrade.runs.batches import Attempt, Done, grade_all, grade_attempts
from torchgrade.runs.reuse import current_record, record_for

__all__ = ["Attempt", "Done", "current_record", "grade_all", "grade_attempts", "record_for"]
