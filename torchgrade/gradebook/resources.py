"""Types of the resources that nbgrader's converters pass to a preprocessor beside the notebook, as far as they are read here."""

from __future__ import annotations

from typing import TypedDict


class Facts(TypedDict):
    """Which notebook it is: names, and the address of the gradebook."""

    student: str
    assignment: str
    notebook: str
    db_url: str


class Resources(TypedDict):
    """nbconvert's resources; there is more in them, for others."""

    nbgrader: Facts
