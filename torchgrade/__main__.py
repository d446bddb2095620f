"""``python -m torchgrade``: the command line, where the folder of installed programs is not on the PATH."""

from torchgrade.cli import main

main(prog_name="torchgrade")
