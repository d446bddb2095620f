"""A jail that has a GPU, made up: what of the machine is in it, what CUDA's start costs, and what errors on the device do."""

import contextlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from made_gpu import MADE_UP, NODES, SEEMS_TO_WORK
from small_jail import BOUNDS, cells

from torchgrade.jail import BadAnswer, Died, Raised, SandboxError, Session, Student, TimedOut, View, WarmWorker, choose_wall
from torchgrade.jail.check_process import CheckProcess
from torchgrade.jail.resources.cuda import pin_numerics

CUDA = torch.device("cuda")
LOOK = """
import os, resource, torch
def nodes(): return sorted(name for name in os.listdir("/dev") if "nvidia" in name or name == "dxg")
def writes(name, mode=os.O_RDWR):
    with open(os.open(f"/dev/{name}", mode), "wb") as node: return node.write(b"x" * 10)
def controls(name):
    import fcntl
    with open(f"/dev/{name}", "rb") as node: return fcntl.ioctl(node, 0x4600, bytes(8)).hex()
def changes(name): os.chmod(f"/dev/{name}", 0o600)
def variable(name): return os.environ.get(name)
def addresses(): return list(resource.getrlimit(resource.RLIMIT_AS))
def places(): return os.path.isdir("/sys/devices/system/node"), sorted(os.listdir("/sys"))
def is_read_only(path): return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
def names_thread():
    with open(f"/proc/self/task/{os.getpid()}/comm", "w") as file: file.write("cuda00001")
    return open("/proc/self/comm").read().strip()
def memory_file(): os.close(os.memfd_create("cuda")); return True
"""


@pytest.fixture(scope="module")
def gpu_worker():
    worker = WarmWorker(BOUNDS, view=View(gpu=MADE_UP))
    yield worker
    worker.close()


@pytest.fixture
def submitted(gpu_worker):
    with contextlib.ExitStack() as stack:

        def load(*sources, seconds=60.0):
            session = stack.enter_context(Session(gpu_worker, cells(*sources), seconds=seconds))
            session.load()
            return session, Student(session.exchange, seed=1)

        yield load


@pytest.fixture
def student(submitted):
    return submitted(LOOK)[1]


# ---- what is in the jail


def test_its_device_nodes_are_there_and_no_others(student):
    assert student.nodes() == sorted(NODES)


def test_without_a_gpu_there_are_none_and_addresses_are_limited(submission):
    student = submission(LOOK)[1]
    assert student.nodes() == []
    assert student.variable("CUDA_VISIBLE_DEVICES") is None
    assert student.addresses()[0] > 0


@pytest.mark.parametrize("name", sorted(NODES))
def test_a_node_can_be_opened_written_to_and_reaches_the_driver_and_cannot_be_changed(student, name):
    assert student.writes(name) == 10
    with pytest.raises(Raised, match=r"Inappropriate ioctl for device"):  # the driver's own answer: neither EPERM nor EROFS
        student.controls(name)
    with pytest.raises(Raised, match="Read-only file system"):
        student.changes(name)


def test_cuda_may_reserve_addresses_name_its_threads_make_files_in_memory_and_read_where_memory_is(student):
    assert student.addresses() == [-1, -1]
    assert student.names_thread() == "cuda00001"
    assert student.memory_file()
    assert student.places() == (Path("/sys/devices/system/node").is_dir(), ["devices"])


def test_the_drivers_switches_cannot_be_touched(student):
    # Where the judge is root so is, for files, the submission: only the mount keeps it from /proc/driver/nvidia/suspend.
    assert student.is_read_only("/proc/driver")
    assert not student.is_read_only("/proc")


def test_the_environment_names_the_gpu_and_asks_torch_not_to_set_up_cuda_for_a_question(student):
    for name, value in MADE_UP.environment.items():
        assert student.variable(name) == value


def test_folders_of_the_driver_are_in_the_jail_links_included(tmp_path):
    import dataclasses

    real, linked = tmp_path / "driver", tmp_path / "lib64"
    real.mkdir()
    linked.mkdir()
    (real / "libcuda.so.560").write_text("the driver")
    (linked / "libcuda.so.1").symlink_to(real / "libcuda.so.560")
    look = f"def read(): import os; return os.environ['LD_LIBRARY_PATH'], open({str(linked / 'libcuda.so.1')!r}).read()"
    worker = WarmWorker(BOUNDS, view=View(gpu=dataclasses.replace(MADE_UP, libraries=(linked,))))
    try:
        with Session(worker, cells(look)) as session:
            assert Student(session.exchange, seed=1).read() == (str(linked), "the driver")
    finally:
        worker.close()


def test_unjailed_it_is_the_only_one_too():
    worker = WarmWorker(BOUNDS, wall=choose_wall(jail=False), view=View(gpu=MADE_UP))
    try:
        with Session(worker, cells(LOOK)) as session:
            assert Student(session.exchange, seed=1).variable("CUDA_VISIBLE_DEVICES") == "0"
    finally:
        worker.close()


