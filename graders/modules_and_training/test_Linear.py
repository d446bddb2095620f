"""Hidden checks: Linear.

What is not registered, or lies the wrong way round, is judged by the checks of names, parameters, loading and copying; the
others take the numbers of a layer from wherever they are (`numbers_of`).
"""

import copy
import re

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_shape, assert_tensor, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_Linear as probes

F64 = torch.float64
REGISTERED = "nn.Module sees attributes of one class only. Is each tensor of that class, also at the moment when it is set?"


def numbers_of(layer, n, m):
    """Weight and bias of a layer as they are now, for the computation on this side.

    Where they have no name, the layer tells them by its results for zeros and unit vectors.
    """
    if not hasattr(layer, "weight"):
        return told(layer(torch.cat([torch.zeros(1, n), torch.eye(n)])), n, m)
    weight, bias = (getattr(layer, name, None) for name in ("weight", "bias"))
    weight = assert_tensor(weight, what="layer.weight").detach().clone()
    if weight.shape == (n, m):  # which way round is judged by names and loading; n and m always differ
        weight = weight.T
    assert_shape(weight, (m, n), what="layer.weight")
    if bias is not None:
        bias = assert_tensor(bias, what="layer.bias").detach().clone()
        assert_shape(bias, (m,), what="layer.bias")
    return weight, bias


def told(rows, n, m):
    """Weight and bias, from the results for zeros and for all unit vectors."""
    assert_shape(rows, (n + 1, m), what=f"the result for {n + 1} rows")
    rows = rows.detach().clone()
    return (rows[1:] - rows[:1]).T, rows[0]


def biased(layer, n, m):
    """Whether the layer adds its bias: the values' check judges that, and others compute with what it does."""
    weight, bias = numbers_of(layer, n, m)
    x = torch.randn(3, n)
    result = layer(x).detach().double()
    fits = [result.shape == (3, m) and torch.allclose(result, affine(x, weight, each), atol=1e-5) for each in (bias, None)]
    return fits[0] or not fits[1]


def affine(x, weight, bias):
    """What is right, in float64."""
    result = x.double() @ weight.double().T
    return result if bias is None else result + bias.double()


@points(0)
def test_own(student):
    """The layer is neither an nn.Linear nor made of one."""
    rests_on_word()
    if any(isinstance(part, torch.nn.Linear) for part in student.Linear(3, 4).modules()):
        raise CheckFailed("Linear is made of torch.nn.Linear", hint="What would nn.Linear have to do itself, in two lines?")


