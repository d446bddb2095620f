"""Hidden checks: patches.

Nothing is computed, so values are compared with no tolerance (`ulps=0`). Only gradients are sums.

Where a check is not about the order of axes or the number of patches, it goes by the student's own: `places` asks for the patches
of an image whose pixels are numbered, and they say which pixel stands where. So swapped axes are billed once.
"""

import torch

from torchgrade import CheckFailed, assert_close, assert_constant_operations, assert_gradients, assert_tensor, points

from . import probes_patches as probes

MEMORY = 4096
"""Numbers in the memory that images are laid out in: more than any image here, read in whichever way, reaches over."""

STRIDED = {
    "a transposed image": ((6, 7), (1, 6), 0),
    "every second row and third column of an image": ((6, 5), (30, 3), 0),
    "an image whose rows are one row, expanded": ((5, 6), (0, 1), 0),
    "an image whose columns are one column, expanded": ((5, 6), (1, 0), 0),
    "images whose channels are last in memory": ((2, 3, 5, 6), (90, 1, 18, 3), 0),
    "one image, expanded to three": ((3, 5, 6), (0, 6, 1), 0),
}
SHIFTED = {
    "the last of several images": ((5, 6), (6, 1), 60),
    "an image without its first rows": ((6, 5), (5, 1), 15),
    "an image that begins in the middle of its memory": ((7, 5), (5, 1), 2000),
}
VIEWED = {
    "a transposed image": ((6, 7), (1, 6), 0),
    "images without their margins": ((2, 5, 6), (80, 10, 1), 22),
    "one image, expanded to three": ((3, 5, 6), (0, 6, 1), 0),
    "a batch whose two dimensions are swapped": ((3, 2, 5, 6), (30, 90, 6, 1), 0),
}


