"""Taking away any one wall makes an attack succeed: a wall that nothing tests is not known to stand.

Each test names the wall, takes it away, and sees an attack get through that the corpus holds against with the wall in place.
"""

import contextlib
import dataclasses
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pytest
import torch
from attacked_course import CORPUS, SECRET, descendants, make_course, read_corpus
from walls import ChangedBubblewrap

import torchgrade
from torchgrade.jail import Bounds, SandboxError, Session, Student, StudentFault, View, WarmWorker, choose_wall
from torchgrade.jail.check_process import CheckProcess
from torchgrade.jail.protocol import values, wire
from torchgrade.jail.watched_wire import WatchedWire
from torchgrade.judge.judge import Judge
from torchgrade.notebook import CodeCell, NotebookFile, Program, compose, load_assignment
from torchgrade.report import pages
from torchgrade.report.pages import exercise_html, record_text

BOUNDS = Bounds(call_seconds=3.0, cells_seconds=5.0, memory=300 << 20, scratch=16 << 20, processes=40, output=64 << 10)
A = "numerical_stability"
PACKAGE = Path(torchgrade.__file__).resolve().parent


def attack(name, hints):
    """The text of an attack, ready to run as one cell, and to be called with a tensor."""
    source = "import torch\n" + (CORPUS / A / f"{name}.py").read_text().replace("# %%", "")
    for hint, value in hints.items():
        source = source.replace(hint, value)
    return source


@contextlib.contextmanager
def running(worker, source):
    cell = {"number": 1, "grade_id": None, "source": source, "python": source}
    with Session(worker, [cell], seconds=20.0) as session:
        session.load()
        yield session, Student(session.exchange, seed=0)


def said_by(worker, source):
    """What a call of the attack ends with, as text."""
    with running(worker, source) as (_, student):
        try:
            return str(student.softmax(torch.ones(2)))
        except StudentFault as fault:
            return str(fault)


@contextlib.contextmanager
def changed_jail(change, *, grouped=True):
    """A warm worker in a jail whose command line went through ``change``."""
    worker = WarmWorker(BOUNDS, wall=ChangedBubblewrap(change, grouped=grouped))
    try:
        yield worker
    finally:
        worker.close()


def without(*words):
    return lambda line: [word for word in line if word not in words]


def with_options(*words):
    return lambda line: [*line[: line.index("--chdir")], *words, *line[line.index("--chdir") :]]


@pytest.fixture
def copied_engine(tmp_path):
    """The engine in a folder of its own, in which a wall can be torn down: ``edit(file, old, new)``."""
    engine = tmp_path / "torchgrade"
    shutil.copytree(PACKAGE, engine, ignore=shutil.ignore_patterns("__pycache__"))

    def edit(file, old, new):
        path = engine / "jail" / "inside" / file
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new))
        return lambda line: [str(engine) if word == str(PACKAGE) else word for word in line]

    return edit


# ---- the jail


def test_without_the_network_namespace_the_network_is_there(hints, copied_engine):
    torn = copied_engine("notebook_process.py", "system_calls.refuse()", "pass")
    with changed_jail(lambda line: torn(without("--unshare-net")(line))) as worker:
        assert SECRET in said_by(worker, attack("reads_over_the_network", hints))


def test_without_a_namespace_for_processes_a_daemon_outlives_its_submission(hints, copied_engine):
    torn = copied_engine("isolation.py", "unshare(_NEW_MOUNTS | _NEW_IPC | _NEW_PIDS)", "unshare(_NEW_MOUNTS | _NEW_IPC)")
    torn = copied_engine("isolation.py", '_must(_libc.mount(b"proc"', '(lambda *_: None)(_libc.mount(b"none"')
    torn = copied_engine("isolation.py", 'Path("/proc/sys/user', 'Path("/tmp/none") if True else Path("/proc/sys/user')
    with changed_jail(torn) as worker:
        worker.wait_until_ready()
        before = descendants(worker.pid)
        said_by(worker, attack("daemon", hints))
        assert descendants(worker.pid) - before


