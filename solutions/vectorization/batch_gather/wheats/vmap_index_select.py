"""index_select on one example, whose indices are flattened and folded back, mapped over the batch."""

import torch


def batch_gather(values, indices):
    def one(entries, picks):
        return entries.index_select(0, picks.reshape(-1)).reshape(picks.shape + entries.shape[1:])

    return torch.func.vmap(one)(values, indices) if len(values) else values.new_empty(indices.shape + values.shape[2:])
