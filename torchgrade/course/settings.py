"""torchgrade's settings, as traitlets, so that they stand in ``nbgrader_config.py`` beside nbgrader's own."""

from __future__ import annotations

import traitlets
from traitlets.config import Configurable


class Watch(Configurable):
    """How ``torchgrade watch`` grades what arrives. ``c.Watch.<name> = …`` in ``nbgrader_config.py`` changes it."""

    gradings_per_hour = traitlets.Int(
        6, min=1, help="Submissions of one student that are graded within an hour; a newer one waits."
    ).tag(config=True)
    every_seconds = traitlets.Float(30.0, min=0.1, help="Seconds between two looks at the exchange.").tag(config=True)


class Pages(Configurable):
    """How pages for students and for the class are made. ``c.Pages.<name> = …`` in ``nbgrader_config.py`` changes it."""

    name_misconceptions = traitlets.Bool(
        True,  # noqa: FBT003 - traitlets' signature
        help="Whether a page says which mistake of the bank fails just the checks that a submission fails: as a guess.",
    ).tag(config=True)
    solutions = traitlets.Unicode(
        help="The address at which students find what torchgrade solutions wrote, with {assignment} in it; pages link to it."
    ).tag(config=True)


class Audits(Configurable):
    """Where audits of the graders are kept. ``c.Audits.folder = …`` in ``nbgrader_config.py`` changes it."""

    folder = traitlets.Unicode(
        "results/audits",
        help="The folder of the audits' documents and pages, from the course's folder; release asks for them there.",
    ).tag(config=True)


class Limits(Configurable):
    """The limits on a submission. ``c.Limits.<name> = …`` in ``nbgrader_config.py`` changes a limit."""

    call_seconds = traitlets.Float(
        10.0, min=0.1, help="Seconds that one call of a student's function may take. A check may ask for another limit."
    ).tag(config=True)
    cells_seconds = traitlets.Float(
        10.0, min=0.1, help="Seconds that all cells of a notebook together may take to run, before any check."
    ).tag(config=True)
    submission_seconds = traitlets.Float(
        60.0, min=1.0, help="Seconds that the checks of one submission may take in all; the checks after that fail."
    ).tag(config=True)
    memory_mb = traitlets.Int(
        1024, min=64, help="Megabytes that a submission's processes may take together, beyond what torch itself takes."
    ).tag(config=True)
    gpu_memory_mb = traitlets.Int(
        4096, min=64, help="Megabytes of a GPU's memory that a submission may take, beyond what CUDA itself takes."
    ).tag(config=True)
    scratch_mb = traitlets.Int(
        64, min=1, help="Megabytes that a submission may write to /tmp, and as many to /dev/shm. They count as memory."
    ).tag(config=True)
    processes = traitlets.Int(64, min=4, help="Processes and threads that a submission may have at a time.").tag(config=True)
    open_files = traitlets.Int(256, min=32, help="Files that one process of a submission may have open.").tag(config=True)
    output_kb = traitlets.Int(
        256, min=1, help="Kilobytes of a submission's printed output that are read; printing more ends what runs."
    ).tag(config=True)
    answer_mb = traitlets.Int(256, min=1, help="Megabytes that one answer of a student's function may have.").tag(config=True)
    data_mb = traitlets.Float(
        100.0, min=0, help="Megabytes that the files beside an assignment's notebook may have in all; submissions can read them."
    ).tag(config=True)
    notebook_mb = traitlets.Float(20.0, min=0.01, help="Megabytes that a submitted notebook may have.").tag(config=True)

    @property
    def notebook_bytes(self) -> int:
        """:attr:`notebook_mb` in bytes."""
        return int(self.notebook_mb * 1_000_000)

    @property
    def data_bytes(self) -> int:
        """:attr:`data_mb` in bytes."""
        return int(self.data_mb * 1_000_000)
