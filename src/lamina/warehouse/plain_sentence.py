"""What Spark and the operating system say, without what only programs read; the original stays the error's cause."""

import re

# The session's ANSI mode is fixed, so Spark's advice to turn it off leads nowhere.
_BAD_ADVICE = re.compile(r' (?:If necessary,? )?[Ss]et "?spark\.sql\.ansi\.enabled"? to "?false"?[^.]*\.')
# Where the scheduler ran the task that failed; what the task said comes after it.
_TASK = re.compile(r"^Job aborted due to stage failure: .*? \(TID \d+\) \([^)]*\): ")
# What programs read of a message: people have the sentence, and `error_class` the code.
_JAVA_CLASSES = re.compile(r"^(?:(?:[a-z]\w*\.)+[A-Z][\w$]*: ?)+")
_CODE = re.compile(r"^\[[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*\] ?")
_STATE_CODE = re.compile(r" ?SQLSTATE: \w{5}")
# Java's way to say that a text is not a number.
_NOT_A_NUMBER = re.compile(r"^For input string: (\".*\")$")
# Sentences that name parts of PySpark.
_KNOWN = {"Java gateway process exited before sending its port number.": "its Java process ended while it started"}


def plain_sentence(message: str) -> str:
    """Return what Spark says without error classes, SQLSTATE, Java classes and bad advice.

    >>> plain_sentence("[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate it. SQLSTATE: 22012")
    'Division by zero. Use `try_divide` to tolerate it.'
    >>> plain_sentence("java.lang.RuntimeException: org.apache.iceberg.exceptions.NotFoundException: File is gone")
    'File is gone'
    >>> plain_sentence('java.lang.NumberFormatException: For input string: "twenty"')
    '"twenty" is not a number of the declared type'
    >>> plain_sentence(
    ...     "Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent failure: Lost task 0.0"
    ...     " in stage 3.0 (TID 4) (host executor driver): org.apache.spark.SparkRuntimeException:"
    ...     " [USER_RAISED_EXCEPTION] a row is outside the batch SQLSTATE: P0001"
    ... )
    'a row is outside the batch'
    >>> plain_sentence("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.")
    'its Java process ended while it started'
    """
    words = _CODE.sub("", _JAVA_CLASSES.sub("", _TASK.sub("", message)))
    words = _NOT_A_NUMBER.sub(r"\1 is not a number of the declared type", words)
    words = _BAD_ADVICE.sub("", _STATE_CODE.sub("", words))
    return _KNOWN.get(words, words) or message


def system_words(error: Exception) -> str:
    """Return what the operating system says of a file, without its number and the path, which the message names.

    >>> system_words(FileNotFoundError(2, "No such file or directory", "/data/a.json"))
    'No such file or directory'
    >>> system_words(KeyError("snapshots"))
    'it has no `snapshots`'
    >>> system_words(ValueError("Expected `array`, got `object`"))
    'Expected `array`, got `object`'
    """
    if isinstance(error, KeyError):
        return f"it has no `{error.args[0]}`"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