def test_with_the_course_in_the_jail_its_secrets_are_read(hints, course):
    shown = with_options("--ro-bind", str(course.root), str(course.root))
    with changed_jail(shown) as worker:
        assert SECRET in said_by(worker, attack("reads_the_course", hints))


def test_without_the_hiding_of_folders_an_exchange_below_them_is_read():
    with planted_in_python() as folder:
        look = f"def softmax(x):\n    import os\n    raise ValueError(os.listdir({str(folder)!r}))"
        for hide, found in (((), True), ((folder,), False)):
            worker = WarmWorker(BOUNDS, view=View(hide=hide))
            try:
                assert ("planted" in said_by(worker, look)) is found
            finally:
                worker.close()


@contextlib.contextmanager
def planted_in_python():
    """A folder with a file, somewhere that the jail has to show because Python lies there."""
    folder = Path(tempfile.mkdtemp(dir=sys.prefix, prefix="torchgrade-attack"))
    (folder / "planted").touch()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def test_without_a_cleared_environment_it_is_read(monkeypatch, hints, copied_engine):
    monkeypatch.setenv("TORCHGRADE_PLANTED", SECRET)
    with changed_jail(without("--clearenv")) as worker:
        assert SECRET in said_by(worker, attack("reads_environments", hints))


@pytest.mark.parametrize("place", ["/dev"])
def test_without_the_read_only_devices_notes_and_modes_stay(hints, copied_engine, place):
    torn = copied_engine("isolation.py", "    _read_only_but_proc()\n", "")
    with changed_jail(torn) as worker:
        assert "null" in said_by(worker, attack("breaks_the_devices", hints))
        said_by(worker, attack("leaves_notes", hints))
        assert f"{place}/torchgrade-attack-note" in said_by(worker, attack("leaves_notes", hints))


def test_without_private_mounts_files_stay_for_the_next(hints, copied_engine):
    torn = copied_engine("isolation.py", 'for target in (b"/tmp", b"/dev/shm"):', "for target in ():")
    torn = copied_engine("isolation.py", "    _read_only_but_proc()\n", "")
    with changed_jail(torn) as worker:
        source = (
            "import os\ndef softmax(x):\n    there = os.path.exists('/tmp/note')\n    open('/tmp/note', 'w')\n    return there"
        )
        assert [said_by(worker, source), said_by(worker, source)] == ["False", "True"]


def test_with_a_root_that_can_be_written_programs_are_left(hints, copied_engine):
    torn = copied_engine("isolation.py", "    _read_only_but_proc()\n", "")
    with changed_jail(lambda line: torn(without_pair(line, "--remount-ro", "/"))) as worker:
        assert "LEFT []" not in said_by(worker, attack("schedules_itself", hints))


def without_pair(line, word, value):
    at = next(i for i in range(len(line)) if line[i : i + 2] == [word, value])
    return line[:at] + line[at + 2 :]


@pytest.mark.parametrize(
    ("name", "held"),
    [("kernel_doors", "OPEN []"), ("starves_the_keeper", "DONE []"), ("eats_memory_that_stays", "refused")],
)
def test_without_the_filter_of_system_calls_doors_are_open(hints, copied_engine, name, held):
    torn = copied_engine("notebook_process.py", "system_calls.refuse()", "pass")
    with changed_jail(torn) as worker:
        try:
            said = said_by(worker, attack(name, hints))
        except SandboxError as error:  # the one that starves its keeper may end it before it can say so
            said = str(error)
        assert held not in said


def test_with_capabilities_mounts_and_namespaces_can_be_made(hints, copied_engine):
    torn = copied_engine("notebook_process.py", "        isolation.drop_privileges()\n", "")
    torn = copied_engine("notebook_process.py", "system_calls.refuse()", "pass")
    with changed_jail(torn) as worker:
        assert "DONE []" not in said_by(worker, attack("kernel_settings", hints))


