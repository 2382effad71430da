"""What a page is: rules in order, the first that fits wins."""

from __future__ import annotations

import re

from medharvest.pages import tree
from medharvest.records import Kind, Page, Verdict

_SHORT = 2_500  # characters; a login wall or an error page says little
_MISSING = re.compile(
    r"\b(?:page|article|document|content|file)\b[^.]{0,60}\b(?:(?:not|n't|cannot|no longer)\b[^.]{0,25}"
    r"(?:found|exist|available|located)|has moved|missing)|\b404\b",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"\b(?:log ?in|sign ?in|password|subscri\w+|purchase|register)\b", re.IGNORECASE)
_BODY = re.compile(
    r"(?:\d\.?\s*)?(?:introduction|background|(?:materials? and |patients and )?methods|results|discussion)"
)
_CONTENTS = re.compile(
    r"\btable of contents\b|\bin this issue\b|\b(?:vol(?:ume)?\.?|number|issue|no\.?)\s*\d+", re.IGNORECASE
)
_MANY_TITLES = 5  # links that read like titles on a contents page


def classify(page: Page) -> Verdict:
    """Tell the kind of a page by its content; scores are rough until they are calibrated."""
    if page.media_type == "application/pdf":
        return Verdict(Kind.PDF, 1.0, "media-type")
    text = tree.plain_text(page.text)
    password = bool(tree.contents(page.text, "input[type=password i]"))
    if password and len(text) < _SHORT and _LOGIN.search(text):
        return Verdict(Kind.LOGIN, 0.9, "password-form")
    headings = [" ".join(inner.split()) for _, inner in tree.contents(page.text, "title, h1, h2, h3")]
    if len(text) < _SHORT and any(map(_MISSING.search, [*headings, text[:600]])):
        return Verdict(Kind.MISSING, 0.9, "says-missing")
    if _is_contents(page, text):
        return Verdict(Kind.ISSUE, 0.7, "many-titles")
    return _article_kind(page, text, headings)


def _is_contents(page: Page, text: str) -> bool:
    titles = sum(
        len(inner.split()) >= _MANY_TITLES for _, inner in tree.contents(page.text, "h3, h4, h5, dt, li a, td a")
    )
    return titles >= _MANY_TITLES and bool(_CONTENTS.search(text[:3_000])) and not _has_article_meta(page)


def _has_article_meta(page: Page) -> bool:
    return bool(tree.contents(page.text, "meta[name='citation_title' i]"))


def _article_kind(page: Page, text: str, headings: list[str]) -> Verdict:
    body_headings = sum(bool(_BODY.fullmatch(heading.lower().strip(" :."))) for heading in headings)
    bold = [" ".join(inner.split()) for _, inner in tree.contents(page.text, "b, strong")]
    body_headings += sum(bool(_BODY.fullmatch(inner.lower().strip(" :."))) for inner in bold)
    # Structured abstracts have the same headings: a full text has them over much more text.
    if body_headings >= 2 and len(text) > 2 * _SHORT:  # noqa: PLR2004
        return Verdict(Kind.FULLTEXT, 0.7, "body-headings")
    if _has_article_meta(page) or any(re.fullmatch(r"(?i)abstract|summary", h) for h in [*headings, *bold]):
        return Verdict(Kind.ABSTRACT, 0.6, "abstract-heading")
    return Verdict(Kind.OTHER, 0.5, "none")
