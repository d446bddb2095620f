"""`docs/architecture.md` names rooms and files that are there, and every room."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
ROOMS = {path.name for path in (REPOSITORY / "torchgrade").iterdir() if (path / "__init__.py").is_file()}


def test_every_path_on_the_page_is_there():
    tracked = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "torchgrade").rglob("*") if path.exists()}
    named = set(re.findall(r"`(torchgrade/[\w/.]+|tests/[\w/.]+)`", PAGE))
    drawn = {f"torchgrade/{path}" for path in re.findall(r"\b((?:jail|checks|record|report|gradebook)/[\w/]+\.py)", PAGE)}

    assert len(named) > 15
    assert len(drawn) > 8
    assert not {path for path in named if not (REPOSITORY / path).exists()}
    assert not {path for path in drawn - named if path not in tracked}


def test_every_room_is_on_the_page():
    table = set(re.findall(r"^\| `torchgrade/(\w+)` \|", PAGE, re.MULTILINE))

    assert table == ROOMS


def test_names_of_functions_and_classes_on_the_page_are_defined():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (REPOSITORY / "torchgrade").rglob("*.py"))
    for name in (
        "Attempt",
        "Scoresheet",
        "settle",
        "SubmissionRun",
        "Judge",
        "CheckFailed",
        "_report",
        "assert_shape",
        "assert_close",
        "Wall",
    ):
        assert name in PAGE
        assert re.search(rf"^\s*(?:def|class) {name}\b", source, re.MULTILINE), name
