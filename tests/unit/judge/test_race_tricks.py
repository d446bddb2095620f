"""Tricks that must not pay, each in a real jail. None of them passes, whatever the machine does meanwhile."""

import pytest
import torch
from small_race import LOOP

pytestmark = pytest.mark.timed

SLOW = "import torch\ndef slow(x):\n    return torch.stack([row * 2 for row in x])\n"
# Each computes the right answer slowly, or a wrong one fast, and tries to be taken for better.
TRICKS = {
    "caches by identity": SLOW
    + "kept = {}\ndef double(x):\n    if id(x) not in kept:\n        kept[id(x)] = slow(x)\n    return kept[id(x)]\n",
    "caches by shape": SLOW
    + "kept = {}\ndef double(x):\n    if x.shape not in kept:\n        kept[x.shape] = slow(x)\n    return kept[x.shape]\n",
    "caches by the first value": SLOW + "kept = {}\ndef double(x):\n    key = round(float(x[0, 0]), 1)\n    if key not in kept:\n"
    "        kept[key] = slow(x)\n    return kept[key]\n",
    "skips work when calls come in a row": SLOW
    + "calls = 0\ndef double(x):\n    global calls\n    calls += 1\n    return slow(x) if calls < 5 else torch.zeros_like(x)\n",
    "skips work on every second call": SLOW
    + "calls = 0\ndef double(x):\n    global calls\n    calls += 1\n    return slow(x) if calls % 2 else x\n",
    "returns early and finishes in a thread": SLOW + "import threading\ndef double(x):\n    result = torch.empty_like(x)\n"
    "    threading.Thread(target=lambda: result.copy_(slow(x))).start()\n    return result\n",
    "puts its work off until after the answer": "import threading, time\ndef work():\n"
    "    until = time.process_time() + 0.02\n    while time.process_time() < until: pass\n"
    "def double(x):\n    try: threading.Timer(0.002, work).start()\n"
    "    except RuntimeError: pass\n"  # on a busy machine there are soon as many threads as there may be
    "    return 2 * x\n",
    "leaves a process running": "import os\ncalls = 0\ndef double(x):\n    global calls\n    calls += 1\n"
    "    if calls == 1 and os.fork() == 0:\n        while True: pass\n    return 2 * x\n",
    "left a process running when its cells ran": "import os\nif os.fork() == 0:\n    while True: pass\n"
    "def double(x):\n    return 2 * x\n",
    "loads the machine to slow the reference down": "import os\nfor _ in range(3):\n"
    "    if os.fork() == 0:\n        while True: pass\n" + SLOW + "double = slow\n",
    "patches the clocks": "import time\nfor name in ('time', 'perf_counter', 'monotonic', 'process_time', 'thread_time'):\n"
    "    setattr(time, name, lambda: 0.0)\n    setattr(time, name + '_ns', lambda: 0)\ntime.clock_gettime = lambda _: 0.0\n"
    + SLOW
    + "double = slow\n",
    "changes the number of threads": "import torch\ntorch.set_num_threads(2)\n"
    "def double(x):\n    torch.set_num_threads(2)\n    y = torch.ones(3_000_000)\n"
    "    for _ in range(4): y = y * 1.5\n    return 2 * x\n",
    "forks its work, and waits for it": "import os\ndef double(x):\n    children = []\n"
    "    for _ in range(2):\n        pid = os.fork()\n"
    "        if pid == 0:\n            total = 0\n            for i in range(300_000): total += i\n            os._exit(0)\n"
    "        children.append(pid)\n    for pid in children: os.waitpid(pid, 0)\n    return 2 * x\n",
    "forks its work, and nobody waits for it": "import os, signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    "def double(x):\n    ours, theirs = os.pipe()\n    if os.fork() == 0:\n        total = 0\n"
    "        for i in range(300_000): total += i\n        os._exit(0)\n"
    "    os.close(theirs)\n    os.read(ours, 1)\n    os.close(ours)\n    return 2 * x\n",
    "warms up during import": SLOW
    + "kept = {}\nfor seed in range(20):\n    torch.manual_seed(seed)\n    x = torch.randn(2000, 4)\n"
    "    kept[float(x[0, 0])] = slow(x)\ndef double(x):\n    found = kept.get(float(x[0, 0]))\n"
    "    return slow(x) if found is None else found\n",
    "computes answers in advance": SLOW
    + "ahead = None\ndef double(x):\n    global ahead\n    result = ahead if ahead is not None else slow(x)\n"
    "    ahead = slow(torch.randn_like(x))\n    return result\n",
    "waits": "import time\ndef double(x):\n    time.sleep(0.02)\n    return 2 * x\n",
}


