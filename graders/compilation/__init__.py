"""Graders of ``compilation``: five exercises that do not depend on each other."""
