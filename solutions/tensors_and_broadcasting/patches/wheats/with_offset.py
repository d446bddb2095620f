"""as_strided as a method, with the offset spelled out and lists that grow by one dimension at a time."""

from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    shape, steps = list(x.shape[:-2]), list(x.stride()[:-2])
    for dim in (-2, -1):
        count = (x.shape[dim] - (size - 1) * dilation - 1) // stride + 1
        if count < 1:
            raise ValueError(f"no patch fits along dimension {dim} of an image of shape {tuple(x.shape)}")
        shape.append(count)
        steps.append(x.stride(dim) * stride)
    for dim in (-2, -1):
        shape.append(size)
        steps.append(x.stride(dim) * dilation)
    return x.as_strided(tuple(shape), tuple(steps), x.storage_offset())
