"""No wall at all: submissions run as you, with everything that you may do. This is what ``--unsafe-no-jail`` asks for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from torchgrade.jail.wall import View, Wall, Walled, launch


class NoWall(Wall):
    """Plain processes of this machine: nothing of a view is hidden, and nothing of it has to be shown."""

    name = "none (--unsafe-no-jail)"
    isolates = False

    def why_missing(self) -> str | None:
        """Return ``None``: there is nothing to miss."""
        return None

    def start(self, arguments: Sequence[str], *, view: View, output: IO[bytes], pass_fds: Sequence[int]) -> Walled:
        """Start Python with a small environment, and with the view's GPU as the only one."""
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "MPLBACKEND": "Agg",
            "LANG": "C.UTF-8",
            **(view.gpu.environment if view.gpu is not None else {}),
            "CUDA_VISIBLE_DEVICES": view.gpu.name if view.gpu is not None else "",
        }
        command = [sys.executable, "-s", "-P", *arguments]
        return Walled(launch(command, output=output, pass_fds=pass_fds, environment=environment))
