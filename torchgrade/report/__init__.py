"""Records as pictures: tables for notebooks and pages, text for terminals. One sanitiser stands before all of them."""

from torchgrade.report.marks import class_table, print_class_table
from torchgrade.report.page import feedback_page, submission_html
from torchgrade.report.table import exercise_html, exercise_text, record_text
from torchgrade.report.text import clean

__all__ = [
    "class_table",
    "clean",
    "exercise_html",
    "exercise_text",
    "feedback_page",
    "print_class_table",
    "record_text",
    "submission_html",
]
