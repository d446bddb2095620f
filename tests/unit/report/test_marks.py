"""The table of marks."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from made_records import check, exercise, record
from rich.console import Console

from torchgrade.report.terminal import print_class_table


def lines_of(records, width=100):
    out = io.StringIO()
    print_class_table(records, Console(file=out, width=width))
    return out.getvalue().splitlines()


def full(student, **more):
    return record(exercise(check("passed", 2, 2)), exercise(check("passed", 3, 3), name="loss"), student=student, **more)


def test_students_stand_in_order_with_points_total_and_status():
    lines = lines_of([full("zoe"), full("adam")])
    rows = [line.split() for line in lines if line.split()[:1] in (["adam"], ["zoe"])]

    assert rows == [["adam", "2", "3", "5", "/", "5", "final"], ["zoe", "2", "3", "5", "/", "5", "final"]]


def test_a_student_without_an_exercise_has_a_dash():
    row = next(line for line in lines_of([full("zoe"), record(student="bob")]) if "bob" in line)

    assert row.split()[:3] == ["bob", "-", "-"]


def test_open_points_are_marked():
    row = next(line for line in lines_of([record(exercise(check("ungraded", 0, 2)))]) if "alice" in line)

    assert row.split()[1] == "0?"
    assert "ungraded" in row


def test_the_note_is_the_first_problem_or_else_what_the_first_lost_check_says():
    failed = exercise(check("passed", 1), check("failed", title="The gradient", message="is nan"))
    text = "\n".join(lines_of([record(failed), full("bob", problems=("cell 3 raised", "more"))]))

    assert "The gradient: is nan" in text
    assert "cell 3 raised" in text
    assert "more" not in text


def test_a_submission_that_could_not_be_read_says_so():
    assert any("not readable" in line for line in lines_of([full("bob", readable=False, problems=("not JSON",))]))


def test_it_fits_a_width_of_100():
    long = full("a-student-with-quite-a-long-name", problems=("word " * 60,))

    assert max(map(len, lines_of([long]))) <= 100


def test_nothing_in_a_name_or_a_note_is_taken_for_markup():
    text = "\n".join(lines_of([full("[red]eve[/red]", problems=("[link=x]y[/link] \x1b[31m",))]))

    assert "[red]eve[/red]" in text
    assert "[link=x]y[/link]" in text
    assert "\x1b" not in text


def test_piped_it_is_plain_text_and_no_cause_is_cut():
    message = "12 of 35 elements are wrong, the largest error is 0.5 at index [3, 4]. " + "Every second row is off. " * 20
    code = (
        "from made_records import *; from torchgrade.report.terminal import print_class_table; "
        f"wrong = check('failed', title='Every element is doubled, and nothing else happens', message={message!r}); "
        "print_class_table([record(exercise(wrong), student='bob'), record(exercise(check('passed', 1)), student='ann')])"
    )
    helpers = str(Path(__file__).parents[2] / "helpers")
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": helpers, "COLUMNS": "80", "FORCE_COLOR": "1"},
    )

    assert "\x1b" not in done.stdout
    rule, ann, bob, _ = done.stdout.splitlines()[-4:]
    assert set(rule.strip()) == {"─"}
    assert len(rule) == 120
    assert ann.split() == ["ann", "1", "1", "/", "1", "final"]
    assert bob.endswith(f"Every element is doubled, and nothing else happens: {message.rstrip()}")
    assert not any(line != line.rstrip() for line in done.stdout.splitlines())


def test_on_a_terminal_the_note_is_cut_to_one_line(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "80")
    print_class_table([full("bob", problems=("word " * 60,))])

    lines = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.rstrip().endswith("…") for line in lines)


def test_a_students_kernel_needs_no_rich():
    code = "import sys; import torchgrade.report; sys.exit('rich' in sys.modules)"

    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_long_note_is_one_line_whose_end_is_cut_and_the_other_columns_keep_their_width():
    long = full("bob", problems=("word " * 60,))
    rows = lines_of([long, full("ann")], width=70)[4:6]

    assert [row.split()[0] for row in rows] == ["ann", "bob"]
    assert rows[1].rstrip().endswith("…")
    assert rows[0].split()[1:] == ["2", "3", "5", "/", "5", "final"]


def test_a_record_of_an_earlier_run_is_not_called_final():
    out = io.StringIO()
    print_class_table([full("ann"), full("bob")], Console(file=out, width=100), not_graded={"bob"})
    rows = [line.split() for line in out.getvalue().splitlines() if line.split()[:1] in (["ann"], ["bob"])]

    assert [row[6:] for row in rows] == [["final"], ["not", "graded"]]
