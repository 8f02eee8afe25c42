"""Type programs: what an expression's type is computed from, without the tree and before any schema is known.

A program is a tuple tree of plain values, so that it can be cached:

    ("column", relation, name)             whatever the caller's `column` answers; read by `lookup`
    ("literal", type) or ("literal", type, value)
    ("cast", type, child), ("try_cast", type, child)
    ("call", function, *arguments)         Spark's name of the function, in lower case
    ("arithmetic", sign, left, right)      sign is one of + - * / % div
    ("boolean", *children)                 true, false, or null if a child is null
    ("compare", value, *others)            the same after the casts of a comparison with each other
    ("in", value, *others)                 the same after casts to one common type
    ("case", otherwise or None, *results)
    ("field", child, name), ("item", child, index), ("struct", names, *values)
    ("arrays_zip", names, *values)
    ("lambda", names, body), ("variable", name)
    ("unknown",)
"""

from typing import Any

Program = tuple[Any, ...]

UNKNOWN_PROGRAM: Program = ("unknown",)
TRUTH: Program = ("literal", "boolean")
