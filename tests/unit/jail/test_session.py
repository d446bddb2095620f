"""A real jail: what a check's process does costs that check alone, and loading survives every kind of cell."""

import codecs
import dataclasses
import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
import torch
from small_jail import BOUNDS, cells

from torchgrade.jail import BadAnswer, Died, Raised, SandboxError, Session, TimedOut, WarmWorker
from torchgrade.jail.inside import isolation, notebook_process

SOURCE = """
import os, sys, time, threading, torch
def good(x): return x + 1
def raises(x): return 1 / 0
def exits(x): os._exit(0)
def loops(x):
    while True: pass
def stubborn(x):
    import signal
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True:
        try:
            while True: pass
        except BaseException: pass
def crashes(x):
    import ctypes
    ctypes.string_at(0)
def allocates(x): return torch.ones(10**9)
def eats(x):
    held = []
    while True: held.append(bytearray(10**7))
def floods(x):
    while True: print("x" * 1000)
def prints(x): print("hello"); return x
def writes(x):
    open("/tmp/left", "w").write("a")
    return x
def finds(x): return os.path.exists("/tmp/left")
def leaves_process(x):
    if os.fork() == 0:
        time.sleep(1000)
    return x
def forks_twice(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    os.wait()
    return x
def processes(x): return len([n for n in os.listdir("/proc") if n.isdigit()])
def bomb(x):
    count = 0
    try:
        while count < 500:
            if os.fork() == 0: time.sleep(1000)
            count += 1
    except OSError: pass
    return count
counter = 0
def counts(x):
    global counter
    counter += 1
    return counter
def set_dtype(x): torch.set_default_dtype(torch.float64); return x
def dtype(x): return str(torch.get_default_dtype())
def environment(): return dict(os.environ)
def listing(path): return sorted(os.listdir(path)) if os.path.isdir(path) else None
def fills(x):
    with open("/tmp/big", "wb") as file:
        for _ in range(100): file.write(b"0" * 10**6)
    return x
def status(): return open("/proc/self/status").read()
def can_write(path):
    try: open(path, "w").close()
    except OSError as error: return type(error).__name__
    return "yes"
def start_thread(x):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return x
def two_threads(x):
    torch.set_num_threads(2)
    a = torch.randn(300, 300)
    return float((a @ a).sum() * 0)
def interfaces():
    return [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
def user_namespace():
    import ctypes
    return ctypes.CDLL(None).unshare(0x10000000)
"""


@pytest.fixture
def student(submission):
    return submission(SOURCE)[1]


@pytest.fixture
def both(submission):
    return submission(SOURCE)


def test_a_call_crosses_the_wall(student):
    assert student.good(torch.ones(2)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("name", "fault", "said"),
    [
        ("raises", Raised, "ZeroDivisionError: division by zero"),
        ("exits", Died, "exit status 0"),
        ("loops", TimedOut, "within 2 s"),
        ("stubborn", TimedOut, "within 2 s"),
        ("crashes", Died, "SIGSEGV"),
        ("allocates", Raised, "allocate memory"),
        ("eats", Raised, "MemoryError"),
        ("floods", Died, "printed more than 64 KB"),
        ("fills", Raised, "No space left|File too large"),
    ],
)
def test_a_check_that_goes_wrong_costs_itself_alone(both, name, fault, said):
    session, student = both
    with pytest.raises(fault, match=said):
        getattr(student, name)(1)
    session.end_check()
    assert student.good(torch.ones(1)).tolist() == [2.0]


def test_state_that_a_check_changes_is_not_there_for_the_next(both):
    session, student = both
    assert [student.counts(1), student.counts(1)] == [1, 2]
    student.set_dtype(1)
    session.end_check()
    assert student.counts(1) == 1
    assert student.dtype(1) == "torch.float32"


@pytest.mark.parametrize("leaver", ["leaves_process", "forks_twice"])
def test_a_process_that_a_check_leaves_is_gone_before_the_next(both, leaver):
    session, student = both
    usual = student.processes(1)
    session.end_check()
    getattr(student, leaver)(1)
    assert student.processes(1) > usual
    session.end_check()
    assert student.processes(1) == usual


def test_a_file_that_a_check_leaves_is_gone_before_the_next(both):
    session, student = both
    student.writes(1)
    assert student.finds(1) is True
    session.end_check()
    assert student.finds(1) is False


def test_processes_are_limited_for_the_whole_tree(both, worker):
    if worker.group is None:
        pytest.fail("this machine gives no control group; the limit of the tree cannot be tried")
    _, student = both
    assert student.bomb(1) < BOUNDS.processes + 8


