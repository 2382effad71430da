"""Lists of journals that libraries give away: NLM's J_Medline.txt and J_Entrez.txt, JabRef's CSV lists."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator

from medharvest.citations.identifiers import find_issns
from medharvest.errors import InputError
from medharvest.records import JournalTitle

# Name of a line of NLM's lists -> our field; J_Entrez.txt has the same lines.
_LINES = {
    "JournalTitle": "title",
    "MedAbbr": "abbreviation",
    "IsoAbbr": "iso",
    "NlmId": "nlm_id",
    "ISSN (Print)": "issn",
    "ISSN (Online)": "issn",
}
_RULE = re.compile(r"-{5,}\s*$", re.MULTILINE)
_DOTTED = 0.3  # of the rows of a CSV list that have stops before its abbreviations count as those of ISO
_LONGEST = 2_000  # characters of a line; no title is longer
_COLUMNS = 2


def read_journal_list(text: str, *, name: str) -> Iterator[JournalTitle]:
    """The journals of a list in either form, in its order; `name` is what messages call it."""
    if is_nlm_list(text):
        return _nlm(text)
    rows = _rows(text)
    if not rows:
        hint = "NLM's J_Medline.txt or J_Entrez.txt, or a CSV of JabRef with title and abbreviation, is expected"
        raise InputError(f"no list of journals: {name}", name=name, hint=hint)
    return _csv(rows)


def is_nlm_list(text: str) -> bool:
    """Whether a text begins as NLM's lists do."""
    return bool(re.match(r"\ufeff?\s*(?:-{5,}\s+)?JrId: ", text))


def _nlm(text: str) -> Iterator[JournalTitle]:
    for part in _RULE.split(text):
        found: dict[str, str] = {}
        for line in part.splitlines():
            label, _, value = line[:_LONGEST].partition(": ")
            field = _LINES.get(label.strip().removesuffix(":"), "")
            found[field] = f"{found.get(field, '')} {html.unescape(value.strip())}".strip()
        if found.get("title"):
            yield _entry(found)


def _entry(found: dict[str, str]) -> JournalTitle:
    texts = {name: found.get(name, "") for name in ("title", "abbreviation", "iso", "nlm_id")}
    return JournalTitle(**texts, issn=find_issns(found.get("issn", "")))


def _rows(text: str) -> list[tuple[str, str]]:
    """Title and abbreviation of each row; none where the text is no such table."""
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    mark = ";" if first.count(";") >= first.count(",") else ","
    lines = (line[:_LONGEST] for line in text.splitlines())
    try:
        cells = [row for row in csv.reader(lines, delimiter=mark, strict=True) if any(row)]
    except csv.Error:
        return []
    pairs = [(row[0].strip(), row[1].strip()) for row in cells if len(row) >= _COLUMNS]
    pairs = [pair for pair in pairs if all(pair)]
    return pairs if 2 * len(pairs) > len(cells) else []


def _csv(rows: list[tuple[str, str]]) -> Iterator[JournalTitle]:
    """A list with stops has the abbreviations of ISO 4, one without them those of NLM."""
    dotted = sum("." in short for _, short in rows) > _DOTTED * len(rows)
    for title, short in rows:
        iso, nlm = (short, "") if dotted else ("", short)
        yield JournalTitle(title=title, abbreviation=nlm, iso=iso)
