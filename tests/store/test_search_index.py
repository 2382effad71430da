"""What a search finds, whichever database is behind it."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from medharvest.codec import encode_record
from medharvest.errors import QueryError
from medharvest.records import (
    Author,
    Chemical,
    Citation,
    Contributor,
    Correction,
    Identifier,
    MeshHeading,
    MeshQualifier,
    OtherAbstract,
)
from medharvest.search import And, Or, Text, parse_query
from medharvest.search.index_fields import INDEX_COLUMNS
from medharvest.search.query import split_year_span
from medharvest.store import (
    HIT_MARKS,
    ConceptCount,
    LoggedSearch,
    RelevantPage,
    Store,
    database,
    open_store,
    search_index,
)
from medharvest.store.backends import BACKENDS
from medharvest.store.search_index import document_of_page, searchable_name_forms
from medharvest.store.tables import document

ENURESIS = Citation(
    title="Nocturnal enuresis in children",
    abstract="Running noses were common. We treated 24 children with alarms and β-blockers.",
    authors=(Author(family="Núñez", given="Ana María"), Author(collective="Dry Nights Group")),
    affiliations=("Harbour Hospital, Porto",),
    journal="Sleep and Tides",
    abbreviation="Sleep Tides",
    issn=("1234-5678",),
    volume="7",
    issue="2",
    date="2014-03",
    doi="10.5555/Tide.7(2)-1",
    pmid="77",
    language="en",
    keywords=("Bladder Training",),
    url="https://journal.example.org/tide/7",
)
LIVER = Citation(
    title="The liver",
    abstract="Enuresis is mentioned once, in passing, among a good many other matters of the liver and its ducts.",
    authors=(Author(family="Smith", given="John P"),),
    journal="Gut Feelings",
    date="2009",
    doi="10.5555/gut.1",
    other_abstracts=(OtherAbstract("translated", "es", "El hígado"),),
    item_type="chapter",
    contributors=(Contributor(role="editor", family="Marsh", given="Hilda"),),
    identifiers=(Identifier("pmcid", "PMC1234567"),),
    mesh=(MeshHeading(name="Bile Ducts", qualifiers=(MeshQualifier("pathology"),)),),
    chemicals=(Chemical("Bilirubin"),),
    corrections=(Correction(kind="RetractionIn", source="Gut Feelings. 2010;2:1"),),
)
EDITORIAL = Citation(title="Editorial", journal="Gut Feelings", date="1999", authors=(Author(family="Smithers"),))
PAGE = document_of_page(
    1, url="http://health.example/wet-beds.html", title="Wet beds", text="Bedwetting in childhood. Alarms."
)


@pytest.fixture
def filled(store: Store) -> Store:
    return fill(store)


@pytest.fixture(scope="module")
def library(shared_store: Store) -> Store:
    """The same for tests that only search."""
    return fill(shared_store)


def fill(store: Store) -> Store:
    store.save(None, [ENURESIS, LIVER, EDITORIAL])
    store.collection.put([PAGE])
    return store


def found(store: Store, query: str) -> list[str]:
    names = {("citation", 1): "enuresis", ("citation", 2): "liver", ("citation", 3): "editorial", ("page", 1): "page"}
    refs = list(store.collection.refs(parse_query(query)))
    answer = store.collection.search(parse_query(query))
    assert answer.total == len(refs) == store.collection.count(parse_query(query))
    assert sorted(refs) == sorted((hit.kind, hit.number) for hit in answer.hits)
    return [names[hit.kind, hit.number] for hit in answer.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("enuresis", ["enuresis", "liver"]),  # a word in a title before one in a text
        ("ENURESIS", ["enuresis", "liver"]),
        ("nothing", []),
        ("nocturnal children", ["enuresis"]),
        ("nunez children", ["enuresis"]),  # words in different columns
        ("child", []),
        ("childhood", ["page"]),
        ("run", ["enuresis"]),
        ("24", ["enuresis"]),
        ("β-blocker", ["enuresis"]),
        ('"enuresis in children"', ["enuresis"]),
        ('"children enuresis"', []),
        ("enures*", ["enuresis", "liver"]),
        ('"nocturnal enur"*', ["enuresis"]),
        ("bedwetting OR liver", ["liver", "page"]),
        ("enuresis NOT liver", ["enuresis"]),
        ("enuresis AND (liver OR ducts)", ["liver"]),
        ("alarms", ["enuresis", "page"]),
        ("title:enuresis", ["enuresis"]),
        ("enuresis[ab]", ["liver"]),
        ("bedwetting[tiab]", ["page"]),
        ("author:nunez", ["enuresis"]),
        ("author:Núñez", ["enuresis"]),
        ("nunez am[au]", ["enuresis"]),
        ("nunez a[au]", ["enuresis"]),
        ("nunez b[au]", []),
        ("author:smith", ["liver"]),
        ("author:marsh h", ["liver"]),
        ("bilirubin", ["liver"]),
        ("mesh:pathology", ["liver"]),
        ("item_type:chapter", ["liver"]),
        ("identifiers:pmc1234567", ["liver"]),
        ("corrections:retracted", ["liver"]),
        ("corrections:RetractionIn", ["liver"]),
        ("corrections:ErratumIn", []),
        ("author:smith*", ["liver", "editorial"]),
        ('author:"dry nights"', ["enuresis"]),
        ("title:nunez", []),
        ("journal:gut", ["liver", "editorial"]),
        ("journal:tides", ["enuresis"]),
        ("affiliation:porto", ["enuresis"]),
        ("porto", []),
        ("url:health", ["page"]),
        ("keyword:bladder", ["enuresis"]),
        ("mesh:bladder", ["enuresis"]),
        ("hígado", ["liver"]),
        ("higado", ["liver"]),
        ("year:2014", ["enuresis"]),
        ("year:2010-2015", ["enuresis"]),
        ("year:2000-", ["enuresis", "liver"]),
        ("year:-1999", ["editorial"]),
        ("year:1900-2009", ["editorial", "liver"]),
        ("enuresis year:2009", ["liver"]),
        ("enuresis OR year:1999", ["editorial", "enuresis", "liver"]),
        ('doi:"10.5555/tide.7(2)-1"', ["enuresis"]),
        ("doi:10.5555*", ["enuresis", "liver"]),
        ("doi:10.5555", []),
        ("pmid:77", ["enuresis"]),
        ("issn:1234-5678", ["enuresis"]),
        ("volume:7 AND issue:2 AND language:en", ["enuresis"]),
        ("kind:page", ["page"]),
        ("alarms AND kind:citation", ["enuresis"]),
        ('"or"', []),
        ("near", []),
        ("title", []),
    ],
)
def test_a_query_finds_the_same_in_every_database(library, query, expected):
    ranked = found(library, query)
    assert sorted(ranked) == sorted(expected)
    if len(expected) == 2 and "year" not in query and "doi" not in query:
        assert ranked[0] == expected[0] or query in {"author:smith*", "journal:gut", "bedwetting OR liver", "alarms"}


def test_a_hit_says_what_it_is_and_shows_where(filled):
    (hit,) = filled.collection.search(parse_query("alarms kind:page")).hits
    assert (hit.kind, hit.number, hit.url, hit.year) == ("page", 1, PAGE["url"], "")
    first = filled.collection.search(parse_query("enuresis")).hits[0]
    on, off = HIT_MARKS
    assert first.title == f"Nocturnal {on}enuresis{off} in children"
    assert (first.kind, first.number, first.year) == ("citation", 1, "2014")
    second = filled.collection.search(parse_query("enuresis")).hits[1]
    assert f"{on}Enuresis{off} is mentioned" in second.snippet
    assert first.score > second.score > 0


def test_limit_and_offset_cut_a_page_out_of_the_order(filled):
    query = parse_query("enuresis OR alarms OR editorial")
    hits = filled.collection.search(query).hits
    assert len(hits) == 4
    assert filled.collection.search(query, limit=2).hits == hits[:2]
    assert filled.collection.search(query, limit=2, offset=2).hits == hits[2:]


def test_of_too_many_the_newest_are_ranked_and_all_are_counted(filled, monkeypatch):
    monkeypatch.setattr(search_index, "MAX_RANKED_HITS", 1)
    answer = filled.collection.search(parse_query("enuresis"))
    assert (answer.total, answer.ranked) == (2, 1)
    assert [hit.number for hit in answer.hits] == [2]


def test_all_references_come_however_many(filled, monkeypatch):
    monkeypatch.setattr(search_index, "_DOCUMENTS_PER_READ", 2)
    assert len(list(filled.collection.refs(parse_query("year:1000-2999 OR kind:page")))) == 4


def test_a_changed_record_is_found_by_what_it_says_now(filled):
    filled.save(None, [replace(ENURESIS, title="Dry nights", abstract="")])
    assert found(filled, "nocturnal") == []
    assert found(filled, "title:dry") == ["enuresis"]
    filled.records.write([(2, replace(LIVER, title="The spleen"))], who="me")
    assert found(filled, "title:liver") == []
    assert found(filled, "spleen") == ["liver"]
    filled.records.write([(None, Citation(title="A fourth", journal="Gut"))], who="me")
    assert filled.collection.count(parse_query("fourth")) == 1
    filled.collection.put([document_of_page(1, url="u", title="Dry beds", text="")])
    assert found(filled, "bedwetting") == []
    assert filled.collection.size() == {"citation": 4, "page": 1}


def test_a_record_that_is_not_written_is_not_found(filled):
    with pytest.raises(RuntimeError):
        filled.save(None, _breaking())
    assert filled.collection.count(parse_query("halfway")) == 0


def _breaking():
    yield Citation(title="Halfway", journal="Gut")
    raise RuntimeError


def test_concepts_are_looked_for_once_and_found_as_words(filled):
    waiting = filled.collection.untagged()
    assert [title.split("\n")[0] for _, title, _ in waiting] == [
        ENURESIS.title, LIVER.title, EDITORIAL.title, PAGE["title"],
    ]  # fmt: skip
    assert waiting[0][1].endswith("Bladder Training")
    ids = [id_ for id_, _, _ in waiting]
    filled.collection.tag({ids[0]: [("X:3", 9)], ids[1]: [("X:3", 1)], ids[2]: []}, vocabulary="small 1")
    assert [id_ for id_, _, _ in filled.collection.untagged()] == ids[3:]
    assert found(filled, "concept:X:3") == ["enuresis", "liver"]
    assert found(filled, "enuresis AND concept:X:4") == []


def test_a_concept_lifts_a_document_that_has_it_and_finds_no_more(store):
    store.save(
        None, [Citation(title="Alarms at night one", journal="A"), Citation(title="Alarms at night two", journal="A")]
    )
    second = store.collection.untagged()[1][0]
    store.collection.tag({second: [("X:3", 1)]}, vocabulary="v")
    words, concept = parse_query("alarms"), Text(text="X:3", field="concept")
    assert [hit.number for hit in store.collection.search(words).hits] == [1, 2]
    assert [hit.number for hit in store.collection.search(Or((words, And((words, concept))))).hits] == [2, 1]


def test_a_weight_changes_the_order(store):
    texts = ("About harbours and boats alone", "About lighthouses and cliffs alone")
    store.save(None, [Citation(title=title, journal="A") for title in texts])
    for heavy in (0, 1):
        parts = [Text(text=word, weight=5 if place == heavy else 1) for place, word in enumerate(("boats", "cliffs"))]
        assert store.collection.search(Or(tuple(parts))).hits[0].number == heavy + 1


def test_the_index_is_made_anew(filled):
    with filled._transactions.engine.begin() as connection:
        connection.execute(text("DELETE FROM document WHERE kind = 'citation'"))
    assert found(filled, "enuresis OR bedwetting") == ["page"]
    assert filled.collection.reindex() == 3
    assert found(filled, "enuresis") == ["enuresis", "liver"]
    assert filled.collection.size() == {"citation": 3}


def test_what_an_older_store_holds_is_found_once_it_is_migrated(new_url: str) -> None:
    place = database._parse_store_url(new_url)
    backend = BACKENDS[place.get_backend_name()]
    engine = backend.make_engine(place)
    columns = "doi, pmid, pii, issn, volume, issue, first_page, title_start, title_key, journal, url, year"
    with backend.begin_migration(engine) as connection:
        database.upgrade_schema(connection, to="0001")
        at, nothing = "'2026-01-01T00:00:00Z'", "'', " * 12
        connection.execute(
            text(f"INSERT INTO article ({columns}, citation, created, updated) VALUES ({nothing} :c, {at}, {at})"),
            {"c": encode_record(ENURESIS)},
        )
    engine.dispose()
    with open_store(new_url) as store:
        assert store.collection.count(parse_query("enuresis")) == 1


# How documents came into the index of SQLite up to revision 0009.
TRIGGER = f"""CREATE TRIGGER document_came AFTER INSERT ON document BEGIN
    INSERT INTO search (rowid, {", ".join(INDEX_COLUMNS)})
    VALUES (new.id, {", ".join(f"new.{name}" for name in INDEX_COLUMNS)});
