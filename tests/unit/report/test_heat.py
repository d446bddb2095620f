"""The small map of where values differ."""

import re
import xml.etree.ElementTree as ET

import pytest
import torch
from made_records import check, exercise

from torchgrade import assert_close
from torchgrade.checks.declared import CheckFailed
from torchgrade.checks.mismatch import mismatch
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.report.pages import exercise_html
from torchgrade.report.pictures import heat_map


def failed(found, **more):
    return check("failed", measurements={"mismatch": found}, **{"visibility": "public", **more})


def levels(picture):
    svg = ET.fromstring(re.search(r"<svg.*</svg>", picture).group())
    return [square.get("class").removeprefix("torchgrade-heat-") for square in svg.findall("rect")]


def levels_of(actual, expected):
    error = (actual - expected).abs()
    return mismatch(~((error <= 1e-6) | (actual == expected)), error)["levels"]


def test_an_element_is_the_darker_the_further_it_is_off():
    right = torch.zeros(2, 3)
    assert levels_of(torch.tensor([[0.0, 1.0, 0.05], [1e-4, 0.0, 0.5]]), right) == ["032", "103"]


def test_what_is_not_finite_is_worst_and_does_not_pale_the_others():
    assert levels_of(torch.tensor([float("nan"), 0.5, float("inf"), 0.0]), torch.zeros(4)) == ["4340"]


def test_infinities_that_belong_there_are_right():
    inf = float("inf")
    assert levels_of(torch.tensor([-inf, 1.0]), torch.tensor([-inf, 0.0])) == ["03"]


def test_a_large_result_is_drawn_in_blocks_as_bad_as_their_worst_element():
    wrong = torch.zeros(3, 10, 1000, dtype=torch.bool)
    wrong[2, 9, 999] = True
    drawn = mismatch(wrong, None)
    assert drawn["shape"] == [3, 10, 1000]
    assert [len(row) for row in drawn["levels"]] == [24] * 24
    assert "".join(drawn["levels"]).strip("0") == "3"
    assert drawn["levels"][-1][-1] == "3"


def test_a_check_keeps_where_its_result_was_wrong_and_nothing_of_what_was_expected():
    token = current_notes.set(account := Notes())
    try:
        with pytest.raises(CheckFailed):
            assert_close(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 2.0], [3.0, 5.0]]))
    finally:
        current_notes.reset(token)
    assert account.measurements == {"mismatch": {"shape": [2, 2], "levels": ["00", "03"]}}


def test_the_picture_has_a_square_for_each_level_and_can_be_heard():
    picture = heat_map(failed({"shape": [2, 2], "levels": ["00", "34"]}))
    assert levels(picture) == ["0", "0", "3", "4"]
    assert picture.count("<path") == 1
    assert 'role="img"' in picture
    assert "2 of 4 squares, in row 1 of 2, counted from 0." in picture


def test_a_large_picture_has_smaller_squares():
    width = re.compile(r'viewBox="0 0 (\d+) \d+" width="([\d.]+)"')
    small, large = (width.search(heat_map(failed({"shape": [n], "levels": ["3" * n]}))).groups() for n in (12, 24))
    assert float(small[0]) == float(small[1])
    assert float(large[1]) == pytest.approx(0.6 * float(large[0]))


def test_it_stands_in_the_table_below_the_message():
    html = exercise_html(exercise(failed({"shape": [2], "levels": ["03"]}, message="Wrong.")), hidden={})
    assert html.index("Wrong.") < html.index('<figure class="torchgrade-heat">')
    assert "Where it differs in shape [2]: one square per element; the stronger the colour, the further off." in html


@pytest.mark.parametrize(
    "other",
    [
        check("failed", visibility="hidden", measurements={"mismatch": {"shape": [2], "levels": ["03"]}}),
        check("passed", visibility="public", measurements={"mismatch": {"shape": [2], "levels": ["03"]}}),
        failed({"shape": [1], "levels": ["3"]}),
        failed({}),
        failed([]),
        failed({"shape": [2], "levels": ["<b>"]}),
        failed({"shape": [2], "levels": ["0" * 25]}),
        failed({"shape": [2], "levels": ["0", "00"]}),
        failed({"shape": ["x"], "levels": ["03"]}),
    ],
    ids=["hidden", "passed", "one element", "nothing", "no mapping", "markup", "too wide", "ragged", "no number"],
)
def test_hidden_checks_passed_ones_and_damaged_data_have_no_picture(other):
    assert heat_map(other) == ""
