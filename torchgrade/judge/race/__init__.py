"""Speed and memory as ratios to the instructor's own solution, measured in one run, each side in a jail of its own.

    race (racing) ──► sides ──► samples ──► verdict ──► sentences: what the student reads, what the record keeps
          │              └── the processes from outside (jail.resources.process_tree): processor time, peak memory, core
          ├── rivals: sessions of the reference and of the baseline
          └── lane: one race at a time on a machine

The clock is the judge's and runs until the result is in its hands. A shared machine may slow everything down, but that hardly
changes the minimum of many short samples, or processor time. (It does change medians of a few paired times: they were seen to be
off by a factor of six.)
"""

from torchgrade.judge.race.memory import assert_memory
from torchgrade.judge.race.racing import race
from torchgrade.judge.race.rivals import Racers, racers

__all__ = ["Racers", "assert_memory", "race", "racers"]
