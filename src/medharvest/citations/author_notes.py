"""What other lines of a page say about the authors.

Correspondence, ORCIDs, equal contributions, and which words of a name are the surname.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from medharvest.citations.author_names import find_surname_starts
from medharvest.citations.identifiers import find_orcid
from medharvest.citations.zone_fields import PrintedValue
from medharvest.records import Author, LabelledZone

_CORRESPONDENCE_NOTE = re.compile(r"\bcorrespond|\baddress for reprints|\breprint requests", re.IGNORECASE)
_EMAIL_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_EQUAL_CONTRIBUTION_NOTE = re.compile(
    r"\bcontribut\w+ equal|\bequal(?:ly)? contribut|\b(?:equal|joint) (?:first|senior|last) auth",
    re.IGNORECASE,
)
_ALL_AUTHORS = re.compile(r"\b(?:all|both)(?: the)? authors\b", re.IGNORECASE)
_NOTE_SIGN = re.compile(r"\s*([*∗⁎†‡§¶#∥‖])")  # links a note to names
_MARKS_BEHIND_NAME = re.compile(r"(?:[^\w\s;]|[\d\s]|[a-z](?![\w]))*")  # numbers, signs and single letters
_MAX_MARK_CHARS = 20
_MAX_NOTE_CHARS = 600  # a longer zone is running text
_MIN_NAME_LETTERS_IN_EMAIL = 3  # a shorter name is found in too many addresses
_MAX_ORCID_LIST_CHARS = 6_000  # a longer zone is no list of authors
_ORCID_NAME_REACH = 120  # characters before an ORCID that are searched for the name
_ORCID_PREFIX = "0000-0"  # all ORCIDs assigned so far begin with it
_PRINTED_ORCID = re.compile(r"0000-0\d{3}-\d{4}-\d{3}[\dXx]")
_LABELS_WITHOUT_NOTES = frozenset({"reference", "abstract", "title"})
WRITTEN_METHOD = "written-so"  # evidence method: another line shows which words are the surname
# Zones that write names in the order of the byline, or contain no names.
_NATURAL_ORDER_LABELS = frozenset({"author", "both", "title", "abstract"})
_MAX_AUTHORS_SEARCHED = 200  # the names of more authors are not searched for


class DividedName(NamedTuple):
    """An author whose given names and surname a line of the page tells apart; `number` is the index in the list."""

    number: int
    author: Author
    line: PrintedValue


def with_correspondence(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> tuple[Author, ...]:
    """Mark corresponding authors by notes such as "Correspondence to Anna Berg: a.berg@quay.example"."""
    out = list(authors)
    for text in _find_author_notes(zones, _CORRESPONDENCE_NOTE, ("correspond", "reprint")):
        addresses = _EMAIL_ADDRESS.findall(text)
        named = [i for i, author in enumerate(out) if _is_named_in_note(author, text)]
        for i in named or [i for i, author in enumerate(out) if _addresses_of_author(author, addresses)]:
            own = _addresses_of_author(out[i], addresses) or (
                addresses[:1] if len(named) == len(addresses) == 1 else []
            )
            email = out[i].email or "".join(own[:1])
            out[i] = replace(out[i], corresponding=True, email=email)
    return tuple(out)


def _find_author_notes(zones: Sequence[LabelledZone], about: re.Pattern[str], words: Sequence[str]) -> Iterator[str]:
    """Yield the notes that match a pattern; the words, one of which is in every match, are tested first for speed."""
    for zone in zones:
        text = zone.zone.text
        if len(text) > _MAX_NOTE_CHARS or zone.verdict.label in _LABELS_WITHOUT_NOTES:
            continue
        if any(map(text.lower().__contains__, words)) and about.search(text):
            yield text


def _is_named_in_note(author: Author, text: str) -> bool:
    """Whether a note contains the family name as a word, outside e-mail addresses."""
    rest = _fold_note_words(_EMAIL_ADDRESS.sub(" ", text))
    return bool(author.family) and f" {_fold_note_words(author.family).strip()} " in rest


def _addresses_of_author(author: Author, addresses: Sequence[str]) -> list[str]:
    """Return the addresses with the author's family name before the @."""
    name = _fold_note_words(author.family).replace(" ", "")
    return [
        one
        for one in addresses
        if len(name) >= _MIN_NAME_LETTERS_IN_EMAIL and name in _fold_note_words(one.partition("@")[0]).replace(" ", "")
    ]


