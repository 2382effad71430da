"""Which addresses may be asked: http and https on the public net, names resolved once and pinned."""

from __future__ import annotations

import ipaddress
import socket

import ada_url
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from medharvest.records import Miss, Reason


class PrivateAddressError(OSError):
    """A name led to an address that may not be asked; never leaves this package."""


def check_url(url: str, *, allow_private: bool) -> Miss | None:
    """A reason not to ask for a URL, before any name is resolved."""
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        reason = Reason.MALFORMED_URL if "://" in url else Reason.NO_PROTOCOL
        return Miss(url, reason, "not a web address")
    if parsed.protocol not in {"http:", "https:"}:
        return Miss(url, Reason.NO_PROTOCOL, f"{parsed.protocol} is not http or https")
    if not allow_private and is_private(parsed.hostname.strip("[]")):
        return Miss(url, Reason.PRIVATE_ADDRESS, f"{parsed.hostname} is a private address")
    return None


def is_private(host: str) -> bool:
    """Whether a literal address is loopback, private, link-local or otherwise not public; a name is not."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return not address.is_global or address.is_multicast


class GuardedResolver(AbstractResolver):
    """Resolves a name once and refuses private answers; the connection uses the very address that was checked."""

    def __init__(self, *, allow_private: bool) -> None:
        self.allow_private = allow_private
        self.inner = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a name, all of them public unless private ones are allowed."""
        found = await self.inner.resolve(host, port, family)
        if not self.allow_private and any(is_private(result["host"]) for result in found):
            raise PrivateAddressError(f"{host} leads to a private address")
        return found

    async def close(self) -> None:
        """Release what the inner resolver holds."""
        await self.inner.close()
