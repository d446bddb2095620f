"""A warm command is what the executed one would be, as far as anybody who started it can see."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import warm_commands
from processes import children, command, judges, wait_for, wait_until_gone
from small_course import make_course, submit
from warm_commands import TOOLS, environment, run, started, torchgrade

# What a course's configuration can do, every command does that reads it: it is Python.
LOOK = """
import json, multiprocessing, os, random, signal, sys, threading
from pathlib import Path
main = sys.modules["__main__"]
print(json.dumps({
    "arguments": [sys.argv, sys.orig_argv, Path("/proc/self/cmdline").read_text().strip("\\0").split("\\0")],
    "main": [main.__name__, main.__file__, main.__spec__],
    "path": sys.path,
    "flags": [str(sys.flags), sys.executable, os.umask(0o22), sys.stdout.encoding, sys.stdin.encoding, sys.stdout.line_buffering],
    "where": [os.getcwd(), dict(sorted(os.environ.items()))],
    "descriptors": [number for number in range(64) if os.path.exists(f"/proc/self/fd/{number}") and os.get_inheritable(number)],
    "signals": [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD)],
    "masked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "threads": threading.active_count(),
    "methods": multiprocessing.get_start_method(allow_none=True),
}))
sys.stdout.flush()
"""
DRAW = """
import os, random, numpy, torch, multiprocessing
key = bytes(multiprocessing.current_process().authkey)
for drawn in (random.random(), numpy.random.random(), torch.rand(()).item(), key.hex()):
    print(drawn)
