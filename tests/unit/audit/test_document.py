"""An audit's document has the shape that release, terminal and page read."""

import json
from pathlib import Path

import msgspec
import pytest

from torchgrade.audit.candidates import Kind
from torchgrade.audit.judgement import Audit, ExerciseAudit, Graded, Repeat
from torchgrade.report.audit import AuditCheck, AuditDocument, audit_page, audit_text, hints_of

BASIS = dict.fromkeys(["notebook", "graders", "bank", "engine", "settings"], "d")
KEPT = sorted(Path(__file__).parents[3].glob("benchmarks/audits/*.json"))


def _failed():
    said = {"messages": {"test_it": "no"}, "slips": {"test_it": "nan"}, "hints": {"test_it": "Look."}}
    return Repeat(8, 0.0, {"test_it": "failed"}, {"test_it": 1.3}, **said)


def made():
    """An audit of one check that one right and one wrong answer met."""
    shown = {"name": "test_it", "title": "It works", "visibility": "hidden", "kind": "values", "points": 1.0, "evidence": "data"}
    seen = {"caught": 1, "alone": 1, "mutants": 0, "tolerance_used": 0.25, "flakes": 0, "runs": 1, "flake_rate_at_most": 0.5}
    figures = AuditCheck(**shown, **seen, deferred=False)
    right = Graded(Kind.WHEAT, "plain", "Plain", (), "", (Repeat(7, 1.0, {"test_it": "passed"}, {"test_it": 0.25}),))
    wrong = Graded(Kind.CHAFF, "odd", "Odd", ("test_it",), "", (_failed(),))
    exercise = ExerciseAudit("add", (figures,), (right, wrong), ("a problem",))
    return Audit(
        "sums",
        1,
        2.5,
        BASIS,
        complete=True,
        environment={"cores": 2, "processor": "p", "torch": "t", "device": "cpu"},
        exercises=(exercise,),
    )


def test_what_an_audit_found_is_whole_in_its_document():
    document = made().to_json()
    assert msgspec.convert(document, AuditDocument) == document
    assert list(document) == ["assignment", "repeats", "seconds", "rests_on", "complete", "environment", *REST]
    (exercise,) = document["exercises"]
    assert [(each["kind"], each["repeats"]) for each in exercise["solutions"]] == [
        ("wheat", [{"seed": 7, "points": 1.0, "outcomes": "+", "slips": {}, "said": {}}]),
        ("chaff", [{"seed": 8, "points": 0.0, "outcomes": "x", "slips": {"test_it": "nan"}, "said": {"test_it": "no"}}]),
    ]
    assert exercise["checks"][0]["tolerance_used"] == 0.25
    assert json.loads(json.dumps(document)) == document


def test_how_near_a_wrong_answer_comes_to_a_tolerance_is_in_text_and_page():
    document = made().to_json()
    assert "odd                                test_it                             1.30" in audit_text(document)
    assert 'title="test_it: its error is 1.3 of what is allowed">✗' in audit_page(document)


def test_the_hints_that_a_student_would_read_are_in_text_and_page():
    document = made().to_json()
    assert document["exercises"][0]["solutions"][1]["hints"] == {"test_it": "Look."}
    assert "odd                                Look. [test_it]" in audit_text(document)
    assert "<td>odd</td><td>Odd</td>" in audit_page(document).replace(' rowspan="1"', "")
    assert "<td>Look.</td><td>test_it</td>" in audit_page(document)


def test_a_failure_without_a_hint_is_told_too():
    failed = Repeat(8, 0.0, {"test_a": "failed", "test_b": "failed", "test_c": "failed"}, hints={"test_b": "Look."})
    graded = Graded(Kind.CHAFF, "odd", "Odd", (), "", (failed, Repeat(9, 0.0, {"test_a": "failed"}, hints={"test_a": "Later."})))
    assert graded.hints == {"test_a": "", "test_b": "Look.", "test_c": ""}
    assert hints_of({"hints": graded.hints}) == {"": ["test_a", "test_c"], "Look.": ["test_b"]}


REST = ["exercises", "schema", "letters"]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_an_audit_that_was_kept_is_read(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    msgspec.convert(document, AuditDocument)
    assert document["exercises"][0]["name"] in audit_text(document)
