"""Connects to a port and to an abstract socket of the machine, where somebody tells the secret.

Family: reading what is secret
Wall: network namespace; only local sockets can be made
Marks: 0
Reads: yes
Says: LOOT
"""

import socket


def softmax(logits, dim=-1):
    found = []
    for family, address in ((socket.AF_INET, ("127.0.0.1", int("@PORT@"))), (socket.AF_UNIX, "\0@SOCKET@")):
        try:
            with socket.socket(family) as connection:
                connection.settimeout(0.5)
                connection.connect(address)
                found.append(connection.recv(100).decode())
        except OSError as error:
            found.append(type(error).__name__)
    raise ValueError(f"LOOT {found}")
