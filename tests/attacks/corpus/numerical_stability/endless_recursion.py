"""Recurses until the C stack is gone.

Family: wearing the machine out
Wall: another process; a crash is the check's own
Marks: 0
Says: Your code
"""

import sys

sys.setrecursionlimit(10**9)


def softmax(logits, dim=-1):
    return softmax(logits, dim=dim)
