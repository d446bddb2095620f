"""Names that say nothing, and stay."""

import json
import subprocess
import sys

import pytest

from torchgrade.record import RecordError
from torchgrade.report.class_page import pseudonyms

CLASS = [f"name{n:02}" for n in range(40)]


def test_each_student_has_a_number_of_their_own(tmp_path):
    names = pseudonyms(CLASS, tmp_path / "p.json")

    assert sorted(names.values()) == [f"student {n:02}" for n in range(1, 41)]
    assert list(names.values()) == sorted(names.values())


def test_numbers_stay_when_others_join_or_leave(tmp_path):
    before = pseudonyms(CLASS, tmp_path / "p.json")
    after = pseudonyms(["aaron", *CLASS[3:]], tmp_path / "p.json")

    assert after == {**{student: before[student] for student in CLASS[3:]}, "aaron": "student 41"}


def test_numbers_do_not_follow_the_names(tmp_path):
    first, second = (list(pseudonyms(CLASS, tmp_path / name)) for name in ("a.json", "b.json"))

    assert first != second


@pytest.mark.parametrize("text", ["{", "[1]", '{"alice": "one"}'])
def test_a_broken_list_is_not_drawn_anew_in_silence(tmp_path, text):
    (tmp_path / "p.json").write_text(text)

    with pytest.raises(RecordError, match=r"p\.json.*delete it to draw anew"):
        pseudonyms(CLASS, tmp_path / "p.json")
    assert (tmp_path / "p.json").read_text() == text


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(RecordError, match="cannot"):
        pseudonyms(CLASS, tmp_path / "file" / "p.json")


ADD = """
import sys
from pathlib import Path
from torchgrade.report.class_page import pseudonyms
for number in range(20):
    pseudonyms([f"{sys.argv[2]}-{number}"], Path(sys.argv[1]))
"""


def test_reports_that_are_written_at_the_same_time_give_nobody_anothers_number(tmp_path):
    path = tmp_path / "p.json"
    reports = [subprocess.Popen([sys.executable, "-c", ADD, str(path), name]) for name in "abcd"]
    assert [report.wait(60) for report in reports] == [0, 0, 0, 0]
    assert sorted(json.loads(path.read_text()).values()) == list(range(1, 81))
