"""Files and addresses that a user names, one after the other, to citations or errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from medharvest.errors import FetchError, InputError, MedharvestError
from medharvest.records import Citation, Miss, Reason, Response
from medharvest.run.read import read_bytes
from medharvest.settings import Read, Settings

if TYPE_CHECKING:
    from medharvest.fetch import BrowserFetcher, HttpFetcher


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a file (`name` exactly as given, `path` where it is) or an address, with what is known of it."""

    name: str
    path: str = ""
    url: str = ""
    encoding: str = ""

    @property
    def is_url(self) -> bool:
        """Whether the input is an address."""
        return self.name.lower().startswith(("http://", "https://"))


def named_sources(names: Iterable[str], *, url: str = "") -> tuple[Source, ...]:
    """The inputs of a command line."""
    return tuple(Source(name, url=url) for name in names)


def manifest_sources(manifest: Path, *, max_bytes: int = Read().max_bytes) -> tuple[Source, ...]:
    """The inputs of a manifest: JSON lines with `file`, relative to the manifest, and perhaps `url`, `encoding`."""
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
    name, url, encoding = ("" if row.get(key) is None else row[key] for key in ("file", "url", "encoding"))
    if not name or not all(isinstance(value, str) for value in (name, url, encoding)):
        raise InputError(
            f"manifest line is wrong: {manifest}:{number}",
            name=str(manifest),
            hint='each line is {"file": "…"}, perhaps with "url" and "encoding"',
        )
    return Source(name, path=str(manifest.parent / name), url=url, encoding=encoding)


def read_sources(sources: Iterable[Source], settings: Settings) -> Iterator[tuple[Source, Citation | MedharvestError]]:
    """Read each input; one that fails yields its error and the rest go on."""
    web = _Web(settings)
    try:
        for source in sources:
            try:
                yield source, _read(source, settings, web)
            except MedharvestError as error:
                yield source, error
    finally:
        web.close()


def _read(source: Source, settings: Settings, web: _Web) -> Citation:
    if source.is_url:
        answer = web.get(source.name)
        return read_bytes(
            answer.body,
            name=source.name,
            url=answer.final_url,
            encoding=answer.charset,
            settings=settings.read,
        )
    body = load(Path(source.path or source.name), name=source.name, max_bytes=settings.read.max_bytes)
    return read_bytes(body, name=source.name, url=source.url, encoding=source.encoding, settings=settings.read)


def load(path: Path, *, name: str, max_bytes: int) -> bytes:
    """The bytes of a file that is not too large; `name` is what messages call it."""
    if not name or "://" in name:
        hint = "an address begins with http:// or https://"
        raise InputError(f"neither a file nor a web address: {name!r}", name=name, hint=hint)
    try:
        if path.is_dir():
            raise InputError(f"is a folder: {name}", name=name, hint="name the files in it, such as FOLDER/*.html")
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
