"""The commands: parse, call, print. Nothing is decided here."""

from torchgrade.cli.main import main

__all__ = ["main"]
