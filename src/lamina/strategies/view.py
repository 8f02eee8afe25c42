"""view: there is no table; readers inline the query, and the catalog has it as a view for readers outside."""

from lamina.project.strategy import View
from lamina.strategies.traits import Traits
from lamina.values.value import tag_of


def traits(settings: View) -> Traits:
    """Return what is known of it."""
    return Traits(
        name=tag_of(settings),
        identity=settings,
        in_words=(
            "it has no rows of its own: its query is judged as part of each model that reads it, "
            "and defined in the catalog as a view for readers outside"
        ),
        mode=None,
        is_defined=True,
    )
