"""Graders of ``numerical_stability``: the exercises ``softmax`` and ``softmax_cross_entropy``."""
