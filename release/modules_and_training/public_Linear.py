"""Public checks: Linear. You may read and run them; `check("Linear")` does."""

import torch

from torchgrade import CheckFailed, assert_close, assert_shape, assert_tensor, points
from torchgrade.checks.notes import rests_on_word


@points(0.5)
def test_by_hand(student):
    """Zeros give the bias, and a unit vector gives a column of the weight besides."""
    layer = student.Linear(2, 3)
    weight = assert_tensor(layer.weight, what="layer.weight").detach().clone()
    bias = assert_tensor(layer.bias, what="layer.bias").detach().clone()
    zeros = layer(torch.zeros(1, 2)).detach()
    assert_close(zeros, bias.unsqueeze(0), what="the result for zeros", hint="What is left of the formula where x is 0?")
    if weight.shape == (2, 3):  # the wrong way round: test_names says so
        weight = weight.T
    for column in range(2):
        x = torch.zeros(1, 2)
        x[0, column] = 1
        what = f"the result for the row {x[0].tolist()}, less the bias,"
        hint = "Which numbers of the weight are multiplied by which number of the row?"
        assert_close(layer(x).detach() - zeros, weight[:, column].unsqueeze(0), scale=2.0, what=what, hint=hint)


@points(0.5)
def test_names(student):
    """The state dict has a weight [3, 2] and a bias [3], and no nn.Linear did it."""
    rests_on_word()
    layer = student.Linear(2, 3)
    if any(isinstance(part, torch.nn.Linear) for part in layer.modules()):
        raise CheckFailed("Linear is made of torch.nn.Linear", hint="What would nn.Linear have to do itself, in two lines?")
    state = dict(layer.state_dict())
    hint = "Which kind of attribute does nn.Module look for, and where does it look?"
    if missing := [name for name in ("weight", "bias") if name not in state]:
        raise CheckFailed(f"the state dict has the names {list(state)}; there is no {missing[0]}", hint=hint)
    if list(state) != ["weight", "bias"]:
        hint = "The names come in the order in which the attributes were set."
        raise CheckFailed(f"the state dict has the names {list(state)}; expected ['weight', 'bias']", hint=hint)
    hint = "The formula has a transpose in it. Which of the two sizes comes first before that?"
    assert_shape(state["weight"], (3, 2), what="the weight of Linear(2, 3)", hint={"shape": hint})
    hint = "One number is added to each of the outputs: how many dimensions does that need?"
    assert_shape(state["bias"], (3,), what="the bias of Linear(2, 3)", hint={"shape": hint})


@points(0.5)
def test_line(student):
    """As Linear(1, 1), it learns the line y = 5 x + 3 from 20 points."""
    layer = student.Linear(1, 1)
    parameters = list(layer.parameters())
    if not parameters:
        hint = "nn.Module sees an attribute only if it is of a certain class. Is it hidden in a list, or the result of a formula?"
        raise CheckFailed("parameters() gives nothing, so there is nothing to learn", hint=hint)
    optimizer = torch.optim.SGD(parameters, lr=0.3)
    x = torch.linspace(-1, 1, 20).unsqueeze(1)
    for _ in range(60):
        optimizer.zero_grad()
        (layer(x) - (5 * x + 3)).square().mean().backward()
        optimizer.step()
    hint = "Are weight and bias both among the parameters, and does forward use these very tensors?"
    found = torch.cat([layer(torch.zeros(1, 1)).detach(), layer(torch.ones(1, 1)).detach()])
    assert_close(found, torch.tensor([[3.0], [8.0]]), scale=1e4, what="the line at 0 and 1, after 60 steps,", hint=hint)
