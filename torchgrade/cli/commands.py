"""``torchgrade``: its commands, their options and help, and how errors are shown (one line, exit status 1).

    options ──► the course that the command is about ──► the work: grade, watch, pages, authoring, audit, doctor

Each command imports its work when it is called, so that ``--help`` and a mistyped option import nothing slow.
"""

from __future__ import annotations

import dataclasses
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import torchgrade
from torchgrade.errors import TorchgradeError

if TYPE_CHECKING:
    from torchgrade.course import Course


class _InOrder(click.Group):
    """Commands in the order in which a course needs them; expected errors are shown as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # which click would turn into exit status 1
            click.echo("\nStopped.", err=True)
            raise SystemExit(128 + signal.SIGINT) from None
        except TorchgradeError as error:
            raise click.ClickException(str(error)) from error


_EPILOG = """\b
Exit status:
  0    all went well
  1    a problem, told in one line on stderr; or an audit found problems,
       or a submission is left ungraded through no fault of its own
  2    the command line cannot be understood
  130  stopped by Ctrl-C (143: by SIGTERM); what was graded is kept

\b
Completion, in ~/.bashrc (or zsh_source in ~/.zshrc, fish_source for fish):
  eval "$(_TORCHGRADE_COMPLETE=bash_source torchgrade)"
