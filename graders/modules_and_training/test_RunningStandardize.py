"""Hidden checks: RunningStandardize.

The judge keeps all rows that it sends, and computes their mean and variance at once, in float64. What is not about the statistics
themselves (results, gradients, eval mode) is held against the layer's own mean and var, so that wrong ones are billed once.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_shape, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

F64 = torch.float64
TENTH_PPM = 84  # ulps of float32: 1e-5
TINY = 1e-12
"""An eps that leaves no trace in float32: where it stands in the formula is looked at elsewhere."""


def stream(sizes, features=3, dtype=torch.float32):
    """Batches of these sizes. Each has a mean of its own, up to 2 deviations away, so no batch is like all rows together."""
    return [(torch.randn(n, features) + 4 * torch.rand(features) - 2).to(dtype) for n in sizes]


def fed(student, batches, eps=1e-5):
    """A layer in training mode that has seen these batches."""
    layer = student.RunningStandardize(batches[0].shape[1], eps=eps)
    for batch in batches:
        layer(batch)
    return layer


def of_all(batches):
    """Mean and variance of all rows."""
    rows = torch.cat(batches).double()
    return rows.mean(dim=0), rows.var(dim=0, correction=0)


def state_of(layer):
    """Copies of the three, as they are now, by name."""
    return {name: torch.as_tensor(getattr(layer, name)).detach().clone() for name in ("mean", "var", "count")}


def formula(x, state, eps):
    """The result for a layer's own mean and var."""
    return (x.double() - state["mean"].double()) / (state["var"].double() + eps).sqrt()


@points(1)
def test_results(student):
    """In training mode each result is (x - mean) / sqrt(var + eps), with the layer's mean and var after this batch."""
    for eps in (0.2 + float(torch.rand(())), 1e-5):
        layer = student.RunningStandardize(3, eps=eps)
        for number, x in enumerate(stream((8, 8, 8, 8))):
            result = layer(x)
            hint = {
                "values": "Which mean and var stand in the formula: those of this batch, of all rows before it, or of all rows "
                "up to and with it? And where does eps stand?"
            }
            what = f"the result for batch {number + 1} with eps={eps:.2g}"
            assert_close(result, formula(x, state_of(layer), eps), scale=8.0, what=what, hint=hint)


@points(1)
def test_stream(student):
    """After six batches of ten rows, mean and var are those of all sixty rows."""
    for _ in range(2):
        batches = stream([10] * 6)
        layer, (mean, var) = fed(student, batches), of_all(batches)
        hint = "Does each row that was ever seen weigh as much as any other?"
        assert_close(layer.mean, mean, ulps=TENTH_PPM, scale=2.0, what="mean of 60 rows", hint=hint)
        found = layer.var
        if found.shape == var.shape and torch.allclose(found.double(), var * 60 / 59, rtol=1e-5):
            continue  # divided by n - 1: billed by the check by hand
        hint = "The batches have different means. Which distances does a mean of their variances leave out?"
        assert_close(found, var, ulps=TENTH_PPM, scale=4.0, what="var of 60 rows", hint={"values": hint})


@points(0.5)
def test_sizes(student):
    """Batches of 1, 10, 3, 7 and 1 rows give the mean, var and count of all 22 rows."""
    for _ in range(2):
        batches = stream((1, 10, 3, 7, 1))
        layer, (mean, var) = fed(student, batches), of_all(batches)
        hint = "A batch of 10 rows and one of a single row: how much does each count? Work it out for sizes 2 and 1 first."
        assert_close(layer.mean, mean, ulps=TENTH_PPM, scale=2.0, what="mean of batches of 1, 10, 3, 7 and 1 rows", hint=hint)
        hint = {"nan": "What is the variance of one row, divided by n?", "values": hint}
        assert_close(layer.var, var, ulps=TENTH_PPM, scale=4.0, what="var of batches of 1, 10, 3, 7 and 1 rows", hint=hint)
        if (count := int(layer.count)) != 22:
            raise CheckFailed(f"after 22 rows count is {count}", hint="What is counted: batches, or rows?")


