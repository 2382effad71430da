"""Label the lines of a page that may name people in several ways, each of which is then read as a whole.

A way trusts one labeller or the other, all of the page or its front, lists of lines that are written alike, labels in
front of lines, or the form of a line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from medharvest.citations.affiliations import find_affiliation_label
from medharvest.citations.byline import read_listed_names, splits_into_name_and_place
from medharvest.citations.people_numbers import PeoplePage
from medharvest.pages.word_lists import COUNTRY_NAME, names_institution
from medharvest.records import LabelledZone, Verdict, Zone

PEOPLE_LABELS = ("author", "affiliation", "both")  # in the order of a zone's chances
VERDICTS, TREES = "verdicts", "trees"  # the ways that trust one labeller in all
_MIN_SPLIT_CHANCE = 0.1  # least probability of people in a line that has a name and a place
_MIN_LIST_CHANCE = 0.25  # mean probability of a list of lines that are written alike
_LIST_GAP = 6  # zones between two lines of a list, such as a pop-up
_NUMBERS = re.compile(r"\d+")
_ITEM_TAGS = frozenset({"li", "dd", "dt", "td", "address"})
_NAMED_BLOCK = re.compile(r"[.#][^/]*$")  # a signature whose own block has a class or id
_ANNOUNCED_CHANCE = 0.5  # of a line with a label in front
_MAX_ANNOUNCED = 60  # such lines of a page

Labels = Mapping[int, Verdict]  # by place of the zone


def list_people_labellings(zones: Sequence[LabelledZone], page: PeoplePage) -> dict[str, Labels]:
    """Return the labels of the people's zones by way of reading."""
    verdicts = {i: zone.verdict for i, zone in enumerate(zones) if zone.verdict.label in PEOPLE_LABELS}
    trees, low, high = (
        _label_by_chances(page, *least) for least in ((0.5, 0.5, 0.5), (0.25, 0.2, 0.2), (0.7, 0.7, 0.7))
    )
    split = _split_lines(page)
    return {
        VERDICTS: verdicts,
        TREES: trees,
        "low": low,
        "high": high,
        "front": _front(trees, page),
        "low front": _front(low, page),
        "verdicts front": _front(verdicts, page),
        "verdict authors": {**_places(trees), **_authors(verdicts)},
        "tree authors": {**_places(verdicts), **_authors(trees)},
        "front authors": {**_places(_back(trees, page)), **_authors(_front(trees, page))},
        "front authors low": {**_places(_back(low, page)), **_authors(_front(trees, page))},
        "low places": {**_places(low), **_authors(trees)},
        "low authors": {**_places(trees), **_authors(low)},
        "split": {**trees, **split},
        "form": _label_by_form(page, low),
        "announced": {**_authors(trees), **_find_announced_places(page)},
        **_label_by_lists(page),
        "split low": {**low, **split},
    }


def _label_by_lists(page: PeoplePage) -> dict[str, dict[int, Verdict]]:
    """Return the labels where lines that are written alike have one label, of all such lists and of the likeliest ones.

    One line of a list may look like something else, and lines elsewhere may look like people.
    """
    lists = _find_lists(page)
    means = {place: [_mean_chance(page, own, label) for label in range(3)] for place, own in enumerate(lists)}
    best = {place: max(range(3), key=own.__getitem__) for place, own in means.items()}
    listed = {
        i: Verdict(PEOPLE_LABELS[best[place]], means[place][best[place]], _method_at(page, i))
        for place, own in enumerate(lists)
        if means[place][best[place]] >= _MIN_LIST_CHANCE
        for i in own
    }
    chosen = set()
    for label in range(3):
        found = [place for place in best if best[place] == label and lists[place][0] in listed]
        chosen |= {max(found, key=lambda place: means[place][label])} if found else set()
    first = {i: verdict for i, verdict in listed.items() if any(i in lists[place] for place in chosen)}
    return {"lists": listed, "likeliest lists": first}


