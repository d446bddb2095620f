"""Records to be shown, made by hand."""

from torchgrade.record import Check, Digests, Exercise, Outcome, Record, Visibility


def check(outcome="passed", points=0.0, worth=1.0, *, title="A title", visibility="hidden", **more):
    return Check(f"test_{title}", title, Visibility(visibility), Outcome(outcome), points, worth, **more)


def exercise(*checks, name="softmax"):
    return Exercise(name, sum(c.max_points for c in checks), checks)


def record(*exercises, student="alice", assignment="numerical_stability", **more):
    return Record(assignment, student, exercises, Digests("n", "g", "e", "s"), 1, {}, **more)
