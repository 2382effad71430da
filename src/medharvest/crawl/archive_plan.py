"""The plan of a journal's archive: which page may list further issues, and which issues were found.

plan = ArchivePlan(url, selection=IssueSelection(years=(2019, 2021)))
while (wish := plan.next_wish()) is not None:
    plan.take(wish, read_listing(wish.url))
print(plan.issues())
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from medharvest.links.issue_links import IssueLink, IssueLinkRole, IssueListing
from medharvest.links.issue_names import NO_NAME, IssueName, first_number, last_number, newest_first
from medharvest.links.urls import canonical_url, path_of, server_of

Span = tuple[int, int]  # the first and the last number
_MAX_LISTED = 3  # issues that a page beside its archive may show, such as the latest ones on a home page
_LISTING_ROLES = (IssueLinkRole.ISSUE, IssueLinkRole.PART)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueSelection:
    """Which issues of an archive are wanted: of these years and volumes, the newest `max_issues`; None means all."""

    years: Span | None = None
    volumes: Span | None = None
    max_issues: int | None = None

    def __bool__(self) -> bool:
        """Whether years or volumes are named."""
        return self.years is not None or self.volumes is not None

    def may_contain(self, name: IssueName) -> bool:
        """Whether an issue, or some issue of a volume or year, may be wanted."""
        return _may_overlap(self.years, name.year) and _may_overlap(self.volumes, name.volume)

    def knows(self, name: IssueName) -> bool:
        """Whether a name says enough to tell whether its issue is wanted."""
        return (self.years is None or bool(name.year)) and (self.volumes is None or bool(name.volume))


@dataclass(frozen=True, slots=True)
class ArchiveWish:
    """A page that may list issues, what led to it, and how many links away from the first page it is."""

    url: str
    role: IssueLinkRole | None = None  # None for the first page and its next pages
    name: IssueName = NO_NAME
    depth: int = 0
    text: str = ""


class ArchivePlan:
    """Hands out the pages of an archive one after the other, the newest volume first, and collects their issues.

    The current issue is looked at last, if the archive does not list it. `dropped` counts pages beyond the limits,
    `unknown` the issues of which nobody can say whether they are wanted; `failed` has the pages without an answer, and
    `unnamed` the current issue if it does not say which one it is, so that it may be one of the others.
    """

    def __init__(self, url: str, *, selection: IssueSelection, max_pages: int, max_depth: int) -> None:
        self.selection = selection
        self.dropped = 0
        self.failed: list[str] = []
        self.unnamed: list[str] = []
        self._max_pages = max_pages
        self._max_depth = max_depth
        self._waiting: list[ArchiveWish] = [ArchiveWish(canonical_url(url))]
        self._known = {canonical_url(url)}
        self._handed = 0
        self._found: dict[str, IssueLink] = {}
        self._current: list[IssueLink] = []

    def next_wish(self) -> ArchiveWish | None:
        """Return the next page to look at; None if nothing is left."""
        while self._waiting or self._current:
            wish = self._waiting.pop(0) if self._waiting else self._wish_for_current(self._current.pop(0))
            if wish is None or self._is_superfluous(wish):
                continue
            if self._handed >= self._max_pages or wish.depth > self._max_depth:
                self.dropped += 1
                continue
            self._handed += 1
            return wish
        return None

    def take(self, wish: ArchiveWish, listing: IssueListing | None) -> None:
        """Take what a page says about issues; None if it did not arrive."""
        if listing is None:
            self.failed.append(wish.url)
        elif wish.role is IssueLinkRole.CURRENT:
            self._take_current(wish, listing)
        elif wish.role is IssueLinkRole.PART:
            self._take_part(wish, listing)
        elif wish.role is IssueLinkRole.PREVIOUS:
            self._take_chain(wish, listing)
        else:
            self._take_list(wish, listing)

    def is_issue(self, url: str) -> bool:
        """Whether a page that was looked at is itself an issue."""
        return url in self._found

    def issues(self) -> tuple[IssueLink, ...]:
        """Return the wanted issues, the newest first, each once."""
        wanted = [link for link in self._unique_issues() if self._is_wanted(link)]
        places = newest_first(link.name for link in wanted)
        return tuple(wanted[place] for place in places[: self.selection.max_issues])

    @property
    def has_issues(self) -> bool:
        """Whether any issue was found, wanted or not."""
        return bool(self._found)

    @property
    def unknown(self) -> int:
        """How many issues lack the year or the volume that the selection asks for."""
        return sum(
            self.selection.may_contain(link.name) and not self.selection.knows(link.name)
            for link in self._unique_issues()
        )

    def _is_wanted(self, link: IssueLink) -> bool:
        return self.selection.may_contain(link.name) and self.selection.knows(link.name)

    def _is_superfluous(self, wish: ArchiveWish) -> bool:
        """Whether enough issues are found already: the waiting volumes and years are older."""
        older = wish.role in {IssueLinkRole.PART, IssueLinkRole.PREVIOUS}
        limit = self.selection.max_issues
        return older and limit is not None and len(self.issues()) >= limit

    def _take_list(self, wish: ArchiveWish, listing: IssueListing) -> None:
        issues, parts = (listing.with_role(role) for role in _LISTING_ROLES)
        # The first page may itself be a volume: others that look like it are its siblings, not its parts.
        siblings = {link for link in parts if link.shape == listing.shape and wish.role is None and not listing.home}
        parts = tuple(link for link in parts if link not in siblings)
        is_volume = bool(issues) and (bool(siblings) or (bool(listing.own) and not listing.own.is_issue))
        archive = listing.with_role(IssueLinkRole.ARCHIVE)
        is_beside = listing.home or (len(issues) + len(parts) < _MAX_LISTED and not is_volume)
        if wish.role is None and is_beside and archive:
            self._add_issues(link for link in issues if listing.home)
            self._add_wishes(wish, archive)
            self._current += listing.with_role(IssueLinkRole.CURRENT)
            return
        self._add_issues(issues)
        self._add_parts(wish, parts)
        self._add_more(wish, listing)
        self._add_wishes(wish, archive if wish.role is IssueLinkRole.ARCHIVE else ())
        if wish.role is not None or listing.home or not (listing.own or is_volume):
            self._current += listing.with_role(IssueLinkRole.CURRENT)
        if not (issues or parts):
            self._take_chain(wish, listing)

    def _take_part(self, wish: ArchiveWish, listing: IssueListing) -> None:
        """Take the issues of a volume or year; a page without any is itself an issue."""
        own = [link for link in listing.with_role(IssueLinkRole.ISSUE) if not link.name.contradicts(wish.name)]
        parts = [
            link
            for link in listing.with_role(IssueLinkRole.PART)
            if link.shape != listing.shape and not link.name.contradicts(wish.name) and link.url not in self._known
        ]
        inherited = [replace(link, name=link.name.filled_from(_without_span(wish.name))) for link in own]
        self._add_issues(inherited)
        self._add_parts(wish, parts)
        self._add_more(wish, listing)
        if not own and not parts:
            self._add_issues([IssueLink(role=IssueLinkRole.ISSUE, url=wish.url, text=wish.text, name=wish.name)])

    def _take_chain(self, wish: ArchiveWish, listing: IssueListing) -> None:
        """Take a contents page as an issue, and go on with the issue before it."""
        previous = listing.with_role(IssueLinkRole.PREVIOUS)
        if listing.own.is_issue and (previous or wish.role is IssueLinkRole.PREVIOUS):
            name = listing.own
            self._add_issues([IssueLink(role=IssueLinkRole.ISSUE, url=wish.url, text=listing.title, name=name)])
            if self.selection.may_contain(name) or not self._is_past(name):
                self._add_wishes(replace(wish, depth=wish.depth - 1), previous[:1])

    def _is_past(self, name: IssueName) -> bool:
        """Whether an issue is older than all that are wanted, so that those before it are too."""
        limits = ((self.selection.years, name.year), (self.selection.volumes, name.volume))
        return any(span is not None and text and last_number(text) < span[0] for span, text in limits)

    def _take_current(self, wish: ArchiveWish, listing: IssueListing) -> None:
        name = wish.name.filled_from(listing.own)
        if name.is_issue or not self._found:
            text = wish.text if wish.name else listing.title or wish.text
            self._add_issues([IssueLink(role=IssueLinkRole.CURRENT, url=wish.url, text=text, name=name)])
        else:
            self.unnamed.append(wish.url)

    def _wish_for_current(self, link: IssueLink) -> ArchiveWish | None:
        if link.url in self._known or link.url in self._found:
            return None
        if link.name.is_issue:
            self._add_issues([link])
            return None
        self._known.add(link.url)
        return ArchiveWish(link.url, IssueLinkRole.CURRENT, link.name, text=link.text)

    def _add_issues(self, links: Iterable[IssueLink]) -> None:
        for link in links:
            known = self._found.get(link.url)
            self._found[link.url] = link if known is None else replace(known, name=known.name.filled_from(link.name))

    def _add_parts(self, wish: ArchiveWish, parts: Iterable[IssueLink]) -> None:
        wanted = [link for link in parts if self.selection.may_contain(link.name)]
        self._add_wishes(wish, [wanted[place] for place in newest_first(link.name for link in wanted)])

    def _add_more(self, wish: ArchiveWish, listing: IssueListing) -> None:
        """Wish for the next pages of a list; they come before anything else."""
        more = [replace(wish, url=url) for url in self._new_addresses(listing.more)]
        self._waiting[:0] = more

    def _add_wishes(self, wish: ArchiveWish, links: Iterable[IssueLink]) -> None:
        by_url = {link.url: link for link in links if link.url not in self._found}
        self._waiting += [
            ArchiveWish(url, by_url[url].role, by_url[url].name, wish.depth + 1, by_url[url].text)
            for url in self._new_addresses(by_url)
        ]

    def _new_addresses(self, urls: Iterable[str]) -> Iterator[str]:
        for url in urls:
            if url not in self._known:
                self._known.add(url)
                yield url

    def _unique_issues(self) -> list[IssueLink]:
        """Return the issues without second addresses of the same one; a lasting address is preferred."""
        unique: dict[tuple[str, ...], IssueLink] = {}
        for link in sorted(self._found.values(), key=lambda one: one.role is IssueLinkRole.CURRENT):
            unique.setdefault(_identity(link), link)
        lasting = {_number_on_server(link) for link in unique.values() if link.role is not IssueLinkRole.CURRENT}
        return [
            link
            for link in unique.values()
            if link.role is not IssueLinkRole.CURRENT or not link.name.issue or _number_on_server(link) not in lasting
        ]


def _number_on_server(link: IssueLink) -> tuple[str, ...]:
    return server_of(link.url), link.name.volume, link.name.issue


def _identity(link: IssueLink) -> tuple[str, ...]:
    """Return what tells an issue from others: volume, number and year if known, on one part of one server."""
    name = link.name
    if not name.volume or not name.issue:
        return (link.url,)
    return (*_journal_of_address(link.url), name.volume, name.issue)


def _journal_of_address(url: str) -> tuple[str, str]:
    """Return the server and the first folder of an address: journals of one server have folders of their own."""
    folders = path_of(url).partition("?")[0].split("/")[1:-1]
    return server_of(url), folders[0] if folders else ""


def _without_span(name: IssueName) -> IssueName:
    """Return the name without spans: the issues of two years belong to one of them."""
    return IssueName(
        volume=name.volume if first_number(name.volume) == last_number(name.volume) else "",
        year=name.year if first_number(name.year) == last_number(name.year) else "",
    )


def _may_overlap(span: Span | None, text: str) -> bool:
    if span is None or not text:
        return True
    return first_number(text) <= span[1] and span[0] <= last_number(text)


@dataclass(frozen=True, slots=True)
class IssueChoice:
    """The current issue of a home page and how it was found; without one, the candidates."""

    link: IssueLink | None = None
    how: str = ""
    candidates: tuple[IssueLink, ...] = ()


def choose_current_issue(listing: IssueListing) -> IssueChoice:
    """Choose the current issue of a home page or archive: the one it calls current, or the newest of those it lists."""
    current = listing.with_role(IssueLinkRole.CURRENT)
    if current and _are_of_one_journal(current) and _are_one_issue(current):
        return IssueChoice(current[0], "the page links to it as the current issue")
    if current:
        return IssueChoice(candidates=current)
    issues = listing.with_role(IssueLinkRole.ISSUE)
    dated = [link for link in issues if link.name.year or link.name.volume]
    ordered = [dated[place] for place in newest_first(link.name for link in dated)]
    alone = len(ordered) == 1 or (len(ordered) > 1 and ordered[0].name != ordered[1].name)
    if alone and len(dated) == len(issues) and _are_of_one_journal(issues):
        return IssueChoice(ordered[0], f"it is the newest of the {len(issues)} issues that the page links to")
    return IssueChoice(candidates=issues)


def _are_of_one_journal(links: tuple[IssueLink, ...]) -> bool:
    """Whether links lead to one server, and to one folder of it; a page at the top has the server to itself."""
    places = {_journal_of_address(link.url) for link in links}
    return len({server for server, _ in places}) == 1 and len({folder for _, folder in places} - {""}) <= 1


def _are_one_issue(links: tuple[IssueLink, ...]) -> bool:
    """Whether several links to "the current issue" lead to one: under a lasting address, and one that says current."""
    named = {(link.name.volume, link.name.issue) for link in links if link.name.is_issue}
    lasting = [link for link in links if any(map(str.isdecimal, link.url.rpartition("//")[2].partition("/")[2]))]
    return len(links) == 1 or (len(named) <= 1 and len(lasting) <= 1 and len(links) <= 2)  # noqa: PLR2004
