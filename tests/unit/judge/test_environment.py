"""What a record says about the machine, and the GPU of a judge: made of files and a torch.cuda that are made up."""

import subprocess
import sys

import pytest
import torch
from made_gpu import UUIDS, make_devices
from small_course import make_course

from torchgrade.jail import SandboxError
from torchgrade.jail.resources import gpu
from torchgrade.judge import environment, judge
from torchgrade.judge.judge import start_worker


@pytest.fixture
def two_gpus(tmp_path, monkeypatch):
    devices, driver = make_devices(tmp_path, 0, 1)
    (driver / "version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  560.35.03  Fri Aug 16 21:39:15 UTC 2024\n")
    monkeypatch.setattr(gpu, "_DEVICES", devices)
    monkeypatch.setattr(gpu, "_DRIVER", driver)
    monkeypatch.setattr(gpu, "_claims", claims := [])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # so that it is put back
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Made Up 9000")
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    environment._driver.cache_clear()
    yield devices
    environment._driver.cache_clear()
    for claim in claims:
        claim.close()


def test_a_record_names_the_gpu_its_driver_cuda_and_torch(two_gpus):
    told = environment.describe_environment(jail=True, group=True)
    assert {key: told[key] for key in ("device", "gpu", "driver", "cuda", "torch")} == {
        "device": "cuda",
        "gpu": "Made Up 9000",
        "driver": "560.35.03",
        "cuda": "13.0",
        "torch": torch.__version__,
    }


def test_a_driver_that_says_no_version_is_unknown(two_gpus, monkeypatch):
    (gpu._DRIVER / "version").unlink()
    monkeypatch.setenv("PATH", "/nowhere")
    assert environment.describe_environment(jail=True, group=True)["driver"] == "unknown"


def test_without_a_gpu_a_record_says_so_and_names_no_driver(monkeypatch):
    monkeypatch.setattr(environment, "has_gpu", lambda: False)
    told = environment.describe_environment(jail=True, group=True)
    assert told["device"] == "cpu"
    assert not {"gpu", "driver", "cuda"} & set(told)


def test_a_gpu_that_torch_cannot_use_is_none(two_gpus, monkeypatch):
    assert environment.has_gpu()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert not environment.has_gpu()


def test_whether_there_is_one_is_known_without_importing_torch():
    program = "import sys; from torchgrade.judge import environment; print(environment.has_gpu(), 'torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"CUDA_VISIBLE_DEVICES": ""}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]


def test_each_judges_jail_gets_a_gpu_of_its_own(two_gpus, monkeypatch, tmp_path):
    made = []
    monkeypatch.setattr(judge, "WarmWorker", lambda *_, view, **__: made.append(view.gpu))
    course = make_course(tmp_path / "course")
    for _ in UUIDS:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        start_worker(course)
    assert [each.name for each in made] == list(UUIDS)


def test_a_jail_gets_none_that_torch_cannot_use(two_gpus, monkeypatch, tmp_path):
    made = []
    monkeypatch.setattr(judge, "WarmWorker", lambda *_, view, **__: made.append(view.gpu))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    start_worker(make_course(tmp_path / "course"))
    assert made == [None]


def test_cuda_can_be_asked_for_where_there_is_one_alone(two_gpus, monkeypatch):
    environment.use_device("cuda")
    environment.use_device("auto")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SandboxError, match="torch sees no GPU"):
        environment.use_device("cuda")
