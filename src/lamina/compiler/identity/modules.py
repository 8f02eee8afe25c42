"""Project modules behind a Python model, found from its syntax alone: importing anything would run project code."""

import ast
import warnings
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import PurePosixPath

ReadText = Callable[[str], str | None]  # a path relative to the project to its text, None if there is no such file


def source_hash(text: str) -> str:
    """Return a hash of Python source that is blind to comments, formatting and docstrings that are not used."""
    tree = _parse(text)
    if tree is None:
        return _hash("text:" + text)
    if "__doc__" not in text:
        _drop_docstrings(tree)
    try:
        return _hash("tree:" + ast.dump(tree))
    except RecursionError:
        return _hash("text:" + text)


def imported_modules(path: str, text: str, *, read: ReadText) -> dict[str, str]:
    """Return the project's modules a Python file imports, directly or not: path to source hash, sorted by path."""
    found: dict[str, str] = {}
    seen = {path}
    queue = [(path, text)]
    while queue:
        importer, source = queue.pop()
        for candidate in _candidates(importer, source, read):
            if candidate in seen:
                continue
            seen.add(candidate)
            module = read(candidate)
            if module is not None:
                found[candidate] = source_hash(module)
                queue.append((candidate, module))
    return dict(sorted(found.items()))


def _parse(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in the user's strings
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _drop_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str())), *_]:
                node.body = node.body[1:] or [ast.Pass()]


def _candidates(importer: str, source: str, read: ReadText) -> Iterator[str]:
    tree = _parse(source)
    if tree is None:
        return
    folder = PurePosixPath(importer).parent
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield from _files(("", str(folder)), alias.name.split("."))
            case ast.ImportFrom(module=module, names=names, level=level):
                bases = ("", str(folder)) if level == 0 else (_package(folder, level),)
                parts = module.split(".") if module else []
                yield from _files(bases, parts)
                wanted = [alias.name for alias in names]
                if wanted == ["*"]:
                    wanted = [name for base in bases for name in _star_names(base, parts, read)]
                for name in wanted:
                    yield from _files(bases, [*parts, name])
            case ast.Call(args=[ast.Constant(value=str() as name), *_]) if _is_dynamic_import(node.func):
                yield from _files(("", str(folder)), name.strip(".").split("."))


def _files(bases: tuple[str, ...], parts: list[str]) -> Iterator[str]:
    for base in bases:
        here = PurePosixPath(base)
        yield str(here / "__init__.py")
        for part in parts:
            here = here / part
            yield f"{here}.py"
            yield str(here / "__init__.py")  # importing a module runs every package above it


def _package(folder: PurePosixPath, level: int) -> str:
    return str(folder.parents[level - 2]) if 1 < level <= len(folder.parents) + 1 else str(folder)


def _star_names(base: str, parts: list[str], read: ReadText) -> list[str]:
    package = read(str(PurePosixPath(base, *parts, "__init__.py")))
    tree = _parse(package) if package is not None else None
    constants = ast.walk(tree) if tree is not None else ()
    # `__all__` may name submodules; any string of the package that is a name may be one of them.
    strings = [node.value for node in constants if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [name for name in strings if name.isidentifier()]


def _is_dynamic_import(function: ast.expr) -> bool:
    match function:
        case ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"):
            return True
    return False


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
