"""A generated site of any size: random words, a deep tree, navigation repeated on every page, many duplicate links.

.venv/bin/python bench/sites.py FOLDER [--pages 3000]
"""

from __future__ import annotations

import argparse
import hashlib
import html
import random
import shutil
from pathlib import Path

START = "/index.html"
ROBOTS = "User-agent: *\nDisallow: /closed/\n"
_SECTIONS = 24
_FAN = 3  # children of a page in the tree that reaches every page
_NAVIGATION, _FOOTER = 46, 22  # links that every page repeats
_LINKS = 143  # of a page, on average
_BYTES = (24_000, 128_000, 40_000)  # least, greatest and most frequent size of a page: 64,000 on average
_NEAR = 40  # pages a link may lead away from its own in the order of the tree
_FRAGMENTS = 0.02  # share of the links that lead to a part of a page
_STARTS = "b bl br c ch cl d dr f fl g gr h j k kr l m n p pl qu r s st t tr v w z".split()
_SYLLABLES = [start + vowel + end for start in _STARTS for vowel in "a e i o u y ea io".split() for end in " nsrltxm"]


def main() -> None:
    """Write the site."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=3000)
    given = parser.parse_args()
    make_site(given.folder, given.pages)


def make_site(folder: Path, pages: int, *, seed: int = 7) -> None:
    """Write the site into a folder, unless it is there already."""
    site, made = Site(pages, seed=seed), folder / ".made"
    stamp = f"{pages} {hashlib.sha256(site.page(1).encode()).hexdigest()}\n"
    if made.exists() and made.read_text(encoding="utf-8") == stamp:
        return
    shutil.rmtree(folder, ignore_errors=True)
    for section in range(_SECTIONS):
        (folder / f"s{section:02d}").mkdir(parents=True)
    for n in range(pages):
        (folder / site.path(n)[1:]).write_text(site.page(n), encoding="utf-8")
    (folder / "robots.txt").write_text(ROBOTS, encoding="utf-8")
    made.write_text(stamp, encoding="utf-8")


class Site:
    """A site of so many pages: a tree that reaches all of them, below navigation that every page repeats."""

    def __init__(self, pages: int, *, seed: int = 7) -> None:
        self.pages = pages
        self._seed = seed
        chance = random.Random(seed)  # noqa: S311  (the same site every time)
        self._words = [_word(chance) for _ in range(4000)]
        # Few words are frequent and most are rare, and much is said again: it compresses as articles' pages do, to
        # 24 % at level 4 of zlib.
        weights = [1 / rank for rank in range(1, len(self._words) + 1)]
        self._text = " ".join(chance.choices(self._words, weights, k=3000))
        lengths = [chance.randint(4, 8) for _ in range(pages)]
        self._titles = [" ".join(chance.choices(self._words, k=length)).capitalize() for length in lengths]

    def path(self, n: int) -> str:
        """The address of a page on its server."""
        return f"/s{n % _SECTIONS:02d}/{self._words[n % len(self._words)]}-{n}.html" if n else START

    def page(self, n: int) -> str:
        """A page: the same one every time."""
        chance = random.Random(self._seed * 1_000_003 + n)  # noqa: S311
        size = int(chance.triangular(*_BYTES))
        above = self._above(n, chance)
        below = ["</main><footer>", *(self._link(one, chance) for one in range(min(self.pages, _FOOTER))), "</footer>"]
        links = _LINKS - sum(part.count("<a ") for part in above + below) + chance.randint(-30, 30)
        text = [self._paragraph(n, chance) for _ in range(links)]
        rest = size - sum(map(len, above + text + below))
        text += [f"<p>{self._piece(chance, 900)}</p>" for _ in range(max(0, rest) // 908)]
        return "\n".join([*above, *text, *below, "</body></html>\n"])

    def _above(self, n: int, chance: random.Random) -> list[str]:
        """The head, the navigation, the way down from the first page, and the children in the tree."""
        shared = range(min(self.pages, _NAVIGATION))
        children = range(_FAN * n + 1, min(_FAN * n + _FAN + 1, self.pages))
        title = self._titles[n]
        return [
            f'<!DOCTYPE html>\n<html lang="und"><head><meta charset="utf-8"><title>{title}</title></head><body>',
            '<nav class="main"><ul>',
            *(f'<li class="item">{self._link(one, chance, "nav-link")}</li>' for one in shared),
            '</ul></nav><div class="trail">',
            *(self._link(one, chance) for one in self._trail(n)),
            f"</div><main><h1>{title}</h1>",
            *(f"<h2>{self._link(one, chance, 'title')}</h2><p>{self._link(one, chance)}</p>" for one in children),
        ]

    def _trail(self, n: int) -> list[int]:
        trail = [n]
        while trail[0]:
            trail.insert(0, (trail[0] - 1) // _FAN)
        return trail

    def _paragraph(self, n: int, chance: random.Random) -> str:
        near = min(max(0, n + chance.randint(-_NEAR, _NEAR)), self.pages - 1)
        return f'<p class="text">{self._piece(chance, 60)} {self._link(near, chance)} {self._piece(chance, 60)}</p>'

    def _link(self, n: int, chance: random.Random, css: str = "") -> str:
        path = self.path(n)
        href = path if css or not path.startswith("/s") else f"../{path[1:]}"
        part = "#part" if chance.random() < _FRAGMENTS else ""
        attribute = f' class="{css}"' if css else ""
        return f'<a href="{href}{part}"{attribute}>{html.escape(self._titles[n])}</a>'

    def _piece(self, chance: random.Random, length: int) -> str:
        start = chance.randrange(len(self._text) - length)
        return self._text[start : start + length].strip().capitalize() + "."


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))).replace(" ", "")


if __name__ == "__main__":
    main()
