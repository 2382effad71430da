"""What the tests of citations share: the real DTD."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lxml import etree
from tests.needs import lacking


@pytest.fixture(scope="session")
def dtd() -> etree.DTD:
    """The real DTD, beside the corpus; a machine without the corpus is not expected to have it."""
    corpus = os.environ.get("MEDHARVEST_CORPUS", "")
    if not corpus:
        pytest.skip("not run: no PubMed DTD")
    path = Path(corpus).parent / "dtd" / "PubMed.dtd"
    if not path.exists():
        lacking("dtd", "no PubMed DTD")
    return etree.DTD(file=str(path))
