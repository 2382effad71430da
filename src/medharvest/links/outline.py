"""A page to look at: its links and blocks outlined, verdict and score on hover, nothing of the page running."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from medharvest.links.distance import link_spans
from medharvest.records import JudgedLink, LinkBlock, Page

# Nothing is loaded or sent: what the page itself says in styles and in images written into it is shown.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'"
_HEAD = f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
# These need no script to reach another server; `wbr` is as empty as they are and does nothing.
_REACHING = re.compile(r"<(?:link|meta|base)(?=[\s/>])", re.IGNORECASE)
_MARKS = """
a[data-mh] { outline: 2px dotted #8a8a8a !important; outline-offset: 1px !important }
a[data-mh="article"] { outline: 2px solid #0a7d32 !important }
a[data-mh="other"] { outline: 2px dotted #b3261e !important }
a[data-mh-block] { background-color: #1a56db22 !important }
a[data-mh-edge~="first"] { border-left: 6px solid #1a56db !important }
a[data-mh-edge~="last"] { border-right: 6px solid #1a56db !important }
"""
_FRAME = """
body { margin: 0; font: 14px/2.4 sans-serif; background: #fff; color: #111 }
header a { color: inherit; margin: 0 .6em; padding: 0 .3em }
iframe { display: block; border: 0; border-top: 1px solid #111; width: 100%; height: calc(100vh - 2.5em) }
"""
_LEGEND = """<header><a data-mh="article">article</a><a data-mh="other">other link</a><a data-mh="link">not judged</a>
<a data-mh="link" data-mh-block="" data-mh-edge="first last">block of links</a></header>"""


def outline(page: Page, judged: Iterable[JudgedLink] = (), blocks: Iterable[LinkBlock] = ()) -> str:
    """An HTML document that shows a page with its links and blocks outlined; links not judged are outlined too.

    The page stands in a frame of its own in which no script runs, no form is sent and nothing is loaded.
    """
    marked = "".join(_marked(page.text, _titles(judged), list(blocks)))
    inner = f"{_HEAD}<style>{_MARKS}</style>{_REACHING.sub('<wbr', marked)}"
    frame = f'<iframe sandbox title="the page" srcdoc="{html.escape(inner)}"></iframe>'
    title = f"<title>{html.escape(page.url or 'page')}</title>"
    return f"{_HEAD}{title}<style>{_MARKS}{_FRAME}</style>{_LEGEND}{frame}\n"


def _titles(judged: Iterable[JudgedLink]) -> dict[int, tuple[str, str]]:
    """By the offset of its link, what each verdict is called and what it says in full."""
    found = {}
    for one in judged:
        name = "article" if one.article else "other"
        kind = f", {one.kind.value}" if one.article and one.kind else ""
        found[one.link.offset] = (name, f"{name}{kind}: {one.verdict.score:.2f} by {one.verdict.method}")
    return found


def _marked(text: str, titles: dict[int, tuple[str, str]], blocks: list[LinkBlock]) -> Iterator[str]:
    """The text with further attributes in each link; the first of two attributes of one name is the one that counts."""
    position, places = 0, _places(blocks)
    for index, (start, _) in enumerate(link_spans(text).links):
        name, title = titles.get(start, ("link", ""))
        where, attributes = places.get(index, ("", ""))
        said = html.escape("; ".join(part for part in (title, where) if part))
        yield f'{text[position : start + 2]} data-mh="{name}"{attributes}' + (f' title="{said}"' if said else "")
        position = start + 2
    yield text[position:]


def _places(blocks: list[LinkBlock]) -> dict[int, tuple[str, str]]:
    """By the index of its link, which block each stands in, in words and as attributes."""
    found = {}
    for number, block in enumerate(blocks, 1):
        last = block.first + block.links - 1
        for index in range(block.first, last + 1):
            edge = " ".join(word for word, at in (("first", block.first), ("last", last)) if at == index)
            place = f"block {number} of {len(blocks)}, {block.links} links"
            found[index] = (place, f' data-mh-block="{number}"' + (f' data-mh-edge="{edge}"' if edge else ""))
    return found
