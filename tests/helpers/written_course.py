"""An exercise as ``torchgrade new`` writes it, after its author has replaced the words that are for the author alone."""

from __future__ import annotations


def replace_words_for_the_author(folder, assignment):
    """In the notebook of the assignment, which lies in ``folder``, and in its public checks, which lie in ``graders``."""
    graders = folder.parent / "graders" / assignment
    for path in (folder / assignment / f"{assignment}.ipynb", *graders.glob("public_*.py")):
        path.write_text(path.read_text(encoding="utf-8").replace("For the author: ", ""), encoding="utf-8")
