"""Which links of a page are articles on a journal nobody taught: the shipped model, and what holds on every site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from medharvest.links.captions import Caption
from medharvest.links.features import Described, describe
from medharvest.links.judge import is_trap
from medharvest.links.model import LinkModel, shipped_model
from medharvest.links.popular import in_popular
from medharvest.links.promise import promised_kinds
from medharvest.links.targets import IMAGE
from medharvest.links.taught import Guess
from medharvest.records import Link, Page

METHOD = "zero-shot"
_LIKELY = 0.5
_NEVER = 0.005  # a link ruled out is no article, whatever the model says
_OFTEN = 4  # an address with more links on the page is rarely an article's
_SHARED = 0.75  # how much a link without telling words is what a title to the same address is


def judge_zero_shot(page: Page, links: Sequence[Link], model: LinkModel | None = None) -> tuple[Guess, ...]:
    """For each link how probable it is an article, and the kind it then promises; without a model, the shipped one."""
    return guess(links, describe(page, links), model or shipped_model())


def guess(links: Sequence[Link], described: Described, model: LinkModel) -> tuple[Guess, ...]:
    """What a model says of links that were described."""
    margins = margins_of(links, described, model)
    chances = [_NEVER if margin is None else model.probability(margin) for margin in margins]
    kinds = promised_kinds(described, [chance > _LIKELY for chance in chances])
    return tuple(zip(chances, kinds, strict=True))


def margins_of(links: Sequence[Link], described: Described, model: LinkModel) -> list[float | None]:
    """The margin of each link, before any calibration; None for one that is ruled out."""
    out = ruled_out(links, described)
    agreed = _agreed(described, model.margins(described.vectors), out)
    return [None if no else margin for no, margin in zip(out, agreed, strict=True)]


def ruled_out(links: Sequence[Link], described: Described) -> list[bool]:
    """Links that are no article of the page: to no other page, seen by nobody, to a whole issue, in a box of most read.

    A picture over an address that is called an issue elsewhere on the page leads to that issue too.
    """
    issues = {target.url for target, shown in zip(described.targets, described.captions, strict=True) if shown.whole}
    popular = in_popular(described.places, described.standings)
    return [
        not target.leaves
        or place.hidden
        or (is_trap(link) and target.ending != IMAGE)  # figures are shown by their thumbnails, which a style may draw
        or (target.url in issues and not shown.title)
        or boxed
        for link, target, shown, place, boxed in zip(
            links, described.targets, described.captions, described.places, popular, strict=True
        )
    ]


def _agreed(described: Described, margins: list[float], out: list[bool]) -> list[float]:
    """Margins once links to one address have agreed: what says little is drawn to what says most there."""
    links = Counter(target.url for target in described.targets)
    best: dict[str, float] = {}
    for target, shown, margin, no in zip(described.targets, described.captions, margins, out, strict=True):
        if not no and _tells(shown) and links[target.url] <= _OFTEN:
            best[target.url] = max(margin, best.get(target.url, margin))
    return [
        max(margin, _SHARED * best.get(target.url, margin) + (1 - _SHARED) * margin) if not shown.service else margin
        for target, shown, margin in zip(described.targets, described.captions, margins, strict=True)
    ]


def _tells(shown: Caption) -> bool:
    return bool(shown.title or shown.form)
