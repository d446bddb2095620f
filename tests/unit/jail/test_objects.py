"""Objects of a student's class by handles: over a worker without a process, and the same file in a real jail."""

import copy
import gc
import json
import math

import pytest
import torch
from torch import nn

from torchgrade.checks.comparing import assert_close
from torchgrade.checks.declared import CheckFailed, GraderError
from torchgrade.checks.notes import Notes, current_notes
from torchgrade.jail import BadAnswer, FakeWorker, Raised, Student, TimedOut
from torchgrade.jail.protocol import callbacks, remote_objects
from torchgrade.record import Evidence
from torchgrade.student.cells import OwnCode
from torchgrade.student.local_student import StandIn

SOURCE = """
import torch
from torch import nn

class Linear(nn.Module):
    def __init__(self, n, m, bias=True, device=None):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(m, n, device=device))
        self.bias = nn.Parameter(torch.zeros(m, device=device)) if bias else None
        self.register_buffer("calls", torch.tensor(0))
        nn.init.uniform_(self.weight, -1, 1)
    def forward(self, x):
        self.calls += 1
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias
    def extra_repr(self): return "3 to 4"
    def own_gradient(self, x):
        self(x).sum().backward()
    def fails(self): raise ValueError("no good")
    def half_data(self): return self.weight, torch.eye(2).to_sparse()

class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Linear(2, 2), Linear(2, 2)
        self.second.weight = self.first.weight

class MyAdam:
    def __init__(self, parameters, lr=0.5): self.parameters, self.lr = list(parameters), lr
    def step(self):
        for p in self.parameters: p.data -= self.lr * p.grad
    def zero_grad(self):
        for p in self.parameters: p.grad = None
    def add(self, p): self.parameters.append(p)
    def spoil(self): self.parameters[0].data = torch.zeros(1000)

class Cache:
    def __init__(self): self.keys = []
    def add(self, key):
        self.keys.append(key)
        return torch.cat(self.keys)
    def __len__(self): return len(self.keys)
    def __getitem__(self, index): return self.keys[index], f"key {index}"
    def __contains__(self, key): return any(torch.equal(key, each) for each in self.keys)
    def nothing(self): pass
    def endless(self):
        while True: yield 1

class Keeper(nn.Module):
    def forward(self, x):
        self.before = x
        with torch.no_grad(): x.zero_()
        return x.sum() * 0

class Tracks(nn.Module):
    def __init__(self): super().__init__(); self.state = torch.zeros(())
    def forward(self, x):
        self.state = self.state + x.sum()
        return self.state

def zero_(x): return x.zero_()
def largest_(x): return x.zero_().max(dim=0)
def init(w): nn.init.ones_(w)
def old_init(w): w.data = torch.full_like(w, 2.0)
def resize(w): w.data = torch.zeros(10**6)
def scaled(x, by): return x.mul_(by)
def clip(parameters, most):
    norm = torch.sqrt(sum((p.grad ** 2).sum() for p in parameters))
    for p in parameters: p.grad.mul_(most / norm)
    return float(norm)
def norm_of(layer): return sum((p ** 2).sum() for p in layer.parameters())
def search(score, steps):
    path = [0]
    for _ in range(steps): path.append(int(score(torch.tensor(path)).argmax()))
    return path
def doubled(loss, x): return loss(x) * 2
def catches(f):
    try: return f(1)
    except ValueError as error: return f"caught {error}"
def calls_on(f):
    while True: f()
def train(model):
    with torch.no_grad():
        for p in model.parameters(): p.zero_()
def count(model): return sum(p.numel() for p in model.parameters())
def makes(n): return Linear(n, n)
def noise(n): return torch.randn(n)
def seeds(): torch.manual_seed(7); return 1
"""


class Worded(FakeWorker):
    """As the wire does it: requests and answers are text, so that nothing crosses that JSON has not."""

    def exchange(self, request, tensors, seconds=None, answering=None):
        answer, data = super().exchange(json.loads(json.dumps(request)), tensors, seconds, answering)
        return json.loads(json.dumps(answer)), data


@pytest.fixture(autouse=True)
def a_seed_that_nobody_knows():
    """As each check begins with one."""
    torch.seed()