@points(0.5, kind="shapes")
def test_empty(student):
    """A batch of no rows changes nothing, first or later, and gives a result of no rows."""
    layer = student.RunningStandardize(3)
    hint = "The mean of no rows is 0 / 0. What should happen to the statistics then?"
    for batch in (None, *stream((5, 4))):
        with hint_where_raised(hint):
            if batch is not None:
                layer(batch)
            before = state_of(layer)
            result = layer(torch.empty(0, 3))
        assert_shape(result, (0, 3), what="the result for no rows", hint="No rows stay no rows, of three numbers each.")
        for name, number in state_of(layer).items():
            what = f"{name} after a batch of no rows"
            assert_close(number, before[name], ulps=0, what=what, hint={"nan": hint, "values": hint})


@points(1, kind="stability")
def test_offset(student):
    """For rows near 10000 with deviation 1, var is right within 1 %, and mean within 0.01."""
    # Each batch is moved to the same mean: how batches are weighed, and what lies between them, is not looked at here.
    batches = []
    for _ in range(6):
        x = torch.randn(10, 3, dtype=F64)
        batches.append((1e4 + (x - x.mean(dim=0)) / x.std(dim=0, correction=0)).float())
    layer, (mean, var) = fed(student, batches), of_all(batches)
    hint = "Where does a mean near 10000 lose its digits: in a sum of all rows, or does not each row count alike?"
    scale = 0.01 / torch.finfo(F64).eps
    assert_close(layer.mean, mean, ulps=1, precision=F64, scale=scale, what="mean near 10000", hint=hint)
    hint = "float32 has seven digits. What is left of them where you subtract two numbers near 100,000,000?"
    found = layer.var
    for factor in (60 / 59, 10 / 9):  # n - 1 is billed by the check by hand
        if found.shape == var.shape and torch.allclose(found.double(), var * factor, rtol=0.01):
            return
    scale = 0.01 / torch.finfo(F64).eps * var
    assert_close(found, var, ulps=1, precision=F64, scale=scale, what="var near 10000", hint={"nan": hint, "values": hint})


@points(1)
def test_resume(student):
    """A new layer that loads the saved state goes on exactly as the layer that was saved."""
    first, second = stream((6, 3)), stream((5, 2))
    layer = fed(student, first)
    saved = {name: entry.detach().clone() for name, entry in layer.state_dict().items()}
    other = student.RunningStandardize(3)
    other.load_state_dict(saved)
    hint = "What does the next batch depend on besides the state dict: a number, a flag, a list?"
    for x in second:
        expected, found = layer(x), other(x)
        assert_close(found, expected.detach(), ulps=0, what="the result of the layer that was loaded", hint=hint)
    states = state_of(layer), state_of(other)
    for name, entry in states[0].items():
        assert_close(states[1][name], entry, ulps=0, what=f"{name} of the layer that was loaded", hint=hint)


@points(0.5, kind="dtypes")
def test_double(student):
    """After double() mean and var are float64, count is int64, and the next batch is merged in float64."""
    layer = student.RunningStandardize(3, eps=TINY).double()
    (x,) = stream([9], dtype=F64)
    registered = "double() converts what is registered. Is all of it, and does your code convert anything itself?"
    whole = "Rows are counted in whole numbers: double() converts floating-point tensors alone."
    kinds = ("mean", F64, registered), ("var", F64, registered), ("count", torch.int64, whole)
    for when in ("double()", "double() and a batch"):
        state = state_of(layer)
        for name, dtype, hint in kinds:
            assert_dtype(state[name], dtype, what=f"{name} after {when}", hint={"dtype": hint})
        if when == "double()":
            result = layer(x)
    assert_dtype(result, F64, what="the result after double()", hint={"dtype": "Where is something converted to float32?"})
    mean = x.mean(dim=0)
    if torch.allclose(state["mean"], mean, atol=1e-4):  # another mean is billed elsewhere
        hint = "Is the batch, or its mean, in float32 somewhere on the way?"
        assert_close(state["mean"], mean, precision=F64, scale=4.0, what="mean after double()", hint=hint)
    # Only roughly, and not where the batch was merged too late: that is billed elsewhere.
    if not torch.allclose(result, x):
        assert_close(result, formula(x, state, TINY), ulps=512, scale=8.0, what="the result after double()")


