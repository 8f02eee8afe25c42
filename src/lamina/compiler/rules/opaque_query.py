"""L421: lamina cannot tell how a clause treats rows.

Why: nothing is known about how the result depends on single rows, so nothing can be proven.
Fix: move the clause into a `full_refresh` model that this one reads, or allow this code.
"""

from lamina.compiler.query.operators import At
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L421", name="OpaqueQuery")


def finding(clause: str, *, at: At) -> Diagnostic:
    """Return the finding for one clause."""
    return RULE.finding(
        f"lamina cannot tell how {clause} treats rows, so it cannot prove that building in parts is right",
        hint=f'move it into a `full_refresh` model that this one reads, or accept the risk: `allow = ["{RULE.code}"]`',
        at=at,
    )
