"""What becomes due next, told by cadence."""

from tests.planner.making import DAILY, day, model

from lamina.compiler.graph import CompiledModel
from lamina.planner.cadence import next_due
from lamina.values.result import NextDue

NOW = day(7, hour=6)


def daily(name: str, **settings: object) -> CompiledModel:
    made = model(name, strategy=DAILY)
    return made.replace(settings=made.settings.replace(start="2026-04-01", **settings))


def test_models_of_one_cadence_are_counted_together_and_the_next_tick_comes_first() -> None:
    noon = daily("sales.noon", cron="0 12 * * *")
    found = next_due((daily("sales.a"), noon, daily("sales.b")), NOW)
    assert found == (
        NextDue(cadence="0 12 * * *", at="2026-04-07T12:00:00Z", models=1),
        NextDue(cadence="each day", at="2026-04-08T00:00:00Z", models=2),
    )


def test_a_whole_table_is_told_only_with_a_cron() -> None:
    whole = model("sales.whole")
    assert next_due((whole,), NOW) == ()
    hourly = whole.replace(settings=whole.settings.replace(cron="@hourly"))
    assert next_due((hourly,), NOW) == (NextDue(cadence="@hourly", at="2026-04-07T07:00:00Z", models=1),)


def test_a_model_that_has_ended_is_never_due_again() -> None:
    assert next_due((daily("sales.ended", end="2026-04-05"),), NOW) == ()
    assert next_due((daily("sales.ending", end="2026-04-09"),), NOW) != ()
