"""Our crawl beside Scrapy and wget: CPU and memory of each on a generated site, and whether all fetch the same pages.

.venv/bin/python -m bench.crawl [--pages 3000] [--rounds 3]      writes bench/results/crawl.json
.venv/bin/python -m bench.render                                 renders the tables of the docs from it

Every server and every contender runs in a process of its own on the loopback address and stops by itself.
What was fetched is what the server's log says.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.contenders import CACHE, IDIOMATIC, OURS, PEERS, ROOT, TUNED, WGET, crawl, prepare_peers
from bench.journals import compare
from bench.sites import START, make_site

RESULT = ROOT / "bench" / "results" / "crawl.json"


def main() -> None:
    """Run every contender once a round and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    prepare_peers()
    site = CACHE / f"bench-site-{given.pages}"
    make_site(site, given.pages)
    # Emptied at the end only: for some seconds after files were deleted, new ones cost many times as much on ext4.
    work = Path(tempfile.mkdtemp(prefix="bench-work-", dir=CACHE))
    result = {
        "command": f"python -m bench.crawl --pages {given.pages} --rounds {given.rounds}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": versions(),
        "pages": given.pages,
        "runs": interleaved(site, given.rounds, work),
        "journals": list(compare(work)),
    }
    shutil.rmtree(work)
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def interleaved(site: Path, rounds: int, work: Path) -> dict[str, list[dict[str, Any]]]:
    """What each contender cost and fetched, by name; one that is not installed is left out."""
    there = [one for one in (OURS, IDIOMATIC, TUNED, WGET) if shutil.which(one.command("", Path())[0])]
    runs: dict[str, list[dict[str, Any]]] = {one.name: [] for one in there}
    for n in range(rounds):
        for one in there:
            done = crawl(one, site, START, work / str(n) / one.name)
            pages = set(done.paths)
            row = {**asdict(done.cost), "requests": len(done.paths), "pages": len(pages), "digest": digest(pages)}
            runs[one.name].append(row)
            print(f"{one.name}: {row}", flush=True)
    return runs


def digest(paths: set[str]) -> str:
    """A set of paths in one word: equal for equal sets."""
    return hashlib.sha256("\n".join(sorted(paths)).encode()).hexdigest()


def versions() -> Mapping[str, str]:
    """The version of every contender and of what it mainly stands on."""
    ours = {name: importlib.metadata.version(name) for name in ("aiohttp", "selectolax", "ada-url")}
    told = {
        "medharvest": output(sys.executable, "-m", "medharvest", "--version"),
        "scrapy": output(str(PEERS / "bin" / "scrapy"), "version"),
        "wget": output("wget", "--version") if shutil.which("wget") else "",
        "nginx": output("/usr/sbin/nginx", "-v") if Path("/usr/sbin/nginx").exists() else "",
    }
    numbers = {name: found.group() for name, text in told.items() if (found := re.search(r"\d[\w.]+", text))}
    return {"python": ".".join(map(str, sys.version_info[:3])), **numbers, **ours}


def output(*command: str) -> str:
    """What a command prints."""
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    main()
