"""An exercise's bank of right and wrong solutions: what each says of itself."""

from torchgrade.bank.reading import Price, Solution, expected_points, read_bank

__all__ = ["Price", "Solution", "expected_points", "read_bank"]
