import html
import re
from collections import defaultdict
from pathlib import PurePosixPath
from urllib.parse import urljoin

from pypdfium2 import PdfDocument

from medharvest.codec import from_json, to_json
from medharvest.demo import (
    DemoArticle,
    DemoPage,
    link_truth,
    list_demo_issues,
    list_demo_pages,
    read_demo_file,
    zone_truth,
)
from medharvest.records import Citation, Kind

PAGES = {page.file: page for page in list_demo_pages() if page.file}
BY_PATH = {page.path: page for page in list_demo_pages()}
ARTICLES = {article.id: article for issue in list_demo_issues() for article in issue.articles}
ARTICLE_PAGES = [page for page in list_demo_pages() if page.kind in (Kind.ABSTRACT, Kind.FULLTEXT) and page.file]


def decoded(file: str) -> str:
    return read_demo_file(file).decode(PAGES[file].encoding)


def final(path: str) -> DemoPage:
    page = BY_PATH[path]
    while page.location:
        page = BY_PATH[page.location]
    return page


def test_every_file_of_the_manifest_exists_and_every_path_is_named_once() -> None:
    assert len(BY_PATH) == len(list_demo_pages())
    assert all(read_demo_file(file) for file in PAGES)
    assert all(bool(page.file) != bool(page.location) for page in list_demo_pages())


def test_an_issue_has_its_contents_page_and_every_article_its_forms() -> None:
    for issue in list_demo_issues():
        assert BY_PATH[issue.path].kind is Kind.ISSUE
        text = html.unescape(decoded(BY_PATH[issue.path].file))
        assert f"Volume {issue.volume}, Number {issue.issue}, {issue.label}" in text
        assert issue.journal in text
        assert issue.issn[0] in text
        for article in issue.articles:
            assert article.forms
            for kind, path in article.forms.items():
                assert final(path).kind in (kind, Kind.LOGIN, Kind.MISSING)
                assert BY_PATH[path].article == article.id


def test_a_citation_is_complete_and_survives_json() -> None:
    for article in ARTICLES.values():
        citation = article.citation
        assert from_json(Citation, to_json(citation)) == citation
        assert citation.title
        assert citation.journal
        assert citation.first_page or citation.article_number
        assert citation.url == article.forms[citation.kind]
        assert all(index < len(citation.affiliations) for author in citation.authors for index in author.affiliations)
        assert all(author.family or author.collective for author in citation.authors)


def test_a_structured_abstract_is_its_sections_in_a_row() -> None:
    for article in ARTICLES.values():
        citation = article.citation
        joined = " ".join(f"{section.label}: {section.text}" for section in citation.sections)
        assert not citation.sections or citation.abstract.upper() == joined.upper()


def test_an_article_page_prints_its_journal_place_and_date() -> None:
    for page in ARTICLE_PAGES:
        text = html.unescape(re.sub(r"<[^>]*>", "", decoded(page.file)))
        citation = ARTICLES[page.article].citation
        for value in (citation.volume, citation.issue, citation.first_page or citation.article_number):
            assert re.search(rf"(?<!\d){value}(?!\d)", text)
        assert citation.journal in text
        assert citation.date[:4] in text


def test_every_link_of_the_truth_points_at_its_anchor_and_none_is_left_out() -> None:
    links = defaultdict(list)
    for link in link_truth():
        links[link.file].append(link)
    for file, found in links.items():
        text = decoded(file)
        assert [link.i for link in found] == list(range(len(found)))
        assert all(re.match(r"(?i)<a\s", text[link.offset :]) for link in found)
        assert all(html.escape(link.href) in text[link.offset : link.offset + 400] for link in found)
    kinds = {Kind.ISSUE, Kind.ABSTRACT, Kind.FULLTEXT}
    assert set(links) == {page.file for page in list_demo_pages() if page.kind in kinds and page.file}


def test_an_article_link_leads_to_the_form_it_promises() -> None:
    for link in link_truth():
        page = PAGES[link.file]
        target = urljoin(page.path, link.href)
        if not link.article:
            assert link.type is None
            assert link.article_key == ""
            continue
        assert link.type is not None
        assert ARTICLES[link.article_key].forms[link.type] == target
        assert page.issue == BY_PATH[target].issue
        assert page.kind is Kind.ISSUE or page.article == link.article_key


