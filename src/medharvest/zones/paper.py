"""The paper's method: level and tag patterns of a page, and templates of labelled patterns.

`list_text_zones` gives the patterns of a page, `learn_paper_template` keeps those of a labelled page, and
`label_page_by_paper` labels another page by aligning its patterns with the templates.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from medharvest.pages import tree
from medharvest.records import LabelledZone, Page, Verdict, Zone
from medharvest.zones.segmentation import INLINE_TAGS, OpenBlock

# Tags that are kept even without text, each on its own line.
FRAME_TAGS = frozenset({"html", "head", "title", "body"})
HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# Tags that step 5 removes; the list is the paper's.
ELIMINATED_TAGS = frozenset(
    """! a acronym address applet area base basefont bdo bgsound blockquote button caption code col colgroup comment
    custom dd del dfn dir div dl dt embed fieldset form frame frameset iframe img input ins isindex label legend li link
    map marquee menu meta noframes noscript object ol optgroup option param plaintext q rt ruby samp script select span
    style tbody td textarea tfoot th thead tr ul var xml xmp""".split()
)
_SILENT_TAGS = frozenset({"script", "style"})  # their content is not text of the page
_FONT_ATTRIBUTES = ("face", "color", "size")
UNIDENTIFIED = "unidentified"
_MAX_TEMPLATES = 3  # templates that a page is aligned with
# The paper's confidence by the number of pattern kinds that give the label.
_BOTH_AGREE, _ONE_TELLS, _NONE_TELLS = 1.0, 0.5, 0.0
# Zones of a page that are aligned; a page with more is a book, and its front matter is among the first.
MAX_ALIGNED_ZONES = 6_000
# The cost of a step that no taught page has: known patterns in another order within a stop or between two, an unknown
# pattern, an extra zone, a missing zone (more if it has a label), an end where no taught page ends.
(
    _WITHIN_COST,
    _BETWEEN_COST,
    _OTHER_PATTERN_COST,
    _EXTRA_ZONE_COST,
    _MISSING_ZONE_COST,
    _MISSING_LABEL_COST,
    _UNFINISHED_COST,
) = 0.3, 0.5, 1.0, 1.0, 0.7, 1.5, 2.0
_MAX_STOPS_AHEAD = 4  # stops that one step may advance
_BEAM_WIDTH = 24  # paths that are followed at a time
_START_STOP, _TAIL_STOP = ("start",), ("tail",)

# The stop of a zone is its label. A zone without a label has UNIDENTIFIED, the last label, the pattern before, its own
# pattern, and how often this pair occurred since the last label. All zones after the last label are one stop.
TrackStop = tuple[str, ...]
TrackStep = tuple[TrackStop, TrackStop, str, str]  # two stops and the pattern at each


class PatternLine(NamedTuple):
    """One line of a page's patterns: a run of tags, or a text; the text of TITLE is on the line of its tag."""

    levels: str
    tags: str
    text: str = ""


class BlockPlace(NamedTuple):
    """The block that contains a text: the level, tag and path that a `Zone` has too."""

    level: int = 0
    tag: str = ""
    path: str = ""


class TextZone(NamedTuple):
    """A text with the patterns between it and the text before; the attributes of FONT are separate."""

    levels: str
    tags: str
    fonts: str
    text: str
    block: BlockPlace = BlockPlace()


class PatternNode(NamedTuple):
    """A tag or a text that the steps keep; `level` is its depth in the parsed page, 1 for HTML."""

    level: int
    tag: str  # empty for a text
    text: str = ""
    font: str = ""  # `[face,color,size]` of a FONT
    begins: bool = False  # for a text: whether a block opened or closed since the text before it
    block: BlockPlace = BlockPlace()  # of a text


@dataclass(frozen=True, slots=True)
class TaughtZone:
    """A zone of a taught page: its two patterns and its label."""

    levels: str
    tags: str
    label: str


@dataclass(frozen=True, slots=True)
class PaperTemplate:
    """A taught page as the ordered sequence of its zones."""

    page: str
    zones: tuple[TaughtZone, ...]


class Track(NamedTuple):
    """The sequences of taught pages: their steps, the patterns of each stop, the cost of each move, and the ends.

    All zones with the same label are one stop that may repeat: a list may be longer on the next page.
    """

    steps: frozenset[TrackStep]
    patterns: frozenset[tuple[TrackStop, str]]
    onward: dict[TrackStop, dict[TrackStop, float]]
    ends: frozenset[TrackStop]


