"""On which device commands grade, and by how many judges: the same option everywhere. The GPUs are made up."""

import os

import pytest
from click.testing import CliRunner
from made_gpu import make_devices
from small_course import make_course

from torchgrade.cli import main
from torchgrade.cli.shared import workers_for
from torchgrade.jail.resources import gpu
from torchgrade.judge import environment

GRADING = ("grade", "audit", "watch", "release")


@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path / "course")


@pytest.fixture
def four_gpus(tmp_path, monkeypatch):
    devices, driver = make_devices(tmp_path, 0, 1, 2, 3, driver=False)
    monkeypatch.setattr(gpu, "_DEVICES", devices)
    monkeypatch.setattr(gpu, "_DRIVER", driver)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # so that it is put back
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")


@pytest.mark.parametrize("command", GRADING)
def test_cuda_is_refused_where_torch_finds_none(command, monkeypatch, tmp_path):
    monkeypatch.setattr(environment, "has_gpu", lambda: False)
    done = CliRunner().invoke(main, ["--course", str(tmp_path), command, "small", "--device", "cuda"])
    assert done.exit_code == 1
    assert done.output == "Error: --device cuda: torch sees no GPU on this machine; torchgrade doctor says more\n"


@pytest.mark.parametrize("command", GRADING)
def test_cpu_hides_the_gpus_from_this_process_and_all_that_it_starts(command, monkeypatch, tmp_path, four_gpus):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert len(gpu.list_gpus()) == 2
    CliRunner().invoke(main, ["--course", str(tmp_path), command, "small", "--device", "cpu"])
    assert os.environ["CUDA_VISIBLE_DEVICES"] == ""
    assert gpu.list_gpus() == []
    assert not environment.has_gpu()


def test_there_is_a_judge_a_gpu_where_checks_use_one_and_a_core_elsewhere(course, four_gpus, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert workers_for(course, ["small"], None) == 2
    grader = course.graders / "small" / "test_double.py"
    grader.write_text(grader.read_text() + "\n\n@points(1)\ndef test_there(student, device):\n    pass\n")
    assert workers_for(course, ["small"], None) == 4
    assert workers_for(course, ["small"], 7) == 7
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    assert workers_for(course, ["small"], None) == 1
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert workers_for(course, ["small"], None) == 2