@pytest.fixture(params=["here", "jail", "kernel"])
def student(request, tmp_path):
    """The judge's, over a worker here or in a jail; and what ``check()`` has, in a student's own kernel."""
    if request.param == "here":
        return Worded(SOURCE).student()
    if request.param == "jail":
        return request.getfixturevalue("submission")(SOURCE)[1]
    namespace = {"__name__": "__main__"}
    (tmp_path / "solution.py").write_text(SOURCE)
    exec(compile(SOURCE, str(tmp_path / "solution.py"), "exec"), namespace)
    return StandIn(namespace, OwnCode(namespace, tmp_path))


@pytest.fixture(params=["here", "jail"])
def judged(request):
    """The judge's alone: limits, and what the wall is for."""
    return Worded(SOURCE).student() if request.param == "here" else request.getfixturevalue("submission")(SOURCE)[1]


def test_a_layer_is_called_differentiated_and_trained_as_if_it_were_here(student):
    layer, x = student.Linear(3, 4), torch.randn(5, 3, requires_grad=True)
    (layer(x) ** 2).sum().backward()
    ours = x.detach().clone().requires_grad_()
    weight, bias = (p.detach().clone().requires_grad_() for p in layer.parameters())
    ((ours @ weight.T + bias) ** 2).sum().backward()
    for found, expected in ((x, ours), (layer.weight, weight), (layer.bias, bias)):
        assert torch.allclose(found.grad, expected.grad)
    torch.optim.SGD(layer.parameters(), lr=0.1).step()
    assert torch.allclose(layer.weight, weight - 0.1 * weight.grad)
    with torch.no_grad():
        assert torch.allclose(layer(x), x @ layer.weight.T + layer.bias)
    layer.zero_grad()
    assert layer.weight.grad is None


def test_attributes_are_what_they_are_there(student):
    layer = student.Linear(3, 4)
    assert isinstance(layer.weight, nn.Parameter)
    assert layer.weight is layer.weight
    assert layer.weight.is_leaf
    assert (layer.calls.item(), layer.training) == (0, True)
    assert repr(layer) == "Linear(3 to 4)"
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
    assert [buffer.item() for buffer in layer.buffers()] == [0]
    assert student.Linear(3, 4, bias=False).bias is None
    assert not hasattr(layer, "absent")
    with pytest.raises(Raised, match="no attribute 'absent'"):
        layer.absent  # noqa: B018
    assert student.Linear(3, 4, device="meta").weight.device.type == "meta"


def test_what_is_written_here_is_there_with_the_next_call(student):
    layer, x = student.Linear(3, 4, bias=False), torch.ones(1, 3)
    with torch.no_grad():
        layer.weight.copy_(torch.ones(4, 3))
    assert layer(x).tolist() == [[3.0] * 4]
    layer.weight.data = torch.zeros(4, 3)
    assert layer(x).tolist() == [[0.0] * 4]
    layer.weight = nn.Parameter(torch.full((4, 3), 2.0))
    assert layer(x).tolist() == [[6.0] * 4]
    layer.weight.requires_grad_(False)  # noqa: FBT003 - torch's signature
    assert not layer(x).requires_grad
    layer.bias = None
    del layer.bias
    assert not hasattr(layer, "bias")


def test_what_a_call_changes_there_is_here(student):
    layer = student.Linear(3, 4)
    calls, weight = layer.calls, layer.weight
    layer(torch.ones(1, 3))
    assert calls.item() == 1
    layer.own_gradient(torch.ones(2, 3))
    assert weight.grad.tolist() == [[2.0] * 3] * 4
    layer.double()
    assert weight.dtype is torch.float64
    assert layer(torch.ones(1, 3, dtype=torch.float64)).dtype is torch.float64


def test_one_object_is_one_handle_and_one_tensor_one_twin(student):
    layer, two = student.Linear(3, 4), student.Two()
    assert layer.train() is layer
    assert layer.eval().training is False
    assert two.first.weight is two.second.weight
    assert two.first is two.first
    assert len(list(two.parameters())) == 3


def test_a_copy_and_a_loaded_state_are_objects_of_their_own(student):
    layer = student.Linear(3, 4)
    other, third = copy.deepcopy(layer), student.Linear(3, 4)
    third.load_state_dict(layer.state_dict())
    with torch.no_grad():
        layer.weight.zero_()
    for each in (other, third):
        assert each.weight.abs().sum() > 0
    assert list(layer.state_dict()) == ["weight", "bias", "calls"]


