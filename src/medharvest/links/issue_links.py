"""The links of a page that lead to issues: single issues, volumes and years, the archive, the current issue.

They are found by their words, by the headings and rows they stand in, and by addresses of one shape.

    for link in find_issue_links(page).links:
        print(link.role, link.name, link.url)
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from medharvest.links.discovery import next_pages
from medharvest.links.issue_link_signs import (
    MAX_OTHER_WORDS,
    IssueContext,
    PageStream,
    is_current_address,
    is_other_address,
    says_archive,
    says_contents,
    says_current,
    says_early,
    says_previous,
    split_words,
    words_of_address,
)
from medharvest.links.issue_names import NO_NAME, IssueName, IssueWording, first_number, word_issue
from medharvest.links.judge import is_trap
from medharvest.links.link_words import FOLDER_ENDING, NO_ENDING, PAGE_ENDING, LinkTarget, TargetReader, shown_text
from medharvest.links.scan import scan_links
from medharvest.links.urls import canonical_url, path_of
from medharvest.records import Link, Page

_MAX_LINKS = 20_000  # links of a page that are examined, as for articles
_MAX_TEXT_CHARS = 200  # characters of a link's text that are kept
_MAX_CURRENT_WORDS = 4  # of a link whose address says that it is the current issue
_MAX_TITLE_WORDS = 20  # words of the title of a special issue behind its name
_MIN_ALIKE = 2  # links of one shape that make the shape that of issues
_MIN_DATED = 3  # links with a day that make dates the names of a weekly journal's issues
_MIN_ISSUE_SHARE = 0.6  # share of the links of a shape that must name issues for the others to count too
_MAX_SAME_NAME = 2  # addresses under one name: cover and text; with more they are the articles of that issue
_MIN_LISTED = 3  # issues, volumes or years that make a page a list of them
_MIN_LISTED_SHARE = 0.3  # of the links of a page
_INDEX_NAMES = frozenset("index default home main welcome start homepage".split())
_PAGE_FORMS = frozenset({NO_ENDING, PAGE_ENDING, FOLDER_ENDING})
_WORD = re.compile(r"[^\W\d_]+")
_PAGING_TEXT = re.compile(r"\d{1,3}|(?:next|older)(?: page| issues)?|[»\u203a→>]+")
_YEAR_IN_PATH = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_PLAIN_NUMBER = re.compile(r"[a-z]?\d{1,3}(?:\s?[-–/]\s?\d{1,3})?\.?|\(\d{1,3}\)", re.IGNORECASE)


class IssueLinkRole(StrEnum):
    """What a link leads to; `part` is a volume, a year or another part of the archive, `early` articles in press."""

    ISSUE = "issue"
    PART = "part"
    ARCHIVE = "archive"
    CURRENT = "current"
    EARLY = "early"
    PREVIOUS = "previous"


_LISTED_ROLES = frozenset({IssueLinkRole.ISSUE, IssueLinkRole.PART})


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueLink:
    """A link to an issue or to a list of issues, with what it says about them."""

    role: IssueLinkRole
    url: str
    text: str = ""
    name: IssueName = NO_NAME
    shape: str = ""  # the address without its numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueListing:
    """What a page says about the issues of its journal.

    `more` are further pages of the same list; `own` is the issue that title and heading name; `home`: the page is the
    journal's home page; `is_list`: it is a list of issues, not the contents of one.
    """

    url: str
    links: tuple[IssueLink, ...] = ()
    more: tuple[str, ...] = ()
    own: IssueName = NO_NAME
    title: str = ""
    shape: str = ""
    home: bool = False
    is_list: bool = False

    def with_role(self, *roles: IssueLinkRole) -> tuple[IssueLink, ...]:
        """Return the links with one of these roles, in the order of the page."""
        return tuple(link for link in self.links if link.role in roles)


def find_issue_links(page: Page) -> IssueListing:
    """Find the links to issues, volumes and years, to the archive and to the current issue."""
    every = scan_links(page)[:_MAX_LINKS]
    stream = PageStream(page, every)
    target_of = TargetReader(page.url)
    own_words = words_of_address(page.url)
    shown = [_see_link(page, link, target_of(link), stream.contexts[link.offset], own_words) for link in every]
    seen = [one for one in shown if one is not None]
    judged = _add_alike(_judge_links(seen))
    more = _more_pages(page, judged)
    found = _join_by_address([one for one in judged if one.url not in more])
    kept = _drop_repeated_names(found)
    listed = sum(link.role in _LISTED_ROLES for link in kept)
    home = _is_home(page.url, kept)
    own = stream.own_name()
    is_archive = _is_named_archive(page, stream, every)
    return IssueListing(
        url=page.url,
        links=kept,
        more=tuple(more),
        own=own,
        title=stream.title,
        shape=_shape_of(page.url),
        home=home,
        is_list=not home
        and not own.is_issue
        and listed >= _MIN_LISTED
        and (is_archive or listed >= _MIN_LISTED_SHARE * len({one.url for one in seen})),
    )


def _is_named_archive(page: Page, stream: PageStream, links: Sequence[Link]) -> bool:
    """Whether a page calls itself an archive: by its heading, or by the text of a link to itself."""
    own = canonical_url(page.url)
    named = [link.text for link in links if link.url and canonical_url(link.url) == own]
    return any(says_archive(text) for text in (stream.heading, *named))


@dataclass(frozen=True, slots=True)
class _SeenLink:
    """A visible link that may lead to a page of issues: its text, the name above and beside it, its judgement."""

    url: str
    text: str
    target: LinkTarget
    context: IssueContext
    wording: IssueWording
    excluded: bool
    role: IssueLinkRole | None = None
    name: IssueName = NO_NAME


def _see_link(
    page: Page, link: Link, target: LinkTarget, context: IssueContext, own_words: frozenset[str]
) -> _SeenLink | None:
    """Return a link that a reader sees and that may lead to a page of the journal; None for any other."""
    url = canonical_url(link.url) if link.url else ""
    other_page = target.leaves and target.own and target.ending in _PAGE_FORMS and url.startswith("http")
    if not other_page or is_trap(link) or url == canonical_url(page.url):
        return None
    text = shown_text(link, page.text)[:_MAX_TEXT_CHARS]
    return _SeenLink(url, text, target, context, word_issue(text), is_other_address(url, own_words))


def _judge_links(seen: Sequence[_SeenLink]) -> list[_SeenLink]:
    """Give each link the role that its own words and its place say; numbers and dates count if there are several."""
    judged = _add_named_beside([_judge_link(one) for one in seen])
    numbered = Counter(one.target.shape for one in judged if _is_plain_number(one))
    dated = Counter(one.target.shape for one in judged if _is_dated(one))
    return [
        _as_issue(one, replace(one.context.name, issue=one.text.strip("(). ").upper(), month=0))
        if _is_plain_number(one) and numbered[one.target.shape] >= _MIN_ALIKE
        else _as_issue(one, one.wording.name)
        if _is_dated(one) and dated[one.target.shape] >= _MIN_DATED
        else one
        for one in judged
    ]


def _judge_link(one: _SeenLink) -> _SeenLink:
    """Give a link the role of the first rule that knows it."""
    return next((judged for rule in _RULES if (judged := rule(one)) is not None), one)


def _judge_current(one: _SeenLink) -> _SeenLink | None:
    stem = "".join(_WORD.findall(path_of(one.url).lower().partition("?")[0].rstrip("/").rpartition("/")[2]))
    by_address = is_current_address(stem) and len(split_words(one.text)) <= _MAX_CURRENT_WORDS
    by_words = says_current(one.text) and one.wording.rest <= MAX_OTHER_WORDS
    if one.excluded or not (by_address or by_words):
        return None
    return replace(one, role=IssueLinkRole.CURRENT, name=_complete_name(one.wording.name, one))


def _judge_excluded(one: _SeenLink) -> _SeenLink | None:
    return one if one.excluded else None


def _judge_early(one: _SeenLink) -> _SeenLink | None:
    return replace(one, role=IssueLinkRole.EARLY) if says_early(one.text) else None


def _judge_previous(one: _SeenLink) -> _SeenLink | None:
    return replace(one, role=IssueLinkRole.PREVIOUS, name=one.wording.name) if says_previous(one.text) else None


def _judge_issue(one: _SeenLink) -> _SeenLink | None:
    said = one.wording
    if not said.name.is_issue or _is_day(said) or not _is_name_alone(said):
        return None
    name = _complete_name(said.name, one)
    return replace(one, role=IssueLinkRole.ISSUE, name=name) if name.issue or name.year else one


def _judge_part(one: _SeenLink) -> _SeenLink | None:
    said = one.wording
    if not said.name or said.name.is_issue or not _is_name_alone(said) or said.rest > MAX_OTHER_WORDS:
        return None
    above = IssueName(year=one.context.name.year if said.name.volume and not said.name.year else "")
    return replace(one, role=IssueLinkRole.PART, name=said.name.filled_from(above))


def _judge_archive(one: _SeenLink) -> _SeenLink | None:
    return replace(one, role=IssueLinkRole.ARCHIVE) if says_archive(one.text) else None


_RULES = (
    _judge_current,
    _judge_excluded,
    _judge_early,
    _judge_previous,
    _judge_issue,
    _judge_part,
    _judge_archive,
)


def _add_named_beside(judged: Sequence[_SeenLink]) -> list[_SeenLink]:
    """Take links such as "view contents" for issues if the name of the issue stands beside them."""
    known = {one.url for one in judged if one.role is not None}
    return [
        replace(one, role=IssueLinkRole.ISSUE, name=one.context.name)
        if one.url not in known and one.context.name.is_issue and not one.excluded and _says_only_contents(one)
        else one
        for one in judged
    ]


def _says_only_contents(one: _SeenLink) -> bool:
    said = one.wording
    return said.rest == 0 and not said.name and not said.numbers and says_contents(one.text)


def _is_name_alone(said: IssueWording) -> bool:
    """Whether a text is the name of an issue or a volume, perhaps with a title behind it."""
    if said.worded and said.opens:
        return said.rest <= _MAX_TITLE_WORDS
    return said.rest == 0 or (said.worded and said.rest == 1)


def _is_day(said: IssueWording) -> bool:
    return bool(said.name.month and said.numbers and not said.name.issue and not said.name.volume)


def _is_dated(one: _SeenLink) -> bool:
    return one.role is None and not one.excluded and one.wording.rest == 0 and _is_day(one.wording)


def _is_plain_number(one: _SeenLink) -> bool:
    """Whether a link is a number below or beside a volume or year."""
    said = one.wording
    alone = len(said.numbers) == 1 and not said.name and _PLAIN_NUMBER.fullmatch(one.text) is not None
    above = not one.context.of_issue and bool(one.context.name.volume or one.context.name.year)
    return one.role is None and not one.excluded and alone and above and first_number(one.text) > 0


def _as_issue(one: _SeenLink, name: IssueName) -> _SeenLink:
    return replace(one, role=IssueLinkRole.ISSUE, name=_complete_name(name, one))


def _complete_name(name: IssueName, one: _SeenLink) -> IssueName:
    """Add the volume and the year from above, unless they belong to others, and else from the address."""
    above = one.context.name
    if name.is_issue:
        name = name if name.contradicts(one.context.behind) else name.filled_from(one.context.behind)
        same_year = not name.year or not above.year or name.year == above.year
        same_volume = not name.volume or not above.volume or name.volume == above.volume
        name = name.filled_from(
            IssueName(volume=above.volume if same_year else "", year=above.year if same_volume else "")
        )
        if not (name.volume and name.issue and name.year):
            name = _complete_from_address(name, path_of(one.url))
    return name


def _complete_from_address(name: IssueName, path: str) -> IssueName:
    """Add what words in an address say, such as `/vol12/no3`, and its only year."""
    written = word_issue(path.replace("/", " . "))
    if written.worded:
        name = name.filled_from(replace(written.name, month=0, issue="" if name.month else written.name.issue))
    years = set(_YEAR_IN_PATH.findall(path)) if not name.year else set()
    return replace(name, year=years.pop()) if len(years) == 1 else name


def _more_pages(page: Page, judged: Sequence[_SeenLink]) -> dict[str, None]:
    """Return the further pages of a list of issues: next pages, and numbers behind the page's own address."""
    more = dict.fromkeys(canonical_url(url) for url in next_pages(page))
    stem = re.sub(r"/\d+$", "", canonical_url(page.url).rstrip("/"))
    behind = {
        one.url: None
        for one in judged
        if one.url.startswith(stem + "/") and one.url.removeprefix(stem + "/").isdecimal()
    }
    # Numbers alone are the volumes of a journal, not pages of a list.
    listed = any(one.role in _LISTED_ROLES and one.url not in behind for one in judged)
    paging = [one.url for one in judged if one.url in behind and _PAGING_TEXT.fullmatch(one.text.lower())]
    return more | (dict.fromkeys(paging) if listed else {})


