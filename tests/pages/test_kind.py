from collections import Counter
from dataclasses import replace

import pytest

from medharvest import demo
from medharvest.errors import InputError
from medharvest.pages import classify, find_page_kind, parse_page
from medharvest.pages.kind import classify_bytes, classify_fully
from medharvest.records import Kind, Page

WORDS = "Some patients slept well and others hardly at all during the months of the study. "
TITLES = "".join(f"<li><a href={n}>A study of sleep in winter {n}</a>" for n in range(6))
FORMS = "<p>Sleep <a href=a>Abstract</a> <a href=f>Full Text</a> <a href=p>PDF (80K)</a>"
THREE = "".join(f"<li><a href={n}>A study of sleep in winter {n}</a>" for n in range(3))
LONG = f"<p>{WORDS * 3}</p>"
NEWS = f"""<script type="application/ld+json">{{"@type": "NewsArticle", "headline": "x"}}</script>{LONG}"""
META = "<meta name=citation_title content='A study'>"


def _page(html: str, media_type: str = "text/html") -> Page:
    return Page(url="", text=html, digest="", encoding="utf-8", media_type=media_type)


@pytest.mark.parametrize(
    ("html", "kind", "method"),
    [
        pytest.param("<form>Please log in <input type=PASSWORD>", Kind.LOGIN, "password-form", id="login"),
        pytest.param(
            f"Log in <input type=password><h2>Abstract</h2><p>{WORDS}", Kind.ABSTRACT, "abstract-heading", id="open"
        ),
        pytest.param("<title>Just a moment...</title><p>Enable JavaScript", Kind.BLOCKED, "challenge", id="moment"),
        pytest.param("<p>Please verify that you’re a human", Kind.BLOCKED, "challenge", id="human"),
        pytest.param("<h1>Checking your browser</h1>", Kind.BLOCKED, "challenge", id="browser"),
        pytest.param("<p>We have seen unusual traffic from you", Kind.BLOCKED, "challenge", id="traffic"),
        pytest.param(
            "<p>Type the letters<form action=/c><img src=/Captcha.png>", Kind.BLOCKED, "captcha", id="captcha"
        ),
        pytest.param("<h1>Access to this page has been denied</h1>", Kind.BLOCKED, "denied", id="denied"),
        pytest.param("<p>Sorry, you have been blocked", Kind.BLOCKED, "denied", id="blocked"),
        pytest.param("<p>Before you continue<button>Agree", Kind.BLOCKED, "consent", id="consent"),
        pytest.param("<p>Please accept our cookies to read on", Kind.BLOCKED, "consent", id="cookies"),
        pytest.param("<p>Cookies must be enabled", Kind.BLOCKED, "consent", id="no-cookies"),
        pytest.param("<p>Just a momentary lapse", Kind.OTHER, "none", id="whole-words"),
        pytest.param("<script src=captcha.js></script><p>About us", Kind.OTHER, "none", id="captcha-elsewhere"),
        pytest.param(
            f"{META}<p>Before you continue<h2>Abstract</h2>", Kind.ABSTRACT, "abstract-heading", id="banner-on-article"
        ),
        pytest.param(f"<p>Volume 3. Before you continue<ul>{TITLES}", Kind.ISSUE, "many-titles", id="banner-on-issue"),
        pytest.param("<form>Log in, are you a robot? <input type=password>", Kind.LOGIN, "password-form", id="log-in"),
        pytest.param("<h1>Page not found</h1>", Kind.MISSING, "says-missing", id="missing"),
        pytest.param("<p>This article is no longer available.", Kind.MISSING, "says-missing", id="withdrawn"),
        pytest.param("<title>404</title><p>Oops", Kind.MISSING, "says-missing", id="number"),
        pytest.param(FORMS * 2, Kind.ISSUE, "many-forms", id="forms"),
        pytest.param(META + FORMS * 2, Kind.FULLTEXT, "no-abstract", id="forms-of-an-article"),
        pytest.param(f"<p>Volume 3, Number 2<ul>{TITLES}", Kind.ISSUE, "many-titles", id="titles"),
        pytest.param(f"<h1>Most read</h1><ul>{TITLES}", Kind.OTHER, "none", id="titles-without-issue"),
        pytest.param(f"<p>Volume 3<ul>{TITLES}</ul><b>Abstract:</b>", Kind.ABSTRACT, "abstract-heading", id="sidebar"),
        pytest.param(f"{META}<h2>Abstract</h2><p>{WORDS}", Kind.ABSTRACT, "abstract-heading", id="abstract"),
        pytest.param(f"<h2>Summary</h2><p>{WORDS}", Kind.ABSTRACT, "abstract-heading", id="summary"),
        pytest.param(f"{META}<p>{WORDS}", Kind.FULLTEXT, "no-abstract", id="editorial"),
        pytest.param(
            f"{META}<meta name=citation_abstract content=x><p>{WORDS}", Kind.ABSTRACT, "abstract-heading", id="embedded"
        ),
        pytest.param(f"<h2>Abstract</h2><p>{WORDS}<h2>5. References</h2>", Kind.FULLTEXT, "references", id="cites"),
        pytest.param(
            f"<h2>1. Introduction</h2><p>{WORDS * 150}<h2>2 Methods</h2>", Kind.FULLTEXT, "body-headings", id="body"
        ),
        pytest.param(
            f"<h2>Abstract</h2><b>Methods</b>{WORDS}<b>Results</b>{WORDS}",
            Kind.ABSTRACT,
            "abstract-heading",
            id="structured",
        ),
        pytest.param("<title>J - Abstract - Sleep</title><p>x", Kind.ABSTRACT, "title-says", id="title-abstract"),
        pytest.param("<title>Full-Text HTML: Sleep</title><p>x", Kind.FULLTEXT, "title-says", id="title-full-text"),
        pytest.param("<title>An abstract view</title><p>x", Kind.OTHER, "none", id="title-of-an-article"),
        pytest.param(f"{META}<p>{WORDS * 3}", Kind.ABSTRACT, "abstract-heading", id="one-paragraph"),
        pytest.param(f"{META}<h5>Abstract</h5><p>{WORDS}", Kind.ABSTRACT, "abstract-heading", id="small-heading"),
        pytest.param(f"<h2>Abstract</h2>{LONG * 10}", Kind.FULLTEXT, "long-text", id="long-text"),
        pytest.param(f"<h1>March 2004 (#100)</h1><ul>{THREE}", Kind.ISSUE, "many-titles", id="few-titles"),
        pytest.param(f"<p>Volume 3<ul>{TITLES}</ul>{LONG * 6}", Kind.OTHER, "none", id="titles-beside-prose"),
        pytest.param(NEWS, Kind.OTHER, "none", id="news"),
        pytest.param(NEWS.replace("News", "Scholarly"), Kind.ABSTRACT, "abstract-heading", id="scholarly"),
        pytest.param("<frameset><frame src=a></frameset>", Kind.OTHER, "frames", id="frames"),
        pytest.param("<FRAMESET><FRAME SRC=a></FRAMESET>", Kind.OTHER, "frames", id="large-frames"),
        pytest.param("<p>About us", Kind.OTHER, "none", id="other"),
        pytest.param("", Kind.OTHER, "none", id="empty"),
    ],
)
def test_a_page_is_told_by_the_first_rule_that_fits(html, kind, method):
    verdict = classify(_page(html))
    assert (verdict.label, verdict.method) == (kind, method)
    assert 0 < verdict.score <= 1


