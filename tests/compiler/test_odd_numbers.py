"""Numbers no query should hold are read, or left unread, and never end the compilation of a project."""

import pytest

from lamina.compiler.compile_query import compile_query
from lamina.values.codec import to_pack

LONG = "9" * 5_000
LARGE = "9" * 20
QUERIES = {
    "fraction_as_group": "SELECT o.day FROM raw.o AS o GROUP BY o.day, 1.5",
    "exponent_as_group": "SELECT o.day FROM raw.o AS o GROUP BY o.day, 1e3",
    "fraction_in_rollup": "SELECT o.day FROM raw.o AS o GROUP BY ROLLUP (o.day, 1.5)",
    "large_group": f"SELECT o.day FROM raw.o AS o GROUP BY {LARGE}",
    "long_group": f"SELECT o.day FROM raw.o AS o GROUP BY o.day, {LONG}",
    "long_order": f"SELECT o.day FROM raw.o AS o ORDER BY {LONG}",
    "two_signs": "SELECT o.day + INTERVAL '--5' DAY AS day FROM raw.o AS o",
    "superscript": "SELECT o.day + INTERVAL '²' DAY AS day FROM raw.o AS o",
    "large_interval": f"SELECT o.day + INTERVAL '{LARGE}' DAY AS day FROM raw.o AS o",
    "long_interval": f"SELECT o.day + INTERVAL '{LONG}' DAY AS day FROM raw.o AS o",
    "many_large_intervals": "SELECT o.day" + " + INTERVAL '9999999' DAY" * 60 + " AS day FROM raw.o AS o",
    "long_shift": f"SELECT date_add(o.day, {LONG}) AS day FROM raw.o AS o",
    "large_product": "SELECT date_add(o.day, " + " * ".join([LARGE] * 20) + ") AS day FROM raw.o AS o",
    "long_frame": f"SELECT sum(o.x) OVER (ORDER BY o.day RANGE INTERVAL '{LONG}' DAY PRECEDING) AS x FROM raw.o AS o",
    "negative_text": "SELECT -'a' AS x FROM raw.o AS o",
    "long_stack": f"SELECT v FROM raw.o AS o LATERAL VIEW stack({LONG}, 1, 2) t AS v",
}


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES.keys())
def test_a_query_with_an_odd_number_becomes_an_object_that_can_be_stored(text: str) -> None:
    query = compile_query(text, ".".join, needs_shape=True)
    assert query.references
    assert to_pack(query)
