"""A PostgreSQL server of one's own, from the system's package, on a socket in a folder: no port, nobody else's data.

``initdb`` and ``postgres`` refuse to run as root; then they run as the package's user ``postgres``, or as ``nobody``.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

PASSWORD = "s3cret/word"
"""With a character that an address must escape."""


class ServerMissing(Exception):
    """There is no PostgreSQL server here, or it does not start. The text says why."""


def programs() -> Path:
    """The folder of the server's programs; Debian keeps them off the PATH."""
    folders = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise ServerMissing("there is no PostgreSQL server here (no initdb): install the system's package postgresql")


class Server:
    """A server with one empty database after another, from entering the block to its end. ``url`` is the first database's."""

    def __init__(self, folder: Path) -> None:
        self.programs = programs()
        # A socket's path has about a hundred characters; a test's folder may have more, and be closed to other users.
        self.folder = Path(tempfile.mkdtemp(prefix="tg-pg-"))
        self._log = folder / "postgresql.log"
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            name = "postgres" if "postgres" in names else "nobody"
            entry = pwd.getpwnam(name)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self._as = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        self.url = self.url_of("torchgrade")

    def url_of(self, database: str) -> str:
        """The address for ``c.CourseDirectory.db_url``."""
        return f"postgresql+psycopg://teacher:{quote(PASSWORD, safe='')}@/{database}?host={self.folder}"

    def __enter__(self) -> Self:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if self._as:
            os.chown(secret, self._as["user"], self._as["group"])
        try:
            access = ("-U", "teacher", "-A", "scram-sha-256", "--pwfile", secret)
            self._do("initdb", "-D", "data", *access, "-E", "UTF8", "--locale=C", "--no-sync")
            self.start()
            self._do("createdb", "-h", self.folder, "-U", "teacher", "torchgrade")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        command = [self.programs / "postgres", "-D", "data", "-k", self.folder, "-c", "listen_addresses="]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, **self._as)
        deadline = time.monotonic() + 30
        while subprocess.run([self.programs / "pg_isready", "-q", "-h", self.folder], check=False).returncode:
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise ServerMissing(f"the server did not start: {self._log.read_text()[-500:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server at once; connections are cut. Nothing that was committed is lost."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)
            self._process = None

    def new_database(self) -> str:
        """The address of another empty database."""
        name = f"course_{secrets.token_hex(4)}"
        self._do("createdb", "-h", self.folder, "-U", "teacher", name)
        return self.url_of(name)

    def _do(self, program: str, *arguments: str | Path) -> None:
        environment = {"PATH": os.environ["PATH"], "PGPASSWORD": PASSWORD, "LC_ALL": "C"}
        done = subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            **self._as,
        )
        if done.returncode:
            raise ServerMissing(f"{program} failed: {done.stderr[-500:]}")