# ---- forks


def test_a_notebook_that_has_the_driver_open_is_not_forked_but_loaded_afresh(submitted):
    source = "import os\n{}\nme = os.getpid()\ndef loaded_here(): return os.getpid() == me"
    assert submitted(source.format("node = None"))[1].loaded_here() is False
    session, student = submitted(source.format("node = open('/dev/nvidiactl')"))
    assert student.loaded_here() is True
    session.end_check()
    assert student.loaded_here() is True


# ---- starting CUDA


NOT_TOUCHED = """
import torch, torch.utils.data
def touched(*_, **__): raise AssertionError("CUDA was touched before a fork")
for name in ("init", "_lazy_init", "is_available", "device_count", "current_device", "get_device_properties", "synchronize"):
    assert hasattr(torch.cuda, name)
    setattr(torch.cuda, name, touched)
torch.autograd._engine_run_backward = touched  # the engine sets up CUDA for the first backward pass, where there is a GPU
"""


@pytest.mark.parametrize(
    "forks",
    ["from torchgrade.jail.inside import warm; warm.warm_up(); import torch._dynamo", "import torchgrade.runs.server"],
    ids=["warm", "pool"],
)
def test_what_is_forked_asks_nothing_of_cuda_before(forks):
    there_is_one = {**os.environ, "CUDA_VISIBLE_DEVICES": "0"}
    subprocess.run([sys.executable, "-c", NOT_TOUCHED + forks], check=True, timeout=120, env=there_is_one)


WORKS = SEEMS_TO_WORK + "\ndef seen(*_): return log\ndef slow(*_): time.sleep(1)"


@pytest.mark.timed
def test_cuda_is_set_up_before_the_first_call_that_needs_it_and_not_on_the_submissions_time(submitted):
    session, student = submitted(WORKS, seconds=4.0)
    assert student.seen() == []
    started = time.monotonic()
    student.slow(CUDA)  # a call may take 2 s, all of them 4; setting up takes 3
    assert time.monotonic() - started > 4
    assert session._budget.left > 2
    assert student.seen(CUDA) == ["init", 0.05, "synchronize"]


def test_each_new_process_sets_it_up_again(submitted):
    session, student = submitted(WORKS.replace("sleep(3)", "sleep(0)"))
    assert student.seen("cuda:0")[0] == "init"
    session.end_check()
    assert student.seen() == []
    torch.set_autocast_enabled("cuda", True)  # noqa: FBT003 - torch.autocast does it where there is a GPU
    try:
        assert student.seen() == ["init", 0.05, "synchronize"]
    finally:
        torch.set_autocast_enabled("cuda", False)  # noqa: FBT003


def test_a_gpu_that_works_for_nobody_is_not_the_submissions_fault(submitted):
    student = submitted("def f(device): return 1")[1]
    with pytest.raises(SandboxError, match=r"cannot be used in the jail: Torch not compiled with CUDA enabled; docs/gpu.md"):
        student.f(CUDA)


def test_one_that_works_without_the_submission_is(submitted, monkeypatch):
    session, student = submitted(WORKS + "\ndef init(): raise RuntimeError('mine')\ntorch.cuda.init = init")
    monkeypatch.setattr(session, "_require_gpu", lambda: None)
    with pytest.raises(Died, match=r"could not be used in your notebook's process: mine"):
        student.seen(CUDA)


@pytest.mark.timed
def test_a_notebook_that_never_gets_it_done_is_ended_and_that_counts(submitted, monkeypatch):
    monkeypatch.setattr("torchgrade.jail.gpu_setup.CONTEXT_SECONDS", 1.0)
    session, student = submitted(WORKS)
    monkeypatch.setattr(session, "_require_gpu", lambda: None)
    with pytest.raises(Died, match="no answer came"):
        student.seen(CUDA)
    assert session._budget.left < 59.1


@pytest.mark.timed
def test_our_time_for_it_is_bounded_for_a_session_too(gpu_worker, monkeypatch):
    monkeypatch.setattr("torchgrade.jail.gpu_setup.CONTEXT_SECONDS", 4.0)
    with Session(gpu_worker, cells(WORKS), seconds=60.0) as session:
        student = Student(session.exchange, seed=1)
        student.seen(CUDA)
        assert 59 < session._budget.left < 60
        session.end_check()
        student.seen(CUDA)
        assert 57 < session._budget.left < 58.5  # 4 of 6 s were ours


