"""``torchgrade doctor``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("doctor", short_help="Say what this machine can do, and what is missing.")
@click.argument("assignment", required=False)
@click.option("--attack", is_flag=True, help="Attack this machine's own jail, in fifteen bounded ways, and say what held.")
@click.pass_obj
def command(folder: Path, assignment: str | None, attack: bool) -> None:
    """Say what this machine can do: the jail and its limits, GPU, versions, a small exercise graded; what is missing.

    With ASSIGNMENT, say instead which tests in its notebooks' own cells could become checks.
    """
    if assignment is not None and attack:
        raise click.UsageError("--attack does not go with an ASSIGNMENT")
    if assignment is not None:
        from torchgrade.cli.doctor_tests import list_tests

        list_tests(folder, assignment)
    elif attack:
        from torchgrade.cli.doctor_attack import attack_jail

        attack_jail(folder)
    else:
        from torchgrade.cli.doctor import examine_machine

        examine_machine(folder)
