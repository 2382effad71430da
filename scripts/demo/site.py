"""Every path of the site, in order: issues and their articles first, then what stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripts.demo import metadata, pictures
from scripts.demo.model import PAGE_FORMS, Article, Issue
from scripts.demo.pages import Note, Output, navigation, render, stylesheet
from scripts.demo.pdf import make_pdf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROBOTS = "User-agent: *\nDisallow: /private/\nDisallow: /*/search\n"
FAULTS = ("fails-once", "slow")
COLOURS = {"northmoor": "17324d", "estuary": "0b6e6e"}
# The skin a journal's own pages wear today.
SKINS = {"northmoor": "highwire-2010", "estuary": "cards-2024"}
STYLES = {"northmoor": "/northmoor/images/journal.css", "estuary": "/estuary/assets/site.css"}
TRAPS = {
    "highwire-2010": "/private/northmoor/content/{0.volume}/{0.issue}/299.abstract",
    "highwire-2010-b": "/private/estuary/archive/vol{0.volume}/iss{0.issue}/abs/399",
    "cards-2024": "/private/estuary/article/24{0.volume}{0.issue}9",
}
THUMBNAILS = 6
HEADERS = {"pdf": "application/pdf", "supplement": "text/csv", "image": "image/png"}

LOGIN = Note("Sign in to read this article", ("This article is for subscribers. Please sign in.",), "password")
MISSING = Note("Page not found", ("Sorry, the page you requested could not be found.",))
NOTES = {
    "subscriptions": Note("Subscriptions", ("Personal and institutional subscriptions start with any issue.",)),
    "help": Note("Help", ("Each contents page lists the articles of one issue with their forms.",)),
    "search": Note("Search", ("Search titles, authors and abstracts.",), "search"),
    "login": Note("Log in", ("Subscribers sign in here.",), "password"),
    "feedback": Note("Feedback", ("Write to the editorial office at office@example.org.",)),
}


def build_outputs(issues: Sequence[Issue]) -> list[Output]:
    """Make every path of the site."""
    outputs: list[Output] = []
    for issue in issues:
        outputs.append(_contents(issue, issues))
        for article in issue.articles:
            for form in article.paths:
                outputs.extend(_form(issue, article, form, issues))
        outputs.extend(_around_issue(issue, issues))
    for journal in {issue.journal["id"]: issue.journal for issue in issues}.values():
        outputs.extend(_around_journal(journal, issues))
    return [*outputs, *_root(issues)]


def _contents(issue: Issue, issues: Sequence[Issue]) -> Output:
    body, described = render(
        f"{issue.template}/contents.html",
        issue.path,
        issue=issue,
        metas=metadata.contents_metas(issue),
        json_ld=metadata.contents_json_ld(issue),
        cover=_cover_path(issue),
        trap=_trap_path(issue),
        thumbnail=lambda article: f"/estuary/assets/thumb-{article.number % THUMBNAILS}.svg",
        **_frame(issue, issues),
    )
    return Output(path=issue.path, kind="issue", body=body, issue=issue.id, **described)


def _frame(issue: Issue, issues: Sequence[Issue]) -> dict[str, Any]:
    """What every page of an issue's skin shows around its matter."""
    others = [other for other in issues if other.journal["id"] == issue.journal["id"] and other.id != issue.id]
    start = len(issue.articles)
    return {
        "journal": issue.journal,
        "year": issue.date[:4],
        "nav": navigation(issue.journal["id"]),
        "most_read": [(other, article) for other in others for article in _pick(other, start, 2)],
        "article": None,
        "form": "",
    }


def _pick(issue: Issue, start: int, count: int, but: str = "") -> list[Article]:
    """Some articles of an issue that have a page, from a place on, round the corner."""
    readable = [article for article in issue.articles if article.best_page and article.id != but]
    return [readable[(start + step) % len(readable)] for step in range(min(count, len(readable)))]


def _form(issue: Issue, article: Article, form: str, issues: Sequence[Issue]) -> Iterator[Output]:
    """One form of an article as its quirk wants it."""
    path, quirk = article.paths[form], article.quirk(form)
    said: dict[str, Any] = {"article": article.id, "issue": issue.id}
    if quirk in ("login-wall", "soft-404"):
        kind, note = ("login", LOGIN) if quirk == "login-wall" else ("missing", MISSING)
        body, described = _note_page(issue, issues, note, path)
        yield Output(path=path, kind=kind, form=form, body=body, **described, **said)
        return
    if quirk == "redirect-chain":
        hop, final = f"/{issue.journal['id']}/go/{article.id}", _moved(path)
        yield Output(path=path, kind=form, form=form, location=hop, template=issue.template, **said)
        yield Output(path=hop, kind=form, location=final, template=issue.template, **said)
        path, form_mark = final, ""
    else:
        form_mark = form
    fault = quirk if quirk in FAULTS else ""
    body, described = _form_body(issue, article, form, path=path, issues=issues)
    yield Output(path=path, kind=form, form=form_mark, body=body, fault=fault, **described, **said)


