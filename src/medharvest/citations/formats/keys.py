"""A key for each record of a file: the same record has the same key in every export."""

from __future__ import annotations

import functools
import re
import unicodedata
import zlib

from medharvest.records import Citation

_LETTERS = re.compile(r"[a-z0-9]+")
_SMALL = frozenset("a an and as at by for from in into of on the to with".split())


def citation_key(citation: Citation) -> str:
    """`vandekamp2025effect-1f0c`: first author, year, first word of weight, a check over what tells records apart."""
    first = citation.authors[0] if citation.authors else None
    name = _ascii(first.family or first.collective)[:24] if first else ""
    word = next((w for w in _words(citation.title) if w not in _SMALL), "")[:16]
    told = f"{citation.doi}|{citation.pmid}|{citation.title}|{citation.volume}|{citation.first_page}|{citation.url}"
    check = zlib.crc32(told.encode("utf-8", "replace")) & 0xFFFF
    return f"{name or 'anonymous'}{_ascii(citation.date[:4])}{word}-{check:04x}"


@functools.lru_cache(maxsize=4096)
def _ascii(text: str) -> str:
    return "".join(_words(text))


def _words(text: str) -> list[str]:
    bare = text if text.isascii() else unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return _LETTERS.findall(bare.lower())
