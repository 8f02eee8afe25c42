"""The quarantine of a table: rows that checks sorted out, built and published together with the others.

Both tables carry the mark of their model. The coverage of the model names the commit that last wrote the quarantine:
what a later commit wrote there belongs to a version of the table that is not, or no longer, part of its history.
"""

from collections.abc import Iterable

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.values.batch import Batch, Staged
from lamina.values.coverage import Mark
from lamina.values.names import beside_of, quarantine_of


def sorting_checks(model: CompiledModel) -> tuple[CheckSettings, ...]:
    """Return the checks of a model whose failing rows go to the quarantine."""
    return tuple(check for check in model.settings.checks if check.quarantines)


def quarantine_model(model: CompiledModel) -> CompiledModel:
    """Return a model as if the quarantine were its table, which takes whatever columns the rows have.

    Where the table ignores drift it does so too: else its columns might have the table built again.
    """
    description = f"Rows that failed checks of {model.name}; written by lamina together with that table."
    on_drift = "ignore" if model.settings.on_drift == "ignore" else "evolve"
    settings = model.settings.replace(on_drift=on_drift, description=description)
    return model.replace(target=quarantine_of(model.target), settings=settings)


def quarantine_batch(batch: Batch, *, live: str | None, is_followed: bool, is_at_home: bool) -> Batch:
    """Return how a batch writes the quarantine of its table: the slices that it builds, it builds in both.

    `live` is where the quarantine is; without `is_followed`, none of its rows belongs to the table as it is recorded.
    Its folder is called after that of its table: a table that is built in another one gets another quarantine there.
    """
    beside = batch.replace(
        commit=beside_of(batch.commit), base=live, carried_from=None, is_base_lost=live is not None and not is_at_home
    )
    if is_followed and batch.base is not None and not batch.is_base_lost:
        return beside
    return beside.replace(mode="replace_all", carried=(), is_from_nothing=True)


def is_quarantine_of(found: Mark | None, mark: Mark) -> bool:
    """Return whether a table that carries one mark is the quarantine of the table that gets the other."""
    if found is None:
        return False
    return (found.environment, found.model, found.store) == (mark.environment, mark.model, mark.store)


def marked_beside(mark: Mark, beside: tuple[Staged, ...]) -> Mark:
    """Return the mark of a batch that changes the quarantine of its table, or does not."""
    return mark.replace(coverage=mark.coverage.replace(quarantine=mark.commit)) if beside else mark


def followed(commits: Iterable[tuple[str, str]], mark: Mark) -> str | None:
    """Return the newest version of a quarantine that belongs to the table as a new mark has it recorded so far.

    `commits` are its versions with the commits that they carry, newest first.
    """
    wanted = mark.coverage.quarantine
    return next((version for version, commit in commits if wanted is not None and commit == wanted), None)
