"""The reference page of every diagnostic code, taken from the docstrings of rules and errors without importing them."""

import ast
import os
import re
from functools import cache

from lamina.values.value import Value

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RULE = re.compile(r'^"""(L\d{3}): ')
RULE_NAME = re.compile(r'Rule\(code="L\d{3}", name="(\w+)"')
ERROR = re.compile(r'^    code = "(L\d{3})"', re.MULTILINE)


class RulePage(Value, frozen=True):
    """What `lamina rule` prints for one code."""

    code: str
    name: str
    title: str
    text: str


@cache
def rule_pages() -> tuple[RulePage, ...]:
    """Return the page of every code, sorted by code."""
    pages: list[RulePage] = []
    for folder, _, files in os.walk(PACKAGE):
        for file in files:
            if file.endswith(".py"):
                with open(os.path.join(folder, file), encoding="utf-8") as opened:
                    pages.extend(_pages_of(opened.read()))
    return tuple(sorted(pages, key=lambda page: (page.code, page.name)))


def find_rule(code: str) -> RulePage | None:
    """Return the page of one code or name, in any case."""
    wanted = code.casefold()
    return next((page for page in rule_pages() if wanted in (page.code.casefold(), page.name.casefold())), None)


def _pages_of(source: str) -> list[RulePage]:
    if RULE.match(source):
        docstring = ast.get_docstring(ast.parse(source)) or ""
        code, _, rest = docstring.partition(": ")
        title, _, text = rest.partition("\n")
        name = RULE_NAME.search(source)
        return [RulePage(code=code, name=name[1] if name else "", title=title.rstrip("."), text=text.strip())]
    if not ERROR.search(source):
        return []
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    return [page for node in classes if (page := _error_page(node)) is not None]


def _error_page(node: ast.ClassDef) -> RulePage | None:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                title, _, text = (ast.get_docstring(node) or "").partition("\n")
                return RulePage(code=code, name=node.name, title=title.rstrip("."), text=text.strip())
            case _:
                continue
    return None
