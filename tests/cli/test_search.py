"""`medharvest search`."""

from __future__ import annotations

import json

import pytest

from medharvest.records import Author, Citation, Correction, Policy
from medharvest.store import Journal, open_store
from medharvest.store.search_index import document_of_page

ENURESIS = Citation(
    title="Nocturnal enuresis in children",
    abstract="Alarms help.",
    authors=(Author(family="Núñez", given="Ana"), Author(family="Wu")),
    journal="Sleep and Tides",
    volume="7",
    date="2014-03",
    doi="10.5555/tide.7",
)


@pytest.fixture
def store(tmp_path, monkeypatch) -> str:
    file = str(tmp_path / "store.sqlite")
    monkeypatch.setenv("MEDHARVEST_STORE", file)
    monkeypatch.chdir(tmp_path)
    with open_store(file) as opened:
        opened.save(None, [ENURESIS, Citation(title="", abstract="The liver", journal="Gut", pmid="1")])
        opened.collection.put(
            [document_of_page(4, url="http://health.example/b", title="Bedwetting", text="Alarms help.")]
        )
    return file


@pytest.mark.usefixtures("store")
def test_hits_say_what_they_are_and_where_the_words_stand(medharvest):
    ran = medharvest("search", "alarms", "--vocabulary", "none")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "  1. Bedwetting",
        "     page  http://health.example/b",
        "     **Alarms** help.",
        "  2. Nocturnal enuresis in children",
        "     citation 1  Núñez and 1 more. Sleep and Tides 7. 2014. 10.5555/tide.7",
        "     **Alarms** help.",
    ]
    assert ran.err == "2 found, all shown\n"


def test_a_retracted_article_is_shown_as_such(medharvest, store):
    with open_store(store) as opened:
        retracted = Citation(
            title="Tidal naps", pmid="2", corrections=(Correction(kind="RetractionIn"), Correction(kind="ErratumIn"))
        )
        opened.save(None, [retracted])
    assert medharvest("search", "naps", "--vocabulary", "none").out.splitlines()[2:] == [
        "     RETRACTED",
        "     CORRECTED",
    ]
    row = json.loads(medharvest("search", "naps", "--json", "--vocabulary", "none").out.splitlines()[0])
    assert row["notices"] == ["retracted", "corrected"]


@pytest.mark.usefixtures("store")
def test_json_has_a_line_a_hit_and_last_the_counts(medharvest):
    ran = medharvest("search", "title:enuresis", "--json", "--quiet", "--vocabulary", "none")
    hit, last = map(json.loads, ran.out.splitlines())
    score = hit.pop("score")
    assert score > 0
    assert hit == {
        "kind": "citation", "number": 1, "title": "Nocturnal enuresis in children", "url": "", "year": "2014",
        "snippet": "Alarms help.", "authors": "Núñez and 1 more", "journal": "Sleep and Tides", "doi": "10.5555/tide.7",
    }  # fmt: skip
    assert last == {"found": 1, "ranked": 1, "query": "title:enuresis", "lines": []}
    assert ran.err == ""


@pytest.mark.no_cover
@pytest.mark.usefixtures("store")
def test_a_lay_query_finds_professional_text_and_what_was_added_is_shown(medharvest):
    ran = medharvest("search", "bedwetting", "--expand", "--save-strategy", "s.tsv")
    assert "looking for concepts" in ran.err
    assert '#1 bedwetting\n   synonym: concept:"MESH:D053206", "Nocturnal Enuresis"' in ran.err
    assert " and " in ran.err
    assert "  2. **Nocturnal enuresis** in children" in ran.out
    assert "strategy: s.tsv" in ran.err
    again = medharvest("search", "--strategy", "s.tsv", "--json")
    *hits, last = map(json.loads, again.out.splitlines())
    assert [hit["kind"] for hit in hits] == ["page", "citation"]
    assert last["lines"][0] == {"group": 1, "category": "own", "query": "bedwetting", "why": "as typed"}
    narrow = medharvest("search", "bedwetting", "--expand", "--reach", "synonym", "--quiet")
    assert (narrow.err, "near:" in narrow.out) == ("", False)


@pytest.mark.usefixtures("store")
def test_nothing_found_is_said_with_a_way_out(medharvest):
    ran = medharvest("search", "lighthouse", "--vocabulary", "none")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "nothing found: lighthouse; try --expand, which also searches for synonyms\n"


@pytest.mark.usefixtures("store")
def test_more_hits_than_are_shown_are_said(medharvest, monkeypatch):
    monkeypatch.setattr("medharvest.store.search_index.MAX_RANKED_HITS", 2)
    ran = medharvest("search", "alarms OR liver", "--limit", "1", "--vocabulary", "none")
    assert ran.err == "3 found, 1 shown, the newest 2 ranked; narrow the query to rank all\n"
    assert "(no title)" in medharvest("search", "liver", "--vocabulary", "none").out


@pytest.mark.usefixtures("store")
def test_all_that_was_found_is_counted_and_written(medharvest, tmp_path):
    ran = medharvest("search", "alarms OR liver", "--export", "ris", "--into", "out", "--vocabulary", "none")
    assert ran.err.splitlines()[1:] == [
        "found: 3 (citations 2, pages 1)", "duplicates removed: 0", "unreadable: 1 (no title 1)", "kept: 2",
    ]  # fmt: skip
    assert ran.out.splitlines()[-1].startswith("ris: out")
    assert "TI  - Nocturnal enuresis" in (tmp_path / "out" / "citations.ris").read_text(encoding="utf-8")
    none = medharvest("search", "kind:page", "--export", "ris", "--vocabulary", "none")
    assert none.err.endswith("kept: 1\nno citation to write\n")
    assert medharvest("search", "kind:page", "--flow", "--vocabulary", "none").err.endswith("kept: 1\n")


def test_what_is_written_obeys_the_policy_of_its_journal(medharvest, store, tmp_path):
    with open_store(store) as opened:
        opened.journals.save(Journal(name="tides", title="Sleep and Tides"))
        opened.journals.save_policy("tides", Policy(abstracts=False))
    ran = medharvest("search", "alarms", "--export", "ris", "--vocabulary", "none")
    assert "without its abstract: policy of tides" in ran.err
    assert "Alarms" not in (tmp_path / "citations.ris").read_text(encoding="utf-8")
    assert medharvest("search", "alarms", "--export", "paper").err.startswith("error: unknown format: paper")


@pytest.mark.usefixtures("store")
def test_a_query_that_cannot_be_understood_is_one_line(medharvest):
    ran = medharvest("search", "(asthma", "--vocabulary", "none")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "error: bracket is not closed, position 1; hint: add a )\n"


@pytest.mark.parametrize(
    "arguments", [(), ("asthma", "--strategy", "s.tsv"), ("--strategy", "s.tsv", "--expand"), ("a", "--reach", "far")]
)
def test_wrong_usage_is_told(medharvest, arguments):
    assert medharvest("search", *arguments).code == 2


@pytest.mark.usefixtures("store")
def test_a_terminal_has_what_was_found_in_bold(medharvest, monkeypatch):
    monkeypatch.setattr("medharvest.cli.search._is_terminal", lambda: True)
    # What is caught here is no terminal, so bold letters are taken out on the way.
    assert "**" not in medharvest("search", "alarms", "--vocabulary", "none").out
