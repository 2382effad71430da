"""Whatever changes an article is in the log, and whatever is in the log can be undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from medharvest.errors import ConflictError, StoreError
from medharvest.records import Alternative, Author, Citation, Evidence, LabelledZone, Verdict, Zone
from medharvest.store import Change, FieldState, SaveCounts, Status, Store, acts


def proof(field: str, score: float = 0.5, **more: Any) -> Evidence:
    plain = {"page": "d", "source": "zone", "path": "html[1]", "start": 0, "end": 1, "text": "x", "method": "m"}
    return Evidence(field=field, score=score, **{**plain, **more})


TIDES = Citation(
    title="Tides and gout",
    title_html="Tides <i>and</i> gout",
    authors=(Author(family="Marsh", affiliations=(0,)),),
    affiliations=("Quay House",),
    journal="Shore",
    volume="2",
    issue="4",
    date="2024-03",
    doi="10.5555/tides",
    evidence=(proof("title"), proof("authors", 0.9)),
    alternatives=(Alternative(field="title", value="Tides", score=0.2),),
)


def kept(store: Store, citation: Citation = TIDES) -> int:
    """The number of a record that is saved."""
    store.save(None, [citation])
    found = store.records.find(citation)
    assert found
    return found[0]


def told(store: Store, article: int | None = None) -> list[tuple[str, str, str | None, str]]:
    return [(line.who, line.field, line.before, line.after) for line in store.changes(article)]


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    with store._transactions.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_a_new_article_is_proposed_and_its_record_is_the_first_line_of_the_log(store: Store) -> None:
    number = kept(store)
    article = store.records.get(number)
    assert (article.status, article.version, article.states) == (Status.PROPOSED, 1, {})
    (line,) = store.changes(number)
    assert (line.field, line.before, line.who, line.batch) == ("", None, "medharvest", 1)
    assert '"title":"Tides and gout"' in line.after
    assert store.check() == ()


def test_a_corrected_field_is_in_the_log_and_is_its_own_evidence(store: Store) -> None:
    number = kept(store)
    batch = store.set_value(number, "title", "Tides & gout", who="ada", reason="misprint")
    article = store.records.get(number)
    assert (article.citation.title, article.citation.title_html) == ("Tides & gout", "")
    assert [one for one in article.citation.evidence if one.field == "title"] == [
        proof("title", 1.0, page="", source="operator", path="", end=12, text="Tides & gout", method="ada")
    ]
    assert article.states == {"title": FieldState.CORRECTED}
    assert article.version == 2
    lines = [line for line in store.changes(number) if line.batch == batch]
    assert {line.field for line in lines} == {"title", "title_html", "title.evidence", "title.state"}
    first = lines[0]
    assert (first.before, first.after, first.who, first.reason) == (
        '"Tides and gout"',
        '"Tides & gout"',
        "ada",
        "misprint",
    )
    assert store.check() == ()


def test_an_accepted_record_has_every_field_it_holds_accepted(store: Store) -> None:
    number = kept(store)
    store.set_value(number, "volume", "3", who="ada")
    store.accept(number, who="ada")
    article = store.records.get(number)
    assert article.status is Status.ACCEPTED
    assert article.states["volume"] is FieldState.CORRECTED
    assert article.states["title"] is article.states["doi"] is FieldState.ACCEPTED
    assert "pmid" not in article.states
    assert store.check() == ()


def test_what_a_program_accepts_is_told_from_what_a_person_does(store: Store) -> None:
    number = kept(store)
    store.accept(number, ["title"], who="threshold", state=FieldState.AUTO_ACCEPTED)
    assert store.records.get(number).states == {"title": FieldState.AUTO_ACCEPTED}
    assert store.records.get(number).status is Status.PROPOSED
    store.accept(number, who="ada")
    store.accept(number, who="threshold", state=FieldState.AUTO_ACCEPTED)
    assert store.records.get(number).status is Status.ACCEPTED
    assert store.records.get(number).states["title"] is FieldState.ACCEPTED


def test_an_act_over_many_records_is_undone_as_one(store: Store) -> None:
    numbers = [kept(store, replace(TIDES, title=f"Title {n}", doi=f"10.5555/{n}")) for n in range(5)]
    batch = store.accept(numbers, who="threshold", state=FieldState.AUTO_ACCEPTED)
    assert {store.records.get(number).status for number in numbers} == {Status.AUTO_ACCEPTED}
    store.undo(batch, who="ada")
    for number in numbers:
        article = store.records.get(number)
        assert (article.status, article.states, article.version) == (Status.PROPOSED, {}, 3)
    assert store.check() == ()


def test_an_undone_correction_gives_the_record_back_and_can_be_done_again(store: Store) -> None:
    number = kept(store)
    batch = store.set_value(number, "doi", "10.5555/other", who="ada")
    undone = store.undo(batch, who="ada")
    assert store.citation(number) == TIDES
    assert {line.reason for line in store.changes(number) if line.batch == undone} == {f"undo of {batch}"}
    store.undo(undone, who="ada", reason="it was right")
    assert store.citation(number).doi == "10.5555/other"
    assert store.check() == ()


def test_an_earlier_act_is_undone_without_the_later_one(store: Store) -> None:
    number = kept(store)
    batch = store.set_value(number, "title", "Ebb", who="ada")
    store.set_value(number, "volume", "7", who="bo")
    store.undo(batch, who="ada")
    citation = store.citation(number)
    assert (citation.title, citation.volume) == (TIDES.title, "7")
    assert citation.evidence[:2] == TIDES.evidence
    assert store.records.get(number).states == {"volume": FieldState.CORRECTED}
    assert store.check() == ()


def test_an_act_that_was_changed_again_is_not_undone(store: Store) -> None:
    number = kept(store)
    batch = store.set_value(number, "title", "Ebb", who="ada")
    store.set_value(number, "title", "Flood", who="bo")
    with pytest.raises(ConflictError, match="title") as caught:
        store.undo(batch, who="ada")
    assert (caught.value.article, caught.value.hint) == (number, "undo the later act first")
    assert store.citation(number).title == "Flood"


def test_what_an_undone_act_made_is_deleted_but_not_where_it_was_changed_since(store: Store) -> None:
    number = kept(store)
    store.undo(1, who="ada")
    assert store.records.get(number).status is Status.DELETED
    assert list(store.citations()) == []
    with pytest.raises(ConflictError, match="record"):
        store.undo(1, who="ada")
    assert store.check() == ()


def test_a_deleted_record_is_hidden_until_it_is_asked_for_or_brought_back(store: Store) -> None:
    number = kept(store)
    batch = store.review.delete([number], who="ada", reason="no article")
    assert list(store.citations()) == []
    assert list(store.records.numbered()) == []
    assert list(store.citations(statuses=[Status.DELETED])) == [TIDES]
    assert store.save(None, [replace(TIDES, pmid="7")]) == SaveCounts(changed=1)
    assert list(store.citations()) == []
    store.undo(batch, who="ada")
    assert [citation.pmid for citation in store.citations()] == ["7"]
    assert store.check() == ()


def test_no_later_reading_replaces_a_persons_word(store: Store) -> None:
    number = kept(store)
    store.set_value(number, "title", "Tides & gout", who="ada")
    store.accept(number, ["authors", "volume"], who="ada")
    again = replace(
        TIDES,
        authors=(Author(family="March"),),
        affiliations=(),
        issue="5",
        abstract="Now with an abstract",
        evidence=(proof("title", 0.7), proof("abstract"), proof("authors")),
    )
    assert store.save(None, [again]) == SaveCounts(changed=1)
    citation = store.citation(number)
    assert (citation.title, citation.title_html, citation.volume) == ("Tides & gout", "", "2")
    assert (citation.authors, citation.affiliations) == (TIDES.authors, TIDES.affiliations)
    assert (citation.issue, citation.abstract) == ("5", "Now with an abstract")
    assert {(one.field, one.source) for one in citation.evidence} == {
        ("abstract", "zone"),
        ("authors", "zone"),
        ("title", "operator"),
    }
    assert Alternative(field="title", value="Tides and gout", score=0.7) in citation.alternatives
    assert store.save(None, [again]) == SaveCounts(same=1)
    store.set_value(number, "issue", "6", who="ada")
    store.save(None, [again])
    assert list(store.citations(issue="2(6)")) == [store.citation(number)]
    assert store.check() == ()


def test_a_reading_that_changes_an_accepted_record_proposes_it_again(store: Store) -> None:
    number = kept(store)
    store.accept(number, who="ada")
    store.save(None, [replace(TIDES, evidence=(proof("title", 0.6),))])
    assert store.records.get(number).status is Status.ACCEPTED
    store.save(None, [replace(TIDES, pmid="7")])
    article = store.records.get(number)
    assert (article.status, article.citation.pmid, article.states.get("pmid")) == (Status.PROPOSED, "7", None)
    assert article.states["title"] is FieldState.ACCEPTED


def test_a_reading_replaces_what_a_program_accepted(store: Store) -> None:
    number = kept(store)
    store.accept(number, ["volume"], who="threshold", state=FieldState.AUTO_ACCEPTED)
    store.save(None, [replace(TIDES, volume="9")])
    article = store.records.get(number)
    assert (article.citation.volume, article.states) == ("9", {})


def test_two_writers_of_one_record_both_have_their_say(store: Store) -> None:
    number = kept(store)
    one = replace(TIDES, pmid="7", evidence=(*TIDES.evidence, proof("pmid")))
    two = replace(TIDES, pii="S1", volume="8", evidence=(*TIDES.evidence, proof("pii")))
    store.records.write([(number, one)], who="one", bases={number: TIDES})
    store.records.write([(number, replace(two, pmid="9"))], who="two", bases={number: TIDES})
    citation = store.citation(number)
    assert (citation.pmid, citation.pii, citation.volume) == ("7", "S1", "8")
    assert [proof_.field for proof_ in citation.evidence] == ["title", "authors", "pmid", "pii"]


def test_a_record_that_somebody_else_changed_meanwhile_is_refused(store: Store) -> None:
    number = kept(store)
    version = store.records.get(number).version
    store.set_value(number, "title", "Ebb", who="ada", version=version)
    for act in (
        lambda: store.set_value(number, "title", "Flood", who="bo", version=version),
        lambda: store.accept(number, who="bo", version=version),
        lambda: store.review.delete(number, who="bo", version=version),
    ):
        with pytest.raises(ConflictError, match="version 2, not 1") as caught:
            act()
        assert caught.value.hint
    assert store.citation(number).title == "Ebb"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda store: store.set_value(1, "colour", "red", who="ada"), "no such field: colour"),
        (lambda store: store.set_value(1, "evidence", (), who="ada"), "no such field: evidence"),
        (lambda store: store.set_value(1, "title", 7, who="ada"), "title takes text, not int"),
        (lambda store: store.set_value(1, "authors", [{"name": "x"}], who="ada"), "authors cannot hold this value"),
        (lambda store: store.set_value(1, "authors", 7, who="ada"), "authors cannot hold this value"),
        (lambda store: store.set_value(1, "affiliations", [], who="ada"), "an author refers to an affiliation"),
        (lambda store: store.set_value(9, "title", "x", who="ada"), "no such article: 9"),
        (lambda store: store.set_value(1, "title", "x", who=""), "no person is named"),
        (lambda store: store.accept(1, ["colour"], who="ada"), "no such field: colour"),
        (lambda store: store.accept([1, 9], who="ada"), "no such article: 9"),
        (lambda store: store.undo(99, who="ada"), "no such act: 99"),
        (lambda store: store.records.get(9), "no such article: 9"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_hint_and_changes_nothing(
    store: Store, act: Callable[[Store], object], message: str
) -> None:
    kept(store)
    with pytest.raises(StoreError, match=message) as caught:
        act(store)
    assert caught.value.hint
    assert len(told(store)) == 1


def test_authors_and_affiliations_are_corrected_together_also_as_json(store: Store) -> None:
    number = kept(store)
    people = [{"family": "Marsh", "affiliations": [1]}]
    store.review.set_values(number, {"authors": people, "affiliations": ["Quay House", "Pier 9"]}, who="ada")
    citation = store.citation(number)
    assert citation.authors == (Author(family="Marsh", affiliations=(1,)),)
    assert citation.affiliations == ("Quay House", "Pier 9")


def test_an_article_is_no_longer_found_by_an_identifier_that_a_person_removed(store: Store) -> None:
    number = kept(store, replace(TIDES, pmid="7"))
    store.save(None, [TIDES])  # a reading that missed the PMID
    store.set_value(number, "doi", "", who="ada", reason="of another article")
    assert store.records.find(Citation(doi="10.5555/tides", title="Other")) is None
    assert store.records.find(Citation(pmid="7")) == (number, store.citation(number))


def test_nothing_is_noted_where_nothing_changes(store: Store) -> None:
    number = kept(store)
    store.accept(number, ["title"], who="ada")
    lines = len(told(store))
    store.accept(number, ["title"], who="bo")
    store.records.write([(number, TIDES)], who="bo")
    assert len(told(store)) == lines
    assert store.records.get(number).version == 2


def test_values_tell_evidence_and_state_of_each_field(store: Store) -> None:
    number = kept(store)
    store.accept(number, ["doi"], who="ada")
    assert rows(store, 'SELECT field, "ord", text, source, score, state FROM value ORDER BY field, "ord"') == [
        ("authors", 0, None, "zone", 0.9, "proposed"),
        ("doi", 0, None, "", None, "accepted"),
        ("title", 0, None, "zone", 0.5, "proposed"),
        ("title", 1, "Tides", "", 0.2, "proposed"),
    ]


@pytest.mark.parametrize("together", [1, 500])
def test_articles_of_an_issue_share_its_row(store: Store, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acts, "_ISSUES_PER_LOOKUP", together)
    others = [
        replace(TIDES, title="B", doi="10.5555/b", date="2024-04"),
        replace(TIDES, title="C", doi="10.5555/c", issue="5"),
        replace(TIDES, title="D", doi="10.5555/d", journal="", issn=("2049-3630",)),
        replace(TIDES, title="E", doi="10.5555/e", volume="", issue=""),
        replace(TIDES, title="F", doi="10.5555/f", journal=""),
    ]
    store.save(None, [TIDES, *others])
    assert rows(store, "SELECT journal, volume, number, title, date FROM issue ORDER BY id") == [
        ("shore", "2", "4", "Shore", "2024-03"),
        ("shore", "2", "5", "Shore", "2024-03"),
        ("20493630", "2", "4", "", "2024-03"),
    ]
    assert [row[0] for row in rows(store, "SELECT issue_id FROM article ORDER BY id")] == [1, 1, 2, 3, None, None]
    store.set_value(1, "issue", "5", who="ada")
    assert rows(store, "SELECT issue_id FROM article WHERE id = 1") == [(2,)]


def test_changed_articles_come_in_the_order_of_their_last_change_with_those_deleted(store: Store) -> None:
    one, two, three = (kept(store, replace(TIDES, title=f"T{n}", doi=f"10.5555/{n}")) for n in range(3))
    first = list(store.records.changed_since())
    assert [(item.number, item.version, item.deleted) for item in first] == [
        (one, 1, False),
        (two, 1, False),
        (three, 1, False),
    ]
    store.accept(one, who="ada")
    store.review.delete(two, who="ada")
    later = list(store.records.changed_since(first[-1].batch))
    assert [(item.number, item.version, item.deleted) for item in later] == [(one, 2, False), (two, 2, True)]
    assert later[0].citation == store.citation(one)
    assert later[0].digest == first[0].digest != first[1].digest
    assert later[0].updated > first[0].updated
    store.set_value(one, "pmid", "7", who="ada")
    (last,) = store.records.changed_since(later[-1].batch)
    assert (last.number, last.digest == first[0].digest) == (one, False)


def test_more_changed_articles_than_one_batch_come_once_each(store: Store) -> None:
    store.save(None, [Citation(title=f"Title {n}", journal="Shore") for n in range(450)])
    store.save(None, [Citation(title="Title 7", journal="Shore", pmid="7")])
    numbers = [item.number for item in store.records.changed_since()]
    assert sorted(numbers) == list(range(1, 451))
    assert numbers[-1] == 8


def test_the_log_can_be_read_on_from_a_line(store: Store) -> None:
    number = kept(store)
    store.accept(number, ["title"], who="ada")
    lines = list(store.changes())
    assert list(store.changes(since=lines[0].id)) == lines[1:]
    assert lines[1] == Change(
        id=lines[1].id,
        at=lines[1].at,
        who="ada",
        article=number,
        field="title.state",
        before='"proposed"',
        after='"accepted"',
        reason="",
        batch=2,
    )


def test_a_batch_may_hold_an_article_twice(store: Store) -> None:
    run = store.runs.begin("u", "f", ())
    later = replace(TIDES, pmid="7")
    assert store.save(run, [TIDES, replace(TIDES, title="B", doi="10.5555/b"), later, later]) == SaveCounts(2, 1, 1)
    assert [citation.pmid for citation in store.citations(run=run)] == ["7", ""]
    assert store.check() == ()


def test_a_persons_label_of_a_zone_stays_against_a_method(store: Store) -> None:
    def labelled(path: str, label: str) -> LabelledZone:
        return LabelledZone(Zone(level=3, tag="p", path=path, text="x"), Verdict(label, 0.6, "crf"))

    store.records.label_zones("d1", [labelled("a", "title"), labelled("b", "other")])
    store.records.label_zones("d1", [labelled("b", "abstract")], who="ada")
    store.records.label_zones("d1", [labelled("a", "author"), labelled("b", "other")])
    assert store.records.zone_labels("d1") == {
        "a": Verdict("author", 0.6, "crf"),
        "b": Verdict("abstract", 0.6, "operator ada"),
    }
    store.records.label_zones("d1", [labelled("b", "title")], who="bo")
    store.records.label_zones("d1", [])
    assert store.records.zone_labels("d1")["b"] == Verdict("title", 0.6, "operator bo")
    assert store.records.zone_labels("d2") == {}


def test_the_zones_that_fields_were_found_in_are_kept(store: Store) -> None:
    deep = proof("journal", path="div/" * 900)
    found = (
        proof("title", 0.7, path="h1"),
        proof("authors", 0.9, path="p"),
        proof("affiliations", 0.4, path="p"),
        proof("doi", source="meta", path="dc"),
        deep,
    )
    number = kept(store, replace(TIDES, evidence=found))
    assert store.records.zone_labels("d") == {"h1": Verdict("title", 0.7, "m"), "p": Verdict("authors", 0.9, "m")}
    deep_zone = LabelledZone(Zone(level=900, tag="p", path=deep.path, text="x"), Verdict("journal", 0.6, "crf"))
    h1 = LabelledZone(Zone(level=3, tag="h1", path="h1", text="x"), Verdict("other", 1.0, ""))
    store.records.label_zones("d", [h1, deep_zone], who="ada")
    store.save(None, [replace(TIDES, evidence=(proof("title", 0.8, path="h1"), proof("volume", path="p", method="")))])
    assert store.records.zone_labels("d") == {
        "h1": Verdict("other", 1.0, "operator ada"),
        "p": Verdict("volume", 0.5, "unknown"),
    }
    assert store.records.get(number).version == 2


sequences_of_acts = st.lists(
    st.one_of(
        st.tuples(st.just("save"), st.integers(0, 2), st.sampled_from(["", "a", "b"])),
        st.tuples(st.just("set"), st.integers(0, 2), st.sampled_from(["title", "volume", "doi"])),
        st.tuples(st.just("accept"), st.integers(0, 2), st.sampled_from(["", "title"])),
        st.tuples(st.just("delete"), st.integers(0, 2), st.just("")),
        st.tuples(st.just("undo"), st.integers(1, 9), st.just("")),
    ),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=15)
@given(sequences_of_acts)
def test_whatever_is_done_the_log_tells_it(store: Store, done: list[tuple[str, int, str]]) -> None:
    first = [kept(store, replace(TIDES, title=f"{n}", doi=f"10.5555/{n}")) for n in range(3)]
    for n, (act, which, what) in enumerate(done):
        try:
            if act == "save":
                store.save(None, [replace(TIDES, title=f"{which}", doi=f"10.5555/{which}", abstract=what)])
            elif act == "set":
                store.set_value(first[which], what, f"{n}", who="ada")
            elif act == "accept":
                store.accept(first[which], [what] if what else [], who="ada")
            elif act == "delete":
                store.review.delete(first[which], who="ada")
            else:
                store.undo(max(line.batch for line in store.changes()) - which, who="ada")
        except (ConflictError, StoreError):
            continue
    assert store.check() == ()
