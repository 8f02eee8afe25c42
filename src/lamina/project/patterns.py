"""Regular expressions as Java reads them: what it is certain to refuse, found without Java."""

import re
import warnings

# What only Java writes like this, in order, and something that Python reads in its place; bounded: any text may come.
_JAVA_ONLY = (
    (re.compile(r"\\Q.*?(?:\\E|\Z)", re.DOTALL), "q"),
    (re.compile(r"\\\\"), "b"),
    (re.compile(r"\\[pP](?:\{[^}]{0,60}\}|[A-Za-z])"), "p"),
    (re.compile(r"\\x\{[0-9A-Fa-f]{1,8}\}|\\c."), "x"),
    (re.compile(r"\\k<\w{1,60}>"), "k"),
    (re.compile(r"\\[^\W\d_bBdDsSwWnrtf]|\\[0-9]+"), "l"),
    (re.compile(r"\(\?<(?=[A-Za-z])"), "(?P<"),
    (re.compile(r"\(\?[a-zA-Z]{0,9}-?[a-zA-Z]{0,9}\)"), ""),
    (re.compile(r"\(\?[a-zA-Z-]{1,19}:"), "(?:"),
)
_QUANTIFIERS = "*+?"


def pattern_problem(pattern: str) -> str | None:
    """Return why Java refuses a pattern, None where it takes it or where that is not certain.

    >>> pattern_problem("[0-9]+("), pattern_problem(r"\\p{L}++(?<year>\\d{4})")
    ('a bracket is not closed', None)
    """
    text = pattern
    for java, instead in _JAVA_ONLY:
        text = java.sub(instead, text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        return _certain(error, text) if isinstance(error, re.error) else None
    return None


def _certain(error: re.error, text: str) -> str | None:
    """Return the words for a fault that is one in Java too."""
    at = error.pos or 0
    match error.msg:
        case "missing ), unterminated subpattern":
            return "a bracket is not closed"
        case "unbalanced parenthesis":
            return "a bracket is closed that was not opened"
        case "unterminated character set":
            return "`[` is not closed"
        case "bad escape (end of pattern)":
            return "it ends with a backslash"
        case "nothing to repeat" if text[at : at + 1] in _QUANTIFIERS and text[at - 1 : at] in ("", "(", "|"):
            return f"there is nothing for `{text[at : at + 1]}` to repeat"
        case "multiple repeat" if text[at : at + 1] in _QUANTIFIERS:
            return f"there is nothing for `{text[at : at + 1]}` to repeat"
        case str(said) if said.startswith("bad character range") and "\\" not in said:
            return f"the range `{said.removeprefix('bad character range ')}` is backwards"
        case _:
            return None
