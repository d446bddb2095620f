"""The proxy over a worker without a process: calls, gradients, ambient state, probes, and answers of the wrong kind."""

import pytest
import torch

from torchgrade.checks.declared import GraderError
from torchgrade.jail import BadAnswer, FakeWorker, NotDefined, Raised, SandboxError, Student
from torchgrade.jail.protocol import remote_student as proxy
from torchgrade.jail.protocol import values

SOURCE = """
import torch

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g

cube = Cube.apply
def softmax(x, dim=-1): return torch.softmax(x, dim)
def product(a, b): return a @ b
def pair(x): return {"sum": x.sum(), "parts": [x * 2, x.detach() * 3]}
def detached(x): return softmax(x).detach()
def grad_mode(): return torch.is_grad_enabled()
def matmul_dtype(a): return a @ a
def default(): return torch.ones(1)
def draw(): return torch.rand(3)
def threads(): return torch.get_num_threads()
def nothing(x): return None
def losses(n): return [float(i) for i in range(n)]
def wrong_losses(n): return [1.0, "2"]
def fails(x):
    y = x + 1
    raise ValueError("no good")
def exits(x): raise SystemExit(3)
def in_place(x): return x.add_(1)
def same(x): return x
def loop(x):
    return torch.stack([row * 2 for row in x])
def returns_function(x): return softmax
def apply(f, x): return f(x) * 2
constant = 3
class Box:
    def __init__(self, n): self.n = n
"""
PROBES = """
def circle(x, y): return x * x + y * y - 1
def size(student, n): return student.Box(n).n
"""


def as_probe(function, module="graders.implicit.probes"):
    """As if it stood in a file of the graders."""
    function.__module__, function.__qualname__ = module, function.__name__
    return function


@pytest.fixture(scope="module")
def student():
    return FakeWorker(SOURCE, probes={"probes": PROBES}).student()


def test_a_call_gives_what_the_function_returns(student):
    x = torch.randn(3, 5)
    assert torch.equal(student.softmax(x, dim=0), torch.softmax(x, 0))


def test_gradcheck_and_gradgradcheck_work_unchanged(student):
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(student.softmax, x)
    assert torch.autograd.gradgradcheck(student.softmax, x)
    assert torch.autograd.gradgradcheck(student.cube, x)


def test_two_inputs_get_their_gradients(student):
    a = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    b = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(student.product, (a, b))
    assert torch.autograd.gradgradcheck(student.product, (a, b))