# ---- limits


def test_without_limits_of_a_process_memory_and_files_are_taken(hints, copied_engine):
    torn = copied_engine("notebook_process.py", 'isolation.limit_resources(request["limits"])', "pass")
    with changed_jail(torn, grouped=False) as worker:
        source = (
            "def softmax(x):\n    held = [open('/dev/null') for _ in range(600)]\n    return len(held) + len(bytes(400 << 20))"
        )
        assert said_by(worker, source) == str(600 + (400 << 20))


def test_without_the_control_group_children_take_more_than_the_submission_may(hints):
    # 10 children with 60 MB each: 600 MB where 300 are allowed; each alone is far below.
    source = (
        "import os\ndef softmax(x):\n    pids, pipes = [], []\n    until, end = os.pipe()\n    for _ in range(10):\n"
        "        read, write = os.pipe()\n        pids.append(os.fork())\n        if pids[-1] == 0:\n            os.close(end)\n"
        "            held = bytearray(b'x' * (60 << 20))\n            os.write(write, b'held')\n            os.read(until, 1)\n"
        "            os._exit(0)\n        os.close(write)\n        pipes.append(read)\n"
        "    for pipe in pipes:\n        os.read(pipe, 4)\n"
        "    return sum(os.waitpid(pid, os.WNOHANG) == (0, 0) for pid in pids)"
    )
    counts = {}
    for group in (True, False):
        bounds = dataclasses.replace(BOUNDS, call_seconds=30.0)  # a busy machine takes its time over 600 MB
        worker = WarmWorker(bounds, wall=choose_wall() if group else ChangedBubblewrap(grouped=False))
        try:
            if group and worker.group is None:
                pytest.skip("this machine lets us have no control group")
            worker.wait_until_ready()
            if group:
                worker.group.limit(memory=worker.group.memory() + (300 << 20), processes=60)
            counts[group] = said_by(worker, source)
        finally:
            worker.close()
    assert counts[False] == "10"
    assert counts[True] != "10"


def test_without_the_judges_deadline_a_loop_goes_on(monkeypatch, hints):
    worker = WarmWorker(Bounds(call_seconds=0.3))
    source = "import time\ndef softmax(x):\n    time.sleep(1.0)\n    return 'it went on'"
    try:
        assert "did not answer" in said_by(worker, source)
        monkeypatch.setattr(WatchedWire, "wait", lambda *_: None)
        monkeypatch.setattr("socket.socket.settimeout", lambda *_: None)
        assert said_by(worker, source) == "it went on"
    finally:
        worker.close()


def test_without_the_limit_on_output_a_flood_is_read_to_its_end(monkeypatch, hints):
    source = "def softmax(x):\n    for _ in range(40): print('x' * 10_000)\n    return 'printed'"
    worker = WarmWorker(BOUNDS)
    try:
        assert "printed more than" in said_by(worker, source)
        monkeypatch.setattr("torchgrade.jail.output.Output.read", lambda self: bool(os.read(self.descriptor, 1 << 16)))
        assert said_by(worker, source) == "printed"
    finally:
        worker.close()


def test_without_the_killing_of_the_tree_a_daemon_lives_on(monkeypatch, hints):
    worker = WarmWorker(BOUNDS)
    try:
        worker.wait_until_ready()
        before = descendants(worker.pid)
        said_by(worker, attack("daemon", hints))
        assert descendants(worker.pid) == before
        left = []
        monkeypatch.setattr(WarmWorker, "end_session", lambda _, handles: left.append(handles))
        said_by(worker, attack("daemon", hints))
        assert descendants(worker.pid) - before
        for handles in left:
            handles.keeper.close()
            handles.notebook.close()
    finally:
        worker.close()


# ---- what the judge takes and makes


@pytest.fixture
def warm():
    worker = WarmWorker(BOUNDS)
    yield worker
    worker.close()


