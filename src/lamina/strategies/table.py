"""Every strategy and the function that says what is known of it."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lamina.project.strategy import (
    DeleteInsert,
    Ephemeral,
    FullRefresh,
    Incremental,
    Merge,
    Microbatch,
    SnapshotHistory,
    Strategy,
    TimeInterval,
    View,
)
from lamina.strategies import (
    delete_insert,
    ephemeral,
    full_refresh,
    incremental,
    merge,
    microbatch,
    snapshot,
    time_interval,
    view,
)
from lamina.strategies.traits import Traits

TRAITS: dict[type[Strategy], Callable[[Any], Traits]] = {
    FullRefresh: full_refresh.traits,
    Incremental: incremental.traits,
    Merge: merge.traits,
    TimeInterval: time_interval.traits,
    Microbatch: microbatch.traits,
    DeleteInsert: delete_insert.traits,
    SnapshotHistory: snapshot.traits,
    Ephemeral: ephemeral.traits,
    View: view.traits,
}


@lru_cache(maxsize=4096)
def traits_of(settings: Strategy) -> Traits:
    """Return what is known of a strategy with these settings."""
    return TRAITS[type(settings)](settings)
