"""Records: sums, status, JSON there and back, and files that are whole or not there."""

import json
import os
from pathlib import Path

import pytest

from torchgrade.record import Check, Digests, Exercise, Outcome, Record, Results, Status, Visibility, digest
from torchgrade.record.reading import read_record

OLD = Path(__file__).with_name("record_of_0.1.json")
SINCE = ('"slip":', '"place":', '"reached": true', '"partial":')
"""What is written of each check since then."""


def check(outcome, points=0.0, most=1.0, name="test_it"):
    return Check(name, "It works", Visibility.HIDDEN, outcome, points, most)


def record(*checks, **facts):
    exercises = (Exercise("softmax", float(sum(c.max_points for c in checks)), tuple(checks)),)
    return Record("numerical_stability", "ann", exercises, Digests("n", "g", "e", "s"), seed=2**62, environment={}, **facts)


def test_points_are_the_sum_of_the_checks():
    made = record(check(Outcome.PASSED, 1.0), check(Outcome.FAILED, 0.5, 2.0))
    assert (made.points, made.max_points, made.status) == (1.5, 3.0, Status.FINAL)


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([Outcome.PASSED, Outcome.SKIPPED, Outcome.FAILED], Status.FINAL),
        ([Outcome.PASSED, Outcome.DEFERRED], Status.PROVISIONAL),
        ([Outcome.UNGRADED, Outcome.DEFERRED], Status.UNGRADED),
    ],
)
def test_an_open_check_leaves_the_record_open(outcomes, status):
    assert record(*map(check, outcomes)).status is status


@pytest.mark.parametrize("outcome", [Outcome.DEFERRED, Outcome.UNGRADED])
def test_a_check_that_is_worth_nothing_keeps_no_mark_open(outcome):
    made = record(check(Outcome.PASSED, 1.0), check(outcome, 0.0, 0.0))
    assert made.status is Status.FINAL
    assert [c.is_open for c in made.checks] == [False, False]
    assert [c.is_decided for c in made.checks] == [True, False]


@pytest.mark.parametrize("worth", [0.0, 1.0])
def test_a_check_that_the_gpu_run_did_not_decide_goes_on_waiting(worth):
    waiting = record(check(Outcome.DEFERRED, 0.0, worth))
    assert waiting.completed_by(record(check(Outcome.UNGRADED, 0.0, worth))).checks == waiting.checks
    assert waiting.completed_by(record(check(Outcome.PASSED, worth, worth))).checks[0].outcome is Outcome.PASSED


def test_a_record_comes_back_from_json_as_it_was():
    made = record(check(Outcome.PASSED, 1.0), problems=("a note \u2603",), readable=True)
    data = json.loads(json.dumps(made.to_json()))
    assert read_record(data) == made
    assert (data["points"], data["max_points"], data["status"]) == (1.0, 1.0, "final")


def test_a_record_of_another_schema_is_refused():
    with pytest.raises(ValueError, match="schema is 99"):
        read_record({**record().to_json(), "schema": 99})


def test_a_record_that_0_1_wrote_is_read_and_written_again_as_it_was(tmp_path):
    text = OLD.read_text(encoding="utf-8")
    old = read_record(json.loads(text))
    assert (old.student, old.points, old.max_points, old.status) == ("ann", 1.5, 5.0, Status.FINAL)
    assert [check.outcome.value for check in old.exercises[0].checks] == ["passed", "failed", "failed", "deferred"]
    again = [
        line
        for line in Results(tmp_path).write(old).read_text(encoding="utf-8").splitlines()
        if not any(field in line for field in SINCE)
    ]
    assert again == text.splitlines()


def test_a_field_of_a_later_version_is_left_aside():
    data = json.loads(OLD.read_text(encoding="utf-8"))
    data["exercises"][0]["checks"][0]["colour"] = data["colour"] = "green"
    assert read_record(data) == read_record(json.loads(OLD.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("student",), 5, "Expected `str`, got `int` - at `$.student`"),
        (("seed",), "5", "Expected `int`, got `str` - at `$.seed`"),
        (("digests", "engine"), None, "Expected `str`, got `null` - at `$.digests.engine`"),
        (("exercises",), {}, "Expected `array`, got `object` - at `$.exercises`"),
        (("exercises", 0, "checks", 0, "points"), "1", "Expected `float`, got `str` - at `$.exercises[0].checks[0].points`"),
        (("exercises", 0, "checks", 0, "outcome"), "won", "Invalid enum value 'won' - at `$.exercises[0].checks[0].outcome`"),
        (("exercises", 0, "checks", 0, "measurements"), [], "Expected `object`, got `array`"),
    ],
)
def test_a_damaged_record_is_named_in_one_line_and_graded_again(tmp_path, place, value, said):
    data = json.loads(OLD.read_text(encoding="utf-8"))
    inner = data
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(ValueError, match=r"^not a record of schema 1: ") as refused:
        read_record(data)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    path = Results(tmp_path).path("ann", "numerical_stability")
    path.parent.mkdir()
    path.write_text(json.dumps(data))
    assert Results(tmp_path).read("ann", "numerical_stability") is None


def test_what_was_written_is_read_and_what_was_not_is_none(tmp_path):
    results = Results(tmp_path)
    made = record(check(Outcome.PASSED, 1.0))
    results.write(made)
    assert results.read("ann", "numerical_stability") == made
    assert results.read("bob", "numerical_stability") is None
    assert list(results.all("numerical_stability")) == [made]
    assert list(results.all("another")) == []


@pytest.mark.parametrize("links", [True, False])
def test_a_record_that_is_replaced_is_kept(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(PermissionError(1, "Operation not permitted")))
    results = Results(tmp_path)
    made = [record(check(Outcome.PASSED, points), graded_at=str(points)) for points in (1.0, 0.5, 0.0)]
    assert results.history("ann", "numerical_stability") == []
    for number, each in enumerate(made, start=1):
        results.write(each)
        assert results.history("ann", "numerical_stability") == made[:number]
    assert results.read("ann", "numerical_stability") == made[-1]
    assert list(results.all("numerical_stability")) == made[-1:]


def test_of_very_many_records_the_oldest_go(tmp_path, monkeypatch):
    monkeypatch.setattr("torchgrade.record.store.MOST_OLDER", 3)
    results = Results(tmp_path)
    made = [record(check(Outcome.PASSED, 1.0), graded_at=str(number)) for number in range(7)]
    for each in made:
        results.write(each)
    assert results.history("ann", "numerical_stability") == made[-4:]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": 1}', "\x00", "[" * 100_000])
def test_a_file_that_is_no_record_is_graded_again(tmp_path, text):
    results = Results(tmp_path)
    path = results.path("ann", "numerical_stability")
    path.parent.mkdir()
    path.write_text(text)
    assert results.read("ann", "numerical_stability") is None


def test_a_number_that_json_lacks_is_refused_before_anything_is_written(tmp_path):
    results = Results(tmp_path)
    results.write(record(check(Outcome.PASSED, 1.0)))
    with pytest.raises(ValueError, match="JSON"):
        results.write(record(check(Outcome.PASSED, float("nan"))))
    assert results.read("ann", "numerical_stability").points == 1.0


def test_digests_tell_how_parts_are_cut():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a") == digest(b"a")
