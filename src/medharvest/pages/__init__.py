"""Bytes to `Page`: character set, HTML, PDF to HTML, page kind, embedded metadata.

page = parse_page(body, url=url)
kind = classify(page).label
items = embedded(page)
"""

from medharvest.pages.kind import classify, find_page_kind
from medharvest.pages.metadata import embedded
from medharvest.pages.page import parse_page

__all__ = ["classify", "embedded", "find_page_kind", "parse_page"]
