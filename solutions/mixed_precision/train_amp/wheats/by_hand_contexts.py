"""Contexts entered and left by hand, and gradients put to None one by one, after each step."""

import contextlib

import torch


def _owned(optimizer):
    for group in optimizer.param_groups:
        yield from group["params"]


def train_amp(model, loss_fn, optimizer, batches, scaler, *, device_type="cuda", dtype=torch.float16, max_norm=None):
    losses = []
    device = torch.device(device_type)
    for batch in batches:
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.autocast(device.type, dtype, enabled=True))
            loss = loss_fn(model(batch[0].to(device)), batch[1].to(device))
            losses += [loss.item()]
        scaler.scale(loss).backward()
        if max_norm is not None:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(_owned(optimizer), max_norm, norm_type=2.0)
        scaler.step(optimizer)
        scaler.update()
        for parameter in _owned(optimizer):
            parameter.grad = None
    return losses
