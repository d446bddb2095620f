"""Graders of ``autograd_mechanics``: six exercises that do not depend on each other."""
