"""The occasion on which models are decided about: the same for the plan and for the run, but for what inputs did."""

from collections.abc import Mapping
from datetime import datetime

from lamina.planner.readiness import Upstream
from lamina.values.names import TableName
from lamina.values.plan import Selection
from lamina.values.touch import Touch
from lamina.values.value import Value


class Occasion(Value, frozen=True):
    """When a model is decided about, what was requested, and the state of its inputs; `touches` only to say why."""

    execution_time: datetime
    selection: Selection
    upstream: Mapping[TableName, Upstream]
    touches: Mapping[TableName, tuple[Touch, ...]]
