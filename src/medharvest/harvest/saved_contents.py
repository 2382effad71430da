"""A contents page that was saved to a file: HTML, MHTML, a feed or sitemap, or a page in a WARC file.

saved = load_saved_contents("issue.html", url="https://journal.example.org/content/23/3", settings=settings)
fetcher = saved.wrap(fetcher)
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from medharvest.errors import InputError, MedharvestError
from medharvest.fetch import ArchiveFetcher, Fetcher
from medharvest.fetch.protocol import NO_VALIDATORS
from medharvest.harvest.input_reader import inspect_sources
from medharvest.harvest.issue_search import ReadyFetcher
from medharvest.journals.inputs import Source, load_file
from medharvest.links import canonical_url
from medharvest.pages.kind import ScoredKind
from medharvest.records import Kind, Miss, Page, Response, Validators
from medharvest.settings import Settings

_HEAD_BYTES = 2_000  # of a file, in which a browser notes the address and a feed begins
_SAVED_FROM = re.compile(rb"<!--\s{0,9}saved from url=\(\d{1,5}\)(https?://[^\s>]{1,2000})", re.IGNORECASE)
_PAGES_LISTED = 5  # in a message


@dataclass(frozen=True, slots=True)
class SavedContents:
    """A saved contents page with its address; of a WARC file, the other pages are at hand too."""

    url: str
    page: Response | None = None
    archive: ArchiveFetcher | None = None

    def wrap(self, fetcher: Fetcher) -> Fetcher:
        """Return a fetcher that gives the saved pages and fetches the others."""
        if self.archive is not None:
            return _ArchiveFirstFetcher(self.archive, fetcher)
        return ReadyFetcher(fetcher, {self.url: self.page} if self.page is not None else {})


class _ArchiveFirstFetcher:
    """Answers from an archive what it has, and asks another fetcher for the rest."""

    def __init__(self, archive: ArchiveFetcher, fetcher: Fetcher) -> None:
        self.archive = archive
        self.fetcher = fetcher

    async def __call__(self, url: str, validators: Validators = NO_VALIDATORS) -> Response | Miss:
        """Return the archived page, or a new answer."""
        answer = await self.archive(url) if self.archive.holds(url) else None
        if isinstance(answer, Response):
            return replace(answer, asked_at="", arrived_at="")  # the time of a run is measured from its first page
        return await self.fetcher(url, validators)


def load_saved_contents(name: str, *, url: str, settings: Settings) -> SavedContents:
    """Load a contents page from a file; `url` is its address if the file does not say it.

    Of a WARC file, the page at `url` is taken, or the only contents page in it.
    """
    source = Source(name, url=url)
    if not Path(name).exists():
        hint = "check the path; an address begins with http:// or https://"
        raise InputError(f"neither a file nor a web address: {name}", name=name, hint=hint)
    if source.is_archive:
        return _load_archived_contents(source, url, settings)
    body = load_file(Path(name), name=name, max_bytes=settings.read.max_bytes)
    head = body[:_HEAD_BYTES]
    found = _SAVED_FROM.search(head)
    url = url or (found[1].decode("ascii", "replace") if found else "") or _address_in_page(source, settings)
    if not url.startswith(("http://", "https://")):
        hint = f"give it: medharvest issue {shlex.quote(name)} --url https://…"
        raise InputError(f"the file does not say from which address it was saved: {name}", name=name, hint=hint)
    page = Response(url=url, final_url=url, status=200, media_type="text/html", charset="", body=body)
    return SavedContents(url, page)


def _address_in_page(source: Source, settings: Settings) -> str:
    """Return the address that an .mhtml file names; empty for other pages, and for what is no page."""
    found = next((page for _, page in inspect_sources([source], settings, Page)), None)
    return found.url if isinstance(found, Page) else ""


def _load_archived_contents(source: Source, url: str, settings: Settings) -> SavedContents:
    archive = ArchiveFetcher(Path(source.name), max_bytes=settings.fetch.max_bytes)
    if url:
        if not archive.holds(url):
            hint = f"without --url, the contents page in {source.name} is looked for"
            raise InputError(f"no page with this address in the archive: {url}", name=source.name, hint=hint)
        return SavedContents(url, archive=archive)
    kinds = list(inspect_sources([source], settings, ScoredKind))
    contents = [one.url for one, kind in kinds if isinstance(kind, ScoredKind) and kind.verdict.label == Kind.ISSUE]
    addresses = list({canonical_url(one): one for one in contents})
    if len(addresses) == 1:
        return SavedContents(addresses[0], archive=archive)
    failed = next((kind for _, kind in kinds if isinstance(kind, MedharvestError)), None)
    if failed is not None and not contents:
        raise failed
    shown = ", ".join(addresses[:_PAGES_LISTED])
    pages = f"name a page with --url; see its pages: medharvest classify {shlex.quote(source.name)}"
    hint = f"name one with --url: {shown}" if shown else pages
    count = f"{len(addresses)} contents pages" if addresses else "no contents page"
    raise InputError(f"{count} in this archive: {source.name}", name=source.name, hint=hint)
