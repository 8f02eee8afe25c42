"""Which project a command is about: the folder named, else the nearest one at or above with a `lamina.toml`."""

import os

PROJECT_FILE = "lamina.toml"


def project_root(named: str | None, here: str) -> str:
    """Return the folder of the project; where there is none, `here` itself, for the error to name."""
    if named is not None:
        return os.path.abspath(os.path.join(here, named))
    folder = here
    while not os.path.isfile(os.path.join(folder, PROJECT_FILE)):
        above = os.path.dirname(folder)
        if above == folder:
            return here
        folder = above
    return folder
