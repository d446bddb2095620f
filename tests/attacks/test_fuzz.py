"""A short run of the fuzzers: mutations of good messages and notebooks, the same ones each time."""

import importlib.util
import os
import random
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("fuzz", Path(__file__).with_name("fuzz.py"))
fuzz = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fuzz)

SECONDS = os.environ.get("TORCHGRADE_FUZZ_SECONDS", "2")  # of coverage-guided fuzzing; .ci/nightly gives it a minute
COUNTS = {"wire": 4000, "notebook": 400}


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_mutations_of_good_inputs_raise_nothing_unexpected_and_stay_cheap(name):
    target, seeds = fuzz.TARGETS[name]
    chance, starts = random.Random(5), seeds()
    ways = (fuzz.mutated, fuzz.CHANGES[name])
    for seed in [*starts, *fuzz.known(name)]:
        target(seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, of buffers that cannot be written
        for number in range(COUNTS[name]):
            data = ways[number % 2](chance.choice(starts), chance)
            started = time.process_time()
            target(data)
            assert time.process_time() - started < 5, data[:1000]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="coverage-guided fuzzing needs the package atheris")
@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_coverage_guided_fuzzing_finds_nothing(name, tmp_path):
    line = [sys.executable, fuzz.__file__, name, "--seconds", SECONDS, "--folder", str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120 + float(SECONDS), check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