def indices(shape, size, stride=1, dilation=1):
    """The specification: row and column of each number of each patch."""
    height, width = ((n - (size - 1) * dilation - 1) // stride + 1 for n in shape[-2:])
    within = torch.arange(size) * dilation
    rows = (torch.arange(height) * stride)[:, None] + within
    columns = (torch.arange(width) * stride)[:, None] + within
    return rows[:, None, :, None], columns[None, :, None, :]


def patched(x, *settings):
    """The specification, by a copy."""
    rows, columns = indices(x.shape, *settings)
    return x[..., rows, columns]


def places(student, shape, *settings):
    """Which pixel of one image stands where in the student's patches: numbers of pixels, row by row.

    Those of the specification, where the student's are not patches: four dimensions, with at least one patch's pixels in them.
    """
    height, width = shape[-2:]
    numbered = torch.arange(height * width).view(height, width)
    right = patched(numbered, *settings)
    found = student.patches(numbered.double(), *settings)
    if not isinstance(found, torch.Tensor) or found.dim() != 4 or not found.is_floating_point():
        return right
    whole = found.detach().nan_to_num(-1).long()
    if not bool(((whole >= 0) & (whole < height * width)).all()) or len(whole.unique()) < settings[0] ** 2:
        return right
    return whole


def taken(x, found):
    """The pixels at these places, of each image of a batch."""
    return x.flatten(-2)[..., found]


def check_layouts(student, layouts, *settings, hint):
    """Compare the patches of images in memory with those of the same images, side by side in memory."""
    for name, layout in layouts.items():
        memory = torch.randn(MEMORY)
        result = student.run(probes.cut, memory, layout, *settings)
        expected = taken(torch.as_strided(memory, *layout), places(student, layout[0], *settings))
        assert_close(result, expected, ulps=0, what=f"the result for {name}", hint={"values": hint})


@points(1.5)
def test_values(student):
    """Patches are right for images of any height and width, with any stride, alone and in batches."""
    hint = {"values": "The patch [i, j] begins in row i * stride and column j * stride."}
    for shape in ((6, 8), (6, 8), (7, 5)):
        for settings in ((2,), (3, 1), (2, 2), (3, 3), (2, 4)):
            x = torch.randn(shape)
            assert_close(student.patches(x, *settings), patched(x, *settings), ulps=0, hint=hint)
    x = torch.randn(4, 5)
    assert_close(student.patches(x, 1), patched(x, 1), ulps=0, what="the result for patches of one number")
    hint = {
        "shape": "Height and width are the last two dimensions, whatever number of dimensions comes before them.",
        "values": "Height and width are the last two dimensions. Those before them stay as they are.",
    }
    for batch in ((3,), (2, 3), (2, 1, 3)):
        x = torch.randn(*batch, 6, 5)
        assert_close(student.patches(x, 3, 2), patched(x, 3, 2), ulps=0, what="the result for a batch", hint=hint)


@points(1)
def test_dilation(student):
    """With a dilation of 2 or 3 the numbers of a patch lie that far apart, with a stride as well."""
    hint = {
        "values": "Inside a patch, p moves on by dilation. From patch to patch, i moves on by stride.",
        "shape": "A patch of 3 with dilation 2 reaches over 5 rows, not over 3 and not over 6. How many of them fit?",
    }
    for settings in ((3, 1, 2), (2, 1, 3), (3, 2, 2), (2, 2, 3), (2, 3, 2), (1, 1, 3)):
        x = torch.randn(8, 11)
        assert_close(student.patches(x, *settings), patched(x, *settings), ulps=0, hint=hint)


@points(1, kind="shapes")
def test_strides(student):
    """Patches of transposed, thinned out and expanded images are right."""
    hint = "The next row of this image is not `width` numbers further on in memory. What does x itself say about that?"
    for settings in ((2,), (2, 2, 2)):
        check_layouts(student, STRIDED, *settings, hint=hint)


@points(1, kind="shapes")
def test_offset(student):
    """Patches of an image that does not begin where its memory begins are right."""
    hint = "x is a slice here. Where in its memory does it start?"
    for settings in ((2,), (2, 2, 2)):
        check_layouts(student, SHIFTED, *settings, hint=hint)


@points(1.5, kind="inputs")
def test_view_of_any_layout(student):
    """Patches of transposed, sliced and expanded images share their memory, too."""
    hint = "The patches still hold old numbers. reshape and contiguous copy some images, and others they do not."
    for name, layout in VIEWED.items():
        for settings in ((2,), (2, 1, 2), (2, 2, 1)):
            number = torch.rand(()).item()
            student.run(probes.hold, torch.randn(MEMORY), layout, *settings)
            what = f"the result for {name}, after its memory was filled with one number"
            result = assert_tensor(student.run(probes.fill, number), what=what)
            if result.dim() != len(layout[0]) + 2 or not result.numel():
                raise CheckFailed(f"{what}, has shape {list(result.shape)}; expected {len(layout[0]) + 2} dimensions")
            assert_close(result, torch.full_like(result, number), ulps=0, what=what, hint=hint)


@points(1.5, kind="gradients")
def test_gradients(student):
    """The gradient of a pixel is the sum over all patches it is in, for a transposed image as well."""
    detached = "A view keeps its gradient if torch makes it from x itself. What comes from detach, .data or numpy does not."
    images = (
        (torch.randn(7, 8, dtype=torch.float64), "A pixel that is in four patches gets the sum of four gradients."),
        (torch.randn(8, 7, dtype=torch.float64).T, "This image is transposed. Do the patches have the right pixels in them?"),
    )
    for x, values in images:
        for settings in ((3,), (2, 2, 2), (3, 2, 2), (2, 3, 3)):
            found = places(student, x.shape, *settings)
            assert_gradients(
                student.patches,
                reference=lambda x, *_, found=found: taken(x, found),
                inputs=[(x.detach().requires_grad_(), *settings)],
                hint={"detached": detached, "values": values},
            )


@points(0.5, kind="operations")
def test_operations(student):
    """At most 12 tensor operations, for images and patches of any size."""
    x = torch.randn(6, 7)
    assert_close(student.patches(x, 2, 2, 2), taken(x, places(student, x.shape, 2, 2, 2)), ulps=0)
    for inputs in (
        [(torch.randn(n, n + 1), 2, 2, 2) for n in (4, 12, 36)],
        [(torch.randn(40, 40), size, 2, 2) for size in (2, 6, 18)],
    ):
        assert_constant_operations(
            student.patches, inputs, at_most=12, hint="A view of all patches is described by one shape, however many there are."
        )
