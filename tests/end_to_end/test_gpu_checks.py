"""The course's checks that need a GPU: deferred without one, run here on a made-up one, and failed by what they look for.

The made-up GPU is the processor: all of a check runs but CUDA itself. Whether the chaffs that name these checks fail them, only a
machine with a GPU can say; scripts/gpu asks one.
"""

import contextlib
import importlib
import types
from pathlib import Path

import pytest
import torch
from processor_as_gpu import make_up_gpu

from torchgrade.checks.declared import CheckFailed
from torchgrade.course import find_course
from torchgrade.judge.judge import Judge
from torchgrade.judge.plan import hidden_kinds, read_plan
from torchgrade.notebook import compose, load_assignment, write_notebook
from torchgrade.record import Outcome, Status, Visibility

ROOT = Path(__file__).parent.parent.parent
ASSIGNMENTS = ["numerical_stability", "vectorization", "data_loading", "mixed_precision", "implicit_differentiation"]
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def course():
    return find_course(ROOT)


@pytest.fixture(scope="module")
def judge(course):
    with Judge(course) as judge:
        yield judge


def gpu_checks(course, assignment):
    """The names of the checks with the marker, as pytest sees it."""
    found = []
    for check in read_plan(course, assignment).checks:
        kind = "test" if check.visibility is Visibility.HIDDEN else "public"
        module = importlib.import_module(f"graders.{assignment}.{kind}_{check.exercise}")
        if any(mark.name == "gpu" for mark in getattr(getattr(module, check.name), "pytestmark", ())):
            found.append(check)
    return found


def graded(judge, assignment, folder, **options):
    source = load_assignment(ROOT / "assignments", assignment)
    bank = judge.course.solutions / assignment
    cells = {exercise.name: (bank / exercise.name / "reference.py").read_text("utf-8") for exercise in source.exercises}
    write_notebook(compose(source, cells), folder / "reference.ipynb")
    return judge.grade(assignment, "ann", folder / "reference.ipynb", **options)


@pytest.fixture
def made_up(monkeypatch):
    make_up_gpu(monkeypatch)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_they_are_worth_nothing_so_that_a_mark_without_a_gpu_is_final(course, judge, tmp_path, assignment):
    checks = gpu_checks(course, assignment)
    assert checks
    assert {check.declaration.points for check in checks} == {0.0}
    record = graded(judge, assignment, tmp_path, checks=[check.name for check in checks])
    assert record.deferred == {check.name for check in checks}
    assert record.status is Status.FINAL


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_the_reference_passes_them(course, judge, tmp_path, made_up, assignment):
    names = {check.name for check in gpu_checks(course, assignment)}
    record = graded(judge, assignment, tmp_path, checks=names)
    outcomes = {check.name: (check.outcome, check.message, check.detail) for check in record.checks if check.name in names}
    assert outcomes.keys() == names
    # On this made-up GPU half precision is slower than full: what the race says of that is right, and no pass.
    slow = outcomes.pop("test_speed_on_a_gpu", (Outcome.PASSED, "", ""))
    assert not slow[2] or "carrying inputs and result" in slow[2]
    undecided = [name for name, ended in outcomes.items() if ended[0] is not Outcome.PASSED]
    assert not undecided, outcomes


@pytest.mark.parametrize(
    ("assignment", "exercise", "hidden"),
    [("mixed_precision", "train_amp", 14), ("vectorization", "batch_gather", 19), ("data_loading", "ShardedTarDataset", 23)],
)
def test_students_are_told_of_the_hidden_checks_that_are_worth_points(course, assignment, exercise, hidden):
    assert sum(hidden_kinds(course, assignment)[exercise].values()) == hidden


class Known:
    """A student's functions, called here: what a check makes of an answer needs no jail."""

    def __init__(self, **functions):
        self._notebook = types.SimpleNamespace(**functions)

    def __getattr__(self, name):
        return getattr(self._notebook, name)

    def run(self, probe, *args, **kwargs):
        return probe(self._notebook, *args, **kwargs)

    @contextlib.contextmanager
    def limit(self, *, seconds):
        yield


@pytest.fixture
def grader(course):
    def find(assignment, exercise):
        read_plan(course, assignment)
        return importlib.import_module(f"graders.{assignment}.test_{exercise}")

    return find


def in_float32(logits, dim=-1):
    return torch.softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim)


def half(logits, dim=-1):
    """In half precision under autocast."""
    x = logits.to(torch.promote_types(logits.dtype, torch.float32)).movedim(dim, -1).exp()
    return (x / (x @ x.new_ones(x.shape[-1], 1))).movedim(-1, dim)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (half, "float16 logits, autocast"),
        (lambda x, dim=-1: torch.softmax(x, dim), "has dtype float16"),
        (
            lambda x, dim=-1: in_float32(x, dim).to("meta"),
            "on the device meta",
        ),
    ],
)
def test_softmax_is_held_to_its_values_its_dtype_and_its_device(grader, answer, said):
    test = grader("numerical_stability", "softmax").test_on_a_gpu
    test(Known(softmax=in_float32), CPU)
    with pytest.raises(CheckFailed, match=said):
        test(Known(softmax=answer), CPU)


