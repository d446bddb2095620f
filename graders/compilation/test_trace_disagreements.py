"""Hidden checks: trace_disagreements.

No trace is made here: each function is told which of the others it will treat in another way than its example (`mixed`). Where a
check is not about the number of indices, one of the others differs; so a loop that stops at the first is billed once. Booleans in
place of indices are billed by the public checks, and read here as what they mean (`found_by`).
"""

import torch

from torchgrade import CheckFailed, assert_close, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_trace_disagreements as probes
from .public_trace_disagreements import assert_indices

ONE_WAY = "A trace has the path of its example, and no other one."


def positive(*shape):
    """Numbers between 1 and 2."""
    return 1 + torch.rand(shape)


def negative(*shape):
    """Numbers between -2 and -1."""
    return -positive(*shape)


def mixed(same, other, differing=1, count=5):
    """An example, others of which as many differ from it in kind, and their indices. ``same`` and ``other`` draw arguments."""
    indices = sorted(torch.randperm(count)[:differing].tolist())
    return same(), [other() if number in indices else same() for number in range(count)], indices


def found_by(student, function, example, others):
    """What the student's function gives; booleans, one for each of the others, as the indices that they stand for."""
    found = student.trace_disagreements(function, example, others)
    if isinstance(found, list | tuple) and len(found) == len(others) and all(type(index) is bool for index in found):
        return [number for number, differs in enumerate(found) if differs]
    return found


def check_mixed(student, function, same, other, *, hint, differing=1):
    """Compare for an example and others that are drawn by these functions."""
    example, others, indices = mixed(same, other, differing)
    found = found_by(student, function, example, others)
    assert_indices(found, indices, what=f"the result for {len(others)} others of the function `{function.__name__}`", hint=hint)


@points(1)
def test_control_flow(student):
    """Branches, loops and numbers that become constants: all others that differ are found."""
    for differing in (2, 3):
        for same, other in ((positive, negative), (negative, positive)):
            check_mixed(
                student, probes.branch, lambda f=same: (f(3),), lambda f=other: (f(3),), hint=ONE_WAY, differing=differing
            )
        hint = "How often did the loop run for the example? What does its trace know of that?"
        check_mixed(
            student,
            probes.doubled_by_dim,
            lambda: (positive(2, 3),),
            lambda: (positive(2, 3, 1),),
            hint=hint,
            differing=differing,
        )
        check_mixed(student, probes.halved, lambda: (positive(3),), lambda: (4 * positive(3),), hint=hint, differing=differing)
    hint = "item() gives a number of Python. Which number is it in the trace?"
    for differing in (2, 3):
        check_mixed(
            student,
            probes.less_largest,
            lambda: (torch.cat([positive(2), torch.tensor([5.0])]),),
            lambda: (positive(3),),
            hint=hint,
            differing=differing,
        )


@points(1)
def test_errors(student):
    """Where the trace raises an error and the function does not, they differ."""
    hint = "What does a trace that was made for 6 numbers do with 8, and what is the result then?"
    with hint_where_raised("Who raises this, the function or its trace? And which of the two is right?"):
        check_mixed(student, probes.flat, lambda: (positive(2, 3),), lambda: (positive(2, 4),), hint=hint)
        same, other = (lambda: (positive(2, 3), positive(6))), (lambda: (positive(4, 2), positive(8)))
        check_mixed(student, probes.added_to_flat, same, other, hint=hint)


@points(1.5, kind="shapes")
def test_shapes(student):
    """Results of another shape differ, also where their numbers are equal and one shape broadcasts to the other."""
    hint = "The numbers are equal. Are the shapes, and does your comparison look at them?"
    for function in (probes.one_or_two, probes.row_or_column, probes.no_dimension):
        check_mixed(student, function, lambda: (positive(3, 3),), lambda: (negative(3, 3),), hint=hint)


@points(1, kind="dtypes")
def test_dtypes(student):
    """Results of another dtype differ, also where their numbers are equal."""
    hint = "The numbers are equal. Are the dtypes, and does your comparison look at them?"
    with hint_where_raised("What does this comparison want of the two dtypes?"):
        for function in (probes.wide, probes.whole):
            check_mixed(student, function, lambda: (positive(3),), lambda: (negative(3),), hint=hint)
            check_mixed(student, function, lambda: (negative(3),), lambda: (positive(3),), hint=hint)


