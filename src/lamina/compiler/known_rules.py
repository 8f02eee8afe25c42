"""Every rule of the compiler, found by its file in `rules/`: to add one is to write that file."""

import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from lamina.compiler import rules
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

Violations = Callable[[Any], Iterator[Diagnostic]]  # of a `Subject` or a `ProjectSubject`, as the rule says


@cache
def rules_by_code() -> dict[str, Rule]:
    """Return all rules, those included that an analysis calls for their words."""
    return {module.RULE.code: module.RULE for module in _modules()}


@cache
def demotable() -> frozenset[str]:
    """Return the codes that a model may allow: of incrementality, and of what is not an error."""
    found = rules_by_code().values()
    return frozenset(rule.code for rule in found if rule.code.startswith("L4") or rule.severity != "error")


@cache
def rules_of_model() -> tuple[Violations, ...]:
    """Return the rules that look at one model."""
    return _looking_at("model")


@cache
def rules_of_promotion() -> tuple[Violations, ...]:
    """Return the rules that compare a model with its promoted version."""
    return _looking_at("promotion")


@cache
def rules_of_change() -> tuple[Violations, ...]:
    """Return the rules that look at what became of a model since it was promoted."""
    return _looking_at("change")


@cache
def rules_of_project() -> tuple[Violations, ...]:
    """Return the rules that look at all models together."""
    return _looking_at("project")


def _looking_at(what: str) -> tuple[Violations, ...]:
    found = ((module.RULE, getattr(module, "violations", None)) for module in _modules())
    return tuple(look for rule, look in found if look is not None and rule.looks_at == what)


@cache
def _modules() -> tuple[ModuleType, ...]:
    names = sorted(entry.removesuffix(".py") for entry in os.listdir(rules.__path__[0]) if entry.endswith(".py"))
    return tuple(import_module(f"{rules.__name__}.{name}") for name in names if name != "__init__")
