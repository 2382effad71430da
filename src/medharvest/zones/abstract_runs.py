"""Choose the abstract as a whole: many runs of zones are proposed, and boosted trees choose the best of them.

`find_abstract` returns its zones. The trees that judge single zones only propose; the trees that judge runs see how a
run begins and ends, what announces it, and how it agrees with the metadata.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from medharvest.boosted_trees import BoostedTrees, log_odds_of, shares_of
from medharvest.records import Verdict, Zone
from medharvest.zones.known_values import MetadataKeys
from medharvest.zones.wording import (
    ABSTRACT_WORD,
    NO_LANGUAGE,
    fold_letters,
    guess_language,
    heading_key,
    heading_rank,
    is_abstract_section,
    is_prose_text,
    may_be_same_language,
)
from medharvest.zones.zone_numbers import kind_of_heading

Run = tuple[int, ...]  # the paragraphs of a possible abstract, without the headings between them
# Of the mean of the probability that any of the runs is right and that of the zones of the best; below it the page has
# no abstract.
_MIN_BOTH_CHANCE = 0.45
_MIN_RUN_CHANCE = 0.15  # of a run that may tell the language of the page
_LEAST_MEAN = 0.05  # probability of the zones of a run; a lower one counts as this
_SEEDS = 3  # zones that runs are grown from
_MIN_SEED_CHANCE = 0.03
_GROWTH_CHANCES = (0.6, 0.3, 0.12)  # least probability of a further zone, for a strict, a usual and a generous run
_FULL_PARAGRAPH = 300  # characters; a shorter zone is less likely to be the abstract's longest
_SECTION_REACH = 8  # zones above and below a run in which further sections are looked for
_SECTION_SEARCH = 300  # zones below the title in which sections are looked for
_SECTION_STEP = 2  # from a heading to the next one
_MIN_SECTIONS = 3
_MAX_GAP = 2  # zones between two paragraphs
_MAX_RULED_GAP = 3
_MAX_CUT_ENDS, _MAX_CUT_STARTS = 8, 5  # paragraphs that a run may be cut down to, and that may be cut off its start
_MAX_PARAGRAPHS = 60  # of a run
_MAX_SIBLINGS = 12
_MIN_SIBLING_CHARACTERS = 60
_MAX_RUNS = 60
_OTHER_MATTER = re.compile(
    # By first letters: faster than by boundaries of words.
    r"copyright|cite this|c(?<!\wc)orrespond|©|all rights reserved|a(?<!\wa)c(?:cepted|eptado)\b|k(?<!\wk)ey ?words?\b|"
    r"d(?<!\wd)oi:|download|https?://|r(?<!\wr)ec(?:eived|ibido|ebido)\b|licen[cs]e|p(?<!\wp)df\b|palabras clave|"
    r"palavras-chave"
)
# One of these is in each such text: tested first, because it is faster.
_OTHER_MATTER_SIGNS = tuple(
    """copyright|©|rights reserved|keyword|key word|doi:|http|cite this|received|accepted|correspond|download|pdf|licen|
    recibido|aceptado|recebido|palabras clave|palavras-chave""".replace("\n    ", "").split("|")
)
_MAX_RUN_CHARACTERS = 10_000  # of a run that are looked at; abstracts are shorter
_TAIL = 400  # characters at the end of a run
_REFERENCE_SIGN = re.compile(r"\[\d| et al")
RUN_NUMBERS = tuple(
    """length paragraphs least-chance most-chance mean-chance first-chance last-chance above-chance
    above2-chance below-chance below2-chance near-chance share-of-chances distance gaps parents signatures
    heading3 heading2 heading1 sections-above sections-below alike-above alike-below ruled ruled-zones of-ruled
    known-length known-start known-end known language english other-matter-tail other-matter stop upper prose
    next-heading next-rank next-length next-alike next-sibling shortest longest first-length last-length linked
    abstract-word hidden runs sections place references digits""".split()
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
    shares = shares_of([log_odds_of(trees, numbers) for numbers in number_runs(page, runs)])
    means = {run: max(_LEAST_MEAN, _mean_chance(page, run)) for run in runs}
    likely = sorted(zip(shares, runs, strict=True), key=lambda one: -one[0] * math.sqrt(means[one[1]]))
    if not likely or math.sqrt(sum(shares) * means[likely[0][1]]) < _MIN_BOTH_CHANCE:
        return {}
    language = _find_language(page, [run for share, run in likely if share >= _MIN_RUN_CHANCE])
    own = (one for one in likely if may_be_same_language(language, guess_language(_text_of_run(page.zones, one[1]))))
    share, best = next(own, likely[0])
    method = "abstract-agreed" if best in _ruled_runs(page.rules) else "abstract-run"
    return dict(label_run(page.zones, best, share, method))


def _mean_chance(page: AbstractPage, run: Run) -> float:
    """Return the mean probability of the zones of a run, by their lengths."""
    lengths = [len(page.zones[i].text) for i in run]
    return sum(page.chances.get(i, 0.0) * length for i, length in zip(run, lengths, strict=True)) / max(1, sum(lengths))


def _is_announced(rules: Mapping[int, Verdict], run: Run) -> bool:
    """Whether rules say of all zones of a run that they are the abstract."""
    return all(i in rules and rules[i].label == "abstract" for i in run)


def _find_language(page: AbstractPage, runs: Iterable[Run]) -> str:
    """Return the language of the record: that of the title, else that of the first announced abstract.

    Where a page has abstracts in two languages, that of the record comes first.
    """
    title = guess_language(page.zones[page.title].text) if page.title >= 0 else NO_LANGUAGE
    if title != NO_LANGUAGE:
        return title
    first = min((run for run in runs if _is_announced(page.rules, run)), default=None)
    return NO_LANGUAGE if first is None else guess_language(_text_of_run(page.zones, first))


def _text_of_run(zones: Sequence[Zone], run: Run) -> str:
    return " ".join(zones[i].text for i in run)


def label_run(
    zones: Sequence[Zone], run: Run, chance: float, method: str = "abstract-run"
) -> Iterator[tuple[int, Verdict]]:
    """Yield the verdicts on a run; short zones between its paragraphs and a section's name above it are headings."""
    for i in run:
        yield i, Verdict("abstract", chance, method)
    inside = [i for i in range(run[0] + 1, run[-1]) if i not in run]
    above = [run[0] - 1] if run[0] and is_abstract_section(zones[run[0] - 1].text) else []
    for i in (*above, *inside):
        if is_abstract_section(zones[i].text) or heading_rank(zones[i]):
            yield i, Verdict("heading", chance, "section")


