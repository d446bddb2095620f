"""One step as a function, mapped over the batches."""

import torch
from torch import nn


def train_amp(model, loss_fn, optimizer, batches, scaler, *, device_type="cuda", dtype=torch.float16, max_norm=None):
    def step(batch):
        x, y = (tensor.to(device_type, non_blocking=True) for tensor in batch)
        optimizer.zero_grad()
        with torch.autocast(device_type=device_type, dtype=dtype):
            loss = loss_fn(model(x), y)
        scaler.scale(loss).backward()
        if max_norm:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g["params"]], max_norm)
        scaler.step(optimizer)
        scaler.update()
        return float(loss)

    return list(map(step, batches))
