"""Hidden checks: save_program.

The judge draws the models' numbers and the inputs, and compares predictions with those of its own model. It never loads a
file that a student's code has written: that happens in the jail. It reads one as data, in `test_file`.

Each mistake is billed by its own check. Where the mode is not the question, models are in evaluation mode when they are handed
over, or have no part that depends on it. Where the batch size is not the question, predictions are asked at the example's.
"""

import io
import zipfile

import torch

from torchgrade import CheckFailed, assert_close, points
from torchgrade.checks.notes import rests_on_word
from torchgrade.checks.raised import hint_where_raised

from . import probes_save_program as probes

MOST = 10_000_000
"""Bytes that the file may hold: a right one has 20 thousand, and an archive may claim to be endless."""


def draw(kind):
    """Random numbers for a model of this kind; variances are positive."""
    state = probes.KINDS[kind]().state_dict()
    for name, tensor in state.items():
        if tensor.is_floating_point():
            state[name] = torch.rand_like(tensor) + 0.5 if "var" in name else torch.randn_like(tensor)
    return state


def assert_loaded(found):
    """Fail if there is no program that could be asked for a prediction."""
    if isinstance(found, str) and not found.startswith(probes.RUNNING):
        hint = "torch.export.load reads a program: code, weights and assumptions. Which object of torch.export holds these?"
        raise CheckFailed(found, hint=hint)


def batch(kind, rows):
    """Random inputs for a model of this kind."""
    if kind == "Tokens":
        return torch.randint(9, (rows, 5))
    return torch.randn(rows, 2, 5, 6) if kind == "Images" else torch.randn(rows, 4)


def assert_predictions(found, settings, inputs, what="the prediction of the loaded program", hint=None):
    """Fail unless these are the predictions of the judge's own model, in evaluation mode."""
    kind, state, _ = settings
    assert_loaded(found)
    if isinstance(found, str):
        raise CheckFailed(f"{found}, for a batch of {len(inputs)}", hint=hint)
    with torch.no_grad():
        expected = probes.model_of(kind, {name: tensor.double() for name, tensor in state.items()}, []).double()(
            inputs.double() if inputs.is_floating_point() else inputs
        )
    what = f"{what} for a batch of {len(inputs)}"
    assert_close(found, expected, precision=torch.float32, scale=expected.abs().max().clamp(min=4.0), what=what, hint=hint)


def saved(student, settings, example, *sizes):
    """What the probe gives, and the batches of these sizes that it was asked to predict; the first is the example."""
    batches = [example, *(batch(settings[0], size) for size in sizes)]
    return student.run(probes.saved, settings, example, batches), batches


@points(1.5)
def test_predictions(student):
    """The loaded program predicts as model.eval() does: no dropout, and running statistics."""
    hint = "In which mode was the model when it was exported? And was it called before that? The program keeps what it did then."
    settings = ("Noisy", draw("Noisy"), ["", "body", "body.0", "body.1", "body.2", "drop", "last"])
    found, batches = saved(student, settings, batch("Noisy", 5))
    assert_predictions(found["predictions"][0], settings, batches[0], hint=hint)


@points(1.5, kind="shapes")
def test_sizes(student):
    """The loaded program takes batches of 1, 2, 7 and 64, from an example of 5."""
    hint = "The example has 5 rows. What does export assume about this number, unless you say something else?"
    for kind in ("Scaled", "Centred"):
        settings = (kind, draw(kind), [])
        found, batches = saved(student, settings, batch(kind, 5), 1, 2, 7, 64)
        for result, inputs in zip(found["predictions"], batches, strict=True):
            assert_predictions(result, settings, inputs, hint=hint)


@points(2, kind="shapes")
def test_example_of_one(student):
    """An example of one row makes a program for batches of 1, 2 and 64."""
    hint = "Sizes of 0 and 1 are special for export: it takes them for constants. Does the example have to stay as it is?"
    for kind in ("Centred", "Images"):
        settings = (kind, draw(kind), [])
        with hint_where_raised("Would the same call work with an example of five rows? Sizes of 0 and 1 are special for export."):
            found, batches = saved(student, settings, batch(kind, 1), 2, 64)
        for result, inputs in zip(found["predictions"], batches, strict=True):
            assert_predictions(result, settings, inputs, hint=hint)


@points(1, kind="dtypes")
def test_other_inputs(student):
    """Images of four dimensions, and whole numbers that become float64, are inputs as well; the argument has any name."""
    hint = "Compare the shape, the dtype and the argument's name of this model with what your code counts on."
    for kind in ("Images", "Tokens"):
        settings = (kind, draw(kind), [])
        with hint_where_raised(hint):
            found, batches = saved(student, settings, batch(kind, 4))
        assert_predictions(found["predictions"][0], settings, batches[0], hint=hint)


