"""Scores `blocks`: the body text against what people say it is, beside the sweeps over thresholds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from medharvest.evaluate.counts import mean_of
from medharvest.evaluate.labelled import by_fold, digest, try_each
from medharvest.evaluate.results import Result, Table, fold_note, fold_table, number
from medharvest.evaluate.sweeps import SWEEPS, run_sweeps, sweep_table
from medharvest.links.bodytext import body_text
from medharvest.pages import parse_page

if TYPE_CHECKING:
    from medharvest.evaluate.block_pages import BlocksPage, BlockTruth
    from medharvest.evaluate.labelled import Progress

_TOKEN = re.compile(
    "[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7fb\uf900-\ufaff]|"
    "[^\\W_\u3041-\u30ff\u3400-\u9fff\uac00-\ud7fb\uf900-\ufaff]++"
)


class Overlap(NamedTuple):
    """How well two texts agree by their tokens."""

    f1: float
    precision: float
    recall: float


def score_blocks(pages: Sequence[BlocksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score the body text of content pages, and run the sweeps over all pages.

    `f1`, `precision` and `recall` are means over pages whose body text is known; `kept` and `left_out` are the shares
    of the snippets that belong to a text and are in it, and of those that do not and are not.
    """
    known = [page for page in pages if page.truth.body or page.truth.include or page.truth.exclude]
    texts, failures = try_each(known, page_text, nothing="", progress=progress)
    whole = [(page, text) for page, text in zip(known, texts, strict=True) if page.truth.body]
    overlaps = [overlap(text, page.truth.body) for page, text in whole]
    groups = by_fold([page for page, _ in whole], [one.f1 for one in overlaps], folds) if folds and whole else {}
    sweeps = run_sweeps(pages, progress)
    return Result(
        stage="blocks",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=tuple(text_figures([page.truth for page in known], texts)),
        tables=(
            *(sweep_table(sweep, sweeps[sweep.name]) for sweep in SWEEPS if sweep.name in sweeps),
            *([_worst(whole, overlaps)] if whole else []),
            *([fold_table(folds, {name: mean_of(group) for name, group in groups.items()})] if groups else []),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def page_text(page: BlocksPage) -> str:
    """The body text of a page as `blocks --text` gives it."""
    return body_text(parse_page(page.body, url=page.url, charset=page.encoding, name=page.id))


def overlap(text: str, truth: str) -> Overlap:
    """Compare two texts as bags of tokens: words in any case, CJK characters each."""
    found, wanted = (Counter(_TOKEN.findall(one.lower())) for one in (text, truth))
    common = (found & wanted).total()
    if not common:
        return Overlap(0.0, 0.0, 0.0)
    return Overlap(2 * common / (found.total() + wanted.total()), common / found.total(), common / wanted.total())


def text_figures(truths: Sequence[BlockTruth], texts: Sequence[str]) -> list[tuple[str, float]]:
    """The figures of texts that somebody's extractor gave, as far as their truths tell."""
    pairs = list(zip(truths, map(_level, texts), strict=True))
    overlaps = [overlap(text, truth.body) for truth, text in pairs if truth.body]
    means = zip(Overlap._fields, zip(*overlaps, strict=True), strict=False)  # none where no body text is known
    kept = [_level(one) in text for truth, text in pairs for one in truth.include]
    left = [_level(one) not in text for truth, text in pairs for one in truth.exclude]
    shares = [(name, marks) for name, marks in (("kept", kept), ("left_out", left)) if marks]
    return [(name, mean_of(values)) for name, values in (*means, *shares)]


def _level(text: str) -> str:
    return " ".join(text.split())


def _worst(whole: Sequence[tuple[BlocksPage, str]], overlaps: Sequence[Overlap], most: int = 5) -> Table:
    rows = sorted((one.f1, page.id, one) for (page, _), one in zip(whole, overlaps, strict=True))[:most]
    return Table(("worst pages", "F1", "P", "R"), tuple((name, *map(number, one)) for _, name, one in rows))
