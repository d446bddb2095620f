"""Hidden checks: fit.

Models are made and files are written beside the student's code; weights and losses come back. What one run does is compared with
a run here, in float64. What two runs do is compared bit for bit, the student's with the student's. lr = 0 keeps the weights where
they are, so that a check may look at losses, generators and buffers alone.
"""

import torch

from torchgrade import CheckFailed, assert_close, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_fit as probes

F64 = torch.float64


def rows(n, dtype=F64):
    """Random inputs and targets, which are far from 0."""
    return torch.randn(n, 3, dtype=dtype), 1 + torch.rand(n, dtype=dtype)


def start(kind, dtype=F64):
    """A random state of a model of this kind."""
    return {
        name: entry.to(dtype) if entry.is_floating_point() else entry for name, entry in probes.build(kind).state_dict().items()
    }


def leg(state, epochs, *, file="run.pt", stop=0, still=()):
    """One call of fit, with a seed of its own."""
    seed = int(torch.randint(2**31, ()))
    return {"state": state, "seed": seed, "epochs": epochs, "file": file, "stop": stop, "still": list(still)}


def trained(kind, state, x, y, epochs, batch_size, lr):
    """The state after a run that is right, and its losses."""
    model = probes.build(kind, state)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=lr), []
    for _ in range(epochs):
        squares = 0.0
        for first in range(0, len(x), batch_size):
            optimizer.zero_grad()
            error = (model(x[first : first + batch_size])[:, 0] - y[first : first + batch_size]).square()
            error.mean().backward()
            optimizer.step()
            squares += float(error.sum())
        losses.append(squares / len(x))
    return model.state_dict(), torch.tensor(losses, dtype=F64)


def called(student, kind, legs, x, y, batch_size, lr):
    """What became of each call."""
    return student.run(probes.called, kind, legs, x, y, batch_size, lr)


def assert_state(found, expected, *, what, hint, ulps=0):
    """Fail unless these are the entries of a state."""
    for name, entry in expected.items():
        assert_close(
            found["state"][name], entry, precision=F64, ulps=ulps, what=f"{name} {what}", hint={"values": hint, "nan": hint}
        )


def stopped_runs(student, kind, epochs, stops, x, y, batch_size, lr):
    """A run that is never stopped, and one that is stopped at these batches of its calls and called again.

    Gives what became of the first, of the last call of the second, and a hint where that trained too much or found no file.
    """
    legs = [leg(start(kind, torch.float32), epochs, file="whole.pt")]
    legs += [leg(start(kind, torch.float32), epochs, stop=stop) for stop in (*stops, 0)]
    legs[1] |= {name: legs[0][name] for name in ("state", "seed")}
    with hint_where_raised("Here the first call was stopped by an error in the model. What does the next call find in the file?"):
        whole, first, *_, last = called(student, kind, legs, x, y, batch_size, lr)
    hint = ""
    if first["refused"] == probes.MISSING:
        hint = "When the first call was stopped there was no file yet. When is it written?"
    elif len(last["losses"]) > epochs:
        hint = "How many epochs were left to train when the last call began, and how many did it train?"
    return whole, last, hint


@points(1.5)
def test_trajectory(student):
    """After several epochs of full batches, the weights are those that Adam reaches."""
    hint = (
        "If one batch and one epoch are right, what is left over from the first step when the second begins? Are the rows in "
        "order? And what shape has the difference of prediction and target?"
    )
    for n, batch_size, epochs in ((20, 10, 3), (12, 4, 5)):
        (x, y), state = rows(n), start("net")
        lr = 0.03 + 0.03 * float(torch.rand(()))
        (found,) = called(student, "net", [leg(state, epochs)], x, y, batch_size, lr)
        expected, _ = trained("net", state, x, y, epochs, batch_size, lr)
        assert_state(found, expected, what=f"after {epochs} epochs of {n} rows in batches of {batch_size}", hint=hint, ulps=2**24)


