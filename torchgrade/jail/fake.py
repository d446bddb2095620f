"""A worker without a process: the same answers, but in this process and without a wall. For unit tests of graders and proxy."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from torchgrade.jail.inside.program import Program
from torchgrade.jail.inside.serve import Server
from torchgrade.jail.protocol.failures import raise_if_error
from torchgrade.jail.protocol.remote_student import Answering, Student


class FakeWorker:
    """Runs ``source`` as a notebook of one cell, in this process. Never give it code that you do not trust."""

    def __init__(self, source: str, *, probes: Mapping[str, str] | None = None) -> None:
        cell = {"number": 1, "grade_id": None, "source": source, "python": source}
        program = Program({"cells": [cell], "skip": [], "probes": dict(probes or {})}, Path(tempfile.mkdtemp()))
        self.errors = program.run(before=lambda _: None)
        self._answering: Answering | None = None
        self._raised: Exception | None = None
        self._server = Server(program, self._ask)

    def exchange(
        self,
        request: dict[str, Any],
        tensors: list[torch.Tensor],
        seconds: float | None = None,
        answering: Answering | None = None,
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Answer as the jail would, but without its limits."""
        _, self._answering, self._raised = seconds, answering, None
        with torch.random.fork_rng(devices=[]):  # as if it drew in a process of its own
            answer, outgoing = self._server.answer(request, [tensor.clone() for tensor in tensors])
        if self._raised is not None:
            raise self._raised
        raise_if_error(answer)
        return answer, [tensor.clone() for tensor in outgoing]

    def _ask(self, frame: dict[str, Any], tensors: list[torch.Tensor]) -> tuple[dict[str, Any], list[torch.Tensor]]:
        assert self._answering is not None  # noqa: S101 - the one that sends a function also answers for it
        try:
            answer, outgoing = self._answering(frame, [tensor.clone() for tensor in tensors])
        except Exception as error:
            self._raised = error  # in the judge's process, it does not go through the student's code
            raise
        return answer, [tensor.clone() for tensor in outgoing]

    def student(self, *, seed: int = 0) -> Student:
        """The notebook's names, as a grader sees them."""
        return Student(self.exchange, seed=seed)
