"""Prints without end.

Family: wearing the machine out
Wall: limit on output, read without waiting
Marks: 0
Says: printed more than
"""


def softmax(logits, dim=-1):
    while True:
        print("x" * 10_000)
