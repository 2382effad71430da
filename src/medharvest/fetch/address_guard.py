"""Which addresses may be requested: http and https in the public network, checked again when a connection opens."""

from __future__ import annotations

import functools
import ipaddress
import re
import socket
from typing import NamedTuple

import ada_url
from aiohttp import AddrInfoType

from medharvest.records import Miss, Reason

# Matches a normalised address, where nothing else can come before the first slash; parsing the address again would
# take four times as long.
_WEB_ADDRESS = re.compile(r"(https?)://(?:[^/@]*@)?(\[[^\]/]+\]|[^/:]+)(:\d+)?/")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Deprecated private addresses (RFC 3879), which some networks still use; Python counts them as public.
_SITE_LOCAL = ipaddress.ip_network("fec0::/10")


class PrivateAddressError(OSError):
    """A name resolved to a private address; never leaves this package."""


class WebAddress(NamedTuple):
    """An address that may be requested: normalised as in browsers, with its host and the origin of its robots.txt."""

    url: str
    host: str
    origin: str


def check_url(url: str, *, allow_private: bool) -> WebAddress | Miss:
    """Return the address to request for a URL, or the reason not to; no name is resolved yet."""
    try:
        href = str(ada_url.normalize_url(url))
    except ValueError:
        reason = Reason.MALFORMED_URL if "://" in url else Reason.NO_PROTOCOL
        return Miss(url, reason, "not a web address")
    found = _WEB_ADDRESS.match(href)
    if found is None:
        return Miss(url, Reason.NO_PROTOCOL, f"{href.partition(':')[0]}: is not http or https")
    scheme, host, port = found.groups("")
    href = f"{scheme}://{host}{port}{href[found.end() - 1 :]}"  # without a login: only those of the settings are sent
    if not allow_private and is_private_host(host.strip("[]")):
        return Miss(url, Reason.PRIVATE_ADDRESS, f"{host} is a private address")
    return WebAddress(href, host, f"{scheme}://{host}{port}")


@functools.lru_cache(maxsize=1024)
def is_private_host(host: str) -> bool:
    """Whether an IP address is loopback, private, link-local or otherwise not public; of names, only localhost is."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.rstrip(".").rpartition(".")[2] == "localhost"
    if isinstance(address, ipaddress.IPv6Address):
        address = _embedded_ipv4(address) or address
    return not address.is_global or address.is_multicast or address in _SITE_LOCAL


def _embedded_ipv4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to, if any."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def open_public_socket(info: AddrInfoType) -> socket.socket:
    """Open a socket for the address about to be connected; raise if it is private.

    The resolved address itself is checked, so a name cannot resolve to another one in between (DNS rebinding).
    """
    family, kind, protocol, _, address = info
    if is_private_host(str(address[0])):
        raise PrivateAddressError("resolves to a private address")
    return socket.socket(family, kind, protocol)
