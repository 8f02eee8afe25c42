"""Every function whose result can be told, by Spark's name for it."""

from lamina.compiler.functions.aggregates import AGGREGATES, WINDOWS
from lamina.compiler.functions.collections import COLLECTIONS
from lamina.compiler.functions.conditions import CONDITIONS
from lamina.compiler.functions.documents import DOCUMENTS, SESSION
from lamina.compiler.functions.higher_order import HIGHER_ORDER_RULES, HigherOrderRule
from lamina.compiler.functions.numbers import NUMBERS
from lamina.compiler.functions.rule import Rule
from lamina.compiler.functions.strings import STRINGS
from lamina.compiler.functions.times import TIMES

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
