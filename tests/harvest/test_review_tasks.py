"""What the review app asks of a page: to show it, to label it by hand, to learn from it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from reportlab.pdfgen.canvas import Canvas

from medharvest.codec import from_json, to_json
from medharvest.harvest.review_tasks import HAND_LABEL_METHOD, answer_review_task
from medharvest.journals.article_reader import Lesson
from medharvest.library.review import has_other_value
from medharvest.records import Citation

PAGE = b"""<html><head><title>Tides and gout</title><meta name="citation_title" content="Tides and gout">
<meta name="citation_author" content="Moe, Ann"></head><body><h1>Tides and gout</h1><p class="by">Ann Moe</p>
<h2>Abstract</h2><p class="ab">We followed forty people over two winters, and most of them were well in spring.</p>
<p class="sub">A letter from the harbour</p><div class="berth">Pilots by the Sea, Tidemouth</div></body></html>"""
BERTH = "html[1]/body[1]/div[1]"
JOB: dict[str, Any] = {"url": "http://mole.example/1", "name": "1", "charset": "utf-8", "max_pdf_pages": 5}


def asked(task: str, body: bytes = PAGE, lessons: tuple[Lesson, ...] = (), **options: Any) -> dict[str, Any]:
    answer = answer_review_task(task, {**JOB, **options}, body, lessons)
    return dict(json.loads(json.dumps(answer)))  # it goes through a pipe


def record() -> Citation:
    return from_json(Citation, asked("reread")["citation"])


def test_a_page_is_shown_with_its_zones() -> None:
    assert f'data-zone="{BERTH}"' in asked("show")["html"]


def test_a_pdf_is_shown_as_boxes_over_pictures() -> None:
    canvas = Canvas("x.pdf")
    canvas.drawString(72, 700, "Tides and gout in a harbour town: a letter from the pilots")
    body = canvas.getpdfdata()
    ((page, path, box), *_) = asked("show", body)["boxes"]
    assert (page, path.partition("/")[0], len(box)) == (1, "html[1]", 4)
    drawn = asked("draw", body, number=1)
    assert drawn["png"].startswith("iVBOR")
    assert drawn["height"] > drawn["width"] > 0


def test_a_zone_labelled_by_hand_fills_its_field() -> None:
    before = record()
    assert before.affiliations == ()
    made = asked("relabel", citation=to_json(before), labels={BERTH: "affiliation"})["citation"]
    after = from_json(Citation, made)
    assert after.affiliations == ("Pilots by the Sea, Tidemouth",)
    assert after.authors[0].affiliations == (0,)
    assert after.title == before.title
    assert {proof.method for proof in after.evidence if proof.field == "affiliations"} <= {HAND_LABEL_METHOD}


def test_authors_labelled_by_hand_are_tied_to_the_places_of_the_record_not_of_the_page() -> None:
    place = "Department of Tides, University of Tidemouth, Tidemouth, Wales"
    berth = f'<div class="affiliation"><sup>1</sup>{place}</div>'.encode()
    page = PAGE.replace(b"Ann Moe</p>", b"Ann Moe<sup>1</sup></p>" + berth)
    before = replace(record(), affiliations=("Kelp Bay Clinic", place))
    made = asked("relabel", page, citation=to_json(before), labels={"html[1]/body[1]/p[1]": "author"})["citation"]
    after = from_json(Citation, made)
    assert after.affiliations == before.affiliations
    assert [after.affiliations[n] for n in after.authors[0].affiliations] == [place]


def test_one_zone_alone_is_the_title() -> None:
    labels = {"html[1]/body[1]/p[3]": "title"}
    made = asked("relabel", citation=to_json(record()), labels=labels)["citation"]
    assert made["title"] == "A letter from the harbour"


def test_a_corrected_record_teaches_and_its_page_is_read_by_it() -> None:
    made = asked("relabel", citation=to_json(record()), labels={BERTH: "affiliation"})["citation"]
    lesson = from_json(Lesson, json.loads(asked("teach", citation=made)["lesson"]))
    again = asked("reread", PAGE.replace(b"Pilots", b"Menders"), (lesson,))["citation"]
    assert again["affiliations"] == ["Menders by the Sea, Tidemouth"]
    assert lesson.patterns is not None
    assert "affiliation" in {zone.label for zone in lesson.patterns.zones}


def test_another_reading_differs_only_where_it_says_something() -> None:
    known = Citation(affiliations=("A", "B"))
    assert has_other_value(known, Citation(affiliations=("C",)), "affiliations")
    assert not has_other_value(known, Citation(), "affiliations")
