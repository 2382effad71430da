"""No request of these tests leaves the machine, even where the code under test is broken."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from types import SimpleNamespace
from typing import Any

import pytest
from tests.fetch.clock import Clock
from tests.fetch.names import HOSTS


@pytest.fixture(autouse=True)
def _stay_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve, connect = socket.getaddrinfo, socket.socket.connect

    def known(host: str, *args: Any, **options: Any) -> Any:
        host.encode("idna")  # as the real one does first
        name = host.rstrip(".").lower()
        if name not in HOSTS:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(HOSTS[name], *args, **options)

    def near(opened: socket.socket, address: tuple[str, int]) -> None:
        assert ipaddress.ip_address(address[0]).is_loopback, address
        connect(opened, address)

    monkeypatch.setattr(socket, "getaddrinfo", known)
    monkeypatch.setattr(socket.socket, "connect", near)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that turns take for the real one."""
    clock = Clock()
    waiting = SimpleNamespace(sleep=clock.sleep, Semaphore=asyncio.Semaphore, Lock=asyncio.Lock)
    monkeypatch.setattr("medharvest.fetch.throttle.time", clock)
    monkeypatch.setattr("medharvest.fetch.throttle.asyncio", waiting)
    return clock
