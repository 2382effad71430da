"""Text to words: whole ones, whatever stands between them."""

from __future__ import annotations

import re
import unicodedata

_KEPT = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_BLANKS = {code: " " for code in range(128) if chr(code) not in _KEPT}
_BLANK_BYTES = bytes(code if code > 127 or chr(code) in _KEPT else 32 for code in range(256))  # noqa: PLR2004
# Of other scripts the letters and digits stay; Python counts no combining mark among them.
_MARKS = re.compile(r"[^\w\x00-\x7f]+")


def words(text: str) -> list[str]:
    """The words of a text, case folded: runs of letters and digits, so that a hyphen or a line break parts two."""
    return plain(text).casefold().split()


def plain(text: str) -> str:
    """The text with blanks for everything that is neither letter nor digit."""
    if text.isascii():
        return text.translate(_BLANKS)
    spelt = _MARKS.sub(" ", unicodedata.normalize("NFKC", text))
    # Bytes are translated many times faster than text beyond ASCII.
    return spelt.encode().translate(_BLANK_BYTES).decode()
