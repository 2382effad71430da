"""Archives that lost something: whole records are read, the loss is counted, and a run fetches its lost pages again."""

from __future__ import annotations

import asyncio
import gzip
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from math import ceil
from pathlib import Path

import pytest
from tests.harvest.site import TITLES, TOC, article, contents, link, replay
from tests.harvest.test_topic_run import REQUEST, settings, web
from tests.waiting import LONG
from warcio.archiveiterator import ArchiveIterator

from medharvest.cli import main
from medharvest.errors import InputError, OutputError
from medharvest.fetch import ArchiveFetcher, WarcWriter
from medharvest.fetch.warc import MAX_DAMAGED_PLACES, RUN_ARCHIVE, ArchiveDamage, find_record_end, scan_archive
from medharvest.harvest import issue_run
from medharvest.harvest.engine import Watch
from medharvest.harvest.issue_run import harvest_issue, resume_run
from medharvest.harvest.run_folder import RUN_LOCK, claim_run, find_archive_problems
from medharvest.harvest.topic_refresh import refresh_topic
from medharvest.harvest.topic_run import crawl_topic, resume_topic
from medharvest.journals.inputs import LoadedPage, Source, pages_of_warc
from medharvest.records import ArchiveCut, Asked, Citation, Place, Response
from medharvest.settings import Crawl, Settings
from medharvest.store import RunState, Store
from medharvest.store.runs import RunRepository

ISSUE = replace(Settings(), crawl=Crawl(workers=1, learn=False))
PAGES = (contents([link(0), link(1), link(2)]), article(0), article(1), article(2))
LARGE = replace(article(1), body=article(1).body + os.urandom(300_000))  # it does not fit into any buffer

Damage = Callable[[bytes, int, int], bytes]


def flip(data: bytes, start: int, end: int) -> bytes:
    middle = (start + end) // 2
    return data[:middle] + bytes(byte ^ 0xFF for byte in data[middle : middle + 8]) + data[middle + 8 :]


def flip_near_end(data: bytes, _start: int, end: int) -> bytes:
    """The content is right and complete, its checksum is not."""
    return data[: end - 8] + bytes([data[end - 8] ^ 1]) + data[end - 7 :]


def cut_middle(data: bytes, start: int, end: int) -> bytes:
    middle = (start + end) // 2
    return data[:middle] + data[middle + 20 :]


def cut_end(data: bytes, _start: int, end: int) -> bytes:
    return data[: end - 5] + data[end:]


def overwrite_header(data: bytes, start: int, _end: int) -> bytes:
    return data[:start] + b"overwritten" + data[start + 11 :]


def blank(data: bytes, start: int, end: int) -> bytes:
    """What a power failure leaves of a block that was never written."""
    return data[:start] + bytes(end - start) + data[end:]


DAMAGES = (flip, flip_near_end, cut_middle, cut_end, overwrite_header, blank)
PLAIN_DAMAGES = (cut_end, overwrite_header, blank)  # nothing checks the content of a plain record


def write(path: Path, *pages: Response) -> Path:
    with WarcWriter(path) as archive:
        for page in pages:
            archive.append(page)
    return path


def places(path: Path) -> list[tuple[int, int]]:
    """Where each record begins and ends."""
    found = [0]
    with path.open("rb") as file:
        while found[-1] < path.stat().st_size:
            end = find_record_end(file, found[-1])
            assert end is not None
            assert end > found[-1]
            found.append(end)
    return list(pairwise(found))


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("position", range(5))
def test_a_damaged_record_costs_only_itself_and_is_counted(tmp_path: Path, position: int, damage: Damage) -> None:
    path = write(tmp_path / "a.warc.gz", PAGES[0], article(0), LARGE, article(2))
    check_damage(path, position, damage)


