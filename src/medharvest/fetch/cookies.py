"""Cookies: the jar of a run, and the cookies.txt a browser exports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from http.cookies import Morsel
from pathlib import Path

import aiohttp
import yarl

from medharvest.errors import InputError

_COLUMNS = 7  # domain, subdomains too, path, secure, expires, name, value
_HTTP_ONLY = "#HttpOnly_"
_WHOLE_TLD = re.compile(r";\s*domain\s*=\s*\.?[^.;]*(?=;|$)", re.IGNORECASE)
_UNSENDABLE = re.compile(r"[\x00-\x20\x7f;,]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """One cookie of a file; its value is never shown."""

    domain: str
    subdomains: bool
    path: str
    secure: bool
    expires: int  # seconds since 1970; 0 means for this run
    name: str
    value: str = field(repr=False)


def load_cookies(path: Path) -> tuple[Cookie, ...]:
    """Read a Netscape cookies.txt; no message holds a cookie's value."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        hint = error.strerror or type(error).__name__
        raise InputError(f"cookies cannot be read: {path}", name=str(path), hint=hint) from error
    except ValueError:
        raise InputError(f"cookies are not text: {path}", name=str(path), hint="export them as cookies.txt") from None
    return tuple(_cookies(text, path))


def _cookies(text: str, path: Path) -> Iterator[Cookie]:
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.rstrip("\r").removeprefix(_HTTP_ONLY)
        if not bare.strip() or (bare.startswith("#") and not line.startswith(_HTTP_ONLY)):
            continue
        columns = bare.split("\t")
        if len(columns) != _COLUMNS or not columns[0].strip(".") or not _whole_number(columns[4]):
            raise InputError(
                f"not a cookies.txt, line {number}: {path}",
                name=str(path),
                hint="seven columns divided by tabs are expected, as browsers export them",
            )
        domain, subdomains, folder, secure, expires, name, value = columns
        yield Cookie(
            domain=domain.lstrip(".").lower(),
            subdomains=subdomains.upper() == "TRUE",
            path=folder,
            secure=secure.upper() == "TRUE",
            expires=int(float(expires)),
            name=name,
            value=value,
        )


def _whole_number(text: str) -> bool:
    """Seconds as some exporters write them: `1790000000` or `1790000000.5`."""
    return re.fullmatch(r"\d{1,15}(?:\.\d{1,15})?", text, re.ASCII) is not None


def open_jar(cookies: Iterable[Cookie]) -> aiohttp.CookieJar:
    """The jar of a run, with the cookies to begin with; it needs a running event loop."""
    jar = _Jar()
    for cookie in cookies:
        if not _UNSENDABLE.search(cookie.name + cookie.value):
            jar.update_cookies({cookie.name: _morsel(cookie)}, yarl.URL.build(scheme="https", host=cookie.domain))
    return jar


class _Jar(aiohttp.CookieJar):
    """A cookie for a whole top-level domain is kept for its host alone."""

    def update_cookies_from_headers(self, headers: Sequence[str], response_url: yarl.URL) -> None:
        super().update_cookies_from_headers([_WHOLE_TLD.sub("", header) for header in headers], response_url)


def _morsel(cookie: Cookie) -> Morsel[str]:
    morsel: Morsel[str] = Morsel()
    # Browsers keep names that the class refuses; what could break a header was sorted out before.
    morsel.__setstate__({"key": cookie.name, "value": cookie.value, "coded_value": cookie.value})  # type: ignore[attr-defined]
    morsel["domain"] = cookie.domain if cookie.subdomains else ""
    morsel["path"] = cookie.path
    morsel["secure"] = cookie.secure
    if cookie.expires:
        morsel["expires"] = formatdate(cookie.expires, usegmt=True)
    return morsel
