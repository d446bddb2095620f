"""Hidden checks: shards_of.

`test_uneven` judges the function as it is. `test_everyone_has_a_part` takes it as `from_zero` returns it, where readers are
counted from 0 whatever the student counts from.
"""

from collections import Counter

import torch

from torchgrade import CheckFailed, points
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.raised import hint_where_raised


def draw(count):
    """So many paths with random names."""
    return [f"/data/{number:09}.tar" for number in torch.randint(0, 10**9, (count,)).tolist()]


def parts_of(shards_of, paths, readers, *, hint=""):
    """The paths of each reader; a check fails where that is no list of these paths."""
    with hint_where_raised(hint):
        parts = [shards_of(paths, reader, readers) for reader in range(readers)]
    for part in parts:
        if not isinstance(part, list) or not all(path in paths for path in part):
            kept = "Each call has paths of its own. Is anything kept from an earlier one?"
            raise CheckFailed(
                f"a reader gets {part!r}; expected a list of some of the paths",
                slip="type",
                hint=kept if isinstance(part, list) else "",
            )
    return parts


def counts_from_one(student):
    """True if readers 1 to n share the paths, and readers 0 to n - 1 do not."""
    paths = draw(10)
    try:
        parts = [student.shards_of(paths, reader, 4) for reader in range(4)]
        return not _shared(parts, paths) and _shared([*parts[1:], student.shards_of(paths, 4, 4)], paths)
    except StudentFault:
        return False


def _shared(parts, paths):
    """True if every path is in one part."""
    given = [path for part in parts if isinstance(part, list) for path in part if isinstance(path, str)]
    return Counter(given) == Counter(paths)


def from_zero(student):
    """The function with its readers counted from 0."""
    if counts_from_one(student):
        return lambda paths, reader, readers: student.shards_of(paths, reader + 1, readers)
    return student.shards_of


def assert_once(student, count, readers, hint):
    """Fail unless every path is somebody's, once. ``hint`` is by slip: ``missing``, ``doubled``, ``raised``."""
    paths = draw(count)
    counts = Counter(path for part in parts_of(student.shards_of, paths, readers, hint=hint.get("raised", "")) for path in part)
    wrong = [(number, counts[path]) for number, path in enumerate(paths) if counts[path] != 1]
    if wrong:
        number, times = wrong[0]
        slip = "missing" if not times else "doubled"
        fits = _FROM_ZERO if counts_from_one(student) else hint.get(slip, "")
        told = f"of {count} paths and {readers} readers, path number {number} is given out {times} times; expected once"
        raise CheckFailed(told, slip=slip, hint=fits)


_FROM_ZERO = "The first reader is number 0, and the last one of n is number n - 1. Which number does yours begin with?"
_TWICE = "Whoever reads the same path as another reader shows the model its samples twice. Do two parts overlap?"


@points(0.25)
def test_uneven(student):
    """Every path is somebody's where the readers do not divide them."""
    hint = {
        "missing": "What is left over when the division does not come out even belongs to somebody, too.",
        "doubled": _TWICE,
        "raised": "Does every reader number from 0 to readers - 1 work, and does it get as many paths as are its own?",
    }
    for count, readers in ((7, 2), (7, 3), (7, 3), (11, 4), (5, 1)):
        assert_once(student, count, readers, hint)


@points(0.25)
def test_few_paths(student):
    """Fewer paths than readers are given out once each, and nobody fails who gets none."""
    nothing = "Who has nothing to do gets an empty list."
    few = "With fewer paths than readers there is still something to share out. Who gets it?"
    for count, readers in ((1, 3), (2, 5), (0, 2)):
        assert_once(student, count, readers, {"missing": few, "doubled": nothing, "raised": nothing})


@points(0.25)
def test_everyone_has_a_part(student):
    """With as many paths as readers, or a few more, nobody is left without one."""
    shards_of = from_zero(student)
    for count, readers in ((4, 4), (4, 3), (7, 4), (9, 8)):
        for reader, part in enumerate(parts_of(shards_of, draw(count), readers)):
            if not part:
                hint = "Blocks of equal size, rounded up, may be used up before the last reader's turn."
                raise CheckFailed(f"of {count} paths and {readers} readers, reader {reader} gets none", hint=hint)
