"""Characters every format can hold: what no text file should carry is dropped."""

from __future__ import annotations

import re

# Control characters, halves of pairs and the two non-characters that XML forbids; white space is dealt with below.
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_BLANKS = re.compile(r"\s{2,}|[^\S ]")  # single blanks, the many, are passed over


def one_line(text: str) -> str:
    """The text without forbidden characters, each run of white space one blank."""
    if text.isprintable() and "  " not in text:  # most texts: nothing to drop, blanks alone between words
        return text
    return _BLANKS.sub(" ", _FORBIDDEN.sub("", text))


def plain(text: str) -> str:
    """The same without blanks at either end."""
    return one_line(text).strip() if text else ""
