"""Hidden checks: tuned_gradients.

The judge draws all numbers of the modules and of the loss, and computes what is right by the formula, on this side.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_tensor, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_tuned_gradients as probes
from .public_tuned_gradients import three_results

F64 = torch.float64
NAMES = ["own", "0.weight", "0.bias", "3.0.numbers", "3.1.weight", "3.1.bias"]
"""The parameters of the base."""
OTHERS = ["own", "3.0.numbers"]
"""Those that are not the weight or bias of a layer: one of the base itself, one of a part of a part of it."""


def drawn(*, unused=False, factors=((1.0, 1.0), (1.0, 1.0)), frozen=(), grads=0.0, prompt_needs=False):
    """A call with fresh numbers. ``grads`` is what every .grad is full of before; 0 for none."""
    d, h, k, m, b = 3, 4, 5, 2, 6
    sizes = {"base": ((h, d), (h,), (k, h), (k,)), "head": ((4, k), (4,), (m, 4), (m,))}
    weights = {part: [torch.randn(size, dtype=F64) for size in each] for part, each in sizes.items()}
    return {
        **weights,
        "own": torch.randn(k, dtype=F64),
        "offset": torch.randn(h, dtype=F64),
        "prompt": torch.randn(d, dtype=F64),
        "x": torch.randn(b, d, dtype=F64),
        "cotangent": torch.randn(b, m, dtype=F64),
        "unused": torch.randn(3, dtype=F64) if unused else None,
        "factors": [list(each) for each in factors],
        "frozen": list(frozen),
        "grads": grads,
        "prompt_needs": prompt_needs,
    }


def right(call):
    """Loss, gradient of the prompt and gradients of the head's four used parameters."""
    w0, b0, w1, b1 = call["base"]
    head = [weight.clone().requires_grad_() for weight in call["head"]]
    prompt = call["prompt"].clone().requires_grad_()
    z = ((call["x"] + prompt) @ w0.T + b0).tanh() * call["factors"][0][1]  # the first switch is in evaluation mode
    z = ((z + call["offset"]) @ w1.T + b1) * call["factors"][1][0] + call["own"]
    output = (z @ head[0].T + head[1]).tanh() @ head[2].T + head[3]
    loss = (call["cotangent"] * output.sin()).sum()
    gradients = torch.autograd.grad(loss, [prompt, *head])
    return loss.detach(), gradients[0], list(gradients[1:])


def gradients_of_head(student, call, count):
    """The third result, if it is a list of that many."""
    _, _, gradients = three_results(student, probes.tuned, call)
    if not isinstance(gradients, list | tuple) or len(gradients) != count:
        got = f"{len(gradients)}" if isinstance(gradients, list | tuple) else f"a {type(gradients).__name__}"
        text = f"expected a list of {count} gradients, one for each parameter of the head; got {got}"
        raise CheckFailed(text, hint="head.parameters() says which parameters there are, and in which order.", slip="type")
    return gradients


def check_gradients(gradients, expected, names, hint):
    """Compare them one by one."""
    for gradient, wanted, name in zip(gradients, expected, names, strict=True):
        what = f"the gradient of head.{name}"
        scale = 10 + wanted.abs().max()
        assert_close(assert_tensor(gradient, what=what, hint=hint), wanted, scale=scale, what=what, hint=hint)


@points(1, kind="gradients")
def test_head(student):
    """The third result is the gradients of the head's parameters, in their order."""
    for needs in (False, True):
        call = drawn(prompt_needs=needs)
        order = "Are these the gradients of this loss only, in the order of head.parameters()?"
        hint = {"values": order, "shape": order}
        names = ["first.weight", "first.bias", "second.weight", "second.bias"]
        check_gradients(gradients_of_head(student, call, 4), right(call)[2], names, hint)


@points(0.5, kind="gradients")
def test_unused(student):
    """A parameter of the head that is not used has zeros as its gradient."""
    call = drawn(unused=True)
    with hint_where_raised("One parameter of this head is in no graph. What does autograd.grad do then, and what could it do?"):
        gradients = gradients_of_head(student, call, 5)
    # A module gives its own parameters first, then those of its layers.
    hint = {
        "type": "For a parameter that is not used there is no gradient. Who makes zeros of it?",
        "shape": "In which order does head.parameters() give the parameters, and in which order do you?",
    }
    check_gradients(gradients[:1], [torch.zeros(3, dtype=F64)], ["unused"], hint)


