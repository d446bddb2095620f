"""What of a flood goes into a record."""

import json

from torchgrade.checks.bounds import MOST_CHARACTERS, MOST_LINES, MOST_MEASURED, few_lines, plain_measurements, shortened


def test_a_text_that_a_person_reads_stays_and_a_flood_says_how_much_is_left_out():
    assert shortened("x" * MOST_CHARACTERS) == "x" * MOST_CHARACTERS
    assert shortened("x" * (MOST_CHARACTERS + 1500)).endswith("x … (1,500 more characters)")


def test_of_very_many_lines_the_first_stay_and_the_rest_are_counted():
    assert few_lines(["one", "two"]) == ("one", "two")
    lines = few_lines(f"cell {number} raised" for number in range(1900))
    assert lines[:2] == ("cell 0 raised", "cell 1 raised")
    assert lines[-1] == f"… and {1900 - MOST_LINES:,} more like these"
    assert len("".join(few_lines(["x" * 10**6] * 1900))) < (MOST_CHARACTERS + 40) * (MOST_LINES + 1)


def test_measurements_are_json_and_bounded_however_they_are_nested():
    kept = plain_measurements({"ratio": float("nan"), "samples": [1.0, float("inf")], "of": {3: object}})
    assert kept["ratio"] == "nan"
    assert kept["samples"] == [1.0, "inf"]
    flood = plain_measurements(
        {"many": {"k" * 10**6 + str(n): ["v" * 10**6] * 10 for n in range(100)}, "more": [[0] * 1000] * 1000}
    )
    assert len(json.dumps(flood, allow_nan=False)) < 2 * MOST_MEASURED
