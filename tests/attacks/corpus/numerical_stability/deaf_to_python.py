"""Computes one huge number in C, where no signal handler and no exception of Python is ever looked at.

Family: wearing the machine out
Wall: time limits on the judge's clock; the process tree is killed
Marks: 0
Says: did not answer within
"""


def softmax(logits, dim=-1):
    return 7 ** (7**9) % 10
