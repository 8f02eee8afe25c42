"""Every function whose result is known, by Spark's name for it."""

from lamina.compiler.types.functions.aggregates import AGGREGATES, WINDOWS
from lamina.compiler.types.functions.collections import COLLECTIONS
from lamina.compiler.types.functions.conditions import CONDITIONS
from lamina.compiler.types.functions.documents import DOCUMENTS, SESSION
from lamina.compiler.types.functions.higher_order import HIGHER_ORDER_RULES, HigherOrderRule
from lamina.compiler.types.functions.numbers import NUMBERS
from lamina.compiler.types.functions.rule import Rule
from lamina.compiler.types.functions.strings import STRINGS
from lamina.compiler.types.functions.times import TIMES

FUNCTIONS: dict[str, Rule] = {
    **AGGREGATES,
    **WINDOWS,
    **CONDITIONS,
    **NUMBERS,
    **STRINGS,
    **TIMES,
    **COLLECTIONS,
    **DOCUMENTS,
    **SESSION,
}

HIGHER_ORDER: dict[str, HigherOrderRule] = HIGHER_ORDER_RULES
