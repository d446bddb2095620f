"""A course on disk: its folders and the settings that ``nbgrader_config.py`` holds."""

from torchgrade.course.folder import CONFIG, Course, CourseError, Submission, find_course
from torchgrade.course.settings import Limits

__all__ = ["CONFIG", "Course", "CourseError", "Limits", "Submission", "find_course"]
