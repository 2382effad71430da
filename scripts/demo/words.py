"""How the journals print dates, pages, names and citation lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scripts.demo.model import Article, Issue

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
LANGUAGES = {
    "en": "English",
    "fr": "French",
    "zh": "Chinese",
    "es": "Spanish",
    "de": "German",
    "pt": "Portuguese",
}
HISTORY = {
    "received": "Received",
    "revised": "Revised",
    "accepted": "Accepted",
    "epublish": "Published online",
}


def british(date: str) -> str:
    """2010-03-15 as 15 March 2010, as precise as it is."""
    year, month, day = _parts(date)
    return " ".join(part for part in (day, month, year) if part)


def american(date: str) -> str:
    """2010-03-15 as March 15, 2010, as precise as it is."""
    year, month, day = _parts(date)
    return f"{month} {day}, {year}" if day else " ".join(part for part in (month, year) if part)


def terse(date: str) -> str:
    """2010-03-15 as 2010 Mar 15, as precise as it is."""
    year, month, day = _parts(date)
    return " ".join(part for part in (year, month[:3], day) if part)


def slashed(date: str) -> str:
    """2010-03-15 as 2010/03/15, as the metadata of the time wanted it."""
    return date.replace("-", "/")


def _parts(date: str) -> tuple[str, str, str]:
    year, month, day = (*date.split("-"), "", "")[:3]
    return year, MONTHS[int(month) - 1] if month else "", day.lstrip("0")


def pages(article: Article, dash: str = "–") -> str:
    """The page range, or the article number."""
    if article.article_number:
        return str(article.article_number)
    last = "" if article.last_page in ("", article.first_page) else dash + article.last_page
    return str(article.first_page) + last


def citation_line(issue: Issue, article: Article) -> str:
    """The line a reader copies: Northmoor Med Q 2010;23(3):201-208 with a printed dash."""
    place = f"{issue.date[:4]};{issue.volume}({issue.issue}):{pages(article)}"
    return f"{issue.journal['abbreviation']} {place}"


def full_name(author: Mapping[str, Any]) -> str:
    """Given name first, suffix last; a group as it is called."""
    return author["collective"] or " ".join(
        part for part in (author["given"], author["family"], author["suffix"]) if part
    )


def family_first(author: Mapping[str, Any]) -> str:
    """Family, Given, Suffix; a group as it is called."""
    return author["collective"] or ", ".join(
        part for part in (author["family"], author["given"], author["suffix"]) if part
    )


def initials(author: Mapping[str, Any]) -> str:
    """Family and initials, as in a list of contents: van der Hoeven PJ."""
    letters = "".join(part[0] for part in author["given"].replace("-", " ").split() if part[0].isalpha())
    return author["collective"] or " ".join(part for part in (author["family"], letters, author["suffix"]) if part)


def markers(article: Article, symbols: Sequence[str]) -> list[str]:
    """The superscript of each affiliation; none where all share a single one."""
    count = len(article.affiliations)
    return [""] * count if count == 1 else list(symbols[:count])


def teaser(text: str, length: int = 160) -> str:
    """The beginning of a text, cut at a blank, with an ellipsis."""
    return text if len(text) <= length else text[:length].rpartition(" ")[0] + "..."
