from __future__ import annotations

import asyncio

from medharvest.fetch import Fetcher, ReplayFetcher
from medharvest.records import Miss, Reason, Response


def test_a_replay_gives_what_it_was_given_and_lists_what_it_was_asked() -> None:
    page = Response(url="http://h/a", final_url="http://h/a", status=200, media_type="text/html", charset="", body=b"")
    replay = ReplayFetcher({"http://h/a": page})
    fetcher: Fetcher = replay
    assert asyncio.run(_ask(fetcher, "http://h/a")) == page
    assert asyncio.run(_ask(fetcher, "http://h/b")) == Miss("http://h/b", Reason.NOT_FOUND, "not in the replay")
    assert replay.asked == ["http://h/a", "http://h/b"]


async def _ask(fetcher: Fetcher, url: str) -> Response | Miss:
    return await fetcher(url)
