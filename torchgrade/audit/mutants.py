"""Mutants of the reference: copies with one small mistake each. A check must notice every one that is not equivalent.

Mutation libraries were considered, and none is used: none knows the mistakes that matter here (``dim``, a dropped ``detach``,
``clone`` or ``unscale_``, a lost keyword, swapped arguments), and those for the usual mistakes bring a test runner and a
database.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

_OTHER_OPERATOR: dict[type[ast.AST], Any] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Div(),
    ast.Div: ast.Mult(),
    ast.FloorDiv: ast.Div(),
    ast.Mod: ast.FloorDiv(),
    ast.Pow: ast.Mult(),
    ast.BitAnd: ast.BitOr(),
    ast.BitOr: ast.BitAnd(),
    ast.And: ast.Or(),
    ast.Or: ast.And(),
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
}
# Without these an expression still makes sense: x.detach() becomes x.
_MAY_BE_LEFT_OUT = frozenset(
    (
        *("detach", "clone", "to", "float", "double", "contiguous", "requires_grad_", "item", "conj"),
        *("T", "mT", "H", "transpose", "unsqueeze", "squeeze", "reshape", "view", "flatten", "expand"),
        *("abs", "sum", "max", "amax", "exp", "log"),
    )
)


@dataclasses.dataclass(frozen=True, slots=True)
class Mutant:
    """The changed source, and the change as ``line as it was → line as it is``."""

    change: str
    text: str


def mutants_of(source: str) -> Iterator[Mutant]:
    """Every mutant of a solution, with one change each, in the order of the source."""
    original = ast.unparse(ast.parse(source))
    seen: set[str] = set()
    names: Counter[str] = Counter()
    for number in range(10_000):
        tree = ast.parse(source)
        mutation = _Mutation(number)
        mutation.visit(tree)
        if not mutation.applied:
            return
        ast.fix_missing_locations(tree)
        text = ast.unparse(tree)
        if text == original or text in seen:
            continue
        seen.add(text)
        change = _change(original, text)
        if mutation.swapped is not None:
            first, second = mutation.swapped
            change = f"{first} ⏎ {second} → {second} ⏎ {first}"
        names[change] += 1
        yield Mutant(change if names[change] == 1 else f"{change} ({names[change]})", text)


def _change(before: str, after: str) -> str:
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    was = [line[2:].strip() for line in lines if line.startswith("- ")]
    now = [line[2:].strip() for line in lines if line.startswith("+ ")]
    return f"{' ⏎ '.join(was) or 'nothing'} → {' ⏎ '.join(now) or 'nothing'}"


class _Mutation(ast.NodeTransformer):
    """Applies the change with the given number, counted in the order of the source."""

    def __init__(self, number: int) -> None:
        self._left = number
        self.applied = False
        self.swapped: tuple[str, str] | None = None

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        if self.applied:
            return node
        for replacement in _replacements(node):
            if self._left == 0:
                self.applied = True
                return replacement
            self._left -= 1
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        # Annotations and docstrings change nothing.
        if isinstance(node, ast.FunctionDef):
            node.args.defaults = [self._inside(value) for value in node.args.defaults]
            node.args.kw_defaults = [value and self._inside(value) for value in node.args.kw_defaults]
            node.body = self._block(node.body)
            return node
        if isinstance(node, ast.AnnAssign):
            node.value = node.value and self._inside(node.value)
            return node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # The method's name is part of the call, and was handled with it.
            node.func.value = self._inside(node.func.value)
            node.args = [self._inside(value) for value in node.args]
            for keyword in node.keywords:
                keyword.value = self._inside(keyword.value)
            return node
        if isinstance(node, ast.For | ast.With):
            node.body = self._block(node.body)
            return node
        return super().generic_visit(node)

    def _inside(self, value: ast.expr) -> ast.expr:
        changed = self.visit(value)
        assert isinstance(changed, ast.expr)  # noqa: S101 - an expression's replacements are expressions
        return changed

    def _block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        for index, (first, second) in enumerate(itertools.pairwise(body)):
            if self.applied or not (_has_effect(first) and _has_effect(second)):
                continue
            if self._left == 0:
                self.applied = True
                self.swapped = ast.unparse(first), ast.unparse(second)
                return [*body[:index], second, first, *body[index + 2 :]]
            self._left -= 1
        done: list[ast.AST] = []
        for statement in body:
            changed = self.visit(statement)
            done += changed if isinstance(changed, list) else [changed]
        return [each for each in done if isinstance(each, ast.stmt)]


def _has_effect(statement: ast.stmt) -> bool:
    """Return whether a statement is there for its effect, so that swapping it with a neighbour may matter."""
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.AugAssign | ast.Expr) and not is_text


def _replacements(node: ast.AST) -> Iterator[ast.AST | list[ast.AST]]:
    """Yield replacements for a node, each with one mistake."""
    if isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.stmt):
        yield from _statements(node)
    else:
        yield from _operators(node)


def _operators(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(op=ast.MatMult()):
            yield ast.BinOp(node.left, ast.Mult(), node.right)
        case ast.BinOp() if type(node.op) in _OTHER_OPERATOR:
            yield ast.BinOp(node.left, _OTHER_OPERATOR[type(node.op)], node.right)
        case ast.BoolOp():
            yield ast.BoolOp(_OTHER_OPERATOR[type(node.op)], node.values)
        case ast.Compare():
            yield ast.Compare(node.left, [_OTHER_OPERATOR[type(node.ops[0])], *node.ops[1:]], node.comparators)
        case ast.UnaryOp():
            yield node.operand
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.Attribute() if node.attr in _MAY_BE_LEFT_OUT and isinstance(node.ctx, ast.Load):
            yield node.value


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, float):
        yield ast.Constant(2 * value or 1.0)


def _statements(node: ast.stmt) -> Iterator[ast.AST | list[ast.AST]]:
    match node:
        case ast.If():
            yield ast.If(ast.Constant(value=True), node.body, node.orelse)
            yield ast.If(ast.Constant(value=False), node.body, node.orelse)
        case ast.With():
            yield list(node.body)
        case ast.Expr(value=ast.Constant()):
            return
        case ast.Expr() | ast.AugAssign() | ast.Raise():
            yield ast.Pass()


def _calls(call: ast.Call) -> Iterator[ast.AST]:
    for left_out in call.keywords:
        yield ast.Call(call.func, call.args, [keyword for keyword in call.keywords if keyword is not left_out])
    if isinstance(call.func, ast.Attribute) and call.func.attr in _MAY_BE_LEFT_OUT:
        yield call.func.value
    if len(call.args) == 2:  # noqa: PLR2004 - two arguments can be swapped
        yield ast.Call(call.func, [call.args[1], call.args[0]], call.keywords)
