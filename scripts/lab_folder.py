"""The folder of a lab: a course, an exchange, and a home for each person. It is made once, and thrown away by deleting it.

    assignments/ graders/ solutions/ ──copied──► course/ ──torchgrade release──► course/release/
                                                                                       │ nbgrader release_assignment
    ada/  ben/  instructor/: homes, with settings of their own ◄──fetch── exchange/ ◄──┘
                                                               ──submit─►

nbgrader tells people apart by their accounts. Here all are one account, so each home's ``nbgrader_config.py`` says who it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from torchgrade.course import find_course
from torchgrade.gradebook import release
from torchgrade.notebook import compose, load_assignment, write_notebook

INSTRUCTOR, STUDENTS = "instructor", ("ada", "ben")
TOOLS = Path(sys.executable).parent
_UNFINISHED = ".torchgrade-lab-is-unfinished"  # the folder holds nothing of anybody's yet
# ben has handed something in, so that an instructor has a submission to look at: the stub, with the first mistake that all make.
_HANDS_IN, _ASSIGNMENT, _MISTAKE = "ben", "numerical_stability", "softmax/chaffs/naive.py"

_COURSE = """
# --- The lab: added by scripts/lab ---------------------------------------------------------------------------------------

c.Exchange.root = {exchange!r}

# Everybody in the lab is the same account, so nbgrader would call every submission stolen.
c.ExchangeCollect.check_owner = False
"""
_STUDENT = '''"""Who works here, and where the course's exchange is. Written by scripts/lab."""

c = get_config()
c.CourseDirectory.course_id = {course!r}
c.CourseDirectory.student_id = {student!r}
c.Exchange.root = {exchange!r}
c.Exchange.cache = {cache!r}
'''
_NOT_FOR_STUDENTS = ("formgrader", "course-list", "create-assignment")
# An instructor who fetched an assignment would fetch it into the course's own folder.
_NOT_FOR_INSTRUCTORS = ("assignment-list", "course-list")


class LabError(Exception):
    """The lab cannot be made. The text is one line: what is wrong, and what to do."""


def environment(folder: Path, person: str) -> dict[str, str]:
    """The environment of a person's programs: ours, but with a home, and so settings, runtime files and history, of their own."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "IPYTHON", "XDG_"))}
    return {**ours, "HOME": str(folder / person), "PATH": f"{TOOLS}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}


def desk(folder: Path, person: str) -> Path:
    """The folder that a person's JupyterLab opens: the course, or a student's home."""
    return folder / ("course" if person == INSTRUCTOR else person)


def make(folder: Path, repository: Path, assignments: Sequence[str]) -> bool:
    """Make the lab, or leave the one that is there as it is. Whether it was made; raises :class:`LabError`."""
    unfinished = folder / _UNFINISHED
    if unfinished.exists():
        shutil.rmtree(folder)
    if (folder / "course").is_dir() and (folder / "exchange").is_dir():
        return False
    if folder.is_dir() and any(folder.iterdir()):
        raise LabError(f"{folder} is not empty and is no lab: name a folder that is not there yet, or empty this one.")
    known = sorted(path.name for path in (repository / "assignments").iterdir() if path.is_dir())
    if unknown := sorted(set(assignments) - set(known)):
        raise LabError(f"there is no assignment {', '.join(unknown)}; there are {', '.join(known)}.")
    folder.mkdir(parents=True, exist_ok=True)
    unfinished.touch()
    chosen = list(assignments) or known
    _make_course(folder, repository, chosen)
    for student in STUDENTS:
        _make_student(folder, student)
    _write_settings(folder / INSTRUCTOR, _NOT_FOR_INSTRUCTORS)
    if _ASSIGNMENT in chosen:
        _hand_in(folder)
    unfinished.unlink()
    return True


def _make_course(folder: Path, repository: Path, assignments: Sequence[str]) -> None:
    root, exchange = folder / "course", folder / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)  # nbgrader insists
    for name in ("graders", "solutions", "assignments"):
        shutil.copytree(repository / name, root / name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
    config = (repository / "nbgrader_config.py").read_text(encoding="utf-8")
    (root / "nbgrader_config.py").write_text(config + _COURSE.format(exchange=str(exchange)), encoding="utf-8")
    course = find_course(root)
    with contextlib.chdir(root):
        for name in assignments:
            release(course, name)  # without the audit, which takes minutes and is a command of its own
            done = NbGraderAPI(config=course.config).release_assignment(name)
            if not done["success"]:
                raise LabError(f"nbgrader could not put {name} into the exchange: {done.get('log') or done.get('error')}")
        with Gradebook(f"sqlite:///{root / 'gradebook.db'}", str(course.config.CourseDirectory.course_id)) as gradebook:
            for student in STUDENTS:
                gradebook.update_or_create_student(student, first_name=student.capitalize())


def _make_student(folder: Path, student: str) -> None:
    course = str(find_course(folder / "course").config.CourseDirectory.course_id)
    _write_settings(folder / student, _NOT_FOR_STUDENTS)
    text = _STUDENT.format(
        course=course, student=student, exchange=str(folder / "exchange"), cache=str(folder / student / ".nbgrader")
    )
    (folder / student / ".jupyter" / "nbgrader_config.py").write_text(text, encoding="utf-8")


def _write_settings(home: Path, without: Sequence[str]) -> None:
    """A home in whose JupyterLab these parts of nbgrader are switched off, as ``jupyter labextension disable`` does it.

    It does not ask either whether to fetch news from the internet.
    """
    parts = {f"nbgrader.server_extensions.{name.replace('-', '_')}": False for name in without if name != "create-assignment"}
    settings = home / ".jupyter"
    (settings / "labconfig").mkdir(parents=True)
    # In a terminal a login shell would set the PATH anew, and not find torchgrade.
    server = {"jpserver_extensions": parts, "terminado_settings": {"shell_command": [os.environ.get("SHELL", "/bin/sh")]}}
    (settings / "jupyter_server_config.json").write_text(json.dumps({"ServerApp": server}, indent=1))
    news = settings / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    news.parent.mkdir(parents=True)
    news.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    disabled = {f"@jupyter/nbgrader:{name}": True for name in without}
    (settings / "labconfig" / "page_config.json").write_text(json.dumps({"disabledExtensions": disabled}, indent=1))


def _hand_in(folder: Path) -> None:
    """One student has been here already: fetched an assignment, solved half of it, made a mistake, and submitted."""
    home = folder / _HANDS_IN
    config = PyFileConfigLoader("nbgrader_config.py", path=str(home / ".jupyter")).load_config()
    steps = ExchangeFactory(config=config)
    _take(steps.FetchAssignment, home, config)
    text = (folder / "course" / "solutions" / _ASSIGNMENT / _MISTAKE).read_text(encoding="utf-8")
    source = load_assignment(folder / "course" / "assignments", _ASSIGNMENT)
    write_notebook(compose(source, {_MISTAKE.partition("/")[0]: text}), home / _ASSIGNMENT / f"{_ASSIGNMENT}.ipynb")
    _take(steps.Submit, home, config)


def _take(step: type, home: Path, config: Config) -> None:
    """What nbgrader's command does for a student in their home."""
    coursedir = CourseDirectory(config=config)
    coursedir.assignment_id = _ASSIGNMENT
    with contextlib.chdir(home):
        step(coursedir=coursedir, authenticator=Authenticator(config=config), config=config).start()
