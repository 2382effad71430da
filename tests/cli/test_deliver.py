"""`deliver`, and policies in `journals`, `export` and `issue`, as a user calls them."""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
import urllib.request
from dataclasses import replace

import pytest
from tests.deliver.records import ONE, RECORDS, TWO
from tests.deliver.sftp_server import PASSWORD, sftp_server
from tests.waiting import LONG

from medharvest.deliver.oai_server import OaiServer
from medharvest.demo import serve
from medharvest.store import Journal, open_store

LIST = "verb=ListRecords&metadataPrefix=jats"


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "s.sqlite")) as opened:
        opened.save(None, RECORDS)
    return tmp_path / "s.sqlite"


@pytest.fixture
def deliver(medharvest, store, tmp_path, monkeypatch):
    """Call `deliver` with a settings file that names a folder."""
    settings = tmp_path / "settings.toml"
    settings.write_text(f'[targets]\nlibrary = "folder:{tmp_path}/out?format=ris"\n', encoding="utf-8")
    monkeypatch.setenv("MEDHARVEST_SETTINGS", str(settings))
    return lambda *arguments: medharvest("deliver", *arguments, "--store", store)


def test_records_are_sent_once_and_counted(deliver, tmp_path):
    first = deliver("library")
    assert first.code == 0
    assert first.out.count("sent: ") == 3
    assert "sent: Moons and sleep (JTides_12_3_" in first.out
    assert first.err == "library: 3 sent\n"
    again = deliver("library")
    assert (again.code, again.out, again.err) == (0, "", "library: 3 unchanged\n")
    assert deliver("library", "--again").err == "library: 3 sent\n"
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_the_targets_are_listed_with_what_they_have(deliver, tmp_path):
    assert (
        deliver().out == f"library: folder:{tmp_path}/out?format=ris (nothing sent yet)\noai: oai: (nothing sent yet)\n"
    )
    deliver("library")
    assert "(3 sent)" in deliver().out
    assert json.loads(deliver("--json").out.splitlines()[0])["states"] == {"sent": 3}


def test_only_accepted_records_are_sent_on_request(deliver, store):
    with open_store(str(store)) as opened:
        opened.accept(2, who="me")
    assert deliver("library", "--status", "accepted").err == "library: 1 sent\n"


def test_without_targets_the_way_to_one_is_told(medharvest, store):
    assert "[targets]" in medharvest("deliver", "--store", store).err


def test_a_dry_run_says_what_would_go_and_shows_the_bytes(deliver, tmp_path):
    dry = deliver("library", "--dry-run", "--issue", "12(3)")
    assert (dry.code, dry.out.count("would be sent: ")) == (0, 2)
    assert dry.err.splitlines()[-1] == "library: 2 would be sent; nothing was sent"
    assert '"state": "would be sent"' in deliver("library", "--dry-run", "--json").out
    shown = deliver("library", "--dry-run", "--show")
    assert not (tmp_path / "out").exists()
    deliver("library")
    assert shown.out == "".join(path.read_bytes().decode() for path in sorted((tmp_path / "out").iterdir()))
    assert deliver("library", "--show").code == 2
    assert [json.loads(line)["state"] for line in deliver("library", "--dry-run", "--json").out.splitlines()] == [
        "unchanged"
    ] * 3


