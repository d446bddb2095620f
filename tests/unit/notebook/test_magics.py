"""Cells with IPython's magics become Python on the same lines, and commands never run."""

import ast
import time

import pytest
from nbformat.v4 import new_code_cell


@pytest.fixture
def translate(hand_in, cells):
    """What runs for a cell of the student, and the notes on it."""

    def translate(source):
        program = hand_in([*cells.values(), new_code_cell(source)])
        cell = program.cells[-1]
        assert cell.source == source
        assert cell.python.count("\n") == source.count("\n"), "line numbers must agree"
        return cell.python, program.notes

    return translate


def value_of(python, name="x"):
    """The value of ``name`` after these assignments of constants, by the syntax tree alone."""
    found = [n for n in ast.parse(python).body if isinstance(n, ast.Assign) and n.targets[0].id == name]
    return ast.unparse(found[-1].value)


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "",
        "\n\n",
        "x = 5 % 3\ny = '%matplotlib inline'\nz = '!rm -rf /'",
        's = """\n!ls\n%timeit f()\n%%bash\nwhat?\n"""',
        "s = f'{a!r} {b:%Y}'\nif a != b:\n    pass",
        "x = (1\n     % 2)\n",
        "# !pip install x\n# %cd /",
        "print('100%')  # really?",
        "x = a \\\n    % b",
        "s = '''\n>>> f(1)\n2\n'''",
        "r = '\\d'",
        "ip = get_ipython()\nip.magic",
    ],
)
def test_plain_python_stays_as_it_is(translate, source):
    assert translate(source) == (source, ())


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%load_ext autoreload",
        "%autoreload 2",
        "%config A.b = 'c'",
        "%timeit f(1)",
        "%prun f()",
        "%who",
        "f?",
        "f??",
        "?f",
        "?",
    ],
)
def test_harmless_magics_are_dropped_without_a_word(translate, line):
    python, notes = translate(f"a = 1\n{line}\nx = 2")
    assert value_of(python) == "2"
    assert "get_ipython" not in python
    assert notes == ()


@pytest.mark.parametrize(
    "line",
    ["!pip install x", "!!ls", "%pip install x", "%conda install x", "%run a.py", "%cd /", "%env A=1", "%system ls", "%sx ls",
     "%unheard of", "%reset -f", "%%%", "%writefile a.py"],
)  # fmt: skip
def test_commands_and_unknown_magics_are_left_out_with_a_note_of_cell_and_line(translate, line):
    python, notes = translate(f"a = 1\n{line}\nx = 2")
    assert value_of(python) == "2"
    assert "get_ipython" not in python
    [note] = notes
    assert "Cell 8, line 2" in note


@pytest.mark.parametrize(
    "magic", ["bash", "sh", "script perl", "html", "javascript", "writefile a.py", "python2", "unheard", "latex", "system"]
)
def test_cells_for_another_program_are_left_out_with_a_note(translate, magic):
    python, notes = translate(f"%%{magic}\necho hello\nx = 1")
    assert not python.strip()
    [note] = notes
    assert "Cell 8, line 1" in note
    assert magic.split()[0] in note


def test_a_timed_out_cell_for_measuring_is_left_out_without_a_note(translate):
    python, notes = translate("%%timeit\nx = f()")
    assert (python.strip(), notes) == ("", ())


@pytest.mark.parametrize("magic", ["time", "capture", "capture out", "capture --no-stderr", "time\n%%capture"])
def test_the_body_of_a_timed_or_captured_cell_runs(translate, magic):
    python, notes = translate(f"%%{magic}\n\nx = 3\n%matplotlib inline\ndef f():\n    return x")
    assert value_of(python) == "3"
    assert notes == ()


def test_a_cell_magic_after_empty_lines_is_found(translate):
    assert value_of(translate("\n  \n%%time\nx = 3")[0]) == "3"


def test_a_magic_in_a_timed_cell_is_left_out_with_its_own_line(translate):
    python, notes = translate("%%time\nx = 3\n!ls")
    assert value_of(python) == "3"
    assert "line 3" in notes[0]


def test_a_timed_statement_runs(translate):
    python, notes = translate("%time x = f(1)")
    assert value_of(python) == "f(1)"
    assert notes == ()


def test_a_timed_loop_on_one_line_runs(translate):
    python, _ = translate("if a:\n    %time for i in x: f(i)\ny = 1")
    assert "for i in x: f(i)" in python
    ast.parse(python)


def test_a_timed_statement_with_a_comment_runs(translate):
    python, _ = translate("x = %time f(1)  # slow")
    assert value_of(python) == "f(1)"


def test_the_value_of_a_timed_expression_is_assigned(translate):
    python, notes = translate("x = %time f(1)")
    assert value_of(python) == "f(1)"
    assert notes == ()


def test_a_timed_command_is_left_out_with_a_note(translate):
    python, notes = translate("%time !ls\nx = 1")
    assert value_of(python) == "1"
    assert "line 1" in notes[0]


def test_the_output_of_a_command_is_an_empty_list(translate):
    python, notes = translate("x = !ls")
    assert value_of(python) == "[]"
    assert "'x = !ls'" in notes[0]


def test_a_magic_whose_value_is_assigned_gives_none_with_a_note(translate):
    python, notes = translate("x = %timeit -o f()")
    assert value_of(python) == "None"
    assert len(notes) == 1


