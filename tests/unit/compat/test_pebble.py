"""Pebble measures how long a task runs by the clock that torchgrade.compat.pebble gives it."""

import subprocess
import sys

POOL = """
import time
from pebble import ProcessPool
from torchgrade.compat.pebble import steady_clock

{steady}
if __name__ == "__main__":
    with ProcessPool(max_workers=1) as pool:
        pool.schedule(time.sleep, args=(0,)).result()
        future = pool.schedule(time.sleep, args=(1.5,), timeout=60)
        while not future.running():
            time.sleep(0.01)
        now = time.time
        time.time = lambda: now() + 3600  # as if somebody had set the machine's clock forward
        try:
            future.result()
            print("done")
        except TimeoutError:
            print("ended")
"""


def ran(folder, steady):
    script = folder / "pool.py"
    script.write_text(POOL.format(steady=steady))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120)
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_clock_that_is_set_forward_ends_no_task(tmp_path):
    assert ran(tmp_path, "steady_clock()") == "done"


def test_without_it_pebble_would_still_end_the_task(tmp_path):
    assert ran(tmp_path, "") == "ended"