def test_a_long_page_that_speaks_of_a_missing_page_is_not_missing():
    assert classify(_page(f"<h1>Page not found</h1><p>{WORDS * 40}")).label == Kind.OTHER


@pytest.mark.parametrize(("wall", "words"), [("Please verify you are human", 40), ("Please accept cookies", 20)])
def test_a_long_page_with_the_words_of_a_wall_is_none(wall, words):
    assert classify(_page(f"<p>{wall}")).label == Kind.BLOCKED
    assert classify(_page(f"<p>{wall}<p>{WORDS * words}")).label == Kind.OTHER


def test_a_pdf_is_a_pdf():
    assert classify(_page("<p>Page not found", "application/pdf")).label == Kind.PDF


def test_the_bundled_pages_are_nearly_all_told():
    wrong = Counter[tuple[str, str]]()
    pages = [
        page for page in demo.list_demo_pages() if page.file and page.media_type in {"text/html", "application/pdf"}
    ]
    for page in pages:
        found = classify(parse_page(demo.read_demo_file(page.file), charset=page.charset)).label
        wrong[page.kind, found] += found != page.kind
    # One editorial without headings beside a box of titles, and five pages that list articles of several issues.
    assert +wrong == Counter({(Kind.OTHER, Kind.ISSUE): 5, (Kind.FULLTEXT, Kind.ISSUE): 1})
    assert len(pages) > 150


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10_000,
        "<b>x" * 20_000,
        "<h1>" + "page " * 200_000,
        "<b>" + ". " * 500_000,
        "<a " * 300_000,
        '"' * 10**6,
        "<h2>" + "." * 10**6 + "x",
        "<div captch" * 90_000,
        "<div " + "captch" * 150_000,
    ],
)
def test_hostile_pages_take_bounded_time(html):
    assert isinstance(classify(_page(html)).label, Kind)


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Error 404", Kind.MISSING),
        ("404 - Not Found", Kind.MISSING),
        ("404 error", Kind.MISSING),
        ("Journal of Shores 14:404-410", Kind.OTHER),
        ("Leaf 404", Kind.OTHER),
    ],
)
def test_the_number_404_alone_does_not_make_a_page_missing(heading, kind):
    text = f"<html><body><h1>{heading}</h1><p>Some words.</p></body></html>"
    page = Page(url="", text=text, digest="", encoding="utf-8")
    assert classify(page).label == kind


