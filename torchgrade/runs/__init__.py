"""Runs: many submissions are graded by several judges, and none is graded twice without need.

submissions ──► current record? keep it ──► pool of judges ──► results/<student>/<assignment>.json
"""

from torchgrade.runs.batches import Begun, ClassRun, Done, EventLog, grade_all, grade_attempts
from torchgrade.runs.reuse import Regrade, current_record, record_for, to_grade
from torchgrade.runs.tasks import SolutionAttempt
from torchgrade.runs.turn import first_signal, turn
from torchgrade.runs.watching import Due, due

__all__ = [
    "Begun",
    "ClassRun",
    "Done",
    "Due",
    "EventLog",
    "Regrade",
    "SolutionAttempt",
    "current_record",
    "due",
    "first_signal",
    "grade_all",
    "grade_attempts",
    "record_for",
    "to_grade",
    "turn",
]
