"""The command ``torchgrade``, and ``python -m torchgrade``, where the folder of installed programs is not on the PATH."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line; one line where Ctrl-C comes before it can say so itself, or where a package is missing."""
    try:
        from torchgrade.cli import main as commands  # noqa: PLC0415 - what it needs may be missing

        commands(prog_name="torchgrade")
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)  # noqa: T201 - click may not be there yet
        sys.exit(128 + signal.SIGINT)  # as shells have it
    except ModuleNotFoundError as error:
        package = (error.name or "torchgrade").partition(".")[0]
        if package == "torchgrade":
            raise
        sys.exit(
            f"Error: the command torchgrade needs the package {package!r}, which is not installed: "
            "pip install 'torchgrade[grading]'. A student's notebook needs neither"
        )


if __name__ == "__main__":
    main()
