"""Graders of ``modules_and_training``: five exercises that do not depend on each other."""
