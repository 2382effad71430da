"""Two processes that resume one run at once: one does it, the other is refused, and no page is archived twice."""

from __future__ import annotations

from pathlib import Path

from tests.harvest.test_kill import archived, serving, start, stored
from tests.waiting import LONG, until

from medharvest.fetch.warc import RUN_ARCHIVE


def test_of_two_processes_that_resume_a_run_one_is_refused(tmp_path: Path) -> None:
    store, mode = tmp_path / "s.sqlite", ("--links", "constraints", "--no-read", "--max-pages", 200)
    with serving(40) as site:
        url = f"http://127.0.0.1:{site.server_address[1]}/page/0"
        with site.halting_at(10):
            first = start("issue", url, *mode, "--store", store, "--into", tmp_path)
            until(lambda: len(site.asked) > 10 or first.poll() is not None)
            first.kill()
            first.communicate(timeout=LONG)
        with site.halting_at(len(site.asked) + 5):
            both = [start("runs", 1, "resume", "--store", store) for _ in range(2)]
            # A page that was in flight is asked for again by one of them; a third time would be by both.
            until(lambda: any(process.poll() is not None for process in both) or max(site.asked.values()) > 2)
        said = [process.communicate(timeout=LONG)[1].decode() for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], said
    refused = said[0] if both[0].returncode else said[1]
    assert refused.startswith("error: run 1 is already in progress: process ")
    assert "; hint: wait until it ends" in refused
    urls = stored(store, site.pages)
    assert archived(tmp_path / RUN_ARCHIVE) == dict.fromkeys(urls, 1)
