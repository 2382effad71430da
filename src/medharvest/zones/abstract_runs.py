"""Choose the abstract as a whole: many runs of zones are proposed, and boosted trees choose the best of them.

`find_abstract` returns its zones. The trees that judge single zones only propose; the trees that judge runs see how a
run begins and ends, what announces it, and how it agrees with the metadata.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from medharvest.boosted_trees import BoostedTrees, chance_of
from medharvest.records import Verdict, Zone
from medharvest.zones.wording import fold_letters, heading_rank, is_abstract_section, is_prose_text
from medharvest.zones.zone_features import MetadataKeys
from medharvest.zones.zone_numbers import ABSTRACT_WORD, kind_of_heading

Run = tuple[int, ...]  # the paragraphs of a possible abstract, without the headings between them
_MIN_RUN_CHANCE = 0.1  # below it the page has no abstract
_SEEDS = 3  # zones that runs are grown from
_MIN_SEED_CHANCE = 0.03
_GROWTH_CHANCES = (0.6, 0.3, 0.12)  # least probability of a further zone, for a strict, a usual and a generous run
_FULL_PARAGRAPH = 300  # characters; a shorter zone is less likely to be the abstract's longest
_MAX_GAP = 2  # zones between two paragraphs
_MAX_RULED_GAP = 3
_MAX_CUT_ENDS, _MAX_CUT_STARTS = 8, 5  # paragraphs that a run may be cut down to, and that may be cut off its start
_MAX_PARAGRAPHS = 60  # of a run
_MAX_SIBLINGS = 12
_MIN_SIBLING_CHARACTERS = 60
_MAX_RUNS = 60
_SAMPLED_CHARACTERS = 1_500
_FUNCTION_WORDS = {
    "english": "the of and in with was were to",
    "spanish": "el los las que con del una para",
    "french": "les des une dans est pour sur et",
    "german": "der die und mit eine bei wurde von",
    "portuguese": "os dos uma com foi não em ao",
    "italian": "gli della sono nel che degli una con",
}
_LANGUAGES_BY_WORD: Mapping[str, Sequence[str]] = {
    word: [name for name, others in _FUNCTION_WORDS.items() if word in others.split()]
    for words in _FUNCTION_WORDS.values()
    for word in words.split()
}
_SCRIPTS = {"ideographs": ("\u2e80", "\u9fff"), "cyrillic": ("\u0400", "\u04ff"), "arabic": ("\u0600", "\u06ff")}
_OTHER_MATTER = re.compile(
    r"copyright|©|all rights reserved|\bkey ?words?\b|\bdoi:|https?://|cite this|\breceived\b|\baccepted\b|"
    r"\bcorrespond|download|\bpdf\b|licen[cs]e"
)
_MAX_RUN_CHARACTERS = 10_000  # of a run that are looked at; abstracts are shorter
_TAIL = 400  # characters at the end of a run
_REFERENCE_SIGN = re.compile(r"\[\d| et al")
RUN_NUMBERS = tuple(
    """length paragraphs least-chance most-chance mean-chance first-chance last-chance above-chance above2-chance
    below-chance below2-chance near-chance share-of-chances distance gaps parents signatures heading3 heading2 heading1
    ruled ruled-zones of-ruled known-length known-start known-end known language english other-matter-tail other-matter
    stop upper prose next-heading next-rank next-length next-alike next-sibling shortest longest first-length
    last-length linked abstract-word hidden runs sections place references digits""".split()
)


class AbstractPage(NamedTuple):
    """What runs are judged by: the zones, the rules' verdicts, each zone's probability, the title and the metadata."""

    zones: Sequence[Zone]
    rules: Mapping[int, Verdict]
    chances: Mapping[int, float]
    title: int  # -1 if there is none
    known: MetadataKeys


def find_abstract(page: AbstractPage, trees: BoostedTrees) -> dict[int, Verdict]:
    """Return the zones of the abstract and the headings inside it, empty if the page has none."""
    runs = list_abstract_runs(page)
    scored = [(chance_of(trees, numbers), run) for run, numbers in zip(runs, number_runs(page, runs), strict=True)]
    chance, best = max(scored, key=lambda one: one[0], default=(0.0, ()))
    if chance < _MIN_RUN_CHANCE:
        return {}
    return dict(label_run(page.zones, best, chance))


def label_run(zones: Sequence[Zone], run: Run, chance: float) -> Iterator[tuple[int, Verdict]]:
    """Yield the verdicts on a run; short zones between its paragraphs and a section's name above it are headings."""
    for i in run:
        yield i, Verdict("abstract", chance, "abstract-run")
    inside = [i for i in range(run[0] + 1, run[-1]) if i not in run]
    above = [run[0] - 1] if run[0] and is_abstract_section(zones[run[0] - 1].text) else []
    for i in (*above, *inside):
        if is_abstract_section(zones[i].text) or heading_rank(zones[i]):
            yield i, Verdict("heading", chance, "section")