def _add_alike(judged: Sequence[_SeenLink]) -> list[_SeenLink]:
    """Take links whose addresses are shaped like those of issues for issues too: special issues, and covers."""
    issues, every = Counter[tuple[str | int, ...]](), Counter[tuple[str | int, ...]]()
    addresses: defaultdict[tuple[str | int, ...], set[str]] = defaultdict(set)
    for one in judged:
        if one.url not in addresses[one.target.shape]:
            every[one.target.shape] += 1
            addresses[one.target.shape].add(one.url)
    for shape, _ in {(one.target.shape, one.url) for one in judged if one.role is IssueLinkRole.ISSUE}:
        issues[shape] += 1
    alike = {
        shape for shape, count in issues.items() if count >= _MIN_ALIKE and count >= _MIN_ISSUE_SHARE * every[shape]
    }
    known = {one.url for one in judged if one.role is not None}
    return [
        replace(one, role=IssueLinkRole.ISSUE, name=replace(one.context.name, issue="", month=0))
        if one.url not in known and one.target.shape in alike and one.text and not one.excluded
        else one
        for one in judged
    ]


_ROLE_ORDER = (
    IssueLinkRole.CURRENT,
    IssueLinkRole.ISSUE,
    IssueLinkRole.EARLY,
    IssueLinkRole.PART,
    IssueLinkRole.ARCHIVE,
    IssueLinkRole.PREVIOUS,
)


