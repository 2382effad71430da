"""Parts a test may need beyond Python: where one is lacking the test is skipped, but never in CI."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def lacking(part: str, why: str) -> NoReturn:
    """Give up the running test: `why` is short, as in `no postgres`, for the summary lists it."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{part} must be there in CI: {why}")
    pytest.skip(f"not run: {why}")