def test_without_exact_types_a_subclass_is_taken_for_a_tensor(warm, hints, copied_engine):
    source = attack("always_equal_subclass", hints)
    right = torch.softmax(torch.ones(2), -1)
    # Who compares the student's own object asks the student.
    cell = {"torch": torch}
    exec(source, cell)
    assert torch.equal(cell["softmax"](torch.ones(2)), right)
    assert "tensor subclass, Agreeable" in said_by(warm, source)
    # That refusal is for the message. Without it the judge still builds a tensor of its own from the bytes: not equal.
    torn = copied_engine("../protocol/values.py", "if type(value) not in (torch.Tensor, torch.nn.Parameter):", "if False:")
    plain = source.replace("return torch.tensor(True)", "return super().__torch_function__(func, types, args, kwargs or {})")
    with changed_jail(torn) as worker, running(worker, plain) as (_, student):
        result = student.softmax(torch.ones(2))
        assert type(result) is torch.Tensor
        assert not torch.equal(result, right)


def test_without_numbers_an_answer_from_before_is_taken_for_this_one(warm, hints, monkeypatch):
    source = attack("another_number", hints)
    assert "does not belong" in said_by(warm, source)
    transfer = CheckProcess.transfer

    def agreeing(self, request, tensors, seconds):
        answer, data = transfer(self, request, tensors, seconds)
        return {**answer, "n": request["n"]}, data

    monkeypatch.setattr(CheckProcess, "transfer", agreeing)
    assert said_by(warm, source) == "tensor([0., 0.])"


@pytest.mark.parametrize(
    ("module", "limit", "name", "said"),
    [
        (wire, "MAX_VALUES", "millions_of_values", "values"),
        (values, "MAX_PAIRS", "colliding_keys", "a list of more than"),
        (values, "MAX_GAPS", "strides_of_gigabytes", "gaps of more than"),
    ],
)
def test_without_bounds_the_judge_itself_pays(warm, hints, monkeypatch, module, limit, name, said):
    source = attack(name, hints).replace("100_000", "2_000").replace("5_000_000", "1_500_000").replace("7_000_000", "500_000")
    monkeypatch.setattr(module, limit, {"MAX_GAPS": 1 << 20}.get(limit, getattr(module, limit)))
    assert said in said_by(warm, source)
    monkeypatch.setattr(module, limit, 1 << 40)
    assert said not in said_by(warm, source)


def test_without_one_name_for_each_tensor_the_judge_copies_it_again_and_again(warm, hints, monkeypatch):
    source = attack("names_a_tensor_often", hints).replace("10_000", "20")
    assert "named twice" in said_by(warm, source)
    monkeypatch.setattr(values, "_take", lambda tensors, number: tensors[number])
    assert "named twice" not in said_by(warm, source)


def test_with_the_clock_of_the_submission_it_takes_no_time(warm, hints):
    """The judge's clock and the kernel's: the same call as seen from both sides of the wall."""
    source = (
        "import time\nreal = time.perf_counter\ntime.perf_counter = time.process_time = lambda: 0.0\n"
        "def softmax(x):\n    started, end = time.perf_counter(), real() + 0.2\n    while real() < end: pass\n"
        "    return time.perf_counter() - started"
    )
    with running(warm, source) as (session, student):
        student.softmax(torch.ones(1))
        processes = session.process_tree()
        wall, processor = time.perf_counter(), processes.processor_seconds()
        claimed = student.softmax(torch.ones(1))
        assert claimed == 0.0
        assert time.perf_counter() - wall >= 0.2
        assert processes.processor_seconds() - processor > 0.02


ASKED = """

import pytest


@pytest.fixture(autouse=True)
def _asked(student):
    asked[:] = [student]


asked = []
"""


