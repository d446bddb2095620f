"""Runs everything that needs a GPU, on a machine that may have nothing but Python, torch, numpy, pytest and safetensors.

scripts/gpu [--device cuda|cpu] [--part graders ...] [--minutes M] [--wheels FOLDER] [--output FOLDER]
scripts/gpu --pack FOLDER [--for-python 3.12]      on a machine with a package index

It ends with 0 if all that was asked for held, with 1 if something did not, with 3 if the time was over before all was looked at.
--device cpu goes the same way without CUDA: for trying this script out.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import gpu_wheels

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("graders", "attacks", "races", "headlines")
CUT_SHORT = 3
_SIGN = {True: "held", False: "FAILED"}


def read_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda", help="where to run (cuda)")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS), help="what to run (all)")
    parser.add_argument("--minutes", type=float, default=600.0, metavar="M", help="begin nothing new after so long (600)")
    parser.add_argument("--output", type=Path, default=ROOT / "results/gpu", metavar="FOLDER", help="for gpu.json and gpu.txt")
    parser.add_argument("--wheels", type=Path, metavar="FOLDER", help="packages that this machine lacks")
    parser.add_argument("--pack", type=Path, metavar="FOLDER", help="download those packages, and do nothing else")
    parser.add_argument("--for-python", default="3.12", metavar="V", help="--pack for this version of Python (3.12)")
    parser.add_argument("--assignment", nargs="+", default=[], metavar="A", help="of the graders these assignments alone")
    parser.add_argument("--only", default="", metavar="NAME", help="of the graders only solutions whose name holds NAME")
    parser.add_argument("--mutants", action="store_true", help="of the graders the mutants of the references too")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 1) // 2), metavar="N", help="judges at a time")
    parser.add_argument("--verdicts", type=int, default=300, metavar="N", help="of races, of correct and of slow solutions (300)")
    parser.add_argument("--attacks", type=int, default=50, metavar="N", help="hostile submissions in a row (50)")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="of each effect that is measured (7)")
    return parser.parse_args()


def main() -> int:
    """Do what the command line says; the exit status."""
    options = read_options()
    if options.pack is not None:
        names = gpu_wheels.pack(options.pack, options.for_python)
        print(f"{len(names)} wheels for Python {options.for_python} in {options.pack}: {', '.join(names)}")
        return 0
    options.output.mkdir(parents=True, exist_ok=True)
    if options.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # before torch is imported, here and in the judges
    with tempfile.TemporaryDirectory(prefix="packages-") as packages:
        if options.wheels is not None:
            gpu_wheels.unpack(options.wheels, Path(packages))
        gpu_wheels.add_to_path(ROOT, ROOT / "scripts")
        return run(options)


def run(options: argparse.Namespace) -> int:
    """Run the parts, one after another; what is known is written after each line."""
    try:
        import gpu_parts  # noqa: PLC0415 - its packages may have come from the wheels
        import torch  # noqa: PLC0415
        from gpu_attacks import TimeIsUp  # noqa: PLC0415

        from benchmarks.machine import machine  # noqa: PLC0415
        from torchgrade.jail import choose_wall  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise SystemExit(
            f"scripts/gpu: {error.name} is missing here: name a folder of wheels by --wheels; --pack makes one"
        ) from error
    if options.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("scripts/gpu: torch sees no GPU on this machine; --device cpu tries everything but CUDA")
    if (why := choose_wall().why_missing()) is not None:
        raise SystemExit(f"scripts/gpu: {why}")
    ends = time.monotonic() + 60 * options.minutes
    asked = gpu_parts.Asked(
        torch.device("cuda:0" if options.device == "cuda" else "cpu"),
        tuple(options.assignment),
        options.only,
        options.mutants,
        options.workers,
        options.verdicts,
        options.attacks,
        options.rounds,
        lambda: time.monotonic() > ends,
    )
    report = Report(options.output, {**machine(), "asked for": options.device})
    for part in options.part:
        report.begin(part)
        try:
            for line in gpu_parts.PARTS[part](asked):
                report.add(part, line)
        except TimeIsUp:
            report.end(part, complete=False)
        else:
            report.end(part, complete=True)
    print(report.path)
    return report.status(options.part)


class Report:
    """``gpu.json`` and ``gpu.txt``. Parts that an earlier run left in the folder stay until they are run again."""

    def __init__(self, folder: Path, machine: dict[str, Any]) -> None:
        self.path = folder / "gpu.json"
        self._machine, self._parts = machine, {}
        try:
            self._parts = json.loads(self.path.read_text(encoding="utf-8"))["parts"]
        except (OSError, ValueError, KeyError):
            self._parts = {}

    def begin(self, part: str) -> None:
        """A part is run, from now on."""
        self._parts[part] = {"machine": self._machine, "seconds": 0.0, "complete": False, "lines": []}
        self._started = time.monotonic()
        print(f"== {part}", flush=True)

    def add(self, part: str, line: dict[str, Any]) -> None:
        """Something was looked at."""
        self._parts[part]["lines"].append({"complete": True, **line})
        print("\n".join(_in_words(line)), flush=True)
        self._write(part)

    def end(self, part: str, *, complete: bool) -> None:
        """The part is over; ``complete``: the time was not."""
        lines = self._parts[part]["lines"]
        self._parts[part]["complete"] = complete and bool(lines) and all(line["complete"] for line in lines)
        self._write(part)

    def status(self, parts: list[str]) -> int:
        """0 if all of these parts held, 1 if something in them did not, :data:`CUT_SHORT` if they are not complete."""
        chosen = [self._parts[part] for part in parts]
        if not all(line["held"] for part in chosen for line in part["lines"]):
            return 1
        return 0 if all(part["complete"] for part in chosen) else CUT_SHORT

    def _write(self, part: str) -> None:
        self._parts[part]["seconds"] = round(time.monotonic() - self._started, 1)
        text = json.dumps(
            {"schema": 1, "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"), "parts": self._parts}, indent=1
        )
        self.path.write_text(text + "\n", encoding="utf-8")
        self.path.with_suffix(".txt").write_text("\n".join(self._summary()) + "\n", encoding="utf-8")

    def _summary(self) -> list[str]:
        lines = []
        for name, part in self._parts.items():
            about = part["machine"]
            held = all(line["held"] for line in part["lines"])
            ended = _SIGN[held] + ("" if part["complete"] else ", CUT SHORT")
            where = f"{about.get('gpu', about['processor'])}, torch {about['torch']}, {about['at']}"
            lines += [f"{name}: {ended}, {len(part['lines'])} lines, {part['seconds']:.0f} s ({where})"]
            lines += [text for line in part["lines"] for text in _in_words(line)]
            lines += [""]
        return lines


def _in_words(line: dict[str, Any]) -> list[str]:
    return [
        f"  {_SIGN[line['held']]:6} {line['what']}: {line['said']}",
        *(f"         {text}" for text in line.get("problems", ())),
    ]


if __name__ == "__main__":
    sys.exit(main())