def _find_lists(page: PeoplePage) -> list[list[int]]:
    """Return the lines that may hold people, grouped if they follow one another closely and are written alike."""
    lists: list[list[int]] = []
    open_lists: dict[str, list[int]] = {}  # by how their lines are written
    for i, zone in enumerate(page.zones):
        if not zone.chances:
            continue
        kind = _kind_of_line(zone.zone)
        near = open_lists.get(kind)
        if near is None or i - near[-1] > _LIST_GAP:
            near = []
            lists.append(near)
            if kind:
                open_lists[kind] = near
        near.append(i)
    return lists


def _kind_of_line(zone: Zone) -> str:
    """Return how a line is written; empty if neither a class nor a list tells its block from other paragraphs."""
    told = zone.tag in _ITEM_TAGS or _NAMED_BLOCK.search(zone.signature)
    return f"{_NUMBERS.sub('', zone.signature)} {zone.tag}" if told else ""


def _mean_chance(page: PeoplePage, lines: Sequence[int], label: int) -> float:
    return sum(page.chances(i)[label] for i in lines) / len(lines)


def _method_at(page: PeoplePage, i: int) -> str:
    return "people-back" if i > page.behind else "people"


def _label_by_chances(page: PeoplePage, *least: float) -> dict[int, Verdict]:
    """Return the zones whose likeliest label is as likely as it must be."""
    out = {}
    for i, zone in enumerate(page.zones):
        if zone.chances:
            best = max(range(3), key=zone.chances.__getitem__)
            if zone.chances[best] >= least[best]:
                out[i] = Verdict(PEOPLE_LABELS[best], zone.chances[best], _method_at(page, i))
    return out


def _split_lines(page: PeoplePage) -> Labels:
    """Return the lines in the front that begin with a name and go on with a place."""
    return {
        i: Verdict("both", sum(zone.chances), "people")
        for i, zone in enumerate(page.zones[: page.end])
        if zone.chances and sum(zone.chances) >= _MIN_SPLIT_CHANCE and splits_into_name_and_place(zone.zone)
    }


def _label_by_form(page: PeoplePage, labels: Labels) -> Labels:
    """Return the labels, with those zones as affiliations that name an institution and nobody."""
    return {
        i: Verdict("affiliation", verdict.score, verdict.method)
        if verdict.label != "affiliation" and _is_place_alone(page.zones[i].zone)
        else verdict
        for i, verdict in labels.items()
    }


def _is_place_alone(zone: Zone) -> bool:
    return names_institution(zone.text) and not any(read_listed_names(zone))


def _find_announced_places(page: PeoplePage) -> Labels:
    """Return the lines that begin with a label such as `Author affiliations`, and those below such a label alone."""
    found: dict[int, Verdict] = {}
    below = False
    for i, one in enumerate(page.zones):
        lead = find_affiliation_label(one.zone.text)
        rest = len(one.zone.text) - lead
        if (lead and rest) or (below and not lead and _names_place(one.zone.text)):
            found[i] = Verdict("affiliation", _ANNOUNCED_CHANCE, _method_at(page, i))
        below = (lead > 0 or (below and i in found)) and len(found) < _MAX_ANNOUNCED
    return found


def _names_place(text: str) -> bool:
    return names_institution(text) or COUNTRY_NAME.search(text) is not None


def _front(labels: Labels, page: PeoplePage) -> Labels:
    return {i: verdict for i, verdict in labels.items() if i < page.end}


def _back(labels: Labels, page: PeoplePage) -> Labels:
    return {i: verdict for i, verdict in labels.items() if i > page.behind}


def _authors(labels: Labels) -> Labels:
    return {i: verdict for i, verdict in labels.items() if verdict.label != "affiliation"}


def _places(labels: Labels) -> Labels:
    return {i: verdict for i, verdict in labels.items() if verdict.label != "author"}