@pytest.mark.parametrize("damage", PLAIN_DAMAGES)
@pytest.mark.parametrize("position", range(5))
def test_the_same_holds_for_an_archive_that_is_not_compressed(tmp_path: Path, position: int, damage: Damage) -> None:
    packed = write(tmp_path / "a.warc.gz", PAGES[0], article(0), LARGE, article(2))
    path = tmp_path / "a.warc"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    check_damage(path, position, damage)


def check_damage(path: Path, position: int, damage: Damage) -> None:
    """Damage the record at a position, and read the archive in both ways."""
    ranges = places(path)
    urls = [TOC, link(0), link(1), link(2)]
    path.write_bytes(damage(path.read_bytes(), *ranges[position]))
    left = [url for n, url in enumerate(urls, start=1) if n != position]
    assert Source(str(path)).is_archive
    *pages, error = pages_of_warc(path, name="a.warc", max_bytes=10_000_000)
    assert [page.url for page in pages if isinstance(page, LoadedPage)] == left
    assert isinstance(error, InputError)
    assert error.message.startswith("1 damaged record in this archive, ")
    archive = ArchiveFetcher(path)
    assert [url for url in urls if archive.holds(url)] == left
    assert [place.start for place in archive.damage] == [ranges[position][0]]


def test_several_damaged_records_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", *PAGES)
    data = path.read_bytes()
    for start, end in (places(path)[1], places(path)[3]):
        data = flip(data, start, end)
    path.write_bytes(data)
    *pages, error = pages_of_warc(path, name="a.warc.gz", max_bytes=10_000_000)
    assert [page.url for page in pages if isinstance(page, LoadedPage)] == [link(0), link(2)]
    assert isinstance(error, InputError)
    assert error.message.startswith("2 damaged records or more in this archive, ")


def test_a_file_of_nothing_but_broken_records_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    broken = gzip.compress(b"WARC/1.1\r\nContent-Length: 9\r\n\r\n", mtime=0)[:-8] + bytes(8)
    path.write_bytes(broken * 2 * MAX_DAMAGED_PLACES)
    found = list(scan_archive(path, lambda record: record.stream_pos))
    assert len(found) == MAX_DAMAGED_PLACES + 1
    last = found[-1]
    assert isinstance(last, ArchiveDamage)
    assert last.end == path.stat().st_size


def test_a_file_that_was_compressed_as_a_whole_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.warc.gz", *PAGES)
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())))
    pages = list(pages_of_warc(path, name="a.warc.gz", max_bytes=10_000_000))
    assert [page.url for page in pages if isinstance(page, LoadedPage)] == [TOC, link(0), link(1), link(2)]


@pytest.mark.parametrize("verb", ["read", "classify", "links", "zones", "blocks"])
def test_a_verb_reads_the_rest_of_a_damaged_archive_and_exits_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    path = write(tmp_path / "a.warc.gz", *(article(n, more='<a href="/">Home</a>') for n in range(3)))
    path.write_bytes(flip(path.read_bytes(), *places(path)[2]))
    with pytest.raises(SystemExit) as stop:
        main([verb, str(path), "--json"])
    assert stop.value.code == 3
    out, _ = capsys.readouterr()
    lines = out.splitlines()
    assert "1 damaged record in this archive" in lines[-1]
    assert "the other records were read" in lines[-1]
    assert len(lines) >= 3
    assert verb not in {"read", "zones"} or TITLES[2] in out


def check_run(store: Store, archive: Path, urls: list[str]) -> None:
    """Each page is closed and there once, in the store and in the archive."""
    assert Counter(page.url for page in store.runs.pages(1)) == dict.fromkeys(urls, 1)
    assert {node.place for node in store.runs.nodes(1) if node.wish.url in urls} == {Place.CLOSED}
    with archive.open("rb") as file:
        records = [record for record in ArchiveIterator(file, check_digests="raise") if record.rec_type == "response"]
        assert Counter(record.rec_headers.get_header("WARC-Target-URI") for record in records) == dict.fromkeys(urls, 1)
    assert store.runs.get(1).archive_length == archive.stat().st_size
    assert store.runs.get(1).state is RunState.FINISHED


