"""The names these tests know, so that no name server is ever asked."""

from __future__ import annotations

HOSTS = {"localhost": "127.0.0.1"}
