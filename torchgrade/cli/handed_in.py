"""What a command is asked to look at."""

from __future__ import annotations

from torchgrade.course import Course, CourseError, Submission


def handed_in(course: Course, assignments: tuple[str, ...], students: tuple[str, ...]) -> list[Submission]:
    """What was handed in for all of these; :class:`CourseError` where one has nothing."""
    chosen = []
    for assignment in dict.fromkeys(assignments):
        found = course.handed_in(assignment, students)
        if not found:
            raise CourseError(f"nothing was handed in for {assignment}: {course.submitted} has no <student>/{assignment}")
        chosen += found
    return chosen
