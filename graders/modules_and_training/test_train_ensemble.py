"""Hidden checks: train_ensemble.

The judge trains each member alone, in float64, from the same float32 numbers. What is no training (the band, the memory, the
speed) is judged by the nets that come back, so that one wrong gradient is not billed again.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_constant_operations, assert_inputs_untouched, assert_tensor, points, race
from torchgrade.checks.notes import rests_on_word

from . import probes_train_ensemble as probes
from .public_train_ensemble import results_of

F64 = torch.float64
LEVELS = torch.tensor([0.025, 0.5, 0.975], dtype=F64)
LOOSE = 840.0
"""In units of eps of float32: 1e-4. Right answers used 3 % of it (1000 draws); what these checks name missed by 300 times."""


def draw(steps, members, batch, hidden, places):
    """Parameters, batches and a grid; each member has data of its own.

    No unit is saturated: float32 could not tell its slope. The targets lie on both sides of a net, so that gradients change their
    signs: of gradients with one sign Adam sees next to nothing.
    """
    params = {
        "w1": 2.4 * torch.rand(members, 1, hidden) - 1.2,
        "b1": torch.rand(members, hidden) - 0.5,
        "w2": torch.randn(members, hidden, 1) / hidden**0.5,
        "b2": torch.randn(members, 1),
    }
    return (
        params,
        3 * torch.rand(steps, members, batch) - 1.5,
        2 * torch.randn(steps, members, batch),
        4 * torch.rand(places) - 2,
    )


def draw_learnable(steps, members, batch=5, hidden=3, places=4):
    """The same, with one curve for all members, far from 0, which lies 2 below what they predict at first."""
    params, x, _, grid = draw(steps, members, batch, hidden, places)
    height = float(torch.randn(()).sign() * (6 + 2 * torch.rand(())))
    params["w2"] /= 4
    params["b2"] = height + 2 + params["b2"] / 10
    return params, x, height + x.sin() / 2, grid


def predict(params, x):
    """Return what each net says, for x of shape [members, n], in float64."""
    w1, b1, w2, b2 = (params[name].detach().double() for name in ("w1", "b1", "w2", "b2"))
    hidden = torch.tanh(x.double().unsqueeze(2) * w1 + b1.unsqueeze(1))
    return (hidden * w2.transpose(1, 2)).sum(dim=2) + b2


def train_alone(params, x, y, make_optimizer):
    """Each member as it ends if it is trained alone, in float64, and the length of its way from step to step."""
    ends, lengths = [], []
    for m in range(x.shape[1]):
        w1, b1, w2, b2 = own = [params[name][m].double().requires_grad_() for name in ("w1", "b1", "w2", "b2")]
        optimizer, length = make_optimizer(own), 0.0
        for inputs, targets in zip(x[:, m].double(), y[:, m].double(), strict=True):
            before = torch.cat([each.detach().flatten() for each in own])
            optimizer.zero_grad()
            errors = torch.tanh(inputs.unsqueeze(1) * w1 + b1) @ w2 + b2 - targets.unsqueeze(1)
            errors.square().sum().backward()
            optimizer.step()
            length += float((torch.cat([each.detach().flatten() for each in own]) - before).norm())
        ends.append(own)
        lengths.append(length)
    trained = {name: torch.stack([own[i].detach() for own in ends]) for i, name in enumerate(("w1", "b1", "w2", "b2"))}
    return trained, torch.tensor(lengths, dtype=F64)


def assert_params(trained, expected, lengths, *, hint):
    """Fail unless each member ends where it should, to 1e-4 of the length of its way.

    The way, and not the distance from its beginning to its end: a member that comes back to where it began would be compared to
    within 1e-4 of next to nothing, which float32 cannot store.
    """
    for name in ("b2", "b1", "w1", "w2"):
        scale = lengths.view(-1, *[1] * (expected[name].dim() - 1))
        assert_close(trained[name], expected[name], scale=scale, ulps=LOOSE, what=f"{name} of the trained nets", hint=hint)


MOVED = "Which tensors does the optimizer move, and which ones come back?"


def assert_learnt(trained, params, x, y):
    """Fail unless the nets of :func:`draw_learnable` are of the right form and nearer to the data than they were."""
    for name, given in params.items():
        assert_tensor(trained[name], what=name)
        if trained[name].shape != given.shape:
            shapes = f"{list(trained[name].shape)}; expected {list(given.shape)}"
            raise CheckFailed(f"{name} of the trained nets has shape {shapes}", hint=MOVED, slip="shape")

    def losses(nets):
        return sum((predict(nets, inputs) - targets).square().sum(dim=1) for inputs, targets in zip(x, y, strict=True))

    before, after = losses(params), losses(trained)
    if not bool((after < before).all()):
        worse = int((~(after < before)).sum())
        raise CheckFailed(
            f"{worse} of {len(before)} members are not nearer to their data after the training", hint=MOVED, slip="values"
        )


TRAINING = {
    "shape": "The results have the shapes of the parameters that are given.",
    "values": "Train one member alone, with x[:, m:m + 1]: does it end at the same place? If not, after which step do they part?",
}


@points(1.5)
def test_sgd(student):
    """With SGD and momentum each member ends where it ends alone."""
    for sizes in ((8, 4, 5, 3, 6), (6, 3, 7, 2, 5)):
        params, x, y, grid = draw(*sizes)
        trained, _ = results_of(student.train_ensemble(params, x, y, probes.sgd, grid))
        hint = TRAINING | {
            "values": "Is Adam right? Then what is each gradient divided by? If not: what is left from one step to the next?"
        }
        assert_params(trained, *train_alone(params, x, y, probes.sgd), hint=hint)


@points(2)
def test_adam(student):
    """With Adam each member ends where it ends alone."""
    for sizes in ((8, 4, 5, 3, 6), (6, 3, 7, 2, 5)):
        params, x, y, grid = draw(*sizes)
        trained, _ = results_of(student.train_ensemble(params, x, y, probes.adam, grid))
        assert_params(trained, *train_alone(params, x, y, probes.adam), hint=TRAINING)


@points(0.5, kind="shapes", needs=test_adam)
def test_equal_sizes(student):
    """Members, numbers, hidden units, places and steps may be equally many."""
    params, x, y, grid = draw(4, 4, 4, 4, 4)
    trained, _ = results_of(student.train_ensemble(params, x, y, probes.adam, grid))
    hint = {"values": "Which dimension do you find by its size? And which shapes broadcast by chance if all sizes are equal?"}
    assert_params(trained, *train_alone(params, x, y, probes.adam), hint=hint)


@points(0.5, kind="shapes", needs=test_adam)
def test_single(student):
    """There may be one member, one number for each, one hidden unit, one place of the grid, or one of all."""
    for sizes in ((3, 1, 4, 2, 5), (3, 4, 1, 2, 5), (3, 4, 2, 1, 5), (3, 4, 2, 3, 1), (1, 1, 1, 1, 1)):
        params, x, y, grid = draw(*sizes)
        trained, band = results_of(student.train_ensemble(params, x, y, probes.adam, grid))
        one = ", ".join(f"{letter} = {size}" for letter, size in zip("SMBHG", sizes, strict=True))
        hint = TRAINING | {"values": f"Here {one}. Which dimensions of size 1 does your code drop or broadcast?"}
        assert_params(trained, *train_alone(params, x, y, probes.adam), hint=hint)
        if assert_tensor(band, what="the band").dim() != 2:  # in which order they come is another check's
            text = f"the band has shape {list(band.shape)}; expected [3, {sizes[4]}]"
            raise CheckFailed(text, hint=hint["values"], slip="shape")


@points(0.5, kind="gradients")
def test_detached(student):
    """The trained parameters and the band need no gradient."""
    rests_on_word()
    params, x, y, grid = draw_learnable(4, 3)
    trained, names = student.run(probes.attached, params, x, y, grid)
    assert_learnt(results_of((trained, None))[0], params, x, y)
    if names:
        hint = "Nobody will differentiate through a training that is over. Which line takes the numbers out of the graph?"
        raise CheckFailed(f"{', '.join(map(str, names))} still needs a gradient", hint=hint, slip="values")


@points(1.5)
def test_band(student):
    """The band consists of the quantiles 0.025, 0.5 and 0.975 over the members, at each place of the grid."""
    for members, places in ((12, 5), (7, 7)):
        params, x, y, grid = draw(6, members, 4, 3, places)
        params["b2"] = torch.randn(members, 1).exp()  # no symmetric spread: the median is not the mean
        trained, band = results_of(student.train_ensemble(params, x, y, probes.adam, grid))
        nets = [train_alone(params, x, y, probes.adam)[0]]
        if are_nets(trained, params):  # a band that fits the nets that come back is right, however they were trained
            nets.insert(0, trained)
        expected = [torch.quantile(predict(each, grid.expand(members, -1)), LEVELS, dim=0) for each in nets]
        scale = float(sum(nets[0]["w2"].detach().abs().sum(dim=1).max() + each.abs().max() for each in expected))
        hint = {
            "shape": "There are three rows, and as many columns as there are places.",
            "transposed": "The first dimension counts the three curves.",
            "values": "At one place of the grid: which numbers do you sort, after which step, and what lies between two of them?",
        }
        if any(fits(band, each, scale) for each in expected[1:]):
            continue
        assert_close(band, expected[0], scale=scale, what="the band", hint=hint)


def are_nets(trained, params):
    """Return whether these are finite nets of the right form that are not all the same."""
    tensors = [(trained[name], params[name]) for name in params]
    if not all(isinstance(got, torch.Tensor) and got.shape == given.shape for got, given in tensors):
        return False
    return all(bool(got.isfinite().all()) and float(got.detach().std(dim=0).min()) > 0 for got, _ in tensors)


def fits(band, expected, scale):
    """Return whether the band is this one."""
    if not isinstance(band, torch.Tensor) or band.shape != expected.shape:
        return False
    return bool(((band.detach().double() - expected).abs() < 4e-6 * scale).all())


@points(0.5, kind="inputs")
def test_untouched(student):
    """The parameters, batches and grid that are given are the same after the call."""
    params, x, y, grid = draw_learnable(4, 3)
    hint = "Whose memory does the optimizer write into, if it is given these tensors?"
    assert_inputs_untouched(student.train_ensemble, params, x, y, probes.adam, grid, hint=hint)
    trained, names = student.run(probes.marked, params, x, y, grid)
    assert_learnt(results_of((trained, None))[0], params, x, y)
    if names:
        hint = "requires_grad_() changes the tensor that it is called on. Which tensors do you train?"
        raise CheckFailed(f"{', '.join(map(str, names))}: needs or has a gradient after the call", hint=hint, slip="inputs")


@points(1, kind="operations")
def test_operations(student):
    """As many tensor operations for 40 members as for 3."""
    params, x, y, grid = draw_learnable(4, 6)
    trained, _ = results_of(student.train_ensemble(params, x, y, probes.adam, grid))
    assert_learnt(trained, params, x, y)
    inputs = [(params, x, y, probes.adam, grid) for params, x, y, grid in (draw_learnable(4, m) for m in (3, 12, 40))]
    hint = "All members do the same thing at the same time. Which product takes a pair of matrices for each of them?"
    assert_constant_operations(student.train_ensemble, inputs, hint=hint)


def race_inputs():
    """A hundred nets, and twenty steps."""
    params, x, y, grid = draw_learnable(20, 100, 8, 10, 50)
    return params, x, y, probes.small_adam, grid


def assert_raced(result, params, x, y, _, __):
    """Fail unless a timed training brought each member nearer to its data."""
    assert_learnt(results_of(result)[0], params, x, y)


@points(2, kind="speed")
def test_speed(student):
    """A hundred members, 20 steps: at least 10 times as fast as one member after the other."""
    race(
        student.train_ensemble,
        make_inputs=race_inputs,
        verify=assert_raced,
        baseline=probes.one_by_one,
        at_least=10.0,
        hint="How often does Python do something in one step: once, or once for each member?",
    )