def test_a_notebook_with_threads_is_loaded_afresh_for_each_check(submission):
    session, student = submission(SOURCE, "start_thread(1)\ncounter = 10")
    assert not session._processes.forkable
    assert student.counts(1) == 11
    session.end_check()
    assert student.counts(1) == 11


def test_parallel_regions_work_in_a_check(both):
    session, student = both
    assert student.two_threads(1) == 0
    session.end_check()
    assert student.two_threads(1) == 0


def test_the_jail_shows_nothing_of_this_machine(student):
    assert student.interfaces() == ["lo"] or student.interfaces() == []
    assert student.processes(1) <= 4
    assert student.listing("/home") in ([], None)
    project = Path(__file__).parents[3]
    assert not {"graders", "solutions", "tests", "README.md"} & set(student.listing(str(project)) or [])
    assert student.listing("/engine/torchgrade")
    names = set(student.environment())
    assert not {name for name in names if "KEY" in name or "TOKEN" in name or "USER" in name}


def test_the_jail_can_be_written_to_in_its_scratch_folders_alone(student):
    assert student.can_write("/tmp/x") == "yes"
    assert student.can_write("/dev/shm/x") == "yes"
    for path in (
        "/x",
        "/usr/x",
        "/engine/torchgrade/x",
        "/proc/sys/kernel/core_pattern",
        "/proc/sysrq-trigger",
        "/etc/x",
    ):
        assert student.can_write(path) != "yes", path


def test_the_students_process_has_no_capability_and_cannot_get_one(student):
    status = dict(line.split(":\t", 1) for line in student.status().splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0, name
    assert status["NoNewPrivs"] == "1"
    assert student.user_namespace() == -1


def test_processor_time_is_read_from_outside(both):
    session, student = both
    student.good(1)
    with session.process_tree() as processes:
        before = processes.processor_seconds()
        student.two_threads(1)
        assert processes.processor_seconds() > before


def test_what_is_printed_is_kept_and_is_not_on_the_wire(both):
    session, student = both
    student.prints(1)
    session.end()
    assert "hello" in session.printed


def test_a_session_that_ended_holds_nothing_open_however_large_its_program_was(worker):
    before = len(list(Path("/proc/self/fd").iterdir()))
    with Session(worker, cells(f"text = '{'x' * 200_000}'")) as session:
        session.begin_check()
        session.end_check()
        assert len(list(Path("/proc/self/fd").iterdir())) > before
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# ---- loading


def test_cells_run_in_order_and_one_that_raises_does_not_stop_the_next(submission):
    session, student = submission("a = 1", "a += 1\n1 / 0\na = 100", "def f(): return a", "def g(:")
    assert student.f() == 2
    assert [error.index for error in session.cell_errors] == [1, 3]
    assert "ZeroDivisionError" in session.cell_errors[0].message
    assert "cell 2, line 2: 1 / 0" in session.cell_errors[0].message
    assert "SyntaxError" in session.cell_errors[1].message


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("while True: pass", "did not end within 3 s"),
        ("import os; os._exit(0)", "exit status 0"),
        ("import sys; sys.exit(1)", "SystemExit"),
        ("while True: print('x' * 1000)", "printed more than 64 KB"),
        ("x = []\nwhile True: x.append(bytearray(10**7))", "MemoryError"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(BaseException):\n    def __str__(self): raise E\nraise E", "its text raised E"),
    ],
)
def test_a_cell_that_never_gets_through_is_left_out_and_the_others_run(submission, cell, said):
    session, student = submission("def f(): return 1", cell, "def g(): return 2")
    assert [student.f(), student.g()] == [1, 2]
    (error,) = session.cell_errors
    assert error.index == 1
    assert said in error.message


def test_a_submission_has_a_limit_in_all(worker):
    with Session(worker, cells(SOURCE), seconds=1.0) as session:
        request = {"do": "call", "name": {"$": "name", "v": "loops"}, "args": [1], "kwargs": {}, "how": "plain"}
        context = {"seed": 1, "grad": True, "threads": 1}
        started = time.monotonic()
        for number in (1, 2):
            with pytest.raises(TimedOut):
                session.exchange({**request, "n": number, "context": context, "free": []}, [])
            session.end_check()
        assert time.monotonic() - started < 5


def test_a_cell_that_takes_long_is_run_once_and_not_for_every_check(submission):
    started = time.monotonic()
    session, student = submission("import time; time.sleep(1); a = 1\ndef f(): return a")
    for _ in range(4):
        assert student.f() == 1
        session.end_check()
    assert time.monotonic() - started < 3


