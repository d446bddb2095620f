"""The audit: graders are graded, against right answers and wrong ones, before students meet them.

bank · degenerate answers · mutants ──► runs: the real jail, fresh seeds ──► matrix of checks and solutions ──► problems in words
"""

from torchgrade.audit.auditing import Choice, audit
from torchgrade.audit.gate import audit_folder, digest_of, holds, keep
from torchgrade.audit.result import Audit

__all__ = [
    "Audit",
    "Choice",
    "audit",
    "audit_folder",
    "digest_of",
    "holds",
    "keep",
]
