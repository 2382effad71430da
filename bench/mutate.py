"""Ten thousand broken pages: each gives a record or a reason, within 2 s of CPU time and 1 GB, and none crashes.

.venv/bin/python -m bench.mutate [--pages 10000] [--seed 1] [--at-once 2]      writes bench/results/mutate.json
.venv/bin/python -m bench.render                                 renders the table of the docs from it

The pages are made from the bundled journals and, where MEDHARVEST_CORPUS names a corpus, from its articles and PDFs.
Each is read in a copy of this process, so that its cost is its own. Pages that fail are saved in the folder --failures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.apart import FINE, run_apart
from bench.startup import output

from medharvest import __version__, demo
from medharvest.harvest.worker_process import answer_job, preload_models
from medharvest.records import Kind
from medharvest.settings import Read

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "mutate.json"
FAILURES = Path(tempfile.gettempdir()) / "medharvest-mutate-failures"
_TAG = re.compile(rb"<[^<>]{1,400}>")
_NESTED = 10_000
_HUGE = 50_000_000

Mutation = Callable[[random.Random, bytes], bytes]


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one page: a record, a reason or neither, and what it cost."""

    mutation: str
    n: int
    outcome: str
    seconds: float
    megabytes: float
    detail: str = ""
    saved: str = ""


