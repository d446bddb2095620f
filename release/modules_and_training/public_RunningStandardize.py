"""Public checks: RunningStandardize. You may read and run them; `check("RunningStandardize")` does."""

import torch

from torchgrade import CheckFailed, assert_close, assert_shape, assert_tensor, points


@points(1)
def test_by_hand(student):
    """One batch of four rows: mean, var and result are what you can work out on paper."""
    layer = student.RunningStandardize(2, eps=1.0)
    result = layer(torch.tensor([[1.0, 10.0], [1.0, 14.0], [1.0, 14.0], [5.0, 18.0]]))
    assert_close(
        layer.mean, torch.tensor([2.0, 14.0]), scale=10.0, what="mean", hint="The mean of each column is taken over what?"
    )
    if torch.allclose(layer.var, torch.tensor([4.0, 32 / 3])):
        hint = "The squares of four distances: divided by how many? The text says it."
        raise CheckFailed("var is [4, 10.667]; expected [3, 8]", hint=hint, slip="factor")
    hint = "What is the mean square of the distances to the mean of the column?"
    assert_close(layer.var, torch.tensor([3.0, 8.0]), scale=8.0, what="var", hint=hint)
    hint = (
        "Here eps is 1. Where does it stand in the formula, and which mean and var does the formula use: those before this batch?"
    )
    expected = torch.tensor([[-1 / 2, -4 / 3], [-1 / 2, 0.0], [-1 / 2, 0.0], [3 / 2, 4 / 3]])
    assert_close(result, expected, hint={"values": hint})


@points(1)
def test_two_batches(student):
    """A batch of two rows and then one of a single row: mean, var and count are those of three rows."""
    layer = student.RunningStandardize(1)
    layer(torch.tensor([[1.0], [4.0]]))
    layer(torch.tensor([[1.0]]))
    if (count := int(layer.count)) != 3:
        raise CheckFailed(
            f"after batches of 2 rows and of 1 row count is {count}; expected 3",
            hint="What is it before the first batch, and what is counted after that: batches, or rows?",
        )
    hint = "Two rows came first, then one. How much does each batch weigh?"
    assert_close(layer.mean, torch.tensor([2.0]), scale=4.0, what="mean after rows 1, 4 and then 1", hint=hint)
    hint = {
        "nan": "What is the variance of a single row, divided by n?",
        "values": "The rows 1, 4 and 1 have the mean 2. Within the batches and between their means: which distances count?",
    }
    assert_close(layer.var, torch.tensor([2.0]), scale=4.0, what="var after rows 1, 4 and then 1", hint=hint)


@points(0.5)
def test_state(student):
    """A new layer's state dict holds mean (0), var (1) and count (0), and there are no parameters."""
    layer = student.RunningStandardize(3)
    if parameters := [name for name, _ in layer.named_parameters()]:
        raise CheckFailed(
            f"{', '.join(parameters)}: among the parameters, which an optimizer moves",
            hint="Is it learnt by gradients? What else can a module register?",
            slip="inputs",
        )
    state = layer.state_dict()
    if sorted(state) != ["count", "mean", "var"]:
        raise CheckFailed(
            f"the state dict has the entries {sorted(state)}; expected ['count', 'mean', 'var']",
            hint="An attribute that is a tensor is not saved by itself. Which method of nn.Module makes it a part of the state?"
            if {"count", "mean", "var"} - set(state)
            else "Which of these entries can be left out, and how does a module keep a tensor that is not saved?",
            slip="type" if sorted(state) == ["mean", "var"] else "values",
        )
    assert_close(state["mean"], torch.zeros(3), what="mean of a new layer", hint={"values": "No row was seen yet: see the text."})
    assert_close(state["var"], torch.ones(3), what="var of a new layer", hint={"values": "No row was seen yet: see the text."})
    count = assert_tensor(state["count"], what="count")
    if count.dtype != torch.int64:
        raise CheckFailed(
            f"count has dtype {str(count.dtype)[6:]}; expected int64", hint="Rows are counted in whole numbers.", slip="dtype"
        )
    assert_shape(count, (), what="count", hint="A single number needs no dimension.")
    assert_close(count, torch.tensor(0), what="count of a new layer")
