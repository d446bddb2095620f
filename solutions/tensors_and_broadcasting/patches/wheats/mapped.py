"""Written for one image, and mapped over each dimension of the batch by vmap."""

import torch
from torch import Tensor


def patches(x: Tensor, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    def of_image(image: Tensor) -> Tensor:
        reach = (size - 1) * dilation + 1
        windows = image.unfold(0, reach, stride).unfold(1, reach, stride)
        return windows[:, :, ::dilation, ::dilation]

    function = of_image
    for _ in range(x.dim() - 2):
        function = torch.vmap(function)
    return function(x)
