"""Returns lists in lists in lists, deeper than any parser likes.

Family: wearing the machine out
Wall: what the wire reads is bounded before it is made
Marks: 0
Says: deep
"""


def softmax(logits, dim=-1):
    nested = []
    for _ in range(900):
        nested = [nested]
    return nested
