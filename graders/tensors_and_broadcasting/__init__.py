"""Graders of ``tensors_and_broadcasting``: six exercises that do not depend on each other."""
