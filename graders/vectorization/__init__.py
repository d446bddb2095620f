"""Graders of ``vectorization``: the exercise ``batch_gather``."""
