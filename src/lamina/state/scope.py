"""Whose rows of the state they are: projects and environments share its tables and never see each other's."""

from lamina.values.names import EnvironmentName
from lamina.values.value import Value

OURS = "project = ? AND environment = ?"  # the condition of every statement, with the values of `Scope.key`


class Scope(Value, frozen=True):
    """One environment of one project."""

    project: str
    environment: EnvironmentName

    @property
    def key(self) -> tuple[str, str]:
        """The values that every row of it begins with."""
        return self.project, self.environment

    @property
    def columns(self) -> dict[str, str]:
        """The same by the names of the columns."""
        return {"project": self.project, "environment": self.environment}
