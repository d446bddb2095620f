"""``torchgrade grade``: two requests under one name, a class or a single file.

    options ──┬─ without --notebook ──► ClassRequest ──┬─ checks in graders/ ──► grade_class
              │                                        └─ tests in cells ──────► grade_classic
              └─ with --notebook ─────► FileRequest ──────────────────────────► grade_file

Which options a request takes are its fields; what does not go together, and how the help lists them, follows from these.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from torchgrade.cli.commands.options import course_at, judges_at_once, on_device, quietly
from torchgrade.cli.grade_requests import ClassRequest, FileRequest


class _Grade(click.Command):
    """Makes a request of the options; refuses those of the other kind, and lists each kind by itself."""

    def request(self, ctx: click.Context) -> ClassRequest | FileRequest:
        """The request that the command line holds. Raises :class:`click.UsageError` where it holds parts of both."""
        one_file = ctx.params["notebook"] is not None
        kind, other = (FileRequest, ClassRequest) if one_file else (ClassRequest, FileRequest)
        foreign = [option.opts[0] for option in self._only_of(other) if _is_given(ctx, option)]
        if foreign and one_file:
            raise click.UsageError(f"{' and '.join(foreign)}: not with --notebook, which is one file and no class")
        if foreign:
            raise click.UsageError(f"{' and '.join(foreign)}: only with --notebook FILE")
        return kind(**{field.name: ctx.params[field.name] for field in dataclasses.fields(kind)})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        of_class, of_file = self._only_of(ClassRequest), self._only_of(FileRequest)
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        rest = [option for option in options if option not in (*of_class, *of_file)]
        for title, params in (("A class", of_class), ("One file, without the gradebook", of_file), ("Both", rest)):
            rows = [row for param in params if (row := param.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(rows)

    def _only_of(self, kind: type) -> list[click.Parameter]:
        other = FileRequest if kind is ClassRequest else ClassRequest
        names = {field.name for field in dataclasses.fields(kind)} - {field.name for field in dataclasses.fields(other)}
        return [param for param in self.params if param.name in names]


def _is_given(ctx: click.Context, param: click.Parameter) -> bool:
    return ctx.get_parameter_source(param.name or "") is not ParameterSource.DEFAULT


@click.command("grade", cls=_Grade, short_help="Grade what was handed in and is new or changed.")
@click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
@click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
@judges_at_once
@on_device
@click.option("--notebook", type=click.Path(path_type=Path), help="Grade this one file, and print its marks.")
@click.option("--json", "as_json", is_flag=True, help="Print the record instead.")
@click.option("--seed", type=int, help="Repeat a run; the seed stands in its record.")
@click.option("--check", "checks", multiple=True, help="Only this check and what it needs; may be given several times.")
@click.option("--ray", metavar="ADDRESS", help="Grade on the Ray cluster at ADDRESS, on all its processors or --workers of them.")
@click.option("--regrade", is_flag=True, help="Grade again what is graded already.")
@click.option(
    "--only",
    type=click.Choice(["ungraded", "provisional"]),
    help="Grade those again, and no others; of provisional ones, on a machine with a GPU, only what waits for it.",
)
@quietly
@click.option("--unsafe-no-jail", is_flag=True, help="Run submissions without a jail, as you. Only for files you wrote yourself.")
@click.pass_context
def command(ctx: click.Context, /, **_: Any) -> None:
    """Grade what was handed in for ASSIGNMENT and is not graded yet, and record the marks.

    With --notebook, grade that one file of ASSIGNMENT, which leaves no trace in the course.
    """
    assert isinstance(ctx.command, _Grade)  # noqa: S101 - for the type checker
    request, course = ctx.command.request(ctx), course_at(ctx.obj)
    if isinstance(request, FileRequest):
        from torchgrade.cli.grade_file import grade_file

        grade_file(course, request)
    else:
        from torchgrade.cli.by_kind import strategy_of

        strategy_of(course).grade(request)
