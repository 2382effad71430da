"""The crawlers that are compared: how each is started, and one crawl of one of them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Cost, measure
from bench.servers import asked, serving

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
PEERS = CACHE / "bench-venv"
LIMIT = 900.0  # seconds for one contender; the slowest takes a third of that on a busy machine
# The loopback address may be asked 16 times at once; only the last page ends the crawl; no peer reads articles either.
ENVIRONMENT = {
    "MEDHARVEST_FETCH_ALLOW_PRIVATE": "1",
    "MEDHARVEST_FETCH_PER_HOST": "16",
    "MEDHARVEST_CRAWL_MAX_DEPTH": "1000",
    "PYTHONPATH": str(ROOT / "src"),
}


@dataclass(frozen=True, slots=True)
class Contender:
    """A crawler: its command for a URL and a folder it may fill, and the statuses it ends with when all is well."""

    name: str
    command: Callable[[str, Path], list[str]]
    statuses: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Crawled:
    """A crawl: the address it began with, what it cost, and the paths of the pages that the server's log has."""

    start: str
    cost: Cost
    paths: list[str]


def crawl(contender: Contender, site: Path | None, path: str, folder: Path) -> Crawled:
    """Let a contender crawl a site, or the bundled journals, from a path on; what it writes lands in the folder."""
    folder.mkdir(parents=True)
    own = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    with serving(site, folder / "log", limit=LIMIT + 60) as url:
        command = contender.command(url + path, folder)
        cost = measure(command, limit=LIMIT, environment={**ENVIRONMENT, **own}, statuses=contender.statuses)
    return Crawled(url + path, cost, asked(folder / "log"))


def medharvest(url: str, folder: Path) -> list[str]:
    """Our own crawl: SQLite state, WARC and robots.txt, by the constraint sets alone."""
    options = "--links constraints --workers 16 --delay 0 --max-pages 1000000 --no-read --quiet".split()
    places = ["--into", str(folder / "run"), "--store", f"sqlite:///{folder / 'store.db'}"]
    return [sys.executable, "-m", "medharvest", "issue", url, *options, *places]


def scrapy(spider: str) -> Callable[[str, Path], list[str]]:
    """A spider of bench/peers."""
    return lambda url, _: [str(PEERS / "bin" / "python"), str(ROOT / "bench" / "peers" / f"{spider}.py"), url]


def wget(url: str, folder: Path) -> list[str]:
    """Wget with one connection; it has no other way."""
    return ["wget", "--recursive", "--level=inf", "--quiet", f"--directory-prefix={folder}", url]


def archiving_wget(url: str, folder: Path) -> list[str]:
    """Wget with an archive of its own; with suffixes no page has the name of a folder."""
    return [*wget(url, folder), "--adjust-extension", f"--warc-file={folder / 'wget'}"]


OURS = Contender("medharvest", medharvest)
IDIOMATIC = Contender("Scrapy, idiomatic", scrapy("idiomatic"))
TUNED = Contender("Scrapy, tuned", scrapy("tuned"))
RULED = Contender("Scrapy, our rule", scrapy("ruled"))
WGET = Contender("wget -r", wget)
ARCHIVING_WGET = Contender("wget -r --warc-file", archiving_wget, statuses=(0, 8))  # 8: a page was not found


def prepare_peers() -> None:
    """Make the environment of the peers, once: Scrapy beside the locked packages of our own."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    wanted = [line for line in groups["bench"] if line.startswith("scrapy")]
    locked = re.findall(r"^[\w.-]+==[^\s;]+", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    made, stamp = PEERS / ".made", "\n".join([*wanted, *locked])
    if made.exists() and made.read_text(encoding="utf-8") == stamp:
        return
    venv.create(PEERS, clear=True, with_pip=True)
    subprocess.run([PEERS / "bin" / "python", "-m", "pip", "install", "--quiet", *wanted, *locked], check=True)
    made.write_text(stamp, encoding="utf-8")
