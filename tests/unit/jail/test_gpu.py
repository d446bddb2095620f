"""Which GPU a process and its jail use: read from files that are made up."""

import os

import pytest
from made_gpu import UUIDS, make_devices

from torchgrade.jail.resources import gpu
from torchgrade.jail.resources.gpu import choose_gpu, driver_version, list_gpus


@pytest.fixture
def machine(tmp_path, monkeypatch):
    def make(*minors, **options):
        devices, driver = make_devices(tmp_path, *minors, **options)
        monkeypatch.setattr(gpu, "_DEVICES", devices)
        monkeypatch.setattr(gpu, "_DRIVER", driver)
        return devices

    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):  # set first, so that they are put back
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    monkeypatch.setattr(gpu, "_LIBRARIES", ())
    monkeypatch.setattr(gpu, "_claims", [])
    yield make
    for claim in gpu._claims:
        claim.close()


def test_without_the_drivers_node_there_is_none(machine, tmp_path):
    devices = machine(0)
    (devices / "nvidiactl").unlink()
    assert list_gpus() == []
    assert choose_gpu() is None
    assert "CUDA_VISIBLE_DEVICES" not in os.environ


def test_a_gpu_is_its_node_and_the_common_ones_and_nothing_else(machine):
    devices = machine(1, 0)
    first, second = list_gpus()
    common = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
    assert first.nodes == {name: devices / name for name in (*common, "nvidia1")}
    assert second.nodes == {name: devices / name for name in (*common, "nvidia0")}
    assert [each.name for each in (first, second)] == [each.inside for each in (first, second)] == list(UUIDS)


def test_without_the_drivers_files_the_nodes_count_and_alone_in_a_jail_each_is_the_first(machine):
    machine(2, 5, driver=False)
    assert [(each.name, each.inside, min(each.nodes)) for each in list_gpus()] == [
        ("0", "0", "nvidia-uvm"),
        ("1", "0", "nvidia-uvm"),
    ]
    assert [("nvidia2" in each.nodes, "nvidia5" in each.nodes) for each in list_gpus()] == [(True, False), (False, True)]


def test_one_that_a_container_does_not_have_is_left_out(machine):
    devices = machine(0, 1)
    (devices / "nvidia0").unlink()
    assert [each.name for each in list_gpus()] == [UUIDS[1]]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", []),
        ("-1", []),
        ("1", [1]),
        ("1,0", [1, 0]),
        ("0,7,1", [0]),
        ("GPU-1bbb", [1]),
        ("GPU-ffff", []),
        ("MIG-0aaa1111", []),
        ("NoDevFiles", []),
    ],
)
def test_what_cuda_visible_devices_names_is_there_and_no_other(machine, monkeypatch, asked, found):
    machine(0, 1)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", asked)
    assert [each.name for each in list_gpus()] == [UUIDS[index] for index in found]


def test_judges_share_out_the_gpus_and_each_sees_its_own_alone(machine, monkeypatch):
    machine(0, 1)
    chosen = []
    for _ in range(3):
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        chosen.append(choose_gpu().name)
        assert os.environ["CUDA_VISIBLE_DEVICES"] == chosen[-1]
        assert os.environ["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
        assert [each.name for each in list_gpus()] == [chosen[-1]]
    assert chosen == [UUIDS[0], UUIDS[1], UUIDS[0]]


def test_a_judge_that_ended_leaves_its_gpu_to_the_next(machine, monkeypatch):
    machine(0, 1)
    assert choose_gpu().name == UUIDS[0]
    gpu._claims.pop().close()
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    assert choose_gpu().name == UUIDS[0]


def test_the_drivers_library_is_found_where_the_loader_does_not_look(machine, monkeypatch, tmp_path):
    machine(0)
    assert "LD_LIBRARY_PATH" not in list_gpus()[0].environment
    folder = tmp_path / "lib64"
    folder.mkdir()
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nowhere:{folder}")
    assert list_gpus()[0].libraries == ()
    (folder / "libcuda.so.1").touch()
    assert list_gpus()[0].environment["LD_LIBRARY_PATH"] == str(folder)


def test_in_wsl_one_node_stands_for_all(machine, tmp_path):
    devices = machine()
    (devices / "nvidiactl").unlink()
    (devices / "dxg").touch()
    assert [each.nodes for each in list_gpus()] == [{"dxg": devices / "dxg"}]


@pytest.mark.parametrize(
    "text",
    [
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  560.35.03  Fri Aug 16 21:39:15 UTC 2024\nGCC version:  gcc 13\n",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build\nGCC version:  gcc 13\n",
    ],
)
def test_the_drivers_version_is_the_kernel_modules(machine, text):
    machine(0)
    (gpu._DRIVER / "version").write_text(text)
    assert driver_version() == "560.35.03"


def test_without_that_file_nvidia_smi_is_asked_and_without_both_nobody_knows(machine, monkeypatch, tmp_path):
    machine(0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert driver_version() == ""
    program = tmp_path / "nvidia-smi"
    program.write_text('#!/bin/sh\n[ "$1 $2" = "--query-gpu=driver_version --format=csv,noheader" ] && echo 550.54.15\n')
    program.chmod(0o755)
    assert driver_version() == "550.54.15"
    program.write_text("#!/bin/sh\necho NVIDIA-SMI has failed; exit 9\n")
    assert driver_version() == ""
