"""Whether the file of a Python model can be one; nothing of it is executed."""

import ast
import warnings
from collections.abc import Iterator

from lamina.project.rules import invalid_python
from lamina.values.diagnostic import Diagnostic, Place


def python_problems(path: str, text: str) -> Iterator[Diagnostic]:
    """Yield why a file is not Python, or that it defines no model."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        place = Place(file=path, line=max(error.lineno or 1, 1), column=max(error.offset or 1, 1))
        yield invalid_python.finding(str(error.msg), place=place)
        return
    except (ValueError, RecursionError, MemoryError):
        yield invalid_python.finding("nested too deep", place=Place(file=path))
        return
    if not any(isinstance(node, ast.FunctionDef) and node.name == "model" for node in tree.body):
        yield invalid_python.finding_of_missing_function(path)
