"""Hidden checks: share.

Whether memory is shared is seen by data: random numbers are written on one side in a call of their own, and read on the other.
Values are compared with no tolerance (`ulps=0`).
"""

import torch

from torchgrade import assert_close, assert_dtype, assert_tensor, points

from . import probes_share as probes

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16")
COMPLEX = ("complex64", "complex128")
DTYPES = (*FLOATS, *INTEGERS, "bool", *COMPLEX)
LAYOUTS = ("transposed", "every second column", "every third row", "part of a larger table")
COPIED = (
    "The tensor is a copy of an array that torch could have shared. Which of the conditions does your function think it breaks?"
)


def draw(dtype, *shape):
    """Three tables of numbers that each dtype can hold, and that differ at each place."""
    if dtype == "bool":
        first = torch.randint(0, 2, shape)
        return first, 1 - first, first
    tables = [torch.randint(40 * turn, 40 * turn + 40, shape) for turn in range(3)]
    return [torch.complex(t.double(), -t.double()) for t in tables] if dtype in COMPLEX else tables


def plain(tensor, what):
    """The numbers of a tensor of any dtype, wide enough to be compared."""
    tensor = assert_tensor(tensor, what=what)
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def check_values(result, numbers, what, hint=""):
    """Fail unless the tensor has these numbers."""
    assert_close(plain(result, what), plain(numbers, what), ulps=0, what=what, hint=hint)


def check_shared(student, first, second, what):
    """Write into the tensor that a probe holds and read the array, and the other way."""
    check_values(student.run(probes.write_tensor, first), first, f"{what} after a write into its tensor", COPIED)
    check_values(student.run(probes.write_array, second), second, f"the tensor of {what} after a write into the array", COPIED)


def check_array(student, numbers, what):
    """Fail unless the array that a probe holds still has its numbers."""
    hint = {"values": "The array was changed, and it belongs to somebody else. What does inplace=True do?"}
    check_values(student.run(probes.array_now), numbers, f"{what} after the call", hint)


@points(1, kind="dtypes")
def test_dtypes(student):
    """The tensor has the dtype of the array: floating-point numbers, integers, bool and complex numbers."""
    hint = {
        "dtype": "torch has a dtype of the same name. Which function or argument of yours makes another one?",
        "values": "Each number of the array is there in the tensor, digit by digit.",
        "shape": "A uint16 takes two bytes, and torch has a dtype of that name.",
    }
    for dtype in DTYPES:
        numbers = draw(dtype, 3, 4)[0]
        what = f"the tensor of a {dtype} array"
        if dtype != "uint16":
            result = student.run(probes.hold, numbers, dtype)
            assert_dtype(result, getattr(torch, dtype), what=what, hint=hint)
            check_values(result, numbers, what, hint)
            continue
        # Tensors of this dtype do not cross. Large numbers tell it from int16, and its bytes tell it from what is wider.
        numbers += 40000
        check_values(student.run(probes.hold, numbers, dtype), numbers, what, hint)
        seen, expected = student.run(probes.byte_by_byte), numbers.to(torch.uint16).view(torch.uint8)
        assert_close(seen, expected, what=f"{what}, byte by byte,", hint=hint)


@points(0.5, kind="inputs")
def test_shared_dtypes(student):
    """An array of any of these dtypes shares its memory."""
    for dtype in DTYPES:
        numbers, first, second = draw(dtype, 3, 4)
        student.run(probes.hold, numbers, dtype)
        check_shared(student, first, second, f"the {dtype} array")


@points(0.5, kind="inputs")
def test_shared_layouts(student):
    """Transposed arrays, slices and an array of no dimensions share their memory."""
    for layout in LAYOUTS:
        numbers, first, second = draw("float32", 4, 3)
        what = f"the array ({layout})"
        check_values(student.run(probes.hold, numbers, "float32", layout), numbers, f"the tensor of {what}")
        check_shared(student, first, second, what)
    numbers, first, second = draw("float32")
    check_values(student.run(probes.hold, numbers, "float32"), numbers, "the tensor of an array of no dimensions")
    check_shared(student, first, second, "the array of no dimensions")


@points(1)
def test_reversed(student):
    """A reversed array gives a tensor of the same numbers, in the same order."""
    hint = {"values": "The tensor reads in another order than the array: does something go by the memory, and not by the array?"}
    for layout in ("rows reversed", "columns reversed", "turned by rot90"):
        numbers = draw("float32", 4, 3)[0]
        check_values(student.run(probes.hold, numbers, "float32", layout), numbers, f"the tensor of an array ({layout})", hint)


@points(1)
def test_byte_order(student):
    """An array of the other byte order gives a tensor of the same numbers, and stays as it is."""
    hint = {"values": "The bytes were kept, and the numbers were not: what does view do to a number, and what does astype do?"}
    for dtype in ("float32", "float64", "int16", "int32"):
        numbers = draw(dtype, 3, 4)[0]
        what = f"the tensor of a {dtype} array of the other byte order"
        check_values(student.run(probes.hold, numbers, dtype, "the other byte order"), numbers, what, hint)
        check_array(student, numbers, f"the {dtype} array of the other byte order")
    number = draw("float32")[0]
    what = "the tensor of an array of no dimensions, of the other byte order,"
    hint = {
        "shape": "An array of no dimensions stays one when it is copied. Which of NumPy's functions gives it a dimension?",
        **hint,
    }
    check_values(student.run(probes.hold, number, "float32", "the other byte order"), number, what, hint)


@points(0.5)
def test_fields(student):
    """A field of records gives a tensor of its numbers, even if the step between them is not a multiple of their size."""
    for dtype in ("float32", "float64"):
        numbers = draw(dtype, 3, 4)[0]
        what = f"the tensor of a {dtype} field of records"
        check_values(student.run(probes.hold, numbers, dtype, "field"), numbers, what)


@points(0.5, kind="inputs")
def test_dlpack(student):
    """An object of another library that speaks DLPack shares its memory."""
    for layout in ("", "transposed"):
        numbers, first, second = draw("float32", 4, 3)
        check_values(student.run(probes.hold_exported, numbers, layout), numbers, "the tensor of an object with __dlpack__")
        check_shared(student, first, second, "the object's memory")
