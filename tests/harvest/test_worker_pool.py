"""Pages are read in processes that may crash, hang or eat memory: the page is lost with a reason, the run continues."""

from __future__ import annotations

import gc
import io
import json
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.harvest.site import TITLES, article
from tests.waiting import LONG
from tests.zones import journal

from medharvest.codec import from_json, to_json
from medharvest.errors import InputError
from medharvest.harvest import worker_pool, worker_process
from medharvest.harvest.worker_pool import LostPageError, PageJob, WorkerPool
from medharvest.journals.article_reader import teach_pages
from medharvest.records import Citation, Kind
from medharvest.settings import Read

GOOD = PageJob(body=article(0).body, name="good", url="http://journal.example/1", charset="utf-8")

# Takes the place of the worker's own module: what it does with a page is what the page says.
UNRULY = """
import os, sys, time
from medharvest.harvest import worker_process as worker
read = worker._read_job_page
def obey(job, body, taught):
    if body == b"crash": os.kill(os.getpid(), 11)
    if body == b"leave": os._exit(0)
    if body == b"hang": time.sleep(600)
    if body == b"spin":
        while True: pass
    if body == b"doze": time.sleep(1); body = b"<p>awake"
    if body.startswith(b"once "):
        name = body[5:].decode()
        if not os.path.exists(name): open(name, "x").close(); os._exit(127)
        body = b"<p>twice"
    if body == b"eat": return bytearray(10**10)
    if body == b"shout": print("loud"); body = b"<p>quiet"
    if body == b"raise": raise KeyError("odd")
    return read(job, body, taught)
worker._read_job_page = obey
worker.run_worker()
"""


@pytest.fixture
def unruly(monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerPool]:
    start = subprocess.Popen

    def popen(_: list[str], **options: Any) -> subprocess.Popen[bytes]:
        return start([sys.executable, "-c", UNRULY], **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    with WorkerPool(Read(workers=1, max_seconds=60, max_memory=1_000)) as pool:
        yield pool


def read(pool: WorkerPool, *bodies: bytes) -> list[Any]:
    jobs = ((n, PageJob(body=body, name=f"page {n}")) for n, body in enumerate(bodies))
    return [reading for _, reading in pool.read(jobs)]


def test_pages_are_read_in_order_and_what_is_no_job_is_handed_through() -> None:
    known = InputError("known", name="x")
    jobs = [(n, known if n == 2 else PageJob(body=article(n % 3).body, name=f"{n}")) for n in range(8)]
    with WorkerPool(Read(workers=2)) as pool:
        found = list(pool.read(jobs))
    assert [key for key, _ in found] == list(range(8))
    assert found[2][1] is known
    titles = [reading.title for _, reading in found if isinstance(reading, Citation)]
    assert titles == [TITLES[n % 3] for n in range(8) if n != 2]


def test_a_page_that_crashes_or_eats_memory_is_lost_alone(unruly: WorkerPool) -> None:
    bodies = (GOOD.body, b"crash", GOOD.body, b"leave", b"eat", b"raise", b"shout")
    found = read(unruly, *bodies)
    told = [reading.message if isinstance(reading, InputError) else "read" for reading in found]
    assert told == [
        "read",
        "page crashed the worker that read it: page 1",
        "read",
        "page crashed the worker that read it: page 3",
        "page needs too much memory: page 4",
        "page cannot be read: page 5",
        "read",
    ]
    crash, leave, *others = [reading.hint for reading in found if isinstance(reading, InputError)]
    rest = "often for lack of memory; raise MEDHARVEST_READ_MAX_MEMORY, or give another form of the article"
    assert (crash, leave) == (f"its parser was ended by SIGSEGV, {rest}", f"its parser gave up with status 0, {rest}")
    assert others == ["raise MEDHARVEST_READ_MAX_MEMORY", "KeyError: 'odd'"]


def test_a_page_that_hangs_is_lost_alone(unruly: WorkerPool) -> None:
    patience = unruly.limits
    unruly.limits = replace(patience, max_seconds=0.1)
    [lost] = read(unruly, b"hang")
    unruly.limits = patience
    assert (lost.message, lost.hint) == (
        "page takes too long: page 0",
        "no answer in 10 times the limit of 0.1 s; raise MEDHARVEST_READ_MAX_SECONDS",
    )
    assert isinstance(read(unruly, GOOD.body)[0], Citation)


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="not run: no POSIX signals")
def test_a_page_that_computes_too_long_is_lost_alone(unruly: WorkerPool) -> None:
    unruly.limits = replace(unruly.limits, max_seconds=1)
    lost, good = read(unruly, b"spin", GOOD.body)
    assert (lost.message, lost.hint) == (
        "page takes too long: page 0",
        "the limit is 1 s of processor time; raise it with MEDHARVEST_READ_MAX_SECONDS",
    )
    assert isinstance(good, Citation)


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="not run: no POSIX signals")
def test_time_in_which_a_worker_starts_or_waits_is_not_counted(unruly: WorkerPool) -> None:
    unruly.limits = replace(unruly.limits, max_seconds=0.9)
    assert [type(one) for one in read(unruly, b"doze", b"doze")] == [Citation, Citation]


