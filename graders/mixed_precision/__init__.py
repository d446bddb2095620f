"""Graders of ``mixed_precision``: the exercise ``train_amp``."""
