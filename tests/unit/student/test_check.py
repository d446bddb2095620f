"""`check()` in plain Python: what it shows, and what it says when something is missing."""

import json
import os
import subprocess
import sys

import pytest
from made_folder import CHECKS, SOFTMAX, one_check, write_folder

import torchgrade.student
from torchgrade.student import check


def test_a_right_answer_passes_every_public_check(run):
    assert run(SOFTMAX)().splitlines() == [
        "softmax: 4 / 4 points in the public checks",
        "✓ 1 / 1  Probabilities sum to 1",
        "✓ 2 / 2  The gradient is right",
        "✓ 1 / 1  The input stays as it is",
        "After you submit, 5 hidden checks follow: 3 of values, 2 of gradients.",
    ]


def test_a_wrong_answer_is_told_what_is_wrong_with_a_hint(run):
    text = run("def softmax(x, dim=-1):\n    return x.softmax(dim) * 2\n")()

    assert "✗ 0 / 1  Probabilities sum to 1" in text
    assert "The result: 12 of 12 elements are wrong" in text
    assert "Hint: Divide by the sum." in text


def test_the_courses_own_hint_for_an_exception_is_shown_and_a_damaged_file_of_them_is_overlooked(run, folder):
    wrong = "def softmax(x, dim=-1):\n    raise ValueError('nobody knows')\n"
    (folder / "errors.toml").write_text('[[error]]\ntext = "nobody knows"\nhint = "We do."\n')
    assert "Hint: We do." in run(wrong)()
    (folder / "errors.toml").write_text("[[error")
    text = run(wrong)()
    assert "nobody knows" in text
    assert "Hint" not in text


def test_a_check_that_needs_one_that_failed_is_skipped_and_says_which(run):
    text = run("def softmax(x, dim=-1):\n    return x\n")()

    assert "– 0 / 2  The gradient is right" in text  # noqa: RUF001
    assert "Not checked, because this has to pass first: Probabilities sum to 1." in text


def test_check_returns_nothing(run):
    assert run(SOFTMAX)('print(check("softmax"))').endswith("gradients.\nNone\n")


def test_what_the_student_raises_is_shown_with_their_line_and_no_traceback(run):
    text = run("def softmax(x, dim=-1):\n    return helper(x)\n\ndef helper(x):\n    return x[7, 7, 7]\n")()

    assert "Your code raised IndexError: too many indices for tensor of dimension 2" in text
    assert "(solution.py, line 5: return x[7, 7, 7])" in text
    assert "Traceback" not in text
    assert "standin" not in text


def test_a_stub_reads_not_written_yet_once_and_without_hints(run, folder):
    write_folder(folder, CHECKS.replace("needs=test_sums, ", ""))
    text = run("def softmax(x, dim=-1):\n    raise NotImplementedError\n")()

    assert text.count("softmax is not written yet.") == 1
    assert "Hint" not in text
    assert "0 / 4 points" in text


def test_an_operation_that_torch_lacks_is_no_stub(run):
    text = run("import torch\ndef softmax(x, dim=-1):\n    return torch.linalg.inv(x.to_sparse())\n")()

    assert "not written yet" not in text
    assert "Your code raised NotImplementedError (from a library)" in text


def test_a_name_that_is_not_defined_says_to_run_the_cell(run):
    assert "softmax is not defined yet: run the cell above first." in run("x = 1\n")()


def test_a_name_that_is_no_function_says_so(run):
    assert "softmax is a value of type int; expected a function of that name." in run("softmax = 3\n")()


def test_a_forgotten_return_is_named(run):
    source = "from torch import Tensor\ndef softmax(x: Tensor, dim: int = -1) -> Tensor:\n    x.softmax(dim)\n"

    assert "softmax returned None: is a return missing?" in run(source)()


def test_exit_in_the_students_code_does_not_end_the_kernel(run):
    assert "Your code raised SystemExit" in run("def softmax(x, dim=-1):\n    exit()\n")()


def test_the_latest_definition_counts(run):
    notebook = run("softmax = 3\n")

    notebook("def softmax(x, dim=-1):\n    return x.softmax(dim)\n")
    assert "4 / 4 points" in notebook()


