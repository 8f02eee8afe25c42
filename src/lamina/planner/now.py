"""The situation in which models are decided: the same for the plan and for the run, except for the state of inputs."""

from collections.abc import Mapping
from datetime import datetime

from lamina.planner.readiness import Upstream
from lamina.values.names import TableName
from lamina.values.plan import Selection
from lamina.values.touch import Touch
from lamina.values.value import Value


class Now(Value, frozen=True):
    """The time of a decision, what was requested, and the state of the inputs; `touches` only explain the decision.

    Who asks what is stale, and not what a run would build, does without what `rebuild` builds in every run.
    """

    execution_time: datetime
    selection: Selection
    upstream: Mapping[TableName, Upstream]
    touches: Mapping[TableName, tuple[Touch, ...]]
    redoes: bool = True
    stale: Mapping[TableName, str] = {}  # inputs on which nothing is built now, with the reason