def list_abstract_runs(page: AbstractPage) -> list[Run]:
    """Propose runs: those of the rules, those around the likeliest zones, and all of these cut at either end."""
    found = dict.fromkeys((*_ruled_runs(page.rules), *_grown_runs(page), *_sibling_runs(page)))
    cut = [part for run in found for part in _cut_run(page.zones, run)]
    return list(dict.fromkeys((*found, *cut)))[:_MAX_RUNS]


def _ruled_runs(rules: Mapping[int, Verdict]) -> list[Run]:
    runs: list[list[int]] = []
    for i in sorted(i for i, verdict in rules.items() if verdict.label == "abstract"):
        if runs and i - runs[-1][-1] <= _MAX_RULED_GAP:
            runs[-1].append(i)
        else:
            runs.append([i])
    return [tuple(run) for run in runs]


def _find_seeds(page: AbstractPage) -> list[int]:
    """Return the zones that are most probably paragraphs of the abstract, long ones first."""
    worth = {i: chance * min(1, len(page.zones[i].text) / _FULL_PARAGRAPH) for i, chance in page.chances.items()}
    best = sorted(worth, key=lambda i: -worth[i])[:_SEEDS]
    return [i for i in best if page.chances[i] >= _MIN_SEED_CHANCE]


def _grown_runs(page: AbstractPage) -> Iterator[Run]:
    for seed in _find_seeds(page):
        yield (seed,)
        for least in _GROWTH_CHANCES:
            yield tuple(sorted([*_grow(page.chances, seed, -1, least), seed, *_grow(page.chances, seed, 1, least)]))


def _grow(chances: Mapping[int, float], seed: int, step: int, least: float) -> Iterator[int]:
    """Yield the likely zones on one side of a zone, until too many others come between."""
    i, gap = seed + step, 0
    while i in chances and gap <= _MAX_GAP and abs(i - seed) <= _MAX_PARAGRAPHS:
        gap = 0 if chances[i] > least else gap + 1
        if not gap:
            yield i
        i += step


def _sibling_runs(page: AbstractPage) -> Iterator[Run]:
    """Yield the paragraphs around likely zones that have the same parent, with and without those above."""
    for seed in _find_seeds(page):
        parent = _parent_path(page.zones[seed])
        near = range(max(page.title + 1, seed - _MAX_SIBLINGS), min(seed + _MAX_SIBLINGS, len(page.zones)))
        alike = {
            i: float(_parent_path(page.zones[i]) == parent and len(page.zones[i].text) > _MIN_SIBLING_CHARACTERS)
            for i in near
        }
        below = [seed, *_grow(alike, seed, 1, 0.5)]
        yield tuple(below)
        yield tuple(sorted([*_grow(alike, seed, -1, 0.5), *below]))


def _cut_run(zones: Sequence[Zone], run: Run) -> Iterator[Run]:
    for end in range(1, min(len(run), _MAX_CUT_ENDS)):
        yield run[:end]
    for start in range(1, min(len(run), _MAX_CUT_STARTS)):
        yield run[start:]
    parent = _parent_path(zones[run[0]])
    yield tuple(i for i in run if _parent_path(zones[i]) == parent)


def _parent_path(zone: Zone) -> str:
    return zone.path.rpartition("/")[0]


def number_runs(page: AbstractPage, runs: Sequence[Run]) -> list[list[float]]:
    """Return the vector of each run; `RUN_NUMBERS` names its places."""
    ruled = frozenset(i for i, verdict in page.rules.items() if verdict.label == "abstract")
    total = sum(page.chances.values())
    texts = [" ".join([page.zones[i].text[:_MAX_RUN_CHARACTERS] for i in run])[:_MAX_RUN_CHARACTERS] for run in runs]
    return [
        [
            *_number_chances(page.chances, run, [len(page.zones[i].text) for i in run], total),
            *_number_place(page, run),
            *_number_rules(run, ruled),
            *_number_text(page, run, text),
            *_number_end(page.zones, run),
            *_number_paragraphs(page.zones, run),
            len(runs),
            *_number_sections(page.zones, run, text),
        ]
        for run, text in zip(runs, texts, strict=True)
    ]


