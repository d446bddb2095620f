"""The release gate: the kept audits of a course, what each rests on, and whether it still holds.

    notebook · graders · bank · engine · settings ──► rests_on ──► the audit's document
                                                         └───────────────┴──► standing

An audit takes minutes to an hour, so it is not repeated without need. Prose decides no outcome, and so does not count.
"""

from __future__ import annotations

import ast
import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

import nbformat

from torchgrade.audit.candidates import FILE
from torchgrade.bank import read_bank
from torchgrade.course import Course
from torchgrade.files import make_folder, write_whole
from torchgrade.judge.environment import engine_digest, read_data, settings_digest
from torchgrade.notebook import assignment_of_course
from torchgrade.record import digest
from torchgrade.report.audit import SCHEMA, AuditBasis, AuditDocument, problems_in

COURSE_PARTS = ("notebook", "graders", "bank")
"""The parts of an audit's basis that an instructor writes; ``engine`` and ``settings`` belong to torchgrade and the machine."""


def audit_folder(course: Course) -> Path:
    """The folder of the audits' documents, each with its page beside it."""
    return course.root / course.audits.folder


def rests_on(course: Course, assignment: str) -> AuditBasis:
    """Digests of everything that an audit's outcomes rest on.

    Prose decides no outcome. So an audit stays valid if words change in a text cell, in the docstring of a check, or in that of a
    solution (except its lines ``Fails:`` and ``Costs:``). The rest of a grader counts as it stands, including its hints.
    """
    data = read_data(course, assignment)
    return {
        "notebook": digest(*_code_cells(course.assignments / assignment / f"{assignment}.ipynb"), data.digest),
        "graders": digest(*_texts(sorted((course.graders / assignment).glob("*.py")))),
        "bank": digest(*_bank(course, assignment)),
        "engine": engine_digest(),
        "settings": settings_digest(course, jail=True),
    }


def _code_cells(path: Path) -> list[str]:
    """The code of a notebook, with what nbgrader knows about each cell: its name, its points, whether it is locked."""
    cells = nbformat.read(path, as_version=4).cells
    return [json.dumps([c.source, c.metadata.get("nbgrader", {})], sort_keys=True) for c in cells if c.cell_type == "code"]


def _texts(paths: list[Path]) -> list[str]:
    return [part for path in paths for part in (path.name, _without_docstrings(path.read_text(encoding="utf-8")))]


def _bank(course: Course, assignment: str) -> list[str]:
    """The code of each solution and what it claims, and the exceptions for the audit."""
    parts: list[str] = []
    for exercise in assignment_of_course(course, assignment).exercises:
        folder = course.solutions / assignment / exercise.name
        for solution in read_bank(course, assignment, exercise.name):
            costs = solution.costs.points if solution.costs else None
            claims = [sorted(solution.fails), sorted(solution.slips.items()), costs]
            name = str(solution.path.relative_to(folder.parent))
            parts += [name, _without_docstrings(solution.text), json.dumps(claims)]
        remarks = folder / FILE
        parts.append(remarks.read_text(encoding="utf-8") if remarks.is_file() else "")
    return parts


def _without_docstrings(text: str) -> str:
    """A module's text without the lines of its docstrings and those of its functions and classes; unchanged if it has an error.

    A docstring that shares a line with code stays: only prose may be left out.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    prose: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            docstring, *code = node.body
            lines = range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1)
            if getattr(node, "lineno", 0) not in lines and not any(statement.lineno in lines for statement in code):
                prose.update(lines)
    return "\n".join(line for number, line in enumerate(text.split("\n"), start=1) if number not in prose)


def keep(document: AuditDocument, folder: Path) -> Path:
    """Write an audit's document to ``folder`` and return its path. Raises :class:`OSError`."""
    path = folder / f"{document['assignment']}.json"
    make_folder(folder)
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return path


@dataclasses.dataclass(frozen=True, slots=True)
class Standing:
    """How an assignment stands with its kept audit.

    ``problem`` is a sentence unless there is a complete audit, without problems, of what the instructor wrote as it is now.
    ``same_engine``: the audit was also made with this engine, these settings and this torch.
    """

    assignment: str
    problem: str
    same_engine: bool

    @property
    def is_current(self) -> bool:
        """True if an audit now would try nothing that the kept audit did not try."""
        return not self.problem and self.same_engine


def standing(course: Course, assignment: str) -> Standing:
    """Compare the kept audit of an assignment with the assignment as it is."""
    path = audit_folder(course) / f"{assignment}.json"
    again = f"run torchgrade audit {assignment}"
    try:
        document = json.loads(path.read_bytes())
        problems = len(problems_in(document))
        is_whole, basis = document["schema"] == SCHEMA and document["complete"], document.get("rests_on", {})
    except FileNotFoundError:
        return Standing(assignment, f"{assignment} was never audited: there is no {path}; {again}", same_engine=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        return Standing(assignment, f"{assignment}: {path} is not an audit's document ({why}); {again}", same_engine=False)
    now: Mapping[str, object] = rests_on(course, assignment)
    same_engine = all(basis.get(part) == now[part] for part in ("engine", "settings"))
    changed = [part for part in COURSE_PARTS if basis.get(part) != now[part]]
    problem = ""
    if not is_whole:
        problem = f"{assignment}: {path} is only a part of an audit, or has an older form; {again}"
    elif problems:
        problem = f"{assignment}: its audit found {problems} problems ({path}); fix them and {again}"
    elif changed:
        what = " and ".join([", ".join(changed[:-1]), changed[-1]] if changed[1:] else changed)
        problem = f"{assignment}: {what} changed since the audit in {path}; {again}"
    return Standing(assignment, problem, same_engine)
