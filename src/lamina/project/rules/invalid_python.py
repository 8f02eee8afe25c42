"""L135: a Python model cannot be used.

Why: lamina calls the function `model(ctx)` of the file; without it there is no table.
Fix: define `def model(ctx)` that returns a DataFrame; name a module that is not a model `_name.py`.
"""

import ast
import warnings
from collections.abc import Iterator

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L135", name="InvalidPython")


def violations(path: str, text: str) -> Iterator[Diagnostic]:
    """Yield a file that is not Python or defines no model; nothing of it is executed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        place = Place(file=path, line=max(error.lineno or 1, 1), column=max(error.offset or 1, 1))
        yield RULE.finding(f"not valid Python: {error.msg}", place=place)
        return
    except (ValueError, RecursionError, MemoryError):
        yield RULE.finding("not valid Python: nested too deep", place=Place(file=path))
        return
    if not any(isinstance(node, ast.FunctionDef) and node.name == "model" for node in tree.body):
        message = f"`{path}` defines no function `model`"
        hint = "define `def model(ctx)`, or name a module that is not a model `_name.py`"
        yield RULE.finding(message, place=Place(file=path), hint=hint)