def test_a_magic_in_a_block_leaves_the_block_whole(translate):
    python, _ = translate("for i in y:\n    %matplotlib inline\nelse:\n    !ls\nx = 1")
    assert value_of(python) == "1"


@pytest.mark.parametrize(
    "source",
    [
        "!echo a \\\n  b \\\n  c\nraise ValueError",
        "x = !echo a \\\n  b\nraise ValueError",
        "%run a \\\n  b\nraise ValueError",
        "\n\n   x = 1\n   !ls\n   raise ValueError",
        ">>> x = 1\n>>> raise ValueError",
        "In [1]: !ls\n   ...: raise ValueError",
        "%%time\n\n%%capture\n\n   raise ValueError",
        "(a,\n b)?\nraise ValueError",
        "s = '\x0c\x1c\u2028'\n!ls\nraise ValueError",
        "get_ipython().system(\n'ls'\n)\nraise ValueError",
        "s = 'äöü'; get_ipython().system('ls'); t = 'ß'\nraise ValueError",
        "!ls\n\n\n!ls\nraise ValueError",
        "%matplotlib inline\nraise ValueError\n\n\n",
    ],
)
def test_line_numbers_agree_with_the_source(translate, source):
    python, _ = translate(source)
    raised = [node.lineno for node in ast.walk(ast.parse(python)) if isinstance(node, ast.Raise)]
    wanted = [number for number, line in enumerate(source.split("\n"), 1) if "raise" in line]
    assert raised == wanted


def test_text_around_a_replaced_call_stays(translate):
    python, _ = translate("s = 'äöü'; get_ipython().system('ls'); x = 'ß'")
    assert value_of(python, "s") == "'äöü'"
    assert value_of(python) == "'ß'"


def test_two_calls_on_a_line_are_both_replaced(translate):
    python, _ = translate("a = get_ipython().getoutput('ls'); x = get_ipython().getoutput('ls -l')")
    assert (value_of(python, "a"), value_of(python)) == ("[]", "[]")


def test_a_timed_statement_that_is_part_of_a_line_leaves_the_line_python(translate):
    python, _ = translate("a = 1; get_ipython().run_line_magic('time', 'for i in y: f(i)')\nx = 2")
    assert value_of(python) == "2"


def test_a_students_own_use_of_the_shell_is_left_alone(translate):
    source = "ip = get_ipython()\nip.system(command)\nget_ipython().system(command)\n!ls"
    python, notes = translate(source)
    assert python.startswith("ip = get_ipython()\nip.system(command)\nget_ipython().system(command)\n")
    assert len(notes) == 1


@pytest.mark.parametrize(
    "source", ["def f(:\n    pass", "x = (1", "x = '", "if x:\npass", "x = 1\n  y = 2", "\x00", "x\\", "🙂 = 1", "a b"]
)
def test_a_cell_with_a_syntax_error_stays_as_it_is(translate, source):
    assert translate(source) == (source, ())


def test_a_syntax_error_beside_a_magic_is_still_one(translate):
    python, _ = translate("!ls\nx = (")
    with pytest.raises(SyntaxError):
        ast.parse(python)


def test_await_outside_a_function_stays_as_it_is(translate):
    assert translate("await f()") == ("await f()", ())


def test_locked_cells_magics_are_taken_out_without_a_note(course, assignment):
    import copy

    from sums_assignment import assignment_cells, write_assignment

    from torchgrade.notebook import load_assignment, take_program

    cells = assignment_cells()
    cells[1].source = "%matplotlib inline\n!nvidia-smi\nimport torch"
    write_assignment(course, cells)
    assignment = load_assignment(course / "assignments", "sums")
    program = take_program(assignment, copy.deepcopy(assignment.notebook))
    assert "get_ipython" not in program.cells[0].python
    assert program.cells[0].python.endswith("\nimport torch")
    assert not any("line" in note for note in program.notes)


@pytest.mark.parametrize(
    "source",
    [
        "%%time\n" * 10_000,
        "!ls\n" * 10_000,
        "x = !ls \\\n" * 10_000,
        "a" * 90_000 + " b?",
        "a." * 40_000 + "?",
        "-" * 90_000 + "1\n!ls",
        "(" * 90_000 + "\n!ls",
        "x = " + "1+" * 40_000 + "1\n!ls",
        "%time " + "-" * 90_000 + "1",
        ">>> " * 20_000,
        "!ls\n" + "x" * 900_000,
        "'" * 90_001 + "\n%a",
        "\\\n" * 40_000 + "!",
    ],
    ids=lambda source: source[:8],
)
def test_a_cell_made_to_be_slow_takes_a_few_seconds_at_most(translate, source):
    begin = time.perf_counter()
    translate(source)
    assert time.perf_counter() - begin < 15


def test_many_slow_cells_together_take_a_few_seconds_at_most(hand_in, cells):
    slow = [new_code_cell("!ls\n" * 2000) for _ in range(50)]
    begin = time.perf_counter()
    hand_in([*cells.values(), *slow])
    assert time.perf_counter() - begin < 30


def test_an_ordinary_program_is_taken_in_a_few_milliseconds(hand_in, cells):
    cells["add"].source = "%matplotlib inline\n" + cells["add"].source
    hand_in(cells.values())
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        hand_in(cells.values())
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.03
