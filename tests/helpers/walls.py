"""Walls for tests: bubblewrap's jail with a part changed or left out, and one that notes what it is asked for."""

from torchgrade.jail import Wall
from torchgrade.jail.bubblewrap import Bubblewrap


class ChangedBubblewrap(Bubblewrap):
    """A jail whose command line went through ``change``; without ``grouped``, as on a machine that makes no control groups."""

    def __init__(self, change=list, *, grouped=True):
        super().__init__()
        self.change, self.grouped = change, grouped

    def command(self, arguments, view):
        return self.change(super().command(arguments, view))

    def make_group(self):
        return super().make_group() if self.grouped else None


class NotingWall(Wall):
    """Hands everything on to another wall, and notes what it was asked for."""

    name = "noting"

    def __init__(self, other):
        self.other, self.isolates = other, other.isolates
        self.asked, self.started = 0, []

    def why_missing(self):
        self.asked += 1
        return self.other.why_missing()

    def start(self, arguments, *, view, output, pass_fds):
        self.started.append((tuple(arguments), view))
        return self.other.start(arguments, view=view, output=output, pass_fds=pass_fds)
