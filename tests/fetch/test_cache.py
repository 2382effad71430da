"""Answers that are cached for some days."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime, timedelta

import pytest

from medharvest.errors import OutputError
from medharvest.fetch import CachingFetcher, ReplayFetcher
from medharvest.records import Miss, Reason, Response

URL = "https://service.example/7"
ANSWER = Response(
    url=URL, final_url=URL, status=200, media_type="application/json", charset="", body=b"\xff{}", headers=(("a", "b"),)
)


@pytest.fixture
def now():
    return [datetime(2031, 3, 9, tzinfo=UTC)]


@pytest.fixture
def ask(tmp_path, now):
    def call(fetcher):
        return asyncio.run(CachingFetcher(fetcher, tmp_path / "new", days=2, now=lambda: now[0])(URL))

    return call


@pytest.mark.parametrize("answer", [ANSWER, Miss(URL, Reason.NOT_FOUND, "HTTP 404")])
def test_an_answer_is_asked_for_once_until_its_days_are_over(ask, now, answer):
    fetcher = ReplayFetcher({URL: answer})
    assert ask(fetcher) == ask(fetcher) == answer
    assert fetcher.asked == [URL]
    now[0] += timedelta(days=2)
    assert ask(fetcher) == answer
    assert fetcher.asked == [URL, URL]


def test_what_failed_is_asked_for_again(ask):
    fetcher = ReplayFetcher({URL: Miss(URL, Reason.TIMEOUT)})
    assert ask(fetcher) == ask(fetcher)
    assert len(fetcher.asked) == 2


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"arrived": "x"}', '{"arrived": true}', '{"arrived": false, "answer": {"url": "u"}}']
)
def test_a_spoilt_file_is_asked_for_again(ask, tmp_path, text):
    fetcher = ReplayFetcher({URL: ANSWER})
    ask(fetcher)
    (file,) = (tmp_path / "new").iterdir()
    kept = file.stat()
    file.write_text(text, encoding="utf-8")
    os.utime(file, (kept.st_mtime, kept.st_mtime))
    assert ask(fetcher) == ANSWER
    assert len(fetcher.asked) == 2


def test_a_folder_that_cannot_be_made_is_told(ask, tmp_path):
    (tmp_path / "new").write_text("a file", encoding="utf-8")
    with pytest.raises(OutputError, match="answers cannot be saved"):
        ask(ReplayFetcher({URL: ANSWER}))
