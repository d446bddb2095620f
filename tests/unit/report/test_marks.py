"""The table of marks."""

import io
import subprocess
import sys

from made_records import check, exercise, record
from rich.console import Console

from torchgrade.report import print_class_table


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


def test_piped_it_is_plain_text():
    code = (
        "from torchgrade.record import *; from torchgrade.report import print_class_table; "
        "print_class_table([Record('a', 'bob', (), Digests('', '', '', ''), 1, {}, problems=('word ' * 14,))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert "\x1b" not in done.stdout
    assert "word word" in done.stdout


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
