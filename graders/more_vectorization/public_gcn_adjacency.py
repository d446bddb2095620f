"""Public checks: gcn_adjacency. You may read and run them; `check("gcn_adjacency")` does."""

import torch

from torchgrade import CheckFailed, assert_close, assert_dtype, points


def full(notebook, edges, n):
    """The result with all its zeros, if it is a tensor. Sparse ones are looked at beside your code; they cannot leave it."""
    result = notebook.gcn_adjacency(edges, n)
    return result.to_dense() if isinstance(result, torch.Tensor) else result


def form(notebook, edges, n):
    """What kind of tensor the result is: its layout, whether it is coalesced, and its values."""
    result = notebook.gcn_adjacency(edges, n)
    if not isinstance(result, torch.Tensor) or result.layout is not torch.sparse_coo:
        return str(getattr(result, "layout", type(result).__name__)), False, torch.zeros(0)
    return str(result.layout), result.is_coalesced(), result._values()  # noqa: SLF001 - values() wants a coalesced tensor


@points(1)
def test_by_hand(student):
    """A path of three nodes gives what you can work out on paper."""
    # With themselves, the nodes have 2, 3 and 2 neighbours.
    end, middle, step = 1 / 2, 1 / 3, 6**-0.5
    expected = torch.tensor([[end, step, 0.0], [step, middle, step], [0.0, step, end]])
    hint = {
        "values": "A has a diagonal, and edges go both ways, so its rows add up to 2, 3 and 2. An end and the middle get 1 / √6.",
        "shape": "There are three nodes: the result is [3, 3].",
        "nan": "No row of A is empty here. What is divided by 0?",
    }
    assert_close(student.run(full, torch.tensor([[0, 1], [1, 2]]), 3), expected, hint=hint)


@points(1)
def test_again(student):
    """An edge that is given three times counts once."""
    edges = torch.tensor([[0, 1, 3], [1, 2, 1]])
    once = student.run(full, edges, 4)
    assert_close(once[edges[0], edges[1]].count_nonzero(), torch.tensor(3), what="the number of edges that are in the result")
    often = student.run(full, torch.cat([edges, edges[:, :1], edges[:, 2:], edges[:, :1]], dim=1), 4)
    hint = "What does a sparse tensor do with two values for one place? Were degrees counted before the copies were gone?"
    assert_close(often, once.double(), what="the result for an edge that is given three times", hint=hint)


@points(0.5, kind="shapes")
def test_form(student):
    """The result is a sparse tensor in COO layout, coalesced, of float32 numbers."""
    layout, coalesced, values = student.run(form, torch.tensor([[0, 1], [1, 2]]), 3)
    if layout != "torch.sparse_coo":
        hint = "What does print(result.layout) say? torch.sparse_coo_tensor makes the layout that is asked for."
        raise CheckFailed(f"the result's layout is {layout}; expected torch.sparse_coo", hint=hint)
    if not coalesced:
        raise CheckFailed("the result is not coalesced", hint="What does print(result) say in its last line? What makes it so?")
    assert_dtype(values, torch.float32, what="each of its values", hint="Which step decides on the dtype of the values?")
