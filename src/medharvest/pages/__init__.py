"""Bytes to Page: charset, HTML, PDF to HTML, page kind, embedded metadata."""

from medharvest.pages.kind import classify, kind_of
from medharvest.pages.metadata import embedded
from medharvest.pages.page import parse_page

__all__ = ["classify", "embedded", "kind_of", "parse_page"]
