"""Start a project: copy a template into an empty folder."""

import os
import re
import shutil
from unicodedata import normalize

from lamina.errors import LaminaError, UsageError
from lamina.values.nearest import nearest
from lamina.values.value import Value

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")
IGNORED = ".lamina/\n__pycache__/\n"
FOLDERS = ("models", "seeds", "sources")  # also in a project that has nothing to put there yet
NAME_LINE = re.compile(r'^name = ".*"$', re.MULTILINE)
LONGEST_NAME = 128


class FolderInUse(LaminaError):
    """A project cannot be started in a folder that is not empty.

    Why: a template must not overwrite or mix with files that exist.
    Fix: name a new or empty folder that can be written.
    """

    code = "L134"


class StartedProject(Value, frozen=True):
    """Where a project was started, and the files it was given."""

    folder: str
    template: str
    project: str
    files: tuple[str, ...]


def templates() -> tuple[str, ...]:
    """Return the names of the templates."""
    return tuple(sorted(name for name in os.listdir(TEMPLATES) if not name.startswith(("_", "."))))


def start_project(folder: str, template: str) -> StartedProject:
    """Copy a template; nothing that exists is overwritten."""
    if template not in templates():
        near = nearest(template, templates())
        known = ", ".join(f"`{name}`" for name in templates())
        hint = f"did you mean `{near}`?" if near else f"the templates of this version are {known}"
        raise UsageError(f"no template `{template}`", hint=hint)
    try:
        if os.path.lexists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
            raise FolderInUse(f"`{folder}` exists and is not an empty folder", hint="name a new folder")
        origin = os.path.join(TEMPLATES, template)
        shutil.copytree(origin, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        for name in FOLDERS:
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        with open(os.path.join(folder, ".gitignore"), "w", encoding="utf-8") as file:
            file.write(IGNORED)
        project = name_of_folder(folder)
        _name_project(os.path.join(folder, "lamina.toml"), project)
    except OSError as error:
        raise FolderInUse(f"`{folder}` cannot be written: {error.strerror or error}") from error
    files = sorted(
        os.path.relpath(os.path.join(inside, name), folder) for inside, _, names in os.walk(folder) for name in names
    )
    return StartedProject(folder=folder, template=template, project=project, files=tuple(files))


def name_of_folder(folder: str) -> str:
    """Return the name of a project after its folder, made of the letters a name may have.

    >>> name_of_folder("work/my-shop"), name_of_folder("2026 café!"), name_of_folder("/")
    ('my_shop', 'project_2026_cafe', 'project')
    """
    letters = normalize("NFKD", os.path.basename(os.path.abspath(folder))).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "_", letters).strip("_")
    if not name:
        return "project"
    return (f"project_{name}" if name[0].isdigit() else name)[:LONGEST_NAME].rstrip("_")


def _name_project(path: str, project: str) -> None:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(NAME_LINE.sub(f'name = "{project}"', text, count=1))
