"""What the archive of classes is trained with still runs, whatever changes in what a run does."""

import pytest
from tests.spark.lake import Lake

from lamina.warehouse.spark.class_training import train

pytestmark = pytest.mark.spark


def test_training_does_what_a_run_does(lake: Lake) -> None:
    train(lake.spark, lake.settings)

    assert lake.sql("SELECT k, v, w FROM lake.a.t") == [(7, "s", None)]
    assert lake.sql("SELECT k, v FROM lake.a.m") == [(7, "s")]