def test_a_contents_page_links_every_form_of_every_article_of_its_issue_only() -> None:
    for issue in list_demo_issues():
        file = BY_PATH[issue.path].file
        linked = {(link.article_key, link.type) for link in link_truth() if link.file == file and link.article}
        kinds = set(Kind) - {Kind.IMAGE}
        assert linked == {(article.id, kind) for article in issue.articles for kind in article.forms if kind in kinds}


def test_every_local_link_leads_somewhere() -> None:
    for link in link_truth():
        target = urljoin(PAGES[link.file].path, link.href.partition("#")[0])
        assert not target.startswith("/") or target in BY_PATH, (link.file, link.href)


def test_a_zone_of_the_truth_is_the_text_between_its_ends() -> None:
    for zone in zone_truth():
        text = decoded(zone.file)[zone.start : zone.end]
        plain = html.unescape(re.sub(r"<[^>]*>", "", text))
        assert "".join(plain.split()) == "".join(zone.text.split())
        assert zone.text


def test_the_zones_of_a_page_hold_the_citation() -> None:
    for page in ARTICLE_PAGES:
        zones = defaultdict(list)
        for zone in zone_truth():
            if zone.file == page.file:
                zones[zone.label].append(zone.text)
        citation = ARTICLES[page.article].citation
        assert zones["title"] == [citation.title]
        assert bool(zones["abstract"]) == bool(citation.abstract)
        assert len(zones["abstract"]) == (len(citation.sections) or bool(citation.abstract))
        byline = " ".join(zones["author"])
        assert all((author.family or author.collective) in byline for author in citation.authors)
        shown = " ".join(zones["affiliation"])
        used = {index for author in citation.authors for index in author.affiliations}
        assert all(citation.affiliations[index] in shown for index in used)


def test_no_page_of_2001_carries_metadata_and_later_ones_do() -> None:
    for page in ARTICLE_PAGES:
        text = decoded(page.file)
        if page.template == "table-2001":
            assert not re.search(r"(?i)citation_|dc\.|ld\+json", text)
        elif page.template == "cards-2024":
            assert "application/ld+json" in text
        else:
            assert "citation_title" in text


def readable_text(article: DemoArticle) -> str:
    """All that can be read of an article, blanks left out."""
    texts: list[str] = []
    for path in article.forms.values():
        page = final(path)
        if page.kind is Kind.PDF:
            with PdfDocument(read_demo_file(page.file)) as document:
                texts.extend(sheet.get_textpage().get_text_range() for sheet in document)
        elif page.kind in (Kind.ABSTRACT, Kind.FULLTEXT):
            markup = decoded(page.file)
            attributes = re.findall(r'content="([^"]*)"', markup)
            texts.append(html.unescape(" ".join([re.sub(r"<[^>]*>", "", markup), *attributes])))
    return "".join("\n".join(texts).split())


def printed_values(citation: Citation) -> list[str]:
    people = [v for a in citation.authors for v in (a.family, a.given, a.suffix, a.collective, a.orcid, a.email)]
    abstract = [section.text for section in citation.sections] or [citation.abstract]
    return [
        *(
            citation.title,
            citation.doi,
            citation.pii,
            citation.licence,
            citation.conflict,
            citation.publisher,
        ),
        *(citation.first_page, citation.last_page, citation.article_number, *citation.issn),
        *(
            *people,
            *abstract,
            *citation.affiliations,
            *citation.keywords,
            *citation.references,
            *citation.funding,
        ),
        *(other.text for other in citation.other_abstracts),
    ]


def test_whatever_a_citation_should_hold_can_be_read_on_some_page() -> None:
    for article in ARTICLES.values():
        text = readable_text(article)
        lost = [value for value in printed_values(article.citation) if "".join(value.split()) not in text]
        assert not lost
        if any(author.equal for author in article.citation.authors):
            assert "contributedequally" in text.lower()


def test_file_names_are_safe_on_every_system() -> None:
    for file in PAGES:
        assert not set(file) & set('<>:"|?*\\')
        assert len(PurePosixPath(file).as_posix()) < 100
