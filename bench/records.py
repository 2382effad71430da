"""Records enough to fill a store: made from their number alone, no two the same, as varied as those of journals are.

The words are made of syllables and as unequally frequent as words are, so that an index of them is no smaller than one
of real texts.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

from medharvest.records import Author, Citation, Evidence, Kind

WORDS = 60_000
JOURNALS = 3_000
AN_ISSUE = 20  # articles
_STARTS = "b br c ch cl d dr f fl g gl gr h j k kr l m n p ph pl pr qu r s sc sh sp st str t th tr v w z".split()
_VOWELS = "a e i o u ae ea io ou y".split()
_ENDS = ["", "", "l", "m", "n", "r", "s", "t", "x", "nd", "st"]
_COMMON = "the of and in a with for to patients by on as study was from were effect treatment clinical at an or".split()
_PROVEN = (
    "title",
    "authors",
    "abstract",
    "journal",
    "issn",
    "volume",
    "issue",
    "first_page",
    "last_page",
    "date",
    "doi",
)


def record(n: int) -> Citation:
    """The record with a number."""
    dice = random.Random(n)  # noqa: S311  (nothing secret)
    journal, volume, issue = _issue(n // AN_ISSUE)
    first = dice.randint(1, 2000)
    plain = Citation(
        kind=Kind.ABSTRACT,
        title=sentence(dice, dice.randint(8, 16)),
        authors=tuple(
            Author(family=word(dice.randrange(WORDS)).capitalize(), given=word(dice.randrange(999)).capitalize())
            for _ in range(dice.randint(2, 6))
        ),
        abstract=" ".join(sentence(dice, dice.randint(12, 24)) for _ in range(8)),
        journal=title_of(journal),
        issn=(f"{journal // 10000:04d}-{journal % 10000:04d}",),
        volume=str(volume),
        issue=str(issue),
        first_page=str(first),
        last_page=str(first + dice.randint(1, 12)),
        date=f"{1965 + volume}-{issue:02d}",
        doi=f"10.5555/j{journal}.{n}",
        pmid=str(10_000_000 + n),
        language="en",
        keywords=tuple(word(dice.randrange(3000)) for _ in range(4)),
        publication_types=("Journal Article",),
    )
    return _proven(plain)


def _issue(n: int) -> tuple[int, int, int]:
    """Journal, volume and number of the issue with a number: journals take turns, each goes on where it was."""
    turn, journal = divmod(n, JOURNALS)
    return journal, 1 + turn // 12, 1 + turn % 12


def _proven(citation: Citation) -> Citation:
    """The record with the evidence that an import gives it."""
    proofs = tuple(
        Evidence(
            field=name,
            page="",
            source="import",
            path="bench.nbib",
            start=0,
            end=10,
            text=text[:80] if isinstance(text := getattr(citation, name), str) else "",
            method="import",
            score=0.8,
        )
        for name in _PROVEN
    )
    return replace(citation, evidence=proofs)


def sentence(dice: random.Random, length: int) -> str:
    """Words by chance: every third a common one, of the others few often and most seldom."""
    words = [
        dice.choice(_COMMON) if n % 3 == 2 else word(int(WORDS ** dice.random()) - 1)  # noqa: PLR2004
        for n in range(length)
    ]
    return " ".join(words).capitalize() + "."


@cache
def word(n: int) -> str:
    """The word with a number."""
    dice = random.Random(-n - 1)  # noqa: S311
    parts = [dice.choice(_STARTS) + dice.choice(_VOWELS) + dice.choice(_ENDS) for _ in range(dice.randint(2, 4))]
    return "".join(parts)


@cache
def title_of(n: int) -> str:
    """The title of a journal."""
    return f"{word(2 * n).capitalize()} {word(2 * n + 1)} {n}"