def test_gradcheck_works_for_inputs_and_parameters_and_twice(student):
    layer = student.Linear(3, 4).double()
    x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, *_: layer(x), (x, *layer.parameters()))
    assert torch.autograd.gradgradcheck(lambda x, *_: layer(x) ** 2, (x, *layer.parameters()))


def test_gradients_of_parameters_are_asked_for_without_touching_grad(student):
    layer = student.Linear(3, 4)
    (gradient,) = torch.autograd.grad(layer(torch.ones(2, 3)).sum(), layer.weight)
    assert gradient.tolist() == [[2.0] * 3] * 4
    assert layer.weight.grad is None


def test_an_optimizer_of_the_students_moves_tensors_of_ours(student):
    p, q = nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True)
    optimizer = student.MyAdam([p], lr=0.5)
    p.grad = torch.full((2,), 2.0)
    optimizer.step()
    assert p.tolist() == [0.0, 0.0]
    p.grad = torch.ones(2)
    optimizer.step()
    assert p.tolist() == [-0.5, -0.5]
    optimizer.zero_grad()
    assert p.grad is None
    assert q.tolist() == [1.0, 1.0]
    layer = student.Linear(2, 1, bias=False)
    theirs = student.MyAdam(layer.parameters())
    layer(torch.ones(1, 2)).sum().backward()
    before = layer.weight.detach().clone()
    theirs.step()
    assert torch.allclose(layer.weight, before - 0.5)


def test_length_items_membership_and_iteration(student):
    cache = student.Cache()
    assert len(cache) == 0
    assert cache.add(torch.ones(1, 2)).shape == (1, 2)
    assert cache.add(torch.zeros(1, 2)).shape == (2, 2)
    assert len(cache) == 2
    assert cache[1][1] == "key 1"
    assert [name for _, name in cache] == ["key 0", "key 1"]
    assert torch.ones(1, 2) in cache
    assert torch.full((1, 2), 5.0) not in cache
    with pytest.raises(Raised, match="IndexError"):
        cache[7]
    with pytest.raises(TypeError, match=r"no len\(\)"):
        len(student.MyAdam([]))


def test_isinstance_is_the_word_of_the_students_process(judged):
    notes = Notes()
    token = current_notes.set(notes)
    try:
        layer = judged.Linear(3, 4)
        layer(torch.ones(1, 3))
        assert layer.weight.shape == (4, 3)
        assert notes.evidence is Evidence.DATA
        assert isinstance(layer, nn.Module)
        assert not isinstance(layer, nn.Linear)
        assert notes.evidence is Evidence.WORD
        assert not isinstance(judged.Cache(), nn.Module)
    finally:
        current_notes.reset(token)


def test_what_a_method_raises_is_the_students_with_its_line(student):
    with pytest.raises(Raised, match="no good") as caught:
        student.Linear(3, 4).fails()
    assert caught.value.lines[-1].text.endswith('raise ValueError("no good")')


def test_an_object_where_a_tensor_belongs_is_named_by_its_class(student):
    with pytest.raises(CheckFailed, match="is a Cache; expected a Tensor"):
        assert_close(student.Cache(), torch.ones(2))


def test_a_method_that_is_to_give_an_object_and_gives_nothing_fails():
    makes = {"Cache": "Cache", "Cache.nothing": "DataLoader"}
    judged = Student(FakeWorker(SOURCE).exchange, seed=0, makes=makes)
    with pytest.raises(BadAnswer, match=r"Cache\.nothing returned None; expected a DataLoader"):
        judged.Cache().nothing()


def test_a_handle_is_an_argument_of_functions(student):
    layer = student.Linear(3, 4)
    norm = student.norm_of(layer)
    norm.backward()
    assert torch.allclose(layer.weight.grad, 2 * layer.weight)
    assert student.clip(list(layer.parameters()), 1.0) > 0
    assert torch.sqrt(sum((p.grad**2).sum() for p in layer.parameters())).item() == pytest.approx(1.0)