def test_the_exit_code_tells_whether_some_or_all_were_refused(deliver, store, tmp_path):
    target = f"pm=folder:{tmp_path}/pm"
    with open_store(str(store)) as opened:
        opened.records.write([(1, replace(ONE, title="", doi=""))], who="me")
    some = deliver("--target", target)
    assert some.code == 3
    assert "(lacks title)" in some.out
    assert some.err == "pm: 2 sent, 1 refused\n"
    assert deliver("pm", "--target", target, "--issue", "12(3)", "--again").code == 3
    with open_store(str(store)) as opened:
        opened.records.write([(number, replace(TWO, title="", doi="")) for number in (2, 3)], who="me")
    assert deliver("--target", target, "--json").code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "error: no such target: nowhere; hint: targets are library, oai; add it to the settings file"),
        (["--target", "x=ftp://h/"], "error: no such kind of target: x = ftp://h/; hint: did you mean sftp:"),
        (["--target", "x=sftp://u:oyster@h/"], "error: the address of x contains a password"),
        (["library", "--serve"], "error: this target cannot be served: library; hint: only the target oai can"),
        (["library", "--report"], "error: this kind of target has no reports"),
        (["--target", "z=zotero:users/1"], "error: z needs a Zotero API key; hint: set the environment variable"),
    ],
)
def test_a_mistake_is_one_line_with_a_hint(deliver, arguments, message):
    ran = deliver(*arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(message)
    assert "oyster" not in ran.err


def test_pubmeds_way_from_file_to_pmid(deliver, tmp_path, monkeypatch, store):
    monkeypatch.setenv("MEDHARVEST_SECRET_PM", PASSWORD)
    with sftp_server(tmp_path / "server") as server:
        target = f"pm={server.url('/', reports='/reports')}"
        (tmp_path / "server" / "reports").mkdir()
        assert deliver("--target", target).err == "pm: 3 sent\n"
        assert len(server.names()) == 2
        (tmp_path / "server" / "reports" / "loader.txt").write_text(f"doi:{ONE.doi} PMID: 31234567\n")
        told = deliver("--target", target, "--report")
        assert (told.code, told.out) == (0, "sent: Tides and gout <b> (31234567; loader.txt)\n")
    saved = tmp_path / "mail.txt"
    saved.write_text(f"{TWO.doi} rejected: not ours\n")
    mailed = deliver("--target", target, "--report-file", saved)
    assert (mailed.code, mailed.out) == (1, f"refused: Moons and sleep ({TWO.doi} rejected: not ours)\n")
    with open_store(str(store)) as opened:
        assert opened.citation(1).pmid == "31234567"


def test_a_pause_before_another_try_is_mentioned(deliver, tmp_path, monkeypatch):
    monkeypatch.setenv("MEDHARVEST_DELIVER_BACKOFF", "0")
    monkeypatch.setenv("MEDHARVEST_DELIVER_TRIES", "2")
    (tmp_path / "out").write_text("a file where a folder should be")
    ran = deliver("library")
    assert ran.code == 1
    assert ran.out.count("failed: ") == 3
    assert ran.err == "not all could be sent; trying again in 0 s\nlibrary: 3 failed\n"


def test_policies_are_noted_shown_and_obeyed(medharvest, deliver, store):
    def journals(*arguments):
        return medharvest("journals", "--store", store, *arguments)

    noted = journals(
        "set", "Journal of Tides", "--permission", "licence 7", "--no-abstracts", "--embargo", "2999-01-01"
    )
    line = "policy of journal-of-tides; permission: licence 7; abstracts: not delivered; embargo: 2999-01-01\n"
    assert noted.out == line
    assert line in journals("show", "journal-of-tides").out
    assert "not an embargo: soon" in journals("set", "journal-of-tides", "--embargo", "soon").err
    held = deliver("library")
    assert (held.code, held.err) == (0, "library: 3 withheld\n")
    assert "withheld: Moons and sleep (embargo of journal-of-tides until 2999-01-01)" in held.out
    none = medharvest("export", "ris", "--store", store)
    assert "held back: Moons and sleep (embargo of journal-of-tides until 2999-01-01)" in none.err
    assert none.code == 1
    assert "error: no record for ris: all are held back; hint: see the message of each record" in none.err
    journals("set", "journal-of-tides", "--embargo", "")
    out = medharvest("export", "ris", "--store", store)
    assert out.code == 0
    assert "AB  - " not in out.out
    assert "without its abstract: policy of journal-of-tides: Moons and sleep" in out.err
    both = journals("set", "journal-of-tides", "--no-download", "--robots", "x", "--terms", "y", "--publisher", "P")
    assert "download: not permitted; robots: x; terms: y" in both.out
    assert "publisher: P" in both.out
    draft = medharvest("export", "pubmed", "--draft", "--store", store)
    assert "<Abstract>" not in draft.out


def test_issue_reminds_once_and_does_not_download_what_is_forbidden(medharvest, tmp_path, monkeypatch):
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "true")
    store = tmp_path / "new.sqlite"
    with serve() as server:
        issue = (
            "issue",
            f"{server.url}/northmoor/content/23/3.toc",
            "--store",
            store,
            "--delay",
            0,
            "--max-pages",
            3,
            "--no-read",
        )
        with open_store(str(store)) as opened:
            opened.journals.save(Journal(name="lakes", hosts=("127.0.0.1",)))
        first = medharvest(*issue, "--into", tmp_path / "a")
        again = medharvest(*issue, "--into", tmp_path / "b")
        medharvest("journals", "--store", store, "set", "lakes", "--no-download")
        refused = medharvest(*issue, "--into", tmp_path / "c")
    assert "no permission or subscription is noted for lakes" in first.err
    assert "no permission" not in again.err
    assert refused.err.startswith(
        "error: downloading from lakes is not permitted by its policy; hint: if that has changed"
    )
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_harvesters_are_served_until_the_process_is_told_to_stop(deliver, told, monkeypatch):
    began: queue.Queue[str] = queue.Queue()
    serve_forever = OaiServer.serve_forever

    def serve_and_tell(server: OaiServer, **options: float) -> None:
        began.put(server.url)
        serve_forever(server, **options)

    got: list[tuple[str, bytes]] = []

    def harvest() -> None:
        url = began.get(timeout=LONG)
        with urllib.request.urlopen(f"{url}?{LIST}", timeout=LONG) as answer:
            got.append((url, answer.read()))
        os.kill(os.getpid(), told)

    monkeypatch.setattr(OaiServer, "serve_forever", serve_and_tell)
    client = threading.Thread(target=harvest, daemon=True)
    client.start()
    ran = deliver("oai", "--serve", "--port", 0)
    client.join(LONG)
    [(url, answer)] = got
    assert (ran.code, ran.out) == (0, f"{url}?verb=Identify\n")
    assert answer.count(b"<record>") == 3
