"""The HTTP session of all requests, the user's cookies, and `Sender`, which sends requests to services."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.cookies import Morsel
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

import ada_url
import aiohttp
import yarl

from medharvest import __version__
from medharvest.errors import InputError, SettingsError
from medharvest.fetch.protocol import check_url, error_reason, header_pairs, open_public_socket
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch

_MAX_HEADER_LINE = 65_536  # bytes; security policies in headers exceed the library's 8 KB
_DNS_CACHE_SECONDS = 300
_HEADER_LINE = re.compile(
    r"(?:(https?://\S++)[ \t]++)?+(?!https?:/)"
    r"([!#$%&'*+.^_`|~0-9A-Za-z-]++)[ \t]*+:[ \t]*+([^\x00-\x08\x0a-\x1f\x7f]*)"
)
# They identify this client, say what it can read, or belong to the connection.
_RESERVED_HEADERS = frozenset(
    {
        "user-agent",
        "accept-encoding",
        "host",
        "connection",
        "content-length",
        "transfer-encoding",
        "proxy-authorization",
    }
)
_MAX_SEND_DETAIL = 300  # characters of a library's message that are kept
_COOKIE_COLUMNS = 7  # domain, subdomains too, path, secure, expires, name, value
_HTTP_ONLY = "#HttpOnly_"
_WHOLE_TLD = re.compile(r";\s*domain\s*=\s*\.?[^.;]*(?=;|$)", re.IGNORECASE)
_UNSENDABLE = re.compile(r"[\x00-\x20\x7f;,]")


def open_session(settings: Fetch, cookies: Iterable[Cookie]) -> aiohttp.ClientSession:
    """Open the HTTP session of a run, with its connections, cookies and headers."""
    # With a proxy, the proxy resolves names, and it may itself be in the private network.
    guarded = not settings.allow_private and not settings.proxy
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            resolver=aiohttp.ThreadedResolver(),  # the resolver of the system, as in a browser
            socket_factory=open_public_socket if guarded else None,
            limit=0,  # the throttle limits requests; waiting here would count towards the server's timeout
            ttl_dns_cache=_DNS_CACHE_SECONDS,
        ),
        headers={
            "User-Agent": user_agent(settings.contact),
            "Accept": "text/html,application/pdf,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",  # the only encodings every installation can decode
        },
        cookie_jar=open_cookie_jar(cookies),
        timeout=time_limits(settings),
        max_line_size=_MAX_HEADER_LINE,
        max_field_size=_MAX_HEADER_LINE,
    )


def user_agent(contact: str) -> str:
    """Return the User-Agent, with the contact address for webmasters."""
    contact = " ".join(contact.split())
    return f"medharvest/{__version__}" + (f" (+{contact})" if contact else "")


def time_limits(settings: Fetch, *, spent: float = 0.0) -> aiohttp.ClientTimeout:
    """Return what is left of a page's time after its redirects; never 0, which the library takes for no limit."""
    return aiohttp.ClientTimeout(
        total=max(settings.total_timeout - spent, 0.001) if settings.total_timeout else None,
        connect=settings.connect_timeout,
        sock_read=settings.read_timeout,
    )


def extra_headers(settings: Fetch) -> dict[str, dict[str, str]]:
    """Parse the headers of the setting, by origin; "" has those for all sites. No error message contains a value."""
    headers: dict[str, dict[str, str]] = {}
    for number, line in enumerate(settings.headers.splitlines(), 1):
        if not line.strip():
            continue
        found = _HEADER_LINE.fullmatch(line.strip())
        site, name, value = found.groups("") if found else ("", "", "")
        address = check_url(site, allow_private=True) if site else None
        if not name or isinstance(address, Miss) or name.lower() in _RESERVED_HEADERS:
            reserved = name.lower() in _RESERVED_HEADERS
            hint = f"{name} cannot be set" if reserved else "`Name: value` or `https://host Name: value` expected"
            raise SettingsError(f"wrong header in line {number} of fetch.headers", setting="fetch.headers", hint=hint)
        headers.setdefault(address.origin if address else "", {})[name] = value
    return headers


def login_headers(settings: Fetch) -> dict[str, dict[str, str]]:
    """Return the headers with the logins of the setting, by origin; no error message contains one."""
    headers: dict[str, dict[str, str]] = {}
    for number, line in enumerate(filter(None, map(str.strip, settings.logins.splitlines())), 1):
        address = check_url(line, allow_private=True)
        parsed = None if isinstance(address, Miss) else ada_url.URL(line)
        if isinstance(address, Miss) or parsed is None or not (parsed.username or parsed.password):
            hint = "`https://name:password@host` expected; write / in a password as %2F"
            raise SettingsError(f"wrong login in line {number} of fetch.logins", setting="fetch.logins", hint=hint)
        login = f"{unquote(parsed.username)}:{unquote(parsed.password)}"
        headers[address.origin] = {"Authorization": f"Basic {base64.b64encode(login.encode()).decode('ascii')}"}
    return headers


def proxy_options(settings: Fetch) -> dict[str, dict[str, Any]]:
    """Return the request options for the proxy, by scheme of the request.

    The password is removed from the address, which error messages quote. For http it is sent with the request, for
    https with the request that opens the tunnel.
    """
    if not settings.proxy:
        return {"http": {}, "https": {}}
    proxy = _parse_proxy_address(settings.proxy)
    bare = proxy.with_user(None)
    if proxy.user is None:
        return {"http": {"proxy": bare}, "https": {"proxy": bare}}
    coded = base64.b64encode(f"{proxy.user}:{proxy.password or ''}".encode()).decode("ascii")
    login = {"Proxy-Authorization": f"Basic {coded}"}
    return {"http": {"proxy": bare, "headers": login}, "https": {"proxy": bare, "proxy_headers": login}}


