"""Rendering: one page of the site from its template, its marks stripped and its bytes encoded."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from scripts.demo import marks, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scripts.demo.model import Article, Issue

TEMPLATES = Path(__file__).parent / "templates"
NUMBERS = [str(number) for number in range(1, 30)]
LETTERS = list("abcdefghijklmnopqrstuvwxyz")
NAVIGATION = ("Home", "Archive", "Subscriptions", "Help", "Search", "Log in", "Feedback")


@dataclass(frozen=True, kw_only=True)
class Output:
    """One path of the site: what the manifest says of it, its bytes and its marks."""

    path: str
    kind: str
    body: bytes = b""
    media_type: str = "text/html"
    charset: str = ""
    encoding: str = ""
    article: str = ""
    form: str = ""
    issue: str = ""
    template: str = ""
    location: str = ""
    fault: str = ""
    marked: marks.Marked | None = None


@dataclass(frozen=True)
class Note:
    """A page that is no article: help, login wall, soft 404, archive."""

    title: str
    lines: Sequence[str] = ()
    form: str = ""
    issues: Sequence[Issue] = field(default=())


def render(template: str, path: str, *, misdeclared: bool = False, **context: Any) -> tuple[bytes, dict[str, Any]]:
    """Fill a template; return the bytes and how the manifest describes them."""
    skin, _, _ = template.rpartition("/")
    encoding, charset = _encoding(skin, misdeclared=misdeclared)
    text = _ENVIRONMENT.get_template(template).render(
        rel=lambda target: posixpath.relpath(target, posixpath.dirname(path)) + "/" * target.endswith("/"),
        declared="iso-8859-1" if misdeclared else "utf-8",
        **context,
    )
    marked = marks.strip_marks(text, encoding)
    described = {"charset": charset, "encoding": encoding, "template": skin, "marked": marked}
    return marked.text.encode(encoding), described


def stylesheet(skin: str) -> bytes:
    """The style sheet of a skin that has one of its own."""
    return (TEMPLATES / skin / "style.css").read_text(encoding="utf-8").encode()


def _encoding(skin: str, *, misdeclared: bool) -> tuple[str, str]:
    """The true encoding and the charset of the server's header.

    The oldest skin is Latin-1 and says so in the page alone; a misdeclared page is UTF-8 and says Latin-1
    in the page, or in the header where the skin is modern.
    """
    if skin == "table-2001":
        return ("utf-8" if misdeclared else "iso-8859-1"), ""
    if misdeclared:
        return "utf-8", "iso-8859-1" if skin == "cards-2024" else ""
    return "utf-8", "" if skin == "highwire-2010-b" else "utf-8"


def navigation(journal: str) -> list[tuple[str, str]]:
    """The links of the header."""
    return [(name, f"/{journal}/" + name.lower().replace(" ", "") * (name != "Home")) for name in NAVIGATION]


def title(article: Article) -> Markup:
    """The title with its inline markup."""
    return Markup(article.title_html) if article.title_html else escape(article.title)  # noqa: S704


def _symbols(article: Article) -> Sequence[str]:
    return LETTERS if article.id.startswith("b") else NUMBERS


def sign(article: Article, index: int) -> str:
    """The superscript before an affiliation."""
    return words.markers(article, _symbols(article))[index]


def signs(article: Article, author: Mapping[str, Any]) -> str:
    """The superscripts after an author."""
    return ",".join(filter(None, (sign(article, index) for index in author["affiliations"])))


def corresponding(article: Article) -> Mapping[str, Any] | None:
    """The author to write to."""
    return next((author for author in article.authors if author["corresponding"]), None)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    functions = (
        marks.link, marks.zone, marks.end, title, sign, signs, corresponding,
        words.british, words.american, words.terse, words.pages,
    )  # fmt: skip
    environment.globals.update({function.__name__: function for function in functions})
    environment.globals.update(languages=words.LANGUAGES, history=words.HISTORY)
    environment.filters.update(full_name=words.full_name, initials=words.initials, teaser=words.teaser)
    return environment


_ENVIRONMENT = _environment()
