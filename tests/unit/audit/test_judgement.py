"""What counts as a problem, for each kind of candidate; and the figures of a check."""

import math

import pytest

from torchgrade.audit.auditing import Choice, _attempts, _Subject
from torchgrade.audit.candidates import Candidate, Exceptions, Kind, candidates_of, degenerates_of, read_exceptions
from torchgrade.audit.judgement import (
    Graded,
    Repeat,
    chances_of,
    gaps_of,
    hairs_of,
    prices_of,
    problems_of,
    unseen_of,
    wilson_upper,
)
from torchgrade.bank import Solution
from torchgrade.checks.declared import Declaration, GraderError, PlannedCheck
from torchgrade.notebook import ExerciseCells
from torchgrade.record import Visibility

CHECKS = [PlannedCheck(n, n, "f", Visibility.HIDDEN, Declaration(1.0, "values", ())) for n in ("test_a", "test_b")]


def problems(kind, outcomes, *, fails=(), points=0.0, most=0.0, because="", slips=None, found=None):
    candidate = Candidate(kind, "me", "x → y", "", frozenset(fails), slips or {}, most, because)
    repeat = Repeat(7, points, dict(zip(("test_a", "test_b"), outcomes, strict=True)), slips=found or {})
    graded = Graded(kind, "me", "x → y", tuple(fails), because, (repeat,))
    return list(problems_of("torchgrade audit a", CHECKS, [candidate], [graded]))


def test_a_right_answer_that_is_refused_is_named_with_its_check_and_seed():
    assert problems(Kind.WHEAT, ["passed", "passed"]) == []
    (line,) = problems(Kind.WHEAT, ["passed", "failed"])
    assert "wheat me is right and fails test_b" in line
    assert "torchgrade audit a --only 'me' --seed 7" in line


def test_a_wrong_answer_fails_what_it_names_and_nothing_else():
    assert problems(Kind.CHAFF, ["failed", "passed"], fails=["test_a"], points=1, most=1) == []
    assert "fails test_b, which it does not name" in problems(Kind.CHAFF, ["failed", "failed"], fails=["test_a"])[0]
    assert "does not fail test_a, which it names: passed" in problems(Kind.CHAFF, ["passed", "passed"], fails=["test_a"])[0]
    assert "there is no such check" in problems(Kind.CHAFF, ["failed", "passed"], fails=["test_a", "test_z"])[0]


def test_a_wrong_answer_fails_in_the_way_that_it_names():
    def told(slip):
        return problems(Kind.CHAFF, ["failed", "passed"], fails=["test_a"], slips={"test_a": slip}, found={"test_a": "sign"})

    assert told("sign") == told("values") == []
    assert "fails test_a by 'sign', and names 'nan'" in told("nan")[0]


def test_a_check_that_waits_for_a_gpu_cannot_be_asked_of_a_wrong_answer():
    assert problems(Kind.CHAFF, ["deferred", "passed"], fails=["test_a"]) == []


def test_points_that_wait_for_a_gpu_are_not_called_audited():
    waits = {"name": "test_a", "points": 1.0, "deferred": True}
    (line,) = unseen_of([waits, waits | {"points": 0.0}, waits | {"deferred": False}])
    assert line.startswith("test_a gives 1 points and waits for a GPU")


def test_a_degenerate_answer_earns_no_more_than_is_allowed():
    assert problems(Kind.DEGENERATE, ["passed", "failed"], points=1, most=1) == []
    assert "earns 1 points, 0 are allowed" in problems(Kind.DEGENERATE, ["passed", "failed"], points=1)[0]
    assert "fails no check" in problems(Kind.DEGENERATE, ["passed", "passed"], points=2, most=math.inf)[0]
    assert problems(Kind.DEGENERATE, ["passed", "failed"], points=1, most=math.inf) == []


def graded(kind, *lost, used=()):
    repeats = [Repeat(7 + k, 0.0, {"test_a": "failed"}, lost=points) for k, points in enumerate(lost)]
    repeats += [Repeat(7, 0.0, {"test_a": "failed"}, tolerance_used={"test_a": share}) for share in used]
    return Graded(kind, "me", "", ("test_a",), "", tuple(repeats))


def test_a_mark_that_depends_on_the_seed_is_a_problem():
    assert list(chances_of([graded(Kind.CHAFF, 4.0, 4.0), graded(Kind.CHAFF, 4.0), graded(Kind.DEGENERATE, 4.0, 4.5)])) == []
    (line,) = chances_of([graded(Kind.CHAFF, 4.5, 4.0, 7.0)])
    assert line.startswith("chaff me loses 4 points with the seed 8 and 7 with the seed 9: ")


