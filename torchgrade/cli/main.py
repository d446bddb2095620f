"""``torchgrade``: the command group, and how errors are shown (one line, exit status 1)."""

from __future__ import annotations

import importlib
import signal
import sys
from pathlib import Path

import click

import torchgrade

_COMMANDS = (
    "init",
    "new",
    "release",
    "audit",
    "grade",
    "compose",
    "feedback",
    "solutions",
    "watch",
    "report",
    "history",
    "export",
    "doctor",
    "docs",
)
"""Each stands in a module of its name, in ``torchgrade/cli/commands``."""
# By name, so that --help and a mistyped command need not import torch.
_EXPECTED = (
    "ClusterError",
    "CourseError",
    "GraderError",
    "NotebookError",
    "SandboxError",
    "RecordError",
    "GradebookError",
    "StandaloneError",
)


class _Commands(click.Group):
    """Commands that are imported when they are used, and whose expected errors are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"torchgrade.cli.commands.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # which click would turn into exit status 1
            click.echo("\nStopped.", err=True)
            raise SystemExit(128 + signal.SIGINT) from None
        except Exception as error:
            if type(error).__module__.startswith("torchgrade.") and type(error).__name__ in _EXPECTED:
                raise click.ClickException(str(error)) from error
            raise


_EPILOG = """\b
Exit status:
  0    all went well
  1    a problem, in one line on stderr; or an audit found some, or a
       submission is left ungraded through no fault of its own
  2    the command line cannot be understood
  130  stopped by Ctrl-C (143: by a signal to end); what is graded is kept

\b
Completion, in ~/.bashrc (or zsh_source in ~/.zshrc, fish_source for fish):
  eval "$(_TORCHGRADE_COMPLETE=bash_source torchgrade)"
"""


@click.group(cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(torchgrade.__version__, prog_name="torchgrade")
@click.option(
    "--course",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The course folder (with nbgrader_config.py); by default this folder or one above it.",
)
@click.pass_context
def main(ctx: click.Context, course: Path) -> None:
    """Release PyTorch assignments, grade what students hand in, and give feedback."""
    ctx.obj = course


if __name__ == "__main__":
    sys.exit(main())
