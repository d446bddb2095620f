"""The audit: the graders are graded, against right answers and wrong ones, before students meet them.

bank · degenerate answers · mutants ──► runs: the real jail, fresh seeds ──► matrix of checks and solutions ──► problems in words
"""

from torchgrade.audit.auditing import Choice, audit
from torchgrade.audit.gate import Standing, audit_folder, keep, rests_on, standing
from torchgrade.audit.judgement import Audit

__all__ = [
    "Audit",
    "Choice",
    "Standing",
    "audit",
    "audit_folder",
    "keep",
    "rests_on",
    "standing",
]
