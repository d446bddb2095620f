"""What changed a mark, when and why."""

import dataclasses

from made_records import check, exercise, record

from torchgrade.record import Digests
from torchgrade.report.terminal import history_text

FIRST = record(
    exercise(check("failed", 0, 2, title="Large logits"), check("passed", 1, 1, title="A hint")),
    graded_at="2026-11-21T10:00:00+00:00",
)
BETTER = dataclasses.replace(
    FIRST,
    exercises=(exercise(check("passed", 2, 2, title="Large logits"), check("passed", 1, 1, title="A hint")),),
    digests=Digests("another", "g", "e", "s"),
    graded_at="2026-11-22T10:00:00+00:00",
    seed=77,
)


def test_each_record_says_what_had_changed_and_which_checks_ended_otherwise():
    first, second, difference = history_text([FIRST, BETTER]).splitlines()
    assert first.startswith("2026-11-21T10:00:00+00:00      1 / 3  final       first graded (notebook n, ")
    assert "3 / 3" in second
    assert "changed: notebook n → another; seed 77" in second
    assert difference == "    softmax: Large logits: failed (0 / 2) → passed (2 / 2)"


def test_a_regrade_that_changed_nothing_says_so():
    lines = history_text([FIRST, dataclasses.replace(FIRST, seed=5)]).splitlines()
    assert len(lines) == 2
    assert lines[1].endswith("graded again, nothing had changed; seed 5")


def test_a_check_that_came_or_went_is_named():
    more = dataclasses.replace(BETTER, exercises=(exercise(*BETTER.exercises[0].checks, check("failed", 0, 1, title="New")),))
    assert "softmax: New: not there → failed (0 / 1)" in history_text([BETTER, more])
    assert "softmax: New: failed (0 / 1) → not there" in history_text([more, BETTER])
