"""The text of a project as it was compiled: kept beside the promoted models, so that another compiler can read it."""

from lamina.values.codec import content_hash
from lamina.values.value import Value


class TextFile(Value, frozen=True):
    """One file; `path` is relative, with forward slashes."""

    path: str
    hash: str  # of its content
    content: str


class ProjectText(Value, frozen=True):
    """Every file that compiling reads, and what stands for the values of the variables that they name."""

    files: tuple[TextFile, ...]
    variables: str  # a digest: values may be secret
    hash: str  # of both


def project_text(files: tuple[TextFile, ...], *, variables: str = "") -> ProjectText:
    """Return the text that some files are."""
    return ProjectText(files, variables, content_hash((variables, tuple((file.path, file.hash) for file in files))))
