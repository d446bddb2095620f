"""nbgrader's exchange, with students who have folders of their own and use nbgrader's own commands."""

from __future__ import annotations

import contextlib
import subprocess

from nbgrader.apps.api import NbGraderAPI
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from quickstart import table
from traitlets.config import Config
from warm_commands import TOOLS, environment, started, torchgrade

from torchgrade.course import find_course


class Exchange:
    """The exchange below ``root``, and the course in ``root/course``, which whoever makes this writes there."""

    def __init__(self, root, course_id, assignment):
        self.inbox, self.home, self.folder = root / "exchange", root / "home", root / "course"
        self.course_id, self.assignment = course_id, assignment
        self.inbox.mkdir()
        self.inbox.chmod(0o777)
        self.folder.mkdir()

    @property
    def setting(self):
        """What the course's configuration must say."""
        return f"c.Exchange.root = '{self.inbox}'"

    @property
    def course(self):
        """As torchgrade's commands find it."""
        return find_course(self.folder)

    def release(self):
        """Let students fetch what was released."""
        with contextlib.chdir(self.folder):
            assert NbGraderAPI(config=self.course.config).release_assignment(self.assignment)["success"]

    def run(self, *arguments, **options):
        """A command of torchgrade's in the course."""
        return torchgrade(self.folder, *arguments, **options)

    def started(self, *arguments):
        """A command of torchgrade's in the course, running."""
        line = [TOOLS / "torchgrade", *arguments]
        return started(line, cwd=self.folder, env=environment(), stderr=subprocess.PIPE)

    def released(self):
        """How many pages of feedback the exchange has for students."""
        return len(list((self.inbox / self.course_id / "feedback").glob("*.html")))

    def marks(self):
        """The sum of each student's automatic scores in the gradebook."""
        found = {}
        for student, _, _, score, *_ in table(self.folder):
            found[student] = found.get(student, 0) + (score or 0)
        return found

    def as_student(self, student, command):
        """What nbgrader's command of this name, or its button in JupyterLab, does for a student in a folder of their own."""
        folder = self.home / student
        folder.mkdir(parents=True, exist_ok=True)
        config = Config()
        config.CourseDirectory.course_id = self.course_id
        config.CourseDirectory.student_id = student
        config.Exchange.root, config.Exchange.cache = str(self.inbox), str(folder / "cache")
        coursedir = CourseDirectory(config=config)
        coursedir.assignment_id = self.assignment
        factory = ExchangeFactory(config=config)
        with contextlib.chdir(folder):
            getattr(factory, command)(coursedir=coursedir, authenticator=Authenticator(), config=config).start()

    def fetched(self, student):
        """The student's own copy of the assignment."""
        folder = self.home / student / self.assignment
        if not folder.exists():
            self.as_student(student, "FetchAssignment")
        return folder
