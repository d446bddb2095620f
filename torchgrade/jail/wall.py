"""The wall between a warm process and the machine: one interface, so that another jail can take bubblewrap's place.

    warm process ── arguments of Python, View ──► Wall.start ──► Walled: the process, its control group, folders to keep

A wall is one class with a name, :meth:`Wall.why_missing` and :meth:`Wall.start`. Which wall is used is decided in
:mod:`torchgrade.jail.wall_choice`, or by the one who makes a worker.
"""

from __future__ import annotations

import abc
import dataclasses
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, ClassVar

from torchgrade.checks.faults import SandboxError
from torchgrade.jail.resources.cgroup import ControlGroup
from torchgrade.jail.resources.gpu import Gpu

# Joins the control groups named before "--", then becomes the rest of its arguments: it is never outside the group.
_JOIN_GROUPS = 'while [ "$1" != "--" ]; do echo $$ > "$1" || exit 1; shift; done; shift; exec "$@"'


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """The parts of this machine that are behind the wall, besides the system's programs, Python, its packages and this one."""

    hide: tuple[Path, ...] = ()
    """Folders of which nothing may be seen, even if they are below one that is shown."""
    gpu: Gpu | None = None
    readable: tuple[Path, ...] = ()
    """Files and folders that are shown at their own paths, read-only, as far as they exist."""
    shared: Mapping[str, Path] = dataclasses.field(default_factory=dict)
    """Folders that both sides may write to, by their path behind the wall."""


@dataclasses.dataclass(frozen=True, slots=True)
class Walled:
    """A process that was started behind a wall."""

    process: subprocess.Popen[bytes]
    group: ControlGroup | None = None
    """The group that limits it and all that it starts, if the wall could make one."""
    keep: tuple[str, ...] = ()
    """Folders below /tmp that a session needs (a Python installed there): it keeps them when it gets a /tmp of its own."""


class Wall(abc.ABC):
    """A way to run Python apart from this machine."""

    name: ClassVar[str]
    """The name that records and the doctor use for it."""
    isolates: ClassVar[bool] = True
    """True if the process is the root of a user namespace with process numbers, mounts and a ``/tmp`` of its own: each session
    then makes namespaces inside it (:mod:`torchgrade.jail.inside.isolation`) and gives up every privilege."""

    @abc.abstractmethod
    def why_missing(self) -> str | None:
        """Return in one line why this machine cannot have this wall, and what to do; ``None`` if it can."""

    @abc.abstractmethod
    def start(self, arguments: Sequence[str], *, view: View, output: IO[bytes], pass_fds: Sequence[int]) -> Walled:
        """Start Python with ``arguments`` behind the wall, as the leader of a process group that ends with it.

        It inherits the descriptors ``pass_fds`` under their numbers; its output and errors go to ``output``. Raises
        :class:`SandboxError` if that is not possible.
        """

    def require(self) -> None:
        """Raise :class:`SandboxError` if this machine cannot have this wall."""
        if (why := self.why_missing()) is not None:
            raise SandboxError(why)

    def describe(self) -> str:
        """Return what the wall is made of, for ``torchgrade doctor``."""
        return self.name


def launch(
    command: Sequence[str],
    *,
    output: IO[bytes],
    pass_fds: Sequence[int],
    group: ControlGroup | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command as :meth:`Wall.start` promises, in ``group`` from its first moment on.

    ``environment`` replaces this process's environment, which the command has otherwise.
    """
    if group is not None:
        command = ["/bin/sh", "-c", _JOIN_GROUPS, "sh", *group.procs_files, "--", *command]
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=pass_fds,
        env=environment,
        start_new_session=True,  # Ctrl-C is for the judge to handle
    )