def test_a_limit_beyond_every_timer_means_no_limit(unruly: WorkerPool) -> None:
    unruly.limits = replace(unruly.limits, max_seconds=1e15)
    [found] = read(unruly, GOOD.body)
    assert isinstance(found, Citation)


def test_a_page_is_tried_once_more_in_a_new_worker(unruly: WorkerPool, tmp_path: Path) -> None:
    once = tmp_path / "once"
    [found] = read(unruly, f"once {once}".encode())
    assert isinstance(found, Citation)
    assert once.exists()


def test_a_page_that_is_no_longer_wanted_is_given_up_while_a_worker_is_busy(unruly: WorkerPool) -> None:
    job = PageJob(body=b"hang", name="x")
    begun = threading.Event()
    asked = unruly.request(job, dict, begun.set)
    begun.wait(LONG)
    unruly.abandon(job)
    assert isinstance(asked.result(LONG), LostPageError)
    readings = unruly.read([(0, PageJob(body=GOOD.body, name="x")), (1, PageJob(body=b"hang", name="y"))])
    next(readings)
    readings.close()
    unruly.submit(PageJob(body=b"hang", name="z"))
    unruly.close()  # waits for nothing


def test_a_large_page_for_a_process_that_is_gone_is_lost_alone(unruly: WorkerPool) -> None:
    one = worker_pool._Worker(unruly.limits)
    one._process.kill()
    one._process.wait()
    lost = one.read(PageJob(body=b"x" * 1_000_000, name="late"))
    assert isinstance(lost, InputError)
    assert not one.alive


def test_only_articles_where_only_they_are_wanted() -> None:
    with WorkerPool(Read(workers=1)) as pool:
        (_, other), (_, known) = pool.read(
            (n, PageJob(body=b"<p>About us", name="x", kind=kind, articles_only=True))
            for n, kind in enumerate(("", "pdf"))
        )
    assert other is None
    assert isinstance(known, Citation)
    assert known.kind is Kind.PDF


def test_pages_of_taught_journals_are_read_by_what_was_taught() -> None:
    taught = teach_pages([(journal.page(1), journal.known(1))])
    told = json.dumps(to_json(taught))
    with WorkerPool(Read(workers=1)) as pool:
        jobs = [
            PageJob(body=journal.html(n).encode(), name=f"{n}", lessons=told if n > 2 else "") for n in (2, 7, 2, 8)
        ]
        found = [reading for _, reading in pool.read(enumerate(jobs))]
    methods = [{proof.method for proof in one.evidence if proof.field == "abstract"} for one in found]  # type: ignore[union-attr]
    assert ["template" in one for one in methods] == [False, True, False, True]


def test_the_processes_of_a_program_are_shared_and_end_with_it() -> None:
    script = (
        "from medharvest.harvest.worker_pool import PageJob, shared_workers; from medharvest.settings import Read\n"
        "first, second = shared_workers(Read(workers=1)), shared_workers(Read(workers=1))\n"
        "assert first is second\n"
        "print([type(one).__name__ for _, one in first.read([(0, PageJob(body=b'<p>x', name='x'))])])\n"
    )
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=where, capture_output=True, timeout=60, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "['Citation']", "")


def head(job: PageJob) -> dict[str, Any]:
    known = {name: value for name, value in asdict(job).items() if name not in {"body", "lessons"}}
    return {**known, "max_pdf_pages": 40, "length": len(job.body), "taught": ""}


