"""The records of a whole class, made by chance from a seed: strong and weak students, checks that need one another, races."""

from __future__ import annotations

import math
import random

from made_records import exercise, record

from torchgrade.record import Check, Outcome, Record, Visibility

# Name, title, points, kind, how hard (0 is even), and what those read who fail.
Item = tuple[str, str, int, str, float, str]
SOFTMAX: list[Item] = [
    (
        "test_small_example",
        "Three logits give the probabilities of the text",
        1,
        "values",
        -3.0,
        "0.5 instead of 0.665 at (0, 2)",
    ),
    ("test_rows_sum_to_one", "Probabilities sum to 1 along dim", 1, "values", -2.2, "the sum is 3.0 instead of 1 at (1,)"),
    (
        "test_every_dim",
        "Any dim, negative ones too",
        2,
        "values",
        -1.0,
        "12 of 60 elements differ, the most by 0.31 at (2, 1, 4)",
    ),
    ("test_large_logits", "Logits of 1000 give probabilities, not nan", 2, "stability", 0.0, "nan instead of 0.5 at (0, 0)"),
    ("test_minus_infinity", "A masked logit has probability 0", 2, "stability", 0.9, "nan instead of 0 at (1, 3)"),
    (
        "test_gradient",
        "The gradient is right for every input, large ones too",
        3,
        "gradients",
        0.6,
        "the gradient differs by 0.25",
    ),
    ("test_half", "float16 keeps its accuracy", 1, "dtypes", 1.1, "float16 was asked for, float32 came"),
    ("test_inputs_untouched", "The input stays as it is", 1, "inputs", -2.0, "argument 1 was changed in place"),
    ("test_speed", "It is nearly as fast as the reference", 2, "speed", 0.8, "4.1 times the reference; at most 3 allowed"),
]
LOSS: list[Item] = [
    ("test_small_example", "The loss of the text's example", 1, "values", -2.5, "1.2 instead of 0.417"),
    ("test_mean_over_batch", "The mean is over the batch alone", 1, "values", -0.8, "the loss is 5 times too large"),
    ("test_certain_wrong", "A certain wrong answer costs 1000, not inf", 3, "stability", 0.2, "inf instead of 1000"),
    ("test_soft_targets", "Targets may be probabilities", 2, "values", 0.7, "RuntimeError: expected scalar type Long, line 4"),
    ("test_gradient", "The gradient is softmax minus target", 2, "gradients", 0.4, "the gradient differs by 0.5 at (3, 1)"),
    ("test_operations", "No loop over the classes", 1, "operations", 1.0, "812 operations for 200 classes, 412 for 100"),
]
EXERCISES = {"softmax": SOFTMAX, "softmax_cross_entropy": LOSS}
LARGE = {f"exercise_{n}": [(f"{name}_{n}", *rest) for name, *rest in (SOFTMAX + LOSS)[:10]] for n in range(1, 5)}
NAMES = [
    "ada", "alan", "barbara", "claude", "donald", "edsger", "emmy", "evelyn", "frances", "geoffrey", "grace", "hedy", "ingrid",
    "john", "judea", "katherine", "kurt", "leslie", "lotfi", "margaret", "maria", "marvin", "mary", "norbert", "radia", "robin",
    "sofia", "stephen", "tim", "yann",
]  # fmt: skip


def made_class(
    size: int, *, items: dict[str, list[Item]] = EXERCISES, seed: int = 1, assignment: str = "numerical_stability"
) -> list[Record]:
    """So many records, by student. Of thirty, one waits for a GPU, one is ungraded and one could not be read."""
    chance = random.Random(seed)
    names = NAMES if size <= len(NAMES) else [f"{NAMES[n % len(NAMES)]}{n // len(NAMES):02}" for n in range(size)]
    return [_record(chance, student, place, items, assignment) for place, student in enumerate(sorted(names)[:size])]


def _record(chance: random.Random, student: str, place: int, items: dict[str, list[Item]], assignment: str) -> Record:
    skill = chance.gauss(0.9, 1.4)
    readable = place % 30 != 17
    exercises = []
    for number, (name, checks) in enumerate(items.items()):
        made: list[Check] = []
        for item in checks:
            outcome = _outcome(chance, skill, made, item) if readable else Outcome.FAILED
            if item[3] == "speed" and outcome is not Outcome.SKIPPED and place % 30 == 8 and number == 0:
                outcome = Outcome.UNGRADED
            if item[3] == "dtypes" and place % 30 == 22 and number == 0:
                outcome = Outcome.DEFERRED
            made.append(_check(chance, item, outcome))
        exercises.append(exercise(*made, name=name))
    problems = () if readable else ("The file is no notebook: it is not JSON (line 1, column 1).",)
    return record(
        *exercises,
        student=student,
        problems=problems,
        readable=readable,
        graded_at="2026-10-02T18:30:00+00:00",
        assignment=assignment,
    )


def _outcome(chance: random.Random, skill: float, before: list[Check], item: Item) -> Outcome:
    if item[3] not in ("values", "stability") and before and before[0].outcome is Outcome.FAILED:
        return Outcome.SKIPPED
    return Outcome.PASSED if chance.random() < 1 / (1 + math.exp(2 * (item[4] - skill))) else Outcome.FAILED


def _check(chance: random.Random, item: Item, outcome: Outcome) -> Check:
    name, title, worth, kind, _, words = item
    points = float(worth) if outcome is Outcome.PASSED else 0.0
    if outcome is Outcome.FAILED and kind == "values" and worth > 1 and chance.random() < 0.3:
        points, words = worth / 2, "Only the last dim is right."
    said = {
        Outcome.PASSED: "",
        Outcome.FAILED: words if chance.random() < 0.8 else "NotImplementedError, line 3 of your cell",
        Outcome.SKIPPED: "it needs a check that did not pass",
        Outcome.DEFERRED: "",
        Outcome.UNGRADED: "the machine was too busy to time anything",
    }[outcome]
    visibility = Visibility.PUBLIC if name.startswith("test_small") else Visibility.HIDDEN
    measured = {"race": _race(chance, outcome)} if kind == "speed" and outcome in (Outcome.PASSED, Outcome.FAILED) else {}
    return Check(name, title, visibility, outcome, points, float(worth), kind, said, measurements=measured)


def _race(chance: random.Random, outcome: Outcome) -> dict[str, object]:
    ratio = min(2.9, chance.lognormvariate(0.25, 0.3)) if outcome is Outcome.PASSED else 3.1 + chance.lognormvariate(1.2, 0.8)
    sides = {
        side: [round(chance.gauss(500, 20) * slow, 3) for _ in range(21)] for side, slow in (("reference", 1), ("student", ratio))
    }
    return {
        "verdict": outcome.value, "ratio": ratio, "against": "reference", "most": 3.0, "share": float(outcome is Outcome.PASSED),
        "words": f"{ratio:.1f} times the reference; at most 3 allowed", "limits": {"reference": 3.0}, "curve": None,
        "batches": [{"wall": sides, "processor": sides}],
    }  # fmt: skip
