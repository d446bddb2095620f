"""The seam to jupyter_client: a kernel provisioner, under the name ``torchgrade-jail``.

    start_kernel ──► pre_launch: sockets in a folder instead of ports ──► launch_kernel: in the jail ──► poll, signal, kill

A provisioner is what jupyter_client asks to start, watch and end a kernel's process. So every program that runs notebooks through
jupyter_client can run them in the jail without any change. The kernel must be ipykernel, in the Python that this runs under.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import uuid
from pathlib import Path
from typing import Any

import traitlets
import zmq
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from torchgrade.course import Limits
from torchgrade.jail import Bounds, SandboxError
from torchgrade.kernels.jail import JailedKernel, Kind

NAME = "torchgrade-jail"
"""The name under which jupyter_client knows the provisioner; pyproject.toml has it, too."""
_LAUNCHER = "ipykernel_launcher"
_CONFIG = "nbgrader_config.py"
_POLL_SECONDS = 0.02
_PASSED_ON = ("NBGRADER_EXECUTION",)
"""The environment variables that a kernel in the jail gets from outside; it gets no others, since they may hold secrets."""
_MOST_IN_A_MESSAGE = 64 << 20
"""In bytes: a longer message from a kernel closes its connection before it is held in memory."""


class JailProvisioner(LocalProvisioner):
    """Starts ipykernel in the jail. Any other kernel is refused, or started outside as usual if :attr:`unjailed` names it."""

    unjailed = traitlets.Unicode(
        "", help="Names of the kernels that may run outside the jail, separated by spaces: 'ir julia-1.10'."
    ).tag(config=True)
    preload = traitlets.Unicode(
        "", help="Modules that are imported before a kernel is forked, separated by spaces: 'numpy torch'."
    ).tag(config=True)
    limits = traitlets.Dict(help="From a kernel's specification: limits by name, in the units of c.Limits.")

    _kernel: JailedKernel | None = None
    _is_unjailed = False

    @property
    def has_process(self) -> bool:
        """Return whether a kernel is running, or has ended without anyone having waited for it."""
        if self._is_unjailed:
            return bool(super().has_process)
        return self._kernel is not None and self._kernel.is_running

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Choose where the kernel's sockets are. Raises :class:`SandboxError` for a kernel that cannot be jailed."""
        manager = self.parent
        assert manager is not None  # noqa: S101 - jupyter_client always gives one
        self._is_unjailed = not self._can_be_jailed(manager)
        if not self._is_unjailed:
            if self._kernel is None:
                self._kernel = JailedKernel(self._kind(kwargs.get("cwd")))  # not in another thread: a jail ends with its thread
            manager.transport, manager.ip, manager.cache_ports = "ipc", str(self._kernel.sockets), False
            manager.context.setsockopt(zmq.MAXMSGSIZE, _MOST_IN_A_MESSAGE)
        return await super().pre_launch(**kwargs)

    def _can_be_jailed(self, manager: Any) -> bool:
        command = manager.format_kernel_cmd()
        if _LAUNCHER in command and Path(command[0]).absolute() == Path(sys.executable).absolute():
            return True
        name = manager.kernel_name
        if name in self.unjailed.split():
            self.log.warning("the kernel %r runs outside the jail, as c.JailProvisioner.unjailed says", name)
            return False
        raise SandboxError(
            f"the kernel {name!r} cannot be jailed: expected {_LAUNCHER} of {sys.executable}, got {' '.join(command[:3])}. "
            "To run it outside the jail all the same, where it may read and write everything that you may: "
            f"c.JailProvisioner.unjailed = {name!r}"
        )

    def _kind(self, cwd: Any) -> Kind:
        limits = Limits(config=self.config, **self.limits)
        bounds = Bounds(
            memory=limits.memory_mb << 20,
            scratch=limits.scratch_mb << 20,
            processes=limits.processes,
            open_files=limits.open_files,
            answer=limits.answer_mb << 20,
            cpu_seconds=4 * limits.submission_seconds,
        )
        return Kind(bounds, tuple(_hidden(self.config, Path(cwd or ".").resolve())), tuple(self.preload.split()))

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel in the jail; its working folder is a copy of ``cwd`` without notebooks."""
        if self._is_unjailed:
            return await super().launch_kernel(cmd, **kwargs)
        assert self._kernel is not None  # noqa: S101 - made by pre_launch
        self.cwd = kwargs.get("cwd")
        given = kwargs.get("env") or {}
        environment = {name: given[name] for name in _PASSED_ON if name in given}
        arguments = _without_connection_file(cmd[cmd.index(_LAUNCHER) + 1 :])
        info = {key: value.decode() if isinstance(value, bytes) else value for key, value in self.connection_info.items()}
        folder = Path(self.cwd) if self.cwd else None
        await asyncio.to_thread(self._kernel.start, folder, info, arguments, environment)
        self.pid = self._kernel.pid
        return self.connection_info

    async def poll(self) -> int | None:
        """How the kernel ended; ``None`` while it runs, and 0 if none was started."""
        if self._is_unjailed or self._kernel is None:
            return await super().poll()
        return self._kernel.poll()

    async def wait(self) -> int | None:
        """Wait until the kernel has ended and all its processes are gone."""
        if self._is_unjailed or self._kernel is None:
            return await super().wait()
        while (ended := self._kernel.poll()) is None and self._kernel.is_running:  # noqa: ASYNC110 - nobody sets an event
            await asyncio.sleep(_POLL_SECONDS)
        self._kernel.end()
        return ended

    async def send_signal(self, signum: int) -> None:
        """Pass a signal on to the kernel and the processes of its group."""
        if self._is_unjailed or self._kernel is None:
            await super().send_signal(signum)
        else:
            self._kernel.signal(signum)

    async def kill(self, restart: bool = False) -> None:
        """End the kernel and all its processes."""
        if self._is_unjailed or self._kernel is None:
            await super().kill(restart=restart)
        else:
            self._kernel.end()

    async def terminate(self, restart: bool = False) -> None:
        """Ask the kernel to end."""
        if self._is_unjailed or self._kernel is None:
            await super().terminate(restart=restart)
        else:
            self._kernel.signal(signal.SIGTERM)

    async def cleanup(self, restart: bool = False) -> None:
        """End what is left, and keep the jail for the next kernel."""
        if self._kernel is not None:
            self._kernel.end()
            if not restart:
                self._kernel.close()
                self._kernel = None
        await super().cleanup(restart=restart)


def _without_connection_file(arguments: list[str]) -> list[str]:
    kept = list(arguments)
    if "-f" in kept:
        place = kept.index("-f")
        del kept[place : place + 2]
    return kept


def _hidden(config: Any, cwd: Path) -> list[Path]:
    """The folders that the jail must not show: the course around the notebook, and nbgrader's exchange."""
    courses = [folder for folder in (cwd, *cwd.parents) if (folder / _CONFIG).is_file()]
    exchange = config.get("Exchange", {}).get("root")
    return [*courses[:1], *([Path(str(exchange))] if exchange else [])]


# ---- a kernel manager whose kernels are always in the jail, whatever the program's default


class JailedKernelManager(AsyncKernelManager):
    """jupyter_client's own, with the provisioner chosen here; one in a kernel's specification counts only if it is ours."""

    async def start_kernel(self, **kw: Any) -> None:  # type: ignore[override]
        """Start the kernel in the jail, otherwise as jupyter_client does with whatever provisioner it finds."""
        self.kernel_id = self.kernel_id or kw.pop("kernel_id", str(uuid.uuid4()))
        if self.provisioner is None:
            spec: Any = self.kernel_spec
            stanza = spec.metadata.get("kernel_provisioner", {})
            own = stanza.get("config", {}) if stanza.get("provisioner_name") == NAME else {}
            self.provisioner = JailProvisioner(kernel_id=self.kernel_id, kernel_spec=spec, parent=self, **own)
        await super().start_kernel(**kw)