def test_the_loss_is_held_to_its_values_under_autocast(grader):
    def by_einsum(logits, target, dim=-1):
        return -torch.einsum("...c,...c->...", target, torch.log_softmax(logits.double(), dim).float())

    module = grader("numerical_stability", "softmax_cross_entropy")
    with pytest.raises(CheckFailed, match="the loss for"):
        module.test_on_a_gpu(Known(softmax_cross_entropy=by_einsum), CPU)


def right_gather(values, indices):
    rows = torch.arange(len(values)).reshape(-1, *[1] * (indices.dim() - 1))
    return values[rows, indices]


def test_batch_gather_is_held_to_values_and_gradients(grader):
    test = grader("vectorization", "batch_gather").test_on_a_gpu
    test(Known(batch_gather=right_gather), CPU)
    with pytest.raises(CheckFailed, match="elements are wrong"):
        test(Known(batch_gather=lambda v, i: right_gather(v, i.flip(1))), CPU)
    with pytest.raises(CheckFailed, match="cut off"):
        test(Known(batch_gather=lambda v, i: right_gather(v.detach(), i)), CPU)


def test_batch_gather_may_wait_twice_and_not_three_times(grader, monkeypatch):
    module = grader("vectorization", "batch_gather")
    student = Known(batch_gather=right_gather)
    for waits in (0, 2):
        monkeypatch.setattr(module.probes, "count_waits", lambda _, *inputs, n=waits: (right_gather(*inputs), n))
        module.test_waits_on_a_gpu(student, CPU)
    monkeypatch.setattr(module.probes, "count_waits", lambda _, *inputs: (right_gather(*inputs), 3))
    with pytest.raises(CheckFailed, match="wait 3 times for the GPU in one call"):
        module.test_waits_on_a_gpu(student, CPU)
    monkeypatch.setattr(module.probes, "count_waits", lambda _, values, indices: (right_gather(values, indices.flip(1)), 0))
    with pytest.raises(CheckFailed, match="elements are wrong"):
        module.test_waits_on_a_gpu(student, CPU)


def test_train_amp_is_held_to_weights_losses_and_dtypes(grader):
    module = grader("mixed_precision", "train_amp")
    right = module.train_amp
    module.test_float16_on_a_gpu(Known(train_amp=right), CPU)

    def in_full(*args, dtype, **options):
        with torch.autocast("cpu", enabled=False):
            return right(*args, dtype=torch.bfloat16, **options)

    with pytest.raises(CheckFailed, match="after training on a GPU"):
        module.test_float16_on_a_gpu(Known(train_amp=in_full), CPU)
    with pytest.raises(CheckFailed, match="list of losses"):
        module.test_float16_on_a_gpu(Known(train_amp=lambda *a, **k: [1 + loss for loss in right(*a, **k)]), CPU)


def test_train_amp_may_wait_once_a_step(grader, monkeypatch):
    module = grader("mixed_precision", "train_amp")
    count = module.probes.count_waits
    for waits in (0, 9):
        monkeypatch.setattr(module.probes, "count_waits", lambda *a, n=waits, **k: (count(*a, **k)[0], n))
        module.test_waits_on_a_gpu(Known(train_amp=module.train_amp), CPU)
    monkeypatch.setattr(module.probes, "count_waits", lambda *a, **k: (count(*a, **k)[0], 16))
    with pytest.raises(CheckFailed, match="wait 16 times for the GPU in 8 steps"):
        module.test_waits_on_a_gpu(Known(train_amp=module.train_amp), CPU)


def test_what_was_learnt_of_the_checkerboard_is_compared(grader):
    module = grader("mixed_precision", "train_amp")
    answer = module.probes.learn(module.train_amp, 7, 8, CPU)
    module.assert_learnt(answer, 7, 8, CPU)
    module.assert_learnt(module.probes.learn(module.probes.train_in_full, 7, 8, CPU), 7, 8, CPU)
    for wrong in (answer[:-1], [*answer[:-1], 1.1 * answer[-1]], None, module.probes.learn(module.train_amp, 8, 8, CPU)):
        with pytest.raises(CheckFailed):
            module.assert_learnt(wrong, 7, 8, CPU)


def test_samples_must_arrive_on_the_device(grader, monkeypatch):
    module = grader("data_loading", "ShardedTarDataset")

    def elsewhere(_, shards, device, *, workers):
        return [tensor.to("meta") for shard in shards for _, tensor in shard]

    monkeypatch.setattr(module, "sensible", lambda _, *, ranks=False: None)  # there is no notebook here
    monkeypatch.setattr(module.probes, "read_pinned", elsewhere)
    with pytest.raises(CheckFailed, match="is on the device meta; expected cpu"):
        module.test_pinned(Known(), CPU)
    monkeypatch.setattr(module.probes, "read_pinned", lambda _, shards, device, workers: [tensor for _, tensor in shards[0]])
    with pytest.raises(CheckFailed, match="8 of 12 samples are missing"):
        module.test_pinned(Known(), CPU)


def test_a_solution_must_stay_on_the_device(grader):
    module = grader("implicit_differentiation", "solve_implicit")

    def solve(_, x, y0):
        return (x.sum() * y0).to("meta")

    def vjp_of_solve(matrix, cotangent):
        return torch.linalg.solve(matrix.T, cotangent)

    with pytest.raises(CheckFailed, match="is on the device meta"):
        module.test_on_a_gpu(Known(solve_implicit=solve, vjp_of_solve=vjp_of_solve), device=CPU)
