"""Where things stand in the plots of the class page."""

import pytest

from torchgrade.report.class_figures import HEIGHT, WIDTH, histogram, race_dots


def race(ratio, verdict="passed", **more):
    return {"ratio": ratio, "verdict": verdict, "against": "reference", "most": 3.0, "curve": None, **more}


def test_a_bar_is_a_point_wide_and_full_marks_have_their_own():
    plot = histogram([0, 1.5, 1, 9.99, 10, 10], [], 10)

    assert len(plot.bars) == 11
    assert plot.words == "0 to under 1 points: 1; 1 to under 2 points: 2; 9 to under 10 points: 1; 10 points: 2"


@pytest.mark.parametrize(("most", "bars"), [(4, 9), (24, 25), (25, 14), (100, 21), (0.4, 9), (1234, 26), (123456, 26), (0, 2)])
def test_bars_stay_wide_enough_to_be_seen(most, bars):
    plot = histogram([most], [], most)

    assert len(plot.bars) == bars
    assert plot.bars[-1].final_height == HEIGHT
    assert plot.bars[0].x > 0
    assert plot.bars[-1].x + plot.bars[-1].width < WIDTH


def test_open_marks_stand_on_final_ones():
    bar = histogram([2, 2, 2], [2], 4).bars[4]

    assert (bar.final_height, bar.open_height) == (0.75 * HEIGHT, 0.25 * HEIGHT)
    assert bar.words == "2 to under 2.5 points: 3 and 1 still open"


def test_mean_and_median_stand_where_their_marks_do():
    plot = histogram([0, 0, 9], [10], 10)
    ticks = {text: x for x, text in plot.ticks}

    assert (plot.mean.x, plot.median.x) == (ticks["3"], ticks["0"])
    assert (plot.mean.label, plot.median.label) == ("mean 3.0", "median 0")


@pytest.mark.parametrize(
    "marks", [[0, 0, 0], [0, 0, 0, 0, 1], [24] * 3, [24, 24, 24, 22], [0, 12, 24], [11, 12, 12, 14], [1, 1, 0]]
)
def test_the_labels_of_mean_and_median_are_within_the_drawing_and_apart(marks):
    plot = histogram(marks, [], 24)

    def span(average):
        wide = 6.6 * len(average.label)  # as measured in Chromium with a broad font
        return (average.label_x - wide, average.label_x) if average.anchor == "end" else (average.label_x, average.label_x + wide)

    (left, middle), (after, right) = sorted([span(plot.mean), span(plot.median)])
    assert left >= 0
    assert middle < after
    assert right <= WIDTH


def test_full_marks_for_all_stand_in_the_middle_of_their_bar():
    plot = histogram([10, 10], [], 10)

    assert (plot.mean.x, plot.median.x) == (plot.ticks[-1][0], plot.ticks[-1][0])
    assert plot.bars[-1].x < plot.mean.x < plot.bars[-1].x + plot.bars[-1].width


def test_a_class_without_marks_has_an_empty_plot():
    plot = histogram([], [], 0)

    assert (plot.mean, plot.median, plot.words) == (None, None, "")


def test_a_race_is_a_dot_in_the_colour_of_its_verdict():
    (dots,) = race_dots([race(1.0), race(2.0), race(9.0, "failed"), race(2.5, "ungraded")])

    assert {kind: path.count("h0") for kind, path in dots.marks.items()} == {"passed": 2, "failed": 1, "open": 1}
    assert dots.words == "4 timed; median 2.2 times the reference; limit 3; 1 beyond it"


def test_the_axis_is_logarithmic_and_the_limit_stands_on_it():
    (dots,) = race_dots([race(1.0), race(100.0, "failed")])
    ticks = {text: x for x, text in dots.ticks}

    assert ticks["10"] - ticks["1"] == pytest.approx(ticks["100"] - ticks["10"], abs=0.2)
    assert ticks["2"] < dots.limits[0][0] < ticks["5"]


def test_against_a_baseline_more_is_faster():
    (dots,) = race_dots([race(0.05, against="baseline", most=0.1), race(0.2, "failed", against="baseline", most=0.1)])

    assert dots.words == "2 timed; median 12 times as fast as the baseline; limit 10; 1 beyond it"


def test_part_marks_have_two_limits():
    (dots,) = race_dots([race(2.0, "partly", curve={"against": "reference", "full": 1.5, "none": 4.0})])

    assert [text for _, text in dots.limits] == ["1.5", "4"]


def test_a_thousand_dots_stay_within_the_drawing():
    (dots,) = race_dots([race(1.5)] * 1000)

    assert dots.height <= 70


@pytest.mark.parametrize(
    "broken", [{"ratio": 0}, {"ratio": "x"}, {"ratio": None}, {"most": float("nan")}, {"curve": {"full": 1}}]
)
def test_what_is_no_ratio_is_left_out(broken):
    assert race_dots([race(1.0) | broken, {}]) == []
