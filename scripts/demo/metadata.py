"""The metadata that the later templates embed: citation_* and DC.* elements, JSON-LD."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from scripts.demo import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scripts.demo.model import Article, Issue

Metas = list[tuple[str, str]]
LICENCES = {
    "CC BY 4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC BY-NC 4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
}


def contents_metas(issue: Issue) -> Metas:
    """What a contents page says of itself; nothing in 2001."""
    if issue.template == "table-2001":
        return []
    if issue.template == "cards-2024":
        return [("og:type", "website"), ("og:site_name", issue.journal["title"])]
    return [*_journal(issue), ("citation_volume", issue.volume), ("citation_issue", issue.issue)]


def article_metas(issue: Issue, article: Article) -> Metas:
    """What an article page says of itself; nothing in 2001."""
    makers = {"highwire-2010": _wire, "highwire-2010-b": _wire_b, "cards-2024": _card}
    maker = makers.get(issue.template)
    return [(name, value) for name, value in maker(issue, article) if value] if maker else []


def _journal(issue: Issue) -> Iterator[tuple[str, str]]:
    yield "citation_journal_title", issue.journal["title"]
    yield "citation_journal_abbrev", issue.journal["abbreviation"]
    yield from (("citation_issn", issn) for issn in issue.journal["issn"])
    yield "citation_publisher", issue.journal["publisher"]


def _place(issue: Issue, article: Article) -> Iterator[tuple[str, str]]:
    yield "citation_volume", issue.volume
    yield "citation_issue", issue.issue
    yield "citation_firstpage", article.first_page
    yield "citation_lastpage", article.last_page
    yield "citation_doi", article.doi


def _wire(issue: Issue, article: Article) -> Iterator[tuple[str, str]]:
    yield from _journal(issue)
    yield "citation_title", article.title
    for author in article.authors:
        yield "citation_author", words.full_name(author)
        for index in author["affiliations"]:
            yield "citation_author_institution", article.affiliations[index]
    yield "citation_date", words.slashed(article.date)
    yield "citation_publication_date", words.slashed(article.date)
    yield from _place(issue, article)
    yield "citation_mjid", f"{issue.journal['id']};{issue.volume}/{issue.issue}/{article.first_page}"
    yield "citation_id", article.pii
    yield "citation_language", article.language
    yield "citation_abstract_html_url", article.paths.get("abstract", "")
    yield "citation_fulltext_html_url", article.paths.get("fulltext", "")
    yield "citation_pdf_url", article.paths.get("pdf", "")
    # Only part of the pages repeat themselves in Dublin Core, as on real sites of the time.
    if article.number % 2:
        yield "DC.Title", article.title
        yield from (("DC.Contributor", words.full_name(author)) for author in article.authors)
        yield "DC.Date", article.date
        yield "DC.Identifier", article.doi
        yield "DC.Language", article.language


def _wire_b(issue: Issue, article: Article) -> Iterator[tuple[str, str]]:
    yield "DC.Format", "text/html"
    yield "DC.Description", words.teaser(article.abstract)
    yield "citation_title", article.title
    yield from (("citation_author", words.family_first(author)) for author in article.authors)
    yield from _journal(issue)
    yield from _place(issue, article)
    yield "citation_publication_date", words.slashed(article.date)
    yield "citation_language", article.language
    yield "citation_id", article.pii
    yield "citation_keywords", "; ".join(article.keywords)
    yield "citation_pdf_url", article.paths.get("pdf", "")


def _card(issue: Issue, article: Article) -> Iterator[tuple[str, str]]:
    yield "og:type", "article"
    yield "og:title", article.title
    yield "og:site_name", issue.journal["title"]
    yield "og:description", words.teaser(article.abstract)
    yield "citation_doi", article.doi


def contents_json_ld(issue: Issue) -> Markup:
    """A PublicationIssue with its articles, on the cards only."""
    if issue.template != "cards-2024":
        return Markup("")
    parts = [
        {"@type": "ScholarlyArticle", "headline": article.title, "sameAs": _doi(article)} for article in issue.articles
    ]
    return _script({"@context": "https://schema.org", **_issue(issue), "datePublished": issue.date, "hasPart": parts})


def article_json_ld(issue: Issue, article: Article) -> Markup:
    """A ScholarlyArticle, on the cards only."""
    if issue.template != "cards-2024":
        return Markup("")
    data = {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "headline": article.title,
        "alternativeHeadline": article.vernacular_title,
        "inLanguage": article.language,
        "author": [_author(article, author) for author in article.authors],
        "datePublished": article.date,
        "isPartOf": _issue(issue),
        "pagination": "" if article.article_number else words.pages(article, "-"),
        "publisher": {"@type": "Organization", "name": issue.journal["publisher"]},
        "description": article.abstract,
        "keywords": list(article.keywords),
        "license": LICENCES.get(article.licence, article.licence),
        "sameAs": _doi(article),
    }
    return _script({name: value for name, value in data.items() if value})


def _issue(issue: Issue) -> dict[str, Any]:
    journal = {"@type": "Periodical", "name": issue.journal["title"], "issn": issue.journal["issn"]}
    volume = {"@type": "PublicationVolume", "volumeNumber": issue.volume, "isPartOf": journal}
    return {"@type": "PublicationIssue", "issueNumber": issue.issue, "isPartOf": volume}


def _author(article: Article, author: Mapping[str, Any]) -> dict[str, Any]:
    if author["collective"]:
        return {"@type": "Organization", "name": author["collective"]}
    places = [{"@type": "Organization", "name": article.affiliations[index]} for index in author["affiliations"]]
    person = {
        "@type": "Person",
        "name": words.full_name(author),
        "givenName": author["given"],
        "familyName": author["family"],
        "honorificSuffix": author["suffix"],
        "affiliation": places,
        "identifier": author["orcid"] and f"https://orcid.org/{author['orcid']}",
    }
    return {name: value for name, value in person.items() if value}


def _doi(article: Article) -> str:
    return f"https://doi.org/{article.doi}"


def _script(data: Mapping[str, Any]) -> Markup:
    """JSON that cannot end the script element it stands in."""
    return Markup(json.dumps(data, ensure_ascii=False, indent=1).replace("</", "<\\/"))  # noqa: S704
