"""Where each key of a TOML text is, found without parsing it: a scan over tokens with bounded depth."""

import re
from functools import lru_cache
from itertools import accumulate

from lamina.values.value import Value

MAX_DEPTH = 40  # of brackets, and of parts in a dotted key; parsing dotted keys takes quadratic time
UNCLOSED = ('"', "'")  # a quote that opens no string; to look on from each would take quadratic time
TOKEN = r"""
    (?:[ \t]+|\#[^\n]*)*
  (?:
    (?P<line>(?P<key>[A-Za-z0-9_-]+)[ \t]*=[ \t]*(?:"[^"\\\n]*"|[a-z0-9]+)(?=\n|\Z))  # most lines; whole, for speed
  | (?P<newline>\n)
  | (?P<text>\"{3}(?:[^"\\]|\\[\s\S]|\"{1,2}(?!\"))*\"{3,5}|'{3}(?:[^']|'{1,2}(?!'))*'{3,5}
      |"(?:[^"\\\n]|\\[^\n])*"|'[^'\n]*')
  | (?P<open>\[\[?|\{)
  | (?P<close>\]|\})
  | (?P<mark>[=,.])
  | (?P<word>[^\s\#"'\[\]{}=,.]+)
  | (?P<other>[\s\S])
  )
    """

PLAIN = re.compile(r'"[^"\\\n]*"|#[^\n]*')  # what opens first says whether a quote is in a comment or a string
BRACKET = re.compile(r"[\[\]{}]")
STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


class Location(Value, frozen=True):
    """What a scan found: the place of each key path, keys set twice, and the first bracket or key too deep."""

    keys: dict[str, tuple[int, int]]
    duplicates: tuple[tuple[str, int, int, int], ...] = ()  # key path, line, column, line of the first
    too_deep: tuple[int, int] | None = None


def is_surely_shallow(text: str) -> bool:
    """Find out without a scan that neither brackets nor dotted keys go deep; most files are judged at a glance."""
    if text.count(".") > MAX_DEPTH and any(line.count(".") > MAX_DEPTH for line in text.split("\n")):
        return False
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return True
    rest = PLAIN.sub("", text)
    if '"' in rest or "'" in rest or '"""' in text:
        return False  # strings of other forms may hold anything
    return max(accumulate(STEPS[bracket] for bracket in BRACKET.findall(rest)), default=0) <= MAX_DEPTH


@lru_cache(maxsize=8)
def locate(text: str) -> Location:
    """Return where the keys of a TOML text are; on invalid text, as far as it is known.

    >>> locate('[strategy]\\ntype = "merge"').keys
    {'strategy': (1, 2), 'strategy.type': (2, 1)}
    """
    scanner = _Scanner()
    line, line_start = 1, 0
    for token in re.finditer(TOKEN, text, re.VERBOSE):  # compiled here, since most commands ask for no place
        kind = token.lastgroup or "other"
        start = token.start(kind)
        if kind == "newline":
            scanner.end_line()
            line, line_start = line + 1, token.end()
            continue
        scanner.place = (line, start - line_start + 1)
        if kind == "line":
            scanner.take_line(token["key"])
            continue
        content = token[kind]
        scanner.take(kind, content)
        if scanner.too_deep is not None or content in UNCLOSED:
            break
        if kind == "text" and "\n" in content:
            line += content.count("\n")
            line_start = start + content.rindex("\n") + 1
    return Location(keys=scanner.keys, duplicates=tuple(scanner.duplicates), too_deep=scanner.too_deep)


class _Scanner:
    """Own the position in the structure of the file: the open table, the open brackets, the key being read."""

    def __init__(self) -> None:
        self.keys: dict[str, tuple[int, int]] = {}
        self.duplicates: list[tuple[str, int, int, int]] = []
        self.too_deep: tuple[int, int] | None = None
        self.place = (1, 1)
        self.table = ""  # path of the open [table]
        self.header = ""  # the bracket of a header being read
        self.array_sizes: dict[str, int] = {}
        self.brackets: list[list[str | int]] = []  # of values: [bracket, path, index]
        self.parts: list[str] = []  # of the key being read
        self.key_place = (1, 1)
        self.path = ""  # of the value being read
        self.in_value = False

    def take_line(self, key: str) -> None:
        """Move over a key, or the last part of one, and the plain value that ends its line."""
        if not self.in_value and not self.brackets:
            self._take_key(key)
            self._open_value()

    def take(self, kind: str, content: str) -> None:
        """Move over one token that is neither space nor a line's end."""
        if self.in_value:
            self._take_value(kind, content)
        elif kind == "open" and not self.parts and not self.header:
            self.header = content
        elif kind == "close" and self.header:
            self._open_table()
        elif kind == "close" and self.brackets:
            self._close()
        elif kind in ("word", "text"):
            self._take_key(content)
        elif content == "=":
            self._open_value()

    def end_line(self) -> None:
        """End a header or a value, unless brackets are still open."""
        self.header, self.parts = "", []
        if not self.brackets:
            self.in_value = False

    def _take_key(self, content: str) -> None:
        if not self.parts:
            self.key_place = self.place
        self.parts.append(content.strip("\"'"))
        if len(self.parts) > MAX_DEPTH:
            self.too_deep = self.key_place

    def _open_table(self) -> None:
        """Enter the table or array element of a header; paths of array elements carry their index."""
        path = ""
        for index, part in enumerate(self.parts, start=1):
            path = _join(path, part)
            if path in self.array_sizes and index < len(self.parts):
                path = f"{path}.{self.array_sizes[path] - 1}"
        if self.header == "[[" and self.parts:
            index = self.array_sizes.get(path, 0)
            self.array_sizes[path] = index + 1
            self.keys.setdefault(path, self.key_place)
            path = f"{path}.{index}"
        self._record(path)
        self.table, self.header, self.parts = path, "", []

    def _open_value(self) -> None:
        around = str(self.brackets[-1][1]) if self.brackets else self.table
        self.path = around
        for part in self.parts[:-1]:
            self.path = _join(self.path, part)
            self.keys.setdefault(self.path, self.key_place)
        self.path = _join(self.path, self.parts[-1]) if self.parts else self.path
        self._record(self.path)
        self.parts, self.in_value = [], True

    def _take_value(self, kind: str, content: str) -> None:
        if kind == "open":
            for bracket in content:
                self._open(bracket)
        elif kind == "close":
            self._close()
        elif content == "," and self.brackets:
            self._next_item()

    def _open(self, bracket: str) -> None:
        if len(self.brackets) >= MAX_DEPTH:
            self.too_deep = self.place
            return
        path = self.path
        if self.brackets and self.brackets[-1][0] == "[":
            path = _join(str(self.brackets[-1][1]), str(self.brackets[-1][2]))
            self.keys.setdefault(path, self.place)
        self.brackets.append([bracket, path, 0])
        self.path = path
        self.in_value = bracket == "["

    def _close(self) -> None:
        if self.brackets:
            self.brackets.pop()
        self.parts, self.in_value = [], True

    def _next_item(self) -> None:
        bracket = self.brackets[-1]
        bracket[2] = int(bracket[2]) + 1
        self.in_value = bracket[0] == "["

    def _record(self, path: str) -> None:
        if path in self.keys:
            self.duplicates.append((path, *self.key_place, self.keys[path][0]))
        else:
            self.keys[path] = self.key_place


def _join(path: str, part: str) -> str:
    return f"{path}.{part}" if path else part