def test_a_function_for_those_who_ask_for_one(judged):
    layer, x = judged.Linear(3, 4), torch.ones(2, 3)
    function = judged.function(layer)
    assert function.__name__ == "Linear"
    assert not function.observe(x).shares_memory
    assert function.count_operations(x) > 1
    assert judged.function(layer.forward).__name__ == "Linear.forward"


def test_a_function_whose_name_ends_with_an_underscore_or_that_returns_none_works_in_place(student):
    x = torch.ones(3)
    assert student.zero_(x) is x
    assert x.tolist() == [0.0] * 3
    student.init(x)
    assert x.tolist() == [1.0] * 3
    student.old_init(x)
    assert x.tolist() == [2.0] * 3
    part = torch.zeros(2, 2)[:, 0]
    student.init(part)
    assert part.tolist() == [1.0, 1.0]


def test_a_function_that_works_in_place_may_return_a_kind_of_tuple(student):
    x = torch.ones(3)
    values, indices = student.largest_(x)
    assert (x.tolist(), values.item(), indices.item()) == ([0.0] * 3, 0.0, 0)


def test_after_an_answer_that_could_not_be_sent_all_is_as_before(judged):
    layer = judged.Linear(3, 4)
    with pytest.raises(BadAnswer, match="a tensor of layout"):
        layer.half_data()
    assert layer(torch.ones(1, 3)).shape == (1, 4)
    assert layer.weight.shape == (4, 3)


def test_other_functions_leave_the_arguments_alone_unless_it_is_asked_for(student):
    x = torch.ones(3)
    result = student.scaled(x, 5)
    assert (result.tolist(), x.tolist()) == ([5.0] * 3, [1.0] * 3)
    result = student.scaled.in_place(x, 5)
    assert result is x
    assert x.tolist() == [5.0] * 3


def test_a_layer_that_overwrites_its_input_does_not_overwrite_ours(judged):
    x = torch.ones(3)
    judged.Keeper()(x)
    assert x.tolist() == [1.0] * 3


def test_gradients_of_arguments_go_along_and_come_back(student):
    p, q = (torch.zeros(2, requires_grad=True) for _ in range(2))
    p.grad, q.grad = torch.tensor([3.0, 0.0]), torch.tensor([0.0, 4.0])
    assert student.clip([p, q], 1.0) == 5.0
    assert p.grad.tolist() == pytest.approx([0.6, 0.0])
    assert q.grad.tolist() == pytest.approx([0.0, 0.8])


def test_a_gradient_that_was_there_before_counts_once(student):
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.full((3,), 7.0)
    assert torch.autograd.grad(student.doubled(lambda t: t.sum(), x), x)[0].tolist() == [2.0] * 3
    layer = student.Linear(3, 1, bias=False)
    layer(x).sum().backward()
    assert torch.allclose(x.grad, 7 + layer.weight[0])


def test_an_argument_of_another_shape_than_before_is_refused(judged):
    with pytest.raises(BadAnswer, match="resize turned an argument into one of another shape"):
        judged.resize(torch.ones(3))
    p = nn.Parameter(torch.ones(3))
    optimizer = judged.MyAdam([p])
    with pytest.raises(BadAnswer, match="of another shape, dtype or device"):
        optimizer.spoil()


def test_functions_of_ours_are_called_back(student):
    assert student.search(lambda path: torch.eye(5)[(path[-1] + 1) % 5], 6) == [0, 1, 2, 3, 4, 0, 1]
    x = torch.tensor([2.0], requires_grad=True)
    student.doubled(lambda t: (t**3).sum(), x).backward()
    assert x.grad.item() == pytest.approx(24.0)
    with pytest.raises(Raised, match=r"RuntimeError: size mismatch|RuntimeError: .*size"):
        student.doubled(lambda t: t @ torch.ones(7), x)
    assert student.catches(lambda n: math.sqrt(-n)) == "caught math domain error"


def test_a_function_of_ours_that_calls_the_student_is_the_graders_mistake(judged):
    with pytest.raises(GraderError, match=r"<lambda> was given to the student's code and calls student\.… itself"):
        judged.doubled(lambda t: judged.scaled(t, 2), torch.ones(1))
    assert judged.scaled(torch.ones(1), 3).item() == 3.0