@points(0.5, needs=test_own)
def test_parameters(student):
    """The parameters are weight and bias, and Adam trains two layers with a tanh between them."""
    n, h = 2, 64
    layers = student.Linear(n, h), student.Linear(h, 1)
    found = [dict(layer.named_parameters()) for layer in layers]
    for name, tensor in ((name, tensor) for each in found for name, tensor in each.items()):
        if not tensor.requires_grad:
            raise CheckFailed(f"the parameter {name} needs no gradient", hint="What would an optimizer do with it?")
    if sorted(found[0]) != ["bias", "weight"]:
        raise CheckFailed(f"the parameters have the names {list(found[0])}; expected ['weight', 'bias']", hint=REGISTERED)
    x = 2 * torch.rand(64, n) - 1
    y = (2 * x[:, :1]).sin() + x[:, 1:]  # odd, as a network without biases is: what forgets them is judged elsewhere
    optimizer = torch.optim.Adam([tensor for each in found for tensor in each.values()], lr=0.01)
    losses = []
    for _ in range(101):
        optimizer.zero_grad()
        loss = (layers[1](layers[0](x).tanh()) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    if not losses[-1] < 0.1 * losses[0]:  # right answers end at 0.01 to 0.04
        text = f"100 steps of Adam take the loss of two layers from {losses[0]:.3g} to {losses[-1]:.3g}; expected a tenth of it"
        raise CheckFailed(text, hint="Does forward use the very tensors that are registered?")


@points(1, needs=test_own)
def test_values(student):
    """Rows, single vectors, batches of batches, and no rows at all give x @ weight.T + bias."""
    hint = {
        "shape": "Only the last dimension of x is the layer's business. What may stand before it?",
        "values": "Which dimension of x meets which one of the weight, and what is added then?",
    }
    for leading, n, m in (((6,), 4, 5), ((6,), 4, 5), ((), 3, 2), ((2, 3), 5, 4), ((2, 1, 3), 2, 6), ((0,), 3, 4)):
        layer = student.Linear(n, m)
        weight, bias = numbers_of(layer, n, m)
        x = torch.randn(*leading, n)
        with hint_where_raised(hint["shape"]):
            result = layer(x)
        what = f"the result for x of shape {list(x.shape)}"
        assert_close(result, affine(x, weight, bias), scale=8.0, what=what, hint=hint)


@points(0.5, kind="gradients", needs=test_own)
def test_gradients(student):
    """The gradients of x, weight and bias are right."""
    layer, n, m = student.Linear(4, 5), 4, 5
    weight, bias = numbers_of(layer, n, m)
    x, cotangent = torch.randn(6, n, requires_grad=True), torch.randn(6, m)
    leaves = [x.detach().double().requires_grad_(), weight.double().requires_grad_(), bias.double().requires_grad_()]
    adds = biased(layer, n, m)
    affine(*leaves[:2], leaves[2] if adds else None).backward(cotangent.double())
    result = layer(x)
    if not result.requires_grad:
        raise CheckFailed("the result needs no gradient, although x and the weight do", slip="detached")
    # A tensor that is no leaf has no .grad, which is for the parameters' check.
    named = {name: getattr(layer, name, None) for name in ("weight", "bias")}
    named = {name: tensor for name, tensor in named.items() if tensor is not None and tensor.is_leaf and tensor.requires_grad}
    for tensor in named.values():
        tensor.grad = None
    result.backward(cotangent)
    hint = "Is there a .data, a detach() or a no_grad between the parameters and the result?"
    for (name, leaf), right in zip((("x", x), ("weight", named.get("weight")), ("bias", named.get("bias"))), leaves, strict=True):
        if leaf is None or right.grad is None:
            continue
        if leaf.grad is None:
            raise CheckFailed(f"the {name} has no .grad after backward()", hint=hint, slip="detached")
        found = leaf.grad.T if name == "weight" and leaf.shape == (n, m) else leaf.grad
        assert_close(found, right.grad, scale=20.0, what=f"the .grad of {name}", hint=hint)


@points(1, needs=test_own)
def test_no_bias(student):
    """With bias=False there is no bias: not in the state dict, not in the result, and layer.bias is None."""
    n, m = 4, 3
    layer = student.Linear(n, m, bias=False)
    if "bias" in (state := dict(layer.state_dict())):
        raise CheckFailed(f"with bias=False, the state dict has the names {list(state)}", hint="How many tensors can be learned?")
    with hint_where_raised("What does layer.bias say where nobody has set it?"):
        found = layer.bias
    if found is not None:
        text = f"with bias=False, layer.bias is {repr(found)[:60]}; expected None"
        raise CheckFailed(text, hint="What else could layer.bias be, where there is none?")
    x = torch.randn(5, n)
    hint = "What is the argument bias: a tensor, or a yes or no? And what is left of the formula without it?"
    with hint_where_raised(hint):
        result = layer(x)
    assert_close(result, affine(x, numbers_of(layer, n, m)[0], None), scale=8.0, what="the result of bias=False", hint=hint)
    if student.Linear(n, m, bias=True).bias is None:
        raise CheckFailed("with bias=True, layer.bias is None")


@points(1, needs=test_own)
def test_start(student):
    """At first the numbers are uniform between -1/√in_features and 1/√in_features, and others for each layer and seed."""
    n, m = 16, 4096
    layer, bound = student.Linear(n, m), 16**-0.5
    hint = {
        "inside": "Of which of the two sizes is the root taken, and where do the numbers begin and end?",
        "spread": "Is each number between the two ends as likely as any other, also in the bias?",
    }
    for name, numbers in zip(("weight", "bias"), numbers_of(layer, n, m), strict=True):
        assert_tensor(numbers, what=f"layer.{name}")
        largest = float(numbers.abs().max())
        if not 0.9 * bound <= largest <= 1.0001 * bound and largest > 0:
            text = f"for in_features=16 and out_features=4096, the {name} has numbers up to {largest:.3f}; expected up to {bound}"
            raise CheckFailed(text, hint=hint["inside"])
        shares = torch.histc(numbers.float(), 4, -bound, bound) / numbers.numel()
        if float((shares - 0.25).abs().max()) > 0.06:
            percent = ", ".join(f"{100 * share:.0f} %" for share in shares.tolist())
            text = f"of the numbers of the {name}, {percent} lie in the quarters between -0.25 and 0.25; expected 25 % each"
            raise CheckFailed(text, hint=hint["spread"])
    seed = int(torch.randint(1000, 10**6, ()))
    first, again, other = student.run(probes.drawn, [seed, seed, seed + 1], 3, 4)
    if torch.equal(first, other):
        raise CheckFailed(
            "two layers, made after different seeds, have the same numbers", hint="When is a number drawn, and who set the seed?"
        )
    assert_close(again, first, ulps=0, what="a layer made after the same torch.manual_seed", hint="Which generator draws?")


@points(0.5, kind="dtypes", needs=test_own)
def test_dtype(student):
    """With dtype, weight, bias and result have that one; float32 without it."""
    for dtype, bias in ((F64, True), (torch.float32, True), (None, True), (F64, False)):
        n, m = 3, 4
        layer = student.Linear(n, m, bias=bias) if dtype is None else student.Linear(n, m, bias=bias, dtype=dtype)
        expected = dtype or torch.float32
        for name in ("weight", "bias"):
            if isinstance(tensor := getattr(layer, name, None), torch.Tensor):  # others check that it is None, or there
                assert_dtype(
                    tensor, expected, what=f"the {name}, with dtype={dtype},", hint="Who is told the dtype, and who is not?"
                )
        x = torch.randn(5, n, dtype=expected)
        assert_dtype(layer(x), expected, what=f"the result, with dtype={dtype},")


@points(0.5, kind="dtypes", needs=test_own)
def test_meta(student):
    """With device="meta", weight and bias are on that device."""
    device = torch.device("meta")
    for bias in (True, False):
        layer = student.Linear(3, 4, bias=bias, device=device)
        hint = "Each tensor is told where to be when it is made. Is there one that is not told?"
        for name, tensor in layer.state_dict().items():  # what is not in there is for other checks
            if tensor.device.type != "meta":
                raise CheckFailed(f"with device=meta, the {name} is on {tensor.device}", hint=hint, slip="device")


@points(0.5, needs=test_own)
def test_load(student):
    """The state dict of an nn.Linear can be loaded, and the other way round."""
    hint = "Print the names and shapes of both state dicts side by side."
    n, m = 4, 5
    theirs, layer, x = torch.nn.Linear(n, m), student.Linear(n, m), torch.randn(6, n)
    state = {name: tensor.detach().clone() for name, tensor in theirs.state_dict().items()}
    adds = biased(layer, n, m)
    with hint_where_raised(hint):
        layer.load_state_dict(state)
    expected = affine(x, state["weight"], state["bias"] if adds else None)
    assert_close(layer(x), expected, scale=8.0, what="the result with the numbers of an nn.Linear", hint=hint)
    mine = dict(layer.state_dict())
    if sorted(mine) != ["bias", "weight"]:
        raise CheckFailed(f"the state dict has the names {list(mine)}; that of nn.Linear has {list(state)}", hint=hint)
    for name, tensor in mine.items():
        assert_close(tensor, state[name], ulps=0, what=f"the {name} after loading", hint=hint)


@points(0.5, needs=test_own)
def test_copy(student):
    """A deep copy has numbers of its own, and double() changes what forward computes with."""
    n, m = 4, 5
    hint = "Which tensors does forward read: those that are registered, or others that were made from them once?"
    layer, x = student.Linear(n, m), torch.randn(6, n)
    before, adds = numbers_of(layer, n, m), biased(layer, n, m)
    with hint_where_raised(hint):
        other = copy.deepcopy(layer)
    if not (parameters := list(other.parameters())):
        raise CheckFailed("the parameters() of a deep copy are none", hint=REGISTERED)
    with torch.no_grad():
        for tensor in parameters:
            tensor.add_(1.0)
    before = before if adds else (before[0], None)
    right = [None if tensor is None else tensor + 1.0 for tensor in before]
    assert_close(
        other(x), affine(x, *right), scale=16.0, what="the result of a deep copy whose parameters were raised by 1", hint=hint
    )
    assert_close(layer(x), affine(x, *before), scale=16.0, what="the result of the layer that was copied", hint=hint)
    with hint_where_raised(hint):
        result = layer.double()(x.double())
    assert_dtype(result, F64, what="the result after double()", hint=hint)
    assert_close(result, affine(x, *before), scale=8.0, precision=F64, what="the result after double()", hint=hint)


@points(0.5, needs=test_own)
def test_repr(student):
    """repr(layer) names in_features, out_features and bias, with their values."""
    hint = "nn.Module prints what a certain method returns. What does repr(nn.Linear(3, 4)) look like?"
    for n, m, bias in ((3, 4, True), (12, 7, False)):
        layer = student.Linear(n, m, bias=bias)
        text = repr(layer)
        for name, value in (("in_features", n), ("out_features", m), ("bias", bias)):
            if name == "bias" and not bias and "bias" in dict(layer.state_dict()):
                continue  # there is one, as the repr may say: judged elsewhere
            if not re.search(rf"\b{name}\b\W{{0,4}}{value}\b", text):
                call = f"Linear({n}, {m}, bias={bias})"
                raise CheckFailed(f"the repr of {call} is {text[:120]!r}; {name}={value} is not in it", hint=hint)
