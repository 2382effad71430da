"""Words as an index has them: small letters and digits, without accents."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_NO_WORD = re.compile(r"[\W_]+")
# What a title pasted as a query brings along; in quotes they count.
STOP = frozenset(
    "a an and are as at be been but by can do does for from had has have how in into is it its may no not of on or our "
    "so than that the their them then there these they this to was we were what when which who why will with".split()
)


def fold(text: str) -> list[str]:
    """The words of a text: runs of letters and digits, case folded, `é` as `e`."""
    return _NO_WORD.sub(" ", _bare(text)).split()


@lru_cache(maxsize=4096)  # records have most of it in common: journal, year, volume
def mark(kind: str, value: str) -> str:
    """One word that no text has, for what is compared as a whole: `mark("year", "2014")` is `xyear2014`."""
    return f"x{kind}{_NO_WORD.sub('', _bare(value))}"


def _bare(text: str) -> str:
    """A text in small letters, without accents."""
    parts = text if text.isascii() else unicodedata.normalize("NFKD", text)
    bare = parts if parts.isascii() else "".join(part for part in parts if not unicodedata.combining(part))
    return bare.casefold()