def modes_kept(student, kind, training, hint):
    """Fail unless these modules, and no others, are in training mode after the call."""
    rests_on_word()
    settings = (kind, draw(kind), training)
    found, _ = saved(student, settings, batch(kind, 3))
    assert_loaded(found["predictions"][0])
    names = [name for name, _ in probes.KINDS[kind]().named_modules()]
    for name in names:
        before, after = name in training, name in found["training"]
        if before != after:
            words = {True: "training", False: "evaluation"}
            which = f"the part {name}" if name else "the model itself"
            raise CheckFailed(f"{which} is in {words[after]} mode after the call; it was in {words[before]} mode", hint=hint)


@points(0.5, kind="inputs")
def test_evaluation_stays(student):
    """A model that was in evaluation mode is in it after the call."""
    modes_kept(student, "Noisy", [], "Who says that the model was being trained?")


@points(1, kind="inputs")
def test_mixed_modes(student):
    """Where some parts were in training mode and others were not, each is in its own mode afterwards."""
    hint = "model.train() and model.eval() change all parts at once. Which mode had each of them before?"
    modes_kept(student, "Noisy", ["", "drop", "last", "body", "body.0", "body.2"], hint)
    modes_kept(student, "Noisy", ["body.1", "drop"], hint)


@points(0.5, kind="inputs")
def test_state(student):
    """Parameters, buffers and the example have the same numbers as before, and parameters can learn."""
    settings = ("Noisy", draw("Noisy"), ["", "body", "body.0", "body.1", "body.2", "drop", "last"])
    example = batch("Noisy", 6)
    found, _ = saved(student, settings, example)
    assert_loaded(found["predictions"][0])
    for name, tensor in settings[1].items():
        hint = (
            "Running statistics move whenever a model in training mode is called." if "running" in name or "num" in name else None
        )
        assert_close(found["state"].get(name), tensor, ulps=0, what=f"{name} after the call", hint=hint)
    if found["frozen"]:
        raise CheckFailed(f"{found['frozen'][0]} does not require a gradient after the call; it did before")
    assert_close(found["example"], example, ulps=0, what="the example after the call")


@points(1)
def test_elsewhere(student):
    """A new Python process without the notebook and without the models' classes loads the files and predicts; path is a Path."""
    models = [(kind, draw(kind), []) for kind in ("Scaled", "Centred", "Noisy")]
    batches = [batch(settings[0], 3) for settings in models]
    with student.limit(seconds=20):  # the process imports PyTorch, 2 s where nothing else runs
        found = student.run(probes.elsewhere, models, batches)
    hint = "What has to be in the file, so that nobody needs the model's Python code?"
    for result, settings, inputs in zip(found, models, batches, strict=True):
        assert_predictions(result, settings, inputs, what="the prediction in another process", hint=hint)


@points(1)
def test_file(student):
    """The file has a program in it, and the model's own numbers."""
    settings = ("Scaled", draw("Scaled"), [])
    found, _ = saved(student, settings, batch("Scaled", 3))
    if not found["file"]:
        raise CheckFailed("no file was written at path")
    numbers = sum(tensor.numel() for tensor in settings[1].values())
    members, held = {}, 0
    try:
        with zipfile.ZipFile(io.BytesIO(found["file"])) as archive:
            stored = [member for member in archive.infolist() if member.compress_type == zipfile.ZIP_STORED]
            held = sum(member.file_size for member in stored)
            if held <= MOST:
                members = {member.filename: archive.read(member) for member in stored}
    except Exception:  # noqa: BLE001 - zipfile raises many kinds, and the file may be anything
        raise CheckFailed("the file is not an archive, as torch.export.save writes it") from None
    if held > MOST:
        raise CheckFailed(f"the file holds {held:,} bytes, for a model of {numbers} numbers")
    # Names and layout of these archives differ between versions of PyTorch, and this does not: operators are named in JSON, and
    # numbers stand as they are in memory, not compressed.
    if not any(name.endswith(".json") and b"torch.ops.aten" in text for name, text in members.items()):
        raise CheckFailed("there is no program in the file", hint="Weights alone do not say what to do with them.")
    for name, tensor in settings[1].items():
        if not any(tensor.numpy().tobytes() in data for data in members.values()):
            raise CheckFailed(f"the numbers of {name} are not in the file as they are in the model")