def list_abstract_runs(page: AbstractPage) -> list[Run]:
    """Propose runs: those of the rules, those around the likeliest zones, and all of these cut at either end."""
    found = dict.fromkeys((*_ruled_runs(page.rules), *_grown_runs(page), *_sibling_runs(page), *_section_runs(page)))
    filled = (_fill_run(page, run) for run in found)
    single = (part for run in filled for part in _split_at_announcements(page.rules, run))
    whole = dict.fromkeys(part for run in single for part in _split_by_language(page.zones, run))
    cut = [part for run in whole for part in _cut_run(page.zones, run)]
    runs = list(dict.fromkeys((*whole, *cut)))[:_MAX_RUNS]
    return [
        run for run in runs if not (_repeats_sections(page.zones, run) or _is_cut_through_sections(page, run, whole))
    ]


def _repeats_sections(zones: Sequence[Zone], run: Run) -> bool:
    """Whether a run has two sections of one name: then it goes on into the body of the article."""
    inside = (zones[i].text for i in range(max(0, run[0] - 1), run[-1]) if i not in run)
    names = [heading_key(text) for text in inside if is_abstract_section(text)]
    return len(set(names)) < len(names)


def _is_cut_through_sections(page: AbstractPage, run: Run, others: Iterable[Run]) -> bool:
    """Whether a run lacks sections of an announced abstract that has them all."""
    if not any(_number_other_sections(page.zones, run)[2:]):
        return False
    return any(
        set(run) < set(other)
        and _is_announced(page.rules, other)
        and not any(_number_other_sections(page.zones, other)[2:])
        for other in others
    )


def _ruled_runs(rules: Mapping[int, Verdict]) -> list[Run]:
    """Return the runs that rules announce; a heading that announces something begins another one."""
    runs: list[list[int]] = []
    for i in sorted(i for i, verdict in rules.items() if verdict.label == "abstract"):
        near = runs and i - runs[-1][-1] <= _MAX_RULED_GAP
        if near and not _count_announcements(rules, runs[-1][-1] + 1, i):
            runs[-1].append(i)
        else:
            runs.append([i])
    return [tuple(run) for run in runs]


def _section_runs(page: AbstractPage) -> Iterator[Run]:
    """Yield the paragraphs below headings of structured abstracts that follow one another, each with a paragraph."""
    zones, run, last = page.zones, list[int](), -1
    for i in range(page.title + 1, min(len(zones), page.title + _SECTION_SEARCH)):
        if not is_abstract_section(zones[i].text):
            continue
        if i - last != _SECTION_STEP:
            if len(run) >= _MIN_SECTIONS:
                yield tuple(run)
            run = []
        run.append(i + 1)
        last = i
    if len(run) >= _MIN_SECTIONS and run[-1] < len(zones):
        yield tuple(run)