def test_each_grading_has_a_seed_of_its_own_and_a_race_that_is_to_catch_nobody_is_run_once():
    race = PlannedCheck("test_race", "r", "f", Visibility.HIDDEN, Declaration(1.0, "speed", ()))
    answers = [(Kind.WHEAT, "right", ()), (Kind.CHAFF, "odd", ("test_a",)), (Kind.CHAFF, "slow", ("test_race",))]
    candidates = tuple(Candidate(kind, name, "", "", frozenset(fails), {}, 2.0, "") for kind, name, fails in answers)
    subject = _Subject("f", (*CHECKS, race), candidates, Exceptions({}, {}))
    attempts = dict(_attempts([subject], Choice(repeats=3)))
    assert len({attempt.seed for attempt in attempts.values()}) == len(attempts) == 9
    without = {key for key, attempt in attempts.items() if attempt.checks}
    assert without == {"f/1/1", "f/1/2"}
    assert attempts["f/1/1"].checks == ("test_a", "test_b")
    assert {attempt.checks for _, attempt in _attempts([subject], Choice(repeats=1, quick=True))} == {(), ("test_a", "test_b")}


def test_what_others_need_is_neither_passed_nor_missed_by_a_hair():
    needing = PlannedCheck("test_c", "c", "f", Visibility.HIDDEN, Declaration(1.0, "values", ("test_a",)))

    def told(*used, kind=Kind.CHAFF, checks=(*CHECKS, needing)):
        return list(hairs_of(checks, [graded(kind, used=used)]))

    assert told(0.1, 30.0) == told(1.6) == told(0.6) == told(math.inf) == told() == []
    assert told(1.1, kind=Kind.WHEAT) == told(1.1, checks=CHECKS) == []  # nobody needs it
    assert "chaff me misses test_a, which others need, by a hair: its error is 1.1 of what is allowed" in told(40.0, 1.1, 3.0)[0]
    assert "chaff me passes test_a" in told(0.9, 40.0)[0]


def test_a_mistake_in_a_grader_that_all_solutions_meet_is_one_problem():
    outcomes, messages = {"test_a": "ungraded", "test_b": "passed"}, {"test_a": "KeyError: 'x'"}
    candidates = [Candidate(Kind.WHEAT, name, "", "", frozenset(), {}, 0.0, "") for name in ("me", "you", "her")]
    graded = [Graded(c.kind, c.name, "", (), "", (Repeat(7, 0.0, outcomes, messages=messages),) * 2) for c in candidates]
    (line,) = problems_of("again", CHECKS, candidates, graded)
    assert line == "wheat me and 2 more could not be decided by test_a: KeyError: 'x'  [again --only 'me' --seed 7]"


def test_a_mutant_is_noticed_or_listed_and_not_both():
    assert problems(Kind.MUTANT, ["failed", ""]) == []
    assert "survives: x → y" in problems(Kind.MUTANT, ["passed", "passed"])[0]
    assert problems(Kind.MUTANT, ["passed", "passed"], because="the same") == []
    assert "is listed as equivalent and fails test_a" in problems(Kind.MUTANT, ["failed", ""], because="the same")[0]


def test_what_could_not_be_decided_is_a_problem_and_no_verdict():
    (line,) = problems(Kind.WHEAT, ["ungraded", "failed"])
    assert "could not be decided by test_a" in line


def test_a_check_that_no_wrong_answer_names_is_a_gap(tmp_path):
    (tmp_path / "audit.toml").write_text(
        '[degenerate.nonsense]\npoints = 1\nbecause = "b"\n[[equivalent]]\nmutant = "p → q"\nbecause = "r"\n'
    )
    chaff = Candidate(Kind.CHAFF, "me", "", "", frozenset({"test_a"}))
    lines = list(gaps_of(CHECKS, [chaff], read_exceptions(tmp_path)))
    assert any(line.startswith("no chaff names test_b") for line in lines)
    assert any("p → q" in line for line in lines)
    assert any("nonsense" in line for line in lines)
    assert len(lines) == 3


@pytest.mark.parametrize("text", ["[[equivalent]]\nmutant = 'x'\n", "[degenerate.zeros]\npoints = 1\nbecause = ''\n", "nonsense"])
def test_an_exception_without_a_reason_is_refused(tmp_path, text):
    (tmp_path / "audit.toml").write_text(text)
    with pytest.raises(GraderError, match=r"audit\.toml"):
        read_exceptions(tmp_path)


def test_degenerate_answers_are_made_for_functions_only():
    function = ExerciseCells("f", 1.0, "", ("f",), {"f": "Tensor"})
    names = [name for name, _ in degenerates_of(function, "def f(x):\n    return x\n")]
    assert {"zeros", "nan", "input", "shuffled", "broadcast", "wrong_dtype", "wrong_shape", "detached", "none"} <= set(names)
    assert list(degenerates_of(ExerciseCells("C", 1.0, "", ("C",), {}), "class C: pass")) == []