def _number_chances(chances: Mapping[int, float], run: Run, lengths: Sequence[int], total: float) -> list[float]:
    own = [chances.get(i, -1.0) for i in run]
    near = [chances.get(i, -1.0) for i in range(run[0] - 3, run[-1] + 4) if i not in run]
    return [
        math.log1p(sum(lengths)),
        len(run),
        min(own),
        max(own),
        sum(chance * length for chance, length in zip(own, lengths, strict=True)) / max(1, sum(lengths)),
        own[0],
        own[-1],
        *(chances.get(i, -1.0) for i in (run[0] - 1, run[0] - 2, run[-1] + 1, run[-1] + 2)),
        max(near, default=0.0),
        sum(own) / max(0.01, total),
    ]


def _number_place(page: AbstractPage, run: Run) -> list[float]:
    zones = page.zones
    above = [kind_of_heading(zones[i]) if i >= 0 else 0 for i in range(run[0] - 3, run[0])]
    return [
        run[0] - page.title,
        run[-1] - run[0] + 1 - len(run),
        len({_parent_path(zones[i]) for i in run}),
        len({zones[i].signature for i in run}),
        *above,
    ]


def _number_rules(run: Run, ruled: frozenset[int]) -> list[float]:
    held = sum(i in ruled for i in run)
    return [held / len(run), len(ruled), held / max(1, len(ruled))]


def _number_text(page: AbstractPage, run: Run, text: str) -> list[float]:
    other = [found.start() for found in _OTHER_MATTER.finditer(text.lower())]
    language = guess_language(text[:_SAMPLED_CHARACTERS])
    own = guess_language(page.zones[page.title].text) if page.title >= 0 else "none"
    return [
        *_compare_known(fold_letters(text), page.known.abstracts),
        language == own,
        language == "english",
        sum([start >= len(text) - _TAIL for start in other]),
        len(other),
        text.rstrip()[-1:] in {".", "。", ")", "!", "?"},
        text[:1].isupper(),
        sum(is_prose_text(page.zones[i].text) for i in run) / len(run),
    ]


def _compare_known(key: str, abstracts: Sequence[str]) -> list[float]:
    """Return the length beside the metadata's abstract, whether both begin and end alike, and whether there is one."""
    if not abstracts:
        return [-1.0, -1.0, -1.0, 0.0]
    known = max(abstracts, key=len)
    return [len(key) / max(1, len(known)), key[:60] in known, key[-40:] in known, 1.0]


def _number_end(zones: Sequence[Zone], run: Run) -> list[float]:
    last = zones[run[-1]]
    if run[-1] + 1 >= len(zones):
        return [-1.0] * 5
    below = zones[run[-1] + 1]
    return [
        kind_of_heading(below),
        heading_rank(below),
        math.log1p(len(below.text)),
        below.signature == last.signature,
        _parent_path(below) == _parent_path(last),
    ]


def _number_paragraphs(zones: Sequence[Zone], run: Run) -> list[float]:
    lengths = [len(zones[i].text) for i in run]
    linked = sum(mark.end - mark.start for i in run for mark in zones[i].marks if mark.tag == "a")
    return [
        min(lengths),
        max(lengths),
        lengths[0],
        lengths[-1],
        linked / max(1, sum(lengths)),
        ABSTRACT_WORD.match(zones[run[0]].text) is not None,
        zones[run[0]].hidden,
    ]


def _number_sections(zones: Sequence[Zone], run: Run, text: str) -> list[float]:
    return [
        sum([is_abstract_section(zones[i].text) for i in range(run[0], run[-1] + 1)]),
        run[0] / len(zones),
        len(_REFERENCE_SIGN.findall(text)),
        sum(map(text.count, "0123456789")) / max(1, len(text)),
    ]


@functools.lru_cache(maxsize=512)
def guess_language(text: str) -> str:
    """Return the language of a text by its function words, else its script; `other` if neither tells."""
    sample = text[:_SAMPLED_CHARACTERS].lower()
    counts = Counter([name for word in sample.split() for name in _LANGUAGES_BY_WORD.get(word, ())])
    best, count = next(iter(counts.most_common(1)), ("", 0))
    if count > 1:
        return best
    return next((name for name, (low, high) in _SCRIPTS.items() if _share_between(sample, low, high) > 0.3), "other")  # noqa: PLR2004


def _share_between(text: str, low: str, high: str) -> float:
    return sum(low <= letter <= high for letter in text) / max(1, len(text))
