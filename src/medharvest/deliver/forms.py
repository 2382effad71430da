"""Records in the forms that databases take beside files: a flat row, a document, an item of Zotero's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from medharvest.citations import report
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.persons import inverted
from medharvest.records import Author, Citation

_BETWEEN = " | "
_TEXTS = (
    "title vernacular_title abstract journal abbreviation publisher volume issue first_page last_page article_number "
    "date doi pmid pii language licence conflict url"
).split()
_LISTS = "issn affiliations keywords publication_types".split()
COLUMNS = ("id", *_TEXTS, "authors", *_LISTS, "record")
_INNER = ("scores", "evidence", "alternatives")  # how we know; no part of the record itself
_ZOTERO_TAGS = 100  # keywords beyond are a page's navigation


def row(article: int, citation: Citation) -> dict[str, Any]:
    """A flat row: texts, lists with a bar between their items, and the whole record as JSON."""
    lists = {name: _BETWEEN.join(filter(None, map(plain, getattr(citation, name)))) for name in _LISTS}
    return {
        "id": article,
        **{name: plain(getattr(citation, name)) for name in _TEXTS},
        "authors": _BETWEEN.join(filter(None, (plain(inverted(author)) for author in citation.authors))),
        **lists,
        "record": as_json(document(article, citation)).decode(),
    }


def document(article: int, citation: Citation) -> dict[str, Any]:
    """The record as JSON, as `read --json` prints it, without its evidence and with its number."""
    whole = {name: value for name, value in report(citation).items() if name not in _INNER}
    return {"id": article, **whole}


def as_json(value: Any) -> bytes:
    """JSON bytes on one line, the same for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def zotero_item(citation: Citation, collection: str = "") -> dict[str, Any]:
    """A journal article as Zotero has it; empty fields are sent too, so that what was taken out is taken out there."""
    first, last = citation.first_page, citation.last_page
    extra = [f"PMID: {citation.pmid}"] if citation.pmid else []
    if citation.vernacular_title:
        extra.append(f"Original title: {plain(citation.vernacular_title)}")
    return {
        "itemType": "journalArticle",
        "title": plain(citation.title or citation.vernacular_title),
        "creators": [creator for author in citation.authors for creator in _creators(author)],
        "abstractNote": citation.abstract.strip(),
        "publicationTitle": plain(citation.journal),
        "journalAbbreviation": plain(citation.abbreviation),
        "volume": plain(citation.volume),
        "issue": plain(citation.issue),
        "pages": plain(f"{first}-{last}" if first and last else first or citation.article_number),
        "date": plain(citation.date),
        "DOI": plain(citation.doi),
        "ISSN": " ".join(map(plain, citation.issn)),
        "language": plain(citation.language),
        "rights": plain(citation.licence),
        "url": plain(citation.url),
        "extra": "\n".join(extra),
        "tags": [{"tag": plain(word)} for word in citation.keywords[:_ZOTERO_TAGS] if plain(word)],
        "collections": [collection] if collection else [],
        "relations": {},
    }


def _creators(author: Author) -> Iterator[dict[str, str]]:
    whole = plain(author.collective)
    if whole or not author.given:
        name = whole or plain(author.family)
        if name:
            yield {"creatorType": "author", "name": name}
        return
    given = " ".join(part for part in (plain(author.given), plain(author.suffix)) if part)
    yield {"creatorType": "author", "firstName": given, "lastName": plain(author.family)}
