"""Reports that a loader writes of the files it took: which records have which PMID, and which were not taken.

PubMed publishes no grammar of its reports, so they are read as text: a record is known by its DOI or PII, a PMID by its
name or by being the one number of seven or eight digits beside it. What a report does not say plainly is not taken.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_LONGEST = 2_000  # characters of a line that are looked at
_NAMED = re.compile(r"\b(?:PMID|PubMed ?ID)\b[\s\"':=#>]{0,10}([1-9][0-9]{3,8})(?![0-9])", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w./-])[1-9][0-9]{6,7}(?![\w/-]|\.[0-9])")
_REFUSED = re.compile(
    r"\b(?:reject\w*|refus\w*|errors?|fail\w*|invalid|not (?:loaded|accepted|added)|cannot)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\s\"'<>|,;=()\[\]]+")
_PREFIX = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:|pii:)", re.IGNORECASE)
_DOI = re.compile(r"\b10\.[0-9]{4,9}/\S")
_GOES_ON = re.compile(r"(?:PMID|PubMed ?ID|status|result|errors?|warnings?|message|reason)\b", re.IGNORECASE)
_AROUND = 4  # lines after a record's own that may still be about it


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a report says of an article: its PMID, or the line that says why it was not taken."""

    article: int
    pmid: str = ""
    refused: str = ""


def read_report(text: str, known: Mapping[str, int]) -> Iterator[Loaded]:
    """What a report says of the articles known by these identifiers, lower case, each once; PMIDs win over errors."""
    found: dict[int, Loaded] = {}
    for article, lines in _entries(text, known):
        said = _said(article, lines, known)
        if said and (article not in found or said.pmid):
            found[article] = said
    yield from found.values()


def _entries(text: str, known: Mapping[str, int]) -> Iterator[tuple[int, list[str]]]:
    """Each article with its line and those that go on with it: further in, or beginning with a word for it."""
    current: tuple[int, list[str]] | None = None
    for line in (html.unescape(line[:_LONGEST]) for line in text.splitlines()):
        articles = {known[word] for word in _identifiers(line) if word in known}
        if len(articles) == 1:
            article = articles.pop()
            if current and (current[0] != article or len(current[1]) > _AROUND):
                yield current
                current = None
            current = current or (article, [])
            current[1].append(line)
        elif current and not articles and len(current[1]) <= _AROUND and _goes_on(current[1][0], line):
            current[1].append(line)
        elif current:
            yield current
            current = None
    if current:
        yield current


def _goes_on(first: str, line: str) -> bool:
    """Whether a line still speaks of the record of the first one: another DOI is another record's."""
    further_in = len(line) - len(line.lstrip()) > len(first) - len(first.lstrip())
    return bool(line.strip()) and not _DOI.search(line) and (further_in or bool(_GOES_ON.match(line)))


def _identifiers(line: str) -> Iterator[str]:
    for word in _WORD.findall(line):
        bare = _PREFIX.sub("", word).lower()
        yield bare
        yield bare.rstrip(".:")


def _said(article: int, lines: list[str], known: Mapping[str, int]) -> Loaded | None:
    whole = "\n".join(lines)
    named = set(_NAMED.findall(whole))
    if not named:
        bare = " ".join(word for word in _WORD.findall(whole) if _PREFIX.sub("", word).lower() not in known)
        named = set(_NUMBER.findall(bare))
    if len(named) == 1:
        return Loaded(article, pmid=named.pop())
    wrong = next((line for line in lines if _REFUSED.search(line)), "")
    return Loaded(article, refused=" ".join(wrong.split())[:300]) if wrong and not named else None
