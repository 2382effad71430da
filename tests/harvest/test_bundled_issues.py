"""The bundled issues, harvested over loopback from end to end."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from tests.harvest.conftest import Harvested

from medharvest.demo import DemoArticle, DemoPage, list_demo_issues, list_demo_pages
from medharvest.records import Arrived, Asked, Author, Citation, Cited, Failed, Kind, Outcome, Place, Reason, title_key

PAGES = {page.path: page for page in list_demo_pages()}
FOLDERS = {Kind.ABSTRACT: "Abstract", Kind.FULLTEXT: "FullText", Kind.PDF: "PDF", Kind.IMAGE: "Image"}


def path(url: str) -> str:
    return urlsplit(url).path


def final(page: DemoPage) -> DemoPage:
    return final(PAGES[page.location]) if page.location else page


def told(outcome: Outcome) -> tuple[str, Reason | None]:
    return path(outcome.wish.url), outcome.reason


def is_modern(harvested: Harvested) -> bool:
    return not harvested.issue.template.startswith("table")


def found(harvested: Harvested, article: DemoArticle) -> Citation:
    wanted = title_key(article.citation.title)
    (citation,) = [one for one in harvested.harvest.citations if title_key(one.title) == wanted]
    return citation


# Compound surnames on pages that print names whole: the true family name, and what is read of it. Each is a known loss;
# one that is read right must leave this table.
LOST_FAMILY_NAMES = {
    "Cavalcanti de Sá": "de Sá",
}


def is_same_person(read: Author, expected: Author) -> bool:
    """Whether a name was read as it is, or with its known loss."""
    family = LOST_FAMILY_NAMES.get(expected.family, expected.family)
    lost = expected.family.removesuffix(family).strip()
    given = " ".join(filter(None, (expected.given, lost)))
    return (read.collective, read.given, read.family, read.suffix) == (
        expected.collective,
        given,
        family,
        expected.suffix,
    )


def test_every_article_of_the_modern_templates_is_found_with_title_authors_journal_and_date(
    harvested: Harvested,
) -> None:
    if not is_modern(harvested):
        return
    for article in harvested.issue.articles:
        citation, expected = found(harvested, article), article.citation
        assert (citation.title, citation.journal, citation.date) == (expected.title, expected.journal, expected.date)
        assert len(citation.authors) == len(expected.authors)
        assert all(map(is_same_person, citation.authors, expected.authors)), (citation.authors, expected.authors)
    assert len(harvested.harvest.citations) == len(harvested.issue.articles)


def test_no_article_of_another_issue_comes_along(harvested: Harvested) -> None:
    foreign = {
        title_key(article.citation.title)
        for issue in list_demo_issues()
        for article in issue.articles
        if issue.id != harvested.issue.id
    }
    own = {title_key(article.citation.title) for article in harvested.issue.articles}
    assert not {title_key(citation.title) for citation in harvested.harvest.citations} & (foreign - own)
    assert {(citation.volume, citation.issue) for citation in harvested.harvest.citations} <= {
        (harvested.issue.volume, harvested.issue.issue)
    }


def test_nothing_that_robots_txt_forbids_is_asked_for(harvested: Harvested) -> None:
    assert harvested.log[0].path == "/robots.txt"
    assert not [request.path for request in harvested.log if request.path.startswith("/private/")]


def test_no_page_is_asked_for_twice_but_one_that_failed(harvested: Harvested) -> None:
    asked = [request.path for request in harvested.log]
    twice = {one for one in asked if asked.count(one) > 1}
    fails_once = {one for one in twice if PAGES[one].fault == "fails-once"}
    failed = {path(outcome.wish.url) for outcome in harvested.harvest.failures}
    redirected = {PAGES[one].location for one in asked if PAGES[one].location}
    assert twice <= fails_once | failed | redirected


def test_files_land_in_folders_by_kind(harvested: Harvested) -> None:
    bodies: dict[str, list[bytes]] = {}
    for file in harvested.folder.glob("*/*"):
        if file.is_file():
            bodies.setdefault(file.parent.name, []).append(file.read_bytes())
    expected: dict[str, int] = {}
    for outcome in harvested.harvest.pages:
        folder = FOLDERS.get(outcome.kind, "Other")
        expected[folder] = expected.get(folder, 0) + 1
        assert outcome.size in {len(body) for body in bodies[folder]}
    assert {folder: len(found) for folder, found in bodies.items()} == expected
    assert all(body.startswith(b"%PDF-") for body in bodies["PDF"])
    assert all(file.suffix == ".pdf" for file in (harvested.folder / "PDF").iterdir())


def test_walls_and_pages_that_are_not_there_are_failures_with_their_reasons(harvested: Harvested) -> None:
    walls = {Kind.LOGIN: Reason.LOGIN_WALL, Kind.MISSING: Reason.SOFT_404}
    asked = {request.path for request in harvested.log} - {"/robots.txt"}
    targets = {PAGES[one].location for one in asked}  # reached by a redirect, so not wished for
    expected = {(one, walls[kind]) for one in asked - targets if (kind := final(PAGES[one]).kind) in walls}
    assert {told(outcome) for outcome in harvested.harvest.failures} == expected
    assert all(outcome.detail for outcome in harvested.harvest.failures)


def test_a_page_that_fails_once_is_asked_for_again(harvested: Harvested) -> None:
    broken = [request.path for request in harvested.log if request.status == 500]
    assert sorted(broken) == sorted(
        page.path for page in list_demo_pages() if page.issue == harvested.issue.id and page.fault == "fails-once"
    )
    for once in broken:
        assert [request.status for request in harvested.log if request.path == once] == [500, 200]
        events = [event for event in harvested.events if isinstance(event, Failed | Arrived)]
        assert [type(event) for event in events if path(event.outcome.wish.url) == once] == [Failed, Arrived]


def test_the_bundled_issues_have_something_to_fail_at() -> None:
    assert {final(page).kind for page in list_demo_pages()} >= {Kind.LOGIN, Kind.MISSING}
    assert {page.fault for page in list_demo_pages()} >= {"fails-once", "slow"}


def test_the_store_holds_every_page_and_every_citation(harvested: Harvested) -> None:
    (run,) = harvested.runs
    assert (run.state, run.url) == ("finished", harvested.server + harvested.issue.path)
    assert (run.pages, run.failures, run.citations) == (
        len(harvested.harvest.pages),
        len(harvested.harvest.failures),
        len(harvested.harvest.citations),
    )
    closed = {node.wish for node in harvested.nodes if node.place is Place.CLOSED}
    assert closed == {event.outcome.wish for event in harvested.events if isinstance(event, Arrived)}
    lost = {(node.wish, node.reason) for node in harvested.nodes if node.place is Place.REVISITED}
    assert lost == {(outcome.wish, outcome.reason) for outcome in harvested.harvest.failures}
    assert {node.wish for node in harvested.nodes} == {e.wish for e in harvested.events if isinstance(e, Asked)}
    assert sorted(harvested.stored, key=lambda one: one.url) == sorted(
        harvested.harvest.citations, key=lambda one: one.url
    )


def test_every_citation_is_told_and_no_outcome_of_a_harvest_holds_links(harvested: Harvested) -> None:
    cited = [event.citation for event in harvested.events if isinstance(event, Cited)]
    assert cited == list(harvested.harvest.citations)
    outcomes = (*harvested.harvest.pages, *harvested.harvest.failures)
    assert all(outcome == replace(outcome, links=()) for outcome in outcomes)
    assert any(event.outcome.links for event in harvested.events if isinstance(event, Arrived))


def test_every_citation_names_the_evidence_of_its_title(harvested: Harvested) -> None:
    for citation in harvested.harvest.citations:
        assert any(proof.field == "title" for proof in citation.evidence)
