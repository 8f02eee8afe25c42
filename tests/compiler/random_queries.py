"""Random queries as values, spelt in random ways: what is meant stays fixed, how it is written varies."""

from dataclasses import dataclass, replace
from random import Random

from hypothesis import strategies as st

FUNCTIONS = ("upper", "lower", "trim", "my_function")
COMPARISONS = ("=", ">", "<", "<=>")
JOINS = ("JOIN", "LEFT JOIN", "FULL JOIN", "CROSS JOIN", "LEFT SEMI JOIN")
TABLES = ("raw.orders", "raw.customers", "sales.items")
COLUMNS = ("id", "amount", "status")


@dataclass(frozen=True)
class Term:
    """`function(side.column)` compared with a literal where it is a filter."""

    side: int
    column: int
    function: str
    literal: int
    comparison: str


@dataclass(frozen=True)
class Block:
    """One SELECT over one or two relations; a negative relation is a table, others are earlier blocks."""

    relations: tuple[int, ...]
    join: str
    outputs: tuple[Term, ...]
    filters: tuple[Term, ...]
    is_distinct: bool


Query = tuple[Block, ...]  # the last one is the query, the others its CTEs


def _terms(sides: int) -> st.SearchStrategy[Term]:
    """Draw a term over a number of relations."""
    return st.builds(
        Term,
        side=st.integers(0, sides - 1),
        column=st.integers(0, len(COLUMNS) - 1),
        function=st.sampled_from(FUNCTIONS),
        literal=st.integers(0, 9),
        comparison=st.sampled_from(COMPARISONS),
    )


# Made once: hypothesis spends most of its time on strategies it has not seen.
MOST_BLOCKS = 4
COUNTS = st.integers(1, MOST_BLOCKS)
FIRST = st.integers(-len(TABLES), -1)
SECOND = tuple(st.none() | st.integers(-len(TABLES), number - 1) for number in range(MOST_BLOCKS))
JOIN = st.sampled_from(JOINS)
OUTPUTS = {sides: st.tuples(*[_terms(sides)] * len(COLUMNS)) for sides in (1, 2)}
FILTERS = {sides: st.lists(_terms(sides), max_size=2) for sides in (1, 2)}
IS_DISTINCT = st.booleans()


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Draw a query in which every block is read by the last one, directly or not."""
    blocks: list[Block] = []
    for number in range(draw(COUNTS)):
        second = draw(SECOND[number])
        # Each block reads the one before it, so that none is unused.
        first = number - 1 if number else draw(FIRST)
        relations = (first,) if second is None else (first, second)
        join = draw(JOIN)
        sides = 1 if "SEMI" in join else len(relations)
        filters = tuple(draw(FILTERS[sides]))
        blocks.append(Block(relations, join, draw(OUTPUTS[sides]), filters, draw(IS_DISTINCT)))
    return tuple(blocks)


def spell(query: Query, random: Random) -> str:
    """Write a query with names, brackets, case, comments and order of CTEs by chance."""
    names = [f"{random.choice('abcdef')}{random.randrange(100)}_{number}" for number in range(len(query))]
    columns = [[f"{random.choice('xyz')}{random.randrange(100)}_{c}" for c in range(len(COLUMNS))] for _ in query]
    columns[-1] = list(COLUMNS)  # the names of the table's own columns are not spelling
    texts = [
        _spell_block(block, number, query=query, names=names, columns=columns, random=random)
        for number, block in enumerate(query)
    ]
    ctes = [f"{_case(names[n], random)} AS ({texts[n]})" for n in _any_order(query, random)]
    head = f"{_case('WITH', random)} {', '.join(ctes)} " if ctes else ""
    return f"{head}{texts[-1]}"


def _any_order(query: Query, random: Random) -> list[int]:
    """Return the CTEs in some order in which each follows those it reads."""
    left, done = set(range(len(query) - 1)), []
    while left:
        ready = sorted(n for n in left if all(r < 0 or r in done for r in query[n].relations))
        done.append(random.choice(ready))
        left.remove(done[-1])
    return done


def _spell_block(
    block: Block, number: int, *, query: Query, names: list[str], columns: list[list[str]], random: Random
) -> str:
    aliases = [f"{random.choice('pqrs')}{random.randrange(100)}_{side}" for side in range(len(block.relations))]

    def reference(term: Term) -> str:
        relation = block.relations[term.side]
        column = COLUMNS[term.column] if relation < 0 else columns[relation][term.column]
        return f"{_case(aliases[term.side], random)}.{_quoted(column, random)}"

    def value(term: Term) -> str:
        return _bracketed(f"{_case(term.function, random)}({reference(term)})", random)

    sources = [TABLES[r] if r < 0 else names[r] for r in block.relations]
    relations = f"{sources[0]} {_case('AS', random)} {aliases[0]}"
    if len(sources) > 1:
        on = (
            ""
            if "CROSS" in block.join
            else f" ON {reference(Term(0, 0, '', 0, ''))} = {reference(Term(1, 0, '', 0, ''))}"
        )
        relations += f" {_case(block.join, random)} {sources[1]} {aliases[1]}{on}"
    outputs = ", ".join(f"{value(term)} AS {name}" for term, name in zip(block.outputs, columns[number], strict=True))
    filters = [_bracketed(f"{value(term)} {term.comparison} {term.literal}", random) for term in block.filters]
    where = f" {_case('WHERE', random)} {' AND '.join(filters)}" if filters else ""
    distinct = "DISTINCT " if block.is_distinct else ""
    return f"{_case('SELECT', random)} {distinct}{_comment(random)}{outputs}{_space(random)}FROM {relations}{where}"


def edits(query: Query) -> list[Query]:
    """Return queries that differ from this one in a single place that can change a row."""
    found: list[Query] = []
    for number, block in enumerate(query):
        changed = [replace(block, is_distinct=not block.is_distinct)]
        first, *rest = block.outputs
        changed.append(replace(block, outputs=(replace(first, function="another_function"), *rest)))
        changed.append(replace(block, outputs=(replace(first, column=(first.column + 1) % len(COLUMNS)), *rest)))
        if len(block.relations) == 2 and "SEMI" not in block.join:
            changed.append(replace(block, outputs=(replace(first, side=1 - first.side), *rest)))
        if len(block.relations) == 2:
            changed.append(replace(block, join="RIGHT JOIN"))
        if block.filters:
            last = block.filters[-1]
            changed.append(replace(block, filters=(*block.filters[:-1], replace(last, literal=last.literal + 1))))
            changed.append(replace(block, filters=block.filters[:-1]))
        found += [(*query[:number], item, *query[number + 1 :]) for item in changed]
    return found


def _case(word: str, random: Random) -> str:
    return random.choice((word, word.upper(), word.lower()))


def _quoted(name: str, random: Random) -> str:
    return random.choice((name, f"`{name}`", name.upper()))


def _bracketed(text: str, random: Random) -> str:
    return random.choice((text, f"({text})", f"( ({text}) )"))


def _comment(random: Random) -> str:
    return random.choice(("", "/* note */ ", "-- note\n"))


def _space(random: Random) -> str:
    return random.choice((" ", "\n    ", "\t"))
