"""Metadata and print side by side: whose list of authors, whose affiliations, and which author has which."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from medharvest.citations.byline import Byline
from medharvest.citations.merge import abbreviates
from medharvest.citations.people import People
from medharvest.fields import spoken_name
from medharvest.records import Author

_MOST = 0.8  # of the names in the metadata that a printed list must hold to be the same list
_ALIKE = 0.9  # of the words of two abstracts that say the same
_ENOUGH = 0.6  # printed affiliations for each one in the metadata before print counts as whole


def prefers_print(known: People, printed: Byline) -> bool:
    """Whether the printed list of authors wins: it holds the names of the metadata, as many or more.

    Metadata shortens lists and given names, leaves groups out and keeps placeholders; print has what a reader sees.
    """
    if not known.authors or not printed.authors:
        return bool(printed.authors)
    own = [_key(author) for author in known.authors]
    shown = {_key(author) for author in printed.authors}
    held = sum(any(_same(name, other) for other in shown) for name in own)
    extra = len(printed.authors) - len(own)
    return held >= _MOST * len(own) and extra <= max(1, len(own) // 2) and extra >= -_placeholders(known.authors)


def _placeholders(authors: Sequence[Author]) -> int:
    """How many names of the metadata are left-overs of a form, such as `$author.name`, or stand there twice."""
    keys = [_key(author) for author in authors]
    return sum(not key[0] or "$" in author.family for key, author in zip(keys, authors, strict=True)) + (
        len(keys) - len(set(keys))
    )


def with_identifiers(printed: Sequence[Author], known: Sequence[Author]) -> tuple[Author, ...]:
    """The printed authors with what the metadata knows of them besides: ORCID, e-mail, and how a name divides."""
    by_name = {_key(author): author for author in known}
    by_letters = {_letters(author): author for author in known}
    return tuple(
        _completed(author, by_name.get(_key(author)) or by_letters.get(_letters(author))) for author in printed
    )


def _completed(author: Author, other: Author | None) -> Author:
    if other is None:
        return author
    name = other if _letters(author) == _letters(other) or _spells_out(other, author) else author
    return replace(
        author,
        family=name.family,
        given=name.given,
        orcid=author.orcid or other.orcid,
        email=author.email or other.email,
    )


def _letters(author: Author) -> str:
    return _plain(f"{author.given}{author.family}") if author.family else ""


def _spells_out(one: Author, other: Author) -> bool:
    """Whether a name has the given names of which another has the initials only."""
    initials = other.given.replace(".", " ").replace("-", " ").split()
    names = one.given.replace(".", " ").replace("-", " ").split()
    return (
        bool(initials)
        and all(len(initial) == 1 for initial in initials)
        and [name[:1] for name in names] == initials
        and any(len(name) > 1 for name in names)
    )


def prefers_printed_places(known: People, printed: Byline) -> bool:
    """Whether the printed affiliations win: there are about as many as in the metadata, which often cuts them short."""
    return len(printed.affiliations) >= _ENOUGH * len(known.affiliations) and bool(printed.affiliations)


def linked_to(authors: Sequence[Author], printed: Sequence[Author]) -> tuple[Author, ...]:
    """Authors with the affiliations that their printed namesakes have; none where nobody is called so.

    Of several namesakes the one at the same place counts; in lists of one length a name spelt otherwise does too.
    """
    by_name = {_key(author): author.affiliations for author in reversed(printed)}
    if len(authors) != len(printed):
        return tuple(replace(author, affiliations=by_name.get(_key(author), ())) for author in authors)
    pairs = zip(authors, printed, strict=True)
    return tuple(
        replace(
            one, affiliations=two.affiliations if _key(one) == _key(two) else by_name.get(_key(one), two.affiliations)
        )
        for one, two in pairs
    )


def linked_by(authors: Sequence[Author], places: Sequence[str], known: People) -> tuple[Author, ...]:
    """Authors of whom print does not tell where they work, with the places that the metadata gives their namesakes."""
    by_name = {_letters(author): author.affiliations for author in known.authors}
    numbers = [_place_of(text, places) for text in known.affiliations]
    out = []
    for author in authors:
        found = [numbers[number] for number in by_name.get(_letters(author), ())]
        links = tuple(dict.fromkeys(number for number in found if number is not None))
        out.append(author if author.affiliations or None in found else replace(author, affiliations=links))
    return tuple(out)


def _place_of(text: str, places: Sequence[str]) -> int | None:
    """The number of the place that a text names: one with the same letters, or nearly all the same words."""
    return next((i for i, place in enumerate(places) if same_texts([text], [place]) or same_words(text, place)), None)


def names_of(authors: Sequence[Author]) -> tuple[str, ...]:
    """The names of authors as they are read aloud."""
    return tuple(map(spoken_name, authors))


def same_texts(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists hold the same texts, order, case and signs aside."""
    return {_plain(text) for text in one} == {_plain(text) for text in other}


def same_letters(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists differ in how they are divided only."""
    return "".join(map(_plain, one)) == "".join(map(_plain, other))


def same_words(one: str, other: str) -> bool:
    """Whether two texts share nearly all their words, as an abstract with and without its headings does."""
    bags = [Counter(re.findall(r"\w+", text.casefold())) for text in (one, other)]
    return 2 * (bags[0] & bags[1]).total() >= _ALIKE * (bags[0].total() + bags[1].total())


def agrees(field: str, value: str, printed: str) -> bool:
    """Whether a line prints what is known of a field: a date less precisely, a journal by its short title."""
    if field == "date":
        return value.startswith(printed) or printed.startswith(value)
    if field == "journal" and abbreviates(printed, value):
        return True
    return _plain(value) == _plain(printed)


def _same(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two names are one person's: the family name ends alike and the initials do not differ."""
    ends = one[0].endswith(other[0]) or other[0].endswith(one[0])
    return bool(one[0] and other[0]) and ends and (not one[1] or not other[1] or one[1] == other[1])


def _key(author: Author) -> tuple[str, str]:
    """Family name without accents, and the first initial."""
    return _plain(author.family or author.collective), _plain(author.given)[:1]


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))