@points(0.5)
def test_modes(student):
    """Each part of the base runs in the mode that it is in: some in training mode, others in evaluation mode."""
    call = drawn(factors=[(0.5 + torch.rand(2, dtype=F64)).tolist() for _ in range(2)])
    loss, _, _ = three_results(student, probes.tuned, call)
    hint = "Some layers compute one thing in training mode and another in evaluation mode. Who asked you to change modes?"
    what = "the loss of a base that is partly in training mode"
    assert_close(torch.as_tensor(loss, dtype=F64), right(call)[0], precision=F64, ulps=2**16, scale=20.0, what=what, hint=hint)


@points(1, kind="gradients")
def test_graph(student):
    """No weight or bias of the base's layers is a leaf of the graph that reaches loss_fn."""
    look_for(student, [name for name in NAMES if name not in OTHERS])


@points(1, kind="gradients")
def test_graph_of_all(student):
    """No other parameter of the base is a leaf of that graph, whichever module holds it."""
    look_for(student, OTHERS)


def look_for(student, parameters):
    """Fail if any of these is a leaf of the graph."""
    rests_on_word()
    graphs = student.run(probes.leaves, drawn())
    if not graphs:
        raise CheckFailed("loss_fn was not called")
    for found in graphs:
        if present := [name for name in found if name in parameters]:
            hint = "Who asks for a gradient of these parameters? If nobody does: how does autograd learn of that, and when?"
            raise CheckFailed(
                f"the graph that reaches loss_fn has leaves of base: {', '.join(present)}", hint=hint, slip="values"
            )


@points(0.5, kind="inputs")
def test_rest(student):
    """All .grad, training modes, parameters and inputs are after the call what they were before."""
    for grads in (0.0, 1 + float(torch.rand(()))):
        after(student, drawn(grads=grads, frozen=["3.1.weight"]), raises=False, leave_out=["requires_grad"])


@points(1, kind="errors")
def test_error(student):
    """Where loss_fn raises an error, everything is as it was before as well."""
    after(student, drawn(grads=1 + float(torch.rand(())), frozen=["0.bias", "3.1.weight"]), raises=True, leave_out=[])
    after(student, drawn(prompt_needs=True), raises=True, leave_out=[])


HINTS = {
    "requires_grad": "How do you know, at the end, which parameters were frozen before you came?",
    "training": "Who asked you to change modes?",
    "grad": "Where does backward put its results? Is there a function that returns them instead?",
    "values": "Which operation writes into memory that others use?",
    "raised": "Which of your lines are not reached when loss_fn raises an error? Which statement of Python runs all the same?",
}


def after(student, call, *, raises, leave_out):
    """Fail unless all is as before after a call."""
    rests_on_word()
    state, called = student.run(probes.state, call, raises=raises)
    if not called:
        raise CheckFailed("loss_fn was not called")
    for kind, expected in before(call).items():
        for name, old in {} if kind in leave_out else expected.items():
            new = state[kind].get(name)
            if same(new, old):
                continue
            plain = student.run(probes.state, call, raises=False)[0] if raises else state
            hint = HINTS["raised" if same(plain[kind].get(name), old) else kind]
            title = (
                f"{name if kind == 'values' else f'{name}.{kind}'} {'after the error of loss_fn' if raises else 'after the call'}"
            )
            if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
                assert_close(new, old, ulps=0, what=title, hint={"values": hint, "shape": hint})
            came, was = ("a tensor" if isinstance(each, torch.Tensor) else each for each in (new, old))
            raise CheckFailed(f"{title}: {came}; it was {was}", hint=hint, slip="inputs")


def same(new, old):
    """Whether a part of the state is what it was."""
    if isinstance(new, torch.Tensor) and isinstance(old, torch.Tensor):
        return torch.equal(new, old)
    return new is old


def before(call):
    """What :func:`probes.state` gives for a call that leaves everything alone."""
    base = [call["own"], *call["base"][:2], call["offset"], *call["base"][2:]]
    values = {f"base.{name}": value for name, value in zip(NAMES, base, strict=True)}
    names = ["first.weight", "first.bias", "second.weight", "second.bias"]
    values |= {f"head.{name}": value for name, value in zip(names, call["head"], strict=True)}
    values["prompt"] = call["prompt"]
    flags = {name: name.removeprefix("base.") not in call["frozen"] for name in values} | {"prompt": call["prompt_needs"]}
    full = {
        name: torch.full_like(value, call["grads"]) if call["grads"] and flags[name] else None for name, value in values.items()
    }
    modes = dict.fromkeys(("base", "base.0", "base.1", "base.3", "base.3.0", "base.4", "head", "head.first"), True)
    modes |= dict.fromkeys(("base.2", "base.3.1", "head.second"), False)
    return {"requires_grad": flags, "training": modes, "grad": full, "values": values | {"x": call["x"]}}
