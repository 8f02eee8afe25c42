"""The names Spark gives output columns without an alias, where the text they are made of can be known from the tree."""

from sqlglot import exp

# Functions that have one spelling only, and no argument that Spark fills in by itself.
_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Avg: "avg",
    exp.Count: "count",
    exp.Max: "max",
    exp.Min: "min",
    exp.Sum: "sum",
}
SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}


def automatic_name(node: exp.Expr) -> str | None:
    """Return the name of an output column without an alias, or None if it is not known.

    >>> import sqlglot
    >>> [automatic_name(item) for item in sqlglot.parse_one("SELECT count(*), sum(a * (1 - b)), c % 2 = 1").expressions]
    ['count(1)', 'sum((a * (1 - b)))', None]
    """
    if isinstance(node, exp.Cast) and type(node.this) is exp.Column:
        return node.this.name
    return _text(node)


def _text(node: exp.Expr) -> str | None:
    kind = type(node)
    if kind is exp.Column:
        return node.name if not node.args.get("table") else None
    if kind is exp.Paren:
        return _text(node.this)
    if kind is exp.Literal:
        return node.name if node.is_string or node.name.isdigit() else None
    if kind is exp.Count:
        return _count(node)
    if kind in _FUNCTIONS:
        return _call(_FUNCTIONS[kind], [node.this])
    if kind in SIGNS:
        left, right = _text(node.this), _text(node.expression)
        return f"({left} {SIGNS[kind]} {right})" if left and right else None
    return None


def _call(name: str, arguments: list[exp.Expr]) -> str | None:
    texts = [_text(argument) for argument in arguments]
    return f"{name}({', '.join(text or '' for text in texts)})" if all(texts) else None


def _count(node: exp.Expr) -> str | None:
    if type(node.this) is exp.Star:
        return "count(1)"
    if type(node.this) is not exp.Distinct:
        return _call("count", [node.this, *node.expressions])
    inner = _call("count", node.this.expressions)
    return inner.replace("count(", "count(DISTINCT ", 1) if inner else None