def cut_again_and_again(archive: Path) -> Iterator[int]:
    """Cut an archive that is whole again each time: to nothing, inside each record, and between two; give the length.

    An archive that was completed may be some bytes shorter or longer than before.
    """
    for record, share in product(range(len(places(archive))), (0.0, 0.02, 0.5, 0.99)):
        start, end = places(archive)[record]
        length = start + ceil((end - start) * share)
        archive.write_bytes(archive.read_bytes()[:length])
        yield length


def test_a_run_whose_archive_lost_its_end_fetches_the_lost_pages_again(store: Store, tmp_path: Path) -> None:
    urls = [page.url for page in PAGES]
    archive = tmp_path / "run" / RUN_ARCHIVE

    async def run() -> None:
        await harvest_issue(TOC, fetcher=replay(*PAGES), store=store, folder=tmp_path / "run", settings=ISSUE)
        ranges = places(archive)
        for length in cut_again_and_again(archive):
            lost = [url for url, (_, end) in zip(urls, ranges[1:], strict=True) if end > length]
            (problem,) = find_archive_problems(store)
            assert problem.startswith(f"run 1: its archive lost {ranges[-1][1] - length:,} of {ranges[-1][1]:,} bytes")
            fetcher, events = replay(*PAGES), list[object]()
            harvest = await resume_run(
                1, fetcher=fetcher, store=store, settings=ISSUE, watch=Watch(listen=events.append)
            )
            assert [event for event in events if isinstance(event, ArchiveCut)] == [
                ArchiveCut(1, len(lost), str(archive))
            ]
            assert sorted(fetcher.asked) == sorted(lost)
            assert sorted(citation.title for citation in harvest.citations) == sorted(TITLES)
            check_run(store, archive, urls)
            assert not list(find_archive_problems(store))
            urls[:] = [url for url in urls if url not in lost] + fetcher.asked  # as they now follow in the archive
            ranges = places(archive)

    asyncio.run(run())


@pytest.mark.parametrize("position", range(1, 5))
def test_a_damaged_page_of_a_run_is_fetched_again(store: Store, tmp_path: Path, position: int) -> None:
    archive = tmp_path / "run" / RUN_ARCHIVE
    events: list[object] = []

    async def run() -> list[str]:
        await harvest_issue(TOC, fetcher=replay(*PAGES), store=store, folder=tmp_path / "run", settings=ISSUE)
        archive.write_bytes(flip(archive.read_bytes(), *places(archive)[position]))
        fetcher = replay(*PAGES)
        for _ in range(2):  # the second time nothing is left to do
            harvest = await resume_run(
                1, fetcher=fetcher, store=store, settings=ISSUE, watch=Watch(listen=events.append)
            )
            assert sorted(citation.title for citation in harvest.citations) == sorted(TITLES)
        return fetcher.asked

    assert asyncio.run(run()) == [PAGES[position - 1].url]
    cut = [event for event in events if isinstance(event, ArchiveCut)]
    assert cut == [ArchiveCut(1, 1, str(archive), damaged=True)]
    assert {page.url for page in store.runs.pages(1)} == {page.url for page in PAGES}


def test_an_earlier_archive_that_cannot_be_read_does_not_hold_up_a_new_harvest(store: Store, tmp_path: Path) -> None:
    async def run(folder: str) -> tuple[Citation, ...]:
        harvest = await harvest_issue(
            TOC, fetcher=replay(*PAGES), store=store, folder=tmp_path / folder, settings=ISSUE
        )
        return harvest.citations

    asyncio.run(run("one"))
    (tmp_path / "one" / RUN_ARCHIVE).write_bytes(b"not an archive")
    assert len(asyncio.run(run("two"))) == len(TITLES)


