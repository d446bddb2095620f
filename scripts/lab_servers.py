"""Runs the lab: a JupyterLab for the instructor and for each student, until Ctrl-C, and then none of their processes is left.

python scripts/lab_servers.py [FOLDER [ASSIGNMENT...]]

Servers listen on this machine only, each on a port of its own. The links carry a token, made afresh each time, so that nobody has
to copy one, and no other account of the machine gets in.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import fcntl
import http.client
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from lab_folder import INSTRUCTOR, STUDENTS, TOOLS, LabError, desk, environment, make

from torchgrade.course import CourseError
from torchgrade.gradebook import GradebookError

REPOSITORY = Path(__file__).resolve().parents[1]
_FIRST_PORT, _PORTS = 8801, 200
_START_SECONDS, _END_SECONDS = 120.0, 10.0
_OPTIONS = (
    "--no-browser",
    "--allow-root",  # in a container there may be no other account
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port_retries=0",
)
_STEPS = """
 As a student (ada): open the menu Nbgrader > Assignment List, Fetch, and open the notebook; solve an exercise, run its check;
   press Validate; then Submit in the Assignment List. ben has submitted numerical_stability already, with a mistake.
 As the instructor: in the menu Nbgrader > Formgrader, Manage Assignments: Collect, then Autograde each submission, Generate
   Feedback, Release Feedback. Or, all of that at once, in a terminal of that JupyterLab:
     torchgrade watch numerical_stability --once
 As the student again: Fetch Feedback in the Assignment List, then View Feedback.

 All of it is in {folder}; what you do there stays until you delete it. Everybody here is your own account: the
 exchange keeps them apart by name and home, and nothing stops a notebook from reading the course. A real class needs accounts.
 Ctrl-C ends everything."""


@dataclasses.dataclass(frozen=True)
class Server:
    """One person's JupyterLab. ``log`` is where it writes what it does."""

    person: str
    port: int
    link: str
    log: Path
    process: subprocess.Popen[bytes]

    def answers(self) -> bool:
        """Whether it takes requests; :class:`LabError` if it has ended."""
        if self.process.poll() is not None:
            raise LabError(f"the JupyterLab of {self.person} did not start; {self.log} ends: {self.log.read_text()[-2000:]}")
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            connection.request("GET", "/api")
            return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
        return False


def free_ports(first: int = _FIRST_PORT) -> Iterator[int]:
    """Ports of this machine that nobody listens on."""
    for port in range(first, first + _PORTS):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            yield port
    raise LabError(f"none of the ports {first} to {first + _PORTS - 1} is free: end what uses them.")


def start(folder: Path, person: str, port: int) -> Server:
    """Start a person's JupyterLab. It is in a session of its own, so that Ctrl-C reaches us alone, who then end it."""
    log, token = folder / f"{person}.log", secrets.token_urlsafe(16)
    # By environment: a command line can be read by every account.
    theirs = {**environment(folder, person), "JUPYTER_TOKEN": token}
    with log.open("wb") as file:
        process = subprocess.Popen(
            [str(TOOLS / "jupyter"), "lab", *_OPTIONS, f"--port={port}"],
            cwd=desk(folder, person),
            env=theirs,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    return Server(person, port, f"http://127.0.0.1:{port}/lab?token={token}", log, process)


def end(servers: list[Server]) -> None:
    """End all servers, their kernels and terminals: asked first, and killed after ten seconds."""
    for server in servers:
        server.process.terminate()
    deadline = time.monotonic() + _END_SECONDS
    for server in servers:
        try:
            server.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            # Its kernels watch it, and end when it is gone.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.process.pid, signal.SIGKILL)
            server.process.wait()


def wait_until_ready(servers: list[Server]) -> None:
    """Until every server takes requests. Raises :class:`LabError`."""
    deadline = time.monotonic() + _START_SECONDS
    for server in servers:
        while not server.answers():
            if time.monotonic() > deadline:
                raise LabError(f"the JupyterLab of {server.person} did not answer in {_START_SECONDS:g} s: see {server.log}")
            time.sleep(0.1)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep a second lab out of the folder while this one runs."""
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LabError(f"a lab is running in {folder} already: end it with Ctrl-C, or name another folder.") from None
        yield


def run(folder: Path, assignments: list[str]) -> None:
    """Make the lab where it is not there yet, and keep its servers running until a signal comes."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        print("Making the course and its exchange ..." if not folder.exists() else f"Looking at {folder} ...", flush=True)
        if not make(folder, REPOSITORY, assignments):
            print("Going on with what is there; delete the folder for a fresh course.", flush=True)
        ports, servers = free_ports(), list[Server]()
        try:
            servers += [start(folder, person, next(ports)) for person in (INSTRUCTOR, *STUDENTS)]
            wait_until_ready(servers)
            print("\nThe lab is ready. Open each link in the browser:\n")
            for server in servers:
                print(f"   {server.person:12}{server.link}")
            print(_STEPS.format(folder=folder), flush=True)
            while any(server.process.poll() is None for server in servers):
                time.sleep(0.5)
            print("All servers were shut down.")
        finally:
            end(servers)


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="scripts/lab", description="JupyterLab for an instructor and two students.")
    parser.add_argument("folder", nargs="?", type=Path, help="where the lab lies (results/lab); made if it is not there")
    parser.add_argument("assignments", nargs="*", metavar="assignment", help="what is released (all)")
    parser.add_argument("--here", type=Path, default=Path(), help=argparse.SUPPRESS)  # the shell script changes its folder
    arguments = parser.parse_args()
    folder = arguments.here / arguments.folder if arguments.folder else REPOSITORY / "results" / "lab"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A terminal that is closed ends the lab like Ctrl-C. Once: a second Ctrl-C must not cut the ending short.
        signal.signal(number, _stop)
    try:
        run(folder.resolve(), arguments.assignments)
    except (LabError, CourseError, GradebookError) as error:
        sys.exit(f"scripts/lab: {error}")
    except KeyboardInterrupt:
        print("\nEnded.")


def _stop(*_: object) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
