"""scripts/gpu: small parts of it on the processor, on a machine that seems to have no other packages than it promises to need."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.gpu_box

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = REPOSITORY / "scripts"
ABSENT = "click nbgrader ipykernel IPython rich jupyter_client nbclient nbconvert sqlalchemy nh3 zmq alembic"
BARE = f"""
import sys


class Bare:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in {ABSENT.split()!r} else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)


sys.meta_path[:] = [Bare(finder) for finder in sys.meta_path]
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An environment in which Python has few packages."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "sitecustomize.py").write_text(BARE)
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHON": sys.executable}


def gpu(*words, **options):
    return subprocess.run([SCRIPTS / "gpu", *words], capture_output=True, text=True, check=False, timeout=500, **options)


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.syspath_prepend(str(REPOSITORY))


def test_its_parts_run_without_other_packages_and_are_kept_as_json_and_in_words(bare, tmp_path):
    words = ["--device", "cpu", "--output", tmp_path, "--part", "graders", "attacks", "races", "--workers", "1"]
    words += ["--assignment", "vectorization", "--only", "by_way_of_the_cpu", "--attacks", "5", "--verdicts", "1"]
    done = gpu(*words, env=bare)
    assert done.returncode == 0, done.stdout + done.stderr
    parts = json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8"))["parts"]
    assert {name: part["complete"] for name, part in parts.items()} == {"graders": True, "attacks": True, "races": True}
    (graded,) = parts["graders"]["lines"]
    assert graded["deferred"] == ["test_on_a_gpu", "test_speed_on_a_gpu", "test_waits_on_a_gpu"]
    attacked = parts["attacks"]["lines"]
    assert [line["what"] for line in attacked][:1] + [line["what"] for line in attacked][-2:] == [
        "honest",
        "honest",
        "left behind",
    ]
    assert len(attacked) == 1 + 5 + 1 + 1
    assert [line["what"] for line in parts["races"]["lines"]] == ["correct solutions", "slow solutions"]
    summary = (tmp_path / "gpu.txt").read_text(encoding="utf-8")
    assert "attacks: held, 8 lines" in summary
    assert "left behind: 0 MiB of the device's memory and 0 processes, after 5 hostile submissions" in summary


def test_when_the_time_is_over_nothing_new_begins_and_the_status_says_so(tmp_path):
    done = gpu("--device", "cpu", "--output", tmp_path, "--part", "graders", "--minutes", "0", env={**os.environ})
    assert done.returncode == 3, done.stdout + done.stderr


def test_without_a_gpu_it_says_so_in_one_line(tmp_path):
    done = gpu("--output", tmp_path, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 1
    assert done.stderr == "scripts/gpu: torch sees no GPU on this machine; --device cpu tries everything but CUDA\n"


def test_a_missing_package_is_named_with_the_way_to_get_it(bare, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BARE.replace("click", "nbformat"))
    done = gpu("--device", "cpu", "--output", tmp_path, env={**bare, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == "scripts/gpu: nbformat is missing here: name a folder of wheels by --wheels; --pack makes one\n"


def test_what_did_not_hold_decides_the_status_and_stands_in_the_summary(scripts, tmp_path, capsys):
    from gpu_box import CUT_SHORT, Report

    def report(*lines, complete=True):
        made = Report(tmp_path, {"processor": "a processor", "torch": "2", "at": "now"})
        made.begin("races")
        for line in lines:
            made.add("races", line)
        made.end("races", complete=complete)
        return made.status(["races"])

    good = {"what": "a", "held": True, "said": "well"}
    bad = {"what": "b", "held": False, "said": "badly", "problems": ["a chaff passes"]}
    assert report(good) == 0
    assert report(good, {**good, "complete": False}) == CUT_SHORT
    assert report(good, complete=False) == CUT_SHORT
    assert report() == CUT_SHORT
    assert report(good, bad, complete=False) == 1
    summary = (tmp_path / "gpu.txt").read_text(encoding="utf-8")
    assert "races: FAILED, CUT SHORT, 2 lines" in summary
    assert "a chaff passes" in summary


def test_an_attack_held_only_if_its_own_check_ended_as_expected_and_the_others_passed(scripts):
    from gpu_attacks import _told

    assert _told("a", {"one": ("passed", ""), "two": ("failed", "crashed")}, "failed")["held"]
    assert not _told("a", {"one": ("failed", ""), "two": ("failed", "crashed")}, "failed")["held"]
    assert not _told("a", {"one": ("passed", ""), "two": ("passed", "")}, "failed")["held"]


def test_a_process_that_is_left_is_seen(scripts):
    from gpu_attacks import _descendants

    with subprocess.Popen(["sleep", "60"]) as left:
        try:
            assert _descendants(os.getpid())[left.pid] == "sleep"
        finally:
            left.kill()


def test_each_family_has_a_right_answer_until_it_is_on_the_device(scripts):
    from gpu_attacks import attacks

    for device in (torch.device("cpu"), torch.device("cuda")):
        texts = attacks(device)
        assert len(texts) == 5
        for text in texts.values():
            scope = {}
            exec(text, scope)
            scope["attack"] = lambda values, indices: None
            values, indices = torch.randn(3, 4, 2), torch.randint(0, 4, (3, 5))
            expected = torch.stack([v[i] for v, i in zip(values, indices, strict=True)])
            assert torch.equal(scope["batch_gather"](values, indices), expected)


def test_wheels_are_unpacked_with_their_programs_and_come_first(scripts, tmp_path, monkeypatch):
    import gpu_wheels

    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PYTHONPATH", "/before")
    wheels, into = tmp_path / "wheels", tmp_path / "into"
    wheels.mkdir()
    with pytest.raises(SystemExit, match="no wheels in"):
        gpu_wheels.unpack(wheels, into)
    with zipfile.ZipFile(wheels / "made-1-py3-none-any.whl", "w") as archive:
        program = zipfile.ZipInfo("made/bin/program")
        program.external_attr = 0o100755 << 16
        archive.writestr(program, "#!/bin/sh\necho ran\n")
        archive.writestr("made/__init__.py", "")
    gpu_wheels.unpack(wheels, into)
    assert subprocess.run([into / "made/bin/program"], capture_output=True, text=True, check=True).stdout == "ran\n"
    assert sys.path[0] == str(into)
    assert os.environ["PYTHONPATH"] == f"{into}{os.pathsep}/before"


def test_packing_for_no_version_is_one_line(tmp_path):
    done = gpu("--pack", tmp_path, "--for-python", "new")
    assert (done.returncode, done.stderr) == (1, "scripts/gpu: --for-python takes a version such as 3.12, not 'new'\n")
