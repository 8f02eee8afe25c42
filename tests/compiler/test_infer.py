"""Types of programs against a schema: the rules that no table of functions holds."""

import pytest
import sqlglot
from sqlglot import exp

from lamina.compiler.query.program import expression_program
from lamina.compiler.types.infer import Typed, evaluate
from lamina.compiler.types.program_form import Program
from lamina.values.codec import from_pack, to_pack
from lamina.values.schema import UNKNOWN, DataType

COLUMNS = {
    "id": ("bigint", False),
    "quantity": ("int", True),
    "price": ("decimal(10,2)", True),
    "rate": ("double", True),
    "name": ("string", False),
    "day": ("date", False),
    "at": ("timestamp", True),
    "tags": ("array<string>", True),
    "scores": ("map<string,int>", True),
    "address": ("struct<street:string,zip:int>", True),
    "items": ("array<struct<sku:string,price:decimal(8,2)>>", True),
    "mystery": (UNKNOWN, True),
}


def column(node: exp.Column) -> Program:
    return ("field", ("column", 0, node.table), node.name) if node.table else ("column", 0, node.name)


def lookup(_: int, name: str) -> Typed:
    kind, nullable = COLUMNS[name]
    return Typed(DataType(kind), nullable)


def infer(text: str) -> str:
    tree = sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]
    found = evaluate(expression_program(tree, column), lookup)
    return f"{found.type}{'' if found.nullable else ' not null'}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("quantity + id", "bigint"),
        ("quantity / 2", "double"),
        ("quantity div 2", "bigint"),
        ("price + price", "decimal(11,2)"),
        ("price * (1 - price)", "decimal(22,4)"),
        ("price * 2", "decimal(12,2)"),
        ("price * quantity", "decimal(21,2)"),
        ("price * rate", "double"),
        ("price / price", "decimal(23,13)"),
        ("sum(price)", "decimal(20,2)"),
        ("avg(price)", "decimal(14,6)"),
        ("round(price, 1)", "decimal(10,1)"),
        ("ceil(price)", "decimal(9,0)"),
        ("name + 1", "bigint"),
        ("name + name", "unknown"),
        ("day + 1", "date not null"),
        ("day - day", "interval day not null"),
        ("at - day", "interval day to second"),
        ("day + interval 2 hours", "timestamp not null"),
        ("interval 1 day * 2", "interval day to second not null"),
        ("at + 1", "unknown"),
    ],
)
def test_arithmetic_follows_spark(text: str, kind: str) -> None:
    assert infer(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("id = 1", "boolean not null"),
        ("id = '1'", "boolean"),
        ("quantity = 1", "boolean"),
        ("quantity <=> 1", "boolean not null"),
        ("quantity IS NULL", "boolean not null"),
        ("id IN (1, 2)", "boolean not null"),
        ("count(quantity)", "bigint not null"),
        ("max(id)", "bigint"),
        ("coalesce(quantity, 0)", "int not null"),
        ("coalesce(quantity, price)", "decimal(12,2)"),
        ("CASE WHEN id > 1 THEN 1 END", "int"),
        ("CASE WHEN id > 1 THEN 1 ELSE 2.5 END", "decimal(11,1) not null"),
        ("if(id > 1, name, 'x')", "string not null"),
        ("cast(name AS int)", "int"),
        ("cast(id AS string)", "string not null"),
        ("row_number() OVER (ORDER BY id)", "int not null"),
        ("lag(id) OVER (ORDER BY day)", "bigint"),
        ("lag(id, 1, 0) OVER (ORDER BY day)", "bigint not null"),
    ],
)
def test_nullability_is_what_the_analyzer_says(text: str, kind: str) -> None:
    assert infer(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("address.zip", "int"),
        ("address.ZIP", "int"),
        ("address.town", "unknown"),
        ("tags[0]", "string"),
        ("scores['a']", "int"),
        ("address['zip']", "int"),
        ("items[0].price", "decimal(8,2)"),
        ("items.sku", "array<string>"),
        ("named_struct('a', id).a", "bigint not null"),
        ("named_struct('a', id).b", "unknown"),
        ("array(1, 2)[0]", "int not null"),
        ("array(1, NULL)[1]", "int"),
        ("array(1, 2)[5]", "int"),
        ("array(1, 2)[-1]", "int"),
        ("array(1, 2)['a']", "int"),
        ("name[0]", "unknown"),
        ("transform(items, i -> i.price * 2)", "array<decimal(10,2)>"),
        ("transform(tags, t -> transform(tags, u -> t || u))", "array<array<string>>"),
        ("aggregate(items, 0, (n, i) -> n + 1)", "int"),
        ("aggregate(items, 0, (n, i) -> n + i.price)", "unknown"),
        ("arrays_zip(tags, items)", "array<struct<tags:string,items:struct<sku:string,price:decimal(8,2)>>>"),
        ("from_json(name, 'a int, b array<string>')", "struct<a:int,b:array<string>>"),
    ],
)
def test_nested_values_are_taken_apart(text: str, kind: str) -> None:
    assert infer(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "mystery",
        "mystery + 1",
        "sum(mystery)",
        "coalesce(mystery, 1)",
        "CASE WHEN id > 1 THEN mystery ELSE 1 END",
        "array(mystery)",
        "struct(mystery)",
        "map('a', mystery)",
        "transform(mystery, m -> m)",
        "my_function(id)",
        "round(price, quantity)",
        "from_json(name, name)",
        "map_values()",
        "transform(tags)",
        "cast(id AS geometry)",
    ],
)
def test_what_is_not_known_stays_unknown(text: str) -> None:
    assert infer(text) == "unknown"


@pytest.mark.parametrize("text", ["upper(mystery)", "count(mystery)", "mystery = 1", "cast(mystery AS int)"])
def test_a_result_that_is_certain_needs_no_known_argument(text: str) -> None:
    assert not infer(text).startswith("unknown")


def test_a_program_read_from_the_cache_has_the_same_type() -> None:
    text = "CASE WHEN id > 1 THEN sum(price) / 2 ELSE transform(items, i -> i.price)[0] END"
    tree = sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]
    program = expression_program(tree, column)
    stored = from_pack(to_pack(program), list)
    assert evaluate(tuple(stored), lookup) == evaluate(program, lookup)
