"""Raises an error whose text has 50 MB, and whose __str__ takes its time.

Family: wearing the machine out
Wall: texts are bounded where they are made
Marks: 0
Says: …
"""


class Long(Exception):
    def __str__(self):
        return "x" * 50_000_000


def softmax(logits, dim=-1):
    raise Long