"""


@click.group(cls=_InOrder, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
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


def _course_at(folder: Path) -> Course:
    """Return the course of ``folder``. Raises :class:`CourseError` if there is none, before anything slow is imported."""
    from torchgrade.course import find_course

    return find_course(folder)


# ---- options that several commands share

_assignments = click.argument("assignments", metavar="ASSIGNMENT...", nargs=-1, required=True)
_students = click.option("--student", "-s", "students", multiple=True, help="Only this student; may be given several times.")
_quietly = click.option("--quiet", "-q", is_flag=True, help="Print problems only.")


def _use(_context: click.Context, _option: click.Parameter, device: str) -> None:
    """Choose the device for this process, and for those that it starts, as soon as the command line is read."""
    from torchgrade.judge.environment import use_device

    use_device(device)


_on_device = click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    expose_value=False,
    callback=_use,
    help="Where to grade; auto takes a GPU if there is one.",
)
_judges_at_once = click.option(
    "--workers",
    "-j",
    type=click.IntRange(1, 256),
    default=None,
    help="How many judges work at a time; by default one per core, at most 4, or one per GPU if checks use a GPU.",
)


def _for_one_file(assignments: tuple[str, ...], output: Path | None) -> tuple[str, ...]:
    """The assignments, each once. Raises :class:`click.UsageError` if several would go into the one file ``output``."""
    chosen = tuple(dict.fromkeys(assignments))
    if output is not None and len(chosen) > 1:
        raise click.UsageError(f"--output names one file, for one ASSIGNMENT, but there are {len(chosen)}: leave --output out")
    return chosen


# ---- a course and its assignments


@main.command(short_help="Make a course, or add torchgrade to an nbgrader course.")
@click.argument("target", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Change files that exist already without asking.")
@click.pass_obj
def init(folder: Path, target: Path | None, yes: bool) -> None:
    """Make a course in FOLDER (by default this one) with a first assignment, or add torchgrade to an nbgrader course.

    No file is overwritten. If one has to change, you see the change and are asked first; without a terminal and without --yes
    nothing is written, and the exit status is 1.
    """
    from torchgrade.cli.authoring import make_course

    make_course(target or folder, yes=yes)


@main.command(short_help="Write a working skeleton of an exercise.")
@click.argument("assignment")
@click.argument("exercise")
@click.option(
    "--kind",
    type=click.Choice(["function", "class"]),
    default="function",
    show_default=True,
    help="What students write. The skeleton of a class has buffers, a state_dict, and checks that use its objects.",
)
@click.pass_obj
def new(folder: Path, assignment: str, exercise: str, kind: str) -> None:
    """Write a working skeleton of EXERCISE: a stub in the notebook of ASSIGNMENT, its graders and its bank of solutions.

    A new ASSIGNMENT gets a notebook of its own; if there is one already, the new cells are added at its end.
    """
    course = _course_at(folder)
    from torchgrade.cli.authoring import write_exercise

    write_exercise(course, assignment, exercise, kind=kind)


@main.command(short_help="Check an assignment and write what students get.")
@_assignments
@_on_device
@click.option("--no-audit", is_flag=True, help="Release without auditing the graders; the log of releases says so.")
@_quietly
@click.pass_obj
def release(folder: Path, assignments: tuple[str, ...], no_audit: bool, quiet: bool) -> None:
    """Check ASSIGNMENT (audit, points, leaks, text) and write what students get to release/."""
    course = _course_at(folder)
    from torchgrade.cli.audit import release_assignments

    release_assignments(course, assignments, audit=not no_audit, quiet=quiet)


@main.command(short_help="Grade the graders: right answers pass, wrong ones fail.")
@click.argument("assignments", metavar="[ASSIGNMENT...]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Audit all assignments whose kept audit is not current.")
@click.option(
    "--check", is_flag=True, help="Run nothing: say which audits are not of the assignment as it is now; exit with 1 if any."
)
@click.option(
    "--sample",
    is_flag=True,
    help="If the audit was made with another engine, grade the reference and two wrong answers of each exercise.",
)
@click.option("--exercise", "-e", "exercises", multiple=True, help="Only this exercise; may be given several times.")
@click.option("--repeat", "-n", "repeats", type=click.IntRange(1, 10_000), default=5, help="Runs of each solution, 5 by default.")
@click.option("--only", default="", help="Only solutions whose name contains this text.")
@click.option("--seed", type=int, help="Repeat one run: a problem's line ends with its seed.")
@click.option("--no-mutants", is_flag=True, help="Leave out the mutants of the reference.")
@click.option("--quick", is_flag=True, help="Leave out races for wrong answers that no race has to catch; release needs them.")
@_judges_at_once
@_on_device
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this folder instead of the one for kept audits.")
@_quietly
@click.pass_obj
def audit(
    folder: Path,
    assignments: tuple[str, ...],
    everything: bool,
    check: bool,
    sample: bool,
    exercises: tuple[str, ...],
    repeats: int,
    only: str,
    seed: int | None,
    no_mutants: bool,
    quick: bool,
    workers: int | None,
    output: Path | None,
    quiet: bool,
) -> None:
    """Grade the graders of ASSIGNMENT: every right answer must pass, and every wrong one must fail as it should.

    What an audit finds is kept, with digests of everything it rests on. It stays current until the code of the notebook, the
    graders, the bank of solutions, torchgrade's engine or the limits change. --all audits what is not current. --check and
    --sample are for checking each change unattended: they look at all assignments if none is named, and keep nothing.
    """
    if check and sample:
        raise click.UsageError("--check runs nothing and --sample grades a few solutions: give only one of them")
    if everything and assignments:
        raise click.UsageError("--all means all assignments: name some or give --all, not both")
    if not (assignments or everything or check or sample):
        raise click.UsageError("name an ASSIGNMENT, or give --all")
    if len(assignments) > 1 and (exercises or only or seed is not None):
        raise click.UsageError("--exercise, --only and --seed choose within one ASSIGNMENT: name only one")
    course = _course_at(folder)
    from torchgrade.audit import Choice
    from torchgrade.cli.audit import audit_assignments, audit_what_changed, check_audits, sample_assignments

    if check:
        check_audits(course, assignments)
        return
    if sample:
        sample_assignments(course, assignments, workers=workers, quiet=quiet)
        return
    choice = Choice(exercises, only, 1 if seed is not None else repeats, seed, mutants=not no_mutants, quick=quick)
    if everything:
        audit_what_changed(course, choice, workers=workers, quiet=quiet)
    else:
        audit_assignments(course, assignments, choice, workers=workers, output=output, quiet=quiet)


# ---- grading


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClassRequest:
    """Grade what a class handed in, and enter the marks. The fields of a request are the options that it takes."""

    assignments: tuple[str, ...]
    students: tuple[str, ...] = ()
    workers: int | None = None
    ray: str | None = None
    regrade: bool = False
    only: str | None = None
    quiet: bool = False
    unsafe_no_jail: bool = False

    def __post_init__(self) -> None:
        if self.ray and self.only == "provisional":
            raise click.UsageError("--only provisional completes on this machine what waits for a GPU: leave --ray out")


@dataclasses.dataclass(frozen=True, kw_only=True)
class FileRequest:
    """Grade one notebook file without the gradebook, and print its record."""

    assignments: tuple[str, ...]
    notebook: Path
    as_json: bool = False
    seed: int | None = None
    checks: tuple[str, ...] = ()
    unsafe_no_jail: bool = False

    def __post_init__(self) -> None:
        if len(self.assignments) > 1:
            raise click.UsageError(f"--notebook is a file of one ASSIGNMENT, but there are {len(self.assignments)}")


class _Grade(click.Command):
    """Turns the options into a request, refuses options of the other kind, and lists each kind separately in the help."""

    def request(self, ctx: click.Context) -> ClassRequest | FileRequest:
        """The request that the command line makes. Raises :class:`click.UsageError` if it mixes options of both kinds."""
        one_file = ctx.params["notebook"] is not None
        kind, other = (FileRequest, ClassRequest) if one_file else (ClassRequest, FileRequest)
        foreign = [option.opts[0] for option in self._only_of(other) if _is_given(ctx, option)]
        if foreign and one_file:
            raise click.UsageError(f"{' and '.join(foreign)}: not with --notebook, which grades one file, not a class")
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


@main.command(cls=_Grade, short_help="Grade what was handed in and is new or has changed.")
@_assignments
@_students
@_judges_at_once
@_on_device
@click.option("--notebook", type=click.Path(path_type=Path), help="Grade this one file, and print its marks.")
@click.option("--json", "as_json", is_flag=True, help="Print the record instead.")
@click.option("--seed", type=int, help="Repeat a run with this seed, which is in its record.")
@click.option("--check", "checks", multiple=True, help="Only this check and those it needs; may be given several times.")
@click.option("--ray", metavar="ADDRESS", help="Grade on the Ray cluster at ADDRESS, on all its processors or --workers of them.")
@click.option("--regrade", is_flag=True, help="Grade again what is graded already.")
@click.option(
    "--only",
    type=click.Choice(["ungraded", "provisional"]),
    help="Grade only submissions with this status, again; of provisional ones only what waits for a GPU, on a machine with one.",
)
@_quietly
@click.option("--unsafe-no-jail", is_flag=True, help="Run submissions without a jail, as you. Only for files you wrote yourself.")
@click.pass_context
def grade(ctx: click.Context, /, **_: Any) -> None:
    """Grade what was handed in for ASSIGNMENT and is not graded yet, and record the marks.

    With --notebook, grade only that file of ASSIGNMENT; this leaves no trace in the course.
    """
    assert isinstance(ctx.command, _Grade)  # noqa: S101 - for the type checker
    request, course = ctx.command.request(ctx), _course_at(ctx.obj)
    from torchgrade.cli.grade import grade_class, grade_file

    if isinstance(request, FileRequest):
        grade_file(course, request)
    else:
        grade_class(course, request)


@main.command(short_help="Write a submission from solution files, to try things out.")
@click.argument("assignment")
@click.option("--exercise", "-e", "exercises", multiple=True, metavar="E=FILE", help="Put FILE into the solution cell of E.")
@click.option("--output", "-o", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The notebook to write.")
@click.pass_obj
def compose(folder: Path, assignment: str, exercises: tuple[str, ...], output: Path) -> None:
    """Write a submission of ASSIGNMENT with the given files as its solution cells, to try things out."""
    course = _course_at(folder)
    from torchgrade.cli.authoring import compose_submission

    compose_submission(course, assignment, exercises, output)


# ---- pages


@main.command(short_help="Write a feedback page for each student who is graded.")
@_assignments
@_students
@_quietly
@click.pass_obj
def feedback(folder: Path, assignments: tuple[str, ...], students: tuple[str, ...], quiet: bool) -> None:
    """Write a feedback page for each student whose submission of ASSIGNMENT is graded."""
    course = _course_at(folder)
    from torchgrade.cli.pages import write_feedback

    write_feedback(course, assignments, students, quiet=quiet)


@main.command(short_help="Write a page of right answers, for after the deadline.")
@_assignments
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of results/solutions/ASSIGNMENT.html."
)
@_quietly
@click.pass_obj
def solutions(folder: Path, assignments: tuple[str, ...], output: Path | None, quiet: bool) -> None:
    """Write a page for students with the reference of each exercise and the right answers whose docstring has a 'Why:' line."""
    chosen = _for_one_file(assignments, output)
    course = _course_at(folder)
    from torchgrade.cli.pages import write_solutions

    write_solutions(course, chosen, output, quiet=quiet)


@main.command(short_help="Grade submissions as they arrive, until Ctrl-C.")
@_assignments
@_judges_at_once
@_on_device
@click.option("--once", is_flag=True, help="Look once, grade what is due, and end.")
@_quietly
@click.pass_obj
def watch(folder: Path, assignments: tuple[str, ...], workers: int | None, once: bool, quiet: bool) -> None:
    """Collect submissions of ASSIGNMENT as they arrive in the exchange, grade them and release their feedback, until Ctrl-C.

    Each student's newest submission is graded. Students with the fewest gradings come first, and no student gets more gradings
    within an hour than c.Watch.gradings_per_hour says. The watch may be stopped and started again at any time.
    """
    course = _course_at(folder)
    from torchgrade.cli.watch import watch_assignments

    watch_assignments(course, assignments, workers, once=once, quiet=quiet)


@main.command(short_help="Write a page about the class.")
@_assignments
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of results/reports/ASSIGNMENT.html."
)
@click.option("--anonymous", is_flag=True, help="Show pseudonyms instead of names, the same ones each time, and no links.")
@_quietly
@click.pass_obj
def report(folder: Path, assignments: tuple[str, ...], output: Path | None, anonymous: bool, quiet: bool) -> None:
    """Write a page about the class for each ASSIGNMENT: the marks, the checks, and who passed which."""
    chosen = _for_one_file(assignments, output)
    course = _course_at(folder)
    from torchgrade.cli.pages import write_reports

    write_reports(course, chosen, output, anonymous=anonymous, quiet=quiet)


@main.command(short_help="Show every mark that a submission has had, and what changed.")
@click.argument("assignment")
@click.option("--student", "-s", required=True, help="The student whose submission it is.")
@click.option("--json", "as_json", is_flag=True, help="Print all the records, oldest first.")
@click.pass_obj
def history(folder: Path, assignment: str, student: str, as_json: bool) -> None:
    """Show every mark that a student's submission of ASSIGNMENT has had: when it was given, and what had changed.

    In a classic course, the marks of the whole submission come first, then those of its exercises with checks, if it has any.
    """
    course = _course_at(folder)
    from torchgrade.cli.pages import print_history

    print_history(course, assignment, student, as_json=as_json)


@main.command(short_help="Write the marks for Canvas, Moodle or Gradescope.")
@_assignments
@click.option("--to", type=click.Choice(["canvas", "moodle", "gradescope"]), required=True, help="The learning platform.")
@_students
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The file; for Gradescope, the folder.")
@_quietly
@click.pass_obj
def export(
    folder: Path, assignments: tuple[str, ...], to: str, students: tuple[str, ...], output: Path | None, quiet: bool
) -> None:
    """Write the marks of ASSIGNMENT for a learning platform: a CSV file or, for Gradescope, one results.json per student."""
    course = _course_at(folder)
    if to == "gradescope" and not course.kind.whole_records:
        raise click.UsageError("--to gradescope works only for courses of checks; canvas and moodle take the marks of any course")
    from torchgrade.cli import pages

    pages.export(course, to, assignments, students, output, quiet=quiet)


# ---- this machine, and these documents


@main.command(short_help="Say what this machine can do, and what is missing.")
@click.option("--attack", is_flag=True, help="Attack this machine's own jail in fifteen bounded ways, and say what held.")
@click.pass_obj
def doctor(folder: Path, attack: bool) -> None:
    """Say what this machine can do (the jail and its limits, GPU, versions, grading a small exercise) and what is missing."""
    from torchgrade.cli.doctor import attack_jail, examine_machine

    if attack:
        attack_jail(folder)
    else:
        examine_machine(folder)


_DOCUMENTS = Path(torchgrade.__file__).with_name("docs")
_NOT_FOR_READING = "package"  # what a package index shows


@main.command()
@click.argument("page", required=False)
def docs(page: str | None) -> None:
    """List the documents, or print the one named PAGE.

    PAGE is authoring, grading-api, settings or any other in the list.
    """
    pages = {path.stem: path for path in sorted(_DOCUMENTS.glob("*.md")) if path.stem != _NOT_FOR_READING}
    if page is None:
        width = max(map(len, pages))
        for name, path in pages.items():
            click.echo(f"{name:{width}}  {_title(path)}")
        click.echo(f"They are in {_DOCUMENTS.resolve()}")
        return
    name = Path(page).stem  # messages write it as docs/authoring.md: take that, too
    if name not in pages:
        raise click.ClickException(f"there is no page {page!r}; there are: {', '.join(pages)}")
    click.echo_via_pager(pages[name].read_text(encoding="utf-8"))


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().lstrip("# ").strip()


if __name__ == "__main__":
    sys.exit(main())