def _join_by_address(judged: Sequence[_SeenLink]) -> list[IssueLink]:
    """Join the links to one address: the first role in the order counts, and what each of them says."""
    joined: dict[str, IssueLink] = {}
    for one in judged:
        if one.role is None:
            continue
        link = IssueLink(role=one.role, url=one.url, text=one.text, name=one.name, shape=_shape_of(one.url))
        other = joined.get(one.url)
        joined[one.url] = link if other is None else _join_two(other, link)
    return list(joined.values())


def _join_two(one: IssueLink, other: IssueLink) -> IssueLink:
    first, second = sorted((one, other), key=lambda link: _ROLE_ORDER.index(link.role))
    told = max((one, other), key=lambda link: (bool(link.name.issue), bool(link.name.year), len(link.text)))
    return replace(first, text=told.text or first.text, name=told.name.filled_from(second.name.filled_from(first.name)))


def _drop_repeated_names(links: Sequence[IssueLink]) -> tuple[IssueLink, ...]:
    """Drop links that all name the same issue: they lead to its articles."""
    issues = [link for link in links if link.role is IssueLinkRole.ISSUE]
    counts = Counter((link.name, link.shape) for link in issues if link.name.issue)
    return tuple(
        link
        for link in links
        if link.role is not IssueLinkRole.ISSUE or counts[(link.name, link.shape)] <= _MAX_SAME_NAME
    )


def _shape_of(url: str) -> str:
    """Return an address with its numbers replaced, and Roman numbers and months left as they are."""
    return re.sub(r"\d+", "0", canonical_url(url).rstrip("/"))


def _is_home(url: str, links: Sequence[IssueLink]) -> bool:
    """Whether a page is a journal's home page: the top of the site, or of the folder of its archive."""
    path, _, query = path_of(canonical_url(url)).partition("?")
    parts = [part for part in path.split("/") if part]
    if parts and parts[-1].partition(".")[0].lower() in _INDEX_NAMES:
        parts.pop()
    if not parts:
        return not query
    folder = "/" + "/".join(parts) + "/"
    chief = {IssueLinkRole.CURRENT, IssueLinkRole.ARCHIVE}
    below = [link for link in links if link.role in chief and path_of(link.url).startswith(folder)]
    return bool(below) and not query
