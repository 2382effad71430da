"""What arrives of an issue: each answer to an outcome, a file in its folder and a reading; readings to citations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from medharvest.citations import complete_issue, fill, group_articles, merge, read_issue
from medharvest.errors import InputError
from medharvest.links import judge_links
from medharvest.pages import classify, embedded, parse_page
from medharvest.records import ARTICLE_KINDS, Citation, Kind, Miss, Outcome, Page, Reason, Response, Wish
from medharvest.run.output import write_bytes
from medharvest.run.read import read_page
from medharvest.settings import Read
from medharvest.zones import label_zones

_FOLDERS = {Kind.ABSTRACT: "Abstract", Kind.FULLTEXT: "FullText", Kind.PDF: "PDF", Kind.IMAGE: "Image"}
_SUFFIXES = {"application/pdf": ".pdf", "text/html": ".html", "image/png": ".png", "image/jpeg": ".jpg"}
_WALLS = {Kind.LOGIN: Reason.LOGIN_WALL, Kind.MISSING: Reason.SOFT_404}
_NAME = 80  # characters of an address in a file's name; file systems stop at 255 bytes
# Articles that must agree with each other before they outvote the contents page they are linked from.
_QUORUM = 3


class Arrivals:
    """The pages of a run, the last failure of each address, and the citations made; files land in `folder`."""

    def __init__(self, folder: Path, limits: Read) -> None:
        self.folder = folder
        self.limits = limits
        self.pages: list[Outcome] = []
        self.failed: dict[str, Outcome] = {}
        self._issue: Citation | None = None
        self._readings: list[tuple[str, Citation]] = []

    def take(self, wish: Wish, answer: Response | Miss) -> Outcome:
        """Turn an answer into an outcome; keep its file and its reading, but of the outcome not the links."""
        if isinstance(answer, Miss):
            outcome = Outcome(wish=wish, reason=answer.reason, detail=answer.detail)
        else:
            outcome = self._arrived(wish, answer)
        if outcome.reason is None:
            self.pages.append(replace(outcome, links=()))
        else:
            self.failed[wish.url] = outcome
        return outcome

    def citations(self) -> tuple[Citation, ...]:
        """One citation an article, in the order of the contents page; readings of other issues are left out."""
        merged = [merge(group) for group in group_articles(self._readings)]
        articles = [citation for citation in merged if _is_article(citation)]
        issue = _credible(self._issue or Citation(kind=Kind.ISSUE), articles)
        own = [citation for citation in articles if _belongs(citation, issue)]
        shared = complete_issue(issue, own)
        return tuple(fill(citation, shared) for citation in own)

    def _arrived(self, wish: Wish, answer: Response) -> Outcome:
        if wish.kind is not Kind.ISSUE and answer.media_type.startswith("image/"):
            return self._keep(wish, answer, Kind.IMAGE)
        if wish.kind is Kind.SUPPLEMENT and answer.media_type != "text/html":
            return self._keep(wish, answer, Kind.SUPPLEMENT)
        try:
            page = parse_page(
                answer.body, url=answer.final_url, charset=answer.charset, max_pdf_pages=self.limits.max_pdf_pages
            )
        except InputError as error:
            return Outcome(wish=wish, reason=Reason.UNREADABLE, detail=error.message)
        found = Kind(classify(page).label)
        if found in _WALLS:
            return Outcome(wish=wish, reason=_WALLS[found], detail=f"looks like a {found} page")
        return self._contents(wish, answer, page) if wish.kind is Kind.ISSUE else self._other(wish, answer, page, found)

    def _contents(self, wish: Wish, answer: Response, page: Page) -> Outcome:
        """A contents page; where the next page of an issue is the next issue, its links lead nowhere."""
        read = read_issue(page, items=embedded(page), zones=label_zones(page))
        self._issue = self._issue or read
        links = judge_links(page) if _belongs(read, self._issue) else ()
        return replace(self._keep(wish, answer, Kind.ISSUE), links=links, digest=page.digest)

    def _other(self, wish: Wish, answer: Response, page: Page, found: Kind) -> Outcome:
        """Any other page, filed under the kind found, or under the kind promised where none was found."""
        promised = wish.kind in ARTICLE_KINDS
        kind = wish.kind if found is Kind.OTHER and promised else found
        if promised and kind in ARTICLE_KINDS:
            self._readings.append((wish.article_key, read_page(page, kind=kind)))
        return replace(self._keep(wish, answer, kind), links=judge_links(page), digest=page.digest)

    def _keep(self, wish: Wish, answer: Response, kind: Kind) -> Outcome:
        name = f"{len(self.pages):04d}-{_file_name(answer, kind)}"
        write_bytes(self.folder / _FOLDERS.get(kind, "Other") / name, answer.body)
        return Outcome(wish=wish, final_url=answer.final_url, kind=kind, size=len(answer.body))


def _is_article(citation: Citation) -> bool:
    """Whether a reading holds enough to be an article: a title, and somebody or something behind it."""
    return bool(citation.title and (citation.authors or citation.abstract or citation.doi or citation.first_page))


def _belongs(citation: Citation, issue: Citation) -> bool:
    """Whether a citation does not contradict the volume and number of the contents page."""
    pairs = ((citation.volume, issue.volume), (citation.issue, issue.issue))
    return all(not own or not shared or _number(own) == _number(shared) for own, shared in pairs)


def _credible(issue: Citation, articles: Sequence[Citation]) -> Citation:
    """What a contents page says, without a volume or number that it alone gives and its articles give otherwise."""
    return replace(
        issue,
        volume="" if _is_outvoted(issue.volume, [article.volume for article in articles]) else issue.volume,
        issue="" if _is_outvoted(issue.issue, [article.issue for article in articles]) else issue.issue,
    )


def _is_outvoted(stated: str, values: Sequence[str]) -> bool:
    votes = Counter(_number(value) for value in values if value)
    return _number(stated) not in votes and max(votes.values(), default=0) >= _QUORUM


def _number(text: str) -> tuple[str, ...]:
    """A volume or issue number to compare by: `03` is `3`, `1–2` is `1-2`."""
    return tuple(word.lstrip("0") for word in re.findall(r"[^\W_]+", text.lower()))


def _file_name(answer: Response, kind: Kind) -> str:
    words = re.findall(r"[\w.-]+", re.sub(r"^https?://[^/]*", "", answer.final_url), re.ASCII)
    name = "_".join(words)[-_NAME:] or "index"
    suffix = ".pdf" if kind is Kind.PDF else _SUFFIXES.get(answer.media_type, "")
    return name if name.endswith(suffix) else name + suffix
