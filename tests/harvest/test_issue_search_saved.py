"""Contents pages saved to files: HTML, MHTML and WARC."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harvest.conftest import HASTY
from tests.harvest.site import TITLES, TOC, article, contents, link, replay

from medharvest.errors import InputError
from medharvest.fetch import WarcWriter
from medharvest.harvest.issue_search import load_saved_contents
from medharvest.records import Response

ENTRIES = "".join(f'<li><a href="{link(n)}">{title}</a>, Ida Vesterholm</li>' for n, title in enumerate(TITLES))
CONTENTS = contents([link(n) for n in range(9)], more=f"<ol>{ENTRIES}</ol>")


def save(path: Path, body: bytes) -> str:
    path.write_bytes(body)
    return str(path)


def save_archive(path: Path, *pages: Response) -> str:
    with WarcWriter(path, length=0) as archive:
        for page in pages:
            archive.append(page)
    return str(path)


def fetch(saved, url: str, *pages: Response) -> tuple[Response, list[str]]:
    web = replay(*pages)
    answer = asyncio.run(saved.wrap(web)(url))
    assert isinstance(answer, Response)
    return answer, web.asked


def test_a_saved_page_answers_in_place_of_its_address(tmp_path):
    saved = load_saved_contents(save(tmp_path / "toc.html", CONTENTS.body), url=TOC, settings=HASTY)
    assert fetch(saved, TOC) == (saved.page, [])
    assert fetch(saved, link(0), article(0))[1] == [link(0)]


def test_the_address_that_a_browser_noted_is_used(tmp_path):
    body = b"<!DOCTYPE html>\n<!-- saved from url=(0026)%s -->\n" % TOC.encode() + CONTENTS.body
    assert load_saved_contents(save(tmp_path / "toc.html", body), url="", settings=HASTY).url == TOC


def test_an_mhtml_file_names_its_address(tmp_path):
    head = (
        f"From: <Saved>\r\nSnapshot-Content-Location: {TOC}\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
        f"--b\r\nContent-Type: text/html\r\nContent-Location: {TOC}\r\n\r\n"
    )
    name = save(tmp_path / "toc.mhtml", head.encode() + CONTENTS.body + b"\r\n--b--\r\n")
    assert load_saved_contents(name, url="", settings=HASTY).url == TOC


def test_a_page_without_an_address_is_an_error_with_the_way_out(tmp_path):
    name = save(tmp_path / "toc.html", CONTENTS.body)
    with pytest.raises(InputError) as caught:
        load_saved_contents(name, url="", settings=HASTY)
    assert caught.value.message == f"the file does not say from which address it was saved: {name}"
    assert f"medharvest issue {name} --url" in caught.value.hint


def test_the_pages_of_an_archive_are_not_fetched_and_count_as_fetched_now(tmp_path):
    name = save_archive(tmp_path / "pages.warc.gz", CONTENTS, article(0))
    saved = load_saved_contents(name, url="", settings=HASTY)
    assert saved.url == TOC
    answer, asked = fetch(saved, link(0))
    assert (asked, answer.asked_at, answer.arrived_at) == ([], "", "")
    assert fetch(saved, link(1), article(1))[1] == [link(1)]


def test_of_several_contents_pages_one_has_to_be_named(tmp_path):
    other = replace(CONTENTS, url=TOC + "2", final_url=TOC + "2")
    name = save_archive(tmp_path / "pages.warc.gz", CONTENTS, other)
    with pytest.raises(InputError) as caught:
        load_saved_contents(name, url="", settings=HASTY)
    assert caught.value.message == f"2 contents pages in this archive: {name}"
    assert TOC in caught.value.hint
    assert load_saved_contents(name, url=TOC + "2", settings=HASTY).url == TOC + "2"
    with pytest.raises(InputError, match="no page with this address"):
        load_saved_contents(name, url=TOC + "9", settings=HASTY)


def test_an_archive_without_a_contents_page_is_an_error(tmp_path):
    name = save_archive(tmp_path / "pages.warc.gz", article(0))
    with pytest.raises(InputError, match="no contents page in this archive"):
        load_saved_contents(name, url="", settings=HASTY)


def test_a_missing_file_is_an_error_that_names_both_possibilities():
    with pytest.raises(InputError, match=r"neither a file nor a web address: journal\.example/toc"):
        load_saved_contents("journal.example/toc", url="", settings=HASTY)
