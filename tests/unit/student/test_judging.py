"""What becomes of a check, whatever it or the student's code does."""

import pytest
from made_folder import SOFTMAX, one_check, write_folder


@pytest.fixture
def outcome(run, folder):
    """What a check with the given body shows for a student's source."""

    def show(body, source=SOFTMAX, **options):
        write_folder(folder, one_check(body, **options))
        return run(source)()

    return show


def test_part_of_the_points_can_be_awarded(outcome):
    text = outcome("award(0.5, 'Half of the cases hold.')")

    assert "◐ 0.5 / 1  One check" in text
    assert "Half of the cases hold." in text


def test_a_plain_assert_with_a_message_is_the_students_failure(outcome):
    assert "✗ 0 / 1  One check\n         Too few rows" in outcome("assert False, 'too few rows'")


def test_a_plain_assert_without_a_message_shows_nothing_of_the_check(outcome):
    text = outcome("secret = 1\nassert secret == 2")

    assert "Your code does not pass this check." in text
    assert "secret" not in text


def test_a_mistake_in_the_check_is_told_as_what_it_may_be(outcome):
    text = outcome("{}['missing']")

    assert "○ ? / 1  One check" in text
    assert "This check could not be run with your result. If that is as it should be, tell your instructor: " in text
    assert "public_softmax.py, line 9: KeyError: 'missing'" in text


def test_a_check_that_cannot_be_decided_stays_open(outcome):
    text = outcome("from torchgrade.checks.declared import UndecidedError\nraise UndecidedError('too noisy')")

    assert "○ ? / 1  One check\n         Too noisy" in text


def test_a_backward_pass_that_raises_is_the_students_with_its_line(outcome):
    source = """
import torch
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        raise ValueError("no backward here")
def softmax(x, dim=-1):
    return Bad.apply(x)
"""
    body = "x = torch.randn(3, requires_grad=True)\nstudent.softmax(x).sum().backward()"
    text = outcome(body, source)

    assert "✗ 0 / 1" in text
    assert 'Your code raised ValueError: no backward here (solution.py, line 9: raise ValueError("no backward here"))' in text


def test_a_graph_that_autograd_refuses_is_the_students(outcome):
    source = "def softmax(x, dim=-1):\n    y = x.exp()\n    z = y * y\n    y.add_(1)\n    return z\n"
    body = "x = torch.randn(3, requires_grad=True)\ntorch.autograd.grad(student.softmax(x), x, torch.randn(3))"
    text = outcome(body, source)

    assert "✗ 0 / 1" in text
    assert "modified by an inplace operation" in text


def test_gradcheck_works_on_the_students_function(outcome):
    body = "x = torch.randn(3, dtype=torch.float64, requires_grad=True)\nassert torch.autograd.gradcheck(student.softmax, (x,))"

    assert "✓ 1 / 1" in outcome(body)
    wrong = SOFTMAX.replace("return", "return logits.detach().sum() * 0 + logits.detach() +")
    assert "✗ 0 / 1" in outcome(body, wrong)


def test_a_function_that_changes_its_argument_does_not_change_what_it_is_compared_with(outcome):
    body = "x = torch.randn(3)\nkept = x.clone()\nstudent.softmax(x)\nassert torch.equal(x, kept), 'changed'"

    assert "✓ 1 / 1" in outcome(body, "def softmax(x, dim=-1):\n    return x.zero_()\n")


def test_an_argument_that_is_changed_in_place_is_noticed(outcome):
    body = "assert_inputs_untouched(student.softmax, torch.randn(3))"

    assert "The input was changed in place" in outcome(body, "def softmax(x, dim=-1):\n    return x.sub_(x.max()).exp()\n")


def test_a_result_that_shares_memory_is_noticed(outcome):
    body = "assert_inputs_untouched(student.softmax, torch.randn(3))"

    assert "shares memory with an input" in outcome(body, "def softmax(x, dim=-1):\n    return x[:]\n")


@pytest.mark.parametrize("make", ["torch.randn(4, 3).t()", "torch.randn(4, 6)[:, ::2]", "torch.randn(4, 1).expand(4, 3)"])
def test_an_argument_keeps_its_strides(outcome, make):
    body = f"""
x = {make}
assert student.run(seen, x) == (x.stride(), x.tolist()), "other strides"
"""

    assert "✓ 1 / 1" in outcome(body, beside="def seen(notebook, x): return x.stride(), x.tolist()")


