"""What a command is asked to look at."""

from __future__ import annotations

from torchgrade.course import Course, CourseError, Submission


def handed_in(
    course: Course, assignments: tuple[str, ...], students: tuple[str, ...] = (), *, any_notebooks: bool = False
) -> list[Submission]:
    """What was handed in for all of these, as :meth:`Course.handed_in` says it; :class:`CourseError` where one has nothing."""
    chosen = []
    for assignment in dict.fromkeys(assignments):
        found = course.handed_in(assignment, students, any_notebooks=any_notebooks)
        if not found:
            raise CourseError(f"nothing was handed in for {assignment}: {course.submitted} has no <student>/{assignment}")
        chosen += found
    return chosen
