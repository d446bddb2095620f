"""Raises errors whose text clears the terminal, sets its title, hides what follows, and writes passed over it.

Family: through the paper
Wall: one sanitiser before every sink
Marks: 0
Says: passed
"""


def softmax(logits, dim=-1):
    raise ValueError("\x1b[2J\x1b]0;owned\x07\x1b[8m\x9b31m\r\b\b\b[bold green]passed[/] \x1bP1$q\x1b\\ \x00\x07")
