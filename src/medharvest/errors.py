"""The exceptions: one tree with one base class.

    MedharvestError
    ├── InputError        a file or address given by the user cannot be used      .name
    ├── OutputError       a file or folder cannot be written                      .path
    ├── QueryError        a search query cannot be understood                     .query .position
    ├── FormatError       no such format, or a record lacks what it requires      .format
    ├── SettingsError     a setting is unknown or has a wrong value               .setting
    ├── FetchError        a page did not arrive                                   .url .reason
    ├── StoreError        the store cannot be opened, read or written             .url .passing
    ├── ConflictError     someone else changed the record first                   .article
    ├── DeliveryError     a delivery target is unknown or cannot be used          .target
    └── QualityError      a score is below its floor, or a corpus is missing      .stage

Expected failures of a crawl are not exceptions: they are events with a `Reason`.
"""

from __future__ import annotations

from medharvest.records import Reason


class MedharvestError(Exception):
    """The base class: a message that says what is wrong, and a hint that says what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_error, (type(self), self.args, self.__dict__))


class InputError(MedharvestError):
    """A file or address given by the user cannot be used."""

    def __init__(self, message: str, *, name: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.name = name


class OutputError(MedharvestError):
    """A file or folder cannot be written."""

    def __init__(self, message: str, *, path: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


class QueryError(MedharvestError):
    """A search query cannot be understood; `position` is where, counted from 1."""

    def __init__(self, message: str, *, query: str, position: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.query = query
        self.position = position


class FormatError(MedharvestError):
    """There is no such format, or a record lacks what the format requires."""

    def __init__(self, message: str, *, format: str, hint: str = "") -> None:  # noqa: A002  (the word users know)
        super().__init__(message, hint=hint)
        self.format = format


class SettingsError(MedharvestError):
    """A setting is unknown or has a wrong value."""

    def __init__(self, message: str, *, setting: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.setting = setting


class FetchError(MedharvestError):
    """A page did not arrive."""

    def __init__(self, message: str, *, url: str, reason: Reason, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.url = url
        self.reason = reason


class StoreError(MedharvestError):
    """The store cannot be opened, read or written; `passing` means that a later try may succeed."""

    def __init__(self, message: str, *, url: str, hint: str = "", passing: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.url = url
        self.passing = passing


class ConflictError(MedharvestError):
    """Someone else changed the record first."""

    def __init__(self, message: str, *, article: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.article = article


class DeliveryError(MedharvestError):
    """A delivery target is unknown, wrongly named or cannot be used at all."""

    def __init__(self, message: str, *, target: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.target = target


class QualityError(MedharvestError):
    """A score is below its floor, or the corpus it is measured on is missing."""

    def __init__(self, message: str, *, stage: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.stage = stage


def _rebuild_error(cls: type[MedharvestError], args: tuple[str, ...], state: dict[str, object]) -> MedharvestError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
