"""Delivery: each target twice, an SFTP delivery that is broken off again and again, a harvest while records change.

.venv/bin/python -m bench.deliver [--records 1000] [--breaks 20] [--xsd FILE]     writes bench/results/deliver.json
.venv/bin/python -m bench.render                                                renders the tables of the docs from it

All servers are on the loopback address: those of the tests. OAI-PMH answers are checked against the schema of the
tests, and with `--xsd` against a copy of the protocol's own, OAI-PMH.xsd, which the source package of pyoai carries.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.crawl import output
from bench.export import records
from lxml import etree
from tests.deliver.sftp_server import PASSWORD, Served, sftp_server
from tests.deliver.site import Reply, Request, receiving

from medharvest import __version__
from medharvest.deliver import RetryPolicy, open_target, parse_target
from medharvest.deliver.oai_server import run_oai_server
from medharvest.library.delivery import Delivery, OaiCollection, describe_repository
from medharvest.library.export import open_exporter
from medharvest.settings import Settings
from medharvest.store import Store, open_store

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "deliver.json"
SCHEMA = ROOT / "tests" / "deliver" / "oai.rng"
SECRETS = {"MEDHARVEST_SECRET_T": PASSWORD}
ISSUE = 25  # records of one issue
SEED = 7


def main() -> None:
    """Measure all three and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--breaks", type=int, default=20)
    parser.add_argument("--xsd", type=Path, help="a copy of OAI-PMH.xsd")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    result = {
        "command": f"python -m bench.deliver --records {given.records} --breaks {given.breaks}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "records": given.records,
        "twice": twice(given.records),
        "broken": broken(given.records, given.breaks),
        "harvest": harvested(given.records, given.xsd),
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({name: result[name] for name in ("twice", "broken", "harvest")}, indent=1))


