"""The paper's labeller: a page's zones aligned with those of taught pages, by level-patterns and by tag-patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from medharvest.records import Verdict
from medharvest.zones.alignment import LONGEST, UNIDENTIFIED, follow, lay_track
from medharvest.zones.patterns import TextZone

_CANDIDATES = 3  # taught pages a page is aligned with
_TWO, _ONE, _NONE = 1.0, 0.5, 0.0  # the paper's confidence, by how many kinds of pattern give the label


@dataclass(frozen=True, slots=True)
class TaughtZone:
    """A zone of a taught page: its two patterns and what it holds."""

    levels: str
    tags: str
    label: str


@dataclass(frozen=True, slots=True)
class TaughtPage:
    """A taught page as the ordered sequence of its zones."""

    page: str
    zones: tuple[TaughtZone, ...]


def teach_page(page: str, zones: Sequence[TextZone], labels: Sequence[str]) -> TaughtPage:
    """Keep the patterns of a page with the label of each zone; `page` is its digest."""
    pairs = zip(zones[:LONGEST], labels, strict=False)
    return TaughtPage(page, tuple(TaughtZone(zone.levels, zone.tags, label) for zone, label in pairs))


def label_by_templates(zones: Sequence[TextZone], templates: Sequence[TaughtPage]) -> tuple[Verdict, ...]:
    """Label each zone by the best fitting taught pages: both kinds of pattern agree 1.0, one 0.5, none unidentified."""
    alike = _most_alike(zones, templates)
    if not alike:
        return tuple(Verdict(UNIDENTIFIED, _NONE, "none") for _ in zones)
    labels = [[zone.label for zone in template.zones] for template in alike]
    taught_levels = [[zone.levels for zone in template.zones] for template in alike]
    taught_tags = [[zone.tags for zone in template.zones] for template in alike]
    by_levels, _ = follow(lay_track(zip(taught_levels, labels, strict=True)), [zone.levels for zone in zones])
    by_tags, _ = follow(lay_track(zip(taught_tags, labels, strict=True)), [zone.tags for zone in zones])
    tell_more = len(set().union(*taught_tags)) > len(set().union(*taught_levels))
    beyond = [UNIDENTIFIED] * (len(zones) - len(by_levels))
    pairs = zip([*by_levels, *beyond], [*by_tags, *beyond], strict=True)
    return tuple(_verdict(one, other, tags_tell_more=tell_more) for one, other in pairs)


def _most_alike(zones: Sequence[TextZone], templates: Sequence[TaughtPage]) -> list[TaughtPage]:
    """The taught pages that share most of their patterns with a page."""
    own = {(zone.levels, zone.tags) for zone in zones}

    def alike(template: TaughtPage) -> float:
        other = {(zone.levels, zone.tags) for zone in template.zones}
        return len(own & other) / max(1, len(own | other))

    return sorted(templates, key=alike, reverse=True)[:_CANDIDATES]


def _verdict(by_levels: str, by_tags: str, *, tags_tell_more: bool) -> Verdict:
    """The verdict on a zone; of two labels, that by the kind of which the taught page has more patterns."""
    if UNIDENTIFIED == by_levels == by_tags:
        return Verdict(UNIDENTIFIED, _NONE, "none")
    if by_levels == by_tags:
        return Verdict(by_levels, _TWO, "levels-and-tags")
    if by_levels == UNIDENTIFIED or (tags_tell_more and by_tags != UNIDENTIFIED):
        return Verdict(by_tags, _ONE, "tags")
    return Verdict(by_levels, _ONE, "levels")