def test_a_spawned_process_can_import_the_notebooks_classes(submission):
    _, student = submission(
        "import torch\nclass Numbers(torch.utils.data.IterableDataset):\n    def __iter__(self): yield from range(3)",
        probes={
            "probes": "import torch\ndef read(student, method):\n"
            "    loader = torch.utils.data.DataLoader(student.Numbers(), batch_size=None, num_workers=1,"
            " multiprocessing_context=method)\n"
            "    return [int(n) for n in loader]\n"
        },
    )

    def read(student, method):
        raise AssertionError

    read.__module__, read.__qualname__ = "graders.x.probes", "read"
    with student.limit(seconds=30):
        assert student.run(read, "fork") == [0, 1, 2]
        assert student.run(read, "spawn") == [0, 1, 2]


# ---- a process that speaks out of turn

FORGER = """
import gc, socket, struct
from torchgrade.jail.protocol.wire import Wire
def wires():
    return [found for found in gc.get_objects() if isinstance(found, Wire)]
def early(x):
    for wire in wires():
        try: wire.send({"n": 999, "result": 1}, [])
        except Exception: pass
    return x
def twice(x):
    for wire in wires():
        for n in range(1, 20):
            try: wire.send({"n": n, "result": 42}, [])
            except Exception: pass
    return 1
def junk(x):
    for wire in wires():
        try: wire.sock.send(b"Mjunk")
        except Exception: pass
    return x
def honest(x): return x
"""


@pytest.mark.parametrize("name", ["early", "junk"])
def test_an_answer_that_was_not_asked_for_ends_the_check(submission, name):
    session, student = submission(FORGER)
    with pytest.raises(BadAnswer):
        getattr(student, name)(7)
    session.end_check()
    assert student.honest(3) == 3


def test_of_two_answers_the_first_counts_and_the_second_ends_the_check(submission):
    _, student = submission(FORGER)
    with pytest.raises(BadAnswer):  # the number of a first answer may fit; then what comes after it is caught
        for _ in range(40):
            student.twice(7)


def test_the_session_leaves_no_process_behind(worker):
    def in_group():
        return {line for name in worker.group.procs_files for line in Path(name).read_text().split()}

    before = in_group()
    with Session(worker, cells(SOURCE)) as session:
        session.load()
        assert in_group() > before
    assert in_group() == before


def test_cells_that_cannot_be_run_give_every_check_the_same_true_reason(worker):
    ends = [f"import os\nos._exit({status})" for status in range(3, 9)]
    with Session(worker, cells(*ends, "def f(x):\n    return x")) as session:
        for _ in range(3):
            with pytest.raises(Died, match=r"could not be run, .* \(exit status 7\) instead of returning"):
                session.begin_check()
        assert [error.index for error in session.cell_errors] == [0, 1, 2, 3]


def test_a_session_that_ends_before_the_first_cell_is_nobodys_failure_but_ours():
    warm = WarmWorker(dataclasses.replace(BOUNDS, open_files=None))  # a limit that cannot be set
    try:
        with Session(warm, cells("x = 1")) as session:
            for _ in range(2):
                with pytest.raises(SandboxError, match="a session could not be set up: "):
                    session.load()
    finally:
        warm.close()


def test_a_submission_whose_time_is_up_while_it_is_loaded_again_has_used_it_up_itself(worker):
    with Session(worker, cells("import time\ntime.sleep(100)"), seconds=0.5) as session:
        with pytest.raises(TimedOut, match="did not end within"):
            session.load()
        session._cells.fault = None
        with pytest.raises(TimedOut, match="used up"):
            session.load()
    with Session(worker, cells("x = 1"), seconds=1e-6) as session, pytest.raises(TimedOut, match="used up"):
        session.load()


def test_without_a_jail_an_ordinary_users_session_can_be_set_up_though_its_memory_is_hidden():
    folder = Path(tempfile.mkdtemp(prefix="tg-"))
    folder.chmod(0o777)
    limits = dataclasses.replace(BOUNDS, processes=4096).for_session()
    request = {"jailed": False, "limits": limits, "data": None, "work": str(folder / "notebook")}
    codecs.lookup("ascii")  # this Python's own files may be closed to that user
    pid = os.fork()
    if pid == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            isolation.hide_memory()  # as the warm worker does
            problem = notebook_process._become_harmless(request, os.open("/dev/null", os.O_WRONLY))
            os._exit(0 if not problem and notebook_process._forkable() in (True, False) else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    shutil.rmtree(folder)
