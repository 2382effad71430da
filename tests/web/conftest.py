from __future__ import annotations

import pytest
from argon2 import PasswordHasher

_QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(autouse=True)
def _quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed to be slow; tests need not wait for it."""
    monkeypatch.setattr("medharvest.web.sessions._hasher", lambda: _QUICK)