def test_a_worker_answers_a_line_for_each_page() -> None:
    source = io.BytesIO(b"".join(json.dumps(head(GOOD)).encode() + b"\n" + GOOD.body for _ in range(2)))
    sink = io.BytesIO()
    worker_process.serve_jobs(source, sink)
    answers = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert len(answers) == 2
    citation = from_json(Citation, answers[0]["citation"])
    assert (citation.title, citation.url) == (TITLES[0], GOOD.url)


def test_a_worker_drops_what_its_pages_left_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ring:
        def __init__(self) -> None:
            self.itself = self

    left: list[weakref.ref[Ring]] = []

    def leave_a_cycle(*_: object) -> dict[str, str]:
        left.append(weakref.ref(Ring()))
        return {}

    monkeypatch.setattr(worker_process, "answer_job", leave_a_cycle)
    page = json.dumps(head(GOOD)).encode() + b"\n" + GOOD.body
    gc.disable()  # as good as in a worker, whose threshold is high
    try:
        worker_process.serve_jobs(io.BytesIO(page * 60), io.BytesIO())
        kept = sum(one() is not None for one in left)
    finally:
        gc.enable()
    assert (len(left), kept) == (60, 10)


def test_what_was_taught_comes_before_the_pages_and_gets_no_answer() -> None:
    lessons = json.dumps(to_json(teach_pages([(journal.page(1), journal.known(1))]))).encode()
    job = PageJob(body=journal.html(7).encode(), name="7")
    said = json.dumps({"teaches": "tides", "length": len(lessons)}).encode() + b"\n" + lessons
    asked = json.dumps(head(job) | {"taught": "tides"}).encode() + b"\n" + job.body
    sink = io.BytesIO()
    worker_process.serve_jobs(io.BytesIO(said + asked), sink)
    [answer] = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert "template" in {proof["method"] for proof in answer["citation"]["evidence"] if proof["field"] == "abstract"}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (InputError("odd page", name="x", hint="mend it"), "odd page"),
        (MemoryError(), "page needs too much memory: good"),
        (ValueError("half"), "page cannot be read: good"),
    ],
)
def test_whatever_goes_wrong_is_an_answer(monkeypatch: pytest.MonkeyPatch, error: Exception, message: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(worker_process, "parse_page", fail)
    answer = worker_process.answer_job(head(GOOD), GOOD.body)
    assert answer["error"] == message
    assert answer["hint"]


def test_a_page_that_is_no_article_is_no_answer_where_articles_are_wanted() -> None:
    job = head(PageJob(body=b"<p>x", name="x", articles_only=True))
    assert worker_process.answer_job(job, b"<p>x") == {"citation": None}


def test_memory_is_limited_where_the_system_can(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    asked: list[object] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: asked.append((kind, limits)))
    worker_process.limit_memory(0)
    worker_process.limit_memory(5)
    assert asked == [(resource.RLIMIT_AS, (5_000_000, 5_000_000))]
    monkeypatch.setitem(sys.modules, "resource", None)
    worker_process.limit_memory(5)
    assert len(asked) == 1


def test_what_is_loaded_once_is_not_looked_through_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(gc, "freeze", lambda: asked.append("freeze"))
    monkeypatch.setattr(gc, "set_threshold", asked.append)
    worker_process.preload_models()
    assert asked == ["freeze", worker_process._GC_THRESHOLD]


def test_the_worker_ends_when_its_input_ends() -> None:
    where = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-P", "-m", "medharvest.harvest.worker_process"]
    for given, said in ((b"", b""), (b'{"max_memory": 0, "max_seconds": 0}\n', worker_process.READY_LINE)):
        done = subprocess.run(command, input=given, env=where, capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, said, b"")


def test_what_is_printed_while_a_page_is_read_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = b'{"max_memory": 0, "max_seconds": 0}\n' + json.dumps(head(GOOD)).encode() + b"\n" + GOOD.body
    ignored: list[object] = []
    monkeypatch.setattr(signal, "signal", lambda *given: ignored.append(given))
    monkeypatch.setattr(worker_process, "preload_models", lambda: None)  # this process is not the worker's
    monkeypatch.setattr(
        worker_process, "answer_job", lambda *_: os.write(sys.stdout.fileno(), b"loud") and {"citation": None}
    )
    with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        worker_process.run_worker()
    assert (tmp_path / "out").read_text() == '{"ready":true}\n{"citation":null}\n'
    assert (tmp_path / "err").read_text() == "loud"
    assert ignored[0] == (signal.SIGINT, signal.SIG_IGN)
