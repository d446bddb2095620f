"""Leaves a conftest, a sitecustomize and a pytest in every folder that it can write to, and in its own modules.

Family: forging a verdict
Wall: the graders run in another process, on the instructor's files
Marks: 0
"""

import os
import sys
import types

for name in ("pytest", "_pytest", "conftest", "sitecustomize", "graders"):
    sys.modules[name] = types.ModuleType(name)
hook = "def pytest_runtest_makereport(item, call):\n    return None\n"
for folder in {*sys.path, os.getcwd(), "/", "@COURSE@", "/engine", "/dev"}:
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "torchgrade-attack.pth"):
        try:
            with open(os.path.join(folder or ".", name), "x") as file:
                file.write(hook)
        except OSError:
            pass
os.environ.update(PYTEST_ADDOPTS="-p no:assertion", PYTHONSTARTUP="/tmp/conftest.py")


# %%
def softmax(logits, dim=-1):
    return torch.zeros_like(logits)
