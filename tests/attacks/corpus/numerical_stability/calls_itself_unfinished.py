"""Raises errors named like the judge's own ways to leave a check open: skip, exit, a lost worker, a noisy machine.

Family: forging a verdict
Wall: errors cross as text, and are the submission's
Marks: 0
Says: Your code raised
"""

import os

names = ("Skipped", "Exit", "UndecidedError", "SandboxError", "GraderError", "Deferred", "KeyboardInterrupt")


def softmax(logits, dim=-1):
    raise type(names[os.urandom(1)[0] % len(names)], (BaseException,), {})("ungraded")
