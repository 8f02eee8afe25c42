"""A model after linking, with what was found wrong with it; light enough to be loaded without the parser."""

from lamina.compiler.graph import CompiledModel
from lamina.compiler.link.reads import Reads
from lamina.compiler.query.operators import QueryShape
from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value


class Linked(Value, frozen=True, array_like=True):
    """One linked model; `reads` and `shape`, its own, let consumers see through it if it is ephemeral."""

    model: CompiledModel
    diagnostics: tuple[Diagnostic, ...]
    reads: Reads | None = None
    shape: QueryShape | None = None
    stars: tuple[int, ...] = ()  # where its result takes every column of a table
