"""The words of a node in the canonical form: its class, and its arguments in the order the parser gives them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from sqlglot import exp

from lamina.compiler.identity.canonical_walk import Walk

SILENT = frozenset({"hint", "hints", "with_"})  # hints change no row; CTEs enter where they are read


def arguments(args: Mapping[str, Any], silent: frozenset[str]) -> list[Any]:
    """Return the words and nodes of a node's arguments but the silent ones, up to its closing bracket."""
    words: list[Any] = []
    for name, value in args.items():
        if value is None or value is False or name in silent:
            continue
        kind = value.__class__
        if kind is list:
            if value:
                words.append(counted(name, len(value)))
                words.extend([item if isinstance(item, exp.Expr) else str(item) for item in value])
        elif kind is exp.TableAlias:
            if columns := value.args.get("columns"):
                words.append(counted(name, len(columns)))
                words.extend([exact(column) for column in columns])
        else:
            words.append(name)
            words.append(value if isinstance(value, exp.Expr) else str(value))
    words.append(")")
    return words


@cache
def counted(name: str, count: int) -> str:
    """Return the word that opens a list."""
    return f"{name}{count}"


def exact(name: Any) -> str:
    """Return the word for a name that a star, a struct or a map can hand on as a value, where its case counts."""
    return "`" + str(name.name)


def other(walk: Walk, node: Any) -> None:
    """Emit a node by its class and all it holds."""
    walk.out.append("(" + node.__class__.__name__)
    walk.push(arguments(node.args, SILENT))
