"""Which addresses may be asked: http and https on the public net, checked again where a connection opens."""

from __future__ import annotations

import ipaddress
import socket

import ada_url
from aiohttp import AddrInfoType

from medharvest.records import Miss, Reason

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


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
    if isinstance(address, ipaddress.IPv6Address):
        address = _embedded(address) or address
    return not address.is_global or address.is_multicast


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The old-style address that a new-style one leads to, where it leads to one."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def public_socket(info: AddrInfoType) -> socket.socket:
    """A socket for the very address that is about to be connected, unless it is private.

    A name is checked by what it resolved to and not resolved again, so it cannot change its mind in between.
    """
    family, kind, protocol, _, address = info
    if is_private(str(address[0])):
        raise PrivateAddressError("leads to a private address")
    return socket.socket(family, kind, protocol)
