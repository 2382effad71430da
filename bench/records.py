"""Records enough to fill a store: made from their number alone, no two the same, as varied as those of journals are.

The words are made of syllables, few of them frequent and most of them seldom, so that an index of them is no smaller
than one of real texts. Abstracts and bylines come from a stock, so that to make a record takes little of the time.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from medharvest.records import Author, Citation, Evidence, Kind

WORDS = 60_000
STOCK = 20_000  # abstracts, bylines
JOURNALS = 3_000
AN_ISSUE = 20  # articles
_STARTS = "b br c ch cl d dr f fl g gl gr h j k kr l m n p ph pl pr qu r s sc sh sp st str t th tr v w z".split()
_VOWELS = "a e i o u ae ea io ou y".split()
_ENDS = ["", "", "l", "m", "n", "r", "s", "t", "x", "nd", "st"]
_COMMON = "the of and in a with for to patients by on as study was from were effect treatment clinical at an or".split()


def record(n: int) -> Citation:
    """The record with a number, with the evidence that an import gives it."""
    dice = random.Random(n)  # noqa: S311  (nothing secret)
    (turn, journal), first = divmod(n // AN_ISSUE, JOURNALS), dice.randint(1, 2000)
    values: dict[str, Any] = {
        "title": f"{word(dice.randrange(WORDS)).capitalize()} {word(dice.randrange(WORDS))} {sentence(n % STOCK)}",
        "abstract": abstract(dice.randrange(STOCK)),
        "journal": title_of(journal),
        "volume": str(1 + turn // 12),
        "issue": str(1 + turn % 12),
        "first_page": str(first),
        "last_page": str(first + dice.randint(1, 12)),
        "date": f"{1965 + turn // 12 % 60}-{1 + turn % 12:02d}",
        "doi": f"10.5555/j{journal}.{n}",
        "pmid": str(10_000_000 + n),
    }
    return Citation(
        kind=Kind.ABSTRACT,
        **values,
        authors=byline(dice.randrange(STOCK)),
        issn=(f"{journal:04d}-{journal % 10:04d}",),
        language="en",
        keywords=(word(dice.randrange(3000)), word(dice.randrange(3000))),
        publication_types=("Journal Article",),
        evidence=tuple([_proof(name, text[:80]) for name, text in values.items()]),
    )


@cache
def byline(n: int) -> tuple[Author, ...]:
    """The authors with a number."""
    dice = random.Random(f"byline {n}")  # noqa: S311
    return tuple(
        Author(family=word(dice.randrange(WORDS)).capitalize(), given=word(dice.randrange(999)).capitalize())
        for _ in range(dice.randint(2, 6))
    )


@cache
def abstract(n: int) -> str:
    """The abstract with a number."""
    return " ".join([sentence(8 * n + k) for k in range(8)])


def _proof(name: str, text: str) -> Evidence:
    return Evidence(
        field=name,
        page="",
        source="import",
        path="bench.nbib",
        start=0,
        end=len(text),
        text=text,
        method="import",
        score=0.8,
    )


@cache
def sentence(n: int) -> str:
    """The sentence with a number: every third word a common one, of the others few often and most seldom."""
    dice = random.Random(f"sentence {n}")  # noqa: S311
    length = dice.randint(10, 22)
    words = [
        dice.choice(_COMMON) if k % 3 == 2 else word(int(WORDS ** dice.random()) - 1)  # noqa: PLR2004
        for k in range(length)
    ]
    return " ".join(words).capitalize() + "."


@cache
def word(n: int) -> str:
    """The word with a number."""
    dice = random.Random(f"word {n}")  # noqa: S311
    parts = [dice.choice(_STARTS) + dice.choice(_VOWELS) + dice.choice(_ENDS) for _ in range(dice.randint(2, 4))]
    return "".join(parts)


@cache
def title_of(n: int) -> str:
    """The title of a journal."""
    return f"{word(2 * n).capitalize()} {word(2 * n + 1)} {n}"
