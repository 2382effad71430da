"""The collection searched in the app, and records delivered from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.waiting import until
from tests.web.visiting import Visitor

from medharvest.records import Policy
from medharvest.store import DeliveryRow, Journal, Store
from medharvest.store.people import Role
from medharvest.web.context import ReviewDesk


def test_words_are_found_and_marked(visitor: Visitor) -> None:
    text = visitor.get("/search?q=falls")
    assert "<mark>falls</mark>" in text.lower()
    assert 'href="/records/' in text
    assert "<strong>0</strong> found" in visitor.get("/search?q=falls&kind=page")
    assert "<strong>0</strong> found" in visitor.get("/search?q=zebra&page=3")
    assert "truncated words such as" in visitor.get("/search")


def test_a_query_is_widened_and_its_lines_are_shown(visitor: Visitor) -> None:
    text = visitor.get("/search?q=constipation&reach=near")
    assert "What was searched for" in text
    assert "synonym" in text
    assert "Not done" in visitor.get("/search?q=(", 422)


def test_what_a_query_says_is_never_markup(visitor: Visitor) -> None:
    assert "<img" not in visitor.get('/search?q="<img src=x>"')


def test_many_hits_come_page_by_page(visitor: Visitor, store: Store) -> None:
    first = store.citation(1)
    for n in range(25):
        store.save(None, [replace(first, title=f"Pearl diving {n}", doi=f"10.5555/p.{n}", first_page=str(n), pmid="")])
    assert "page=1" in visitor.get("/search?q=pearl")
    assert "page=0" in visitor.get("/search?q=pearl&page=1")


@pytest.fixture
def clerk(desk: ReviewDesk, tmp_path: Path) -> Visitor:
    """Somebody who may deliver to a folder."""
    settings = replace(desk.settings, targets=f"shelf = folder:{tmp_path / 'shelf'}?format=ris")
    return Visitor(replace(desk, settings=settings), "cleo", Role.REVIEWER)


def test_targets_are_listed_tried_and_sent_to(clerk: Visitor, desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    assert "nothing sent yet" in clerk.get("/deliver")
    assert "no records; nothing was sent" in clerk.send("/deliver/shelf/dry")  # nobody accepted one
    text = clerk.send("/deliver/shelf/dry", all="1")
    count = len(list(store.records.numbered()))
    assert f"{count} would be sent; nothing was sent" in text
    assert not (tmp_path / "shelf").exists() or not list((tmp_path / "shelf").iterdir())
    assert clerk.send("/deliver/shelf", all="1").startswith("/deliver#work-")
    until(lambda: desk.jobs.all()[0].ended)
    assert desk.jobs.all()[0].problem == ""
    (file,) = (tmp_path / "shelf").iterdir()
    assert file.read_text(encoding="utf-8").count("TY  - ") == count
    assert f"{count} sent" in clerk.get("/deliver")
    assert f"{count} unchanged" in clerk.send("/deliver/shelf/dry", all="1")
    clerk.send("/deliver/shelf", all="1")
    until(lambda: desk.jobs.all()[0].ended)
    assert desk.jobs.all()[0].result == f"{count} unchanged"


def test_a_dry_run_says_that_the_address_of_a_target_has_changed(clerk: Visitor, store: Store) -> None:
    assert "its address has changed" not in clerk.send("/deliver/shelf/dry", all="1")
    store.deliveries.keep("shelf", [DeliveryRow(article=1, digest="d" * 64, state="sent")], address="a" * 64)
    assert "shelf: its address has changed" in clerk.send("/deliver/shelf/dry", all="1")


def test_nobody_sends_records_to_an_address_of_their_own(clerk: Visitor) -> None:
    assert "no such target" in clerk.send("/deliver/http:example/dry", 422)


def test_what_a_journal_permits_is_kept_and_obeyed(visitor: Visitor, store: Store) -> None:
    known = store.citation(1)
    store.journals.save(Journal(name="tides", title=known.journal, issn=known.issn))
    visitor.send("/policies/tides", permission="library", embargo="", download="1")
    assert store.journals.get("tides").policy == Policy(permission="library", abstracts=False)
    exported = visitor.get(f"/issues/{store.overview.issue_of(1)}/export/ris")
    assert "TI  - " in exported
    assert "AB  - " not in exported
    assert "not an embargo" in visitor.send("/policies/tides", 422, embargo="soon")
    store.journals.save(Journal(name="far", hosts=("far.example",)))
    visitor.send("/policies/far", permission="", embargo="")
    assert "not permitted by its policy" in visitor.send("/runs", 422, url="https://far.example/1")