def test_a_degenerate_answer_is_what_its_name_says():
    import torch

    function = ExerciseCells("f", 1.0, "", ("f",), {"f": "Tensor"})
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    answers = {}
    for name, text in degenerates_of(function, "def f(x, scale=2):\n    return scale * x\n"):
        scope = {}
        exec(text, scope)
        answers[name] = scope["f"](x)
    assert answers["none"] is None
    assert answers["input"] is x
    assert answers["zeros"].tolist() == [[0, 0], [0, 0]]
    assert answers["shuffled"].tolist() == [[10, 6], [4, 2]]
    assert answers["broadcast"].tolist() == [[2, 2], [2, 2]]
    assert answers["wrong_shape"].shape == (1, 2, 2)
    assert answers["wrong_dtype"].dtype == torch.float64
    assert not answers["detached"].requires_grad


def test_one_degenerate_answer_is_right_until_a_shape_comes_again():
    import torch

    function = ExerciseCells("f", 1.0, "", ("f",), {"f": "Tensor"})
    scope = {}
    exec(dict(degenerates_of(function, "def f(x, scale=2):\n    return scale * x\n"))["remembered"], scope)
    f = scope["f"]
    assert f(torch.tensor([1.0])).tolist() == f(torch.tensor([4.0])).tolist() == [2]
    assert f(torch.tensor([4.0]), scale=3).tolist() == [12]
    assert f(torch.tensor([[4.0]])).tolist() == [[8]]
    assert f(torch.tensor([4.0], requires_grad=True)).tolist() == [8]


def test_the_interval_of_a_rate_is_wilsons():
    assert wilson_upper(0, 0) == 1.0
    assert wilson_upper(0, 10) == pytest.approx(0.2775, abs=1e-4)
    assert wilson_upper(5, 10) == pytest.approx(0.7634, abs=1e-4)
    assert wilson_upper(10, 10) == 1.0


def test_a_check_that_waits_for_a_gpu_has_neither_caught_nor_refused_nor_passed_anybody():
    from torchgrade.audit.auditing import _figures
    from torchgrade.report.audit import _figures as lines_of

    def graded(kind, outcome):
        return Graded(kind, "me", "", (), "", tuple(Repeat(7, 0.0, {"test_a": outcome}) for _ in range(3)))

    seen = _figures(CHECKS[0], [graded(Kind.WHEAT, "passed"), graded(Kind.CHAFF, "failed")], "data")
    assert (seen["caught"], seen["runs"], seen["deferred"]) == (1, 3, False)
    waits = _figures(CHECKS[0], [graded(Kind.WHEAT, "deferred"), graded(Kind.CHAFF, "deferred")], "")
    assert [waits[name] for name in ("caught", "alone", "runs", "flake_rate_at_most", "deferred")] == [0, 0, 0, 1.0, True]
    line = lines_of({"checks": [waits]})[1]
    assert "neither caught nor missed: it needs a GPU" in line
    assert "0/" not in line


def test_a_mutant_that_only_a_gpu_can_tell_is_equivalent_on_a_cpu_only(tmp_path):
    text = '[[equivalent]]\nmutant = "return x + 1 → return x - 1"\nbecause = "b"\n'
    exercise = ExerciseCells("f", 1.0, "", ("f",), {})
    bank = [Solution(tmp_path / "reference.py", "r", "def f(x):\n    return x + 1\n", frozenset())]

    def reasons(text, *, gpu):
        (tmp_path / "audit.toml").write_text(text)
        found = candidates_of(exercise, bank, read_exceptions(tmp_path), gpu=gpu)
        return [c.because for c in found if c.title == "return x + 1 → return x - 1"]

    assert reasons(text, gpu=False) == reasons(text, gpu=True) == ["b"]
    text += 'on = "cpu"\n'
    assert reasons(text, gpu=False) == ["b"]
    assert reasons(text, gpu=True) == [""]
    with pytest.raises(GraderError, match="only"):
        reasons(text.replace('"cpu"', '"tuesdays"'), gpu=True)


def price_problems(lost, may_cost=None, kind=Kind.CHAFF, *, complete=True):
    repeats = (Repeat(7, 0.0, {}, lost=0.25), Repeat(8, 0.0, {}, lost=lost))
    checks = [PlannedCheck(n, n, "f", Visibility.HIDDEN, Declaration(1.5, "values", ())) for n in ("test_a", "test_b")]
    return list(prices_of(checks, [Graded(kind, "me", "", (), "nothing works", repeats, may_cost)], complete=complete))


def test_one_mistake_costs_a_third_at_most_or_what_its_author_defends():
    assert price_problems(1.0) == []
    (line,) = price_problems(1.25)
    assert line.startswith("chaff me loses 1.25 of 3 points by one mistake; 1 are allowed")
    assert price_problems(1.25, may_cost=1.25) == []
    (line,) = price_problems(1.5, may_cost=1.25)
    assert line.endswith("its docstring allows 1.25 (nothing works)")
    assert price_problems(3.0, kind=Kind.DEGENERATE) == []


def test_a_reason_that_is_not_needed_is_told_where_all_checks_were_asked():
    (line,) = price_problems(1.0, may_cost=3.0)
    assert "delete the line 'Costs:'" in line
    assert price_problems(1.0, may_cost=3.0, complete=False) == []
