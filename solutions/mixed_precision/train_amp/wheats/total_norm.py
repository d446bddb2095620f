"""The norm and the clipping apart, by the newer pair of functions; what has no gradient is left out."""

import torch
from torch.nn.utils import clip_grads_with_norm_, get_total_norm


def train_amp(model, loss_fn, optimizer, batches, scaler, *, device_type="cuda", dtype=torch.float16, max_norm=None):
    history = []
    for features, labels in batches:
        with torch.amp.autocast(device_type, dtype=dtype, cache_enabled=True):
            output = model(features.to(device_type))
            loss = loss_fn(output, labels.to(device_type))
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        if max_norm is not None:
            owned = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
            clip_grads_with_norm_(owned, max_norm, get_total_norm([p.grad for p in owned]))
        scaler.step(optimizer)
        scaler.update()
        history.append(loss.detach().float().cpu())
    return torch.stack(history).tolist() if history else []