def with_printed_orcids(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> tuple[Author, ...]:
    """Add the ORCIDs printed after names, as in "Anna Berg 0000-0002-1825-0097; Ivo Lind …"."""
    out = list(authors)
    for zone in zones:
        text = zone.zone.text
        if (
            _ORCID_PREFIX in text
            and zone.verdict.label not in _LABELS_WITHOUT_NOTES
            and len(text) <= _MAX_ORCID_LIST_CHARS
        ):
            for before, orcid in _find_orcids_with_context(text):
                nearest = _find_last_named_author(out, before)
                if nearest is not None and not out[nearest].orcid:
                    out[nearest] = replace(out[nearest], orcid=orcid)
    return tuple(out)


def _find_orcids_with_context(text: str) -> Iterator[tuple[str, str]]:
    """Yield each ORCID with the text between it and the previous one; a marker may touch its last digit."""
    at = 0
    for found in _PRINTED_ORCID.finditer(text):
        orcid = find_orcid(found[0])
        if orcid:
            yield text[max(at, found.start() - _ORCID_NAME_REACH) : found.start()], orcid
        at = found.end()


def _find_last_named_author(authors: Sequence[Author], text: str) -> int | None:
    """Find the author whose family name comes last in a text."""
    plain = _fold_note_words(text)
    places = [plain.rfind(_fold_note_words(author.family)) if author.family else -1 for author in authors]
    return places.index(max(places)) if max(places, default=-1) >= 0 else None


def with_equal_contributions(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> tuple[Author, ...]:
    """Mark equal contributors by notes such as "†These authors contributed equally"."""
    lists = [zone.zone.text for zone in zones if zone.verdict.label in {"author", "both"}]
    equal: set[int] = set()
    for text in _find_author_notes(zones, _EQUAL_CONTRIBUTION_NOTE, ("equal", "joint")):
        equal.update(_authors_meant_by_note(text, authors, lists))
    return tuple(replace(author, equal=True) if i in equal else author for i, author in enumerate(authors))


def _authors_meant_by_note(note: str, authors: Sequence[Author], lists: Sequence[str]) -> list[int]:
    """Find the authors a note is about: all, those it names, or those with its sign; a single author does not count."""
    everybody = range(len(authors))
    sign = _NOTE_SIGN.match(note)
    groups = (
        everybody if _ALL_AUTHORS.search(note) else (),
        [i for i in everybody if _is_named_in_note(authors[i], note)],
        [i for i in everybody if sign and any(_bears_note_sign(authors[i], sign[1], text) for text in lists)],
    )
    return next((list(group) for group in groups if len(group) > 1), [])


def _bears_note_sign(author: Author, sign: str, text: str) -> bool:
    """Whether a sign follows a name, possibly after other markers."""
    at = text.find(author.family) if author.family else -1
    if at < 0:
        return False
    behind = at + len(author.family)
    marks = _MARKS_BEHIND_NAME.match(text, behind, behind + _MAX_MARK_CHARS)
    return marks is not None and sign in marks[0]


def _fold_note_words(text: str) -> str:
    """Return the words in lower case without accents and apostrophes, with single blanks around each."""
    letters = unicodedata.normalize("NFKD", text.replace("'", "").replace("’", "")).casefold()
    words = re.findall(r"[^\W_]+", "".join(sign for sign in letters if not unicodedata.combining(sign)))
    return f" {' '.join(words)} "


def find_divided_names(authors: Sequence[Author], zones: Sequence[LabelledZone]) -> Iterator[DividedName]:
    """Find ambiguous surnames that a reference, running head or "Cite as" line prints with the initials after them."""
    doubtful = [
        (i, cuts)
        for i, author in enumerate(authors[:_MAX_AUTHORS_SEARCHED])
        if len(cuts := _possible_surname_starts(author)) > 1
    ]
    if not doubtful:
        return
    searched = [zone for zone in zones if zone.verdict.label not in _NATURAL_ORDER_LABELS]
    text = "\n".join(zone.zone.text for zone in searched)
    for number, cuts in doubtful:
        words = _words_of_author(authors[number])
        for cut in cuts:
            form = _inverted_name_pattern(words, cut) if " ".join(words[cut:]) in text else None
            line = (
                next((line for zone in searched if (line := _find_inverted_name(zone, form))), None) if form else None
            )
            if line is not None:
                given, family = " ".join(words[:cut]), " ".join(words[cut:])
                yield DividedName(number, replace(authors[number], given=given, family=family), line)
                break


def _words_of_author(author: Author) -> list[str]:
    return [*author.given.split(), *author.family.split()]


def _possible_surname_starts(author: Author) -> list[int]:
    """List where the surname may begin, longest surname first, because "Vela A" is also part of "Ruiz Vela A"."""
    return sorted(cut for cut, _ in find_surname_starts(_words_of_author(author))) if author.given else []


def _inverted_name_pattern(words: Sequence[str], cut: int) -> re.Pattern[str]:
    """Build a pattern for the surname followed by all initials."""
    family = re.escape(" ".join(words[cut:]))
    initials = r"[.\s]{0,2}".join(re.escape(word[0]) for word in words[:cut])
    return re.compile(rf"(?<!\w)({family}),? {initials}(?![^\W\d_A-Z])")


def _find_inverted_name(zone: LabelledZone, form: re.Pattern[str]) -> PrintedValue | None:
    found = form.search(zone.zone.text)
    return PrintedValue(found[1], zone, *found.span(1)) if found else None