print(torch.get_num_threads())
"""


@pytest.fixture
def course(tmp_path):
    """A folder whose configuration does what a test wants every command to do."""

    def make(text):
        (tmp_path / "nbgrader_config.py").write_text(text)
        return tmp_path

    return make


def both(folder, *arguments, **more):
    """The same command warm, and executed."""
    found = [torchgrade(folder, *arguments, cold=cold, **more) for cold in (False, True)]
    return [(done.returncode, done.stdout, done.stderr) for done in found]


def test_only_a_command_alone_in_an_ordinary_environment_is_warm():
    line = [str(TOOLS / "torchgrade"), "grade"]
    assert warm_commands.may_be_warm(line, environment(HOME="/elsewhere", PYTORCH_NVML_BASED_CUDA_CHECK="1"))
    assert not warm_commands.may_be_warm(["unshare", *line], environment())
    assert not warm_commands.may_be_warm([sys.executable, "-c", ""], environment())
    for name in ("PYTHONPATH", "PYTHONWARNINGS", "OMP_NUM_THREADS", "LC_ALL"):
        assert not warm_commands.may_be_warm(line, environment(**{name: "2"}))


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["--version"], 0), (["grade", "--help"], 0), (["grade", "x"], 1), (["nonsense"], 2), (["grade", "--workers", "x"], 2)],
)
def test_it_says_the_same_with_the_same_status(course, arguments, status):
    warm, cold = both(course("c = get_config()\n"), *arguments)
    assert warm == cold
    assert warm[0] == status


def test_it_is_the_same_process_from_its_arguments_to_its_descriptors(course):
    warm, cold = both(course(LOOK), "export", "x", "--to", "canvas", MINE="1", COLUMNS="70")
    assert json.loads(warm[1].splitlines()[0]) == json.loads(cold[1].splitlines()[0])
    assert warm[0] == cold[0]


def test_no_two_draw_the_same(course):
    folder = course(DRAW)
    found = [torchgrade(folder, "export", "x", "--to", "canvas", cold=cold).stdout.splitlines() for cold in (False, False, True)]
    *drawn, threads = [set(each) for each in zip(*found, strict=True)]
    assert [len(each) for each in drawn] == [3] * 4
    assert len(threads) == 1


@pytest.mark.parametrize(
    ("does", "status"),
    [
        ("raise SystemExit(3)", 3),
        ("raise SystemExit('a reason')", 1),
        ("import os; os._exit(9)", 9),
        ("import atexit; atexit.register(print, 'at last', flush=True); raise SystemExit(0)", 0),
        (
            "import threading, time; threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start(); raise SystemExit",
            0,
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("import os; os.abort()", -signal.SIGABRT),
    ],
)
def test_it_ends_as_it_would(course, does, status):
    warm, cold = both(course(does), "export", "x", "--to", "canvas")
    assert warm == cold
    assert warm[0] == status


def test_an_exception_that_nobody_expects_has_the_traceback_that_it_would_have(tmp_path, monkeypatch):
    script = tmp_path / "torchgrade"
    script.write_text(
        "def fail():\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        raise KeyError('why')\n\n\nfail()\n"
    )
    monkeypatch.setattr(warm_commands, "_WARM", {str(script)})
    warm = run([script], cwd=tmp_path)
    cold = run([sys.executable, script], cwd=tmp_path)
    assert (warm.returncode, warm.stdout, warm.stderr) == (cold.returncode, cold.stdout, cold.stderr)
    assert (warm.returncode, warm.stderr.splitlines()[-1]) == (1, "KeyError: 'why'")


def test_it_reads_what_it_is_given(tmp_path, monkeypatch):
    script = tmp_path / "torchgrade"
    script.write_text("import sys\nprint(len(sys.stdin.read()))\nprint('so', file=sys.stderr)\n")
    monkeypatch.setattr(warm_commands, "_WARM", {str(script)})
    assert run([script], cwd=tmp_path, input="ä" * 200_000).stdout == "200000\n"
    log = tmp_path / "log"
    with log.open("w") as file, started([script], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT):
        pass
    assert sorted(log.read_text().split()) == ["0", "so"]


WAIT = """
import sys, time
try:
    print("there", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def waiting(tmp_path, monkeypatch):
    """A command in a session of its own that waits, and ends by itself where it is interrupted."""
    script = tmp_path / "torchgrade"
    script.write_text(WAIT)
    monkeypatch.setattr(warm_commands, "_WARM", {str(script)})
    with started([script], cwd=tmp_path, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == "there\n"
        yield process
        process.kill()


def test_it_is_waited_for_and_seen_as_any_process(waiting):
    assert waiting.poll() is None
    assert os.getsid(waiting.pid) == os.getpgid(waiting.pid) == waiting.pid
    before = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.1)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.communicate(timeout=0.1)
    assert time.monotonic() - before >= 0.2
    waiting.terminate()
    assert waiting.wait() == waiting.poll() == waiting.returncode == -signal.SIGTERM
    waiting.kill()  # nobody: it has ended
    with pytest.raises(ProcessLookupError):
        os.kill(waiting.pid, 0)


def test_its_session_hears_ctrl_c_and_its_pid_stays_until_it_was_waited_for(waiting):
    os.killpg(waiting.pid, signal.SIGINT)
    wait_for(lambda: b"Z" in Path(f"/proc/{waiting.pid}/stat").read_bytes().rpartition(b")")[2].split()[0])
    time.sleep(0.1)
    os.kill(waiting.pid, 0)
    assert waiting.wait(10) == 130
    assert not Path(f"/proc/{waiting.pid}").exists()


def test_a_run_that_takes_too_long_is_killed(tmp_path, monkeypatch):
    script = tmp_path / "torchgrade"
    script.write_text(WAIT)
    monkeypatch.setattr(warm_commands, "_WARM", {str(script)})
    with pytest.raises(subprocess.TimeoutExpired):
        run([script], cwd=tmp_path, timeout=0.5)


def test_its_judges_are_forks_of_a_fork_server_of_its_own(tmp_path):
    course = make_course(tmp_path / "course")
    assert torchgrade(course.root, "release", "small", "--no-audit").returncode == 0
    submit(course, "ann", double="import time\ntime.sleep(1)\n\n\ndef double(x):\n    return 2 * x\n")
    line = [TOOLS / "torchgrade", "grade", "small", "--workers", "1"]
    with started(line, cwd=course.root, env=environment(), start_new_session=True, stderr=subprocess.PIPE) as grading:
        wait_for(lambda: judges(grading.pid))
        servers = [pid for pid in children(grading.pid) if b"multiprocessing.forkserver" in command(pid)]
        for pid in (*servers, *judges(grading.pid)):
            assert os.getsid(pid) == grading.pid
            assert Path(f"/proc/{pid}/cwd").resolve() == course.root
        said = grading.communicate(timeout=60)[1]
    assert (len(servers), grading.returncode) == (1, 0), said
    wait_until_gone(grading.pid)


OWNER = """
import os, subprocess, sys
sys.path.insert(0, {helpers!r})
import warm_commands
warm_commands._WARM = {{{script!r}}}
process = warm_commands.started([{script!r}], cwd="/", start_new_session=True, stdout=subprocess.PIPE)
process.stdout.readline()
print(process.pid, warm_commands._zygote._process.pid, flush=True)
{ends}
"""


@pytest.mark.parametrize("ends", ["sys.exit()", "os.kill(os.getpid(), 9)"])
def test_nothing_runs_on_once_whoever_started_it_has_ended(tmp_path, ends):
    script = tmp_path / "torchgrade"
    script.write_text(WAIT)
    helpers = str(Path(warm_commands.__file__).parent)
    text = OWNER.format(helpers=helpers, script=str(script), ends=ends)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
    found = [int(word) for word in done.stdout.split()]
    assert len(found) == 2, done.stderr
    wait_for(lambda: not any(command(pid) for pid in found))
    wait_until_gone(found[0])


def test_the_revision_of_a_new_gradebook_is_the_one_that_nbgrader_asks_alembic_for():
    from nbgrader import api
    from warm_process import look_the_revision_up_once, newest_gradebook

    look_the_revision_up_once()
    assert newest_gradebook() == api.get_alembic_version() == api.get_alembic_version.__wrapped__()
