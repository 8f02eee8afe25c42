"""Mean revenue per day of the week: a model in Python."""

from typing import Any

from pyspark.sql import DataFrame, functions


def model(ctx: Any) -> DataFrame:
    """Return one row per day of the week."""
    days: DataFrame = ctx.table("sales.daily_revenue", whole=True)
    weekday = functions.dayofweek("order_date").alias("weekday")
    return days.groupBy(weekday).agg(
        functions.count("*").alias("days"),
        functions.avg("revenue").alias("mean_revenue"),
    )
