"""Which names of a stub give objects that are not data, and so cannot leave the student's process.

This is decided from the course's own stub, so it is the same for every submission. Whatever cannot be decided from there (a base
class of the course's own, a type with an unknown name) counts as data: it is sent, and what arrives decides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

_OBJECTS = frozenset(
    {
        *("object", "ABC", "Protocol", "Generic"),
        *("Module", "Dataset", "IterableDataset", "DataLoader", "Sampler", "Optimizer", "LRScheduler", "Distribution"),
        *("Callable", "Iterator", "Generator", "Function"),
        *("ScriptModule", "ScriptFunction", "GraphModule", "ExportedProgram"),
    }
)
"""Classes of Python and PyTorch, by the last part of their name, whose objects never cross."""


def makes_of(classes: Iterable[ast.ClassDef], returns: Mapping[str, str]) -> dict[str, str]:
    """The stub's classes whose objects are not data, and its functions that declare such a return, each with the type's name."""
    made = {node.name: node.name for node in classes if _is_opaque(node)}
    return made | {name: kind for name, kind in returns.items() if _last(kind) in _OBJECTS or kind in made}


def _is_opaque(node: ast.ClassDef) -> bool:
    own_new = any(isinstance(each, ast.FunctionDef) and each.name == "__new__" for each in node.body)
    return not node.keywords and not own_new and all(_last(ast.unparse(base)) in _OBJECTS for base in node.bases)


def _last(name: str) -> str:
    """``Module`` of ``torch.nn.Module``, ``Callable`` of ``Callable[[Tensor], Tensor]``."""
    return name.partition("[")[0].rpartition(".")[2].strip()
