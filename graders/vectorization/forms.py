"""In which form an answer is right: one slip is judged by the public checks, and undone for the hidden ones.

    entries, indices ──given──► the student's batch_gather ──mended──► the result, without the slip

`forgiving` does this for numbers; here the right entries stand in another order, or belong to other sizes. What is undone is read
off one call. An answer that is right, or wrong in another way, stays as it is. Not undone: all examples read from the first, and
each example given the indices of all. To tell the examples apart is what the exercise asks for.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from torchgrade.checks.faults import Raised

from .inputs import equals, gathered, some_of


class Form(NamedTuple):
    """An answer without its slip, and the shape of the entries to look at it with: numbers, or vectors if it needs them."""

    gather: Callable[[Tensor, Tensor], Tensor]
    rest: tuple[int, ...]
    given: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
    mended: Callable[[Tensor, Tensor, Tensor], Tensor]


def form_of(student):
    """The form in which the student's answer is right; the plain one if it is right in none."""
    forms = [_form(student, rest, *slip) for slip in _SLIPS for rest in ((), (3,))]
    return next(filter(_is_right, forms), forms[0])


def _form(student, rest, given, mended):
    def batch_gather(values, indices):
        return attempt(student.batch_gather(*given(values, indices)), values, indices)

    def attempt(result, values, indices):
        try:
            return mended(result, values, indices)
        except (AttributeError, IndexError, RuntimeError, TypeError):  # of another shape than this slip gives, or no tensor
            return result

    return Form(batch_gather, rest, given, attempt)


def _is_right(form):
    values, indices = torch.randn(6, 4, *form.rest), some_of(4, 6, 7)  # no size is another one, or one more
    try:
        result = form.gather(values, indices)
    except Raised:
        return False
    return equals(result, gathered(values, indices))


def _as_they_are(values, indices):
    return values, indices


def _as_it_is(result, *_):
    return result


def _indices_first(result, values, indices):
    """Undo a result whose numbers stand in the order [*index, B]."""
    flat = result.reshape(math.prod(indices.shape[1:]), len(indices), *values.shape[2:])
    return flat.transpose(0, 1).reshape(*indices.shape, *values.shape[2:])


def _batch_last(values, indices):
    """For row numbers that line up with the last dimension."""
    return values, indices.movedim(0, -1)


def _batch_second(values, indices):
    """For entries that are looked for along the dimension of the examples."""
    return values.transpose(0, 1), indices.movedim(0, -1)


def _batch_to_the_front(result, _, indices):
    return result.movedim(indices.dim() - 1, 0)


def _lists(indices):
    return indices.reshape(len(indices), math.prod(indices.shape[1:]))


def _unsorted(result, values, indices):
    """Undo a sort of each example's indices."""
    flat = result.reshape(_lists(indices).shape + values.shape[2:])
    order = _lists(indices).argsort(dim=1, stable=True).argsort(dim=1)
    return flat[torch.arange(len(flat), device=flat.device)[:, None], order].reshape(result.shape)


def _one_entry_more(values, indices):
    """For a check of the bounds that refuses the last entry."""
    return torch.cat([values, values[:, :1]], dim=1), indices


def _as_many_entries_as_examples(values, indices):
    """For offsets that count examples where they should count entries. Of more entries than examples another check tells."""
    batch, count = values.shape[:2]
    missing = 0 if bool((indices >= count).any()) else max(0, batch - count)  # what is out of range stays so
    return torch.cat([values, *[values[:, :1]] * missing], dim=1), indices


_SLIPS = (
    (_as_they_are, _as_it_is),
    (_as_they_are, _indices_first),
    (_batch_last, _batch_to_the_front),
    (_batch_second, _batch_to_the_front),
    (_as_they_are, _unsorted),
    (_one_entry_more, _as_it_is),
    (_as_many_entries_as_examples, _as_it_is),
)
"""What the student's function is given, and what is done to its result: as it is first, then one slip each."""