@pytest.mark.parametrize("text", TRICKS.values(), ids=TRICKS)
def test_it_does_not_pay(track, text):
    said = track.run(text)
    assert said.outcome in ("failed", "ungraded"), (said.message, said.measurements)
    # It is the race that says so, not a process that could not be started.
    assert "race" in said.measurements or "elements are wrong" in said.message


@pytest.mark.parametrize("name", ["leaves a process running", "left a process running when its cells ran"])
def test_work_after_the_answers_is_seen_and_named(track, name):
    said = track.run(TRICKS[name])
    assert any(batch["still running"] for batch in said.race["batches"])
    if said.outcome == "failed":
        assert "went on working after its answers" in said.message


def test_a_right_answer_rests_when_nothing_is_asked_of_it(track):
    said = track.run("def double(x):\n    return x + x\n")
    assert not any(batch["still running"] for batch in said.race["batches"])
    assert said.outcome in ("passed", "ungraded")


def test_answers_cannot_be_foretold_from_the_inputs_seen_so_far(track):
    """Whoever knows the generator's state after one call's inputs does not know the next ones."""
    seen, guesses = [], []

    def make_inputs():
        if seen:
            guesses.append(float(torch.randn(2000, 4)[0, 0]))  # what running the generator on would give; then it is seeded anew
        x = torch.randn(2000, 4)
        seen.append(float(x[0, 0]))
        return (x,)

    from torchgrade.judge.race.sides import Draw

    draw = Draw(make_inputs, secret=5)
    states = []
    for _ in range(20):
        before = torch.default_generator.get_state()
        draw()
        generator = torch.Generator()
        generator.set_state(before)
        states.append(float(torch.randn(2000, 4, generator=generator)[0, 0]))
    assert not set(states) & set(seen)
    assert len(set(seen)) == 20


def test_the_same_seed_draws_the_same_inputs():
    from torchgrade.judge.race.sides import Draw

    first, again, other = (Draw(lambda: (torch.randn(3),), secret) for secret in (5, 5, 6))
    assert torch.equal(first()[0], again()[0])
    assert not torch.equal(first()[0], other()[0])


def test_a_loop_alone_is_what_the_tricks_start_from(track):
    assert track.run(LOOP).outcome in ("failed", "ungraded")


@pytest.mark.parametrize(
    "name",
    ["forks its work, and waits for it", "leaves a process running", "puts its work off until after the answer"],
)
def test_nor_does_it_where_there_is_no_control_group_to_count_with(track, monkeypatch, name):
    from torchgrade.jail.resources import process_tree

    monkeypatch.setattr(process_tree, "processor_account", lambda _: None)
    said = track.run(TRICKS[name])
    assert said.race["clock"] == "/proc"
    assert said.outcome in ("failed", "ungraded"), said.measurements


def test_nor_where_priority_is_not_ours_to_give(track, monkeypatch):
    from torchgrade.jail.resources import process_tree
    from torchgrade.judge.race import racing

    for module in (process_tree, racing):
        monkeypatch.setattr(module, "prefer", lambda *_: False)
    said = track.run(LOOP)
    assert said.race["priority"] == "as usual"
    assert said.outcome in ("failed", "ungraded")
    assert track.run("def double(x):\n    return x + x\n").outcome in ("passed", "ungraded")
