"""Page ranges, long and short: `304-310` in publisher XML, `304-10` in MEDLINE."""

from __future__ import annotations

import re
from typing import NamedTuple

_DASH = re.compile(r"\s*[-\u2010-\u2012–—−]+\s*")
_PAGE = re.compile(r"(?P<before>[^\W\d_]{0,4}\.?)(?P<number>[0-9]{1,9})(?P<behind>[^\W\d_]{0,2})")
_LEAD = re.compile(r"\s*(?:pages?|pp?\.?|s\.)\s*(?=[^\W\d_]{0,4}[0-9])", re.IGNORECASE)
_MOST_SETS = 3  # of pages that are listed; for more, the Indexing Manual writes "passim"
_LONGEST = 200  # characters; what is longer is no page range


class PageRange(NamedTuple):
    """First and last page in full; no last page where there is one page."""

    first: str
    last: str = ""


def parse_pages(text: str) -> PageRange:
    """The first set of pages in full: `304-10` is 304 to 310, `e12-9` is e12 to e19."""
    pages = re.split("[,;]", text[:_LONGEST], maxsplit=1)[0].strip()
    pages = _LEAD.sub("", pages, count=1)
    first, *more = _DASH.split(pages)
    if len(more) != 1 or not _PAGE.fullmatch(first) or not _PAGE.fullmatch(more[0]):
        return PageRange(pages.strip())
    last = complete(first, more[0])
    return PageRange(first) if last == first else PageRange(first, last)


def complete(first: str, last: str) -> str:
    """The last page in full, by the first one: `1199` and `205` is `1205`."""
    one, two = _PAGE.fullmatch(first), _PAGE.fullmatch(last)
    if not one or not two or two["before"] not in {"", one["before"]}:
        return last
    start, end = one["number"], two["number"]
    if len(end) < len(start):
        end = start[: len(start) - len(end)] + end
    behind = two["behind"] or (one["behind"] if not two["before"] else "")
    return f"{one['before']}{end}{behind}" if int(end) >= int(start) else last


def long_pages(text: str) -> str:
    """Every set of pages in full, as publisher XML wants them."""
    return ", ".join(_joined(parse_pages(part)) for part in _sets(text))


def short_pages(text: str) -> str:
    """Pages as MEDLINE prints them: repeated digits off, and "passim" for more than three sets."""
    sets = [_shortened(parse_pages(part)) for part in _sets(text)]
    return ", ".join(sets[:_MOST_SETS]) + (" passim" if len(sets) > _MOST_SETS else "")


def _sets(text: str) -> list[str]:
    return [part for part in re.split(r"[,;]", text[:_LONGEST]) if part.strip()]


def _shortened(pages: PageRange) -> str:
    one, two = _PAGE.fullmatch(pages.first), _PAGE.fullmatch(pages.last)
    if not one or not two or one["before"] != two["before"] or len(one["number"]) != len(two["number"]):
        return _joined(pages)
    end = two["number"]
    same = next(i for i, (a, b) in enumerate(zip(one["number"] + "x", end + "y", strict=True)) if a != b)
    return f"{pages.first}-{end[min(same, len(end) - 1) :]}{two['behind']}"


def _joined(pages: PageRange) -> str:
    return f"{pages.first}-{pages.last}" if pages.last else pages.first