def list_text_zones(page: Page) -> tuple[TextZone, ...]:
    """Return the text zones of a page in document order; the text of TITLE is not a zone.

    As with `segment`, no block boundary lies inside a zone. Its patterns are those that lead to its first text.
    """
    zones: list[tuple[Sequence[PatternNode], list[PatternNode]]] = []
    for run, text in _split_tag_runs(normalise_html(page.text)):
        if text is None or (run and run[-1].tag == "title"):
            continue
        if text.begins or not zones:
            zones.append((run, [text]))
        else:
            zones[-1][1].append(text)
    return tuple(_make_text_zone(run, texts) for run, texts in zones)


def _make_text_zone(run: Sequence[PatternNode], texts: Sequence[PatternNode]) -> TextZone:
    inner = [node for node in run if node.tag not in FRAME_TAGS]
    return TextZone(
        _join_levels([*inner, texts[0]]),
        ".".join(node.tag.upper() for node in inner),
        ".".join(node.font for node in inner if node.font),
        " ".join(text.text for text in texts),
        texts[0].block,
    )


def list_pattern_lines(page: Page) -> tuple[PatternLine, ...]:
    """Return the patterns of a page line by line, as in figure 2 of the paper."""
    lines = []
    for run, text in _split_tag_runs(normalise_html(page.text)):
        on_its_line = bool(run) and run[-1].tag == "title"
        if run:
            written = text.text if text and on_its_line else ""
            lines.append(
                PatternLine(_join_levels(run), ".".join(node.tag.upper() + node.font for node in run), written)
            )
        if text and not on_its_line:
            lines.append(PatternLine(str(text.level), "", text.text))
    return tuple(lines)


def _split_tag_runs(nodes: Iterable[PatternNode]) -> Iterator[tuple[list[PatternNode], PatternNode | None]]:
    """Yield each unbroken run of tags with the text that follows it; a frame tag is a run by itself."""
    run: list[PatternNode] = []
    for node in nodes:
        if not node.tag:
            yield run, node
            run = []
            continue
        if run and (node.tag in FRAME_TAGS or run[-1].tag in FRAME_TAGS):
            yield run, None
            run = []
        run.append(node)
    if run:
        yield run, None


def _join_levels(nodes: Sequence[PatternNode]) -> str:
    return ".".join(str(node.level) for node in nodes)


def normalise_html(html: str) -> tuple[PatternNode, ...]:
    """Return the kept nodes of a page in document order; texts of removed tags go to the nearest kept tag above."""
    collector = _NodeCollector()
    tree.visit_tags(html, collector)
    return tuple(collector.kept())


class _NodeCollector:
    """Collects nodes, and for each tag whether it contains text."""

    def __init__(self) -> None:
        self.nodes: list[PatternNode] = []
        self.filled: list[bool] = []  # for each node: whether it contains text
        self.holders: list[int] = []  # indices in `nodes` of the open tags that may stay, outermost first
        self.opened: list[bool] = []  # for every open tag: whether it is among them
        self.tables = 0  # open tables
        self.silent = 0  # open tags without text of the page
        self.begins = True
        self.blocks = [OpenBlock("", 0, "", {})]  # open blocks, outermost first

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        """Steps 2, 3 and 5: keep headings; drop tags in a table and those of the list."""
        stays = tag in HEADING_TAGS or not (self.tables or tag in ELIMINATED_TAGS)
        self.opened.append(stays)
        self.tables += tag == "table"
        self.silent += tag in _SILENT_TAGS
        if tag not in INLINE_TAGS:
            self.begins = True
            self.blocks.append(self.blocks[-1].hold(tag, level, {}))
        if stays:
            self.holders.append(len(self.nodes))
            self._append(PatternNode(level, tag, font=_write_font_brackets(tag, attributes)))
        return True

    def text(self, text: str) -> None:
        """Steps 4 and 6: keep every text that is more than white space."""
        words = " ".join(text.split())
        if words and not self.silent:
            block = BlockPlace(self.blocks[-1].level, self.blocks[-1].tag, self.blocks[-1].path)
            node = PatternNode(len(self.opened) + 1, "", words, begins=self.begins, block=block)
            self._append(node, filled=True)
            self._fill()
            self.begins = False

    def close(self, tag: str, level: int) -> None:  # noqa: ARG002
        self.tables -= tag == "table"
        self.silent -= tag in _SILENT_TAGS
        if tag not in INLINE_TAGS:
            self.begins = True
            self.blocks.pop()
        if self.opened.pop():
            self.holders.pop()

    def kept(self) -> Iterator[PatternNode]:
        """Step 7: drop tags without text, except frame tags."""
        pairs = zip(self.nodes, self.filled, strict=True)
        return (node for node, filled in pairs if filled or node.tag in FRAME_TAGS)

    def _append(self, node: PatternNode, *, filled: bool = False) -> None:
        self.nodes.append(node)
        self.filled.append(filled)

    def _fill(self) -> None:
        """Mark every open tag as filled; tags around a filled one are filled already."""
        for place in reversed(self.holders):
            if self.filled[place]:
                return
            self.filled[place] = True


