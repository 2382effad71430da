"""Whether all fetch the same pages of the bundled journals when all follow the links that our rule follows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.contenders import ARCHIVING_WGET, OURS, RULED, crawl

from medharvest.demo import list_demo_issues
from medharvest.fetch import ArchiveFetcher
from medharvest.links import judge_links
from medharvest.pages import parse_page
from medharvest.records import Miss, Response


def compare(work: Path) -> Iterator[dict[str, Any]]:
    """For each issue: how many pages we fetched, and where Scrapy and wget under the same rule differ."""
    for issue in list_demo_issues():
        folder = work / issue.id
        ours, scrapy = (set(crawl(one, None, issue.path, folder / one.name).paths) for one in (OURS, RULED))
        whole = crawl(ARCHIVING_WGET, None, issue.path, folder / "wget")
        wget = asyncio.run(_by_rule(ArchiveFetcher(folder / "wget" / "wget.warc.gz"), whole.start))
        row = {"issue": issue.path, "pages": len(ours), "Scrapy": sorted(ours ^ scrapy), "wget": sorted(ours ^ wget)}
        print(row, flush=True)
        yield row


async def _by_rule(archive: ArchiveFetcher, start: str) -> set[str]:
    """The paths of the pages that our rule reaches among those that wget fetched."""
    known, waiting, paths = {start}, [start], set[str]()
    while waiting:
        answer = await archive(waiting.pop())
        if isinstance(answer, Miss):
            continue
        paths.add(urlsplit(answer.final_url)._replace(scheme="", netloc="").geturl())
        found = _followed(answer) - known
        known |= found
        waiting += found
    return paths


def _followed(answer: Response) -> set[str]:
    if answer.media_type != "text/html":
        return set()
    page = parse_page(answer.body, url=answer.final_url, charset=answer.charset)
    return {judged.link.url for judged in judge_links(page) if judged.follows}
