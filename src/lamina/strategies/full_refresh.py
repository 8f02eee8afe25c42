"""full_refresh: every build replaces all rows; seeds and Python models without a strategy do the same."""

from lamina.project.strategy import FullRefresh
from lamina.strategies.traits import Traits
from lamina.values.value import tag_of


def traits(settings: FullRefresh) -> Traits:
    """Return what is known of it."""
    return Traits(
        name=tag_of(settings),
        identity=settings,
        in_words="each build evaluates the whole query and replaces all rows",
        mode="replace_all",
    )
