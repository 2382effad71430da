"""Tests marked `no_cover` are not traced, which takes more than half of their time."""

from __future__ import annotations

import sys

import pytest


@pytest.mark.no_cover
def test_a_test_without_coverage_is_not_traced() -> None:
    assert sys.gettrace() is None