def _moved(path: str) -> str:
    journal, rest = path[1:].split("/", 1)
    return f"/{journal}/current/{rest}"


def _form_body(
    issue: Issue, article: Article, form: str, *, path: str, issues: Sequence[Issue]
) -> tuple[bytes, dict[str, Any]]:
    if form in PAGE_FORMS:
        context = {**_frame(issue, issues), "issue": issue, "article": article, "form": form}
        return render(
            f"{issue.template}/article.html",
            path,
            misdeclared=article.quirk(form) == "wrong-charset",
            metas=metadata.article_metas(issue, article),
            json_ld=metadata.article_json_ld(issue, article),
            related=_pick(issue, article.number, 2, but=article.id),
            **context,
        )
    makers = {
        "pdf": lambda: make_pdf(issue, article),
        "supplement": lambda: _supplement(article),
        "image": lambda: pictures.chart(article.number + len(article.title)),
    }
    return makers[form](), {"media_type": HEADERS[form], "template": issue.template}


def _supplement(article: Article) -> bytes:
    rows = [f"{group},{10 + (len(article.title) * group) % 37}" for group in range(1, 6)]
    return ("\n".join(["group,count", *rows]) + "\n").encode("ascii")


def _around_issue(issue: Issue, issues: Sequence[Issue]) -> Iterator[Output]:
    cover = pictures.cover(issue.label, f"#{COLOURS[issue.journal['id']]}")
    yield Output(path=_cover_path(issue), kind="image", media_type="image/svg+xml", body=cover, issue=issue.id)
    if trap := _trap_path(issue):
        body, described = _note_page(issue, issues, Note("Nothing here", ("No reader finds this page.",)), trap)
        yield Output(path=trap, kind="other", body=body, issue=issue.id, **described)


def _note_page(issue: Issue, issues: Sequence[Issue], note: Note, path: str) -> tuple[bytes, dict[str, Any]]:
    body, described = render(
        f"{issue.template}/note.html", path, note=note, metas=[], json_ld="", **_frame(issue, issues)
    )
    return body, {**described, "marked": None}


def _around_journal(journal: Mapping[str, Any], issues: Sequence[Issue]) -> Iterator[Output]:
    """A journal's home, archive and small pages, and its pictures."""
    own = [issue for issue in issues if issue.journal["id"] == journal["id"]]
    latest = next(issue for issue in reversed(own) if issue.template == SKINS[journal["id"]])
    notes = {
        "": Note(journal["title"], ("The journal's home page, with the issues on this site.",), issues=own),
        "archive": Note("Archive", ("All issues on this site.",), issues=own),
        **NOTES,
    }
    for name, note in notes.items():
        path = f"/{journal['id']}/{name}"
        body, described = _note_page(latest, issues, note, path)
        yield Output(path=path, kind="login" if name == "login" else "other", body=body, **described)
    yield from _pictures(journal["id"])


def _pictures(journal: str) -> Iterator[Output]:
    folder = {"northmoor": "/northmoor/images", "estuary": "/estuary/assets"}[journal]
    logo = pictures.logo(COLOURS[journal])
    yield Output(path=f"{folder}/logo.png", kind="image", media_type="image/png", body=logo)
    style = STYLES[journal]
    yield Output(path=style, kind="other", media_type="text/css", charset="utf-8", body=stylesheet(SKINS[journal]))
    if journal == "northmoor":
        yield Output(path=f"{folder}/spacer.gif", kind="image", media_type="image/gif", body=pictures.SPACER_GIF)
        return
    for number in range(THUMBNAILS):
        picture = pictures.thumbnail(number + 1)
        yield Output(path=f"{folder}/thumb-{number}.svg", kind="image", media_type="image/svg+xml", body=picture)


def _root(issues: Sequence[Issue]) -> Iterator[Output]:
    journals: dict[str, tuple[Any, list[Issue]]] = {}
    for issue in issues:
        journals.setdefault(issue.journal["id"], (issue.journal, []))[1].append(issue)
    body, described = render("index.html", "/", journals=list(journals.values()))
    yield Output(path="/", kind="other", body=body, **{**described, "marked": None})
    yield Output(path="/robots.txt", kind="other", media_type="text/plain", charset="utf-8", body=ROBOTS.encode())


def _cover_path(issue: Issue) -> str:
    folder = {"northmoor": "/northmoor/images", "estuary": "/estuary/assets"}[issue.journal["id"]]
    return f"{folder}/cover-{issue.volume}-{issue.issue}.svg"


def _trap_path(issue: Issue) -> str:
    return TRAPS.get(issue.template, "").format(issue)
