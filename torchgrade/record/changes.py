"""What changed between two gradings of a submission, by the digests that their marks rest on."""

from __future__ import annotations

from collections.abc import Mapping

_SHORT = 8
"""How many digits of a digest are shown."""


def what_changed(before: Mapping[str, str] | None, now: Mapping[str, str]) -> str:
    """Which digests differ from those of the grading ``before``, by name and shortened; for a first grading, all that are set."""
    if before is None:
        return "first graded (" + ", ".join(f"{name} {value[:_SHORT]}" for name, value in now.items() if value) + ")"
    changed = [f"{name} {before[name][:_SHORT]} → {now[name][:_SHORT]}" for name in now if before[name] != now[name]]
    return f"changed: {', '.join(changed)}" if changed else "graded again, nothing had changed"
