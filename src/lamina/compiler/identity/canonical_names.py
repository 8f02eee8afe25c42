"""Names in the canonical form: as written where they become part of a value, not at all where they only point."""

from typing import Any

from sqlglot import exp

from lamina.compiler.identity.canonical_walk import Handlers, Walk
from lamina.compiler.identity.canonical_words import SILENT, arguments, counted, exact, other


class Unbind:
    """On the stack: the body of the innermost lambda has ended."""


def _field(walk: Walk, node: Any) -> None:
    """Emit a field that is made or declared: its name is part of the type, and of a document made of it."""
    args = node.args
    if args["this"].__class__ is not exp.Identifier:
        other(walk, node)
        return
    walk.out.append("(Field " + exact(args["this"]))
    walk.push(arguments(args, FIELD_NAMED))


def _dot(walk: Walk, node: Any) -> None:
    field = node.args["expression"]
    walk.out.append("(Dot")
    walk.push([node.args["this"], exact(field) if field.__class__ is exp.Identifier else field, ")"])


def _named_by_arguments(walk: Walk, node: Any) -> None:
    """Emit a call whose result has fields called like its arguments."""
    walk.out.append("\x1f".join(item.name for item in node.args["expressions"]))
    other(walk, node)


def _pivot(walk: Walk, node: Any) -> None:
    """Emit a pivot with its names as written: they become columns, or values."""
    walk.out.append("\x1f".join(item.name for item in node.find_all(exp.Identifier)))
    other(walk, node)


def _window(walk: Walk, node: Any) -> None:
    """Emit a window; one that has a name by its place among those of its query."""
    args = node.args
    name = args.get("alias")
    number = walk.scope.windows.get(name.name) if name is not None else None
    if number is None and args["this"].__class__ is not exp.Identifier:
        other(walk, node)
        return
    walk.out.append("(Window" if number is None else f"(Window {number}")
    silent = {"alias"} if number is not None else set()
    if args["this"].__class__ is exp.Identifier:
        silent.add("this")  # a definition: its readers know its place
    walk.push(arguments(args, SILENT | silent))


def _lambda(walk: Walk, node: Any) -> None:
    """Emit a function of variables, which are known by where they are bound."""
    names = node.args["expressions"]
    if any(name.__class__ is not exp.Identifier for name in names):
        other(walk, node)
        return
    walk.variables.append({name.name.lower(): place for place, name in enumerate(names)})
    walk.out.append(counted("(Lambda", len(names)))
    walk.push([node.args["this"], UNBIND, ")"])


def _unbind(walk: Walk, _: Any) -> None:
    walk.variables.pop()


UNBIND = Unbind()
FIELD_NAMED = SILENT | {"this"}
NAME_HANDLERS: Handlers = {
    Unbind: _unbind,
    exp.ArraysZip: _named_by_arguments,
    exp.ColumnDef: _field,
    exp.Dot: _dot,
    exp.Lambda: _lambda,
    exp.Pivot: _pivot,
    exp.PropertyEQ: _field,
    exp.Window: _window,
}
