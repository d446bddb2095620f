"""The history of a mark, with what changed it and why: the records of one submission, each against the one before it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from torchgrade.record import Check, Record, what_changed
from torchgrade.report.mark import Mark
from torchgrade.report.presentation import number, share
from torchgrade.report.text import one_line


def history_text(records: Sequence[Record]) -> str:
    """A paragraph a record, oldest first: when, marks, what had changed since the one before, which checks ended otherwise."""
    parts = []
    for before, record in zip([None, *records], records, strict=False):
        total = share(record.points, record.max_points)
        why = what_changed(dataclasses.asdict(before.digests) if before else None, dataclasses.asdict(record.digests))
        lines = [f"{record.graded_at}  {total:>9}  {record.status.value:11} {why}; seed {record.seed}"]
        lines += [f"    {line}" for line in _differences(before, record)] if before is not None else []
        parts.append("\n".join(lines))
    return "\n".join(parts)


def mark_text(mark: Mark) -> str:
    """The last line of a history: the mark as it stands now, with what a person gave."""
    return f"now: {share(mark.points, mark.max_points)}, {', '.join(filter(None, [mark.status, mark.note]))}"


def _differences(before: Record, record: Record) -> Iterator[str]:
    old, new = _checks(before), _checks(record)
    for key in dict.fromkeys([*old, *new]):
        exercise, was, now = key[0], old.get(key), new.get(key)
        if (was and (was.outcome, was.points)) != (now and (now.outcome, now.points)):
            title = one_line((now or was).title, 80)  # type: ignore[union-attr]  # one of them is there
            yield f"{exercise}: {title}: {_end(was)} → {_end(now)}"


def _checks(record: Record) -> dict[tuple[str, str], Check]:
    return {(exercise.name, check.name): check for exercise in record.exercises for check in exercise.checks}


def _end(check: Check | None) -> str:
    return f"{check.outcome.value} ({number(check.points)} / {number(check.max_points)})" if check else "not there"
