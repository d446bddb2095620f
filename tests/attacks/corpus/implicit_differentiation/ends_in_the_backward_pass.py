"""Ends its process, loops, and forks in the backward pass, where nothing but torch is on the stack.

Family: wearing the machine out
Wall: another process; limits hold for every call
Marks: 4
"""

import os


class Ends(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return y.clone()

    @staticmethod
    def backward(ctx, cotangent):
        if os.urandom(1)[0] % 2:
            os._exit(0)
        os.abort()


# %%
def solve_implicit(F, x, y0):
    return Ends.apply(x, find_root(F, x, y0)) if "Ends" in globals() else find_root(F, x, y0)