def test_an_archived_page_that_cannot_be_taken_out_again_is_named(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = (PAGES[0], article(0), article(1, more="<p>and so on" * 10_000), article(2))
    asyncio.run(harvest_issue(TOC, fetcher=replay(*pages), store=store, folder=tmp_path / "run", settings=ISSUE))
    monkeypatch.setattr(issue_run, "ArchiveFetcher", partial(ArchiveFetcher, max_bytes=100_000))
    harvest = asyncio.run(resume_run(1, fetcher=replay(), store=store, settings=ISSUE))
    (lost,) = harvest.lost
    assert (lost.wish.url, lost.detail.partition(":")[0]) == (link(1), "too_large")


def test_a_topical_crawl_with_a_damaged_page_goes_back_to_it(store: Store, tmp_path: Path) -> None:
    archive = tmp_path / "run" / RUN_ARCHIVE

    async def run() -> None:
        first = await crawl_topic(REQUEST, fetcher=web(), store=store, folder=tmp_path / "run", settings=settings())
        archive.write_bytes(flip(archive.read_bytes(), *places(archive)[2]))
        lost = list(store.runs.pages(1))[1].url
        fetcher = web()
        again = await resume_topic(1, fetcher=fetcher, store=store, settings=settings())
        assert (again.rows, again.citations) == (first.rows, first.citations)
        assert lost in fetcher.asked

    asyncio.run(run())


def test_what_was_written_after_the_last_commit_of_a_run_is_no_damage(store: Store, tmp_path: Path) -> None:
    archive = tmp_path / "run" / RUN_ARCHIVE
    events: list[object] = []

    async def run() -> list[str]:
        await harvest_issue(TOC, fetcher=replay(*PAGES), store=store, folder=tmp_path / "run", settings=ISSUE)
        start, end = places(archive)[-1]
        archive.write_bytes(archive.read_bytes() + archive.read_bytes()[start : end - 9])
        fetcher = replay(*PAGES)
        await resume_run(1, fetcher=fetcher, store=store, settings=ISSUE, watch=Watch(listen=events.append))
        return fetcher.asked

    assert asyncio.run(run()) == []
    assert not [event for event in events if isinstance(event, ArchiveCut)]


def test_a_page_with_the_content_of_another_is_not_lost_with_the_end(store: Store, tmp_path: Path) -> None:
    twin = replace(article(0), url=link(1), final_url=link(1))
    pages = (contents([link(0), link(1), link(2)]), article(0), twin, article(2))
    archive = tmp_path / "run" / RUN_ARCHIVE

    async def run() -> list[str]:
        await harvest_issue(TOC, fetcher=replay(*pages), store=store, folder=tmp_path / "run", settings=ISSUE)
        archive.write_bytes(archive.read_bytes()[:-9])
        fetcher = replay(*pages)
        await resume_run(1, fetcher=fetcher, store=store, settings=ISSUE)
        return fetcher.asked

    assert asyncio.run(run()) == [link(2)]


def test_a_topical_crawl_whose_archive_lost_its_end_ends_like_one_that_did_not(store: Store, tmp_path: Path) -> None:
    archive = tmp_path / "run" / RUN_ARCHIVE

    async def run() -> None:
        first = await crawl_topic(REQUEST, fetcher=web(), store=store, folder=tmp_path / "run", settings=settings())
        urls = [page.url for page in store.runs.pages(1)]
        for _ in cut_again_and_again(archive):
            assert len(list(find_archive_problems(store))) == 1
            fetcher = web()
            again = await resume_topic(1, fetcher=fetcher, store=store, settings=settings())
            assert again.rows == first.rows
            assert fetcher.asked
            check_run(store, archive, urls)

    asyncio.run(run())


def test_a_refresh_leaves_an_archive_that_lost_its_end_alone(store: Store, tmp_path: Path) -> None:
    archive = tmp_path / "run" / RUN_ARCHIVE

    async def run() -> None:
        await crawl_topic(REQUEST, fetcher=web(), store=store, folder=tmp_path / "run", settings=settings())
        archive.write_bytes(archive.read_bytes()[:-9])
        changed = web()
        changed.answers = {
            url: replace(answer, body=answer.body + b" changed") if isinstance(answer, Response) else answer
            for url, answer in changed.answers.items()
        }
        await refresh_topic(REQUEST.concepts.topic, fetcher=changed, store=store)

    with pytest.raises(OutputError, match="archive is cut off") as caught:
        asyncio.run(run())
    assert "resume the run" in caught.value.hint


def test_store_check_names_the_run_and_the_way_out(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(harvest_issue(TOC, fetcher=replay(*PAGES), store=store, folder=tmp_path / "run", settings=ISSUE))

    def check() -> tuple[object, str]:
        with pytest.raises(SystemExit) as stop:
            main(["store", "check", "--store", str(tmp_path / "store.sqlite")])
        return stop.value.code, capsys.readouterr().out

    assert check()[0] == 0
    archive = tmp_path / "run" / RUN_ARCHIVE
    archive.write_bytes(archive.read_bytes()[:-100])
    code, said = check()
    assert code == 1
    assert "run 1: its archive lost 100 of " in said
    assert "`medharvest runs --store " in said
    assert " 1 resume` fetches the lost pages again" in said
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    assert check()[0] == 0


def test_the_archive_is_on_the_disk_before_the_store_has_its_length(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "run" / RUN_ARCHIVE
    synced, recorded = [0], []
    record, fsync = RunRepository.record, os.fsync

    def note_sync(handle: int) -> None:
        fsync(handle)
        if os.path.samestat(os.fstat(handle), archive.stat()):  # its folder is synced too
            synced.append(archive.stat().st_size)

    def note_record(self: RunRepository, *arguments: object, archive_length: int, **options: object) -> None:
        recorded.append((archive_length, synced[-1]))
        record(self, *arguments, archive_length=archive_length, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(RunRepository, "record", note_record)
    crawl = replace(ISSUE, crawl=replace(ISSUE.crawl, workers=3))
    asyncio.run(harvest_issue(TOC, fetcher=replay(*PAGES), store=store, folder=tmp_path / "run", settings=crawl))
    assert len(recorded) == len(PAGES)
    assert all(length <= safe for length, safe in recorded)
    assert recorded[-1][0] == archive.stat().st_size


def test_a_run_in_progress_is_not_resumed_a_second_time(store: Store, tmp_path: Path) -> None:
    asked, refused = [], []

    async def resume_meanwhile() -> None:
        with pytest.raises(OutputError, match="run 1 is already in progress") as caught:
            await resume_run(1, fetcher=replay(*PAGES), store=store, settings=ISSUE)
        refused.append(caught.value)

    def listen(event: object) -> None:
        if isinstance(event, Asked):
            asked.append(asyncio.ensure_future(resume_meanwhile()))

    async def run() -> None:
        watch = Watch(listen=listen)
        folder = tmp_path / "run"
        await harvest_issue(TOC, fetcher=replay(*PAGES), store=store, folder=folder, settings=ISSUE, watch=watch)
        await asyncio.gather(*asked)

    asyncio.run(run())
    assert len(refused) == len(PAGES)
    assert f"process {os.getpid()} on " in refused[0].message
    assert "wait until it ends" in refused[0].hint
    check_run(store, tmp_path / "run" / RUN_ARCHIVE, [page.url for page in PAGES])


def test_a_killed_process_holds_no_run(store: Store, tmp_path: Path) -> None:
    run = store.runs.begin(TOC, str(tmp_path / "run"), ())
    (tmp_path / "run").mkdir()
    code = (
        "import pathlib, sys, time; from medharvest.atomic_file import hold_file_lock\n"
        "with hold_file_lock(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "run" / RUN_LOCK)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(OutputError, match=f"process {holder.pid} on "), claim_run(store, run):
        pass
    holder.kill()
    holder.communicate(timeout=LONG)
    with claim_run(store, run):
        pass
