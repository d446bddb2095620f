"""An exercise's bank of right and wrong solutions: what each says of itself."""

from torchgrade.bank.misconceptions import misconceptions
from torchgrade.bank.reading import Price, Solution, expected_points, read_bank

__all__ = ["Price", "Solution", "expected_points", "misconceptions", "read_bank"]
