"""Hidden checks: descend.

The judge draws the numbers of a loss, which are posed over there, and steps by the formula of its gradient.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_shape, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_descend as probes

F32, F64 = torch.float32, torch.float64
LR = 0.2
NO_LEAF = "Here start needs a gradient, or comes from what does. Which of the tensors that you make from it is a leaf?"


def posed(student, *shape):
    """Draw a start and the numbers of the loss, and pose the latter. The gradient at the start is at least 1 everywhere."""
    a, b, c = 2 + torch.rand(shape, dtype=F64), 0.5 + torch.rand(shape, dtype=F64) / 2, torch.randn(shape, dtype=F64)
    student.run(probes.pose, a, b, c)
    start = (1 + torch.rand(shape, dtype=F64)) * (2 * torch.randint(2, shape) - 1)
    return start, (a, b, c)


def loss_of(w, numbers):
    """The loss at a point."""
    a, b, c = numbers
    return (a * w * w / 2 + (b * w + c).cos()).sum()


def walk(start, numbers, steps):
    """The right path and losses, in float64."""
    a, b, c = numbers
    path = [start.double()]
    for _ in range(steps):
        path.append(path[-1] - LR * (a * path[-1] - b * (b * path[-1] + c).sin()))
    return torch.stack(path), torch.tensor([loss_of(w, numbers) for w in path[:-1]], dtype=F64)


@points(0.5, kind="shapes")
def test_shapes(student):
    """The path of a matrix, of a single number, and of one step are right."""
    for shape, steps in (((3, 2), 4), ((), 3), ((2, 1, 3), 1)):
        start, numbers = posed(student, *shape)
        path, _ = student.descend(probes.valley, start, steps=steps, lr=LR)
        what = f"the path of {steps} steps from a start of shape {list(shape)}"
        hint = {
            "shape": "The path has one dimension more than start, and it comes first.",
            "values": "Is each point kept as it was, and does each step use the gradient of one point only?",
        }
        assert_close(path, walk(start, numbers, steps)[0], scale=4.0, what=what, hint=hint)


@points(0.5, kind="shapes")
def test_no_steps(student):
    """With steps=0 the path is the start, and there are no losses."""
    start, _ = posed(student, 5)
    with hint_where_raised("Without a step there are no losses. What do you build the second result from then?"):
        path, losses = student.descend(probes.valley, start, steps=0, lr=LR)
    hint = "The start is a point of the path, also where nothing follows."
    assert_close(path, start.unsqueeze(0), what="the path of 0 steps", hint={"shape": hint, "values": hint})
    assert_shape(losses, (0,), hint="There is a loss for each step.")


@points(1, kind="dtypes")
def test_cast(student):
    """With dtype the descent runs in it from the first step on; without it, in that of start."""
    raised = "Which tensor is the leaf: the one before the cast, or the one after it? Only a leaf has its gradient in .grad."
    hint = "Both results have the dtype in which the descent runs. Where does another one come in?"
    for own, given in ((F64, None), (F32, None), (F32, F64), (F64, F32)):
        start, numbers = posed(student, 5)
        start = start.to(own)
        with hint_where_raised(raised):
            path, losses = student.descend(probes.valley, start, steps=3, lr=LR, dtype=given)
        dtype = given or own
        assert_dtype(path, dtype, hint=hint)
        assert_dtype(losses, dtype, hint=hint)
        if (own, given) == (F32, F64) and losses.shape == (3,):
            right = walk(start, numbers, 3)[1]
            along = torch.stack(
                [loss_of(w.detach(), numbers) for w in path]
            )  # a wrong path, or losses a step late, are billed elsewhere
            if not any(
                len(known) == 3 and bool((losses - known).abs().max() < 1e-11) for known in (right, along[:-1], along[1:])
            ):
                hint = "When do you cast: before the first step, or after the last one?"
                what = "the losses of a float32 start with dtype=float64"
                assert_close(losses, right, precision=F64, ulps=2**14, scale=10.0, what=what, hint=hint)


@points(0.5, kind="inputs")
def test_plain_start(student):
    """A start that needs no gradient keeps its numbers and its flag, with its own dtype as dtype."""
    rests_on_word()
    start, _ = posed(student, 5)
    numbers, flag, has_grad = student.run(probes.after_plain, start, LR, F64)
    hint = "start.to(dtype) and start.detach() have the memory of start, if the dtype is the same. When is there a copy?"
    assert_close(numbers, start, ulps=0, what="start after the call", hint=hint)
    if flag or has_grad:
        text = "start.requires_grad is True after the call; it was False" if flag else "start has a .grad after the call"
        raise CheckFailed(
            text, hint="requires_grad_() changes the tensor that it is called on. Which one is it here?", slip="inputs"
        )


@points(0.5, kind="inputs")
def test_view(student):
    """Where start is a row of a page, the page stays as it is."""
    rests_on_word()
    start, _ = posed(student, 5)
    page = torch.randn(3, 5, dtype=F64)
    page[1] = start
    numbers, flag = student.run(probes.after_view, page, LR)
    hint = "A row of a matrix has the memory of the matrix. Which tensors share memory with start in your code?"
    assert_close(numbers, page, ulps=0, what="the page after the call", hint=hint)
    if flag:
        raise CheckFailed(
            "the row, or its page, needs a gradient after the call; before it did not",
            hint="requires_grad_() changes the tensor that it is called on. Which one is it here?",
            slip="inputs",
        )


@points(0.5, kind="gradients")
def test_origin(student):
    """Where start was computed from a leaf, that leaf stays as it is, and gradients still reach it through start."""
    rests_on_word()
    start, _ = posed(student, 5)
    factor = 1 + torch.rand(5, dtype=F64)
    page, grad, cotangent = torch.randn(3, 5, dtype=F64), torch.randn(3, 5, dtype=F64), torch.randn(5, dtype=F64)
    page[1] = start / factor
    with hint_where_raised(NO_LEAF):
        numbers, flag, left, attached, final = student.run(probes.after_computed, page, factor, grad, cotangent, LR)
    hint = "start was computed from this leaf. How do you take its numbers, and leave where they came from alone?"
    assert_close(numbers, page, ulps=0, what="the leaf after the call", hint=hint)
    if not (flag and attached):
        which = "the leaf" if not flag else "start"
        raise CheckFailed(f"{which} needs no gradient any more after the call", hint=hint, slip="detached")
    if left is None or final is None:
        raise CheckFailed("the leaf had a .grad before the call, and has none after it", hint=hint, slip="inputs")
    reached = "How far back does the backward pass of your loss go: to the point where you are, or further?"
    assert_close(left, grad, ulps=0, what="the .grad of the leaf after the call", hint=reached)
    grad[1] += factor * cotangent
    assert_close(final, grad, scale=10.0, what="the .grad of the leaf after start.backward()", hint=hint)


@points(0.5, kind="gradients")
def test_detached(student):
    """Path and losses need no gradient, whether start does or not."""
    rests_on_word()
    for needs in (False, True):
        start, _ = posed(student, 5)
        with hint_where_raised(NO_LEAF):
            results = student.run(probes.attached, start.requires_grad_(needs), 3, LR)
        for name, attached in zip(("the path", "the losses"), results, strict=True):
            if attached:
                raise CheckFailed(
                    f"{name} of a start with requires_grad={needs} still needs a gradient",
                    hint="A history is numbers. Which line takes the numbers out of the graph?",
                    slip="values",
                )


@points(0.5, kind="gradients")
def test_leaf(student):
    """Each call of loss_fn is given a leaf that needs a gradient."""
    rests_on_word()
    start, _ = posed(student, 5)
    with hint_where_raised(NO_LEAF):
        leaves = student.run(probes.leaves, start.requires_grad_(), 4, LR)
    if len(leaves) < 4:
        raise CheckFailed(f"4 steps call loss_fn {len(leaves)} times")
    if not all(leaves):
        raise CheckFailed(
            f"call {1 + leaves.index(False)} of loss_fn was given a tensor that is not a leaf with requires_grad=True",
            hint="What comes out of an operation that autograd records has a grad_fn. How does a step begin a new graph?",
            slip="values",
        )


@points(1, kind="memory")
def test_graphs(student):
    """While a step is computed, the graphs of the steps before the last one are gone."""
    rests_on_word()
    start, _ = posed(student, 5)
    counts = student.run(probes.graphs, start, 16, LR)
    if len(counts) < 16:
        raise CheckFailed(f"16 steps call loss_fn {len(counts)} times")
    if max(counts) > probes.LIMIT:
        raise CheckFailed(
            f"in call {len(counts)} of loss_fn, {max(counts)} graphs were alive; expected: that of the last step, and this one",
            hint="A loss holds its graph, and a graph holds what was saved for it. What do you keep from each step?",
            slip="values",
        )
