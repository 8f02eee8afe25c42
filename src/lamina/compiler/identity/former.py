"""The fingerprint that a query had before models that it reads were renamed: only their names are others in it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from lamina.compiler.identity.canonical import canonical
from lamina.compiler.query.parse import Parsed, parse
from lamina.project.model import ModelSettings
from lamina.values.names import Fingerprint, TableName, folded

MOST_COMBINED = 4  # renamed models of which every combination is looked at

FormerNames = Mapping[TableName, TableName]  # of models that were renamed: what each was called before


def choices_of(renamed: Iterable[TableName]) -> Iterator[tuple[TableName, ...]]:
    """Yield which models may have had their former names when a table was built: each alone, several, or all."""
    names = tuple(sorted(renamed))
    sizes = range(1, len(names) + 1) if len(names) <= MOST_COMBINED else sorted({1, len(names)})
    return (chosen for size in sizes for chosen in combinations(names, size))


def renamed_in(former: Mapping[str, Fingerprint]) -> frozenset[TableName]:
    """Return the renamed models that former fingerprints are about."""
    return frozenset(TableName(name) for key in former for name in key.split())


def former_code(text: str, references: Iterable[tuple[tuple[str, ...], str]], former: FormerNames) -> str | None:
    """Return the hash of a query that reads renamed models under their former names; None if it cannot be parsed.

    `references` are its tables as written, with what they mean.
    """
    parsed = parse(text)
    if not isinstance(parsed, Parsed):
        return None
    return canonical(
        parsed.tree,
        {".".join(parts).lower(): former.get(TableName(name), TableName(name)) for parts, name in references},
    )


def former_settings(settings: ModelSettings, meant: Mapping[str, TableName], former: FormerNames) -> ModelSettings:
    """Return settings as they were when they named renamed models by their former names; `meant` is by lower case."""

    def before(written: str) -> str:
        name = former.get(meant.get(folded(written), TableName("")))
        if name is None:
            return written
        return name if "." in written else name.rpartition(".")[2]

    strategy: Any = settings.strategy
    if (driver := getattr(strategy, "driver", None)) is not None:
        strategy = strategy.replace(driver=TableName(before(driver)))
    return settings.replace(strategy=strategy, inputs={before(key): use for key, use in settings.inputs.items()})
