"""Arguments that the parser drops or takes for a word: a unit that is not a text, the frequency of a percentile."""

import re
from collections.abc import Callable, Iterable

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from lamina.compiler.query.brackets import COMMAS, arguments_of, brackets_of

Parse = Callable[[list[Token]], exp.Expr | None]

SUSPECT = re.compile(r"percentile\s*\(|\btrunc\s*\(|_trunc\s*\(\s*+(?!['\"]\w*['\"]\s*,)")
UNITS = {"date_trunc": 0, "time_trunc": 0, "trunc": 1}  # which argument says the unit
TRUNCATIONS = (exp.DateTrunc, exp.TimestampTrunc, exp.TimeTrunc)
FREQUENCY = 2


def may_lack_arguments(text: str) -> bool:
    """Return quickly whether something may be dropped; hardly any query has such a call."""
    lower = text.lower()
    return ("trunc" in lower or "percentile" in lower) and SUSPECT.search(lower) is not None


def restore_arguments(trees: Iterable[exp.Expr | None], tokens: list[Token], parse: Parse) -> None:
    """Put back into trees what their calls were given; calls that nothing was dropped of stay as they are."""
    found = [node for tree in trees if tree is not None for node in tree.find_all(exp.Quantile, *TRUNCATIONS)]
    percentiles = [node for node in found if isinstance(node, exp.Quantile)]
    truncations = {node.meta.get("start"): node for node in found if isinstance(node, TRUNCATIONS)}
    for bracket in sorted(brackets_of(tokens, COMMAS)):
        called = tokens[max(bracket.opening - 1, 0)]
        name, arguments = called.text.lower(), arguments_of(tokens, bracket)
        if tokens[bracket.opening].token_type is not TokenType.L_PAREN:
            continue
        if name == "percentile":
            _restore_frequency(percentiles, arguments, parse)
        elif name in UNITS and called.start in truncations:
            _restore_unit(truncations[called.start], arguments[UNITS[name] :], parse)


def _restore_frequency(nodes: list[exp.Quantile], arguments: list[list[Token]], parse: Parse) -> None:
    """Give a percentile its frequency: to the first call with the same other arguments that has none yet."""
    if len(arguments) <= FREQUENCY:
        return
    value, share, frequency = (parse(item) for item in arguments[: FREQUENCY + 1])
    for node in nodes:
        is_same = value in (None, node.this) and share in (None, node.args.get("quantile"))
        if is_same and "frequency" not in node.args:
            node.set("frequency", frequency)
            return


def _restore_unit(node: exp.Expr, arguments: list[list[Token]], parse: Parse) -> None:
    """Give a truncation its unit as an expression, where it is not a text; the unit is not known then."""
    unit = arguments[0] if arguments else []
    if len(unit) > 1 or (unit and unit[0].token_type is not TokenType.STRING):
        node.set("unit", exp.Var(this="?"))
        node.set("written_unit", parse(unit))
