"""The commands in a course of checks in ``graders/``."""
