"""Which addresses may be requested: http and https on the public network, checked again when a connection opens."""

from __future__ import annotations

import functools
import ipaddress
import re
import socket
from typing import NamedTuple

import ada_url
from aiohttp import AddrInfoType

from medharvest.records import Miss, Reason

# Of an address as the parser writes it, where nothing else can stand before the first slash; taking it apart with the
# parser again would cost four times as much.
_WEB_ADDRESS = re.compile(r"(https?)://(?:[^/@]*@)?(\[[^\]/]+\]|[^/:]+)(:\d+)?/")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class PrivateAddressError(OSError):
    """A name led to an address that may not be asked; never leaves this package."""


class WebAddress(NamedTuple):
    """A web address that may be asked: as browsers write it, its host, and where its robots.txt stands."""

    url: str
    host: str
    origin: str


def check_url(url: str, *, allow_private: bool) -> WebAddress | Miss:
    """The address to ask for a URL, or a reason not to, before any name is resolved."""
    try:
        href = str(ada_url.normalize_url(url))
    except ValueError:
        reason = Reason.MALFORMED_URL if "://" in url else Reason.NO_PROTOCOL
        return Miss(url, reason, "not a web address")
    found = _WEB_ADDRESS.match(href)
    if found is None:
        return Miss(url, Reason.NO_PROTOCOL, f"{href.partition(':')[0]}: is not http or https")
    scheme, host, port = found.groups("")
    if not allow_private and is_private_host(host.strip("[]")):
        return Miss(url, Reason.PRIVATE_ADDRESS, f"{host} is a private address")
    return WebAddress(href, host, f"{scheme}://{host}{port}")


@functools.lru_cache(maxsize=1024)
def is_private_host(host: str) -> bool:
    """Whether a literal address is loopback, private, link-local or otherwise not public; of names, only localhost."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.rstrip(".").rpartition(".")[2] == "localhost"
    if isinstance(address, ipaddress.IPv6Address):
        address = _embedded_ipv4(address) or address
    return not address.is_global or address.is_multicast


def _embedded_ipv4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The old-style address that a new-style one leads to, where it leads to one."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def open_public_socket(info: AddrInfoType) -> socket.socket:
    """A socket for the very address that is about to be connected, unless it is private.

    A name is checked by what it resolved to and not resolved again, so it cannot change its mind in between.
    """
    family, kind, protocol, _, address = info
    if is_private_host(str(address[0])):
        raise PrivateAddressError("leads to a private address")
    return socket.socket(family, kind, protocol)
