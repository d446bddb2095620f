"""Judges on the machines of a Ray cluster. The nodes need only torchgrade, in the same version; the course travels with the run.

    this machine                                    a node with a free processor
    course's files, once ──► Ray's object store ──► unpacked, once a process ──► judge, kept from task to task
    notebook ──────────────────────────────────────────────────────────────────► record of all checks
                                                    a node with the resource "race"  │
    record  ◄────────────────────────────────────── record with its speed checks ◄───┘

If some node offers the resource ``race``, speed checks run only on such nodes, one at a time on each. Otherwise they run where
the other checks do, and wait for each machine's quiet lane.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import io
import logging
import os
import secrets
import socket
import subprocess
import tempfile
import threading
import time
import zipfile
from collections.abc import Generator, Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from traitlets.config import Config

from torchgrade.course import Course
from torchgrade.errors import TorchgradeError
from torchgrade.judge import environment
from torchgrade.record import Digests
from torchgrade.runs.pool import longest_seconds
from torchgrade.runs.tasks import TRIES, Answer, Event, GradeSubmission, Key, Task, do_tasks

if TYPE_CHECKING:
    import ray

RACE = "race"
"""The name of the resource of which a node offers one if it is fit for speed checks."""
PATIENCE = 60.0
"""Seconds that a cluster may be without a processor before we give up on it."""
_LOOK_SECONDS = 2.0
_KNOCK_SECONDS = 5.0


class ClusterError(TorchgradeError):
    """The cluster cannot be used. The text is one line for the instructor."""


def in_cluster(
    course: Course, tasks: Iterable[tuple[Key, Task]], *, address: str, workers: int = 1, jail: bool = True
) -> Generator[Event[Key]]:
    """Do these tasks in the Ray cluster at ``address``, at most ``workers`` at a time; see :func:`do_tasks`.

    ``address`` is what ``ray start --head`` printed, as in ``10.0.0.1:6379``, or ``auto`` for the cluster that this machine is
    part of, or ``local`` for one that is this machine alone. Raises :class:`ClusterError` if there is none.
    """
    return do_tasks(_Nodes(course, address, workers, jail), iter(tasks))


class _Nodes:
    """A connection to the cluster."""

    def __init__(self, course: Course, address: str, workers: int, jail: bool) -> None:
        if importlib.util.find_spec("ray") is None:
            raise ClusterError("--ray needs Ray, which is not installed; run: pip install 'torchgrade[ray]'")
        import ray  # noqa: PLC0415 - only where it is used

        self._workers = workers
        self._seen = (0.0, 0)
        self._alive_at = time.monotonic()
        try:
            _knock(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:
            why = str(error).splitlines()[0]
            raise ClusterError(f"no Ray cluster answers at {address}: {why}. docs/cluster.md says how to start one") from error
        self._errors = ray.exceptions
        content = _packed(course, jail=jail, seconds=longest_seconds(course.limits))
        self._course = ray.put(content)
        # Through CUDA_VISIBLE_DEVICES, Ray shows a task only the GPUs that it asked for.
        self._resources = {"CPU": 1, "GPU": 1} if content["gpu"] else {"CPU": 1}
        remote = functools.partial(ray.remote, num_cpus=1, num_gpus=self._resources.get("GPU", 0), max_retries=0)
        self._grade = remote()(_on_node)
        self._race = remote(resources={RACE: 1})(_race_on_node)

    def places(self) -> int:
        """How many processors, or GPUs if we grade on them, the cluster has now; at most as many as we were told to use."""
        import ray  # noqa: PLC0415

        now = time.monotonic()
        if now - self._seen[0] >= _LOOK_SECONDS:
            there = ray.cluster_resources()
            self._seen = now, min(int(there.get(name, 0)) for name in self._resources)
        if self._seen[1]:
            self._alive_at = now
        elif now - self._alive_at > PATIENCE:
            raise ClusterError(
                f"the cluster has had no {'GPU' if 'GPU' in self._resources else 'processor'} for {PATIENCE:.0f} s. "
                "What was graded is not lost: "
                "start nodes, then run the same command again"
            )
        return min(self._workers, self._seen[1])

    def schedule(self, task: Task) -> Future[Answer]:
        import ray  # noqa: PLC0415

        if isinstance(task, GradeSubmission) and RACE in ray.cluster_resources():
            seed = secrets.randbits(63)
            rest, races = (dataclasses.replace(task, seed=seed, races=races) for races in (False, True))
            answer = self._race.remote([self._course], races, self._grade.remote([self._course], rest))
        else:
            answer = self._grade.remote([self._course], task)
        future: Future[Answer] = answer.future()
        # Ray does not say when a task begins, but no more are in flight than there are places.
        future.set_running_or_notify_cancel()
        return future

    def explain(self, error: Exception) -> tuple[str, int]:
        if isinstance(error, self._errors.RayTaskError):
            cause = error.cause
            return f"{type(cause).__name__}: {cause}".splitlines()[0], 0
        if isinstance(error, self._errors.RayError):
            return f"its judge, or the node that it ran on, ended unexpectedly ({type(error).__name__})", TRIES
        return f"{type(error).__name__}: {error}".splitlines()[0], 0

    def close(self) -> None:
        import ray  # noqa: PLC0415

        ray.shutdown()

    stop = close


def _knock(address: str) -> None:
    """Raise :class:`OSError` if nothing listens at ``host:port``: Ray would go on asking for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_KNOCK_SECONDS).close()


