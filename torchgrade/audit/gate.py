"""The release gate: the last complete audit of an assignment, and whether it still holds."""

from __future__ import annotations

import json
from pathlib import Path

from torchgrade.course import Course
from torchgrade.files import make_folder, write_whole
from torchgrade.judge.environment import digests
from torchgrade.record import digest
from torchgrade.report.audit_document import SCHEMA, AuditDocument


def audit_folder(course: Course) -> Path:
    """The folder of the audits' documents, each with its page beside it."""
    return course.results / "audits"


def digest_of(course: Course, assignment: str) -> str:
    """Return a digest of everything that an audit rests on: graders, assignment, engine, settings, and every file of the bank."""
    found = digests(course, assignment, b"", jail=True)
    folder = course.solutions / assignment
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".toml"))
    bank = [part for path in files for part in (str(path.relative_to(folder)), path.read_bytes())]
    return digest(found.graders, found.engine, found.settings, *bank)


def keep(document: AuditDocument, folder: Path) -> Path:
    """Write an audit's document to ``folder`` and return its path. Raises :class:`OSError`."""
    path = folder / f"{document['assignment']}.json"
    make_folder(folder)
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return path


def holds(course: Course, assignment: str) -> bool:
    """Return whether a complete audit without problems was kept for the graders, bank, engine and settings as they are now."""
    try:
        document = json.loads((audit_folder(course) / f"{assignment}.json").read_bytes())
        problems = [problem for exercise in document["exercises"] for problem in exercise["problems"]]
        sound = document["schema"] == SCHEMA and document["complete"] and not problems
        return bool(sound) and document["digest"] == digest_of(course, assignment)
    except (OSError, ValueError, KeyError, TypeError):
        return False
