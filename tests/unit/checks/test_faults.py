"""What a student is told of an exception."""

import pytest

from torchgrade.checks.faults import Line, Raised, with_article

TRACE = """Caught {kind} in DataLoader worker process 1.
Original Traceback (most recent call last):
  File "/opt/torch/utils/data/_utils/fetch.py", line 44, in fetch
    data = next(self.dataset_iter)
           ^^^^^^^^^^^^^^^^^^^^^^^
  File "cell 24", line 26, in __iter__
    for path in self.path:
                ^^^^^^^^^
{last}
"""
LOADER = Line("cell 23", 9, "for sample in loader:")


@pytest.mark.parametrize(
    ("kind", "last", "said"),
    [
        ("AttributeError", "AttributeError: no attribute 'path'", "AttributeError: no attribute 'path' (in"),
        ("ReadError", "tarfile.ReadError: unexpected\nend of data", "ReadError: unexpected\nend of data (in"),
        ("KeyError", "KeyError", "KeyError: (in"),
        ("KeyError", "cut off", "KeyError: (in"),
    ],
)
def test_an_error_of_a_worker_is_told_without_the_traceback(kind, last, said):
    fault = Raised(kind, TRACE.format(kind=kind, last=last), (LOADER,))
    assert str(fault) == f"Your code raised {said} DataLoader worker process 1) (cell 24, line 26: for path in self.path:)"
    assert fault.place == "cell 24, line 26"


def test_an_error_of_a_worker_outside_of_cells_keeps_the_line_that_read_from_the_loader():
    trace = TRACE.format(kind="TypeError", last="TypeError: no iterator").replace("cell 24", "/opt/torch/worker.py")
    assert str(Raised("TypeError", trace, (LOADER,))).endswith(f"no iterator (in DataLoader worker process 1) ({LOADER})")


def test_any_other_text_is_left_alone():
    assert Raised("ValueError", "Caught in the act\nof it").text == "Caught in the act\nof it"


@pytest.mark.parametrize(
    ("name", "told"),
    [("Tensor", "a Tensor"), ("int", "an int"), ("UserDict", "a UserDict"), ("UntypedStorage", "an UntypedStorage")],
)
def test_a_type_is_named_with_the_article_that_one_says(name, told):
    assert with_article(name) == told
