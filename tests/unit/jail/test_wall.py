"""Another wall takes bubblewrap's place by being one class: nothing else of the engine has to know of it."""

import sys
import types
from pathlib import Path

import pytest
from made_gpu import MADE_UP
from small_jail import BOUNDS, cells
from walls import ChangedBubblewrap, NotingWall

from torchgrade.jail import SandboxError, Session, Student, View, Wall, WarmWorker, choose_wall
from torchgrade.jail.bubblewrap import Bubblewrap
from torchgrade.jail.diagnose import attack_check, doctor
from torchgrade.jail.no_wall import NoWall
from torchgrade.jail.wall import Walled, launch
from torchgrade.kernels.jail import JailedKernel, KernelJail, Kind

PACKAGE = Path(__file__).parents[3] / "torchgrade"
ANSWER = "def variable(name):\n    import os\n    return os.environ.get(name)"


class PaperWall(Wall):
    """A whole wall in one class. It holds nobody back, so it does not say that it isolates."""

    name = "paper"
    isolates = False

    def why_missing(self):
        return None

    def start(self, arguments, *, view, output, pass_fds):
        environment = {
            "PYTHONPATH": str(PACKAGE.parent),
            "PAPER": "here",
            **(view.gpu.environment if view.gpu else {}),
        }
        return Walled(launch([sys.executable, *arguments], output=output, pass_fds=pass_fds, environment=environment))


class NoSuchWall(Wall):
    """A wall that this machine cannot have."""

    name = "made of nothing"

    def why_missing(self):
        return "this machine has no such wall: build one"

    def start(self, arguments, *, view, output, pass_fds):
        pytest.fail("it was started all the same")


def answer_behind(wall, name, **options):
    """What a submission's function says of an environment variable, and whether its worker has a control group."""
    worker = WarmWorker(BOUNDS, wall=wall, **options)
    try:
        with Session(worker, cells(ANSWER)) as session:
            return Student(session.exchange, seed=1).variable(name), worker.group is not None
    finally:
        worker.close()


def test_a_submission_runs_behind_a_wall_of_ones_own():
    assert answer_behind(PaperWall(), "PAPER") == ("here", False)
    assert answer_behind(PaperWall(), "CUDA_VISIBLE_DEVICES", view=View(gpu=MADE_UP)) == ("0", False)


def test_a_wall_is_asked_once_and_told_what_runs_behind_it_and_what_that_may_see(tmp_path):
    wall, view = NotingWall(Bubblewrap()), View(hide=(tmp_path,), gpu=MADE_UP)
    home, _ = answer_behind(wall, "HOME", view=view)
    assert home == "/tmp"  # bubblewrap's own, which it handed everything on to
    [(arguments, told)] = wall.started
    assert arguments[:2] == ("-m", "torchgrade.jail.inside.warm")
    assert told is view
    assert wall.asked == 1


def test_a_kernel_starts_behind_it_too(tmp_path):
    wall = NotingWall(Bubblewrap())
    kernel = JailedKernel(Kind(BOUNDS, hide=(tmp_path,), wall=wall))
    try:
        kernel.start(None, {"transport": "ipc", "key": "", "signature_scheme": "hmac-sha256"}, [], {})
        assert kernel.poll() is None
        [(arguments, view)] = wall.started
        assert arguments[1] == "torchgrade.kernels.inside.launcher"
        assert view.hide == (tmp_path,)
        assert list(view.shared.values()) == [kernel.sockets.parent]
    finally:
        kernel.end()
        kernel._jail.close()


def test_a_kernel_does_not_start_behind_a_wall_that_holds_nobody_back():
    with pytest.raises(SandboxError, match="kernels need a wall that isolates them, but this one does not: paper"):
        KernelJail(Kind(BOUNDS, wall=PaperWall()))


def test_a_wall_that_cannot_be_had_is_said_in_its_own_words_and_never_started():
    for make in (lambda wall: WarmWorker(BOUNDS, wall=wall), lambda wall: KernelJail(Kind(BOUNDS, wall=wall))):
        with pytest.raises(SandboxError, match="this machine has no such wall: build one"):
            make(NoSuchWall())


def test_the_doctor_tries_the_wall_that_it_is_given():
    found = {finding.what: finding for finding in doctor.examine(NotingWall(Bubblewrap()))}
    assert found["jail"].found == "noting"
    assert found["no network"].found == "held"
    found = {finding.what: finding for finding in doctor.examine(NoSuchWall())}
    assert (found["jail"].found, found["jail"].remedy) == ("does not start", "this machine has no such wall: build one")
    (tried,) = attack_check.attack(wall=NoSuchWall())
    assert (tried.held, tried.wall) == (False, "made of nothing")


def test_without_a_name_it_is_bubblewrap_and_without_a_jail_it_is_none():
    assert [choose_wall().name, choose_wall(jail=False).name] == ["bubblewrap", "none (--unsafe-no-jail)"]
    assert [choose_wall().isolates, choose_wall(jail=False).isolates] == [True, False]
    assert NoWall().why_missing() is None
    assert Bubblewrap().describe().endswith("bwrap")


def test_a_process_is_in_its_control_group_from_its_first_moment(tmp_path):
    group = types.SimpleNamespace(procs_files=[str(tmp_path / "memory"), str(tmp_path / "pids")])
    with (tmp_path / "output").open("w+b") as output:
        done = launch(["/bin/sh", "-c", "echo $$"], output=output, pass_fds=(), group=group)
        assert done.wait() == 0
        output.seek(0)
        number = output.read()
    assert [Path(file).read_bytes() for file in group.procs_files] == [number, number]
    assert number == f"{done.pid}\n".encode()
    with (tmp_path / "output").open("w+b") as output:
        group.procs_files = [str(tmp_path / "no" / "such")]
        assert launch(["/bin/true"], output=output, pass_fds=(), group=group).wait() != 0


def test_a_machine_without_control_groups_has_a_jail_all_the_same():
    assert answer_behind(ChangedBubblewrap(grouped=False), "HOME") == ("/tmp", False)


def test_what_bubblewrap_is_told_is_in_an_order_in_which_nothing_uncovers_what_is_hidden(tmp_path):
    (tmp_path / "course").mkdir()
    view = View(hide=(tmp_path / "course", Path("/usr/share")), readable=(Path("/etc/fonts"),), shared={"/run/k": tmp_path})
    line = Bubblewrap().command(["-c", "pass"], view)
    assert line.index("/usr") < line.index("/usr/share")
    assert line[line.index("/usr/share") - 1] == "--tmpfs"
    end = line.index("--remount-ro")
    assert line[end : end + 3] == ["--remount-ro", "/", "--"]
    mounts = ("--bind", "--dev-bind", "--dev-bind-try", "--ro-bind", "--ro-bind-try", "--tmpfs", "--symlink")
    assert not [word for word in line[end:] if word in mounts]
    assert line[line.index("--bind") : line.index("--bind") + 3] == ["--bind", str(tmp_path), "/run/k"]
    assert "--bind" not in Bubblewrap().command(["-c", "pass"], View())  # nothing else that can be written


def test_nobody_but_bubblewraps_own_file_knows_its_words():
    words = ("--ro-bind", "--chdir", "--unshare", "--tmpfs", "bwrap_path")
    knows = {path.name for path in PACKAGE.rglob("*.py") if any(word in path.read_text("utf-8") for word in words)}
    assert knows == {"bubblewrap.py"}
