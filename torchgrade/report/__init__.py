"""Records as pictures: tables for notebooks and pages, text for terminals. One sanitiser stands before all of them."""

from torchgrade.report.audit_page import audit_page
from torchgrade.report.audit_text import audit_text, print_audit
from torchgrade.report.marks import class_table, print_class_table
from torchgrade.report.page import feedback_page, submission_html
from torchgrade.report.table import exercise_html, exercise_text, record_text
from torchgrade.report.text import clean

__all__ = [
    "audit_page",
    "audit_text",
    "class_table",
    "clean",
    "exercise_html",
    "exercise_text",
    "feedback_page",
    "print_audit",
    "print_class_table",
    "record_text",
    "submission_html",
]
