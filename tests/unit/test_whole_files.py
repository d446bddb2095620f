"""Files that are whole or not there, lines that stay apart, and who may write what."""

import json
import os
import stat
import subprocess
import sys
import threading

import pytest

from torchgrade.classic.gradings import Basis, Gradings
from torchgrade.files import append_line, locked, make_folder, replaced, write_whole
from torchgrade.runs import EventLog


@pytest.fixture
def umask():
    """Sets the umask until the test ends."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_what_cannot_be_written_to_its_end_leaves_the_old_text_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    write_whole(path, "old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_old_text_is_in_its_place_while_it_is_kept(tmp_path):
    path, kept = tmp_path / "record.json", []
    write_whole(path, "old")
    write_whole(path, "new", keep=lambda place: kept.append(place.read_text()))
    assert (kept, path.read_text()) == (["old"], "new")


def test_what_a_link_or_a_pipe_stands_for_is_written(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_whole(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"
    program = "from pathlib import Path; from torchgrade.files import write_whole; write_whole(Path('/dev/stdout'), 'through')"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "through"


def test_a_line_after_one_that_was_cut_off_stands_alone(tmp_path):
    path = tmp_path / "new" / "log"
    append_line(path, "first")
    with path.open("a") as file:
        file.write("cut o")
    append_line(path, "second")
    append_line(path, "third")
    assert path.read_text() == "first\ncut o\nsecond\nthird\n"


def test_what_was_cut_off_costs_neither_an_event_nor_a_grading_after_it(tmp_path):
    log, gradings = EventLog(tmp_path / "events.jsonl"), Gradings(tmp_path)
    lines = tmp_path / "ann" / "ps.gradings.jsonl"
    for points in (1.0, 2.0):
        log.write("graded", points=points)
        gradings.add("ann", "ps", Basis("s", "a", "t"), points, 3.0)
        for path in (log.path, lines):
            with path.open("a") as file:
                file.write('{"time": "20')
    log.write("end")
    gradings.add("ann", "ps", Basis("s", "a", "t"), 3.0, 3.0)
    assert [grading.points for grading in gradings.of("ann", "ps")] == [1.0, 2.0, 3.0]
    assert json.loads(log.path.read_text().splitlines()[-1])["event"] == "end"


@pytest.mark.parametrize(("bits", "expected"), [(0o077, 0o600), (0o022, 0o640), (0o002, 0o660)])
def test_the_umask_says_whether_the_group_may_have_marks_and_nobody_else_may(tmp_path, umask, bits, expected):
    tmp_path.chmod(0o755)
    umask(bits)
    append_line(tmp_path / "lines", "a line")
    write_whole(tmp_path / "record", "text", mode=0o660)
    assert (mode(tmp_path / "lines"), mode(tmp_path / "record")) == (expected, expected)
    write_whole(tmp_path / "page", "text")
    assert mode(tmp_path / "page") == 0o666 & ~bits


def test_what_is_made_where_a_group_may_write_is_the_groups_too(tmp_path, umask):
    umask(0o022)
    shared = tmp_path / "results"
    shared.mkdir()
    shared.chmod(0o2770)
    make_folder(shared / "ann" / "ps.history")
    append_line(shared / "ann" / "lines", "a line")
    write_whole(shared / "ann" / "record", "text", mode=0o660)
    (tmp_path / "page").mkdir()
    with replaced(shared / "ann" / "page", tmp_path / "page", tmp_path / "old"):
        pass
    for folder in ("ann", "ann/ps.history", "ann/page"):
        assert mode(shared / folder) & 0o2070 == 0o2070, folder
    for file in ("ann/lines", "ann/record"):
        assert mode(shared / file) == 0o660, file
    everybodys = tmp_path / "tmp"
    everybodys.mkdir()
    everybodys.chmod(0o1777)
    write_whole(everybodys / "record", "text", mode=0o660)
    assert mode(everybodys / "record") == 0o640


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_comes_back_where_what_goes_with_it_fails(tmp_path, there):
    for name in ("new", *["old"] * there):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    with pytest.raises(ValueError, match="refused"), replaced(tmp_path / "old", tmp_path / "new", tmp_path / "aside"):
        assert (tmp_path / "old" / "new").exists()
        raise ValueError("refused")
    assert (tmp_path / "old" / "old").exists() is there
    assert (tmp_path / "new" / "new").exists()
    assert not (tmp_path / "aside").exists()


def test_a_lock_keeps_others_out_until_the_block_ends(tmp_path):
    order = []

    def other():
        with locked(tmp_path / "lock"):
            order.append("other")

    with locked(tmp_path / "lock"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.2)
        order.append("first")
    thread.join(10)
    assert order == ["first", "other"]
