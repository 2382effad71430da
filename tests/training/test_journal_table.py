"""The built-in table of journals is merged from three lists, each with what it knows."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

from medharvest.citations.journal_lists import JournalSource
from medharvest.records import JournalTitle
from training.journal_table import build_journal_table, merge_journals, read_title_list

CITATION = """<MedlineCitation><Article><Journal><ISSN>{issn}</ISSN><Title>The tides</Title>
<ISOAbbreviation>{iso}</ISOAbbreviation></Journal></Article><MedlineJournalInfo><MedlineTA>Tides</MedlineTA>
<NlmUniqueID>001</NlmUniqueID><ISSNLinking>2049-3630</ISSNLinking></MedlineJournalInfo></MedlineCitation>"""


def test_the_table_is_built_from_the_packages(tmp_path: Path) -> None:
    citations = CITATION.format(issn="2049-3630", iso="Tides.") + CITATION.format(issn="1234-5679", iso="Tides")
    (tmp_path / "pubmed1.xml.gz").write_bytes(gzip.compress(f"<Set>{citations}</Set>".encode()))
    with closing(sqlite3.connect(tmp_path / "registry.db")) as connection, connection:
        connection.execute("CREATE TABLE journals (name TEXT)")
        connection.execute("INSERT INTO journals VALUES ('J Brine')")
    (tmp_path / "journalList.txt").write_text("Journal of Brine = J. Brine; JB\nno abbreviation\n", encoding="utf-8")
    rows = gzip.decompress(build_journal_table(tmp_path)).decode().splitlines()
    assert rows[1].startswith(" title:journalofbrine short:journalofbrine brief:jbrine \tJournal of Brine\t")
    assert [row.partition("\t")[2] for row in rows] == [
        "title\tabbreviation\tiso\tissn\tnlm_id\tsource",
        "Journal of Brine\tJ Brine\tJ. Brine\t\t\tjabref medline",
        "The tides\tTides\tTides.\t2049-3630 1234-5679\t001\tpubmed",
    ]


def test_an_abbreviation_is_that_of_nlm_if_nlm_has_one_such_journal() -> None:
    tides = JournalTitle(title="The tides", abbreviation="Tides", nlm_id="001")
    titles = read_title_list("Tides = Tides\nTidal news = Tides\nBrine = Brine\nSalt = Salt.\nWaves = Waves")
    merged = list(merge_journals([tides], ["Brine", "Salt (Paris)", "Foam"], titles))
    assert merged == [
        (tides, JournalSource.PUBMED),
        (
            JournalTitle(title="Tidal news", abbreviation="Tides", iso="Tides", nlm_id="001"),
            JournalSource.JABREF_MEDLINE,
        ),
        (JournalTitle(title="Brine", abbreviation="Brine", iso="Brine"), JournalSource.JABREF_MEDLINE),
        (JournalTitle(title="Salt", iso="Salt."), JournalSource.JABREF),
        (JournalTitle(title="Waves", iso="Waves"), JournalSource.JABREF),
        (JournalTitle(abbreviation="Foam"), JournalSource.MEDLINE),
        (JournalTitle(abbreviation="Salt (Paris)"), JournalSource.MEDLINE),
    ]
