"""The behaviour of the state port, on SQLite."""

from tests.behaviour.state_behaviour import StateBehaviour


class TestSqlStore(StateBehaviour):
    """SQLite in the catalog's own file."""