def _write_font_brackets(tag: str, attributes: dict[str, str | None]) -> str:
    if tag != "font":
        return ""
    return f"[{','.join(attributes.get(name) or '' for name in _FONT_ATTRIBUTES)}]"


def learn_paper_template(page: Page, labelled: Iterable[tuple[Zone, str]]) -> PaperTemplate:
    """Make the template of a page whose zones have labels; a text has the label of the zone with its path and text."""
    labels = {(zone.path, _drop_white_space(zone.text)): label for zone, label in labelled}
    zones = list_text_zones(page)
    own = [labels.get((zone.block.path, _drop_white_space(zone.text)), UNIDENTIFIED) for zone in zones]
    return make_paper_template(page.digest, zones, own)


def _drop_white_space(text: str) -> str:
    return "".join(text.split())


def make_paper_template(page: str, zones: Sequence[TextZone], labels: Sequence[str]) -> PaperTemplate:
    """Make a template from the patterns and labels of a page; `page` is its digest."""
    pairs = zip(zones[:MAX_ALIGNED_ZONES], labels, strict=False)
    return PaperTemplate(page, tuple(TaughtZone(zone.levels, zone.tags, label) for zone, label in pairs))


def label_page_by_paper(page: Page, templates: Sequence[PaperTemplate]) -> tuple[LabelledZone, ...]:
    """Label the text zones of a page by the templates of its journal."""
    zones = list_text_zones(page)
    return tuple(
        LabelledZone(Zone(level=zone.block.level, tag=zone.block.tag, path=zone.block.path, text=zone.text), verdict)
        for zone, verdict in zip(zones, label_by_paper_templates(zones, templates), strict=True)
    )


def label_by_paper_templates(zones: Sequence[TextZone], templates: Sequence[PaperTemplate]) -> tuple[Verdict, ...]:
    """Label each zone by the most similar templates; the score is 1.0 if both kinds of pattern agree, else 0.5."""
    alike = _choose_similar_templates(zones, templates)
    if not alike:
        return tuple(Verdict(UNIDENTIFIED, _NONE_TELLS, "none") for _ in zones)
    labels = [[zone.label for zone in template.zones] for template in alike]
    taught_levels = [[zone.levels for zone in template.zones] for template in alike]
    taught_tags = [[zone.tags for zone in template.zones] for template in alike]
    by_levels, _ = follow_track(lay_track(zip(taught_levels, labels, strict=True)), [zone.levels for zone in zones])
    by_tags, _ = follow_track(lay_track(zip(taught_tags, labels, strict=True)), [zone.tags for zone in zones])
    tell_more = len(set().union(*taught_tags)) > len(set().union(*taught_levels))
    beyond = [UNIDENTIFIED] * (len(zones) - len(by_levels))
    pairs = zip([*by_levels, *beyond], [*by_tags, *beyond], strict=True)
    return tuple(_verdict_by_patterns(one, other, tags_tell_more=tell_more) for one, other in pairs)


def _choose_similar_templates(zones: Sequence[TextZone], templates: Sequence[PaperTemplate]) -> list[PaperTemplate]:
    """Return the templates that share most patterns with a page."""
    own = {(zone.levels, zone.tags) for zone in zones}

    def alike(template: PaperTemplate) -> float:
        other = {(zone.levels, zone.tags) for zone in template.zones}
        return len(own & other) / max(1, len(own | other))

    return sorted(templates, key=alike, reverse=True)[:_MAX_TEMPLATES]


