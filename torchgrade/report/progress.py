"""How far a run is: a live display on a terminal, a line now and then elsewhere, or nothing."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Self

from torchgrade.record import Record, Status
from torchgrade.report.text import one_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

LINE_SECONDS = 10.0
"""At most one line in this time where there is no terminal."""
_SHOWN = 4


@dataclasses.dataclass
class Tally:
    """The results of a run's submissions so far. ``running`` holds when each was begun."""

    total: int
    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    running: dict[str, float] = dataclasses.field(default_factory=dict)
    began: float = dataclasses.field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """How many have ended, one way or another."""
        return self.counts.total()

    def per_minute(self) -> float:
        """Submissions a minute so far."""
        return 60.0 * self.done / max(time.monotonic() - self.began, 1e-9)

    def seconds_left(self) -> float | None:
        """How long the rest takes at this rate; unknown before the first one is done."""
        return 60.0 * (self.total - self.done) / self.per_minute() if self.done else None

    def line(self) -> str:
        """All of it in one line."""
        parts = [f"{self.done} of {self.total} graded"]
        parts += [f"{count} {name}" for name, count in sorted(self.counts.items()) if name != "graded"]
        if self.done:
            parts.append(f"{self.per_minute():.0f} a minute")
        if self.done < self.total and (left := self.seconds_left()) is not None:
            parts.append(f"{_duration(left)} left")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Progress:
    """A listener to a run's events; this base class shows nothing."""

    def begun(self, name: str) -> None:
        """A judge has begun with this submission."""

    def done(self, name: str, record: Record | None) -> None:
        """It has ended; without a record it could not be graded."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _Tallied(Progress):
    def __init__(self, total: int) -> None:
        self.tally = Tally(total)

    def begun(self, name: str) -> None:
        """Note when."""
        self.tally.running[one_line(name, 80)] = time.monotonic()

    def done(self, name: str, record: Record | None) -> None:
        """Count it."""
        self.tally.running.pop(one_line(name, 80), None)
        if record is None:
            self.tally.counts["could not be graded"] += 1
        else:
            self.tally.counts["graded" if record.status is Status.FINAL else record.status.value] += 1


class Lines(_Tallied):
    """A line on standard error now and then."""

    def __init__(self, total: int, every: float = LINE_SECONDS) -> None:
        super().__init__(total)
        self._every = every
        self._last = time.monotonic()

    def done(self, name: str, record: Record | None) -> None:
        """Count it, and say so if nothing was said for a while."""
        super().done(name, record)
        if time.monotonic() - self._last >= self._every:
            self._say()

    def __exit__(self, *_: object) -> None:
        self._say()

    def _say(self) -> None:
        self._last = time.monotonic()
        print(self.tally.line(), file=sys.stderr, flush=True)  # noqa: T201 - this is its purpose


class Live(_Tallied):
    """A bar with the rate and the time left, and below it what each judge is doing and for how long."""

    def __init__(self, total: int, console: Console | None = None) -> None:
        from rich.console import Console  # noqa: PLC0415 - a student's kernel may lack rich
        from rich.live import Live as RichLive  # noqa: PLC0415

        super().__init__(total)
        console = console or Console(stderr=True, highlight=False)
        self._live = RichLive(console=console, get_renderable=self.picture, refresh_per_second=4, transient=False)

    def picture(self) -> RenderableType:
        """The display as it stands."""
        from rich.console import Group  # noqa: PLC0415 - as above
        from rich.progress_bar import ProgressBar  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        now = time.monotonic()
        with contextlib.suppress(RuntimeError):  # another thread draws; what changes meanwhile is in the next picture
            judges = sorted(self.tally.running.items(), key=lambda item: item[1])
            lines = [Text(f"  {now - began:4.0f} s  {name}", style="dim") for name, began in judges[:_SHOWN]]
            if len(judges) > _SHOWN:
                lines.append(Text(f"          and {len(judges) - _SHOWN} more", style="dim"))
            bar = ProgressBar(total=max(self.tally.total, 1), completed=self.tally.done, width=60)
            return Group(Text(self.tally.line()), bar, *lines)
        return Text(self.tally.line())

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()


def progress_for(total: int, *, quiet: bool = False) -> Progress:
    """The one that fits where the output goes."""
    if quiet or not total:
        return Progress()
    return Live(total) if sys.stderr.isatty() else Lines(total)
