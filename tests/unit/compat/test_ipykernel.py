"""ipykernel's output thread listens and connects by the two methods that torchgrade.compat.ipykernel replaces."""

import subprocess
import sys

# In a process of its own: what is replaced stays replaced.
PRINTS = """
import os, sys
import zmq
from ipykernel.iostream import IOPubThread
from torchgrade.compat import ipykernel

ipykernel._ADDRESS = "ipc://" + sys.argv[1]
ipykernel.prints_over_a_unix_socket()
context = zmq.Context()
listener = context.socket(zmq.PULL)
listener.bind("inproc://prints")
published = context.socket(zmq.PUSH)
published.connect("inproc://prints")
thread = IOPubThread(published, pipe=True)
thread.start()
child = os.fork()
if child == 0:
    thread.send_multipart([b"from the fork"])
    os._exit(0)
os.waitpid(child, 0)
print(listener.recv_multipart() if listener.poll(20_000) else "nothing came", os.path.exists(sys.argv[1]))
os._exit(0)
"""


def test_what_a_fork_prints_comes_over_the_unix_socket(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", PRINTS, str(tmp_path / "prints")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert "from the fork" in done.stdout, done.stdout + done.stderr
    assert done.stdout.strip().endswith("True")
