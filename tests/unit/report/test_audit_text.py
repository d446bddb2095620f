"""The legend below an audit's tables: what stands there is explained, and nothing else."""

from torchgrade.report.audit import audit_text


def document(outcomes="+x", *, repeats=1, kind="chaff", nearest=None, **figures):
    """An audit of two checks that one answer met."""
    check = {
        "points": 1.0,
        "evidence": "data",
        "caught": 1,
        "alone": 1,
        "mutants": 0,
        "tolerance_used": 0.0,
        "flakes": 0,
        "runs": 6,
        "flake_rate_at_most": 0.39,
        "deferred": False,
        **figures,
    }
    solution = {
        "kind": kind,
        "name": "odd",
        "because": "",
        "price": 1.0,
        "nearest": nearest or {},
        "repeats": [{"outcomes": outcomes}],
    }
    checks = [{**check, "name": name} for name in ("test_a", "test_b")]
    exercise = {"name": "add", "checks": checks, "solutions": [solution], "problems": ["a problem"]}
    return {"assignment": "sums", "repeats": repeats, "exercises": [exercise, {**exercise, "name": "double"}]}


def legend_of(made):
    lines = audit_text(made).splitlines()
    end = max(place for place, line in enumerate(lines) if "rest on the worker's word" in line) - 1
    start = max(place for place, line in enumerate(lines[:end]) if not line) + 1
    return lines[start:end]


def test_each_sign_and_each_column_is_explained_once_below_the_tables():
    signs, columns, refused = legend_of(document())
    assert signs == "· passed, ✗ failed"
    for column in ("caught", "alone", "mutants", "tolerance"):
        assert f"{column}: " in columns
    assert refused.startswith("refused: ")
    assert "95 %" in refused
    assert max(map(len, (signs, columns, refused))) <= 200
    text = audit_text(document())
    assert text.index("0/6    <39.0%") < text.index("refused: ") < text.index("PROBLEM a problem")
    assert text.count("refused: ") == 1


def test_only_what_is_there_is_explained():
    assert legend_of(document("-?", repeats=3))[0] == (
        "– skipped (a check that it needs failed), ? could not be decided (the worst of all repeats)"  # noqa: RUF001
    )
    assert legend_of(document(" +"))[0] == "· passed, blank not asked"
    assert legend_of(document("oo", deferred=True)) == ["○ waits for a GPU"]
    assert "worker's word" not in legend_of(document())[2]
    assert "the worker's word: " in legend_of(document(evidence="word"))[2]
    assert "1.00" not in legend_of(document())[2]
    assert "error: 1.00" in legend_of(document(nearest={"test_a": 1.3}))[2]
    assert len(legend_of(document("xx", kind="mutant"))) == 2
