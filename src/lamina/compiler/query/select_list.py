"""The SELECT list: output columns, stars, and functions that give several columns."""

from sqlglot import exp

from lamina.compiler.query.generators import generator_name
from lamina.compiler.query.nodes import output_name, star_of, start_of
from lamina.compiler.query.object import DIRECT, Output, Star
from lamina.compiler.query.scopes import Frame, Scopes
from lamina.compiler.query.uses import UseCollector


class SelectList:
    """Reads the items of one SELECT list."""

    def __init__(self, scopes: Scopes, frame: Frame, collector: UseCollector) -> None:
        self.scopes = scopes
        self.frame = frame
        self.collector = collector

    def outputs(self, node: exp.Select) -> tuple[Output | Star, ...]:
        """Return the output columns of a SELECT."""
        found: list[Output | Star] = []
        for item in node.args["expressions"]:
            column = passed_on(item)
            if column is not None:
                found.append(self._column(item, column))
            elif (star := star_of(item)) is not None:
                found.append(self._star(item, star))
            elif isinstance(item, exp.Aliases):
                found.extend(self._several(item))
            elif generator_name(item) is not None:
                found.append(self._generated(item))
            else:
                found.append(self._output(item))
        return tuple(found)

    def _column(self, item: exp.Expr, column: exp.Column) -> Output:
        located = self.scopes.locator(self.frame).locate(column)
        use = located.use(DIRECT)
        start = located.start if item is column else start_of(item)
        return Output(output_name(item), located.program(), (use,) if use is not None else (), start)

    def _output(self, item: exp.Expr) -> Output:
        uses = self.collector.collect(item)
        inner = item.this if isinstance(item, exp.Alias) else item
        if isinstance(inner, exp.UDTF):
            self.frame.filters.extend(uses)  # a generator makes rows
        return Output(output_name(item), self.scopes.program(inner, self.frame), uses, start_of(item))

    def _several(self, item: exp.Aliases) -> list[Output]:
        uses = self.collector.collect(item.this)
        self.collector.is_row_local = False
        self.frame.filters.extend(uses)
        names = tuple(name.name for name in item.expressions)
        relation = self.scopes.generator(item.this, self.frame, alias="", columns=names, is_optional=False)
        if relation is None:
            return [Output(name, ("unknown",), uses, start_of(item)) for name in names]
        number = self.scopes.add(relation)
        self.frame.subqueries[-number] = number
        return [Output(name, ("column", number, name), uses, start_of(item)) for name in names]

    def _generated(self, item: exp.Expr) -> Star:
        """Return a row-making function without names as all the columns it gives, which linking finds out."""
        self.frame.filters.extend(self.collector.collect(item))
        self.collector.is_row_local = False
        relation = self.scopes.generator(item, self.frame, alias="", columns=(), is_optional=False)
        assert relation is not None
        number = self.scopes.add(relation)
        self.frame.subqueries[-number] = number
        return Star(number, start_of(item))

    def _star(self, item: exp.Expr, star: exp.Star) -> Star:
        left_out = tuple(column.name for column in star.args.get("except_") or ())
        if item is star:
            return Star(-1, start_of(item), left_out)
        assert isinstance(item, exp.Column)
        parts = tuple(part.name.lower() for part in item.parts[:-1])
        found = self.scopes.relation_named(parts, self.frame.number)
        self.scopes.note_qualifier(item, found, len(parts))
        return Star(-2 if found is None or found < 0 else found, start_of(item), left_out)


def passed_on(item: exp.Expr) -> exp.Column | None:
    """Return the column that an item of a SELECT list hands on as it is, as most do; None if it is anything else."""
    column = item.args["this"] if type(item) is exp.Alias else item
    return column if type(column) is exp.Column and type(column.args["this"]) is not exp.Star else None
