"""An archived page that would do harm does nothing: no request, no dialog, no way to the app around it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fetch.server import misbehave, reply
from tests.web.browsing import Tab, app, browser
from tests.web.journal import contents, page
from tests.web.test_browsing import start_harvest

from medharvest.web.app import ReviewServer

# Ten constructs; each would tell the server of this test that it ran.
HARM = """
<script>fetch('{evil}/script'); alert('script'); parent.postMessage({{zone: 'script'}}, '*')</script>
<img src="{evil}/image" onerror="alert('handler'); fetch('{evil}/handler')"><p onclick="alert(1)">Handlers</p>
<p><a id="trap" href="javascript:alert('link')">A link</a> <a href="{evil}/link" target="_top">Another</a></p>
<iframe src="{evil}/iframe" srcdoc="<script>alert('srcdoc')</script>"></iframe>
<svg onload="alert('svg')"><image href="{evil}/svg"/><script>alert('svg script')</script></svg>
<form action="{evil}/form" method="post"><input autofocus onfocus="alert(2)"><button id="send">x</button></form>
<base href="{evil}/base/">
<style>@import url('{evil}/import'); body {{ background: url('{evil}/css') }}</style>
<p style="background: url('{evil}/attr')">Styled</p>
<object data="{evil}/object"></object><embed src="{evil}/embed"><link rel="stylesheet" href="{evil}/sheet">
"""
REFRESH = '<meta http-equiv="refresh" content="0; url={evil}/refresh">'
HARMFUL = """script:not([nonce]), iframe, form, base, meta[http-equiv], object, embed, link, svg, style:not([nonce]),
  [style], [href], [src]"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.mark.parametrize("raw", [False, True], ids=["as it is shown", "as if nothing had been left out"])
def test_a_hostile_page_does_nothing(
    chromium: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    raw: bool,  # noqa: FBT001
) -> None:
    with misbehave({}) as evil:
        harm = HARM.format(evil=evil.url)
        written = f"{harm}{REFRESH.format(evil=evil.url)}</body>".encode()
        pages = {f"/paper/{n}": reply(body=page(n).replace(b"</body>", written)) for n in range(3)}
        with misbehave({"/1": reply(body=contents(1)), **pages}) as site, app(tmp_path) as (_, made):
            tab = Tab(chromium, made)
            start_harvest(tab, f"{site.url}/1")
            if raw:
                monkeypatch.setattr(type(made.desk.page_review), "show", lambda *_: {"html": harm + _ZONE})
            look(tab, made, raw=raw)
            # What a policy stops the browser reports as asked for; the server it was for heard nothing.
            assert [one for one in tab.trouble if not (raw and one.startswith("request"))] == []
        assert evil.log == []


_ZONE = '<p data-zone="html[1]/body[1]/p[1]">A zone</p>'


def look(tab: Tab, made: ReviewServer, *, raw: bool) -> None:
    """Open a record, use its page, and see that the page reaches nothing."""
    shown = tab.go("/records/1")
    shown.frame_locator("iframe.evidence").locator(".zone").first.wait_for()
    frame = next(one for one in shown.frames if "/evidence/" in one.url)
    assert frame.evaluate("self.origin") == "null"
    for secret in ("document.cookie", "parent.document.title", "localStorage.length", "top.location.href"):
        said = frame.evaluate(_TRIED % secret)
        assert said == "SecurityError", secret
    if raw:
        frame.evaluate("document.querySelector('#trap').click()")
        frame.evaluate("document.querySelector('#send').click()")
    else:
        assert frame.evaluate("harmful => document.querySelectorAll(harmful).length", HARMFUL) == 0
        assert "on" not in frame.evaluate(_HANDLERS)
    zone = shown.frame_locator("iframe.evidence").locator(".zone").last
    zone.press("Enter")
    shown.wait_for_selector(".picked:visible")
    assert shown.url == f"{made.url}/records/1"


_HANDLERS = (
    "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames().map((name) => name.slice(0, 2)))"
)
_TRIED = "(() => { try { return 'read ' + %s; } catch (error) { return error.name; } })()"
