"""What the warehouse must know of the project and its machine; made once from the configuration."""

from lamina.project.project import Variable
from lamina.values.secret import Secret
from lamina.values.value import Value


class WarehouseSettings(Value, frozen=True):
    """Where tables, catalog and logs are, and how Spark is to be started; every path is absolute."""

    root: str  # the project's folder; locations of file sources are relative to it
    database: str  # the SQLite file of the catalog
    warehouse: str  # the folder of the tables
    logs: str  # the folder of Spark's own output
    catalog: str = "lake"
    master: str = "local[*]"
    remote: str | None = None  # a Spark Connect address, instead of a master
    conf: dict[str, str] = {}
    secret_conf: dict[str, Secret] = {}  # goes to Spark through its gateway, never on a command line
    passwords: dict[str, Secret] = {}  # of databases that are sources, by the variables that hold them
    drivers: tuple[str, ...] = ()  # the kinds of these databases
    jars: tuple[str, ...] = ()  # local jars instead of the ones resolved by Maven coordinates
    environment: str = "prod"
    variables: tuple[Variable, ...] = ()  # the project's `[vars]`
