"""Headers of answers as records keep them."""

from __future__ import annotations

from collections.abc import Iterable

from medharvest.records import Validators

Pairs = tuple[tuple[str, str], ...]

# How a body travelled; wrong once it is unpacked.
_FRAMING = frozenset({"content-encoding", "transfer-encoding", "content-length"})


def header_pairs(raw: Iterable[tuple[bytes, bytes]]) -> Pairs:
    """The headers as they came, cookies apart: a page is archived and passed on, a session is not."""
    return tuple((_text(name), _text(value)) for name, value in raw if name.lower() != b"set-cookie")


def without_framing(pairs: Pairs) -> Pairs:
    """The headers that are still true of an unpacked body."""
    return tuple(pair for pair in pairs if pair[0].lower() not in _FRAMING)


def conditions(validators: Validators) -> dict[str, str]:
    """The headers that ask for a page only if it has changed."""
    named = {"If-None-Match": validators.etag, "If-Modified-Since": validators.last_modified}
    return {name: value for name, value in named.items() if value}


def _text(value: bytes) -> str:
    """Bytes that are no UTF-8 are Latin-1, which all bytes are."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
