# ruff: noqa: INP001 - a script, no module
"""Fills an environment with what a wheel needs, from the packages of the Python that runs this: pip's work, in seconds.

python .ci/linked.py WHEEL[EXTRA] ENVIRONMENT

Only what the wheel names, what that names, and so on; where a name is missing from the wheel, its package is missing there, too.
Files are hard links, which unlike symbolic ones lead nowhere else: the jail, which shows the environment alone, finds them.
Nothing may write to them in place.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

# How pip begins a script: with the interpreter's path, or, where that is long or has a space, by way of sh.
_START = re.compile(rb"#!(?:.*python.*|/bin/sh\n'''exec' .*\n' ''')\n")


def needed(distribution: metadata.Distribution, extras: set[str], seen: set[tuple[str, str]]) -> Iterator[metadata.Distribution]:
    """Each package that this one needs with these extras, and each that those need."""
    for line in distribution.requires or ():
        requirement = Requirement(line)
        if requirement.marker is not None and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            continue
        found = metadata.distribution(requirement.name)
        if not requirement.specifier.contains(found.version, prereleases=True):
            sys.exit(f"{distribution.name} needs {requirement}, and {found.version} is installed")
        new = {"", *requirement.extras} - {extra for name, extra in seen if name == found.name}
        seen |= {(found.name, extra) for extra in new}
        if new:
            yield found
            yield from needed(found, new, seen)


def link(distribution: metadata.Distribution, environment: Path) -> None:
    """Put a package's files where pip would put them; scripts get this environment's interpreter."""
    for file in distribution.files or ():
        source = Path(os.path.normpath(str(distribution.locate_file(file))))
        target = environment / source.relative_to(sys.prefix)
        if target.exists() or not source.exists():  # two packages may own a file; a .pyc may be gone
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.parent == environment / "bin" and (start := _START.match(text := source.read_bytes())) is not None:
            sh = f"#!/bin/sh\n'''exec' \"{environment}/bin/python\" \"$0\" \"$@\"\n' '''\n"
            target.write_bytes(sh.encode() + text[start.end() :])
            shutil.copymode(source, target)
            continue
        try:
            os.link(source, target)
        except OSError:  # another disk
            shutil.copy2(source, target)


def main() -> None:
    """Make the environment."""
    wheel, environment = sys.argv[1].removesuffix("]").split("["), Path(sys.argv[2]).absolute()
    (distribution,) = metadata.distributions(path=[wheel[0]])
    venv.create(environment, symlinks=True)
    for package in {found.name: found for found in needed(distribution, set(wheel[1:]), set())}.values():
        link(package, environment)
    link(metadata.distribution("pip"), environment)


if __name__ == "__main__":
    main()
