"""Folders, archives and DOIs as inputs."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.harvest.conftest import HASTY
from tests.harvest.site import TITLES, TOC, answer, article, contents, link

from medharvest.demo import Redirect, list_demo_pages, serve
from medharvest.errors import InputError
from medharvest.fetch import WarcWriter
from medharvest.harvest.input_reader import LabelledPage, PatternPage, inspect_sources, read_sources
from medharvest.journals.inputs import (
    LoadedPage,
    Source,
    is_warc_file,
    named_sources,
    page_files_in,
    pages_of_warc,
    resolve_address,
)
from medharvest.pages.kind import ScoredKind
from medharvest.records import Citation, Kind, Page, Response


def archive(path: Path, *answers: Response) -> str:
    with WarcWriter(path) as writer:
        for one in answers:
            writer.append(one)
    return str(path)


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    picture = answer("http://journal.example/x.png", b"\x89PNG\r\n\x1a\n", "image/png")
    gone = replace(article(2), status=404)
    return archive(tmp_path / "crawl.warc.gz", contents([link(0), link(1)] * 3), article(0), picture, gone, article(1))


def results(*names: str, **read: Any) -> list[tuple[Source, Any]]:
    settings = replace(HASTY, read=replace(HASTY.read, workers=1, **read))
    return list(read_sources(named_sources(names), settings))


def test_a_folder_stands_for_its_pages(tmp_path: Path) -> None:
    for name in ("b.HTML", "sub/a.htm", "c.pdf", "d.mhtml", "notes.txt", ".hidden.html", ".git/x.html", "e.warc.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(article(0).body)
    names = [str(path.relative_to(tmp_path)) for path in page_files_in(tmp_path)]
    assert names == ["b.HTML", "c.pdf", "d.mhtml", "e.warc.gz", str(Path("sub", "a.htm"))]
    assert [source.name for source in named_sources([str(tmp_path)])] == [str(path) for path in page_files_in(tmp_path)]
    assert [type(result) for _, result in results(str(tmp_path))] == [Citation] * 5


def test_the_articles_of_an_archive_are_read_in_its_order(crawl: str) -> None:
    found = results(crawl)
    assert [(source.name, result.title, result.url) for source, result in found] == [
        (crawl, TITLES[0], link(0)),
        (crawl, TITLES[1], link(1)),
    ]


def test_every_page_of_an_archive_is_a_page(crawl: str) -> None:
    pages = [page for _, page in inspect_sources(named_sources([crawl]), HASTY, Page)]
    assert [page.url for page in pages if isinstance(page, Page)] == [TOC, link(0), link(1)]
    kinds = list(inspect_sources(named_sources([crawl]), HASTY, ScoredKind))
    assert [(source.url, found.verdict.label) for source, found in kinds if not isinstance(found, Exception)] == [
        (TOC, Kind.ISSUE),
        (link(0), Kind.ABSTRACT),
        (link(1), Kind.ABSTRACT),
    ]


def test_an_archive_without_article_or_page_says_so(tmp_path: Path) -> None:
    listing = archive(tmp_path / "a.warc.gz", contents([link(0)]), contents([link(1)], url=TOC + "2"))
    empty = archive(tmp_path / "b.warc.gz")
    told = [result.message for _, result in results(listing, empty)]
    assert told == [f"no article page in this archive: {listing}", f"no page in this archive: {empty}"]


def test_a_page_of_an_archive_that_is_too_large_is_an_error_of_its_own(tmp_path: Path) -> None:
    large = answer(link(2), article(2).body + b" " * 5_000)
    name = archive(tmp_path / "a.warc.gz", article(0), large, article(1))
    first, second, third = (result for _, result in results(name, max_bytes=3_000))
    assert (first.title, third.title) == (TITLES[0], TITLES[1])
    assert second.message == f"page too large: {link(2)} in {name}"


def test_an_archive_is_known_by_its_content(tmp_path: Path, crawl: str) -> None:
    unpacked = tmp_path / "crawl.bin"
    unpacked.write_bytes(gzip.decompress(Path(crawl).read_bytes()))
    packed = tmp_path / "page.warc.gz"
    packed.write_bytes(gzip.compress(b"<p>no archive"))
    broken = tmp_path / "broken.gz"
    broken.write_bytes(b"\x1f\x8bnothing")
    assert [is_warc_file(path) for path in (Path(crawl), unpacked, packed, broken, tmp_path, tmp_path / "none")] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    assert len(results(str(unpacked))) == 2


def test_an_archive_that_breaks_off_gives_what_stands_before(tmp_path: Path, crawl: str) -> None:
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(Path(crawl).read_bytes()[:-700])
    pages = list(pages_of_warc(cut, name="cut", max_bytes=10_000_000))
    assert [page.url for page in pages if isinstance(page, LoadedPage)][:2] == [TOC, link(0)]


def test_an_archive_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: gone"):
        list(pages_of_warc(tmp_path / "gone.warc", name="gone", max_bytes=10))


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("doi:10.1000/182", "https://r.example/10.1000/182"),
        (
            "DOI: 10.1002/(SICI)1097-0258<19>3.0.CO;2-6#x",
            "https://r.example/10.1002/(SICI)1097-0258%3C19%3E3.0.CO;2-6%23x",
        ),
        ("http://journal.example/", "http://journal.example/"),
    ],
)
def test_a_doi_leads_to_its_resolver(name: str, where: str) -> None:
    assert resolve_address(name, "https://r.example/") == where
    assert Source(name).is_url
    assert not Source(name).is_archive


@pytest.mark.parametrize("name", ["doi:", "doi:11.1000/1", "doi:10.1/x", "doi:10.1000/a b"])
def test_a_doi_that_is_none_is_an_error(name: str) -> None:
    ((_, result),) = results(name)
    assert isinstance(result, InputError)
    assert result.message == f"not a DOI: {name}"


def test_the_page_of_a_doi_is_fetched_and_read() -> None:
    page = next(page for page in list_demo_pages() if page.file and page.kind is Kind.ABSTRACT)
    with serve({"/10.1000/182": Redirect(page.path)}, slow=0.0) as server:
        ((source, result),) = results("doi:10.1000/182", resolver=f"{server.url}/")
    assert source.name == "doi:10.1000/182"
    assert isinstance(result, Citation)
    assert result.url == server.url + page.path


@pytest.mark.parametrize("kind", [Page, ScoredKind, LabelledPage, PatternPage])
def test_a_bad_input_of_the_other_verbs_gives_its_error_and_the_rest_go_on(kind: Any, tmp_path: Path) -> None:
    for name, body in (("good.html", article(0).body), ("words.html", b"no page"), ("last.html", b"<p>x")):
        (tmp_path / name).write_bytes(body)
    names = [str(tmp_path / name) for name in ("good.html", "none.html", "words.html", "last.html")]
    found = [result for _, result in inspect_sources(named_sources(names), HASTY, kind)]
    assert [isinstance(result, InputError) for result in found] == [False, True, True, False]
