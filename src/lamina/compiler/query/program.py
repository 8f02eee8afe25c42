"""Write expressions as type programs: one pass over a tree, which can be dropped afterwards."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lamina.compiler.query.automatic_names import SIGNS
from lamina.compiler.query.type_syntax import is_typed_literal, key_of, type_of_syntax
from lamina.compiler.types.functions.names import function_name
from lamina.compiler.types.program_form import TRUTH, UNKNOWN_PROGRAM, Program
from lamina.compiler.types.spark_types import INTEGRALS, literal_type

ColumnProgram = Callable[[exp.Column], Program]
NodeProgram = Callable[[exp.Expr], Program]

# Deeper expressions are answered with `unknown`: they stay cheap, and neither Python's nor the codec's stack is tried.
DEEPEST = 150


def unknown_program(_: exp.Expr) -> Program:
    """Answer for a node nothing is known about."""
    return UNKNOWN_PROGRAM


def expression_program(
    expression: exp.Expr,
    column: ColumnProgram,
    *,
    subquery: NodeProgram = unknown_program,
    parameter: NodeProgram = unknown_program,
) -> Program:
    """Return the type program of an expression; the callbacks answer for what only the query and the project know."""
    return _Writer(column, subquery=subquery, parameter=parameter).write(expression, 0)


class _Writer:
    """Writes one expression tree; a method per kind of node, chosen by the table at the end of this file."""

    __slots__ = ("column", "parameter", "subquery")

    def __init__(self, column: ColumnProgram, *, subquery: NodeProgram, parameter: NodeProgram) -> None:
        self.column = column
        self.subquery = subquery
        self.parameter = parameter

    def write(self, node: exp.Expr, depth: int) -> Program:
        if type(node) is exp.Column:
            return self.column(node)
        if depth > DEEPEST:
            return UNKNOWN_PROGRAM
        method = _METHODS.get(type(node))
        if method is not None:
            return method(self, node, depth + 1)
        return self.call(node, depth + 1)

    def children(self, node: exp.Expr, depth: int) -> list[Program]:
        """Write every argument that is an expression; words and flags of the parser are not arguments."""
        found: list[Program] = []
        for value in node.args.values():
            if isinstance(value, list):
                found.extend([self.write(item, depth) for item in value if isinstance(item, exp.Expr)])
            elif isinstance(value, exp.Expr) and type(value) not in _WORDS:
                found.append(self.write(value, depth))
        return found

    def call(self, node: exp.Expr, depth: int) -> Program:
        name = function_name(type(node))
        if name is None:
            return UNKNOWN_PROGRAM
        if name in _READS_TEXT:
            return self.call_with_text(name, list(node.args.values()), depth)
        return ("call", name, *self.children(node, depth))

    def anonymous(self, node: exp.Expr, depth: int) -> Program:
        name = node.name.lower()
        if name in _READS_TEXT:
            return self.call_with_text(name, node.expressions, depth)
        children = [self.write(item, depth) for item in node.expressions]
        if name in _CASTING and len(children) == 1:
            return ("cast", _CASTING[name], children[0])
        return ("call", name, *children)

    def call_with_text(self, name: str, arguments: list[Any], depth: int) -> Program:
        nodes = [item for item in arguments if isinstance(item, exp.Expr)]
        return ("call", name, *[self.write_with_text(item, depth) for item in nodes])

    def write_with_text(self, node: exp.Expr, depth: int) -> Program:
        """Write an expression and, of a literal, the text that a rule looks at: a format, a schema, a field's name."""
        is_text = type(node) is exp.Literal and node.is_string
        return ("literal", "string", node.this) if is_text else self.write(node, depth)

    def literal(self, node: exp.Expr, _depth: int) -> Program:
        # Text is left out: a program is stored, and most text is data.
        return ("literal", "string") if node.is_string else ("literal", literal_type(node.this), node.this)

    def raw_string(self, _node: exp.Expr, _depth: int) -> Program:
        return ("literal", "string")

    def bytes(self, _node: exp.Expr, _depth: int) -> Program:
        return ("literal", "binary")

    def negative(self, node: exp.Expr, depth: int) -> Program:
        child = self.write(node.this, depth)
        if type(node.this) is not exp.Literal or node.this.is_string:
            return ("call", "negative", child)
        return ("literal", child[1], f"-{child[2]}")

    def child(self, node: exp.Expr, depth: int) -> Program:
        return self.write(node.this, depth)

    def null(self, _node: exp.Expr, _depth: int) -> Program:
        return ("literal", "void")

    def truth(self, _node: exp.Expr, _depth: int) -> Program:
        return TRUTH

    def boolean(self, node: exp.Expr, depth: int) -> Program:
        return ("boolean", *self.children(node, depth))

    def comparison(self, node: exp.Expr, depth: int) -> Program:
        args = node.args
        return ("compare", self.write(args["this"], depth), self.write(args["expression"], depth))

    def between(self, node: exp.Expr, depth: int) -> Program:
        args = node.args
        value, low, high = (self.write(args[key], depth) for key in ("this", "low", "high"))
        # Spark gives the value a name, and with it no longer sees that it is a literal.
        return ("compare", value[:2] if value[0] == "literal" else value, low, high)

    def connective(self, node: exp.Expr, depth: int) -> Program:
        """Write a chain of AND or OR flat: the parser nests it to the left as deep as it is long."""
        kind = type(node)
        found: list[Program] = []
        rest: exp.Expr = node
        while type(rest) is kind:
            found.append(self.write(rest.expression, depth))
            rest = rest.this
        found.append(self.write(rest, depth))
        return ("boolean", *found)

    def concatenation(self, node: exp.Expr, depth: int) -> Program:
        found: list[Program] = []
        rest: exp.Expr = node
        while type(rest) is exp.DPipe:
            found.append(self.write(rest.expression, depth))
            rest = rest.this
        found.append(self.write(rest, depth))
        return ("call", "concat", *reversed(found))

    def arithmetic(self, node: exp.Expr, depth: int) -> Program:
        args = node.args
        return (
            "arithmetic",
            _SIGNS[type(node)],
            self.write(args["this"], depth),
            self.write(args["expression"], depth),
        )

    def membership(self, node: exp.Expr, depth: int) -> Program:
        query = node.args.get("query")
        if query is None:
            found = [item[:2] if item[0] == "literal" else item for item in self.children(node, depth)]
            return ("in", *dict.fromkeys(found))
        return ("boolean", self.write(node.this, depth), self.subquery(query))

    def scalar_subquery(self, node: exp.Expr, _depth: int) -> Program:
        return self.subquery(node)

    def quantified(self, node: exp.Expr, depth: int) -> Program:
        inner = node.this
        if isinstance(inner, exp.Paren):
            return ("call", "any", self.write(inner, depth))
        return self.subquery(inner) if isinstance(inner, exp.Query) else UNKNOWN_PROGRAM

    def like(self, node: exp.Expr, depth: int) -> Program:
        # Spark takes LIKE ANY and LIKE ALL to be null at times, whatever they are given.
        if isinstance(node.expression, exp.Any | exp.All):
            return ("call", "like_any")
        return self.boolean(node, depth)

    def exists(self, node: exp.Expr, depth: int) -> Program:
        test = node.args.get("expression")
        if test is None:
            return TRUTH
        return ("call", "exists", self.write(node.this, depth), self.write(test, depth))

    def cast(self, node: exp.Expr, depth: int) -> Program:
        to = type_of_syntax(node.args["to"])
        if to is None:
            return UNKNOWN_PROGRAM
        inner = node.this
        if type(inner) is exp.Literal and is_typed_literal(node, inner):
            return ("literal", to, inner.this) if to in INTEGRALS else ("literal", to)
        child = self.write(inner, depth)
        return ("try_cast" if node.args.get("safe") else "cast", to, child)

    def case(self, node: exp.Expr, depth: int) -> Program:
        default = node.args.get("default")
        otherwise = self.write(default, depth) if default is not None else None
        return ("case", otherwise, *[self.write(branch.args["true"], depth) for branch in node.args["ifs"]])

    def condition(self, node: exp.Expr, depth: int) -> Program:
        otherwise = node.args.get("false")
        result = self.write(node.args["true"], depth)
        return ("case", self.write(otherwise, depth) if otherwise is not None else None, result)

    def struct(self, node: exp.Expr, depth: int) -> Program:
        names: list[str] = []
        values: list[Program] = []
        for at, item in enumerate(node.expressions, start=1):
            if type(item) is not exp.PropertyEQ:
                return UNKNOWN_PROGRAM
            # The parser numbers a field without a name; Spark calls `map['key']` by its key.
            is_numbered = item.name == f"col{at}"
            names.append((is_numbered and key_of(item.expression)) or item.name)
            values.append(self.write(item.expression, depth))
        return ("struct", tuple(names), *values)

    def var_map(self, node: exp.Expr, depth: int) -> Program:
        keys, values = node.args["keys"], node.args["values"]
        if type(keys) is not exp.Array or type(values) is not exp.Array:
            return ("call", "map_from_arrays", self.write(keys, depth), self.write(values, depth))
        pairs = zip(keys.expressions, values.expressions, strict=False)
        return ("call", "map", *[self.write(item, depth) for pair in pairs for item in pair])

    def arrays_zip(self, node: exp.Expr, depth: int) -> Program:
        """Write the fields' names too: a column lends its own, anything else is called by its position."""
        found = node.expressions
        names = [item.name if type(item) in _NAMED else str(at) for at, item in enumerate(found)]
        return ("arrays_zip", tuple(names), *[self.write(item, depth) for item in found])

    def bracket(self, node: exp.Expr, depth: int) -> Program:
        if len(node.expressions) != 1:
            return UNKNOWN_PROGRAM
        base, index = self.write(node.this, depth), self.write_with_text(node.expressions[0], depth)
        if node.args.get("offset") is None:
            return ("item", base, index)
        return ("call", "try_element_at" if node.args.get("safe") else "element_at", base, index)

    def dot(self, node: exp.Expr, depth: int) -> Program:
        if type(node.expression) is not exp.Identifier:
            return UNKNOWN_PROGRAM
        return ("field", self.write(node.this, depth), node.expression.name)

    def variable(self, node: exp.Expr, _depth: int) -> Program:
        return ("variable", node.name)

    def function(self, node: exp.Expr, depth: int) -> Program:
        return ("lambda", tuple(item.name for item in node.expressions), self.write(node.this, depth))

    def interval(self, node: exp.Expr, depth: int) -> Program:
        kind = type_of_syntax(node)
        if kind is None:
            return UNKNOWN_PROGRAM
        amount = node.this
        if amount is None or type(amount) is exp.Literal or type(amount) is exp.Neg:
            return ("literal", kind)
        return ("call", "interval_of", ("literal", kind), self.write(amount, depth))

    def extract(self, node: exp.Expr, depth: int) -> Program:
        return ("call", "extract", ("literal", "string", node.name), self.write(node.expression, depth))

    def date_add(self, node: exp.Expr, depth: int) -> Program:
        return ("call", "date_add", self.write(node.this, depth), self.write(node.expression, depth))

    def date_difference(self, node: exp.Expr, depth: int) -> Program:
        name = "timestampdiff" if node.args.get("unit") is not None else "datediff"
        return ("call", name, self.write(node.this, depth), self.write(node.expression, depth))

    def within_group(self, node: exp.Expr, depth: int) -> Program:
        ordered = node.expression.expressions
        inner = self.write(node.this, depth)
        if inner[0] != "call" or len(ordered) != 1:
            return UNKNOWN_PROGRAM
        return ("call", inner[1], self.write(ordered[0].this, depth), *inner[2:])

    def distinct(self, node: exp.Expr, depth: int) -> Program:
        found = node.expressions
        return (
            self.write(found[0], depth)
            if len(found) == 1
            else ("boolean", *[self.write(item, depth) for item in found])
        )

    def ask_parameter(self, node: exp.Expr, _depth: int) -> Program:
        return self.parameter(node)


