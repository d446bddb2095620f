"""The small picture of a wrong gradient."""

import re
import xml.etree.ElementTree as ET

import pytest
import torch
from made_records import check, exercise

from torchgrade import assert_gradients
from torchgrade.checks.declared import CheckFailed
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.report.pages import exercise_html
from torchgrade.report.pictures import gradient_plot

FOUND = {"shape": [2, 2], "elements": [0, 3], "yours": [1.0, "nan"], "right": [-1.0, 2.0]}


def failed(found, **more):
    return check("failed", measurements={"gradient": found}, **{"visibility": "public", **more})


def svg_of(picture):
    return ET.fromstring(re.search(r"<svg.*</svg>", picture).group())


def measured_by(function, reference, x):
    token = current_notes.set(account := Notes())
    try:
        with pytest.raises(CheckFailed):
            assert_gradients(function, reference=reference, inputs=[(x,)])
    finally:
        current_notes.reset(token)
    return account.measurements


def test_a_check_keeps_the_elements_that_are_furthest_off_in_their_order():
    x = torch.arange(40.0).requires_grad_()
    slope = torch.ones(40)
    slope[[7, 30]] = torch.tensor([3.0, 9.0])
    found = measured_by(lambda x: slope * x, lambda x: x * 1.0, x)["gradient"]
    assert found["shape"] == [40]
    assert len(found["elements"]) == 12
    assert found["elements"] == sorted(found["elements"])
    assert {7, 30} <= set(found["elements"])
    off = {
        at
        for at, yours, right in zip(found["elements"], found["yours"], found["right"], strict=True)
        if abs(yours - right) > 1e-6
    }
    assert off == {7, 30}
    for at, yours, right in zip(found["elements"], found["yours"], found["right"], strict=True):
        assert yours == pytest.approx(float(slope[at]) * right, rel=1e-6)


def test_nan_is_the_furthest_off():
    x = torch.tensor([4.0, 0.0, 9.0], requires_grad=True)
    found = measured_by(lambda x: x.sqrt() * x.sqrt(), lambda x: x * 1.0, x.detach().repeat(20).requires_grad_())["gradient"]
    assert {at % 3 for at in found["elements"]} == {1}


def test_infinities_that_belong_there_are_not_off():
    x = torch.tensor([0.0, 1.0, 4.0], dtype=torch.float64, requires_grad=True)
    found = measured_by(lambda x: x.sqrt() * torch.tensor([1.0, 1.0, 3.0], dtype=torch.float64), lambda x: x.sqrt(), x)[
        "gradient"
    ]
    off = [at for at, yours, right in zip(found["elements"], found["yours"], found["right"], strict=True) if yours != right]
    assert off == [2]
    assert gradient_plot(failed(found)) == ""  # an infinite bar cannot be drawn


def test_a_right_gradient_leaves_nothing():
    token = current_notes.set(account := Notes())
    try:
        assert_gradients(
            lambda x: x * 2, reference=lambda x: 2 * x, inputs=[(torch.ones(3, dtype=torch.float64, requires_grad=True),)]
        )
    finally:
        current_notes.reset(token)
    assert "gradient" not in account.measurements


def test_a_bar_is_the_right_number_and_a_dot_the_students():
    found = {"shape": [3], "elements": [0, 1, 2], "yours": [1.0, 0.0, -1.0], "right": [2.0, 0.0, 1.0]}
    svg = svg_of(gradient_plot(failed(found)))
    zero = float(svg.find("line").get("y1"))
    bars = [(float(bar.get("y")), float(bar.get("height"))) for bar in svg.findall("rect")]
    dots = [float(dot.get("cy")) for dot in svg.findall("circle")]
    unit = (zero - bars[0][0]) / 2
    assert bars[0][1] == pytest.approx(2 * unit, abs=0.2)
    assert bars[2] == pytest.approx((zero - unit, unit), abs=0.2)
    assert dots == pytest.approx([zero - unit, zero, zero + unit], abs=0.2)
    assert [text.text for text in svg.findall("text")] == ["0", "1", "2"]


def test_it_is_told_in_words_and_a_cross_stands_for_nan():
    picture = gradient_plot(failed(FOUND))
    svg = svg_of(picture)
    assert svg.get("aria-label") == "Your gradient beside the right one. [0, 0]: 1, right -1; [1, 1]: nan, right 2."
    assert (len(svg.findall("circle")), len(svg.findall("path"))) == (1, 1)
    assert "the 2 of 4 elements that are furthest off; a cross is nan or infinite" in picture


@pytest.mark.parametrize("more", [{"visibility": "hidden"}])
def test_a_hidden_check_shows_none(more):
    assert gradient_plot(failed(FOUND, **more)) == ""


def test_a_check_that_passed_shows_none():
    assert gradient_plot(check("passed", measurements={"gradient": FOUND}, visibility="public")) == ""


@pytest.mark.parametrize(
    "found",
    [
        {},
        {**FOUND, "elements": [0]},
        {**FOUND, "right": ["x", "y"]},
        {**FOUND, "right": [1.0, "inf"]},
        {**FOUND, "shape": ["<script>"]},
        {"shape": [99], "elements": list(range(99)), "yours": [0.0] * 99, "right": [1.0] * 99},
    ],
)
def test_what_is_not_numbers_is_not_drawn(found):
    assert gradient_plot(failed(found)) == ""


def test_it_stands_in_the_table_in_place_of_the_map():
    both = {"gradient": FOUND, "mismatch": {"shape": [2, 2], "levels": ["30", "03"]}}
    html = exercise_html(exercise(check("failed", measurements=both, visibility="public")), hidden={})
    assert "torchgrade-slopes" in html
    assert 'figure class="torchgrade-heat"' not in html
