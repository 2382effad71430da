"""Load the inputs a user names: files, folders, WARC files, web addresses, DOIs.

Inputs are loaded one after another; one that fails yields its error in its place:

    for source, page in saved_sources(named_sources(["issue/", "doi:10.1000/182"]), settings): ...
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import os
import re
import zlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from medharvest.errors import FetchError, InputError, MedharvestError
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Read, Settings, add_logins, split_login

if TYPE_CHECKING:
    from medharvest.fetch import BrowserFetcher, HttpFetcher

_DOI_PREFIX = "doi:"
_DOI_FORM = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")

_SAVE_PAGE_HINT = "save the page with your browser and give the file instead"
_REASON_HINTS = {
    Reason.PRIVATE_ADDRESS: "set MEDHARVEST_FETCH_ALLOW_PRIVATE=1 if the server is your own",
    Reason.ROBOTS: _SAVE_PAGE_HINT,
    Reason.FORBIDDEN: _SAVE_PAGE_HINT,
    Reason.LOGIN_WALL: _SAVE_PAGE_HINT,
    Reason.BLOCKED: _SAVE_PAGE_HINT,
    Reason.RATE_LIMITED: "the server wants fewer requests; wait, or raise fetch.delay to send them more slowly",
    Reason.UNKNOWN_HOST: "there is no such host, or no network; check the address and the network",
    Reason.NO_PROTOCOL: "an address begins with http:// or https://",
    Reason.MALFORMED_URL: "not a valid address; copy it from the browser",
    Reason.BUDGET: "raise the limits of the crawl, such as --max-pages",
    Reason.NOT_FOUND: "the server has no such page; open the address in your browser and copy the one it shows",
    Reason.SOFT_404: "the page says that there is none; open the address in your browser and copy the one it shows",
    Reason.CLIENT_ERROR: "the server does not accept the request; if the page opens in your browser, save it there",
    Reason.SERVER_ERROR: "the server has a problem; try again later",
    Reason.REFUSED: "nothing answers there; check host and port, or try again later",
    Reason.NO_ROUTE: "the network does not reach this host; check the connection, a VPN or a proxy",
    Reason.TIMEOUT: "the server did not answer in time; try again later, or raise fetch.read_timeout",
    Reason.BROKEN_TRANSFER: "the connection broke off; try again",
    Reason.TOO_MANY_REDIRECTS: "the server redirects in a circle; it may want cookies, see --cookies",
}
_HTTP_STATUS = re.compile(r"HTTP \d{3}")
# A host with a dot in its name and a slash after it, or one that begins with www.
_BARE_ADDRESS = re.compile(
    r"(?i)(?!www\.)(?:[a-z0-9-]{1,63}\.){1,9}[a-z]{2,63}(?::\d{1,5})?(?=/)|www\.[a-z0-9.-]{3,250}"
)
_ARCHIVE_SUFFIXES = (".warc", ".warc.gz")
_PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".mhtml", ".mht", ".pdf", *_ARCHIVE_SUFFIXES)
_ARCHIVE_MAGIC = b"WARC/"
_GZIP_START = b"\x1f\x8b"
_PAGE_MEDIA_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/pdf"})
_HTTP_OK = 200


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a file (`name` as given, `path` where it is), a web address or a DOI, with what is known about it."""

    name: str
    path: str = ""
    url: str = ""
    encoding: str = ""
    journal: str = ""
    login: str = field(default="", repr=False)  # taken off the address, for `fetch.logins`

    @property
    def is_url(self) -> bool:
        """Whether the input is a web address or a DOI."""
        return self.name.lower().startswith(("http://", "https://", _DOI_PREFIX))

    @property
    def is_archive(self) -> bool:
        """Whether the input is a WARC file, which holds many pages."""
        path = Path(self.path or self.name)
        return not self.is_url and (is_warc_file(path) or _has_later_record(path))


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """The bytes of one page, with its address and the charset its server named, if known.

    `archived`: it comes from a WARC file, where not every page is an article.
    """

    body: bytes
    url: str = ""
    charset: str = ""
    archived: bool = False


def named_sources(names: Iterable[str], *, url: str = "", journal: str = "") -> tuple[Source, ...]:
    """Return the inputs of a command line; a folder stands for its files that may hold pages."""
    bare_url, _ = split_login(url)
    split = [split_login(complete_address(file)) for name in names for file in _expand_folder(name)]
    return tuple(Source(bare, url=bare_url, journal=journal, login=login) for bare, login in split)


def complete_address(name: str) -> str:
    """Write https:// before an address without scheme; what may be the path of a file is left as it is."""
    host = _BARE_ADDRESS.match(name)
    return f"https://{name}" if host and not Path(host[0]).exists() and not Path(name).exists() else name


