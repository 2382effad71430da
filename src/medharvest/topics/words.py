"""Text to words: whole ones, whatever stands between them, without accents.

Words are bytes. What is not ASCII is spelt out by an error handler of the ASCII codec, which is the fastest way through
a text in which such characters are few.
"""

from __future__ import annotations

import codecs
import functools
import re
import unicodedata

_LETTERS = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEEP = bytes(code if code in _LETTERS or code > 127 else 32 for code in range(256))  # noqa: PLR2004
_FOLD = _KEEP.lower()
_NO_WORD = re.compile(r"[\W_]+")


def words(text: str) -> list[bytes]:
    """The words of a text in small letters: runs of letters and digits, so that a hyphen or a line break parts two."""
    return folded(text).split()


def folded(text: str) -> bytes:
    """The words of a text in small letters, blanks between them."""
    return text.encode("ascii", "medharvest.fold").translate(_FOLD)


def written_words(text: str) -> list[bytes]:
    """The same words as they are written; each has the place that `words` gives it."""
    return text.encode("ascii", "medharvest.keep").translate(_KEEP).split()


@functools.lru_cache(maxsize=10_000)
def _kept(characters: str) -> bytes:
    """Characters beyond ASCII as letters: `é` is `e` however it is composed, a dash or a quote is a blank."""
    parts = unicodedata.normalize("NFKD", characters)
    bare = "".join(part for part in parts if not unicodedata.combining(part))
    return _NO_WORD.sub(" ", bare).encode()


@functools.lru_cache(maxsize=10_000)
def _folded(characters: str) -> bytes:
    return _kept(characters).decode().casefold().encode()


def _fold_error(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return _folded(error.object[error.start : error.end]), error.end


def _keep_error(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    return _kept(error.object[error.start : error.end]), error.end


codecs.register_error("medharvest.fold", _fold_error)
codecs.register_error("medharvest.keep", _keep_error)