_CASTING = {kind: kind for kind in ("tinyint", "smallint", "bigint", "binary")} | {"decimal": "decimal(10,0)"}
_READS_TEXT = frozenset(
    ("from_json", "from_csv", "to_number", "try_to_number", "variant_get", "try_variant_get", "date_part", "datepart")
)
_NAMED = frozenset({exp.Column, exp.Dot})
_WORDS = frozenset({exp.Var, exp.Identifier, exp.DataType})

_SIGNS = {**SIGNS, exp.IntDiv: "div"}

_METHODS: dict[type[exp.Expr], Callable[[_Writer, exp.Expr, int], Program]] = {
    exp.Alias: _Writer.child,
    exp.Paren: _Writer.child,
    exp.Window: _Writer.child,
    exp.IgnoreNulls: _Writer.child,
    exp.RespectNulls: _Writer.child,
    exp.Filter: _Writer.child,
    exp.Order: _Writer.child,
    exp.Ordered: _Writer.child,
    exp.TimeStrToTime: _Writer.child,
    exp.Literal: _Writer.literal,
    exp.RawString: _Writer.raw_string,
    exp.HexString: _Writer.bytes,
    exp.Parameter: _Writer.ask_parameter,
    exp.Placeholder: _Writer.ask_parameter,
    exp.ArraysZip: _Writer.arrays_zip,
    exp.Boolean: _Writer.truth,
    exp.Null: _Writer.null,
    exp.Anonymous: _Writer.anonymous,
    exp.Neg: _Writer.negative,
    exp.And: _Writer.connective,
    exp.Or: _Writer.connective,
    exp.Not: _Writer.boolean,
    exp.Is: _Writer.truth,
    exp.NullSafeEQ: _Writer.truth,
    exp.NullSafeNEQ: _Writer.truth,
    exp.In: _Writer.membership,
    exp.Any: _Writer.quantified,
    exp.All: _Writer.quantified,
    exp.Exists: _Writer.exists,
    exp.Subquery: _Writer.scalar_subquery,
    exp.Select: _Writer.scalar_subquery,
    exp.Cast: _Writer.cast,
    exp.TryCast: _Writer.cast,
    exp.Case: _Writer.case,
    exp.If: _Writer.condition,
    exp.Nvl2: _Writer.condition,
    exp.Struct: _Writer.struct,
    exp.VarMap: _Writer.var_map,
    exp.Bracket: _Writer.bracket,
    exp.Dot: _Writer.dot,
    exp.Identifier: _Writer.variable,
    exp.Lambda: _Writer.function,
    exp.Interval: _Writer.interval,
    exp.Extract: _Writer.extract,
    exp.TsOrDsAdd: _Writer.date_add,
    exp.DateDiff: _Writer.date_difference,
    exp.TimestampDiff: _Writer.date_difference,
    exp.WithinGroup: _Writer.within_group,
    exp.Distinct: _Writer.distinct,
    exp.DPipe: _Writer.concatenation,
    **dict.fromkeys(_SIGNS, _Writer.arithmetic),
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE), _Writer.comparison),
    exp.Between: _Writer.between,
    **dict.fromkeys((exp.Like, exp.ILike), _Writer.like),
    **dict.fromkeys((exp.RegexpLike, exp.Escape), _Writer.boolean),
}
