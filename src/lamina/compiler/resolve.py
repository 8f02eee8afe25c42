"""What the names in queries mean: models and source tables, compared without case."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from lamina.project.project import Project
from lamina.values.names import TableName
from lamina.values.nearest import LONGEST, distance, nearest

MOST_COMPARED = 100_000  # pairs of names: a project whose every name is unknown is reported in bounded time


class Names:
    """Every name a query may read; a model wins over a source of the same name, which reading has reported."""

    def __init__(
        self,
        models: Iterable[str],
        sources: Iterable[str],
        *,
        default_schema: str,
        disabled: Iterable[str] = (),
        seeds: Iterable[str] = (),
    ) -> None:
        self._disabled = frozenset(name.lower() for name in disabled)
        self.default_schema = default_schema
        self.sources = {name.lower(): TableName(name) for name in sources}
        self.models = {name.lower(): TableName(name) for name in models}
        self._seeds = frozenset(name.lower() for name in seeds)
        self._compared = 0

    def resolve(self, parts: tuple[str, ...], *, schema: str) -> TableName | None:
        """Return the table that a name means in a query of a model of `schema`.

        >>> names = Names(["sales.orders", "main.days"], ["raw.orders"], default_schema="main")
        >>> names.resolve(("orders",), schema="sales"), names.resolve(("days",), schema="sales")
        ('sales.orders', 'main.days')

        A bare name that is in neither schema means the only model of that name, or else the only source.
        """
        if len(parts) == 1:
            own, shared = f"{schema}.{parts[0]}", f"{self.default_schema}.{parts[0]}"
            return self._table(own) or self._table(shared) or self._only(parts[0])
        if len(parts) == 2:
            return self._table(".".join(parts))
        return self.sources.get(".".join(parts).lower())

    def elsewhere(self, bare: str) -> tuple[TableName, ...]:
        """Return the models of a bare name in any schema, or else the sources."""
        return self._bare_models.get(bare.lower()) or self._bare_sources.get(bare.lower()) or ()

    def _only(self, bare: str) -> TableName | None:
        found = self.elsewhere(bare)
        return found[0] if len(found) == 1 else None

    @cached_property
    def _bare_models(self) -> dict[str, tuple[TableName, ...]]:
        return _by_bare_name(self.models.values())

    @cached_property
    def _bare_sources(self) -> dict[str, tuple[TableName, ...]]:
        return _by_bare_name(self.sources.values())

    def full_name(self, parts: tuple[str, ...], *, schema: str) -> str:
        """Return the table that a name means, or the name itself in lower case."""
        return self.resolve(parts, schema=schema) or ".".join(parts).lower()

    def is_disabled(self, parts: tuple[str, ...], *, schema: str) -> bool:
        """Return whether a name would mean a model if that were enabled."""
        schemas = (schema, self.default_schema) if len(parts) == 1 else ()
        full = (".".join(parts), *(f"{item}.{parts[0]}" for item in schemas))
        return any(name.lower() in self._disabled for name in full)

    def _table(self, name: str) -> TableName | None:
        folded = name.lower()
        return self.models.get(folded) or self.sources.get(folded)

    def nearest(self, parts: tuple[str, ...], *, schema: str) -> str | None:
        """Return the known name closest to an unknown one, in a form that means it; models before the others."""
        self._compared += len(self.models) + len(self.sources)
        if self._compared > MOST_COMPARED:
            return None
        written = ".".join(parts)
        models = [name for folded, name in self.models.items() if folded not in self._seeds]
        seeds = [name for folded, name in self.models.items() if folded in self._seeds]
        groups = (models, [*self.sources.values()], seeds)
        if len(parts) > 1:
            return _closest(written, groups) or next(iter(self.elsewhere(parts[-1])), None)
        known: dict[str, str] = {}
        for name in (name for group in groups for name in sorted(group)):
            known.setdefault(name.partition(".")[2], name)
        close = _closest(written, [[name.partition(".")[2] for name in group] for group in groups])
        return close if close is None or self.resolve((close,), schema=schema) else known[close]


def _closest(word: str, groups: Iterable[Sequence[str]]) -> str | None:
    """Return the known name with the fewest edits; between equals the earlier group wins."""
    best = [(name, rank) for rank, group in enumerate(groups) if (name := nearest(word, group)) is not None]
    order = [(distance(word.casefold(), name.casefold(), limit=LONGEST), rank, name) for name, rank in best]
    return min(order)[2] if order else None


def _by_bare_name(names: Iterable[TableName]) -> dict[str, tuple[TableName, ...]]:
    found: dict[str, list[TableName]] = {}
    for name in sorted(names):
        if name.count(".") == 1:
            found.setdefault(name.lower().partition(".")[2], []).append(name)
    return {bare: tuple(group) for bare, group in found.items()}


def names_of(project: Project) -> Names:
    """Return the names of a project."""
    return Names(
        (model.name for model in project.models),
        (table.name for table in project.sources),
        default_schema=project.default_schema,
        disabled=project.disabled,
        seeds=(model.name for model in project.models if model.kind == "seed"),
    )
