"""Others in the same catalog and state: another project, and another environment of this one."""

from typing import Literal

from tests.simulation.project import Design, Project

Neighbour = Literal["project", "environment"]


def _neighbour(schema: str) -> Project:
    return Project(
        (
            Design(f"{schema}.t0", "enriched", ("raw.files", "raw.names"), edition=0, batch_size=2),
            Design(f"{schema}.t1", "totals", (f"{schema}.t0",), edition=0, batch_size=1),
        )
    )


# They read the same sources.
NEIGHBOURS: dict[Neighbour, Project] = {"project": _neighbour("n"), "environment": _neighbour("e")}
