"""What the database says is wrong with a file, as users say it; the original stays the error's cause."""

_WORDS = {
    "file is not a database": "it is not a database",
    "database disk image is malformed": "it is damaged",
    "database is locked": "another program keeps it locked",
    "attempt to write a readonly database": "it cannot be written",
    "unable to open database file": "it cannot be opened",
    "database or disk is full": "the disk is full",
    "disk I/O error": "the disk reports an error",
}


def sqlite_words(error: Exception) -> str:
    """Return what is wrong with a file in plain words."""
    return _WORDS.get(str(error), str(error))