@points(0.5)
def test_eval(student):
    """In eval mode nothing changes, and the result uses mean and var as they are."""
    layer = student.RunningStandardize(3, eps=TINY)
    for seen, x in ((0, None), (8, stream([8])[0])):
        layer.train()
        if x is not None:
            layer(x)
        layer.eval()
        before = state_of(layer)
        (rows,) = stream([5])
        result = layer(rows)
        hint = "How does a module know in which mode it is?"
        for name, entry in state_of(layer).items():
            assert_close(entry, before[name], ulps=0, what=f"{name} after a call in eval mode", hint=hint)
        what = f"the result in eval mode after {seen} rows"
        hint = "In eval mode the batch itself adds nothing to mean and var. Which ones stand in the formula?"
        expected = formula(rows, before, TINY)
        assert_close(result, expected, ulps=256, scale=8 + expected.abs().max(), what=what, hint=hint)


@points(1, kind="gradients")
def test_gradient(student):
    """The gradient goes to x through the x of the formula alone: it is what comes back, divided by sqrt(var + eps)."""
    hint = {
        "detached": "Is it the batch itself that stands in the formula, or a copy without its graph?",
        "values": "mean and var of a training batch depend on x, too. Are they constants for the gradient here?",
    }
    layer = student.RunningStandardize(3, eps=TINY)
    for mode in ("training", "eval"):
        layer.train(mode == "training")
        x, cotangent = stream([7])[0].requires_grad_(), torch.randn(7, 3)
        before = state_of(layer)["var"].double()
        result = layer(x)
        if not result.requires_grad:
            raise CheckFailed(
                f"the result in {mode} mode needs no gradient, although x does", hint=hint["detached"], slip="detached"
            )
        (gradient,) = torch.autograd.grad(result, x, cotangent, allow_unused=True)
        gradient = torch.zeros_like(x) if gradient is None else gradient
        expected = cotangent.double() / (state_of(layer)["var"].double() + TINY).sqrt()
        by_old = cotangent.double() / (before + TINY).sqrt()
        if torch.allclose(gradient.double(), by_old, rtol=1e-5):
            continue  # the statistics before the batch: billed with the results
        assert_close(gradient, expected, ulps=256, scale=8.0, what=f"the gradient of x in {mode} mode", hint=hint)


@points(0.5, kind="gradients")
def test_next_batch(student):
    """A second batch can be sent back after the first, and reaches neither the first nor mean and var."""
    rests_on_word()
    layer = student.RunningStandardize(3)
    xs = [x.requires_grad_() for x in stream((6, 5, 4))]
    hint = "What do mean and var remember of the batches that they were computed from? They should be numbers only."
    with hint_where_raised(hint):
        for number, x in enumerate(xs):
            result = layer(x)
            if not result.requires_grad:
                continue  # billed by the check before
            earlier = [None if each.grad is None else each.grad.clone() for each in xs[:number]]
            try:
                result.square().sum().backward()
            except RuntimeError as error:
                if "second time" not in str(error):
                    raise
                raise CheckFailed(f"backward() for batch {number + 1} goes back into an earlier batch", hint=hint) from None
            for each, grad in zip(xs[:number], earlier, strict=True):
                if (each.grad is None) != (grad is None) or (grad is not None and not torch.equal(each.grad, grad)):
                    raise CheckFailed(f"backward() for batch {number + 1} reaches an earlier batch", hint=hint)
    for name in ("mean", "var"):
        if getattr(layer, name).requires_grad:
            raise CheckFailed(f"{name} needs a gradient after training batches", hint=hint)