def test_a_gpu_that_hangs_is_waited_for_once_a_worker(gpu_worker, monkeypatch):
    waits = []

    def hangs(*_):
        waits.append(1)
        raise TimedOut

    monkeypatch.setattr(gpu_worker, "gpu_hung_at", float("-inf"))  # put back afterwards
    monkeypatch.setattr(CheckProcess, "transfer", hangs)
    for program, waited in ((WORKS, 2), (WORKS, 2), ("", 2)):  # the submission's own, and the empty one's
        with Session(gpu_worker, cells(program)) as session, pytest.raises(SandboxError, match="cannot be used in the jail"):
            session.set_up_gpu()
        assert len(waits) == waited


# ---- arithmetic


SETTINGS = """
import torch
matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
def change(*_):
    matmul.allow_tf32 = cudnn.allow_tf32 = cudnn.benchmark = True
    matmul.allow_fp16_reduced_precision_reduction = matmul.allow_bf16_reduced_precision_reduction = True
    matmul.allow_fp16_accumulation = True
    cudnn.deterministic = False
    torch.backends.fp32_precision = "tf32"
    cudnn.conv.fp32_precision = "tf32"
change()
def is_changed(): return matmul.allow_tf32 and cudnn.conv.fp32_precision == "tf32"
def settings(*_):
    return [matmul.allow_tf32, cudnn.allow_tf32, cudnn.benchmark, matmul.allow_fp16_reduced_precision_reduction,
            matmul.allow_bf16_reduced_precision_reduction, matmul.allow_fp16_accumulation, cudnn.deterministic,
            torch.get_float32_matmul_precision(), cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision]
"""


def test_whatever_a_notebook_sets_each_call_on_the_gpu_has_the_judges_arithmetic(submitted):
    student = submitted(SEEMS_TO_WORK.replace("sleep(3)", "sleep(0)") + SETTINGS)[1]
    assert student.is_changed()
    pin_numerics()
    here: dict[str, object] = {}
    exec(SETTINGS.replace("\nchange()", ""), here)
    for _ in range(2):
        assert student.settings(CUDA) == here["settings"]() == [False] * 6 + [True, "highest", "ieee", "ieee"]
        student.change()


# ---- errors on the device


ASSERT = """CUDA error: device-side assert triggered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
"""
FAILS = """
import os, time
calls = 0
def fails(text):
    global calls
    calls += 1
    raise RuntimeError(text)
def count(): return calls
def hangs(): time.sleep(1000)
"""


def test_a_device_side_assert_is_explained_and_its_process_is_not_used_again(submitted):
    student = submitted(FAILS)[1]
    with pytest.raises(Raised) as caught:
        student.fails("an ordinary one")
    assert student.count() == 1
    with pytest.raises(Raised) as caught:
        student.fails(ASSERT)
    said = str(caught.value)
    assert said.startswith(
        "Your code raised RuntimeError: CUDA error: device-side assert triggered. A kernel found an impossible value"
    )
    assert "index out of range" in said
    assert "DSA" not in said
    assert said.endswith("(cell 1, line 7: raise RuntimeError(text))")
    assert student.count() == 0


def test_an_error_that_no_code_of_a_notebook_makes_is_the_gpus_if_that_does_not_work(submitted, monkeypatch):
    session, student = submitted(FAILS)
    with pytest.raises(SandboxError, match="the GPU cannot be used"):
        student.fails("CUDA error: uncorrectable ECC error encountered\nand more")
    monkeypatch.setattr(session, "_require_gpu", lambda: None)
    with pytest.raises(Raised, match=r"RuntimeError: CUDA error: uncorrectable ECC error encountered \(cell 1"):
        student.fails("CUDA error: uncorrectable ECC error encountered\nand more")


def test_out_of_memory_keeps_the_numbers_and_drops_the_advice(submitted):
    student = submitted(FAILS)[1]
    text = (
        "CUDA out of memory. Tried to allocate 20 GiB. 4.00 GiB allowed. If reserved but unallocated memory is large try setting"
    )
    with pytest.raises(Raised, match=re.escape("20 GiB. 4.00 GiB allowed. (cell 1")):
        student.fails(text)


def test_a_hang_costs_its_own_call(submitted):
    student = submitted(FAILS)[1]
    with pytest.raises(TimedOut, match="within 2 s"):
        student.hangs()
    assert student.count() == 0


@pytest.mark.parametrize(("lost", "blamed"), [(False, BadAnswer), (True, SandboxError)])
def test_an_answer_that_the_judge_cannot_put_on_its_own_gpu_is_not_held_against_anybody(monkeypatch, lost, blamed):
    from torchgrade.jail import FakeWorker
    from torchgrade.jail.protocol import remote_student as proxy

    def fails(*_):
        raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(proxy, "decode", fails)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "manual_seed_all", lambda seed: None)
    monkeypatch.setattr(torch.cuda, "synchronize", fails if lost else lambda *_: None)
    student = FakeWorker("def f(): return 1").student()
    with pytest.raises(blamed):
        student.f()
