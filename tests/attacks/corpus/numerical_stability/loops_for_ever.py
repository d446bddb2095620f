"""Loops for ever, ignores every signal that can be ignored, and swallows every exception.

Family: wearing the machine out
Wall: time limits on the judge's clock; the process tree is killed
Marks: 0
Says: did not answer within
"""

import signal


def softmax(logits, dim=-1):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
