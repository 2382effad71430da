"""The HTTP client as the settings want it: who we are, through which proxy, with which headers and time limits."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import aiohttp
import yarl

from medharvest import __version__
from medharvest.errors import SettingsError
from medharvest.fetch.cookies import Cookie, open_jar
from medharvest.fetch.guard import public_socket
from medharvest.settings import Fetch

_LINE = 65_536  # security policies in headers outgrow the library's 8 KB
_DNS_SECONDS = 300
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
# These say who we are and what we can read, or belong to the connection.
_OURS = frozenset(
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


def open_session(settings: Fetch, cookies: Iterable[Cookie]) -> aiohttp.ClientSession:
    """The connections, the cookies and the headers of a run."""
    # Behind a proxy it is the proxy that resolves names, and it may well stand in the private network.
    guarded = not settings.allow_private and not settings.proxy
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            resolver=aiohttp.ThreadedResolver(),  # the system's own, as a browser would ask
            socket_factory=public_socket if guarded else None,
            limit=0,  # the turns limit the requests; waiting here would count as the server's slowness
            ttl_dns_cache=_DNS_SECONDS,
        ),
        headers={
            "User-Agent": user_agent(settings.contact),
            "Accept": "text/html,application/pdf,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",  # the only ones that every installation can read
        },
        cookie_jar=open_jar(cookies),
        timeout=time_limits(settings),
        max_line_size=_LINE,
        max_field_size=_LINE,
    )


def user_agent(contact: str) -> str:
    """The name we give ourselves, with the address a webmaster can reach."""
    contact = " ".join(contact.split())
    return f"medharvest/{__version__}" + (f" (+{contact})" if contact else "")


def time_limits(settings: Fetch, *, spent: float = 0.0) -> aiohttp.ClientTimeout:
    """What is left of a page's time after its redirects; to the library, 0 means for ever."""
    return aiohttp.ClientTimeout(
        total=max(settings.total_timeout - spent, 0.001) if settings.total_timeout else None,
        connect=settings.connect_timeout,
        sock_read=settings.read_timeout,
    )


def extra_headers(settings: Fetch) -> dict[str, str]:
    """The headers of the setting; no message holds a value."""
    headers: dict[str, str] = {}
    for number, line in enumerate(settings.headers.splitlines(), 1):
        if not line.strip():
            continue
        found = _HEADER.fullmatch(line.strip())
        if found is None or found.group(1).lower() in _OURS:
            hint = "`Name: value` expected" if found is None else f"{found.group(1)} cannot be set"
            raise SettingsError(f"wrong header in line {number} of fetch.headers", setting="fetch.headers", hint=hint)
        headers[found.group(1)] = found.group(2)
    return headers


def proxy_options(settings: Fetch) -> dict[str, dict[str, Any]]:
    """What a request needs to go through the proxy, by its scheme.

    The password is taken out of the address, which error messages quote; in clear the proxy reads it from the request,
    else from the one that opens the tunnel.
    """
    if not settings.proxy:
        return {"http": {}, "https": {}}
    proxy = _proxy_address(settings.proxy)
    bare = proxy.with_user(None)
    if proxy.user is None:
        return {"http": {"proxy": bare}, "https": {"proxy": bare}}
    coded = base64.b64encode(f"{proxy.user}:{proxy.password or ''}".encode()).decode("ascii")
    login = {"Proxy-Authorization": f"Basic {coded}"}
    return {"http": {"proxy": bare, "headers": login}, "https": {"proxy": bare, "proxy_headers": login}}


def _proxy_address(text: str) -> yarl.URL:
    with suppress(ValueError):
        proxy = yarl.URL(text)
        if proxy.scheme in {"http", "https"} and proxy.host:
            return proxy
    raise SettingsError(
        "wrong value for fetch.proxy: (not shown)",
        setting="fetch.proxy",
        hint="an address such as http://proxy.example:3128 expected",
    )
