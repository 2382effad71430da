"""Records imported from files: new, same, changed; nothing is overwritten unless asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from medharvest.citations.record_differences import Origin
from medharvest.errors import FormatError, InputError
from medharvest.formats import FORMATS
from medharvest.library import record_import
from medharvest.library.record_import import ImportOptions, ImportState, import_records, read_record_file
from medharvest.records import Author, Citation
from medharvest.settings import Match, Settings
from medharvest.store import open_store

TIDES = Citation(
    title="Tidal volume and gout in adults",
    authors=(Author(family="Marsh", given="Ada"),),
    journal="Annals of Estuary Medicine",
    date="2031-03",
    doi="10.5555/aem.7",
)
SUPPLEMENT = (
    "Tidal volume and gout in adults",
    "Kelp iodine for the thyroid of harbour pilots",
    "Night work on ferries: a registry",
    "Does fog cause falls among lighthouse keepers?",
    "Salt and blood pressure, three islands compared",
)
ORIGIN = Origin("import", "autumn.ris")


@pytest.fixture
def store():
    with open_store(":memory:") as opened:
        yield opened


def take(store, *records, rules=Match(), **choices):  # noqa: B008  (a frozen record)
    return list(import_records(records, store, origin=ORIGIN, rules=rules, choices=ImportOptions(**choices)))


def test_a_new_record_is_kept_with_the_file_as_evidence(store):
    (item,) = take(store, TIDES)
    assert (item.state, item.verdict.label, item.differences) == (ImportState.NEW, "different", ())
    (kept,) = store.citations()
    assert replace(kept, evidence=()) == TIDES
    assert {proof.path for proof in kept.evidence} == {"autumn.ris"}
    assert {proof.field for proof in kept.evidence} == {"title", "authors", "journal", "date", "doi"}


def test_an_identical_record_is_the_same_even_if_its_title_is_too_short_to_match(store):
    short = Citation(title="Eel", journal="Journal of Tides", volume="3")
    states = [item.state for item in take(store, short, short, replace(short, volume="4"))]
    assert states == [ImportState.NEW, ImportState.SAME, ImportState.NEW]
    assert [(item.state, item.verdict.method) for item in take(store, short)] == [(ImportState.SAME, "identical")]
    assert len(list(store.citations())) == 2
    richer = replace(short, doi="10.5555/aem.9")
    assert [item.state for item in take(store, richer)] == [ImportState.NEW]


def test_a_record_with_evidence_of_its_own_keeps_it(store):
    take(store, TIDES)
    (kept,) = store.citations()
    other = replace(kept, doi="10.5555/aem.8", title="Salt and sleep on the islands")
    take(store, other)
    assert list(store.citations()) == [kept, other]


def test_a_known_record_is_the_same_or_changed_and_fills_gaps_alone(store):
    take(store, TIDES)
    again, changed = take(store, TIDES, replace(TIDES, title="Tidal volume and gout in children", pmid="31234567"))
    assert (again.state, again.verdict.method) == (ImportState.SAME, "doi")
    assert changed.state is ImportState.CHANGED
    assert [found.field for found in changed.differences] == ["title", "pmid"]
    (kept,) = store.citations()
    assert (kept.title, kept.pmid) == (TIDES.title, "31234567")
    assert [(a.field, a.value) for a in kept.alternatives] == [("title", "Tidal volume and gout in children")]


def test_the_file_wins_where_it_is_asked_to(store):
    take(store, TIDES)
    take(store, replace(TIDES, title="Tidal volume and gout in children"), prefer_file=True)
    (kept,) = store.citations()
    assert kept.title == "Tidal volume and gout in children"
    assert [(a.field, a.value) for a in kept.alternatives] == [("title", TIDES.title)]


def test_a_record_without_identifiers_is_known_by_title_and_surname(store):
    take(store, replace(TIDES, title="Salt and sleep on the islands", doi="10.5555/aem.8"), TIDES)
    near = replace(TIDES, doi="", title="Tidal volume and gout in adult")
    (item,) = take(store, near)
    assert (item.state, item.verdict.method) == (ImportState.CHANGED, "fields")
    assert len(list(store.citations())) == 2
    (other,) = take(store, near, rules=Match(rules="doi"))
    assert other.state is ImportState.NEW


def test_a_record_that_may_be_known_is_kept_beside_it_and_offered_for_review(store):
    take(store, TIDES)
    (item,) = take(store, replace(TIDES, doi="", authors=()))
    assert (item.state, item.uncertain) == (ImportState.NEW, (TIDES.title,))
    assert [(pair.one, pair.two, pair.method) for pair in store.duplicates.open_pairs()] == [(1, 2, "fields")]


def test_every_abstract_of_a_supplement_is_kept_though_all_share_one_doi(store):
    abstracts = [replace(TIDES, title=title, first_page=f"S{n}") for n, title in enumerate(SUPPLEMENT, 1)]
    for _ in range(2):
        items = take(store, *abstracts)
    assert [item.state for item in items] == [ImportState.SAME] * len(SUPPLEMENT)
    assert [record.title for record in store.citations()] == list(SUPPLEMENT)
    assert {pair.method for pair in store.duplicates.open_pairs()} == {"doi"}
    counts = store.save(None, abstracts)
    assert (counts.same + counts.changed, counts.new) == (len(SUPPLEMENT), 0)


def test_a_pair_of_the_file_is_offered_whichever_batch_its_records_are_written_with(store, monkeypatch):
    monkeypatch.setattr(record_import, "_IMPORT_BATCH", 2)
    abstracts = [replace(TIDES, title=title, first_page=f"S{n}") for n, title in enumerate(SUPPLEMENT, 1)]
    take(store, *abstracts)
    pairs = [(pair.one, pair.two) for pair in store.duplicates.open_pairs()]
    assert (1, 2) in pairs
    assert all(1 <= one < two <= len(SUPPLEMENT) for one, two in pairs)
    assert {number for pair in pairs for number in pair} == set(range(1, len(SUPPLEMENT) + 1))


def test_a_record_with_another_doi_is_new_and_the_like_one_is_told(store):
    take(store, TIDES)
    (item,) = take(store, replace(TIDES, doi="10.5555/preprint.7"))
    assert (item.state, item.related) == (ImportState.NEW, (TIDES.title,))
    assert len(list(store.citations())) == 2


def test_a_dry_run_keeps_nothing_and_sees_what_the_file_has_twice(store):
    bare = replace(TIDES, doi="")
    items = take(store, TIDES, bare, replace(TIDES, doi="10.5555/x1"), dry_run=True)
    assert [item.state for item in items] == [ImportState.NEW, ImportState.SAME, ImportState.NEW]
    assert items[2].related == (TIDES.title,)
    assert list(store.citations()) == []


def test_who_changed_a_record_and_how_it_was_before_is_kept(store):
    take(store, TIDES)
    take(store, replace(TIDES, pmid="31234567"))
    with store._transactions.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT who, field, before FROM change ORDER BY id").fetchall()
    assert [tuple(row) for row in rows] == [
        ("import autumn.ris", "", None),
        ("import autumn.ris", "pmid", '""'),
        ("import autumn.ris", "pmid.evidence", "[]"),
    ]


@pytest.mark.parametrize("name", ["ris", "nbib", "pubmedset", "pubmed", "csl", "jsonl", "bibtex", "jats"])
def test_a_file_of_each_format_is_read_as_what_it_shows(name, tmp_path):
    form = FORMATS[name]
    file = tmp_path / f"records{form.suffix}"
    full = replace(TIDES, abbreviation="Ann Estuary Med", publisher="Estuary Press", issn=("2049-3630",))
    file.write_text("".join(form.write([full])), encoding="utf-8")
    (record,) = read_record_file(file, Settings()).records
    assert (record.title, record.doi, record.authors[0].family) == (TIDES.title, TIDES.doi, "Marsh")


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    file = tmp_path / "records.ris"
    file.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="no record in this file"):
        read_record_file(file, Settings(), form=FORMATS["ris"])
    with pytest.raises(FormatError, match="cannot be read"):
        read_record_file(file, Settings(), form=FORMATS["jsonld"])
    with pytest.raises(InputError, match="format not recognised"):
        read_record_file(file, Settings())
    file.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"records\.ris"):
        read_record_file(file, Settings(), form=FORMATS["jsonl"])


def numbered(n: int) -> Citation:
    return replace(TIDES, doi=f"10.5555/many.{n}", title=f"Observations of kelp and gout in harbour number {n}")


def test_many_records_are_written_some_at_a_time_and_those_told_twice_are_one(store):
    bare = [replace(numbered(n), doi="") for n in (3, 120, 149)]  # of an earlier batch, and of the last
    fuller = [replace(numbered(n), pmid=str(n + 1)) for n in (3, 149)]
    items = take(store, *map(numbered, range(150)), *bare, *fuller)
    assert [item.state for item in items[150:]] == [*[ImportState.SAME] * 3, *[ImportState.CHANGED] * 2]
    kept = list(store.citations())
    assert (len(kept), kept[3].pmid, kept[149].pmid) == (150, "4", "150")


def test_records_alike_in_one_batch_are_one(store):
    first, second = take(store, replace(TIDES, doi=""), replace(TIDES, doi="", title=TIDES.title + " of a port"))
    third, fourth = take(
        store, numbered(7), replace(numbered(7), doi="", title=numbered(7).title.replace("kelp", "kelps"))
    )
    assert [first.state, second.state, third.state, fourth.state] == [
        ImportState.NEW,
        ImportState.CHANGED,
        ImportState.NEW,
        ImportState.CHANGED,
    ]
    assert len(list(store.citations())) == 2


def test_what_was_told_is_kept_when_the_rest_is_not_wanted(store):
    told: Any = import_records([TIDES, numbered(1)], store, origin=ORIGIN, rules=Match(), choices=ImportOptions())
    next(told)
    told.close()
    assert [record.doi for record in store.citations()] == [TIDES.doi]


def test_a_record_that_waits_is_found_by_its_title_before_anything_is_written(store):
    take(store, TIDES)
    items = take(store, replace(TIDES, pmid="31234567"), numbered(1), replace(numbered(1), doi=""), dry_run=True)
    assert [item.state for item in items] == [ImportState.CHANGED, ImportState.NEW, ImportState.SAME]
