"""Writes itself into every place from which a system starts programs later.

Family: outliving the run
Wall: read-only root; private /tmp
Marks: 0
Says: LEFT []
"""

import os

places = ("/etc/cron.d", "/etc/profile.d", "/var/spool/cron", "/usr/lib/systemd/system", "/root", "/etc/init.d", "/usr/bin")
left = []
for place in places:
    try:
        os.makedirs(place, exist_ok=True)
        with open(f"{place}/torchgrade-attack", "w") as file:
            file.write("* * * * * true\n")
        os.remove(f"{place}/torchgrade-attack")
        left.append(place)
    except OSError:
        pass


def softmax(logits, dim=-1):
    raise ValueError(f"LEFT {left}")
