"""The compiled form of one query, independent of the schemas it reads: names, scopes, column uses and type programs.

Scopes and relations are numbered over the whole query. A use with a relation below zero is an unqualified name, to be
looked up in scope `-1 - relation` and then in the scopes around it.
"""

from typing import Any

from lamina.compiler.query.operators import QueryShape
from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value

Program = Any  # nested arrays such as ["sum", ["column", 0, "amount"]]; opaque here, evaluated at link time

PARAMETER_RELATION = -1_000_000  # the relation of `@name` in type programs

DIRECT, CAST, EXPRESSION, AGGREGATION = range(4)


class Reference(Value, frozen=True, array_like=True):
    """A table name as written; `alias_at` is where an alias must go if the name is replaced, -1 if it has one.

    `name` is what it meant when the object was made; after a change elsewhere in the project it may mean another table.
    """

    parts: tuple[str, ...]
    name: str
    start: int
    end: int
    alias_at: int


class ParameterUse(Value, frozen=True, array_like=True):
    """An `@name` in the text."""

    name: str
    start: int
    end: int


class Qualifier(Value, frozen=True, array_like=True):
    """A `schema.table` before a column whose leading parts fall away when the table is replaced."""

    reference: int
    start: int
    end: int


class Use(Value, frozen=True, array_like=True):
    """A column used by an expression: from which relation, by which name, how, and where in the text."""

    relation: int
    name: str
    kind: int
    start: int
    is_qualifier: bool = False  # written before a dot: a struct column, or an alias that does not exist


class FieldUse(Value, frozen=True, array_like=True):
    """Fields of a struct column, each inside the one before: `address.city.name`."""

    relation: int
    name: str
    fields: tuple[str, ...]
    start: int


class TableRelation(Value, frozen=True, array_like=True, tag="table"):
    """A table of the project in a FROM clause."""

    alias: str
    reference: int
    is_optional: bool
    columns: tuple[str, ...] = ()


class QueryRelation(Value, frozen=True, array_like=True, tag="query"):
    """A subquery, or one use of a CTE."""

    alias: str
    scope: int
    is_optional: bool
    columns: tuple[str, ...] = ()


class GeneratorRelation(Value, frozen=True, array_like=True, tag="generator"):
    """Rows made of other columns by a function such as `explode`; a lateral view."""

    alias: str
    is_optional: bool
    columns: tuple[str, ...]
    function: str
    arguments: tuple[Program, ...]
    uses: tuple[Use, ...]


class OpaqueRelation(Value, frozen=True, array_like=True, tag="opaque"):
    """Something whose columns are not known; the relations inside are read whole."""

    alias: str
    relations: tuple[int, ...]
    uses: tuple[Use, ...] = ()


Relation = TableRelation | QueryRelation | GeneratorRelation | OpaqueRelation


class Output(Value, frozen=True, array_like=True, tag="column"):
    """One output column."""

    name: str
    program: Program
    uses: tuple[Use, ...]
    start: int


class Star(Value, frozen=True, array_like=True, tag="star"):
    """All columns of one relation, or of all visible ones (`relation` -1)."""

    relation: int
    start: int
    left_out: tuple[str, ...] = ()


class SharedColumns(Value, frozen=True, array_like=True):
    """A join by column names: of the relation with all before it; no columns means NATURAL."""

    relation: int
    columns: tuple[str, ...] | None
    prefers_right: bool = False  # RIGHT JOIN takes the right side's value
    is_full: bool = False


class EqualColumns(Value, frozen=True, array_like=True):
    """Columns of two relations that a join or a condition takes to be equal."""

    relation: int
    name: str
    other: int
    other_name: str
    start: int


class RowChoice(Value, frozen=True, array_like=True):
    """A window function that numbers rows, or a LIMIT; rows may tie unless its columns hold a key of its relation."""

    function: str  # empty: LIMIT
    relation: int  # the only one it reads; -1: there are several, or rows of several groups
    columns: tuple[str, ...]  # of that relation, as they are, which it orders or partitions by; in lower case
    is_ordered: bool
    start: int


class UnorderedCall(Value, frozen=True, array_like=True):
    """An aggregate whose value depends on the order of rows."""

    name: str
    start: int


class GroupedStar(Value, frozen=True, array_like=True):
    """A SELECT with a star and a GROUP BY, and the names that GROUP BY mentions, in lower case."""

    scope: int
    keys: tuple[str, ...]


class SelectScope(Value, frozen=True, array_like=True, tag="select"):
    """One SELECT: where each kind of use is looked up differs."""

    parent: int
    relations: tuple[int, ...]
    hidden: tuple[int, ...]  # right sides of semi and anti joins, invisible to outputs
    shared: tuple[SharedColumns, ...]
    outputs: tuple[Output | Star, ...]
    filters: tuple[Use, ...]  # among the relations
    groups: tuple[Use, ...]  # among the relations, then the outputs
    orders: tuple[Use, ...]  # among the outputs, then the relations
    deciding: tuple[int, ...] | None  # outputs that decide which rows there are; None: every output
    subqueries: tuple[int, ...]  # relations in expressions
    filled: tuple[str, ...] = ()  # of the whole query: outputs in lower case that the WHERE keeps from being null


class SetScope(Value, frozen=True, array_like=True, tag="set"):
    """A set operation over its branches."""

    parent: int
    branches: tuple[int, ...]
    is_union_all: bool
    by_name: bool
    orders: tuple[Use, ...]
    operators: tuple[str, ...] = ()


class ValuesScope(Value, frozen=True, array_like=True, tag="values"):
    """Literal rows: one program per row for each column."""

    parent: int
    columns: tuple[str, ...]
    programs: tuple[tuple[Program, ...], ...]
    subqueries: tuple[int, ...] = ()


class OpaqueScope(Value, frozen=True, array_like=True, tag="opaque"):
    """A query whose output is not known."""

    parent: int
    relations: tuple[int, ...]


Scope = SelectScope | SetScope | ValuesScope | OpaqueScope


class QueryHead(Value, frozen=True, array_like=True, forbid_unknown_fields=False):
    """The beginning of a packed object: the names of what it reads."""

    references: tuple[Reference, ...] = ()


class QueryObject(Value, frozen=True, array_like=True):
    """Everything lamina knows about one query without knowing any other file."""

    references: tuple[Reference, ...] = ()
    parameters: tuple[ParameterUse, ...] = ()
    qualifiers: tuple[Qualifier, ...] = ()
    relations: tuple[Relation, ...] = ()
    scopes: tuple[Scope, ...] = ()
    root: int = -1
    cte_names: tuple[str, ...] = ()
    with_at: int = -1  # where a CTE can be put before the query's own ones; -1: it has none
    end: int = 0  # where the query ends; only semicolons, blanks and comments follow
    volatile: tuple[str, ...] = ()  # clock, random and uuid functions
    canonical: str = ""
    equal: tuple[EqualColumns, ...] = ()
    choices: tuple[RowChoice, ...] = ()
    grouped_stars: tuple[GroupedStar, ...] = ()
    fields: tuple[FieldUse, ...] = ()
    unordered: tuple[UnorderedCall, ...] = ()
    shape: QueryShape | None = None  # only where a proof may need it
    diagnostics: tuple[Diagnostic, ...] = ()  # without file and model; the place's file is filled in at link time
