"""Files and addresses that a user names, one after the other, to pages, citations or errors."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote

from medharvest.errors import FetchError, InputError, MedharvestError
from medharvest.json_text import dump
from medharvest.pages import parse_page
from medharvest.pages.kind import Classified, classify_bytes
from medharvest.records import Citation, Miss, Page, Reason, Response
from medharvest.run.read import read_page
from medharvest.run.saved import Saved, files_in, is_archive, pages_of_archive
from medharvest.run.taught import Lesson, read_taught
from medharvest.run.workers import Job, Reading, shared_workers
from medharvest.settings import Read, Settings

if TYPE_CHECKING:
    from medharvest.fetch import BrowserFetcher, HttpFetcher

_DOI = "doi:"
_DOI_FORM = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a file (`name` as given, `path` where it is), an address or a DOI, with what is known of it."""

    name: str
    path: str = ""
    url: str = ""
    encoding: str = ""
    journal: str = ""

    @property
    def is_url(self) -> bool:
        """Whether the input is an address or a DOI, which leads to one."""
        return self.name.lower().startswith(("http://", "https://", _DOI))

    @property
    def is_archive(self) -> bool:
        """Whether the input is a WARC file, which holds many pages."""
        return not self.is_url and is_archive(Path(self.path or self.name))


def named_sources(names: Iterable[str], *, url: str = "", journal: str = "") -> tuple[Source, ...]:
    """The inputs of a command line; a folder stands for the files in it that may hold pages."""
    return tuple(Source(file, url=url, journal=journal) for name in names for file in _files(name))


def _files(name: str) -> tuple[str, ...]:
    """The files of a folder; any other name, and a folder without such files, as it is."""
    try:
        found = files_in(Path(name)) if name and Path(name).is_dir() else ()
    except (OSError, ValueError):  # a name that no file can have
        found = ()
    return tuple(map(str, found)) or (name,)


