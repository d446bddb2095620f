"""Graders of ``more_vectorization``: five exercises that do not depend on each other."""
