"""The filter of system calls: what it refuses on each machine, and that nothing an exercise does is among it."""

import errno
import platform
import struct
import time

import pytest
from attacked_course import REPOSITORY

from torchgrade.jail import Bounds, Session, Student, WarmWorker
from torchgrade.jail.inside import system_calls

ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000


def answer(machine, number, first=0, architecture=None):
    """What the filter answers, by a small interpreter of classic BPF."""
    code = list(struct.iter_unpack("=HBBI", system_calls.program(machine)))
    data = {0: number, 4: architecture or system_calls._MACHINES[machine][1], 16: first}
    value, at = 0, 0
    while True:
        operation, if_true, if_false, operand = code[at]
        at += 1
        if operation == 0x20:
            value = data[operand]
        elif operation == 0x06:
            return operand
        else:
            truth = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[operation]
            at += if_true if truth else if_false


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_refuses_what_is_in_its_table_and_nothing_else(machine):
    column = 0 if machine == "x86_64" else 1
    refused = {numbers[column] for numbers in system_calls._REFUSED.values()} - {None}
    special = {numbers[column] for numbers in (system_calls._CLONE3, system_calls._SOCKET)}
    special |= {numbers[column] for numbers in system_calls._ABOUT_A_PROCESS.values()}
    for number in set(range(470)) - special:
        assert answer(machine, number) == (REFUSE | errno.EPERM if number in refused else ALLOW), number
    assert answer(machine, system_calls._CLONE3[column]) == REFUSE | errno.ENOSYS
    assert answer(machine, 0, architecture=0x40000003) == KILL  # 32-bit programs


@pytest.mark.parametrize(("machine", "column"), [("x86_64", 0), ("aarch64", 1)])
def test_the_filter_looks_at_arguments(machine, column):
    socket, clone, limits = (numbers[column] for numbers in (system_calls._SOCKET, system_calls._CLONE, (302, 261)))
    assert answer(machine, socket, first=1) == ALLOW
    for family in (0, 2, 10, 16, 40, 0xFFFF):
        assert answer(machine, socket, first=family) == REFUSE | errno.EAFNOSUPPORT
    assert answer(machine, clone, first=0x3D0F00) == ALLOW  # a thread
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert answer(machine, clone, first=flag | 17) == REFUSE | errno.EPERM
    assert [answer(machine, limits, first=pid) for pid in (0, 1, 2)] == [ALLOW, REFUSE | errno.EPERM, ALLOW]


def test_the_third_set_of_calls_of_x86_64_is_refused():
    assert answer("x86_64", 0x40000000 | 101) == REFUSE | errno.ENOSYS


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads this machine's own table of system calls")
def test_the_numbers_are_the_kernels():
    header = REPOSITORY.__class__("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.exists():
        pytest.skip("the kernel's headers are not installed")
    known = {}
    for line in header.read_text().splitlines():
        if line.startswith("#define __NR_"):
            _, name, number = line.split()
            known[name.removeprefix("__NR_")] = int(number)
    table = system_calls._REFUSED | system_calls._ABOUT_A_PROCESS | {"clone": system_calls._CLONE, "socket": system_calls._SOCKET}
    assert {name: numbers[0] for name, numbers in table.items() if name in known} == {n: known[n] for n in table if n in known}


SOURCE = """
import torch, threading, subprocess, sys, tempfile, multiprocessing
class Numbers(torch.utils.data.Dataset):
    def __len__(self): return 6
    def __getitem__(self, i): return torch.full((3,), float(i))
def load(method, workers):
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=workers, multiprocessing_context=method)
    return sorted(float(batch.sum()) for batch in loader)
def work():
    x = torch.randn(64, 64, requires_grad=True)
    (x @ x).softmax(-1).sum().backward()
    torch.linalg.solve(torch.eye(3) * 2, torch.ones(3))
    threads = [threading.Thread(target=lambda: torch.ones(10).sum()) for _ in range(3)]
    [t.start() for t in threads]; [t.join() for t in threads]
    said = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder, open(folder + "/x", "w") as file: file.write("x")
    with multiprocessing.get_context("fork").Pool(2) as pool: total = sum(pool.map(abs, [-1, -2]))
    open("/dev/null", "w").write("x")
    return said.strip(), total
def filtered():
    return [line.split()[1] for line in open("/proc/self/status") if line.startswith(("Seccomp:", "NoNewPrivs"))]
"""


def test_torch_loaders_threads_and_programs_work_under_the_filter():
    worker = WarmWorker(Bounds(call_seconds=60.0, cells_seconds=30.0))
    try:
        cell = {"number": 1, "grade_id": None, "source": SOURCE, "python": SOURCE}
        with Session(worker, [cell], seconds=120.0) as session:
            student = Student(session.exchange, seed=0)
            assert student.filtered() == ["1", "2"]
            assert student.work() == ("42", 3)
            assert student.load("fork", 2) == [3.0, 15.0, 27.0]
            assert student.load("spawn", 1) == [3.0, 15.0, 27.0]
    finally:
        worker.close()


def test_making_the_filter_takes_no_time_that_anybody_notices():
    started = time.process_time()
    for _ in range(20):
        system_calls.program("x86_64")
    assert (time.process_time() - started) / 20 < 0.005  # a session starts in 9 ms
