"""What the names in queries stand for: models and source tables, compared without case."""

from collections.abc import Iterable

from lamina.project.project import Project
from lamina.values.names import TableName
from lamina.values.nearest import nearest

MOST_COMPARED = 100_000  # pairs of names: a project whose every name is unknown is told so in bounded time


class Names:
    """Every name a query may read; a model wins over a source of the same name, which reading has reported."""

    def __init__(
        self, models: Iterable[str], sources: Iterable[str], *, default_schema: str, disabled: Iterable[str] = ()
    ) -> None:
        self._disabled = frozenset(name.lower() for name in disabled)
        self.default_schema = default_schema
        self.sources = {name.lower(): TableName(name) for name in sources}
        self.models = {name.lower(): TableName(name) for name in models}
        self._compared = 0

    def resolve(self, parts: tuple[str, ...], *, schema: str) -> TableName | None:
        """Return the table that a name stands for in a query of a model of `schema`.

        >>> names = Names(["sales.orders", "main.days"], ["raw.orders"], default_schema="main")
        >>> names.resolve(("orders",), schema="sales"), names.resolve(("days",), schema="sales")
        ('sales.orders', 'main.days')
        """
        if len(parts) == 1:
            own, shared = f"{schema}.{parts[0]}", f"{self.default_schema}.{parts[0]}"
            return self._table(own) or self._table(shared)
        if len(parts) == 2:
            return self._table(".".join(parts))
        return self.sources.get(".".join(parts).lower())

    def full_name(self, parts: tuple[str, ...], *, schema: str) -> str:
        """Return the table that a name stands for, or the name itself in lower case."""
        return self.resolve(parts, schema=schema) or ".".join(parts).lower()

    def is_disabled(self, parts: tuple[str, ...], *, schema: str) -> bool:
        """Tell whether a name would stand for a model if that were enabled."""
        schemas = (schema, self.default_schema) if len(parts) == 1 else ()
        full = (".".join(parts), *(f"{item}.{parts[0]}" for item in schemas))
        return any(name.lower() in self._disabled for name in full)

    def _table(self, name: str) -> TableName | None:
        folded = name.lower()
        return self.models.get(folded) or self.sources.get(folded)

    def nearest(self, parts: tuple[str, ...], *, schema: str) -> str | None:
        """Return the known name closest to an unknown one, written the way the query wrote it."""
        known = [*self.models.values(), *self.sources.values()]
        self._compared += len(known)
        if self._compared > MOST_COMPARED:
            return None
        if len(parts) > 1:
            return nearest(".".join(parts), known)
        schemas = {schema.lower(), self.default_schema.lower()}
        bare = [name.partition(".")[2] for name in known if name.partition(".")[0].lower() in schemas]
        return nearest(parts[0], bare)


def names_of(project: Project) -> Names:
    """Return the names of a project."""
    return Names(
        (model.name for model in project.models),
        (table.name for table in project.sources),
        default_schema=project.default_schema,
        disabled=project.disabled,
    )
