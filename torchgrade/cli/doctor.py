"""``torchgrade doctor``."""

from __future__ import annotations

import sys

import click


@click.command("doctor")
def command() -> None:
    """Say what this machine can do: the jail and its limits, GPU, versions; what is missing, and how to get it."""
    from torchgrade.sandbox.doctor import examine  # noqa: PLC0415

    findings = examine()
    for finding in findings:
        sign = {True: "ok     ", False: "MISSING", None: "note   "}[finding.good]
        click.echo(f"{sign}  {finding.what}: {finding.found}")
        if finding.remedy:
            click.echo(f"         {finding.remedy}")
    if any(finding.good is False for finding in findings):
        sys.exit(1)
