"""Hidden checks: shards_of."""

from collections import Counter

import torch

from torchgrade import CheckFailed, points


def draw(count):
    """So many paths with random names."""
    return [f"/data/{number:09}.tar" for number in torch.randint(0, 10**9, (count,)).tolist()]


def parts_of(student, paths, readers):
    """The paths of each reader; a check fails where that is no list of these paths."""
    parts = [student.shards_of(paths, reader, readers) for reader in range(readers)]
    for part in parts:
        if not isinstance(part, list) or not set(part) <= set(paths):
            raise CheckFailed(f"a reader gets {part!r}; expected a list of some of the paths", slip="type")
    return parts


def assert_once(student, count, readers, hint):
    """Fail unless every path is somebody's, once."""
    paths = draw(count)
    counts = Counter(path for part in parts_of(student, paths, readers) for path in part)
    wrong = [(number, counts[path]) for number, path in enumerate(paths) if counts[path] != 1]
    if wrong:
        number, times = wrong[0]
        slip = "missing" if not times else "doubled"
        told = f"of {count} paths and {readers} readers, path number {number} is given out {times} times; expected once"
        raise CheckFailed(told, slip=slip, hint=hint)


@points(0.25)
def test_uneven(student):
    """Every path is somebody's where the readers do not divide them."""
    hint = "What is left over when the division does not come out even belongs to somebody, too."
    for count, readers in ((7, 2), (7, 3), (7, 3), (11, 4), (5, 1)):
        assert_once(student, count, readers, hint)


@points(0.25)
def test_few_paths(student):
    """Fewer paths than readers are given out once each, and nobody fails who gets none."""
    hint = "Who has nothing to do gets an empty list."
    for count, readers in ((1, 3), (2, 5), (0, 2)):
        assert_once(student, count, readers, hint)


@points(0.25)
def test_everyone_has_a_part(student):
    """With as many paths as readers, or a few more, nobody is left without one."""
    for count, readers in ((4, 4), (4, 3), (7, 4), (9, 8)):
        for reader, part in enumerate(parts_of(student, draw(count), readers)):
            if not part:
                hint = "Blocks of equal size, rounded up, may be used up before the last reader's turn."
                raise CheckFailed(f"of {count} paths and {readers} readers, reader {reader} gets none", hint=hint)
