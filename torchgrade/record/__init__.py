"""Results of grading submissions: frozen, versioned data, and nothing that runs.

A record is made by the judge, written once, and from then on only read: by the gradebook, the feedback page, the class report and
the next run (which uses it again if nothing that it rests on has changed).

    grading ──► Record ──► results/<student>/<assignment>.json ──► gradebook · report
"""

from torchgrade.record.changes import what_changed
from torchgrade.record.measurements import measurement_of
from torchgrade.record.model import (
    SCHEMA,
    Check,
    Digests,
    Evidence,
    Exercise,
    Outcome,
    Record,
    Status,
    Visibility,
)
from torchgrade.record.store import RecordError, Results, digest

__all__ = [
    "SCHEMA",
    "Check",
    "Digests",
    "Evidence",
    "Exercise",
    "Outcome",
    "Record",
    "RecordError",
    "Results",
    "Status",
    "Visibility",
    "digest",
    "measurement_of",
    "what_changed",
]
