"""What the doctor says about a GPU: one that is made up, in a real jail."""

import pytest
import torch
from made_gpu import make_devices

from torchgrade.jail import NotDefined, Session, Student, choose_wall
from torchgrade.jail.diagnose import doctor
from torchgrade.jail.resources import gpu, gpu_memory


@pytest.fixture
def machine(tmp_path, monkeypatch):
    devices, driver = make_devices(tmp_path, 0)
    for node in devices.glob("nvidia*"):  # bwrap binds them: they must be devices
        node.unlink()
        node.symlink_to("/dev/null")
    (driver / "version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  560.35.03  Fri Aug 16 2024\n")
    monkeypatch.setattr(gpu, "_DEVICES", devices)
    monkeypatch.setattr(gpu, "_DRIVER", driver)
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):  # set first, so that they are put back
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Made Up 9000")
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    return lambda usable: monkeypatch.setattr(torch.cuda, "is_available", lambda: usable)


def lines():
    return [(finding.good, finding.found, finding.remedy) for finding in doctor._gpu(choose_wall(), jailed=True)]


def test_one_that_does_not_start_in_the_jail_is_bad_news_and_says_why(machine):
    machine(usable=True)
    (name, jail) = lines()
    assert name == (True, "Made Up 9000, 1 in all, driver 560.35.03, CUDA 13.0", "")
    assert jail[:2] == (False, "does not work")
    assert "Torch not compiled with CUDA enabled" in jail[2]


def answer_once(session):
    """What setting up CUDA does besides: the check's process is known from then on."""
    with pytest.raises(NotDefined):
        Student(session.exchange, seed=1).nothing()


TELLS_OF_ALL = "#!/bin/sh\ncd /proc\nfor number in [0-9]*; do echo $number, 5; done\n"


@pytest.mark.parametrize(
    ("driver", "seen", "good"),
    [(TELLS_OF_ALL, True, True), (TELLS_OF_ALL, False, None), ("#!/bin/sh\necho 1, [N/A]\n", True, None)],
    ids=["told", "numbers of its own", "not told"],
)
def test_one_that_works_there_is_limited_from_outside_if_the_driver_tells_of_it(
    machine, monkeypatch, tmp_path, driver, seen, good
):
    machine(usable=True)
    (tmp_path / "nvidia-smi").write_text(driver)
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(gpu_memory, "_numbers_are_the_machines", lambda: seen)
    monkeypatch.setattr(Session, "set_up_gpu", answer_once)
    assert lines()[1][0] is good
    assert "works; its memory is limited" in lines()[1][1]


def test_one_that_torch_cannot_use_and_none_are_worth_knowing(machine, monkeypatch):
    machine(usable=False)
    [(good, found, _)] = lines()
    assert good is None
    assert f"torch {torch.__version__} cannot use it, with driver 560.35.03" in found
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert [(good, found[:4]) for good, found, _ in lines()] == [(None, "none")]