def _verdict_by_patterns(by_levels: str, by_tags: str, *, tags_tell_more: bool) -> Verdict:
    """Return the verdict on a zone; of two labels, that of the kind with more distinct patterns wins."""
    if UNIDENTIFIED == by_levels == by_tags:
        return Verdict(UNIDENTIFIED, _NONE_TELLS, "none")
    if by_levels == by_tags:
        return Verdict(by_levels, _BOTH_AGREE, "levels-and-tags")
    if by_levels == UNIDENTIFIED or (tags_tell_more and by_tags != UNIDENTIFIED):
        return Verdict(by_tags, _ONE_TELLS, "tags")
    return Verdict(by_levels, _ONE_TELLS, "levels")


def lay_track(pages: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Track:
    """Build the track of taught pages, each given by its patterns and labels."""
    steps: set[TrackStep] = set()
    onward: dict[TrackStop, dict[TrackStop, float]] = {}
    ends = set()
    for patterns, labels in pages:
        stops = [_START_STOP, *_stops_of_page(patterns[:MAX_ALIGNED_ZONES], labels[:MAX_ALIGNED_ZONES])]
        before = ["", *patterns]
        steps.update(zip(stops, stops[1:], before, before[1:], strict=False))
        ends.add(stops[-1])
        for one, other, cost in _list_moves(stops):
            known = onward.setdefault(one, {})
            known[other] = min(cost, known.get(other, cost))
    return Track(frozenset(steps), frozenset((stop, own) for _, stop, _, own in steps), onward, frozenset(ends))


def _stops_of_page(patterns: Sequence[str], labels: Sequence[str]) -> Iterator[TrackStop]:
    """Yield the stop of each zone of a taught page."""
    named = [i for i, label in enumerate(labels) if label != UNIDENTIFIED]
    last, label, before = named[-1] if named else -1, "", ""
    met: Counter[tuple[str, str]] = Counter()  # since the last label
    for i, pattern in enumerate(patterns):
        if labels[i] != UNIDENTIFIED:
            label = labels[i]
            met.clear()
            yield (label,)
        else:
            met[before, pattern] += 1
            yield (UNIDENTIFIED, label, before, pattern, str(met[before, pattern])) if i < last else _TAIL_STOP
        before = pattern


def _list_moves(stops: Sequence[TrackStop]) -> Iterator[tuple[TrackStop, TrackStop, float]]:
    """Yield the moves from each stop with their cost: to itself, to the next, and past stops that a page may lack."""
    route = [stop for i, stop in enumerate(stops) if i == 0 or stop != stops[i - 1]]
    for i, stop in enumerate(route):
        yield stop, stop, _EXTRA_ZONE_COST if _is_single_zone(stop) else 0.0
        cost = 0.0
        for following in route[i + 1 : i + 1 + _MAX_STOPS_AHEAD]:
            yield stop, following, cost
            cost += _MISSING_ZONE_COST if _is_single_zone(following) else _MISSING_LABEL_COST


def _is_single_zone(stop: TrackStop) -> bool:
    return len(stop) > 1


def follow_track(track: Track, patterns: Sequence[str]) -> tuple[list[str], float]:
    """Return the labels along the cheapest path through a track, and its mean cost per step."""
    paths: dict[TrackStop, float] = {_START_STOP: 0.0}
    came_from: list[dict[TrackStop, TrackStop]] = []
    before = ""
    for pattern in patterns[:MAX_ALIGNED_ZONES]:
        reached: dict[TrackStop, float] = {}
        origin: dict[TrackStop, TrackStop] = {}
        for stop, spent in paths.items():
            for following, toll in track.onward[stop].items():
                cost = spent + toll + _mismatch_cost(track, (stop, following, before, pattern))
                if cost < reached.get(following, cost + 1):
                    reached[following], origin[following] = cost, stop
        paths = dict(heapq.nsmallest(_BEAM_WIDTH, reached.items(), key=lambda path: path[1]))
        came_from.append(origin)
        before = pattern
    end = min(paths, key=lambda stop: paths[stop] + (0.0 if stop in track.ends else _UNFINISHED_COST))
    return _trace_labels(came_from, end), paths[end] / max(1, len(came_from))


def _mismatch_cost(track: Track, step: TrackStep) -> float:
    if step in track.steps:
        return 0.0
    if (step[1], step[3]) not in track.patterns:
        return _OTHER_PATTERN_COST
    return _WITHIN_COST if step[0] == step[1] else _BETWEEN_COST


def _trace_labels(came_from: Sequence[dict[TrackStop, TrackStop]], end: TrackStop) -> list[str]:
    labels = []
    for origin in reversed(came_from):
        labels.append(UNIDENTIFIED if end in (_START_STOP, _TAIL_STOP) else end[0])
        end = origin[end]
    return labels[::-1]
