"""Peak memory of a call, in a real jail, by each way that a machine may allow."""

import pytest
import torch

from torchgrade.checks.declared import GraderError
from torchgrade.judge.race import assert_memory
from torchgrade.judge.race import memory as module

MEGABYTE = 1 << 20
X = 256 * 1024  # numbers: a megabyte
LEAN = "def double(x):\n    return 2 * x\n"
WASTEFUL = "import torch\ndef double(x):\n    held = torch.ones(12, 1024, 1024)\n    return 2 * x + 0 * held.sum()\n"
TREE = (
    "import os, torch\ndef double(x):\n    pid = os.fork()\n"
    "    if pid == 0:\n        torch.ones(12, 1024, 1024)\n        os._exit(0)\n"
    "    os.waitpid(pid, 0)\n    return 2 * x\n"
)
KEPT_BEFORE = "import torch\nheld = [torch.ones(1024, 1024) for _ in range(12)]\ndel held\n" + WASTEFUL


@pytest.fixture(params=["as this machine allows", "VmHWM"])
def way(request, monkeypatch):
    if request.param == "VmHWM":
        monkeypatch.setattr(module, "memory_account", lambda _: None)
    return request.param


def measure(track, text, **options):
    return track.check(text, lambda student: assert_memory(student.double, torch.randn(X), **options))


def test_a_lean_call_is_within(track, way):
    said = measure(track, LEAN, at_most=24 * MEGABYTE)
    assert said.outcome == "passed", said.message
    assert 0 < said.measurements["memory"]["bytes"] < 24 * MEGABYTE
    assert said.measurements["memory"]["measured by"] in ("control group", "VmHWM")
    assert way != "VmHWM" or said.measurements["memory"]["measured by"] == "VmHWM"


def test_a_wasteful_call_is_over_and_is_told_by_how_much(track, way):
    said = measure(track, WASTEFUL, at_most=24 * MEGABYTE)
    assert said.outcome == "failed"
    assert "MB at its peak; at most 24 MB allowed" in said.message
    assert said.measurements["memory"]["bytes"] > 48 * MEGABYTE


def test_the_reference_may_be_the_measure(track, way):
    assert measure(track, LEAN, at_most_times=2.0).outcome == "passed"
    said = measure(track, WASTEFUL, at_most_times=3.0)
    assert said.outcome == "failed"
    assert "times the reference" in said.message


def test_a_small_call_before_pays_for_what_is_set_up_once(track, way):
    said = measure(track, LEAN, at_most=24 * MEGABYTE, warm_up=(torch.randn(2),))
    assert said.outcome == "passed"


def test_memory_of_a_process_that_the_call_starts_counts_where_the_kernel_counts_the_tree(track):
    said = measure(track, TREE, at_most=24 * MEGABYTE)
    assert said.outcome == ("failed" if said.measurements["memory"]["measured by"] == "control group" else "passed")


def test_memory_that_was_freed_before_does_not_hide_a_peak_from_the_kernel(track):
    said = measure(track, KEPT_BEFORE, at_most=24 * MEGABYTE)
    assert said.outcome == "failed" or said.measurements["memory"]["measured by"] == "VmHWM"


def test_the_result_comes_back_to_be_checked(track):
    def check(student):
        x = torch.randn(3)
        assert torch.equal(assert_memory(student.double, x, at_most=50 * MEGABYTE), 2 * x)

    assert track.check(LEAN, check).outcome == "passed"


def test_one_limit_is_needed(track):
    with pytest.raises(GraderError, match="either at_most"):
        measure(track, LEAN)
