"""Where no jail can be made, that is said once, and before anything that looks like a result."""

import pytest
from click.testing import CliRunner
from small_course import make_course, submit

from torchgrade.cli import main
from torchgrade.jail import bubblewrap


@pytest.mark.parametrize("arguments", [["--regrade"], ["--notebook", "{submission}"]], ids=["a class", "a file"])
def test_grade_refuses_in_one_line_before_anything_else(tmp_path, monkeypatch, arguments):
    course = make_course(tmp_path / "course")
    for student in ("alice", "bob"):
        path = submit(course, student)
    (tmp_path / "bwrap").write_text('#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n')
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setattr(bubblewrap, "find_program", lambda: str(tmp_path / "bwrap"))
    words = [word.format(submission=path) for word in arguments]
    done = CliRunner().invoke(main, ["--course", str(course.root), "grade", "small", *words])
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Error: this machine cannot jail submissions (bwrap: setting up uid map: Permission denied): ")
    assert done.stderr.count("\n") == 1
    assert not (course.results / "small").exists()
