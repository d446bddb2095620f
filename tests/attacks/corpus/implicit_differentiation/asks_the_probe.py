"""Takes the problem's function apart, its closure, its module and its frames, for the solution and for the derivative.

Family: reading what is secret
Wall: no expected value is ever in the jail
Marks: 0
Says: LOOT
"""

import inspect
import sys


def solve_implicit(F, x, y0):
    names = {
        name for name in vars(sys.modules.get("probes", sys)) if "solution" in name or "expected" in name or "answer" in name
    }
    for name, value in inspect.getclosurevars(F).nonlocals.items() if inspect.isfunction(F) else ():
        names.add(f"{name}={type(value).__name__}")
    raise ValueError(f"LOOT {sorted(names)}")
