"""Returns losses without end, and reads batches without end.

Family: wearing the machine out
Wall: time and memory limits
Marks: 0
Says: Your code
"""


def train_amp(model, loss_fn, optimizer, batches, scaler, *, device_type="cuda", dtype=None, max_norm=None):
    losses = [0.0 for _ in batches]
    while True:
        losses += losses or [0.0]