def test_the_checks_are_read_anew_each_time_even_within_a_second(run, folder, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file, notebook = folder / "public_softmax.py", run(SOFTMAX)
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    notebook()

    write_folder(folder, CHECKS.replace("sum to 1", "add to 1"))
    os.utime(file, ns=times)
    assert "Probabilities add to 1" in notebook()


def test_the_checks_are_forgotten_afterwards(run, folder, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    run(SOFTMAX)()

    assert "public_softmax" not in sys.modules
    assert not (folder / "__pycache__").exists()


def test_each_run_draws_other_inputs(run, folder):
    write_folder(folder, one_check("raise CheckFailed(str(torch.randn(4).tolist()))"))
    notebook = run(SOFTMAX)

    assert notebook() != notebook()


def test_no_name_means_every_exercise_there_is(run, folder):
    write_folder(folder, name="other")
    text = run(SOFTMAX)("check()")

    assert "softmax:" in text
    assert "other:" in text


def test_a_missing_file_says_what_to_do(run, folder):
    (folder / "public_softmax.py").unlink()
    text = run(SOFTMAX)()

    assert text.count("\n") == 1
    assert "public_softmax.py is not beside this notebook" in text
    assert "fetch the assignment again" in text


@pytest.mark.parametrize("name", ["sofmax", "../softmax", ""])
def test_a_wrong_name_lists_the_right_ones(run, name):
    assert f"There are no checks for {name!r}; there are some for softmax." in run(SOFTMAX)(f"check({name!r})")


def test_one_wrong_name_does_not_stop_the_others(run):
    assert "4 / 4 points" in run(SOFTMAX)('check("sofmax", "softmax")')


@pytest.mark.parametrize("source", ["def test_x(student:", "import nowhere_at_all", "raise ValueError('x')"])
def test_a_damaged_file_is_one_line(run, folder, source):
    write_folder(folder, source)
    text = run(SOFTMAX)()

    assert text.startswith("public_softmax.py cannot be used (")
    assert text.count("\n") == 1


@pytest.mark.parametrize("damaged", ["", "[]", '{"exercises": {}}', '{"exercises": {"softmax": {"hidden": 3}}}'])
def test_without_a_list_of_hidden_checks_it_says_that_there_may_be_some(run, folder, damaged):
    (folder / "checks.json").write_text(damaged, encoding="utf-8")
    text = run(SOFTMAX)()

    assert "4 / 4 points" in text
    assert "There may be hidden checks too" in text


def test_a_notebook_that_changed_its_folder_still_finds_the_checks(folder, tmp_path_factory):
    elsewhere = str(tmp_path_factory.mktemp("elsewhere"))
    source = f"import os\nfrom torchgrade import check\n{SOFTMAX}\nos.chdir({elsewhere!r})\ncheck('softmax')\n"
    (folder / "solution.py").write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, "solution.py"], capture_output=True, text=True, check=True, timeout=120)

    assert "4 / 4 points" in done.stdout


def test_an_interrupt_ends_it_in_one_line(run):
    text = run("def softmax(x, dim=-1):\n    raise KeyboardInterrupt\n")('check("softmax", "softmax")')

    assert text == "Stopped: softmax was not checked to the end.\n"


def test_where_work_is_graded_it_does_nothing(run, monkeypatch):
    monkeypatch.setattr(torchgrade.student, "silent", True)

    assert run(SOFTMAX)() == ""


def test_what_is_hidden_in_an_error_is_shown_for_what_it_is(run):
    text = run("def softmax(x, dim=-1):\n    raise ValueError('a\\x1b[2Jb\\u202ec')\n")()

    assert "ValueError: ab\ufffdc" in text


def test_a_terminal_of_another_code_page_gets_signs_that_it_has(folder):
    (folder / "solution.py").write_text(f"from torchgrade import check\n{SOFTMAX}\ncheck('softmax')\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "solution.py"], capture_output=True, check=True, timeout=120, env=environment)

    assert b"+ 1 / 1  Probabilities sum to 1" in done.stdout


def test_it_imports_nothing_that_a_students_machine_may_lack():
    # torch and numpy may bring modules of their own, so only what comes on top of them counts.
    code = (
        "import sys, json, torch, numpy, torch.autograd.gradcheck, torch.utils._python_dispatch; before = set(sys.modules)\n"
        "from torchgrade import check; import torchgrade.student, torchgrade.report\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    added = {name.partition(".")[0] for name in json.loads(done.stdout)}

    unwanted = {"fcntl", "resource", "pwd", "grp", "pytest", "nbformat", "nbgrader", "nbconvert", "IPython", "rich", "click"}
    assert not added & (unwanted | {"traitlets", "safetensors"})
    assert not [name for name in json.loads(done.stdout) if name.startswith(("torchgrade.jail.j", "torchgrade.jail.s"))]


def test_check_is_the_packages_own():
    import torchgrade

    assert torchgrade.check is check
