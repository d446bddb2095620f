"""Public checks: ragged_attention. You may read and run them; `check("ragged_attention")` does."""

import torch

from torchgrade import CheckFailed, assert_close, points


@points(1)
def test_by_hand(student):
    """Two examples, one with two keys and one with three, give what you can work out on paper."""
    # Each key has one number that is not 0, and so has the query: the scores are log 3 and 0, and then 0, 0 and log 2.
    keys = torch.zeros(2, 3, 4)
    keys[0, 0, 0] = keys[1, 2, 0] = 1.0
    queries = torch.zeros(2, 1, 4)
    queries[:, 0, 0] = 2 * torch.tensor([3.0, 2.0]).log()  # sqrt(4) is 2
    values = torch.tensor([[[8.0, 0.0], [0.0, 4.0], [100.0, 100.0]], [[4.0, 0.0], [8.0, 4.0], [2.0, 6.0]]])
    expected = torch.tensor([[[6.0, 1.0]], [[4.0, 4.0]]])
    hint = {
        "values": "The first example has the scores log 3 and 0, after the division, and weights of 3/4 and 1/4. And yours?",
        "shape": "There is one query in each example, and a value has two numbers: the result is [2, 1, 2].",
        "nan": "None of these numbers is large, and no length is 0. Which line makes the first nan?",
    }
    assert_close(student.ragged_attention(queries, keys, values, torch.tensor([2, 3])), expected, scale=10.0, hint=hint)


def attention_of_copies(notebook, queries, keys, values, lengths):
    """The result for copies of the inputs, which autograd knows as well."""
    return notebook.ragged_attention(queries.clone(), keys.clone(), values.clone(), lengths)


@points(1, kind="gradients")
def test_beyond(student):
    """Queries of 0 give the mean of the first values, with a gradient of 1 / length for each; nan beyond them does not matter."""
    lengths = torch.tensor([1, 4, 2])
    values = torch.tensor([1.0, 2.0, 3.0, 6.0]).expand(3, 4).unsqueeze(2).clone()
    keys = torch.ones(3, 4, 2)
    for example, length in enumerate(lengths.tolist()):
        keys[example, length:] = values[example, length:] = torch.nan
    values.requires_grad_()
    result = student.run(attention_of_copies, torch.zeros(3, 1, 2), keys, values, lengths)
    hint = {
        "values": "The mean is taken over the first `length` values. Which weights do they get, and what do these add up to?",
        "shape": "There is one query in each of three examples, and a value is one number: the result is [3, 1, 1].",
        "nan": "A nan is in keys and values beyond the length. Does your mask leave out just these? What is 0 times nan?",
    }
    assert_close(result, torch.tensor([[[1.0]], [[3.0]], [[1.5]]]), scale=10.0, hint=hint)
    if not result.requires_grad:
        hint = "Its requires_grad is False. Which line does autograd not see: .data, detach, no_grad, NumPy?"
        raise CheckFailed("the result is cut off from values", hint=hint, slip="detached")
    (gradient,) = torch.autograd.grad(result.sum(), values)
    expected = torch.tensor([[1.0, 0, 0, 0], [0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0, 0]]).unsqueeze(2)
    hint = "The gradient of a value is its weight; beyond the length, it is 0."
    assert_close(gradient, expected, what="the gradient of values", hint={"values": hint, "nan": hint})