def _parse_proxy_address(text: str) -> yarl.URL:
    with suppress(ValueError):
        proxy = yarl.URL(text)
        if proxy.scheme in {"http", "https"} and proxy.host:
            return proxy
    raise SettingsError(
        "wrong value for fetch.proxy: (not shown)",
        setting="fetch.proxy",
        hint="an address such as http://proxy.example:3128 expected",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SendRequest:
    """A request to send; `headers` may contain a key, so no message shows them."""

    url: str
    method: str = "POST"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Sender:
    """Sends requests over HTTP; an async context manager. Any answer is a `Response`, whatever its status."""

    def __init__(self, settings: Fetch) -> None:
        self.settings = settings
        self._proxy = proxy_options(settings)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the connections."""
        self._session = open_session(self.settings, ())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        assert self._session is not None
        await self._session.close()

    async def __call__(self, sending: SendRequest) -> Response | Miss:
        """Send a request once and return the answer, or the reason why none came."""
        assert self._session is not None, "use `async with Sender(...)`"
        address = check_url(sending.url, allow_private=self.settings.allow_private)
        if isinstance(address, Miss):
            return address
        proxy = self._proxy["https" if address.url.startswith("https:") else "http"]
        options = {**proxy, "headers": {**sending.headers, **proxy.get("headers", {})}}
        try:
            async with self._session.request(
                sending.method,
                yarl.URL(address.url, encoded=True),
                data=sending.body,
                allow_redirects=False,
                **options,
            ) as answer:
                return await self._read(sending, answer)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            detail = " ".join(str(error).split()) or type(error).__name__
            return Miss(sending.url, error_reason(error), detail[:_MAX_SEND_DETAIL])

    async def _read(self, sending: SendRequest, answer: aiohttp.ClientResponse) -> Response | Miss:
        parts, size = [], 0
        async for part in answer.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > self.settings.max_bytes:
                return Miss(sending.url, Reason.TOO_LARGE, f"the answer has more than {self.settings.max_bytes} bytes")
        return Response(
            url=sending.url,
            final_url=sending.url,
            status=answer.status,
            media_type=answer.content_type,
            charset=answer.charset or "",
            body=b"".join(parts),
            headers=header_pairs(answer.raw_headers),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """One cookie of a cookies.txt; its value is never shown."""

    domain: str
    subdomains: bool
    path: str
    secure: bool
    expires: int  # seconds since 1970; 0 means until the run ends
    name: str
    value: str = field(repr=False)


def load_cookies(path: Path) -> tuple[Cookie, ...]:
    """Read a Netscape cookies.txt; no error message contains a cookie's value."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        hint = error.strerror or type(error).__name__
        raise InputError(f"cookies cannot be read: {path}", name=str(path), hint=hint) from error
    except ValueError:
        raise InputError(f"cookies are not text: {path}", name=str(path), hint="export them as cookies.txt") from None
    return tuple(_parse_cookie_lines(text, path))


def _parse_cookie_lines(text: str, path: Path) -> Iterator[Cookie]:
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.rstrip("\r").removeprefix(_HTTP_ONLY)
        if not bare.strip() or (bare.startswith("#") and not line.startswith(_HTTP_ONLY)):
            continue
        columns = bare.split("\t")
        if len(columns) != _COOKIE_COLUMNS or not columns[0].strip(".") or not _is_seconds(columns[4]):
            raise InputError(
                f"not a cookies.txt, line {number}: {path}",
                name=str(path),
                hint="expected seven tab-separated columns, as browsers export them",
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


def _is_seconds(text: str) -> bool:
    """Whether a text is a time in seconds; some exporters write `1790000000.5`."""
    return re.fullmatch(r"\d{1,15}(?:\.\d{1,15})?", text, re.ASCII) is not None


def open_cookie_jar(cookies: Iterable[Cookie]) -> aiohttp.CookieJar:
    """Open the cookie jar of a run, filled with the given cookies; needs a running event loop."""
    jar = _HostCookieJar()
    for cookie in cookies:
        if not _UNSENDABLE.search(cookie.name + cookie.value):
            jar.update_cookies({cookie.name: _make_morsel(cookie)}, yarl.URL.build(scheme="https", host=cookie.domain))
    return jar


class _HostCookieJar(aiohttp.CookieJar):
    """A jar that limits a cookie for a whole top-level domain to the host that set it."""

    def update_cookies_from_headers(self, headers: Sequence[str], response_url: yarl.URL) -> None:
        super().update_cookies_from_headers([_WHOLE_TLD.sub("", header) for header in headers], response_url)


def _make_morsel(cookie: Cookie) -> Morsel[str]:
    morsel: Morsel[str] = Morsel()
    # Browsers accept names that the class refuses; what could break a header was left out before.
    morsel.__setstate__({"key": cookie.name, "value": cookie.value, "coded_value": cookie.value})  # type: ignore[attr-defined]
    morsel["domain"] = cookie.domain if cookie.subdomains else ""
    morsel["path"] = cookie.path
    morsel["secure"] = cookie.secure
    if cookie.expires:
        morsel["expires"] = formatdate(cookie.expires, usegmt=True)
    return morsel