def _expand_folder(name: str) -> tuple[str, ...]:
    """Return the page files of a folder; any other name, and a folder without page files, is returned as it is."""
    try:
        found = page_files_in(Path(name)) if name and Path(name).is_dir() else ()
    except (OSError, ValueError):  # not a possible file name
        found = ()
    return tuple(map(str, found)) or (name,)


def page_files_in(folder: Path) -> tuple[Path, ...]:
    """Return the files in a folder and below that may hold pages, sorted by path, without hidden ones."""
    found = []
    for place, below, names in os.walk(folder):
        below[:] = [name for name in below if not name.startswith(".")]
        found += [Path(place, name) for name in names if _may_hold_pages(name)]
    return tuple(sorted(found))


def _may_hold_pages(name: str) -> bool:
    return name.lower().endswith(_PAGE_SUFFIXES) and not name.startswith(".")


def manifest_sources(manifest: Path, *, max_bytes: int = Read().max_bytes) -> tuple[Source, ...]:
    """Read a manifest: JSON lines with `file`, relative to the manifest, and optional `url`, `encoding`, `journal`."""
    try:
        text = load_file(manifest, name=str(manifest), max_bytes=max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable_error(str(manifest), error) from error
    # Only a line feed ends a JSON line: its strings may contain any other line separator.
    return tuple(
        _parse_manifest_line(manifest, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()
    )


def _parse_manifest_line(manifest: Path, number: int, line: str) -> Source:
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
            hint='each line is {"file": "…"}, optionally with "url", "encoding" and "journal"',
        )
    url, encoding, journal = known
    return Source(name, str(manifest.parent / name), split_login(url)[0], encoding, journal)


def describe_sources(named: Iterable[Source], rows: Iterable[Source]) -> tuple[Source, ...]:
    """Add what a manifest says to the named inputs; its rows about other files are ignored."""
    known = {Path(row.path).absolute(): row for row in rows}
    return tuple(_describe_source(source, known.get(Path(source.name).absolute())) for source in named)


def _describe_source(source: Source, row: Source | None) -> Source:
    """Add a manifest row to an input; values given with the input win."""
    if row is None or source.is_url:
        return source
    url, journal = source.url or row.url, source.journal or row.journal
    return replace(source, url=url, encoding=source.encoding or row.encoding, journal=journal)


def saved_sources(
    sources: Iterable[Source], settings: Settings
) -> Generator[tuple[Source, LoadedPage | MedharvestError], None, None]:
    """Yield the bytes of each input, or of each page of an archive; an input that fails yields its error."""
    sources = tuple(sources)
    web = _LazyFetcher(add_logins((source.login for source in sources), settings))
    try:
        for source in sources:
            try:
                for page in _load_source(source, settings, web):
                    yield source, page
            except MedharvestError as error:
                yield source, error
    finally:
        web.close()


def _load_source(source: Source, settings: Settings, web: _LazyFetcher) -> Iterator[LoadedPage | MedharvestError]:
    limit = settings.read.max_bytes
    if source.is_url:
        answer = web.get(resolve_address(source.name, settings.read.resolver))
        yield LoadedPage(answer.body, answer.final_url, answer.charset)
    elif source.is_archive:
        yield from _load_archive(source, limit)
    else:
        body = load_file(Path(source.path or source.name), name=source.name, max_bytes=limit)
        yield LoadedPage(body, source.url, source.encoding)


def is_warc_file(path: Path) -> bool:
    """Whether a file is a WARC file, by its first bytes; never a pipe, which can be read only once."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(len(_ARCHIVE_MAGIC))
            if not head.startswith(_GZIP_START):
                return head == _ARCHIVE_MAGIC
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as unpacked:
                return unpacked.read(len(_ARCHIVE_MAGIC)) == _ARCHIVE_MAGIC
    except (OSError, EOFError, ValueError, zlib.error):
        return False


def _has_later_record(path: Path) -> bool:
    """Whether a file whose first bytes are damaged is a WARC file, by its name and a record further on."""
    from medharvest.fetch.warc import find_record_start  # only an archive needs its reader

    if not path.name.lower().endswith(_ARCHIVE_SUFFIXES):
        return False
    try:
        with path.open("rb") as file:
            return find_record_start(file, 0) is not None
    except OSError:
        return False


class _LazyFetcher:
    """One fetcher for all addresses of a call, opened when the first is requested."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.runner = asyncio.Runner()
        self.fetcher: HttpFetcher | BrowserFetcher | None = None

    def get(self, url: str) -> Response:
        """Fetch the page at an address, or raise."""
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


def login_hint(detail: str) -> str:
    """Say how to log in if a server asked for it; logins are not stored, so a resumed run needs them again."""
    return f"{detail}; give a login in fetch.logins (MEDHARVEST_FETCH_LOGINS)" if "HTTP 401" in detail else ""


def fetch_error(miss: Miss) -> FetchError:
    """Make the error for a page that a command cannot do without."""
    words = _REASON_HINTS.get(miss.reason) or miss.detail or "try again later"
    status = _HTTP_STATUS.match(miss.detail)
    hint = login_hint(miss.detail) or (f"{status[0]}: {words}" if status else words)
    return FetchError(f"page did not arrive ({miss.reason}): {miss.url}", url=miss.url, reason=miss.reason, hint=hint)


def _load_archive(source: Source, max_bytes: int) -> Iterator[LoadedPage | MedharvestError]:
    pages = pages_of_warc(Path(source.path or source.name), name=source.name, max_bytes=max_bytes)
    first = next(pages, None)
    if first is None:
        hint = "expected a WARC file with HTML or PDF responses"
        raise InputError(f"no page in this archive: {source.name}", name=source.name, hint=hint)
    yield from itertools.chain([first], pages)


def pages_of_warc(path: Path, *, name: str, max_bytes: int) -> Iterator[LoadedPage | InputError]:
    """Yield every HTML page and PDF of a WARC file that arrived, in order; one that is too large is an error.

    Damaged records are skipped, and the last item is an error that counts them.
    """
    from fastwarc.warc import WarcRecord, WarcRecordType  # only an archive needs its reader

    from medharvest.fetch.warc import ArchiveDamage, scan_archive

    def take(record: WarcRecord) -> LoadedPage | InputError | None:
        is_page = record.record_type == WarcRecordType.response and _is_page_record(record)
        return _page_of_record(record, name, max_bytes) if is_page else None

    damage = []
    try:
        for item in scan_archive(path, take, parse_http=True):
            if isinstance(item, ArchiveDamage):
                damage.append(item)
            elif item is not None:
                yield item
    except OSError as error:
        raise InputError(f"cannot be read: {name}", name=name, hint=error.strerror or str(error)) from error
    if damage:
        yield _damaged_archive_error(name, len(damage), sum(place.end - place.start for place in damage))


def _damaged_archive_error(name: str, places: int, lost: int) -> InputError:
    count = "1 damaged record" if places == 1 else f"{places:,} damaged records or more"
    hint = "the other records were read; restore the file from a backup, or fetch the lost pages again"
    return InputError(f"{count} in this archive, {lost:,} bytes: {name}", name=name, hint=hint)


def _is_page_record(record: object) -> bool:
    headers = getattr(record, "http_headers", None)
    media_type = str(getattr(record, "http_content_type", "") or "").partition(";")[0].strip().lower()
    return headers is not None and headers.status_code == _HTTP_OK and media_type in _PAGE_MEDIA_TYPES


def _page_of_record(record: object, name: str, max_bytes: int) -> LoadedPage | InputError:
    url = str(record.headers.get("WARC-Target-URI") or "").strip("<>")  # type: ignore[attr-defined]
    body = record.reader.read(max_bytes + 1)  # type: ignore[attr-defined]
    if len(body) > max_bytes:
        hint = f"the limit is {max_bytes:,} bytes; raise it with MEDHARVEST_READ_MAX_BYTES"
        return InputError(f"page too large: {url} in {name}", name=name, hint=hint)
    return LoadedPage(body, url, str(record.http_charset or ""), archived=True)  # type: ignore[attr-defined]


def resolve_address(name: str, resolver: str) -> str:
    """Return the address to request: for a DOI, the resolver's address with the DOI appended."""
    if not name.lower().startswith(_DOI_PREFIX):
        return name
    doi = name[len(_DOI_PREFIX) :].strip()
    if not _DOI_FORM.fullmatch(doi):
        raise InputError(f"not a DOI: {name}", name=name, hint="one looks like doi:10.1000/182")
    return resolver + quote(doi, safe="/:;()._-,@+~!*'=&$")


def load_file(path: Path, *, name: str, max_bytes: int) -> bytes:
    """Read a file of at most `max_bytes`; error messages call it `name`."""
    if not name or "://" in name:
        hint = "an address begins with http:// or https://"
        raise InputError(f"neither a file nor a web address: {name!r}", name=name, hint=hint)
    try:
        if path.is_dir():
            hint = "it contains no .html, .mhtml, .pdf or .warc file; name the files to read"
            raise InputError(f"is a folder: {name}", name=name, hint=hint)
        with path.open("rb") as file:
            body = file.read(max_bytes + 1)  # a device has no size to check beforehand, and no end
    except (OSError, ValueError) as error:
        raise _unreadable_error(name, error) from error
    if len(body) > max_bytes:
        hint = f"the limit is {max_bytes:,} bytes; raise it with MEDHARVEST_READ_MAX_BYTES"
        raise InputError(f"file too large: {name}", name=name, hint=hint)
    return body


def _unreadable_error(name: str, error: Exception) -> InputError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(f"no such file: {name}", name=name, hint="check the path")
    return InputError(f"cannot be read: {name}", name=name, hint=getattr(error, "strerror", None) or str(error))
