"""What notes say of authors: who answers for the article, at what address, who contributed equally, ORCIDs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from medharvest.citations.identifiers import find_orcid
from medharvest.records import Author, LabelledZone

_CORRESPONDING = re.compile(r"\bcorrespond|\baddress for reprints|\breprint requests", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_EQUAL = re.compile(
    r"\bcontribut\w+ equal|\bequal(?:ly)? contribut|\b(?:equal|joint) (?:first|senior|last) auth",
    re.IGNORECASE,
)
_EVERYBODY = re.compile(r"\b(?:all|both)(?: the)? authors\b", re.IGNORECASE)
_SIGN = re.compile(r"\s*([*∗⁎†‡§¶#∥‖])")  # that joins a note to names
_MARKS = re.compile(r"(?:[^\w\s;]|[\d\s]|[a-z](?![\w]))*")  # behind a name: numbers, signs, letters one by one
_MOST_MARKS = 20
_LONGEST = 600  # characters of a note
_SHORTEST = 3  # letters of a name that an address may be told by
_LONGEST_LIST = 6_000  # characters of a list of names
_REACH = 120  # characters before an ORCID in which the name stands
_ORCID_LEAD = "0000-0"  # all ORCIDs given so far begin with it
_ORCID = re.compile(r"0000-0\d{3}-\d{4}-\d{3}[\dXx]")
_NOT_NOTES = frozenset({"reference", "abstract", "title"})


def with_contacts(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> tuple[Author, ...]:
    """The authors with what notes such as "Correspondence to Anna Berg: a.berg@quay.example" say of them."""
    out = list(authors)
    for text in _notes(zones, _CORRESPONDING, ("correspond", "reprint")):
        addresses = _ADDRESS.findall(text)
        named = [i for i, author in enumerate(out) if _is_named(author, text)]
        for i in named or [i for i, author in enumerate(out) if _own(author, addresses)]:
            own = _own(out[i], addresses) or (addresses[:1] if len(named) == len(addresses) == 1 else [])
            email = out[i].email or "".join(own[:1])
            out[i] = replace(out[i], corresponding=True, email=email)
    return tuple(out)


def with_orcids(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> tuple[Author, ...]:
    """The authors with the ORCIDs printed behind their names, as in "Anna Berg 0000-0002-1825-0097; Ivo Lind …"."""
    out = list(authors)
    for zone in zones:
        text = zone.zone.text
        if _ORCID_LEAD in text and zone.verdict.label not in _NOT_NOTES and len(text) <= _LONGEST_LIST:
            for before, orcid in _orcids(text):
                nearest = _last_named(out, before)
                if nearest is not None and not out[nearest].orcid:
                    out[nearest] = replace(out[nearest], orcid=orcid)
    return tuple(out)


def _last_named(authors: Sequence[Author], text: str) -> int | None:
    """The author whose family name stands last in a text."""
    plain = _plain(text)
    places = [plain.rfind(_plain(author.family)) if author.family else -1 for author in authors]
    return places.index(max(places)) if max(places, default=-1) >= 0 else None


def _orcids(text: str) -> Iterator[tuple[str, str]]:
    """Each ORCID with what stands between it and the one before; a marker may touch its last digit."""
    at = 0
    for found in _ORCID.finditer(text):
        orcid = find_orcid(found[0])
        if orcid:
            yield text[max(at, found.start() - _REACH) : found.start()], orcid
        at = found.end()


def with_equals(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> tuple[Author, ...]:
    """The authors with what notes such as "†These authors contributed equally" say of them."""
    lists = [zone.zone.text for zone in zones if zone.verdict.label in {"author", "both"}]
    equal: set[int] = set()
    for text in _notes(zones, _EQUAL, ("equal", "joint")):
        equal.update(_meant(text, authors, lists))
    return tuple(replace(author, equal=True) if i in equal else author for i, author in enumerate(authors))


def _meant(note: str, authors: Sequence[Author], lists: Sequence[str]) -> list[int]:
    """The authors a note speaks of: all, those it names, or those whose names bear its sign; one alone is none."""
    everybody = range(len(authors))
    sign = _SIGN.match(note)
    groups = (
        everybody if _EVERYBODY.search(note) else (),
        [i for i in everybody if _is_named(authors[i], note)],
        [i for i in everybody if sign and any(_bears(authors[i], sign[1], text) for text in lists)],
    )
    return next((list(group) for group in groups if len(group) > 1), [])


def _bears(author: Author, sign: str, text: str) -> bool:
    """Whether a sign stands behind a name, other marks between them."""
    at = text.find(author.family) if author.family else -1
    if at < 0:
        return False
    behind = at + len(author.family)
    marks = _MARKS.match(text, behind, behind + _MOST_MARKS)
    return marks is not None and sign in marks[0]


def _notes(zones: Sequence[LabelledZone], about: re.Pattern[str], words: Sequence[str]) -> Iterator[str]:
    """The notes that a pattern finds; each holds one of the words, which is quicker to tell."""
    for zone in zones:
        text = zone.zone.text
        if len(text) > _LONGEST or zone.verdict.label in _NOT_NOTES:
            continue
        small = text.lower()
        if any(word in small for word in words) and about.search(text):
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
