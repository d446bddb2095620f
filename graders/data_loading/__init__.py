"""Graders of ``data_loading``: the exercise ``ShardedTarDataset``."""