# ---- content sent to the nodes


class _Packed(TypedDict):
    """The course's folders as a zip archive, its settings, the longest time for a task, and what all machines must share."""

    files: bytes
    limits: dict[str, object]
    ignored: list[str]
    jail: bool
    seconds: float
    basis: Digests | None
    gpu: bool


def _packed(course: Course, *, jail: bool, seconds: float) -> _Packed:
    """All that a judge needs: the course's files, its limits, and the facts that must be the same on its node as here."""
    folders = (course.assignments, course.graders, course.solutions)
    files = io.BytesIO()
    with zipfile.ZipFile(files, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder, name in zip(folders, _FOLDERS, strict=True):
            for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
                archive.write(path, f"{name}/{path.relative_to(folder).as_posix()}")
    limits = {name: getattr(course.limits, name) for name in course.limits.trait_names(config=True)}
    names = course.assignment_names()
    basis = environment.digests(course, names[0], jail=jail) if names else None
    return {
        "files": files.getvalue(),
        "limits": limits,
        "ignored": list(course.ignored),
        "jail": jail,
        "seconds": seconds,
        "basis": basis,
        "gpu": environment.has_gpu(),
    }


_FOLDERS = ("assignments", "graders", "solutions")


@functools.cache
def _ready(packed: ray.ObjectRef[_Packed]) -> tuple[str, float]:
    """In a node's process: unpack the course, start a judge. Returns why that failed, if it did, and the time limit of a task."""
    import ray  # noqa: PLC0415

    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    content: _Packed = ray.get(packed)
    if not content["gpu"]:
        environment.use_device("cpu")
    root = Path(tempfile.mkdtemp(prefix="torchgrade-course-"))
    _goes_with_us(root)
    with zipfile.ZipFile(io.BytesIO(content["files"])) as archive:
        archive.extractall(root)
    config = Config(
        {"Limits": content["limits"], "CourseDirectory": {"source_directory": _FOLDERS[0], "ignore": content["ignored"]}}
    )
    course = Course(root, config)
    basis = content["basis"]
    alike = basis is None or environment.digests(course, course.assignment_names()[0], jail=content["jail"]) == basis
    if not alike or environment.has_gpu() != content["gpu"]:
        return _differs(), 0.0
    judging.start(course, content["jail"])
    return "", content["seconds"]


def _goes_with_us(folder: Path) -> None:
    """Have the folder removed when this process ends, however it ends: Ray kills its processes.

    A shell that is not our child waits until the other end of its standard input is closed.
    """
    wait_and_remove = 'exec 3<&0; (read -r _ <&3; rm -rf -- "$0") >/dev/null 2>&1 &'
    read, _ = os.pipe()  # the end for writing stays open for as long as this process is there
    subprocess.run(["sh", "-c", wait_and_remove, str(folder)], stdin=read, start_new_session=True, check=True)
    os.close(read)


def _differs() -> str:
    import torch  # noqa: PLC0415

    import torchgrade  # noqa: PLC0415

    gpu = "a GPU" if environment.has_gpu() else "no GPU"
    return (
        f"the node {os.uname().nodename} is not like this machine: it has torchgrade {torchgrade.__version__} "
        f"({Path(torchgrade.__file__).parent}), torch {torch.__version__} and {gpu}; "
        "marks must not depend on that. Install the same versions on all machines, and do not mix machines with and without a GPU"
    )


# ---- work on a node


def _on_node(packed: list[ray.ObjectRef[_Packed]], task: Task) -> Answer:
    """Do a task, in a process of a node."""
    from torchgrade.runs import judging  # noqa: PLC0415 - imports torch

    problem, seconds = _ready(packed[0])
    if problem:
        return Answer(error=problem)
    hangs = threading.Timer(seconds, os._exit, (1,))  # as this machine's pool ends a judge that hangs
    hangs.daemon = True
    hangs.start()
    try:
        return judging.do(task)
    finally:
        hangs.cancel()


def _race_on_node(packed: list[ray.ObjectRef[_Packed]], task: Task, answer: Answer) -> Answer:
    """The answer to the task, in which the speed checks are those run on this node."""
    record = answer.record
    if answer.error or record is None or not record.readable or not record.races:
        return answer
    raced = _on_node(packed, task)
    return raced if raced.error or raced.record is None else Answer(record.with_races_of(raced.record))
