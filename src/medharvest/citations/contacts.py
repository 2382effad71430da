"""Who answers for an article: the corresponding authors and their e-mail addresses, as printed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from medharvest.records import Author, LabelledZone

_CORRESPONDING = re.compile(r"\bcorrespond|\baddress for reprints|\breprint requests", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_LONGEST = 600  # characters of a note
_SHORTEST = 3  # letters of a name that an address may be told by
_NOT_NOTES = frozenset({"reference", "abstract", "title"})


def with_contacts(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> tuple[Author, ...]:
    """The authors with what notes such as "Correspondence to Anna Berg: a.berg@quay.example" say of them."""
    out = list(authors)
    for text in _notes(zones):
        addresses = _ADDRESS.findall(text)
        named = [i for i, author in enumerate(out) if _is_named(author, text)]
        for i in named or [i for i, author in enumerate(out) if _own(author, addresses)]:
            own = _own(out[i], addresses) or (addresses[:1] if len(named) == len(addresses) == 1 else [])
            email = out[i].email or "".join(own[:1])
            out[i] = replace(out[i], corresponding=True, email=email)
    return tuple(out)


def _notes(zones: Sequence[LabelledZone]) -> Iterator[str]:
    for zone in zones:
        text = zone.zone.text
        if zone.verdict.label not in _NOT_NOTES and len(text) <= _LONGEST and _CORRESPONDING.search(text):
            yield text


def _is_named(author: Author, text: str) -> bool:
    """Whether a note holds the family name as a word, addresses aside."""
    rest = _plain(_ADDRESS.sub(" ", text))
    return bool(author.family) and f" {_plain(author.family).strip()} " in rest


def _own(author: Author, addresses: Sequence[str]) -> list[str]:
    """The addresses whose first part holds the author's family name."""
    name = _plain(author.family).replace(" ", "")
    return [
        one for one in addresses if len(name) >= _SHORTEST and name in _plain(one.partition("@")[0]).replace(" ", "")
    ]


def _plain(text: str) -> str:
    """A text in small letters without accents and apostrophes, its words between single blanks."""
    letters = unicodedata.normalize("NFKD", text.replace("'", "").replace("’", "")).casefold()
    words = re.findall(r"[^\W_]+", "".join(sign for sign in letters if not unicodedata.combining(sign)))
    return f" {' '.join(words)} "
