"""The table of one exercise, as HTML and as text."""

from html.parser import HTMLParser

import pytest
from made_records import check, exercise, record

from torchgrade.report.pages import exercise_html, exercise_text, record_text


class Outline(HTMLParser):
    """Tags, attributes and text of a fragment, without the content of its style."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text, self.styles = [], [], "", 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.styles += tag == "style"

    def handle_endtag(self, tag):
        self.styles -= tag == "style"

    def handle_data(self, data):
        if not self.styles:
            self.text += data


@pytest.mark.parametrize(
    ("outcome", "points", "sign", "words"),
    [
        ("passed", 1, "✓", "passed"),
        ("failed", 0, "✗", "not passed"),
        ("failed", 0.5, "◐", "partly passed"),
        ("skipped", 0, "–", "skipped"),  # noqa: RUF001
        ("deferred", 0, "○", "open: waits for a GPU"),
        ("ungraded", 0, "○", "open: to be graded again"),
    ],
)
def test_each_outcome_has_a_sign_and_words_for_screen_readers(outcome, points, sign, words):
    table = Outline(exercise_html(exercise(check(outcome, points))))

    assert sign in table.text
    assert ("aria-label", words) in table.attributes


def test_a_check_that_is_worth_nothing_and_needs_a_gpu_is_not_open():
    table = Outline(exercise_html(exercise(check("deferred", 0, 0), check("passed", 1))))

    assert ("aria-label", "not looked at: needs a GPU") in table.attributes
    assert "open" not in table.text
    assert "1 / 1 points" in table.text


TRACE = """Traceback (most recent call last):
  File "/course/graders/a/test_f.py", line 12, in test_values
    student.f(lambda x: x)
  File "/lib/torchgrade/jail/proxy.py", line 99, in __call__
torchgrade.jail.errors.GraderError: student.f: argument 1 is a function
"""


def test_an_instructor_reads_why_a_check_could_not_be_run_and_a_student_does_not():
    broken = exercise(check("ungraded", message="This check could not be run.", detail=TRACE))

    assert "Cause: test_f.py, line 12: GraderError: student.f: argument 1 is a function" in record_text(record(broken))
    assert "Cause" not in exercise_text(broken)
    assert "GraderError" not in Outline(exercise_html(broken)).text


def test_points_and_their_sum_are_shown():
    text = Outline(exercise_html(exercise(check("passed", 1.5, 2), check("failed", 0, 1)))).text

    assert "1.5 / 2" in text
    assert "0 / 1" in text
    assert "1.5 / 3 points" in text


def test_open_points_are_not_shown_as_lost():
    text = Outline(exercise_html(exercise(check("deferred", 0, 2), check("passed", 1)))).text

    assert "? / 2" in text
    assert "1 / 3 points, 2 still open" in text


def test_text_of_a_student_is_never_markup():
    hostile = "</td><script>alert(1)</script><img src=x onerror=alert(1)>"
    table = Outline(exercise_html(exercise(check("failed", title=hostile, message=hostile, hint=hostile), name=hostile)))

    assert {"script", "img"}.isdisjoint(table.tags)
    assert table.text.count(hostile) == 4


def test_text_of_a_student_passes_the_sanitiser():
    hostile = "a\u202eb\x1b[31mc"
    page = exercise_html(exercise(check("failed", title=hostile, message=hostile, hint=hostile), name=hostile))

    assert page.count("a\ufffdbc") == 4
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_braces_in_a_message_are_no_template():
    assert "{{ 7 * 7 }}" in exercise_html(exercise(check("failed", message="{{ 7 * 7 }}")))


@pytest.mark.parametrize("render", [exercise_html, exercise_text])
def test_what_is_for_the_instructor_is_not_shown(render):
    assert "SECRET" not in render(exercise(check("ungraded", detail="SECRET")))


def test_a_hint_is_folded_away():
    table = Outline(exercise_html(exercise(check("failed", hint="Subtract something."))))

    assert "details" in table.tags
    assert ("open", None) not in table.attributes


@pytest.mark.parametrize("render", [exercise_html, exercise_text])
def test_a_passed_check_shows_no_hint(render):
    assert "Subtract" not in render(exercise(check("passed", 1, hint="Subtract something.")))


def test_a_message_keeps_its_lines():
    page = exercise_html(exercise(check("failed", message="one\n  two")))

    assert "one\n  two" in page
    assert "pre-wrap" in page


def test_visibility_is_marked():
    text = Outline(exercise_html(exercise(check(visibility="public"), check()))).text

    assert "public" in text
    assert "hidden" in text


@pytest.mark.parametrize("render", [exercise_html, exercise_text])
def test_a_student_reads_how_many_hidden_checks_follow_and_of_what_kind(render):
    shown = render(exercise(check("passed", 1, visibility="public")), hidden={"values": 3, "gradients": 2})

    assert "1 / 1 points in the public checks" in shown
    assert "After you submit, 5 hidden checks follow: 3 of values, 2 of gradients." in shown


def test_one_hidden_check_and_none_have_their_own_words():
    table = exercise(check("passed", 1))

    assert "1 hidden check follows: 1 of speed." in exercise_text(table, hidden={"speed": 1})
    assert "There are no hidden checks." in exercise_text(table, hidden={})


def test_a_fragment_loads_nothing_and_runs_nothing():
    page = exercise_html(exercise(check("failed", hint="h", message="m")))
    table = Outline(page)

    assert set(table.tags).isdisjoint({"script", "link", "img", "iframe", "object"})
    assert not any(name.startswith("on") or name in ("src", "href") for name, _ in table.attributes)
    assert "url(" not in page
    assert "@import" not in page


def test_every_class_of_the_styles_is_ours():
    classes = {
        c for name, value in Outline(exercise_html(exercise(check()))).attributes if name == "class" for c in value.split()
    }

    assert classes
    assert all(name == "torchgrade" or name.startswith("torchgrade-") for name in classes)


def test_the_text_is_a_table_for_a_terminal():
    table = exercise(
        check("passed", 1.5, 2, title="First", visibility="public"),
        check("failed", 0, 10, title="Second", message="one\ntwo", hint="think"),
    )

    assert exercise_text(table).splitlines() == [
        "softmax: 1.5 / 12 points",
        "✓ 1.5 / 2  First (public)",
        "✗  0 / 10  Second (hidden)",
        "           one",
        "           two",
        "           Hint: think",
    ]


def test_a_whole_record_as_text_has_notes_tables_sum_and_status():
    text = record_text(record(exercise(check("deferred", 0, 2)), problems=("a note",)))

    assert "Note: a note" in text
    assert "○ ? / 2" in text
    assert "Total: 0 / 2 points. Provisional, 2 points still open" in text


def test_an_exercise_without_checks_is_shown():
    assert exercise_text(exercise()) == "softmax: 0 / 0 points"
    assert "softmax" in exercise_html(exercise())


def test_a_part_of_the_checks_has_no_total_and_is_not_final():
    one = exercise(check("passed", 2, 2))
    text = record_text(record(one, partial=True))

    assert "Of these checks: 2 / 2 points. This is a part, not a mark: the checks that were asked for" in text
    assert "Total" not in text
    assert "Final" not in text
    assert "1 point still open." in record_text(record(exercise(check("ungraded", 0, 1)), partial=True))