def test_the_same_tensor_given_twice_gets_both_gradients(student):
    a = torch.randn(2, 2, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(student.product(a, a).sum(), a)
    b = a.detach().requires_grad_()
    (expected,) = torch.autograd.grad((b @ b).sum(), b)
    assert torch.allclose(gradient, expected)


def test_third_order_gradients_work(student):
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    y = student.cube(x)
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    assert y.item() == pytest.approx(6.0)


def test_a_structure_keeps_its_form_and_only_its_differentiable_parts_need_a_gradient(student):
    x = torch.randn(3, requires_grad=True)
    result = student.pair(x)
    assert result["sum"].requires_grad
    assert result["parts"][0].requires_grad
    assert not result["parts"][1].requires_grad
    (gradient,) = torch.autograd.grad(result["sum"] + result["parts"][0].sum(), x)
    assert gradient.tolist() == [3.0, 3.0, 3.0]


def test_a_detached_result_needs_no_gradient(student):
    assert not student.detached(torch.randn(3, requires_grad=True)).requires_grad


def test_an_input_that_is_returned_gets_a_gradient(student):
    x = torch.randn(3, requires_grad=True)
    (gradient,) = torch.autograd.grad(student.same(x).sum(), x)
    assert gradient.tolist() == [1.0, 1.0, 1.0]


def test_backward_twice_without_retaining_is_an_error_of_the_judge_as_on_any_graph(student):
    x = torch.randn(3, requires_grad=True)
    y = student.softmax(x)[0]
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_calls_without_gradients_are_not_kept_and_others_are_let_go():
    worker = FakeWorker(SOURCE)
    student = worker.student()
    for _ in range(10):
        student.softmax(torch.randn(3))
        student.softmax(torch.randn(3, requires_grad=True))
    student.softmax(torch.randn(3))
    assert len(worker._server._kept) <= 1


def test_the_ambient_state_is_the_graders(student):
    assert student.grad_mode() is True
    with torch.no_grad():
        assert student.grad_mode() is False
    with torch.autocast("cpu", torch.bfloat16):
        assert student.matmul_dtype(torch.ones(2, 2)).dtype is torch.bfloat16
    assert student.matmul_dtype(torch.ones(2, 2)).dtype is torch.float32
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        assert student.default().dtype is torch.float64
    finally:
        torch.set_default_dtype(before)
    assert student.threads() == 1


def test_random_numbers_differ_from_call_to_call_and_repeat_with_the_seed():
    first, again, other = (FakeWorker(SOURCE).student(seed=seed) for seed in (5, 5, 6))
    a, b = first.draw(), first.draw()
    assert not torch.equal(a, b)
    assert torch.equal(a, again.draw())
    assert not torch.equal(a, other.draw())


def test_functions_of_probes_cross_by_name(student):
    def circle(x, y):
        raise AssertionError("this one must not run")

    as_probe(circle)

    def size(student, n):
        raise AssertionError("this one must not run")

    as_probe(size)
    assert student.run(size, 7) == 7


def test_only_probes_can_be_run(student):
    with pytest.raises(GraderError, match=r"probes\.py"):
        student.run(len, 1)


def test_an_exception_comes_back_as_text_with_the_lines_of_the_cell(student):
    with pytest.raises(Raised) as caught:
        student.fails(torch.ones(1))
    assert caught.value.kind == "ValueError"
    assert caught.value.text == "no good"
    assert "no good" in str(caught.value)
    assert caught.value.lines[-1].text == 'raise ValueError("no good")'
    assert caught.value.lines[-1].cell == "cell 1"


def test_an_exit_is_an_exception_like_any_other(student):
    with pytest.raises(Raised, match="SystemExit"):
        student.exits(1)


@pytest.mark.parametrize(("name", "said"), [("absent", "not defined"), ("constant", "type int")])
def test_a_name_that_is_no_function_is_said_to_be_none(student, name, said):
    with pytest.raises(NotDefined, match=said):
        getattr(student, name)(1)


@pytest.mark.parametrize(
    ("name", "annotation", "said"),
    [
        ("nothing", "Tensor", "returned None; expected a Tensor"),
        ("losses", "Tensor", "returned a list; expected a Tensor"),
        ("wrong_losses", "list[float]", "a list that holds a str"),
        ("grad_mode", "float", "returned a bool"),
    ],
)
def test_a_result_of_another_type_than_the_stub_says_is_a_bad_answer(name, annotation, said):
    student = Student(FakeWorker(SOURCE).exchange, seed=0, returns={name: annotation})
    with pytest.raises(BadAnswer, match=said):
        getattr(student, name)(*(() if name == "grad_mode" else (2,)))


def test_a_result_of_the_type_that_the_stub_says_is_accepted():
    student = Student(FakeWorker(SOURCE).exchange, seed=0, returns={"losses": "list[float]", "softmax": "Tensor"})
    assert student.losses(2) == [0.0, 1.0]
    assert student.softmax(torch.ones(2)).tolist() == [0.5, 0.5]


def test_a_result_that_is_no_data_is_the_students_error(student):
    with pytest.raises(BadAnswer, match="returns_function returned a value of type function"):
        student.returns_function(1)


def test_what_became_of_the_arguments_is_reported(student):
    x = torch.zeros(3)
    seen = student.in_place.observe(x)
    assert seen.arguments[0].tolist() == [1.0, 1.0, 1.0]
    assert seen.shares_memory
    assert x.tolist() == [0.0, 0.0, 0.0]
    assert not student.softmax.observe(x).shares_memory


def test_a_function_among_the_arguments_does_not_hinder_observation(student):
    seen = student.apply.observe(student.same, torch.ones(2))
    assert [argument.tolist() for argument in seen.arguments] == [[1.0, 1.0]]


def test_operations_are_counted(student):
    few, many = (student.loop.count_operations(torch.ones(n, 2)) for n in (2, 20))
    assert many > few + 10


def answering(message, tensors=()):
    def exchange(request, sent, seconds=None):
        return {"n": request["n"], **message}, list(tensors)

    return Student(exchange, seed=0)


@pytest.mark.parametrize(
    "result", [{"$": "tensor", "v": 5}, {"$": "name", "v": "x"}, {"$": "probe", "v": "x"}, {"a": 1}], ids=str
)
def test_an_answer_that_is_no_value_is_a_bad_answer(result):
    with pytest.raises(BadAnswer):
        answering({"result": result}).f()


def test_a_backward_pass_that_gives_something_else_than_gradients_is_a_bad_answer():
    x = torch.ones(3, requires_grad=True)

    def exchange(request, sent, seconds=None):
        if request["do"] == "call":
            return {"n": request["n"], "result": {"$": "tensor", "v": 0, "g": True}}, [torch.ones(3)]
        return {"n": request["n"], "result": [{"$": "tensor", "v": 0}]}, [torch.ones(7)]

    y = Student(exchange, seed=0).f(x)
    with pytest.raises(BadAnswer, match="another shape"):
        y.sum().backward()


def test_a_tensor_on_a_gpu_fails_a_check_that_has_nothing_to_do_with_one(monkeypatch):
    monkeypatch.setattr(values, "_device", lambda name: torch.device("meta"))

    def there(*_):
        return {"result": {"$": "tensor", "v": 0, "on": "cuda:0"}, "arguments": []}, [torch.ones(2)]

    student = Student(there, seed=1)
    with pytest.raises(BadAnswer, match="f returned a tensor on meta; its inputs are on the CPU"):
        student.f(torch.ones(2))
    assert student.f("cuda:0").device.type == "meta"


def test_an_argument_that_went_to_a_gpu_fails_such_a_check_too(monkeypatch):
    monkeypatch.setattr(values, "_device", lambda name: torch.device("meta"))
    moved = [{"$": "tensor", "v": 0, "on": "cuda:0"}]
    student = Student(lambda *_: ({"result": None, "arguments": moved}, [torch.ones(2)]), seed=1)
    with pytest.raises(BadAnswer, match="f turned an argument into a tensor on meta"):
        student.f.observe(torch.ones(2))


def test_a_judge_without_room_on_its_gpu_holds_that_against_nobody(monkeypatch):
    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(proxy, "decode", full)
    with pytest.raises(SandboxError, match="no room on the GPU for the answer"):
        FakeWorker(SOURCE).student().threads()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda student: student.apply({1, 2}, 1), "student.apply: argument 1 is a value of type set, .* make it over there"),
        (lambda student: student.apply(1, x=iter([1])), "argument x is a value of type list_iterator, .* make it over there"),
        (lambda student: student.apply([{"a": {1}}]), "argument 1 is a list that holds a value of type set"),
        (lambda student: student.apply(torch.nn.Linear, 1), "argument 1 is a value of type type"),
        (lambda student: student.run(lambda notebook: 1), "student.run takes a function .* not <lambda>"),
    ],
)
def test_what_cannot_be_sent_is_the_graders_mistake_and_says_what_to_do(student, call, said):
    with pytest.raises(GraderError, match=said):
        call(student)


def test_a_function_that_is_to_give_an_object_fails_where_it_gives_something_else():
    made = Student(FakeWorker(SOURCE).exchange, seed=0, makes={"Box": "Box", "softmax": "Module"})
    assert made.Box(3).n == 3
    with pytest.raises(BadAnswer, match="softmax returned a Tensor; expected a Module"):
        made.softmax(torch.ones(2))
    with pytest.raises(AttributeError, match=r"student\.Box has no width here"):
        made.Box.width  # noqa: B018


def test_a_function_beside_public_checks_crosses_by_name_too():
    public = (
        "from torchgrade import points\n\ndef twice(notebook, x): return notebook.softmax(x) * 2\ndef square(x): return x * x\n"
    )

    def twice(student, x):
        raise AssertionError("this one must not run")

    def square(x):
        raise AssertionError("this one must not run")

    module = "graders.a.public_apply"
    student = FakeWorker(SOURCE, probes={"public_apply": public}).student()
    assert student.run(as_probe(twice, module), torch.zeros(2)).tolist() == [1.0, 1.0]
    assert student.apply(as_probe(square, module), 3) == 18
