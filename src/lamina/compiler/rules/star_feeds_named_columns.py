"""L232: a star over a table feeds columns that others name.

Why: a column that disappears upstream breaks the readers, not the model with the star; a new one enters unseen.
Fix: list the columns that the readers need.
"""

from collections.abc import Iterable, Iterator, Mapping

from lamina.compiler.graph import CompiledModel
from lamina.compiler.object import QueryObject, SelectScope, Star, TableRelation
from lamina.compiler.places import place_at
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ModelName
from lamina.values.rule import Rule

RULE = Rule(code="L232", name="StarFeedsNamedColumns", severity="info")


def violations(models: Iterable[CompiledModel], objects: Mapping[ModelName, QueryObject]) -> Iterator[Diagnostic]:
    """Yield each star over a table whose model is read by name, in a contract or by another model."""
    found = list(models)
    readers: dict[str, str] = {}
    for model in found:
        for use in model.inputs:
            if use.read_set:
                readers.setdefault(use.name.lower(), model.name)
    for model in found:
        reader = readers.get(model.name.lower())
        for star in _table_stars(objects.get(model.name)) if reader else ():
            yield RULE.finding(
                f"`*` of `{model.name}` feeds columns that `{reader}` names",
                place=place_at(model.text, star.start).replace(file=model.path),
                model=model.name,
                hint="list the columns that the readers need",
            )


def _table_stars(query: QueryObject | None) -> Iterator[Star]:
    if query is None or query.root < 0:
        return
    scope = query.scopes[query.root]
    if not isinstance(scope, SelectScope):
        return
    for output in scope.outputs:
        if isinstance(output, Star):
            starred = scope.relations if output.relation < 0 else (output.relation,)
            if any(isinstance(query.relations[number], TableRelation) for number in starred):
                yield output
