"""A journal taught by its pages, and its further pages read by the method that scored best."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.zones import journal

from medharvest.codec import from_json, to_json
from medharvest.errors import InputError
from medharvest.harvest.input_reader import read_sources
from medharvest.journals.article_reader import (
    Lesson,
    SourceScore,
    choose_field_sources,
    field_agreement,
    label_page,
    lessons_of,
    open_lessons,
    read_taught_page,
    teach_pages,
)
from medharvest.journals.inputs import Source
from medharvest.journals.lessons import LearntPage, learn_from_truth, load_truth
from medharvest.records import Author, Citation, Evidence
from medharvest.settings import Read, Settings
from medharvest.store import open_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n in range(4):
        (tmp_path / f"{n}.html").write_text(journal.html(n), encoding="utf-8")
    return tmp_path


def lessons(*numbers: int) -> tuple[Lesson, ...]:
    return teach_pages([(journal.page(n), journal.known(n)) for n in numbers])


def names(citation: Citation) -> list[str]:
    return [f"{one.given} {one.family}" for one in citation.authors]


def test_a_page_of_a_taught_journal_is_read_whole() -> None:
    citation = read_taught_page(journal.page(7), lessons(1))
    assert citation.title == journal.title(7)
    assert names(citation) == list(journal.PEOPLE)
    assert set(journal.PLACES) <= set(citation.affiliations)
    assert citation.abstract == journal.abstract(7)
    assert {proof.method for proof in citation.evidence if proof.field == "abstract"} == {"template"}


def test_more_pages_prove_each_way_by_the_others() -> None:
    taught = lessons(1, 2, 3)
    assert {one.score for lesson in taught for one in lesson.scores if one.field == "title"} <= {0.0, 1.0}
    assert choose_field_sources(taught)["abstract"] != "untaught"
    earlier = [lesson.layout for lesson in lessons(1, 2)]
    assert teach_pages([(journal.page(3), journal.known(3))], before=earlier)[0].layout == taught[2].layout


def test_a_page_proves_itself_only_when_it_is_alone() -> None:
    bare = replace(journal.page(2), text="<p>Nothing that is known", digest="bare")
    pages = [(journal.page(1), journal.known(1)), (bare, journal.known(2))]
    [alone], together = teach_pages(pages[:1]), teach_pages(pages)

    def abstract_scores(lesson: Lesson) -> dict[str, float]:
        return {one.source: one.score for one in lesson.scores if one.field == "abstract"}

    assert abstract_scores(alone)["template"] > abstract_scores(alone)["untaught"]
    assert abstract_scores(together[0])["template"] == abstract_scores(together[0])["untaught"]


def test_a_tie_goes_to_what_was_taught_and_a_field_that_was_not_taught_is_read_as_ever() -> None:
    scores = tuple(SourceScore("title", source, 1.0) for source in ("untaught", "template-printed", "template"))
    [lesson] = lessons(1)
    choice = choose_field_sources([replace(lesson, scores=scores)])
    assert (choice["title"], choice["abstract"]) == ("template", "untaught")
    better = (SourceScore("title", "untaught", 1.0), SourceScore("title", "template", 0.9))
    assert choose_field_sources([replace(lesson, scores=better)])["title"] == "untaught"


def test_nothing_taught_reads_as_ever() -> None:
    assert set(choose_field_sources(()).values()) == {"untaught"}


def test_affiliations_of_another_reading_are_linked_only_when_they_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Citation(authors=(Author(family="A", affiliations=(0, 5)),), affiliations=("X",), title="T")
    proof = Evidence(
        field="affiliations", page="", source="zone", path="p", start=0, end=1, text="X", method="template", score=1.0
    )
    many = Citation(authors=(Author(family="A"), Author(family="B")), affiliations=("X", "Y"), evidence=(proof,))
    readings = {"untaught": few, "template": many}
    monkeypatch.setattr("medharvest.journals.article_reader.read_by_sources", lambda *_, **__: readings)
    monkeypatch.setattr(
        "medharvest.journals.article_reader.choose_field_sources",
        lambda _: {"title": "template", "affiliations": "template"},
    )
    citation = read_taught_page(journal.page(1), lessons(1))
    assert citation.title == "T"  # what the other reading lacks stays
    assert citation.affiliations == ("X", "Y")
    assert citation.authors == (Author(family="A", affiliations=(0,)),)


@pytest.mark.parametrize(
    ("label", "known", "found", "score"),
    [
        ("title", ["A b"], ["A B."], 1.0),
        ("title", ["A b"], [], 0.0),
        ("abstract", ["a b"], ["a b"], 1.0),
        ("abstract", ["a b"], [], 0.0),
        ("abstract", ["—"], ["—"], 0.0),
        ("author", ["Ada Lowtide", "Carl Spring"], ["Lowtide Ada"], 2 / 3),
        ("affiliation", ["Port Ebb"], [], 0.0),
    ],
)
def test_how_far_fields_agree(label: str, known: list[str], found: list[str], score: float) -> None:
    assert field_agreement(label, known, found) == pytest.approx(score)


def test_lessons_are_kept_in_the_store_and_read_pages(folder: Path) -> None:
    store_file = str(folder / "s.sqlite")
    with open_store(store_file) as store:
        rows: list[dict[str, object]] = [journal.row(1), {"file": "2.html", "title": "Never printed here at all"}]
        learnt = learn_from_truth(store, "tides", rows, folder, Read())
        assert learnt == (
            LearntPage("1", ("title", "author", "affiliation", "abstract"), ()),
            LearntPage("2.html", (), ("title",)),
        )
        learn_from_truth(store, "tides", [journal.row(2)], folder, Read())
        assert len(lessons_of(store, "tides")) == 2
    taught = open_lessons(["tides", ""], Settings(store=store_file))
    three = str(folder / "3.html")
    sources = Source(three, journal="tides"), Source(three), Source("x", journal="tides")
    read = [result for _, result in read_sources(sources, Settings(read=Read(workers=1)), taught)]
    [(_, alone)] = read_sources(sources[:1], Settings(), taught)  # one page is read here
    assert isinstance(read[0], Citation)
    assert names(read[0]) == list(journal.PEOPLE)
    assert read[0] == alone
    assert isinstance(read[1], Citation)
    assert read[1] != alone
    assert isinstance(read[2], InputError)


def test_without_a_journal_the_store_stays_closed() -> None:
    assert open_lessons([""], Settings(store="/nowhere/at/all/s.sqlite")) == {}


def test_zones_are_labelled_with_and_without_lessons() -> None:
    def titles(taught: tuple[Lesson, ...]) -> list[str]:
        return [item.verdict.method for item in label_page(journal.page(7), taught) if item.verdict.label == "title"]

    assert titles(lessons(1)) == ["template"]
    assert titles(()) != ["template"]


def test_a_lesson_is_json() -> None:
    [lesson] = lessons(1)
    assert from_json(Lesson, json.loads(json.dumps(to_json(lesson)))) == lesson


@pytest.mark.parametrize("line", ["[]", "{", '{"title": "T"}', '{"id": 3}'])
def test_a_wrong_line_of_truth_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "truth.jsonl"
    file.write_text('\n{"id": "1"}\n' + line)
    with pytest.raises(InputError, match=r"truth line is wrong: .*truth.jsonl:3"):
        load_truth(file)


@pytest.mark.parametrize(("name", "message"), [("../1.html", "not in the folder"), ("9", "no such file: 9")])
def test_truth_names_files_of_the_folder(folder: Path, name: str, message: str) -> None:
    with open_store(":memory:") as store, pytest.raises(InputError, match=message):
        learn_from_truth(store, "tides", [{"id": name}], folder, Read())