@points(1)
def test_losses(student):
    """The losses are means over the rows, each taken as its batch was met."""
    hint = (
        "Is the loss that of the weights before the step? Is each prediction compared with its own target? And does each row "
        "weigh the same, in a short batch too?"
    )
    for n, batch_size, epochs, lr in ((8, 8, 1, 0.1), (23, 10, 3, 0.0), (5, 10, 1, 0.1), (8, 4, 4, 0.1)):
        (x, y), state = rows(n), start("net")
        (found,) = called(student, "net", [leg(state, epochs)], x, y, batch_size, lr)
        ends, expected = trained("net", state, x, y, epochs, batch_size, lr)
        if epochs == 4 and not torch.allclose(found["state"]["0.weight"], ends["0.weight"]):
            continue  # weights that go elsewhere have other losses, and are billed by the check before
        what = f"the losses of {epochs} epochs of {n} rows in batches of {batch_size}, with lr={lr}"
        shape = "One number for each epoch."
        hints = {"values": hint, "shape": shape}
        losses = torch.tensor(found["losses"], dtype=F64)  # float32 is enough: a sum may have been kept in it
        assert_close(losses, expected, scale=expected.max(), what=what, hint=hints)


@points(1)
def test_short_batch(student):
    """Rows that are left over make a last, short batch, and so do fewer rows than one batch has."""
    hint = "23 rows in batches of 10: which rows make the third batch? And if there are only 5 rows?"
    state = {name: torch.zeros_like(entry) for name, entry in start("line").items()}
    for n, full in ((23, 20), (5, 0)):
        # The targets of all full batches are 0, as are the predictions: only the short batch moves the weights. All numbers are
        # positive, so that even a loss of the wrong pairs goes the same way: that is billed elsewhere.
        x, y = 0.5 + torch.rand(n, 3, dtype=F64), 1 + torch.rand(n, dtype=F64)
        y[:full] = 0
        with hint_where_raised(hint):
            (found,) = called(student, "line", [leg(state, 1)], x, y, 10, 0.1)
        expected, _ = trained("line", state, x, y, 1, 10, 0.1)
        assert_state(found, expected, what=f"after one epoch of {n} rows in batches of 10", hint=hint, ulps=2**32)


@points(1.5)
def test_stopped(student):
    """Stopped in the middle of epochs 3 and 6 of 8, and called again, a run ends bit for bit like one that was never stopped."""
    x, y = rows(23, torch.float32)
    whole, last, hint = stopped_runs(student, "net", 8, (2 * 3 + 2, 3 * 3 + 2), x, y, 10, 0.05)
    hint = hint or "Besides the weights: what else has changed since the run began, and is another one now?"
    assert_state(last, whole["state"], what="after a run that was stopped twice", hint=hint)


@points(1)
def test_dropout(student):
    """With dropout, too: a run that was stopped in epoch 5 of 8, and called again, goes on with the same random numbers."""
    x, y = rows(23, torch.float32)
    whole, last, hint = stopped_runs(student, "dropout", 8, (4 * 3 + 2,), x, y, 10, 0.0)
    hint = hint or (
        "Here lr is 0, so no weight moves. Who decides which numbers dropout leaves out, and what is that like after a new start?"
    )
    if len(last["losses"]) > 8:  # too many epochs are for other checks; the losses of those that were left show it as well
        part, expected = (torch.tensor(run["losses"][4:8], dtype=F64) for run in (last, whole))
        assert_close(part, expected, ulps=0, what="the losses of epochs 5 to 8 with dropout, after a stop,", hint=hint)
    else:
        found, expected = (run["state"]["2.running_mean"] for run in (last, whole))
        what = "the batch statistics behind dropout in the last batch, after a stop,"
        assert_close(found, expected, ulps=0, what=what, hint=hint)


