"""The small picture of a race."""

import re
import xml.etree.ElementTree as ET

import pytest
from made_records import check, exercise, record

from torchgrade.report.pages import exercise_html, feedback_page
from torchgrade.report.pictures import speed_plot

RACE = {
    "words": "4.1 times the reference; at most 3 allowed",
    "against": "reference",
    "most": 3.0,
    "batches": [{"wall": {"student": [410.0, 500.0], "reference": [100.0, 130.0], "reference again": [120.0]}}],
}


def raced(message="", **more):
    return check("passed", 1, message=message, measurements={"race": {**RACE, **more}})


def svg(plot):
    return ET.fromstring(re.search(r"<svg.*</svg>", plot).group())


def test_every_sample_is_a_dot_and_the_limit_a_line():
    picture = svg(speed_plot(raced()))
    assert len(picture.findall(".//circle")) == 5
    assert [line.get("class") for line in picture.findall(".//line")].count("torchgrade-limit") == 1
    assert [text.text for text in picture.findall("text")] == ["limit 300 µs", "your code", "reference"]


def test_time_runs_from_left_to_right():
    picture = svg(speed_plot(raced()))
    dots = {name: picture.findall(f".//g[@class='torchgrade-{name}']/circle") for name in ("student", "reference")}
    student, reference = ([float(dot.get("cx")) for dot in some] for some in dots.values())
    limit = float(picture.find(".//line[@class='torchgrade-limit']").get("x1"))
    assert max(reference) < limit < student[0] < student[1]


def test_it_can_be_heard():
    picture = svg(speed_plot(raced()))
    assert picture.get("role") == "img"
    assert picture.get("aria-label") == (
        "Time per call: your code 410 µs at the least; reference 100 µs at the least; limit 300 µs. "
        "4.1 times the reference; at most 3 allowed"
    )


def test_the_words_stand_below_unless_the_message_has_them():
    assert "<figcaption>4.1 times the reference" in speed_plot(raced())
    assert "<figcaption>" not in speed_plot(raced(message="4.1 times the reference; at most 3 allowed"))


def test_a_baseline_has_a_row():
    wall = {**RACE["batches"][0]["wall"], "baseline": [5000.0]}
    plot = speed_plot(raced(batches=[{"wall": wall}], against="baseline", most=0.1))
    assert [text.text for text in svg(plot).findall("text")] == ["limit 500 µs", "your code", "reference", "baseline"]


@pytest.mark.parametrize("render", [lambda c: exercise_html(exercise(c)), lambda c: feedback_page(record(exercise(c)))])
def test_it_stands_with_its_check(render):
    assert '<figure class="torchgrade-speed"><svg' in render(raced())
    assert "<figure" not in render(check("passed", 1))


def test_text_of_a_record_cannot_become_markup():
    plot = speed_plot(raced(words='<script>"x"</script>\x1b[2J'))
    assert "<script" not in plot
    assert "\x1b" not in plot
    svg(plot)


@pytest.mark.parametrize(
    "broken",
    [
        {"batches": []},
        {"batches": [{"wall": {"student": ["a"], "reference": [1.0]}}]},
        {"batches": [{"wall": {"student": [0.0], "reference": [1.0]}}]},
        {"batches": [{"wall": {"student": [float("nan")], "reference": [1.0]}}]},
        {"most": "inf"},
        {"against": "nobody"},
    ],
)
def test_a_record_that_is_not_of_this_form_has_no_picture(broken):
    assert speed_plot(raced(**broken)) == ""


def test_the_picture_of_a_long_race_is_small():
    wall = {name: [float(n + 1) for n in range(10_000)] for name in ("student", "reference", "reference again", "baseline")}
    assert len(speed_plot(raced(batches=[{"wall": wall}]))) < 40_000
