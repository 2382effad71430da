"""The names these tests know, so that no name server is ever asked."""

from __future__ import annotations

JOURNALS = tuple(f"journal{n}.example" for n in range(10))
HOSTS = dict.fromkeys(("localhost", "journal.example", "www.journal.example", "other.example", *JOURNALS), "127.0.0.1")