def test_with_the_submissions_own_reference_a_wrong_answer_is_right(grade, tmp_path):
    """A judge that asked the submission's process for the reference would be told what it wants to hear."""
    text = (
        "def softmax(logits, dim=-1):\n    return logits * 0\n\n\ndef reference(logits, dim):\n    return logits.double() * 0\n"
    )
    held = grade(A, "softmax", text)
    course = make_course(tmp_path / "asks")
    grader = course.graders / A / "test_softmax.py"
    ours = "return torch.softmax(logits.double(), dim)"
    assert grader.read_text().count(ours) == 1
    grader.write_text(grader.read_text().replace(ours, "return asked[0].reference(logits, dim)") + ASKED)
    with Judge(course) as judge:
        gained = grade(A, "softmax", text, by=judge)
    assert gained.points >= held.points + 2


# ---- the paper


@pytest.fixture
def record(grade):
    return lambda name: grade(A, "softmax", (CORPUS / A / f"{name}.py").read_text())


def test_without_escaping_a_page_would_run_what_it_shows(record, monkeypatch):
    hostile = record("page_script")
    page = "".join(map(exercise_html, hostile.exercises))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    pages._environment.cache_clear()
    environment = pages._environment()
    monkeypatch.setattr(environment, "autoescape", False)
    environment.cache.clear()
    assert "<script>" in "".join(map(exercise_html, hostile.exercises))
    pages._environment.cache_clear()


def test_without_the_sanitiser_a_terminal_would_obey(record, monkeypatch):
    hostile = record("terminal_escapes")
    assert "\x1b" not in record_text(hostile)
    monkeypatch.setattr("torchgrade.report.pages.clean", lambda text, limit=0: text)
    assert "\x1b" in record_text(hostile)


def test_without_the_sanitiser_text_would_turn(record, monkeypatch):
    hostile = record("text_that_turns")
    hidden = re.compile("[\u202e\u2066\u200b\ud800\U000e0041]")
    assert not hidden.search(record_text(hostile))
    monkeypatch.setattr("torchgrade.report.pages.clean", lambda text, limit=0: text)
    assert hidden.search(record_text(hostile))


# ---- the notebook


PRACTISE = """def practise(sizes, *, workers=0, world_size=1):
    return [(f"{s}/{i}.npy", torch.tensor([s, i]).float()) for s, size in enumerate(sizes) for i in range(size)]
"""


def as_handed_in(_, submission):
    """The program of a judge that ran the notebook as it is."""
    cells = [(n, cell) for n, cell in enumerate(submission.cells, 1) if cell.cell_type == "code"]
    names = {n: cell.metadata.get("nbgrader", {}).get("grade_id") for n, cell in cells}
    run = [
        CodeCell(n, names[n], locked=False, source=cell.source, python=cell.source)
        for n, cell in cells
        if "-check" not in str(names[n])
    ]
    return Program(tuple(run), ())


def test_with_locked_cells_from_the_student_what_was_given_does_the_exercise(course, judge, monkeypatch):
    """The public checks of data_loading call ``practise``, a function of a locked cell."""
    notebook = compose(load_assignment(course.assignments, "data_loading"), {})
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "practice":
            cell.source = PRACTISE
    file = NotebookFile("x.ipynb", nbformat.writes(notebook).encode())

    def points():
        record = judge.grade("data_loading", "eve", file, checks=["test_one_process", "test_two_workers", "test_two_ranks"])
        return record.points

    assert points() == 0
    monkeypatch.setattr("torchgrade.judge.judge.take_program", as_handed_in)
    assert points() == 1.5


# ---- all of them together


@pytest.mark.parametrize("name", sorted(a.path.stem for a in read_corpus() if a.reads))
def test_without_any_jail_what_is_secret_is_read(unjailed, hints, name):
    """So the attacks that read do work, and it is the jail that they fail at."""
    assert SECRET in said_by(unjailed, attack(name, hints))


@pytest.fixture(scope="module")
def unjailed(hints):
    worker = WarmWorker(BOUNDS, wall=choose_wall(jail=False))
    yield worker
    worker.close()