def manifest_sources(manifest: Path, *, max_bytes: int = Read().max_bytes) -> tuple[Source, ...]:
    """The inputs of a manifest: JSON lines with `file`, relative to it, and perhaps `url`, `encoding`, `journal`."""
    try:
        text = load(manifest, name=str(manifest), max_bytes=max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(str(manifest), error) from error
    # Only a line feed ends a JSON line: the string in it may hold any other separator as it is.
    return tuple(_entry(manifest, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _entry(manifest: Path, number: int, line: str) -> Source:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    row = row if isinstance(row, dict) else {}
    name, *known = ("" if row.get(key) is None else row[key] for key in ("file", "url", "encoding", "journal"))
    if not name or not all(isinstance(value, str) for value in (name, *known)):
        raise InputError(
            f"manifest line is wrong: {manifest}:{number}",
            name=str(manifest),
            hint='each line is {"file": "…"}, perhaps with "url", "encoding" and "journal"',
        )
    return Source(name, str(manifest.parent / name), *known)


def describe_sources(named: Iterable[Source], rows: Iterable[Source]) -> tuple[Source, ...]:
    """The named inputs with what a manifest knows of them; its rows of other files are not looked at."""
    known = {Path(row.path).absolute(): row for row in rows}
    return tuple(_described(source, known.get(Path(source.name).absolute())) for source in named)


def _described(source: Source, row: Source | None) -> Source:
    """What the call says of an input wins over the manifest."""
    if row is None or source.is_url:
        return source
    url, journal = source.url or row.url, source.journal or row.journal
    return replace(source, url=url, encoding=source.encoding or row.encoding, journal=journal)


def read_sources(
    sources: Iterable[Source], settings: Settings, lessons: Mapping[str, Sequence[Lesson]] = MappingProxyType({})
) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    """Read each input by what was taught of its journal; one that fails yields its error and the rest go on.

    One page is read here, several in processes of their own. Of an archive, the article pages are read.
    """
    saved = saved_sources(sources, settings)
    told = {journal: dump(tuple(taught)) for journal, taught in lessons.items() if taught}
    try:
        beginning = list(itertools.islice(saved, 2))
        if len(beginning) == 1:
            source, page = beginning[0]
            yield from _read_here(source, page, settings.read, lessons.get(source.journal, ()))
        else:
            jobs = ((source, _job(source, page, told)) for source, page in itertools.chain(beginning, saved))
            yield from _articles(shared_workers(settings.read).read(jobs))
    finally:
        saved.close()


def _articles(readings: Iterable[tuple[Source, Reading]]) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    """The readings without the pages that are no articles; an archive without any article is an error."""
    for source, group in itertools.groupby(readings, itemgetter(0)):
        found = False
        for _, reading in group:
            if reading is not None:
                found = True
                yield source, reading
        if not found:
            hint = "`medharvest classify` tells what its pages are"
            yield source, InputError(f"no article page in this archive: {source.name}", name=source.name, hint=hint)


def _read_here(
    source: Source, page: Saved | MedharvestError, limits: Read, taught: Sequence[Lesson]
) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    if isinstance(page, MedharvestError):
        yield source, page
        return
    try:
        parsed = _parse(source, page, limits)
        yield source, read_taught(parsed, taught) if taught else read_page(parsed)
    except MedharvestError as error:
        yield source, error


def _job(source: Source, page: Saved | MedharvestError, lessons: Mapping[str, str]) -> Job | MedharvestError:
    if isinstance(page, MedharvestError):
        return page
    return Job(
        body=page.body,
        name=source.name,
        url=page.url,
        charset=page.charset,
        articles_only=page.archived,
        lessons=lessons.get(source.journal, ""),
    )


def page_sources(sources: Iterable[Source], settings: Settings) -> Iterator[tuple[Source, Page | MedharvestError]]:
    """The page of each input, every page of an archive; one that fails yields its error and the rest go on."""
    for source, page in saved_sources(sources, settings):
        if isinstance(page, MedharvestError):
            yield source, page
            continue
        try:
            yield source, _parse(source, page, settings.read)
        except MedharvestError as error:
            yield source, error


def kind_sources(
    sources: Iterable[Source], settings: Settings
) -> Iterator[tuple[Source, Classified | MedharvestError]]:
    """What each input is; a page of an archive comes with its own address."""
    for source, page in saved_sources(sources, settings):
        if isinstance(page, MedharvestError):
            yield source, page
            continue
        known = replace(source, url=page.url) if page.archived else source
        try:
            yield known, classify_bytes(page.body, url=page.url, charset=page.charset, name=source.name)
        except MedharvestError as error:
            yield known, error


def _parse(source: Source, page: Saved, limits: Read) -> Page:
    return parse_page(
        page.body, url=page.url, charset=page.charset, name=source.name, max_pdf_pages=limits.max_pdf_pages
    )


def saved_sources(
    sources: Iterable[Source], settings: Settings
) -> Generator[tuple[Source, Saved | MedharvestError], None, None]:
    """The bytes of each input, of an archive each page's; one that fails yields its error and the rest go on."""
    web = _Web(settings)
    try:
        for source in sources:
            try:
                for page in _saved(source, settings, web):
                    yield source, page
            except MedharvestError as error:
                yield source, error
    finally:
        web.close()


def _saved(source: Source, settings: Settings, web: _Web) -> Iterator[Saved | MedharvestError]:
    limit = settings.read.max_bytes
    if source.is_url:
        answer = web.get(address(source.name, settings.read.resolver))
        yield Saved(answer.body, answer.final_url, answer.charset)
    elif source.is_archive:
        yield from _archived(source, limit)
    else:
        body = load(Path(source.path or source.name), name=source.name, max_bytes=limit)
        yield Saved(body, source.url, source.encoding)


def _archived(source: Source, max_bytes: int) -> Iterator[Saved | MedharvestError]:
    pages = pages_of_archive(Path(source.path or source.name), name=source.name, max_bytes=max_bytes)
    first = next(pages, None)
    if first is None:
        hint = "an archive of a crawl, with the pages that arrived, is expected"
        raise InputError(f"no page in this archive: {source.name}", name=source.name, hint=hint)
    yield from itertools.chain([first], pages)


def address(name: str, resolver: str) -> str:
    """Where an address or a DOI leads: a DOI is appended to the address of the resolver."""
    if not name.lower().startswith(_DOI):
        return name
    doi = name[len(_DOI) :].strip()
    if not _DOI_FORM.fullmatch(doi):
        raise InputError(f"not a DOI: {name}", name=name, hint="one looks like doi:10.1000/182")
    return resolver + quote(doi, safe="/:;()._-,@+~!*'=&$")


def load(path: Path, *, name: str, max_bytes: int) -> bytes:
    """The bytes of a file that is not too large; `name` is what messages call it."""
    if not name or "://" in name:
        hint = "an address begins with http:// or https://"
        raise InputError(f"neither a file nor a web address: {name!r}", name=name, hint=hint)
    try:
        if path.is_dir():
            hint = "it holds no .html, .mhtml, .pdf or .warc file; name the files in it"
            raise InputError(f"is a folder: {name}", name=name, hint=hint)
        with path.open("rb") as file:
            body = file.read(max_bytes + 1)  # a device has no size to ask for beforehand, and no end
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    if len(body) > max_bytes:
        hint = f"the limit is {max_bytes:,} bytes; raise it with MEDHARVEST_READ_MAX_BYTES"
        raise InputError(f"file too large: {name}", name=name, hint=hint)
    return body


def _unreadable(name: str, error: Exception) -> InputError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(f"no such file: {name}", name=name, hint="check the path")
    return InputError(f"cannot be read: {name}", name=name, hint=getattr(error, "strerror", None) or str(error))


class _Web:
    """One polite fetcher for all addresses of a call, opened with the first of them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.runner = asyncio.Runner()
        self.fetcher: HttpFetcher | BrowserFetcher | None = None

    def get(self, url: str) -> Response:
        """The page at an address."""
        answer = self.runner.run(self._ask(url))
        if isinstance(answer, Miss):
            raise fetch_error(answer)
        return answer

    async def _ask(self, url: str) -> Response | Miss:
        from medharvest.fetch import make_fetcher  # only an address needs the HTTP client

        if self.fetcher is None:
            self.fetcher = await make_fetcher(self.settings.fetch).__aenter__()
        return await self.fetcher(url)

    def close(self) -> None:
        """Close the connections."""
        if self.fetcher is not None:
            self.runner.run(self.fetcher.__aexit__(None, None, None))
        self.runner.close()


_SAVE = "save the page with your browser and give the file instead"
_HINTS = {
    Reason.PRIVATE_ADDRESS: "set MEDHARVEST_FETCH_ALLOW_PRIVATE=1 if the server is your own",
    Reason.ROBOTS: _SAVE,
    Reason.FORBIDDEN: _SAVE,
    Reason.LOGIN_WALL: _SAVE,
    Reason.BLOCKED: _SAVE,
    Reason.RATE_LIMITED: "wait, or ask more slowly with a greater fetch.delay",
    Reason.UNKNOWN_HOST: "check the address and the network",
    Reason.NO_PROTOCOL: "an address begins with http:// or https://",
    Reason.BUDGET: "raise the limits of the crawl, such as --max-pages",
}


def fetch_error(miss: Miss) -> FetchError:
    """The error of a page that one command depends on."""
    hint = _HINTS.get(miss.reason) or miss.detail or "try again later"
    return FetchError(f"page did not arrive ({miss.reason}): {miss.url}", url=miss.url, reason=miss.reason, hint=hint)
