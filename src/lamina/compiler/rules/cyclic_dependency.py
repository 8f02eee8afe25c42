"""L202: models read each other in a loop.

Why: there is no order in which each model is built after its inputs, and after the tables its `relationships` checks
look values up in.
Fix: break the loop: move the shared part into a model both can read, or a check to the model that is built last.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L202", name="CyclicDependency")


def finding(path: tuple[str, ...], *, place: Place) -> Diagnostic:
    """Return the finding for one loop; `path` names each of its models once."""
    loop = " -> ".join(f"`{name}`" for name in (*path, path[0]))
    return RULE.finding(
        f"models depend on each other: {loop}", place=place, model=path[0], hint="remove one of these reads or checks"
    )
