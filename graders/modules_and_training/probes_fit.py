"""Models and files for ``fit``, beside the student's code, and models that stop in the middle of an epoch. No secrets."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook

# The statistics of "dropout" are those of the last batch alone: nothing of earlier ones is in them.
KINDS: dict[str, Callable[[], list[nn.Module]]] = {
    "line": lambda: [nn.Linear(3, 1)],
    "net": lambda: [nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)],
    "dropout": lambda: [nn.Linear(3, 16), nn.Dropout(0.5), nn.BatchNorm1d(16, momentum=1.0), nn.Tanh(), nn.Linear(16, 1)],
    "norm": lambda: [nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 1)],
    "mixed": lambda: [nn.Linear(3, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Dropout(0.5), nn.Linear(16, 1)],
}


MISSING = "there is no such file"


def build(kind: str, state: dict[str, Tensor] | None = None) -> nn.Sequential:
    """A model of this kind, with this state if there is one, in the dtype of it."""
    model = nn.Sequential(*KINDS[kind]())
    if state is not None:
        model.to(state["0.weight"].dtype).load_state_dict({name: entry.clone() for name, entry in state.items()})
    return model


class Stopped(Exception):
    """The machine was switched off, say."""


def called(
    notebook: Any, kind: str, legs: list[dict[str, Any]], x: Tensor, y: Tensor, batch_size: int, lr: float
) -> list[dict[str, Any]]:
    """Call ``fit`` once for each leg, and tell what came of it.

    A leg has ``state`` (what the new model begins with), ``seed``, ``epochs``, ``file`` (a name), ``stop`` (the batch that
    raises, 0: none) and ``still`` (the parts of the model that are in eval mode). Told are ``losses`` (none where it was
    stopped), the ``state`` of the model, in which ``modes`` its parts are, and why the file is ``refused``.
    """
    with tempfile.TemporaryDirectory(prefix="fit-") as folder:
        return [_leg(notebook, kind, leg, x.clone(), y.clone(), batch_size, lr, Path(folder)) for leg in legs]


def _leg(
    notebook: Any, kind: str, leg: dict[str, Any], x: Tensor, y: Tensor, batch_size: int, lr: float, folder: Path
) -> dict[str, Any]:
    model = build(kind, leg["state"])
    for number, part in enumerate(model):
        part.train(number not in leg["still"])
    calls, losses = 0, []

    # A hook of all modules: one of the model's own would be pickled with it.
    def before(module: nn.Module, _: Any) -> None:
        nonlocal calls
        if module is model[0]:
            calls += 1
            if calls == leg["stop"]:
                raise Stopped

    torch.manual_seed(leg["seed"])
    hook = register_module_forward_pre_hook(before)
    try:
        found = notebook.fit(model, x, y, epochs=leg["epochs"], batch_size=batch_size, lr=lr, checkpoint=folder / leg["file"])
        losses = [float(loss) for loss in found]
    except Stopped:
        pass
    finally:
        hook.remove()
    state = {name: entry.detach().clone() for name, entry in model.state_dict().items()}
    return {
        "losses": losses,
        "state": state,
        "modes": [part.training for part in model],
        "refused": _refused(folder / leg["file"]),
    }


def _refused(file: Path) -> str:
    """Why the file cannot be read with ``weights_only=True``; empty if it can."""
    if not file.exists():
        return MISSING
    try:
        torch.load(file, weights_only=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the file is not readable
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0][:150]}"
    return ""