def test_operations_are_counted(outcome):
    body = "assert_constant_operations(student.softmax, [(torch.randn(n, 3),) for n in (2, 8)])"
    loop = "import torch\ndef softmax(x, dim=-1):\n    return torch.stack([row.softmax(-1) for row in x])\n"

    assert "✓ 1 / 1" in outcome(body)
    assert "there is a Python loop" in outcome(body, loop)


def test_a_probe_runs_on_the_students_namespace(outcome):
    beside = "def of_zeros(notebook, n): return notebook.softmax(torch.zeros(n))"
    body = "assert student.{}(2).tolist() == [0.5, 0.5], 'other'"

    assert "✓ 1 / 1" in outcome(body.format("probe(of_zeros)"), beside=beside)
    assert "✓ 1 / 1" in outcome("assert student.run(of_zeros, 2).tolist() == [0.5, 0.5], 'other'", beside=beside)


def test_what_a_probe_raises_in_the_students_code_is_theirs(outcome):
    text = outcome("student.run(without)", beside="def without(notebook): notebook.softmax()")

    assert "✗ 0 / 1" in text
    assert "Your code raised TypeError" in text


def test_a_probe_that_asks_for_a_missing_name_says_so(outcome):
    assert "other is not defined yet: run the cell above first." in outcome(
        "student.run(other)", beside="def other(notebook): notebook.other()"
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("student.softmax({1, 2})", "student.softmax: argument 1 is a value of type set, which cannot be sent"),
        ("student.softmax(torch.ones(2), dim=[object()])", "argument dim is a list that holds a value of type object"),
        ("student.run(lambda notebook: 1)", "student.run takes a function that is defined with def"),
    ],
)
def test_what_could_not_be_sent_in_grading_is_the_checks_fault_here_too(outcome, body, said):
    text = outcome(body)

    assert "○ ? / 1" in text
    assert said in text


def test_an_object_that_could_not_be_graded_is_refused_here_too(outcome):
    source = "import torch\ndef softmax(x, dim=-1): return torch.nn.Softmax(dim)\n"

    assert "softmax returned a value of type Softmax; only tensors" in outcome("student.softmax(torch.ones(2))", source)


def test_a_function_of_the_students_can_be_an_argument(outcome):
    source = (
        SOFTMAX + "\ndef apply(function, x):\n    return function(x)\n\ndef same(function):\n    return function is softmax\n"
    )

    assert "✓ 1 / 1" in outcome("assert student.same(student.softmax), 'another function'", source)


def test_any_error_of_the_students_satisfies_a_check_that_wants_one(outcome):
    body = "assert_raises(student.softmax, torch.randn(3), 7, because='dim 7 is not there')"

    assert "✓ 1 / 1" in outcome(body)
    assert "No error was raised" in outcome(body, "def softmax(x, dim=-1):\n    return x\n")


def test_a_stub_does_not_satisfy_a_check_that_wants_an_error(outcome):
    body = "assert_raises(student.softmax, torch.randn(3), 7, because='dim 7 is not there')"

    assert "softmax is not written yet." in outcome(body, "def softmax(x, dim=-1):\n    raise NotImplementedError\n")


def test_a_tensor_subclass_is_refused_as_in_grading(outcome):
    source = (
        "import torch\nclass Mine(torch.Tensor): pass\ndef softmax(x, dim=-1):\n    return x.softmax(dim).as_subclass(Mine)\n"
    )

    assert "a tensor subclass, Mine" in outcome("student.softmax(torch.randn(3))", source)


def test_an_exception_whose_text_raises_is_still_reported(outcome):
    source = "class Odd(Exception):\n    def __str__(self): raise ValueError\ndef softmax(x, dim=-1): raise Odd\n"

    assert "Your code raised Odd: (its text raised ValueError)" in outcome("student.softmax(torch.randn(3))", source)


def test_a_recursion_without_end_is_reported(outcome):
    assert "RecursionError" in outcome("student.softmax(1)", "def softmax(x):\n    return softmax(x)\n")


def test_a_file_of_the_students_own_is_named(outcome, folder, monkeypatch):
    (folder / "my_helpers.py").write_text("def divide(x):\n    return x / 'two'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    text = outcome("student.softmax(1)", "import my_helpers\ndef softmax(x):\n    return my_helpers.divide(x)\n")

    assert "(my_helpers.py, line 2: return x / 'two')" in text


def test_public_checks_may_define_dataclasses(run, folder):
    head = "from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass Case:\n    n: int\n\n"
    write_folder(folder, head + one_check("assert Case(3).n == 3, 'no'"))

    assert "✓ 1 / 1" in run(SOFTMAX)()
