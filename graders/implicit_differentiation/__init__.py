"""Graders of ``implicit_differentiation``: the exercise ``solve_implicit``."""
