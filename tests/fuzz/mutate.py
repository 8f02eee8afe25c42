"""Texts that were once valid, broken at random."""

from collections.abc import Callable
from random import Random

SQL_WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "JOIN", "LEFT JOIN", "NATURAL JOIN", "ON",
    "USING (id)", "UNION ALL", "EXCEPT", "WITH", "AS", "CASE", "WHEN", "END", "OVER (", "PARTITION BY", "LATERAL VIEW",
    "explode(", "(", ")", "[", "]", ",", ";", ".", "*", "'", '"', "`", "--", "/*", "*/", "@start_date", "@", "$", "::",
    "->", "<=>", "0x", "1e999", "INTERVAL", "CAST(", "array<", "struct<", "NULL", "DISTINCT", "VALUES", "PIVOT (",
)  # fmt: skip
TOML_WORDS = (
    "[", "]", "[[", "]]", "=", ".", ",", '"', "'", '"""', "'''", "{", "}", "#", "true", "nan", "-inf", "1979-05-27",
    "0b1", "1_", "\\u0000", "\\", "${", "${A}", "${A:-", "[strategy]", "type = ", "unique_key = ", "[[checks]]",
    "[[columns]]", "[inputs.x]", "time_column = ", "lookback = -1", "cron = '* * *'", "start = 'never'",
)  # fmt: skip
CHARACTERS = "\t\r\n \x00\x01\x7f\x85\u00a0\u200b\u2028\ufeff\U0001f9f1\u0301éß\\'\"`"


def broken_sql(text: str, random: Random) -> bytes:
    """Return a query with a few random changes."""
    return _broken(text, SQL_WORDS, random)


def broken_toml(text: str, random: Random) -> bytes:
    """Return a TOML file with a few random changes."""
    return _broken(text, TOML_WORDS, random)


def _broken(text: str, words: tuple[str, ...], random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        text = random.choice(CHANGES)(text, words, random)[:200_000]
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.05:
        place = random.randrange(len(data) + 1)
        data = data[:place] + random.randbytes(random.randint(1, 4)) + data[place:]
    return data


Change = Callable[[str, tuple[str, ...], Random], str]


def _delete(text: str, _: tuple[str, ...], random: Random) -> str:
    start, end = _span(text, random)
    return text[:start] + text[end:]


def _repeat(text: str, _: tuple[str, ...], random: Random) -> str:
    start, end = _span(text, random)
    return text[:end] + text[start:end] * random.choice((1, 2, 50)) + text[end:]


def _swap(text: str, _: tuple[str, ...], random: Random) -> str:
    parts = text.split(" ")
    first, second = random.randrange(len(parts)), random.randrange(len(parts))
    parts[first], parts[second] = parts[second], parts[first]
    return " ".join(parts)


def _insert_word(text: str, words: tuple[str, ...], random: Random) -> str:
    place = random.randrange(len(text) + 1)
    return f"{text[:place]} {random.choice(words)} {text[place:]}"


def _insert_character(text: str, _: tuple[str, ...], random: Random) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + random.choice(CHARACTERS) + text[place:]


def _replace_word(text: str, words: tuple[str, ...], random: Random) -> str:
    parts = text.split(" ")
    parts[random.randrange(len(parts))] = random.choice(words)
    return " ".join(parts)


def _nest(text: str, _: tuple[str, ...], random: Random) -> str:
    start, end = _span(text, random)
    depth = random.choice((2, 30, 70, 300, 5_000))
    opening, closing = random.choice((("(", ")"), ("[", "]"), ("{", "}"), ("(SELECT * FROM ", ")"), ("f(", ")")))
    return text[:start] + opening * depth + text[start:end] + closing * depth + text[end:]


def _cut(text: str, _: tuple[str, ...], random: Random) -> str:
    return text[: random.randrange(len(text) + 1)]


def _span(text: str, random: Random) -> tuple[int, int]:
    start = random.randrange(len(text) + 1)
    return start, min(len(text), start + random.choice((1, 3, 10, 40)))


CHANGES: tuple[Change, ...] = (
    _delete, _repeat, _swap, _insert_word, _insert_word, _insert_character, _replace_word, _replace_word, _nest, _cut,
)  # fmt: skip
