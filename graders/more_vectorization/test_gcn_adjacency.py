"""Hidden checks: gcn_adjacency.

A sparse tensor crosses no wall, so a probe sends its parts; what is stored is data, and compared here. That it is coalesced is
seen in the order of the indices, and its layout is the worker's word. Results of other layouts are compared as well, and billed
once.

`test_values` and the public checks judge the formula. The others go by the student's own, as `form_of` finds it.
"""

from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from torchgrade import CheckFailed, assert_close, assert_dtype, assert_memory, points
from torchgrade.checks.faults import StudentFault
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_gcn_adjacency as probes

MEGABYTE = 1 << 20
FIRST = "Small graphs first: each edge given once, no self-loops, no node without neighbours."


class Form(NamedTuple):
    """A way to understand the formula; the default is the right one."""

    loops: str = "first"  # the diagonal is set before degrees are taken; "after" that, or "never"
    mirrored: str = "both"  # an edge goes both ways; "forward" or "backward"
    left: float = -0.5  # the power of D on the left
    right: float = -0.5  # and on the right

    def entries(self, edges, n):
        """What is right: places `row * n + column` in their order, and float64 values."""
        forward, backward = edges[0] * n + edges[1], edges[1] * n + edges[0]
        places = {"both": torch.cat([forward, backward]), "forward": forward, "backward": backward}[self.mirrored].unique()
        diagonal = torch.arange(n) * (n + 1)
        if self.loops == "first":
            places = torch.cat([places, diagonal]).unique()
        degrees = torch.bincount(places // n, minlength=n).double()
        if self.loops == "after":
            places = torch.cat([places, diagonal]).unique()
        return places, degrees[places // n] ** self.left * degrees[places % n] ** self.right

    def full(self, edges, n):
        """The same with its zeros."""
        places, values = self.entries(edges, n)
        return torch.zeros(n * n, dtype=torch.float64).index_put((places,), values).view(n, n)


RIGHT = Form()
POWERS = ((-0.5, -0.5), (-1.0, 0.0), (0.0, -1.0), (0.0, 0.0), (-1.0, -1.0), (-0.5, 0.0), (0.0, -0.5), (0.5, 0.5))
FORMS = tuple(
    Form(loops, mirrored, *powers)
    for powers, mirrored, loops in product(POWERS, ("both", "forward", "backward"), ("first", "after", "never"))
)


def simple(n, more):
    """A connected graph of n nodes, each edge once, in any direction and order: n - 1 edges and some more."""
    path = torch.randperm(n)
    pairs = torch.stack([path[:-1], path[1:]])
    others = torch.randint(n, (2, 4 * more + 8))
    others = others[:, others[0] != others[1]]
    edges = torch.cat([pairs, others], dim=1).sort(dim=0).values
    seen = torch.unique(edges[0] * n + edges[1])
    known = torch.unique(pairs.sort(dim=0).values.T @ torch.tensor([n, 1]))
    new = seen[~torch.isin(seen, known)]
    chosen = torch.cat([known, new[torch.randperm(len(new))[:more]]])
    return turned(torch.stack([chosen // n, chosen % n]))


def turned(edges):
    """The same edges in any order, each in any direction."""
    edges = edges[:, torch.randperm(edges.shape[1])]
    return torch.where(torch.rand(edges.shape[1]) < 0.5, edges, edges.flip(0))


def parts_of(student, edges, n):
    """Indices and values as they are stored, with layout and the rest. Fails unless they are a matrix of this size."""
    return matrix(student.run(probes.parts, edges, n), n)


def matrix(about, n):
    """The parts, if they are those of an [n, n] matrix."""
    if not isinstance(about, dict) or not about.keys() >= probes.PARTS:
        kind = about.get("type") if isinstance(about, dict) else type(about).__name__
        raise CheckFailed(f"the result is a {kind}; expected a Tensor", slip="type")
    if about["size"] != [n, n]:
        hint = "Where does the size of the result come from? A node may have no edge, also the last one."
        raise CheckFailed(f"the result has shape {about['size']}; expected {[n, n]}", hint=hint, slip="shape")
    indices, values = about["indices"], about["values"]
    if not (isinstance(indices, Tensor) and isinstance(values, Tensor)) or indices.shape != (2, values.numel()):
        text = "the result is sparse in one of its dimensions only; expected a matrix that has two indices for each number"
        raise CheckFailed(text, slip="layout")
    if values.numel() and not bool(((indices >= 0) & (indices < n)).all()):
        raise CheckFailed("an index of the result lies outside of it", slip="values")
    return about


def full(about, n):
    """The matrix with its zeros; what is stored twice is added, as sparse tensors do."""
    places = about["indices"][0] * n + about["indices"][1]
    return torch.zeros(n * n, dtype=torch.float64).index_put((places,), about["values"].double(), accumulate=True).view(n, n)


def compare(student, form, edges, n, what="the result", hint=FIRST):
    """Fail unless the values are right; return the parts."""
    about = parts_of(student, edges, n)
    assert_close(full(about, n), form.full(edges, n), what=what, hint=hint)
    return about


def form_of(student):
    """The form that the student's function has on a small graph; the right one, if none fits."""
    n = 7
    edges = simple(n, 3)
    try:
        result = full(parts_of(student, edges, n), n)
    except (CheckFailed, StudentFault):
        return RIGHT
    for form in FORMS:
        expected = form.full(edges, n)
        if bool(((result == expected) | ((result - expected).abs() < 1e-4)).all()):
            return form
    return RIGHT


@points(1.5)
def test_values(student):
    """Graphs of several sizes are right: each edge once, in any direction, no self-loops, no lone nodes."""
    hint = {
        "values": "A is 1 for edges, mirror images and the diagonal. What are the sums of its rows, and what is done with them?",
        "transposed": "An edge goes both ways: A is equal to its mirror image.",
        "nan": "No node is without neighbours here. What is divided by 0?",
    }
    for n, more in ((2, 0), (5, 2), (7, 3), (12, 20), (7, 3)):
        compare(student, RIGHT, simple(n, more), n, hint=hint)


@points(1)
def test_repeats(student):
    """Edges that are given several times, in one direction or in both, count once."""
    form = form_of(student)
    edges = simple(7, 3)
    compare(student, form, edges, 7)
    hint = "A sparse tensor adds what is stored twice for one place. At which moment do two copies of an edge become one?"
    several = edges[:, torch.randint(edges.shape[1], (20,))]
    directions = {
        "repeated": torch.cat([edges, several], dim=1),
        "given in both directions": torch.cat([edges, edges.flip(0)], dim=1),
        "repeated, in both directions": torch.cat([edges, turned(several), edges], dim=1),
    }
    for name, repeated in directions.items():
        shuffled = repeated[:, torch.randperm(repeated.shape[1])]
        compare(student, form, shuffled, 7, what=f"the result for edges that are {name},", hint=hint)


@points(1)
def test_self_loops(student):
    """A self-loop among the edges, once or twice, is the diagonal's one entry."""
    form = form_of(student)
    edges = simple(7, 3)
    compare(student, form, edges, 7)
    hint = "The diagonal is 1 already, and the mirror image of a self-loop is the self-loop. How often does it count?"
    for nodes in ((3,), (0, 6), (2, 2, 5), tuple(range(7))):
        looped = torch.cat([edges, torch.tensor([nodes, nodes])], dim=1)
        looped = looped[:, torch.randperm(looped.shape[1])]
        compare(student, form, looped, 7, what=f"the result with self-loops at {list(nodes)}", hint=hint)


@points(1)
def test_lone_nodes(student):
    """Nodes without edges have themselves as their neighbour, wherever they are, also the last ones."""
    form = form_of(student)
    compare(student, form, simple(7, 3), 7)
    hint = {
        "values": "A node without edges is in A all the same: with a 1 on the diagonal.",
        "nan": "What is the degree of a node without edges, if it is its own neighbour?",
    }
    for n, nodes in ((9, (0, 1, 2, 3, 4, 5, 6)), (8, (1, 2, 3, 4, 5, 6, 7)), (12, (1, 2, 4, 5, 7, 8, 10))):
        edges = torch.tensor(nodes)[simple(7, 3)]
        lone = sorted(set(range(n)) - set(nodes))
        compare(student, form, edges, n, what=f"the result for {n} nodes, of which {lone} have no edge,", hint=hint)


@points(0.5)
def test_no_edges(student):
    """Without edges, the result is the identity, for one node as for several."""
    form = form_of(student)
    compare(student, form, simple(7, 3), 7)
    hint = "Each node is its own neighbour, and has no other. What is left of the formula?"
    for n in (5, 1):
        edges = torch.zeros(2, 0, dtype=torch.int64)
        with hint_where_raised("Which step wants at least one edge? A maximum does."):
            compare(student, form, edges, n, what=f"the result for {n} nodes and no edges", hint={"values": hint, "nan": hint})


@points(1, kind="shapes")
def test_layout(student):
    """The result is a sparse COO tensor, coalesced, of float32 numbers, also for repeated edges."""
    rests_on_word()
    form = form_of(student)
    edges = simple(7, 3)
    compare(student, form, edges, 7)
    # Sorted edges in one direction might come out coalesced by chance; these are shuffled.
    for given in (edges, torch.cat([edges, edges[:, :4], edges.flip(0)], dim=1)):
        about = parts_of(student, given, 7)
        if about["layout"] != "torch.sparse_coo":
            text = f"the result's layout is {about['layout']}; expected torch.sparse_coo"
            raise CheckFailed(text, hint="What does print(result.layout) say? Which step changes it?", slip="layout")
        hint = "One place may be stored twice, and in any order. Which method puts that right, and notes that it has?"
        if not about["coalesced"]:
            raise CheckFailed("the result is not coalesced", hint=hint, slip="layout")
        places = about["indices"][0] * 7 + about["indices"][1]
        if not bool((places.diff() > 0).all()):
            text = "the result says that it is coalesced, and its indices are not in order, or one stands there twice"
            raise CheckFailed(text, hint="Who said that it is coalesced, and was it true?", slip="layout")
        assert_dtype(
            about["values"], torch.float32, what="each of its values", hint="Which step decides on the dtype of the values?"
        )


@points(0.5, kind="memory")
def test_entries(student):
    """There is one stored entry for each number that is not 0, and none for a 0."""
    form = form_of(student)
    edges = simple(7, 3)
    compare(student, form, edges, 7)
    loops = torch.tensor([[1, 4], [1, 4]])
    for given in (edges, torch.cat([edges, edges[:, :4], edges.flip(0), loops, loops], dim=1)):
        stored, right = parts_of(student, given, 7)["values"].numel(), len(form.entries(given, 7)[0])
        if stored != right:
            text = f"{stored} entries are stored; {right} numbers of the matrix are not 0"
            hint = "A value of 0 is stored as any other, and so is a second value for the same place."
            raise CheckFailed(text, hint=hint, slip="layout")


@points(1, kind="memory")
def test_memory(student):
    """8000 nodes and 8500 edges take at most 28 MB: a dense matrix of bools has 61 MB, one of float32 numbers 244."""
    form = form_of(student)
    compare(student, form, simple(7, 3), 7)
    # Right answers take 3 to 13 MB (a set of pairs 10, unique over columns 13), a dense matrix of bools 64, of float32 246.
    n = 8000
    edges = simple(n, 501)
    hint = "A matrix full of zeros was made on the way. What do you know about each edge, without looking into a matrix?"
    about = assert_memory(student.probe(probes.parts), edges, n, at_most=28 * MEGABYTE, warm_up=(simple(7, 3), 7), hint=hint)
    about = matrix(about, n)
    places = about["indices"][0] * n + about["indices"][1]
    order = places.argsort()
    right, values = form.entries(edges, n)
    assert_close(places[order], right, what="the places of the entries")
    assert_close(about["values"][order], values, what="the entries")
