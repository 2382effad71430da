"""Link blocks beside a parser's time, and body texts beside trafilatura, readability and resiliparse.

.venv/bin/python -m bench.blocks --corpus DIR [--rounds 5]      writes bench/results/blocks.json
.venv/bin/python -m bench.render                                renders the tables of the docs from it

All contenders run in one process and take turns at every page. The texts of our own are those of models that did not
learn from the site of the page, which needs the extra `train`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

from bench.contenders import CACHE, ROOT
from bench.crawl import output

from medharvest.evaluate.page_sets import load_all_articles, load_block_folder
from training.body_models import train_shipped_body_model

RESULT = ROOT / "bench" / "results" / "blocks.json"
PEERS = CACHE / "bench-text-venv"


def main() -> None:
    """Run every contender on every page of a corpus and write the raw figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default=os.environ.get("MEDHARVEST_CORPUS"), help="folder with blocks/")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    if not given.corpus:
        parser.error("name a corpus with --corpus or MEDHARVEST_CORPUS")
    prepare_peers()
    command = [
        str(PEERS / "bin" / "python"),
        str(ROOT / "bench" / "peers" / "texts.py"),
        given.corpus,
        str(given.rounds),
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    measured = json.loads(done.stdout)
    measured["texts"]["medharvest"] = score_own_texts(Path(given.corpus))
    versions = {"python": ".".join(map(str, sys.version_info[:3])), **measured.pop("versions")}
    result = {
        "command": f"python -m bench.blocks --rounds {given.rounds}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": versions,
        **measured,
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {given.result}")


def score_own_texts(corpus: Path) -> dict[str, float]:
    """The figures of our own texts, of models that did not learn from the site of the page."""
    articles = load_all_articles(corpus) if (corpus / "articles").is_dir() else ()
    _, result = train_shipped_body_model(load_block_folder(corpus), articles, progress=lambda _done, _total: None)
    return dict(result.figures)


def prepare_peers() -> None:
    """Make the environment of the peers, once: the extractors beside the locked packages of our own."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    wanted = [line for line in groups["bench"] if not line.startswith("scrapy")]
    locked = re.findall(r"^[\w.-]+==[^\s;]+", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    made, stamp = PEERS / ".made", "\n".join([*wanted, *locked])
    if made.exists() and made.read_text(encoding="utf-8") == stamp:
        return
    venv.create(PEERS, clear=True)
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(PEERS / "bin" / "python")]
    subprocess.run([*install, *wanted, *locked], check=True)
    made.write_text(stamp, encoding="utf-8")


if __name__ == "__main__":
    main()