def _count_announcements(rules: Mapping[int, Verdict], start: int, end: int) -> int:
    """Return the number of headings in a range that announce an abstract, keywords, references and so on."""
    return sum([i in rules and rules[i].method == "announced" for i in range(start, end)])


def _fill_run(page: AbstractPage, run: Run) -> Run:
    """Return a run with all that its range holds by rule or below the heading of a section, however short it is."""
    inside = range(run[0], run[-1] + 1)
    more = [
        i
        for i in inside
        if (i in page.rules and page.rules[i].label == "abstract")
        or (i > run[0] and is_abstract_section(page.zones[i - 1].text) and not is_abstract_section(page.zones[i].text))
    ]
    return tuple(sorted({*run, *more}))


def _split_by_language(zones: Sequence[Zone], run: Run) -> Iterator[Run]:
    """Yield the parts of a run that are each in one language: an abstract is not followed by its translation."""
    part, language = [run[0]], guess_language(zones[run[0]].text)
    for i in run[1:]:
        own = guess_language(zones[i].text)
        if NO_LANGUAGE not in {own, language} and own != language:
            yield tuple(part)
            part = []
        part.append(i)
        language = language if own == NO_LANGUAGE else own
    yield tuple(part)


def _split_at_announcements(rules: Mapping[int, Verdict], run: Run) -> Iterator[Run]:
    """Yield the parts of a run between headings that announce something: two abstracts may follow one another."""
    part = [run[0]]
    for before, i in pairwise(run):
        if _count_announcements(rules, before + 1, i):
            yield tuple(part)
            part = []
        part.append(i)
    yield tuple(part)


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
    while gap <= _MAX_GAP and abs(i - seed) <= _MAX_PARAGRAPHS:
        gap = 0 if chances.get(i, 0.0) > least else gap + 1
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
    texts = [" ".join([page.zones[i].text[:_MAX_RUN_CHARACTERS] for i in run])[:_MAX_RUN_CHARACTERS] for run in runs]
    parts = [_find_part(page, run) for run in runs]
    return [
        [
            *_number_chances(part, run, [len(page.zones[i].text) for i in run]),
            *_number_place(page, run),
            *_number_rules(run, ruled & part.keys()),
            *_number_text(page, run, text),
            *_number_end(page.zones, run),
            *_number_paragraphs(page.zones, run),
            len(runs),
            *_number_sections(page.zones, run, text),
        ]
        for run, text, part in zip(runs, texts, parts, strict=True)
    ]


def _find_part(page: AbstractPage, run: Run) -> dict[int, float]:
    """Return the probabilities of the zones around a run, up to the headings that announce something else."""
    announced = [i for i, verdict in page.rules.items() if verdict.method == "announced"]
    start = max((i for i in announced if i <= run[0]), default=-1)
    end = min((i for i in announced if i > run[-1]), default=len(page.zones))
    return {i: chance for i, chance in page.chances.items() if start < i < end}


def _number_chances(chances: Mapping[int, float], run: Run, lengths: Sequence[int]) -> list[float]:
    total = sum(chances.values())
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
        *_number_other_sections(zones, run),
    ]


def _number_other_sections(zones: Sequence[Zone], run: Run) -> list[int]:
    """Return how many headings of structured abstracts stand above and below a run, and how many look like its own.

    An abstract has all of its sections.
    """
    above, inside, below = (
        [zones[i].signature for i in places if is_abstract_section(zones[i].text)]
        for places in (
            range(max(0, run[0] - 1 - _SECTION_REACH), max(0, run[0] - 1)),
            range(max(0, run[0] - 1), run[-1]),
            range(run[-1] + 1, min(len(zones), run[-1] + 1 + _SECTION_REACH)),
        )
    )
    alike = (sum([signature in inside for signature in others]) for others in (above, below))
    return [len(above), len(below), *alike]


def _number_rules(run: Run, ruled: frozenset[int]) -> list[float]:
    held = sum(i in ruled for i in run)
    return [held / len(run), len(ruled), held / max(1, len(ruled))]


def _number_text(page: AbstractPage, run: Run, text: str) -> list[float]:
    small = text.lower()
    named = any(map(small.__contains__, _OTHER_MATTER_SIGNS))
    other = [found.start() for found in _OTHER_MATTER.finditer(small)] if named else []
    language = guess_language(text)
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
