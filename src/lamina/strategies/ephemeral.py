"""ephemeral: there is no table; the query is inlined in every model that reads it."""

from lamina.project.strategy import Ephemeral
from lamina.strategies.traits import Traits
from lamina.values.value import tag_of


def traits(settings: Ephemeral) -> Traits:
    """Return what is known of it."""
    return Traits(
        name=tag_of(settings),
        identity=settings,
        in_words="it has no table; its query is judged as part of each model that reads it",
        mode=None,
    )
