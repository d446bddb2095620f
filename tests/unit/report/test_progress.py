"""How far a run is: the display of a terminal, and the lines that stand in its place elsewhere."""

import io
import re

import pytest
from made_records import check, exercise, record
from rich.console import Console

from torchgrade.report.terminal import Lines, Live, Progress, progress_for

GRADED, OPEN = record(exercise(check("passed", 1))), record(exercise(check("ungraded")))


def shown_by(progress, out):
    """The last picture that the display drew, by line."""
    text = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "\n", out.getvalue()).replace("\r", "\n")
    return [line.strip() for line in text.split("\n") if line.strip()]


@pytest.fixture
def display():
    out = io.StringIO()
    return Live(5, Console(file=out, width=100, force_terminal=True, color_system=None)), out


def test_the_live_display_names_what_each_judge_is_doing_and_the_time_that_is_left(display):
    progress, out = display
    with progress:
        progress.begun("ann/sums")
        progress.begun("bob/sums")
        progress.done("ann/sums", GRADED)
    *_, bar, judge = shown_by(progress, out)
    assert "1 of 5 graded" in bar
    assert "a minute" in bar
    assert bar.endswith(" s left")
    assert judge.endswith("bob/sums")


def test_a_name_with_escapes_is_shown_as_text(display):
    progress, out = display
    with progress:
        progress.begun("eve\x1b[31m[bold]/sums")
    assert "\x1b[31m" not in out.getvalue()
    assert "[bold]/sums" in out.getvalue()


def test_of_very_many_judges_the_first_ones_are_named(display):
    progress, out = display
    with progress:
        for number in range(9):
            progress.begun(f"student-{number}")
    assert "student-7" in out.getvalue()
    assert "student-8" not in out.getvalue()


def test_without_a_terminal_there_are_lines_now_and_then(capsys):
    with Lines(3, every=0.0) as progress:
        progress.done("ann", GRADED)
        progress.done("bob", OPEN)
        progress.done("cy", None)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("1 of 3 graded, ")
    assert lines[1].startswith("2 of 3 graded, 1 ungraded, ")
    assert lines[-1].startswith("3 of 3 graded, 1 could not be graded, 1 ungraded, ")
    assert "left" not in lines[-1]


def test_lines_do_not_come_one_a_submission(capsys):
    with Lines(500) as progress:
        for number in range(500):
            progress.done(str(number), GRADED)
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err.startswith("500 of 500 graded, ")


@pytest.mark.parametrize("arguments", [{"total": 0}, {"total": 9, "quiet": True}])
def test_nothing_is_shown_where_nothing_is_wanted(arguments):
    assert isinstance(progress_for(**arguments), Progress)
    assert not isinstance(progress_for(**arguments), Lines)
