"""When something becomes due next, by cadence."""

from tests.planner.making import DAILY, day, model

from lamina.planner.cadence import next_due
from lamina.values.pending import NextDue

NOW = day(10, hour=6)


def test_models_of_one_cadence_are_counted_together() -> None:
    models = (model("s.a", strategy=DAILY), model("s.b", strategy=DAILY), model("s.c", cron="@weekly"))
    assert next_due(models, NOW) == (
        NextDue(cadence="each day", at="2026-04-11T00:00:00Z", models=2),
        NextDue(cadence="@weekly", at="2026-04-13T00:00:00Z", models=1),
    )


def test_a_cron_takes_the_place_of_the_unit() -> None:
    (found,) = next_due((model(strategy=DAILY, cron="30 7 * * *"),), NOW)
    assert (found.cadence, found.at) == ("30 7 * * *", "2026-04-10T07:30:00Z")


def test_what_has_no_cadence_or_has_ended_is_never_due() -> None:
    assert next_due((model(), model(strategy=DAILY, end="2026-04-05")), NOW) == ()


def test_what_ends_later_is_still_due() -> None:
    (found,) = next_due((model(strategy=DAILY, end="2026-04-20"),), NOW)
    assert found.at == "2026-04-11T00:00:00Z"