@points(0.5)
def test_buffers(student):
    """With batch normalisation, too: its statistics are those of a run that was never stopped."""
    x, y = rows(20, torch.float32)
    whole, last, hint = stopped_runs(student, "norm", 4, (2 * 2 + 2,), x, y, 10, 0.0)
    hint = hint or "Here lr is 0, so no parameter moves. What does a model hold besides its parameters?"
    assert_state(last, whole["state"], what="after a run that was stopped", hint=hint)


@points(1)
def test_in_all(student):
    """Calls with epochs=3, 5, 6 and once more 6 train six epochs in all, and each returns all losses so far."""
    x, y = rows(12, torch.float32)
    counts = (3, 5, 6, 6)
    found = called(student, "net", [leg(start("net", torch.float32), count) for count in counts], x, y, 6, 0.05)
    for number, (each, count) in enumerate(zip(found, counts, strict=True)):
        if len(each["losses"]) != count:
            raise CheckFailed(
                f"after calls with epochs={', '.join(map(str, counts[: number + 1]))}, {len(each['losses'])} losses came back; "
                f"expected {count}",
                hint="How many epochs does the file stand for already, and where are their losses?",
                slip="shape",
            )
        earlier = found[number - 1]["losses"] if number else []
        if each["losses"][: len(earlier)] != earlier:
            hint = "Which losses stand in the file, and in which order?"
            raise CheckFailed(
                "the losses of earlier epochs are not those that the earlier call returned", hint=hint, slip="values"
            )
    hint = "All six epochs were trained before. Which weights belong into the new model, and what is left to do?"
    assert_state(found[3], found[2]["state"], what="after a call with nothing left to train", hint=hint)


@points(1)
def test_file(student):
    """The file is where it should be, and torch.load(checkpoint, weights_only=True) reads it, after a stop, too."""
    rests_on_word()
    x, y = rows(12)
    legs = [leg(start("net"), 2), leg(start("net"), 4, file="stopped", stop=5)]
    for each, text in zip(called(student, "net", legs, x, y, 4, 0.05), ("two epochs", "a stop in the second epoch"), strict=True):
        if each["refused"]:
            hint = "Which objects does weights_only refuse? What do a model and an optimizer give you that is plain data?"
            if each["refused"] == probes.MISSING:
                hint = "After which epochs is the file written, and under which name?"
            raise CheckFailed(f"after {text} the file cannot be read: {each['refused']}", hint=hint, slip="type")


@points(1)
def test_modes(student):
    """Each part of the model stays in training or eval mode, as it came."""
    rests_on_word()
    x, y = rows(12)
    for still, text in (((3,), "dropout is in eval mode, and all else in training mode"), (range(5), "all is in eval mode")):
        state = start("mixed")
        (found,) = called(student, "mixed", [leg(state, 3, still=still)], x, y, 12, 0.0)
        if found["modes"] != [number not in still for number in range(5)]:
            hint = "train() and eval() change every part of a model. Who chose the modes that it came in?"
            raise CheckFailed(f"{text}; after the call that is no longer so", hint=hint, slip="inputs")
        losses = torch.tensor(found["losses"], dtype=F64)
        same = losses[:1].expand(len(losses))
        multiples = same * torch.arange(1, len(losses) + 1)  # a sum that goes on: billed with the losses
        if not (torch.allclose(losses, same, equal_nan=True) or torch.allclose(losses, multiples)):
            hint = "With lr 0 and without dropout each epoch's loss is the same. In which mode was the model?"
            raise CheckFailed(f"{text}, and lr is 0; but the losses are {found['losses']}", hint=hint, slip="values")
        moved = not torch.equal(found["state"]["1.running_mean"], state["1.running_mean"])
        if moved != (1 not in still):
            hint = "Batch normalisation gathers statistics in training mode alone. In which mode was it?"
            gathered = "gathered" if moved else "did not gather"
            raise CheckFailed(f"{text}; but batch normalisation {gathered} statistics", hint=hint, slip="values")
