"""The warm worker: imports torch once, then forks a session whenever the judge asks.

Started as ``python -m torchgrade.jail.inside.warm FD`` in the jail; :mod:`torchgrade.jail.inside.forking` says what it
answers.
"""

from __future__ import annotations

import sys

from torchgrade.jail.inside import forking


def warm_up() -> forking.Keeper:
    """Import what submissions use, and touch what is set up at first use. There is one thread: a fork copies no others."""
    import torch  # noqa: PLC0415 - a failure must reach the judge as text
    import torch.utils.data  # noqa: PLC0415

    from torchgrade.jail.inside import keeper, notebook_process, serve  # noqa: F401, PLC0415 - forks then have them

    torch.set_num_threads(1)
    serve.rehearse()
    return keeper.run


if __name__ == "__main__":
    forking.serve(int(sys.argv[1]), warm_up)
