"""Raises errors whose text raises, is no text, or is computed by code that never ends.

Family: through the paper
Wall: no method of a student's object runs in the judge
Marks: 0
Says: Your code
"""

import os


class Odd(Exception):
    def __str__(self):
        if os.urandom(1)[0] % 2:
            raise SystemExit("<b>")
        return type("Text", (str,), {"__getitem__": lambda *_: 1 / 0, "__len__": lambda _: -1})("odd")


def softmax(logits, dim=-1):
    raise Odd
