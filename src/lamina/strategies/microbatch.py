"""microbatch: slices as in `time_interval`; inputs with a time column are filtered to the batch by the compiler."""

from lamina.project.strategy import Microbatch
from lamina.strategies import time_interval
from lamina.strategies.traits import Traits


def traits(settings: Microbatch) -> Traits:
    """Return what is known of it; the filters are part of the query, so its settings decide rows as there."""
    alike = time_interval.traits(settings)
    return alike if alike.slices is None else alike.replace(slices=alike.slices.replace(filters_inputs=True))
