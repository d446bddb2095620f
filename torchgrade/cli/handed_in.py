"""What a command is asked to look at."""

from __future__ import annotations

from torchgrade.course import Course, CourseError, Submission


def handed_in(
    course: Course, assignments: tuple[str, ...], students: tuple[str, ...] = (), *, any_notebooks: bool = False
) -> list[Submission]:
    """What was handed in for all of these; :class:`CourseError` where one has nothing, or does not exist.

    An assignment's notebook has its name, as checks need it, unless it may have ``any_notebooks``.
    """
    chosen = []
    for assignment in dict.fromkeys(assignments):
        if not any_notebooks:
            course.require_assignment(assignment)
        found = course.handed_in(assignment, students)
        if not found:
            raise CourseError(f"nothing was handed in for {assignment}: {course.submitted} has no <student>/{assignment}")
        chosen += found
    return chosen
