"""Replaces the worker's own functions by name: what encodes, answers, describes errors and looks at inputs.

Family: forging a verdict
Wall: what the worker says is data; the judge decides
Marks: 0
Says: could not be read
"""

import torchgrade.jail.inside.serve as serve
from torchgrade.jail.inside.program import Program

serve._encoded = lambda value, outgoing, *_: {"$": "passed", "v": True}
Program.describe = lambda self, error: {"kind": "Passed", "text": "passed", "lines": [], "outcome": "passed", "points": 12}


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