def main() -> int:
    """Make the pages, read them, write the figures; 1 if a page failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="pages to read at the same time")
    parser.add_argument("--failures", type=Path, default=FAILURES, help="folder for the pages that failed")
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    originals = [*bundled_pages(), *corpus_pages(os.environ.get("MEDHARVEST_CORPUS", ""))]
    preload_models()
    pages = enumerate(mutants(originals, given.pages, given.seed))
    done = []
    for reading in read_pages(((name, n, body) for n, (name, body) in pages), given.at_once, given.failures):
        done.append(reading)
        if len(done) % 500 == 0:
            print(f"{len(done):,} of {given.pages:,} pages", flush=True)
    failures = [asdict(one) for one in done if one.outcome not in FINE]
    result = {
        "command": f"python -m bench.mutate --pages {given.pages} --seed {given.seed}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version(), "medharvest": __version__},
        "load": os.getloadavg()[0],
        "cpu_seconds": round(sum(one.seconds for one in done), 1),
        "pages": len(done),
        "originals": len(originals),
        "mutations": summary(done),
        "failures": failures,
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}: {len(failures)} of {len(done)} pages failed")
    return 1 if failures else 0


def bundled_pages() -> list[bytes]:
    """The pages and PDFs of the bundled journals."""
    return [
        demo.read_demo_file(page.file) for page in demo.list_demo_pages() if page.file and page.kind is not Kind.IMAGE
    ]


def corpus_pages(folder: str) -> list[bytes]:
    """The articles and PDFs of a corpus; none where none is named."""
    files = [*Path(folder).glob("articles/pages/*.html"), *Path(folder).glob("pdfs/pdfs/*.pdf")] if folder else []
    return [file.read_bytes() for file in sorted(files)]


def mutants(originals: Sequence[bytes], count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """So many broken pages, every mutation in turn; the very large ones are one in five hundred."""
    chance = random.Random(seed)  # noqa: S311  (the same pages every time)
    for n in range(count):
        table = LARGE if n % 500 == 499 else MUTATIONS  # noqa: PLR2004
        name = list(table)[n // 500 % len(table) if table is LARGE else n % len(table)]
        yield name, table[name](chance, chance.choice(originals))


def drop_tags(chance: random.Random, body: bytes) -> bytes:
    """Every tag goes with the same probability."""
    share = chance.random()
    return _TAG.sub(lambda found: b"" if chance.random() < share else found.group(), body)


def drop_ends(_: random.Random, body: bytes) -> bytes:
    """No tag is closed."""
    return re.sub(rb"</[^<>]{1,40}>", b"", body)


def swap_tags(chance: random.Random, body: bytes) -> bytes:
    """Tags change their places."""
    tags = _TAG.findall(body)
    chance.shuffle(tags)
    left = iter(tags)
    return _TAG.sub(lambda _: next(left), body)


def cut(chance: random.Random, body: bytes) -> bytes:
    """A page that breaks off, or begins late."""
    start, end = sorted(chance.choices(range(len(body)), k=2))
    return body[:end] if chance.random() < 0.5 else body[start:]  # noqa: PLR2004


def flip_bytes(chance: random.Random, body: bytes) -> bytes:
    """Bytes change at random, few or many."""
    changed = bytearray(body)
    for _ in range(int(len(body) * chance.random() ** 4) + 1):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def repeat(chance: random.Random, body: bytes) -> bytes:
    """A piece of the page comes hundreds of times."""
    start, end = sorted(chance.choices(range(len(body)), k=2))
    piece = body[start : min(end, start + 2_000)]
    return body[:start] + piece * 300 + body[start:]


def nest(chance: random.Random, body: bytes) -> bytes:
    """The page stands in ten thousand tags."""
    tag = chance.choice([b"div", b"b", b"table", b"span class=x", b"ul><li", b"a href=x", b"font", b"section", b"svg"])
    return b"<" + (b"><".join([tag] * _NESTED)) + b">" + body


def nest_lists(chance: random.Random, body: bytes) -> bytes:
    """Ten thousand openings, mixed, some with text, and nothing closed."""
    tags = [b"<div>", b"<p>x", b"<li>", b"<td>", b"<i>", b"<h2>Abstract", b"<em>", b"<dd>", b"<sup>1"]
    return b"".join(chance.choices(tags, k=_NESTED)) + body


def noise(chance: random.Random, _: bytes) -> bytes:
    """Random bytes behind a tag."""
    return b"<html>" + chance.randbytes(chance.randrange(1, 200_000))


def markup_noise(chance: random.Random, _: bytes) -> bytes:
    """Random marks of markup."""
    return bytes(chance.choices(b"<>/\"'=!-&;# abp", k=chance.randrange(1, 100_000)))


def script_only(_: random.Random, body: bytes) -> bytes:
    """A page that is one script."""
    return b"<html><script>" + body.replace(b"</script", b"<\\/script") + b"</script>"


def entities(chance: random.Random, body: bytes) -> bytes:
    """Every blank is an entity."""
    return body.replace(b" ", chance.choice([b"&nbsp;", b"&#x20;", b"&amp;", b"&#1114112;", b"&"]))


def broken_json(chance: random.Random, body: bytes) -> bytes:
    """Metadata nested deeply, or broken."""
    data = chance.choice(
        [b'{"a":' * 5_000, b"[" * 100_000, b'{"@type":"Article","author":[' + b'{"name":"A B"},' * 5_000]
    )
    return b"<script type='application/ld+json'>" + data + b"</script>" + body


def many_names(chance: random.Random, body: bytes) -> bytes:
    """Thousands of authors and affiliations."""
    meta = b"<meta name=citation_author content='A B'><meta name=citation_author_institution content='University of X'>"
    names = b", ".join(b"Ann B%d<sup>%d</sup>" % (n, n) for n in range(5_000))
    return meta * chance.randrange(1, 3_000) + b"<h1>A title of five words</h1><p>" + names + b"</p>" + body


def huge_text(chance: random.Random, body: bytes) -> bytes:
    """Fifty megabytes of text in one paragraph."""
    return b"<p>" + chance.choice([b"word ", b"A. B. Name, ", b"(1) x; "]) * (_HUGE // 12) + body


def huge_lines(chance: random.Random, body: bytes) -> bytes:
    """Hundreds of thousands of paragraphs."""
    return body + chance.choice([b"<p>A. Name", b"<li>x, University of Y", b"<br>Abstract"]) * 300_000


def huge_attribute(_: random.Random, body: bytes) -> bytes:
    """An attribute of fifty megabytes."""
    return b"<p class='" + b"x " * (_HUGE // 2) + b"'>" + body


MUTATIONS: dict[str, Mutation] = {
    "tags dropped": drop_tags,
    "ends dropped": drop_ends,
    "tags swapped": swap_tags,
    "cut": cut,
    "bytes changed": flip_bytes,
    "piece repeated": repeat,
    "nested in 10,000 tags": nest,
    "10,000 tags open": nest_lists,
    "random bytes": noise,
    "random markup": markup_noise,
    "script only": script_only,
    "entities": entities,
    "broken JSON": broken_json,
    "thousands of names": many_names,
}
LARGE: dict[str, Mutation] = {
    "50 MB of text": huge_text,
    "300,000 paragraphs": huge_lines,
    "50 MB in an attribute": huge_attribute,
}


def read_pages(pages: Iterable[tuple[str, int, bytes]], at_once: int, failures: Path) -> Iterator[Reading]:
    """Read each page in a copy of this process; yield what it cost, and save those that fail."""
    cases = (((name, n, body), partial(_read_page, body)) for name, n, body in pages)
    for (name, n, body), ending in run_apart(cases, at_once=at_once):
        saved = ""
        if ending.verdict not in FINE:
            saved = f"page-{n}"
            failures.mkdir(parents=True, exist_ok=True)
            (failures / saved).write_bytes(body)
            print(f"{ending.verdict}: page {n}, {name}, {ending.seconds} s, {ending.megabytes} MB {ending.detail}")
        yield Reading(name, n, ending.verdict, ending.seconds, ending.megabytes, ending.detail, saved)


def _read_page(body: bytes) -> str:
    job = {"name": "page", "url": "", "charset": "", "kind": "", "articles_only": False, "taught": ""}
    answer = answer_job({**job, "max_pdf_pages": Read().max_pdf_pages}, body)
    if "error" not in answer:
        return "record"
    return f"traceback\n{answer['hint']}" if answer.get("lost") else "reason"


def summary(done: Sequence[Reading]) -> dict[str, dict[str, Any]]:
    """Counts and the worst costs of each mutation."""
    groups: dict[str, list[Reading]] = {}
    for one in done:
        groups.setdefault(one.mutation, []).append(one)
    return {
        name: {
            "pages": len(group),
            **Counter(one.outcome for one in group),
            "seconds": max(one.seconds for one in group),
            "megabytes": max(one.megabytes for one in group),
        }
        for name, group in groups.items()
    }


if __name__ == "__main__":
    sys.exit(main())