@contextmanager
def filled(number: int) -> Iterator[tuple[Path, Store]]:
    """A store with records, some to an issue, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder) / "s.sqlite")) as store:
        store.save(None, [replace(one, volume=str(n // ISSUE), pii="") for n, one in enumerate(records(number))])
        yield Path(folder), store


def twice(number: int) -> dict[str, dict[str, float]]:
    """Each target given the same records twice: what went, and the CPU seconds of either."""
    found = {}
    with filled(number) as (folder, store), ExitStack() as stack:
        server = stack.enter_context(sftp_server(folder / "server"))
        site = stack.enter_context(receiving(_taken))
        for name, url in targets(folder, server, site.url).items():
            address = replace(parse_target(f"t={url}"), trusted=True)
            rows = []
            for _ in range(2):
                with closing(open_target(address, Settings(), SECRETS)) as target:
                    delivery = Delivery(open_exporter(store), name, target)
                    began, asked = time.process_time(), len(site.requests) + len(server.renames)
                    states = Counter(
                        str(told.receipt.state)
                        for told in delivery.send(store.records.outgoing(), patience=RetryPolicy(tries=1))
                    )
                    used = time.process_time() - began
                    rows.append((states, used, len(site.requests) + len(server.renames) - asked))
            (first, cpu, _), (second, again, asked) = rows
            found[name] = {
                "sent": first["sent"],
                "cpu": round(cpu, 3),
                "sent_again": second.total() - second["unchanged"],
                "requests_again": asked,
                "cpu_again": round(again, 3),
            }
    return found


def targets(folder: Path, server: Served, site: str) -> dict[str, str]:
    """A target of each kind."""
    return {
        "folder": f"folder:{folder}/files",
        "sftp": server.url(),
        "sqlite": f"sqlite:///{folder}/copy.db",
        "parquet": f"parquet:{folder}/records.parquet",
        "zotero": f"zotero:users/1?server={site}",
        "opensearch": f"opensearch+{site}/articles",
        "webhook": f"webhook+{site}/hook",
        "oai": "oai:",
    }


def _taken(request: Request) -> Reply:
    """Every record is taken, as the service at that address would say so."""
    if request.path.endswith("/_bulk"):
        actions = [json.loads(line)["index"] for line in request.body.splitlines()[::2]]
        items = [{"index": {"_id": action["_id"], "status": 201}} for action in actions]
        return Reply(200, json.dumps({"errors": False, "items": items}).encode())
    if request.path.endswith("/items"):
        written: dict[str, Any] = {str(place): {} for place in range(len(json.loads(request.body)))}
        return Reply(200, json.dumps({"successful": written}).encode(), {"Last-Modified-Version": "1"})
    return Reply(204, b"")


def broken(number: int, breaks: int) -> dict[str, int]:
    """An SFTP delivery broken off by killing it and by cutting its connection, then done: whole files, each once."""
    chance, halves, kills, cuts = random.Random(SEED), 0, 0, 0  # noqa: S311
    with filled(number) as (folder, _), sftp_server(folder / "server") as server:
        store_file = folder / "s.sqlite"
        for turn in range(2 * breaks):
            server.break_after = chance.randrange(1, 60_000) if turn % 2 else -1
            done = _deliver(store_file, server, "--again", kill_after=None if turn % 2 else chance.uniform(0.0, 1.0))
            kills += done == -signal.SIGKILL
            cuts += bool(turn % 2) and done != 0
            halves += sum(not _is_whole(path) for path in _final(server))
        server.break_after = -1
        _deliver(store_file, server, kill_after=None)
        before = len(server.renames)
        _deliver(store_file, server, kill_after=None)
        dois = Counter(doi for path in _final(server) for doi in _dois(path))
        return {
            "kills": kills,
            "cuts": cuts,
            "half_files": halves + sum(not _is_whole(path) for path in _final(server)),
            "records": number,
            "arrived": len(dois),
            "arrived_twice": sum(count > 1 for count in dois.values()),
            "left_over_parts": sum(path.suffix == ".part" for path in server.folder.iterdir()),
            "sent_by_a_further_delivery": len(server.renames) - before,
        }


def _deliver(store: Path, server: Served, *options: str, kill_after: float | None) -> int:
    """One delivery in a process of its own, killed some seconds after it has logged in."""
    target = ("--store", str(store), "--target", f"t={server.url()}")
    command = [sys.executable, "-m", "medharvest", "deliver", *target, *options]
    environment = {**os.environ, **SECRETS, "MEDHARVEST_DELIVER_TRIES": "1", "PYTHONPATH": str(ROOT / "src")}
    before = len(server.transports)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT
    ) as process:
        if kill_after is not None:
            while process.poll() is None and len(server.transports) == before:
                time.sleep(0.005)
            time.sleep(kill_after)
            process.kill()
        return process.wait()


def _final(server: Served) -> list[Path]:
    return [path for path in server.folder.iterdir() if path.suffix != ".part"]


def _is_whole(path: Path) -> bool:
    return path.read_bytes().endswith(b"</ArticleSet>\n")


def _dois(path: Path) -> list[str]:
    return [str(one.text) for one in etree.parse(path).iterfind(".//ArticleId[@IdType='doi']")]


def harvested(number: int, xsd: Path | None) -> dict[str, Any]:
    """Sickle harvests all formats while another thread changes a record after the other; every answer is checked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import sickle
    schemas = [etree.RelaxNG(etree.parse(SCHEMA)), *([etree.XMLSchema(etree.parse(xsd))] if xsd else [])]
    answers: Counter[str] = Counter()
    found: dict[str, Any] = {}
    with filled(number) as (_, store):
        collection = OaiCollection(store)

        def answer(pairs: list[tuple[str, str]], url: str) -> bytes:
            body = collection.answer(pairs, describe_repository(Settings(), url))
            tree = etree.fromstring(body)
            answers.update(["valid" if all(schema.validate(tree) for schema in schemas) else "invalid"])
            return body

        with run_oai_server("127.0.0.1", 0, answer) as server:
            client = sickle.Sickle(server.url, timeout=120)
            for prefix in ("oai_dc", "pubmed", "jats"):
                with _changing(store) as changes:
                    seen = [one.header.identifier for one in client.ListRecords(metadataPrefix=prefix)]
                found[prefix] = {
                    "records": number,
                    "harvested": len(set(seen)),
                    "seen_again_as_changed": len(seen) - len(set(seen)),
                    "changes_meanwhile": changes["made"],
                }
    checked = ["tests/deliver/oai.rng", *(["OAI-PMH.xsd"] if xsd else [])]
    return {"formats": found, "valid": answers["valid"], "invalid": answers["invalid"], "checked_by": checked}


@contextmanager
def _changing(store: Store) -> Iterator[Counter[str]]:
    """Records changed one after the other, at random, until the block ends."""
    stop, made, chance = threading.Event(), Counter[str](), random.Random(SEED)  # noqa: S311
    numbers = [record.number for record in store.records.outgoing()]

    def change() -> None:
        while not stop.wait(0.05):
            number = chance.choice(numbers)
            old = store.citation(number)
            store.records.write([(number, replace(old, volume=f"{old.volume}+"))], who="bench")
            made["made"] += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield made
    finally:
        stop.set()
        thread.join()


if __name__ == "__main__":
    main()
