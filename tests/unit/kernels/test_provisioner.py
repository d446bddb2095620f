"""Kernels in the jail, through jupyter_client and nbclient as anybody would start them."""

import os
import signal
import socket
import sys
import time

import nbclient
import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import KernelProvisionerFactory

from torchgrade.jail import SandboxError
from torchgrade.kernels import jail


@pytest.fixture(scope="module", autouse=True)
def jailed_by_default():
    """What the environment variable does, for one module."""
    factory = KernelProvisionerFactory.instance()
    before, factory.default_provisioner_name = factory.default_provisioner_name, "torchgrade-jail"
    yield
    factory.default_provisioner_name = before
    jail.close_idle_jails()


@pytest.fixture
def folder(tmp_path):
    """A notebook's folder with a module, data, a notebook, and a link to a secret outside."""
    (tmp_path / "secret").write_text("the gradebook")
    folder = tmp_path / "autograded" / "alice"
    (folder / "data").mkdir(parents=True)
    (folder / "helper.py").write_text("answer = 42")
    (folder / "data" / "numbers.csv").write_text("1,2,3")
    (folder / "ps1.ipynb").write_text("hidden tests")
    (folder / "link.csv").symlink_to(tmp_path / "secret")
    return folder


def run(folder, *sources, timeout=30, **config):
    """The outputs of these cells, each as text: what was printed, the last value, or the error."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    notebook = nbformat.v4.new_notebook(cells=cells)
    made = nbclient.NotebookClient(
        notebook,
        timeout=timeout,
        allow_errors=True,
        interrupt_on_timeout=True,
        shutdown_kernel="immediate",
        resources={"metadata": {"path": str(folder)}},
        **config,
    )
    made.execute()
    return ["".join(map(as_text, cell.outputs)) for cell in notebook.cells]


def as_text(output):
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    return output.text if output.output_type == "stream" else output.data["text/plain"]


def test_a_notebook_finds_the_files_beside_it_and_may_change_its_copies(folder):
    said = run(
        folder,
        "import helper; helper.answer",
        "open('data/numbers.csv').read()",
        "open('data/numbers.csv', 'w').write('mine'); open('new.txt', 'w').write('x')",
    )
    assert said == ["42", "'1,2,3'", "1"]
    assert (folder / "data" / "numbers.csv").read_text() == "1,2,3"
    assert not (folder / "new.txt").exists()


def test_it_sees_neither_notebooks_nor_links_nor_anything_outside(folder):
    secret = folder.parent.parent / "secret"
    said = run(folder, "import os; sorted(os.listdir('.'))", f"os.path.exists({str(secret)!r})", "os.listdir('/proc').count('1')")
    assert said == ["['data', 'helper.py']", "False", "1"]


def test_it_has_no_network_no_privileges_and_of_the_environment_only_what_nbgrader_promises(folder, monkeypatch):
    monkeypatch.setenv("PASSWORD", "secret")
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    said = run(
        folder,
        "import socket; socket.socket()",
        "import os; os.environ.get('PASSWORD'), os.environ['NBGRADER_EXECUTION']",
        "print(*[line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')])",
    )
    assert said == [
        "OSError: [Errno 97] Address family not supported by protocol",
        "(None, 'autograde')",
        " ".join(["0" * 16] * 5) + "\n",
    ]


def test_it_can_neither_fill_nor_replace_the_folder_of_its_sockets(folder):
    said = run(folder, "import os; os.symlink('/x', '/run/kernel/x')", "os.unlink('/run/kernel/k-1')", "print('still here')")
    assert [text.partition(":")[0] for text in said] == ["OSError", "OSError", "still here\n"]


def test_forked_processes_print_into_the_notebook(folder):
    program = "import multiprocessing as m\np = m.get_context('fork').Process(target=print, args=('hello',))\np.start(); p.join()"
    assert run(folder, program, "import time; time.sleep(0.5)")[0] == "hello\n"


def test_plots_come_as_pictures_and_nothing_on_stderr(folder):
    from traitlets.config import Config

    cells = ["import matplotlib.pyplot as plt", "plt.plot([1, 2]); plt.show()"]
    picture = "<Figure size 640x480 with 1 Axes>"
    assert run(folder, *cells) == ["", picture]
    assert run(folder, *cells, config=Config({"JailProvisioner": {"preload": "matplotlib.pyplot"}})) == ["", picture]


def test_a_cell_that_takes_too_long_is_interrupted_and_the_kernel_goes_on(folder):
    late = {"ename": "Late", "evalue": "", "traceback": []}
    assert run(folder, "x = 1\nwhile True: pass", "x", timeout=1, error_on_timeout=late) == ["KeyboardInterrupt: ", "1"]


def test_a_kernel_that_ends_is_seen_at_once(folder):
    started = time.monotonic()
    with pytest.raises(nbclient.exceptions.DeadKernelError):
        run(folder, "import os; os._exit(3)", timeout=30)
    assert time.monotonic() - started < 10


def test_a_fork_bomb_is_over_when_the_kernel_is(folder):
    run(folder, "import os, time\nfor _ in range(30):\n    if os.fork() == 0:\n        os.setsid(); time.sleep(1000)", timeout=10)
    assert run(folder, "import os; sum(name.isdigit() for name in os.listdir('/proc'))") == ["2"]


def test_what_is_written_stops_at_the_limit_and_is_gone_for_the_next_kernel(folder):
    write = "import os\ntry:\n    open('/tmp/big', 'wb').write(b'x' * 200_000_000)\nexcept OSError as error:\n    print(error)"
    first, second = run(folder, write)[0], run(folder, "os = __import__('os'); os.path.exists('/tmp/big')")[0]
    assert (first.partition("]")[0], second) in [("[Errno 28", "False"), ("[Errno 27", "False")]


def test_memory_is_limited_as_the_kernels_specification_says(folder, monkeypatch):
    stanza = {"provisioner_name": "torchgrade-jail", "config": {"limits": {"memory_mb": 64}}}
    with_specification(monkeypatch, metadata={"kernel_provisioner": stanza})
    fits, not_so = run(folder, "len(bytearray(20_000_000))", "x = bytearray(100_000_000)")
    assert fits == "20000000"  # what the kernel's own threads reserve is not the notebook's
    assert not_so.startswith("MemoryError")


def test_files_that_do_not_fit_are_refused_in_a_line_that_names_the_setting(folder):
    from traitlets.config import Config

    (folder / "data" / "large.bin").write_bytes(b"x" * 3_000_000)
    with pytest.raises(SandboxError, match=r"large.bin cannot be copied \(No space left on device\).* c.Limits.scratch_mb"):
        run(folder, "1", config=Config({"Limits": {"scratch_mb": 2}}))


def test_what_was_said_before_an_end_that_left_messages_unread_is_heard():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.send(b"a file")
    theirs.send(b"it does not fit")
    theirs.close()
    assert jail._last_word(ours) == b"it does not fit"
    ours.close()


def test_limits_of_the_configuration_hold(folder):
    from traitlets.config import Config

    config = Config({"Limits": {"open_files": 77}})
    assert run(folder, "import resource; resource.getrlimit(resource.RLIMIT_NOFILE)", config=config) == ["(77, 77)"]


def test_another_kernel_is_refused_in_one_line_that_says_how_to_run_it(folder, monkeypatch):
    with_specification(monkeypatch, argv=["/opt/julia", "-i", "{connection_file}"])
    with pytest.raises(
        SandboxError, match=r"'python3' cannot be jailed: expected ipykernel.* got /opt/julia.*unjailed = 'python3'"
    ):
        run(folder, "1")


def test_a_kernel_that_the_setting_names_runs_outside(folder, monkeypatch):
    from traitlets.config import Config

    program = "from ipykernel.kernelapp import launch_new_instance as launch; launch()"
    with_specification(monkeypatch, argv=[sys.executable, "-c", program, "-f", "{connection_file}"])
    config = Config({"JailProvisioner": {"unjailed": "ir python3"}})
    assert run(folder, "import os; os.getcwd()", config=config) == [repr(str(folder))]


def test_modules_of_the_setting_are_there_before_the_kernel_starts(folder):
    from traitlets.config import Config

    asked = "import sys; 'wave' in sys.modules"
    assert run(folder, asked) == ["False"]
    assert run(folder, asked, config=Config({"JailProvisioner": {"preload": "wave"}})) == ["True"]


def test_the_second_kernel_runs_in_the_jail_of_the_first(folder):
    run(folder, "1")
    before = {each.pid for each in jail._idle}
    run(folder, "1")
    assert before
    assert {each.pid for each in jail._idle} == before


def test_a_jail_that_was_killed_is_replaced(folder):
    run(folder, "1")
    for each in jail._idle:
        os.kill(each.pid, signal.SIGKILL)
        while each.is_alive:
            time.sleep(0.005)
    assert run(folder, "1 + 1") == ["2"]


def with_specification(monkeypatch, **changes):
    """Have every kernel started from this specification."""
    plain = AsyncKernelManager(kernel_name="python3").kernel_spec.to_dict()
    changed = KernelSpec(**plain | changes)
    monkeypatch.setattr(AsyncKernelManager, "kernel_spec", property(lambda _: changed))