def test_a_function_of_ours_that_returns_no_data_is_the_graders_mistake(judged):
    with pytest.raises(GraderError, match="returned a value of type set to the student's code; only data crosses"):
        judged.doubled(lambda t: {1}, torch.ones(1))


def test_a_module_of_torchs_own_goes_over_whole(student):
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    assert student.count(model) == 9
    student.train(model)
    assert all(p.abs().sum() == 0 for p in model.parameters())


COMPILED = """
import torch
from torch import nn

def power(x: torch.Tensor, n: int) -> torch.Tensor:
    y = x
    for _ in range(n):
        y = y * x
    return y

class Halves:
    def __init__(self): self.net = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))
    def function(self): return torch.jit.script(power)
    def scripted(self): return torch.jit.script(self.net)
    def traced(self): return torch.jit.trace(self.net.eval(), torch.ones(4, 3))
    def compiled(self): return torch.compile(self.net, backend="eager")
    def exported(self):
        rows = ({0: torch.export.Dim("rows")},)
        return torch.export.export(self.net.eval(), (torch.ones(4, 3),), dynamic_shapes=rows)
"""


def test_what_a_compiler_made_is_an_object_like_any_other(submission):
    student, x = submission(COMPILED)[1], torch.randn(5, 3, requires_grad=True)
    halves = student.Halves()
    power = halves.function()
    assert torch.equal(power(x, 2), x * x * x)
    assert torch.allclose(torch.autograd.grad(power(x, 2).sum(), x)[0], 3 * x**2)
    assert torch.equal(halves.exported().module()(x), halves.net.eval()(x))
    for made, has_modes in ((halves.scripted(), True), (halves.traced(), False), (halves.compiled(), True)):
        assert isinstance(made, nn.Module)
        weight, bias = made.parameters()
        assert torch.allclose(made(x), x @ weight.T + bias)
        made(x).sum().backward()
        assert torch.allclose(weight.grad, x.detach().sum(dim=0).expand(2, 3))
        weight.grad = bias.grad = None
        made.train()
        assert bool((made(torch.ones(200, 3)) == 0).any()) is has_modes  # dropout; a trace is of one mode
        made.eval()


def test_after_manual_seed_both_sides_draw_as_one_process_does(student):
    for count in (3, 5, 700, 3000):
        torch.manual_seed(0)
        layer = student.Linear(count, 2)
        after = torch.randn(4)
        torch.manual_seed(0)
        weight = nn.init.uniform_(torch.empty(2, count), -1, 1)
        assert torch.equal(layer.weight, weight)
        assert torch.equal(after, torch.randn(4))
        torch.manual_seed(1)
        noise, more = student.noise(count), torch.rand(2)
        torch.manual_seed(1)
        assert torch.equal(noise, torch.randn(count))
        assert torch.equal(more, torch.rand(2))


def test_without_it_draws_are_secret_and_the_graders_own(judged):
    before = torch.get_rng_state()
    assert not torch.equal(judged.noise(5), judged.noise(5))
    assert torch.equal(torch.get_rng_state(), before)


def test_a_generator_that_the_students_code_has_seeded_itself_does_not_seed_ours(judged):
    torch.manual_seed(3)
    judged.seeds()
    after = torch.rand(3)
    torch.manual_seed(3)
    assert torch.equal(after, torch.rand(3))


def test_a_state_that_was_made_up_is_not_drawn_from():
    def exchange(request, sent, seconds=None):
        made_up = torch.get_rng_state()
        made_up[24 : 24 + 8 * 624] = 0
        return {"n": request["n"], "result": 1, "draws": {"$": "tensor", "v": 0}}, [made_up]

    student = Student(exchange, seed=0)
    torch.manual_seed(3)
    student.f()
    assert torch.rand(100).std() > 0.1


def test_objects_that_nobody_holds_any_more_are_let_go(judged):
    kept = [judged.Linear(3, 4) for _ in range(3)]
    judged.Cache()
    del kept
    gc.collect()
    last = judged.Cache()
    assert len(judged._known._handles) == 1
    assert len(last) == 0


def test_more_handles_than_may_be_are_refused(judged, monkeypatch):
    monkeypatch.setattr(remote_objects, "MOST", 20)
    with pytest.raises(BadAnswer, match="more than 20 objects"):
        [judged.Cache() for _ in range(30)]


