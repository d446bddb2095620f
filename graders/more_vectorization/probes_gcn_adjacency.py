"""What runs beside the student's code: sparse tensors cross no wall, so their parts do. Nothing here is secret."""

from typing import Any

import torch
from torch import Tensor

PARTS = {"layout", "size", "coalesced", "indices", "values"}


def parts(notebook: Any, edges: Tensor, n: int) -> dict[str, Any]:
    """Layout, size, and the entries as they are stored; those of other layouts as COO would have them."""
    result = notebook.gcn_adjacency(edges, n)
    if not isinstance(result, Tensor):
        return {"type": type(result).__name__}
    result = result.detach()
    about = {"layout": str(result.layout), "size": list(result.shape), "coalesced": False}
    if result.layout is not torch.sparse_coo:
        result = result.to_sparse()
    about["coalesced"] = result.is_coalesced()
    # indices() and values() want a coalesced tensor
    return about | {"indices": result._indices(), "values": result._values()}  # noqa: SLF001
