"""Public checks: shards_of. You may read and run them; `check("shards_of")` does."""

from torchgrade import CheckFailed, points


@points(0.25)
def test_two_readers(student):
    """Two readers of four shards get two each, and every shard is somebody's."""
    paths = ["a.tar", "b.tar", "c.tar", "d.tar"]
    parts = [student.shards_of(paths, reader, 2) for reader in range(2)]
    if sorted(path for part in parts for path in part) != paths or len(parts[0]) != 2:
        hint = "Reader k of n, counted from 0: every n-th path, beginning with path k, is one way. A slice with a step says that."
        raise CheckFailed(
            f"the readers of {paths} get {parts[0]} and {parts[1]}; expected two each, and every path once", hint=hint
        )