def test_an_iteration_without_an_end_is_refused(judged, monkeypatch):
    monkeypatch.setattr(remote_objects, "MAX_ITEMS", 50)
    with pytest.raises(BadAnswer, match="gave more than 50 items"):
        list(judged.Cache().endless())


def test_a_function_that_is_called_for_ever_is_stopped_by_count(judged, monkeypatch):
    monkeypatch.setattr(callbacks, "MOST_CALLS", 40)
    with pytest.raises(BadAnswer, match="more than 40 times"):
        judged.calls_on(lambda: 1)


def test_a_function_that_is_called_for_ever_is_stopped_by_time(submission):
    _, student = submission(SOURCE)
    with student.limit(seconds=0.5), pytest.raises(TimedOut):
        student.calls_on(lambda: 1)


def test_a_handle_does_not_outlive_its_process(submission):
    session, student = submission(SOURCE)
    cache = student.Cache()
    session.end_check()
    with pytest.raises(BadAnswer, match="process no longer has, because the process was restarted"):
        len(cache)


def test_a_function_that_says_it_gives_an_object_gives_a_handle():
    student = Student(FakeWorker(SOURCE).exchange, seed=0, makes={"makes": "Module"})
    assert student.makes(2)(torch.ones(1, 2)).shape == (1, 2)


def test_a_result_that_is_no_data_is_refused_as_long_as_no_object_was_asked_for():
    with pytest.raises(BadAnswer, match="makes returned a value of type Linear"):
        FakeWorker(SOURCE).student().makes(2)


NOTHING = {"new": [], "twins": [], "gone": []}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"result": {"$": "object", "v": [1, "A", [], False]}}, "malformed account"),
        ({"result": {"$": "object", "v": 1}, "objects": NOTHING}, "malformed object"),
        ({"result": {"$": "object", "v": [-1, "A", [], False]}, "objects": NOTHING}, "malformed object"),
        ({"result": {"$": "twin", "v": 3}, "objects": NOTHING}, "not known"),
        ({"result": {"$": "twin", "v": [3]}, "objects": NOTHING}, "not known"),
        ({"result": {"$": "callback", "v": 0}, "objects": NOTHING}, "only the judge may send"),
        ({"result": {"$": "module", "v": "AA"}, "objects": NOTHING}, "only the judge may send"),
        ({"result": {"$": "argument", "v": 0}, "objects": NOTHING}, "not sent"),
        ({"result": None, "objects": {**NOTHING, "new": [[0, {"data": 1}]]}}, "cannot be"),
        ({"result": None, "objects": {**NOTHING, "new": [[-1, {"data": {"$": "tensor", "v": 0}}]]}}, "cannot be"),
        ({"result": None, "objects": {**NOTHING, "new": [[1, {"data": 5}]]}}, "no tensor"),
        ({"result": None, "objects": {**NOTHING, "new": [[1, {"data": {"$": "meta", "v": [-1], "dtype": "float32"}}]]}}, "meta"),
        ({"result": None, "objects": {**NOTHING, "twins": [[1, {}]]}}, "not known"),
        ({"result": None, "objects": {**NOTHING, "twins": [1]}}, "malformed"),
        ({"result": None, "objects": NOTHING, "leaves": [1]}, "not known"),
    ],
    ids=str,
)
def test_what_cannot_be_in_an_answer_about_objects_is_a_bad_answer(message, said):
    def exchange(request, sent, seconds=None):
        return {"n": request["n"], **message}, [torch.ones(3)]

    with pytest.raises(BadAnswer, match=said):
        Student(exchange, seed=0).Thing()


def test_an_answer_writes_into_no_argument_of_a_function_that_returns_something():
    """The hostile process says that x has changed: a grader that compares with x afterwards would compare with its numbers."""

    def exchange(request, sent, seconds=None):
        back = [[{"$": "tensor", "v": 1}], [None]]
        return {"n": request["n"], "result": {"$": "tensor", "v": 0}, "back": back}, [torch.zeros(3), torch.zeros(3)]

    x = torch.ones(3)
    Student(exchange, seed=0).softmax(x)
    assert x.tolist() == [1.0] * 3