def test_the_score_is_shared_by_the_kinds_whose_rules_fit():
    found = classify_fully(_page(f"{META}<h2>Abstract</h2><p>{WORDS}<h2>References</h2>"))
    scores = dict(found.scores)
    assert found.verdict.label == Kind.FULLTEXT
    assert scores[Kind.FULLTEXT] == found.verdict.score > scores[Kind.ABSTRACT] > scores[Kind.OTHER] > 0
    assert sum(scores.values()) == pytest.approx(1, abs=0.001)


def test_a_page_that_no_rule_fits_is_other():
    assert classify_fully(_page("<p>About us")).scores == ((Kind.OTHER, 1.0),)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.4 broken", Kind.PDF),
        (b"\x89PNG\r\n\x1a\n", Kind.IMAGE),
        (b"\xff\xd8\xff\xe0", Kind.IMAGE),
        (b"GIF89a", Kind.IMAGE),
        (b"RIFF\0\0\0\0WEBP", Kind.IMAGE),
        (b"<?xml version='1.0'?>\n<svg xmlns='x'>", Kind.IMAGE),
        (b"<h2>Abstract</h2><p>It slept.", Kind.ABSTRACT),
        (b"<p>GIF89a", Kind.OTHER),
    ],
)
def test_bytes_are_told_by_their_form_first(body, kind):
    assert classify_bytes(body).verdict.label == kind


def test_bytes_that_are_no_page_are_an_error():
    with pytest.raises(InputError, match="not an HTML page or PDF: notes"):
        classify_bytes(b"just words", name="notes")


def test_the_kind_alone_is_that_of_the_verdict():
    pages = [
        Page(url="", text=html, digest="", encoding="utf-8") for html in ("<p>x", "<h2>Abstract</h2>", "<frameset>")
    ]
    pages.append(replace(pages[0], media_type="application/pdf"))
    assert [find_page_kind(page) for page in pages] == [classify(page).label for page in pages]