END"""


def test_what_a_trigger_indexed_is_found_once_and_so_is_what_comes_later(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    open_store(str(file)).close()
    connection = sqlite3.connect(file)
    connection.execute(TRIGGER)
    empty = {column.name: "" for column in document.columns}
    marks = ", ".join(f":{name}" for name in empty)
    row = empty | {"id": 7, "kind": "page", "ref": 1, "title": "Bedwetting"}
    connection.execute(f"INSERT INTO document ({', '.join(empty)}) VALUES ({marks})", row)
    connection.execute("DROP INDEX ix_issue_date")  # of 0011
    connection.execute("DROP INDEX ix_article_run_n")  # of 0012
    connection.execute("DROP INDEX ix_value_corrected")
    connection.execute("ALTER TABLE article_run DROP COLUMN n")
    connection.execute("DROP TABLE act")  # of 0013
    connection.execute("ALTER TABLE layout DROP COLUMN earlier")
    connection.execute("DROP TABLE duplicate")  # of 0015
    for column in ("looked", "decided", "done"):  # of 0016
        connection.execute(f"ALTER TABLE keying DROP COLUMN {column}")
    connection.execute("UPDATE alembic_version SET version_num = '0009'")
    connection.commit()
    connection.close()
    with open_store(str(file)) as store:
        store.save(None, [ENURESIS])
        assert list(store.collection.refs(parse_query("bedwetting"))) == [("page", 1)]
        assert list(store.collection.refs(parse_query("nocturnal"))) == [("citation", 1)]
    connection = sqlite3.connect(file)
    connection.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
    assert connection.execute("SELECT id FROM document ORDER BY id").fetchall() == [(7,), (8,)]
    connection.close()


def test_searches_are_noted(store):
    store.collection.log("bedwetting", 3)
    store.collection.log("x" * 5000, 0)
    first, second = store.searches()
    assert first == LoggedSearch(id=1, query="bedwetting", at="2026-01-01T00:00:00Z", hits=3)
    assert len(second.query) == 2000


def test_a_text_longer_than_any_is_cut(store):
    store.collection.put([document_of_page(1, url="u", title="t", text="beginning " + "word " * 60_000 + "end")])
    store.collection.put(
        [document_of_page(2, url="v", title="x" * 5000, text=" ".join(f"w{n}" for n in range(40_000)))]
    )
    assert store.collection.count(parse_query("beginning")) == 1
    assert store.collection.count(parse_query("end")) == 0
    assert store.collection.count(parse_query("w17")) == 1


def test_the_file_stays_sound(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    with open_store(str(file)) as store:
        store.save(None, [ENURESIS, LIVER])
        store.save(None, [replace(LIVER, title="Another")])
        store.collection.tag({1: [("X:1", 1)]}, vocabulary="v")
    connection = sqlite3.connect(file)
    connection.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
    connection.close()


shared = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
pieces = st.sampled_from(
    "enuresis AND OR NOT ( ) \" * [ti] title: year:2010- doi:10.5555* ' \\ : | & ! <-> NEAR( {title} ^ + - é 病 ½ "
    "%s ? ;-- author:x 1e5 \x00 \ud800".split()
)


@shared
@given(st.one_of(st.text(), st.lists(pieces, max_size=12).map(" ".join), st.lists(pieces, max_size=12).map("".join)))
def test_any_text_is_answered_or_refused_by_us(filled, query):
    try:
        tree = parse_query(query)
    except QueryError:
        return
    answer = filled.collection.search(tree)
    assert answer.total == filled.collection.count(tree) == len(list(filled.collection.refs(tree)))


@shared
@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_can_be_indexed_and_what_is_plain_in_it_found(store, title, body):
    store.collection.put([document_of_page(1, url=title, title=title, text=f"{body} lighthouse")])
    assert store.collection.count(parse_query("lighthouse")) == 1


@pytest.mark.parametrize(
    ("author", "forms"),
    [
        (Author(family="Smith", given="John Paul"), ["Smith John Paul", "Smith JP", "Smith J"]),
        (Author(family="Wu", given="Li-Na"), ["Wu Li-Na", "Wu LN", "Wu L"]),
        (Author(family="Plato"), ["Plato"]),
        (Author(collective="Dry Nights Group"), ["Dry Nights Group"]),
        (Author(given="Ana"), []),
    ],
)
def test_a_name_is_indexed_as_people_look_for_it(author, forms):
    assert list(searchable_name_forms(author)) == forms


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (2014, 2014, ["2014"]),
        (2009, 2011, ["2009", "2010", "2011"]),
        (2009, 2020, ["2009", "201*", "2020"]),
        (1899, 2000, ["1899", "19*", "2000"]),
        (1000, 2999, ["1*", "2*"]),
    ],
)
def test_years_are_few_words(first, last, words):
    assert [word + "*" * whole for word, whole in split_year_span(first, last)] == words


def kept(**more: str) -> RelevantPage:
    values = {"url": "http://h.example/a", "title": "Wet beds", "text": "Bedwetting.", "topic": "bedwetting", **more}
    return RelevantPage(value=1.0, concepts=(ConceptCount(id="X:3", name="Bedwetting", count=2),), **values)  # type: ignore[arg-type]


def test_pages_of_a_crawl_are_indexed_before_the_next_search(store):
    run = store.runs.begin("u", "f", ())
    store.runs.record(run, None, (), relevant=[kept(), kept(url="http://h.example/b", text="Alarms.")])
    assert (store.collection.catch_up(), store.collection.catch_up()) == (2, 0)
    assert store.collection.count(parse_query("title:beds")) == 2
    assert store.collection.count(parse_query("concept:X:3")) == 2
    store.runs.record(run, None, (), relevant=[kept(), kept(url="http://h.example/b", text="Boats.")])
    assert store.collection.catch_up() == 1  # the other is as it was
    assert store.collection.count(parse_query("alarms")) == 0
    assert store.collection.count(parse_query("boats")) == 1
    assert [page.url for page in store.topic_pages.all()] == ["http://h.example/a", "http://h.example/b"]


def test_a_page_that_vanished_is_found_no_more_and_again_when_it_is_back(store):
    run = store.runs.begin("u", "f", ())
    store.runs.record(run, None, (), relevant=[kept()])
    store.collection.catch_up()
    store.topic_pages.touch("http://h.example/a", gone=True)
    store.collection.catch_up()
    assert store.collection.count(parse_query("beds")) == 0
    store.topic_pages.touch("http://h.example/a", gone=False)
    assert store.collection.catch_up() == 1
    assert store.collection.count(parse_query("beds")) == 1
    assert store.collection.reindex() == 0
    assert store.collection.catch_up() == 1
    assert store.collection.count(parse_query("beds")) == 1


def test_an_article_that_is_deleted_is_found_no_more(filled):
    batch = filled.review.delete(1, who="me")
    assert found(filled, "enuresis") == ["liver"]
    assert filled.collection.reindex() == 2
    filled.undo(batch, who="me")
    assert filled.collection.count(parse_query("enuresis")) == 2
