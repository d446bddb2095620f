"""Opens a file elsewhere on the machine, directly and through every root and working folder that /proc shows.

Family: reading what is secret
Wall: only the system and Python are in the jail; other processes are not to be seen
Marks: 0
Reads: yes
Says: LOOT
"""

import glob


def softmax(logits, dim=-1):
    found = []
    for start in ("", *glob.glob("/proc/*/root"), *glob.glob("/proc/*/cwd/../../..")):
        try:
            found.append(open(start + "@OUTSIDE@/secret.txt").read())
        except OSError as error:
            found.append(type(error).__name__)
    raise ValueError(f"LOOT {sorted(set(found))}")