@points(1, kind="stability")
def test_tolerance(student):
    """A relative error of 1e-4 is a difference, and one of 1e-6 is none; nor is an error far below 1e-8."""
    for size in (1e-2, 1.0, 1e4):
        small, large = torch.tensor(1e-6, dtype=torch.float64), torch.tensor(1e-4, dtype=torch.float64)
        hint = f"The numbers are near {size:g}. How far apart may two numbers be by the task, and how far by your comparison?"
        check_mixed(
            student,
            probes.nearly,
            lambda size=size, small=small: (size * positive(3).double(), small),
            lambda size=size, large=large: (size * negative(3).double(), large),
            hint=hint,
        )
        example = (size * positive(3).double(), small)
        others = [(size * negative(3).double(), small) for _ in range(2)]
        found = found_by(student, probes.nearly, example, others)
        assert_indices(found, [], what=f"the result for numbers near {size:g} that are off by a millionth of them", hint=hint)
    whole = torch.tensor(1.0, dtype=torch.float64)
    others = [(1e-10 * negative(3).double(), whole) for _ in range(2)]
    found = found_by(student, probes.nearly, (1e-10 * positive(3).double(), whole), others)
    hint = "These numbers are smaller than 1e-8. How far apart may any two numbers be by the task?"
    assert_indices(found, [], what="the result for numbers near 1e-10 that are off by as much", hint=hint)


@points(0.5, kind="stability")
def test_nan(student):
    """Nan equals nan, and nothing else."""
    others = [(torch.tensor([1.0, -1.0, 2.0]),), (positive(3),), (negative(3),)]
    found = found_by(student, probes.logarithm, (positive(3),), others)
    assert_indices(found, [], what="the result for logarithms, some of them nan", hint="Is nan == nan? Who says so?")
    hint = "Nan in one of two results is a difference. What becomes of it on the way?"
    check_mixed(student, probes.nan_or_zero, lambda: (positive(3),), lambda: (negative(3),), hint=hint)


@points(0.5)
def test_harmless(student):
    """A trace that does what its function does is wrong nowhere; nor is one without others."""
    for function in (probes.softmax, probes.count, probes.positive):
        others = [(positive(2, 3),), (negative(4, 3),), (torch.randn(3),)]
        found = found_by(student, function, (positive(2, 3),), others)
        assert_indices(
            found, [], what=f"the result for the function `{function.__name__}`", hint="Where do the two results differ?"
        )
    assert_indices(found_by(student, probes.branch, (positive(3),), []), [], what="the result without others")


@points(1, kind="inputs")
def test_written_into(student):
    """Functions that write into their arguments differ from their traces only where their results do."""
    hint = "After one call the arguments are others. What does the next call get?"
    others = [(positive(3),), (negative(2),), (torch.randn(4, 2),)]
    found = found_by(student, probes.scaled_in_place, (positive(3),), others)
    assert_indices(found, [], what="the result for a function that writes into its argument", hint=hint)
    others = [(positive(3), positive(3)), (negative(2), positive(2))]
    found = found_by(student, probes.moved_in_place, (positive(3), positive(3)), others)
    assert_indices(found, [], what="the result for a function that writes into both arguments", hint=hint)
    check_mixed(student, probes.branch_in_place, lambda: (positive(3),), lambda: (negative(3),), hint=hint)


@points(0.5, kind="inputs")
def test_untouched(student):
    """The example and the others are as before, whatever the function does to its arguments."""
    rests_on_word()
    for function, count in ((probes.scaled_in_place, 1), (probes.moved_in_place, 2)):
        example = tuple(positive(3) for _ in range(count))
        others = [tuple(positive(3) for _ in range(count)) for _ in range(3)]
        after, found = student.run(probes.afterwards, function, example, others)
        if not isinstance(found, list | tuple):
            raise CheckFailed(f"the result is a {type(found).__name__}; expected a list of int", slip="type")
        if len(after) != 1 + len(others):
            raise CheckFailed(f"there are {len(after) - 1} others after the call; before it there were {len(others)}")
        for number, (before, later) in enumerate(zip((example, *others), after, strict=True)):
            what = f"others[{number - 1}] after the call" if number else "the example after the call"
            hint = "Who writes into this tensor, the function or its trace? What could it be given in its place?"
            for one, same in zip(before, later, strict=True):
                assert_close(same, one, ulps=0, what=what, hint=hint)
