"""A course on disk: its folders and the settings that ``nbgrader_config.py`` holds."""

from torchgrade.course.folder import CONFIG, Course, CourseError, Submission, find_course
from torchgrade.course.kind import CHECKS_COURSE, CLASSIC_COURSE, CourseKind
from torchgrade.course.settings import Limits

__all__ = [
    "CHECKS_COURSE",
    "CLASSIC_COURSE",
    "CONFIG",
    "Course",
    "CourseError",
    "CourseKind",
    "Limits",
    "Submission",
    "find_course",
]
