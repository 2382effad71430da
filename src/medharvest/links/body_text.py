"""The body text of a page: the lines that a small shipped model takes for running text and not for what is around it.

`body_text(page)` is the text, line by line. `describe_lines(split_lines(page.text))` gives the lines that may belong to
it, with a vector for each: what tells whether a line belongs to it, as numbers; `LINE_FEATURES` names its places.
"""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import resources
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from medharvest.boosted_trees import BoostedTrees, digest_of_data, trees_from_data
from medharvest.errors import InputError
from medharvest.links.blocks import FIXED_TEXT_DISTANCE, MIN_BLOCK_LINKS
from medharvest.links.text_lines import Line, LinedPage, Trait, split_lines
from medharvest.records import Page

_BODY_MODEL_FILE = "body.json"
_CLEAR_LEAD = 3.0  # of the log-odds, after which the other trees rarely change the answer
LINE_FEATURES = (
    "words", "own", "linked_share", "links", "marks", "ends", "word_length", "digits",
    "paragraph", "item", "heading", "list_links",
    "caption", "margin", "related", "byline", "body", "article", "quote", "text", "hidden",
    "outside_body", "outside_article",
    "service", "credit",
    "prose", "in_element", "in_parent", "in_holder", "in_place", "of_kind", "alike",
    "holder_links", "holder_lines", "in_core", "below_core", "beside_core",
    "before", "after", "previous", "previous_share", "next", "next_share", "next_but_one",
    "to_previous", "to_next", "since_title", "since_service",
)  # fmt: skip


_LEAST_OWN_WORDS = 2  # words outside links that a line of the body text has
_LEAST_PROSE_WORDS = 10  # words outside links that make a line prose
_SURE_PROSE_WORDS = 15  # from which a line counts as the text that its neighbours stand beside
_LEAST_BODY_WORDS = 25  # of prose in elements that name themselves body or article; fewer are a caption
_DOUBTED_PROSE = 0.2  # weight of prose in margins and lists of related pages
_MOST_LINES_AWAY = 20
_FAR_WORDS = 10_000
_COMMENT, _BODY, _ARTICLE = map(int, (Trait.COMMENT, Trait.BODY, Trait.ARTICLE))
_DOUBTFUL = int(Trait.RELATED | Trait.MARGIN)
_TRAITS_IN_VECTOR = tuple(
    map(
        int,
        (
            Trait.CAPTION,
            Trait.MARGIN,
            Trait.RELATED,
            Trait.BYLINE,
            Trait.BODY,
            Trait.ARTICLE,
            Trait.QUOTE,
            Trait.TEXT,
            Trait.HIDDEN,
        ),
    )
)
_HEADINGS = frozenset("h2 h3 h4 h5 h6".split())
_CORE_SHARE = 0.6  # of the prose of an element that lies in one child: the core is in there
_PLAIN_CONTAINERS = frozenset("p h1 h2 h3 h4 h5 h6 li blockquote ul ol".split())
_DOUBTS = int(Trait.COMMENT | Trait.RELATED | Trait.CAPTION | Trait.MARGIN | Trait.BYLINE | Trait.HIDDEN)
_DOUBTS_IN_BODY = int(Trait.COMMENT | Trait.RELATED)
_BODY = int(Trait.BODY)
_LEADING_CHARACTERS = 200  # of a line that are searched for wording
_SERVICE_LINE_WORDS = 8  # "Related" and "Share" stand in lines of at most as many words
_MARK = re.compile("[.,;!?\u3001\u3002\uff01\uff0c\uff1b\uff1f]")
_END = re.compile("[.!?:;\u2026\u3002\uff01\uff1f][\\'\"\u201d\u2019\u00bb)\\]]{0,3}$")
_LONGEST_END = 4  # characters that `_END` matches


def _split_phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


# What pages say around their text, in several languages: beginnings of short lines, and parts of any line.
_SERVICE_LINES = _split_phrases(
    """
    share | tweet | email | print | follow | like us | facebook | twitter | whatsapp | pinterest | teilen | partager |
    compartir | compartilhe | поделиться | 分享 | read more | read also | read next | related | see also | more from |
    more on | more in | more stories | more news | also on | recommended | you may | you might | popular | trending |
    most read | most popular | latest | don't miss | don’t miss | up next | watch | mehr zu | lesen sie |
    auch interessant | à lire | lire aussi | voir aussi | leia também | leia mais | veja | lea también | te puede |
    читайте | похож | 相关 | 關連 | 関連 | 推荐 | comment | leave a | kommentar | commentaire | comentario |
    comentário | комментари | 评论 | 댓글
    """
)
_SERVICE_WORDS = _split_phrases(
    """
    © | copyright | all rights reserved | alle rechte | tous droits | reservados | terms of | privacy | cookie |
    subscri | newsletter | sign up | sign in | log in | login | register | mail address | your inbox | advert |
    sponsored | donat | anmelden | abonn | suscr | assine | inscreva | подпис | click here | download the app |
    download our | follow us | contact us
    """
)
_CREDIT_LINES = _split_phrases(
    """
    photo | image | picture | credit | foto | bild | source | quelle | courtesy | getty | file photo | illustration |
    video | фото | 图 | 사진 | автор | posted | published | updated | last updated | written | filed under | tag |
    categor | topics
    """
)
_CREDIT_WORDS = _split_phrases(
    "getty images | photo by | photo: | /reuters | /afp | shutterstock | min read | 기자 | 记者"
)


def mark_count(text: str) -> int:
    """Return the number of punctuation marks of a line."""
    return len(_MARK.findall(text))


def digit_share(text: str) -> float:
    """Return the share of digits in the beginning of a line."""
    beginning = text[:_LEADING_CHARACTERS]
    return sum(map(beginning.count, "0123456789")) / len(beginning)


def ends_sentence(text: str) -> bool:
    """Whether a line ends as sentences do."""
    return _END.search(text, max(0, len(text) - _LONGEST_END)) is not None


def begins_service(text: str, words: int) -> bool:
    """Whether this line announces what is not text: "Related", "Share", "Comments"."""
    return words <= _SERVICE_LINE_WORDS and text.lower().startswith(_SERVICE_LINES)


def find_wording(text: str) -> tuple[bool, bool]:
    """Whether a line offers a service of the site or states its rights, and whether it credits people."""
    beginning = text[:_LEADING_CHARACTERS].lower()
    return (
        _contains_any(beginning, _SERVICE_WORDS) or beginning.startswith(_SERVICE_LINES),
        _contains_any(beginning, _CREDIT_WORDS) or beginning.startswith(_CREDIT_LINES),
    )


def _contains_any(text: str, parts: Sequence[str]) -> bool:
    for part in parts:  # noqa: SIM110  (a generator takes twice as long)
        if part in text:
            return True
    return False


def inherit_traits(page: LinedPage) -> list[int]:
    """Return the traits of each element with those of its ancestors.

    An element that contains the title or the body is none of the things beside the text, whatever its names say.
    """
    holds = _mark_ancestors(page)
    traits = [0] * len(page.names)
    for element, own in enumerate(page.traits):
        refuted = _DOUBTS if holds[element] else _DOUBTS & ~_DOUBTS_IN_BODY if own & _BODY else 0
        traits[element] = own & ~refuted | (traits[page.parents[element]] if element else 0)
    return traits


def _mark_ancestors(page: LinedPage) -> list[bool]:
    """Which elements contain the first title, the main part, or an element that names itself body."""
    holds = [False] * len(page.names)
    titles = [page.names.index("h1")] if "h1" in page.names else []
    bodies = [
        element
        for element, own in enumerate(page.traits)
        if page.names[element] == "main" or (own & _BODY and not own & _DOUBTS_IN_BODY)
    ]
    for element in (*titles, *bodies):
        above = page.parents[element]
        while above >= 0 and not holds[above]:
            holds[above] = True
            above = page.parents[above]
    return holds


def sum_descendants(own: Sequence[float], parents: Sequence[int]) -> list[float]:
    """Return the sums of each element and all its descendants, which come after it."""
    sums = list(own)
    for element in range(len(own) - 1, 0, -1):
        sums[parents[element]] += sums[element]
    return sums


def find_core(inner: Sequence[float], parents: Sequence[int]) -> int:
    """Return the innermost element that still holds most of the prose; its paragraphs hold little each."""
    richest: dict[int, int] = {}
    for element in range(1, len(inner)):
        parent = parents[element]
        if inner[element] > (inner[richest[parent]] if parent in richest else 0):
            richest[parent] = element
    core = 0
    while core in richest:
        child = richest[core]
        if inner[child] < _CORE_SHARE * inner[core] or child not in richest:
            break
        core = child
    return core


def measure_ways_to_core(parents: Sequence[int], core: int) -> tuple[list[int], list[int]]:
    """Return for each element the steps up to the first one that contains the core, and from there to the core."""
    below, beside = [0] * len(parents), [0] * len(parents)
    above = {}
    element, steps = core, 0
    while element >= 0:
        above[element] = steps
        element, steps = parents[element], steps + 1
    for element, parent in enumerate(parents):
        if element in above:
            beside[element] = above[element]
        else:
            below[element], beside[element] = below[parent] + 1, beside[parent]
    return below, beside


def find_holders(page: LinedPage) -> list[int]:
    """Return for each element the nearest one that is no paragraph, heading or list."""
    holders = list(range(len(page.names)))
    for element in range(1, len(page.names)):
        if page.names[element] in _PLAIN_CONTAINERS and page.parents[element] > 0:
            holders[element] = holders[page.parents[element]]
    return holders


class DescribedLines(NamedTuple):
    """The lines that may belong to the body text, and a vector for each."""

    lines: list[Line]
    vectors: list[tuple[float, ...]]


def describe_lines(page: LinedPage) -> DescribedLines:
    """Describe each line with words outside links that is not a reader's comment."""
    traits = inherit_traits(page)
    lines = [line for line in page.lines if not traits[line.element] & _COMMENT]
    view = _PageView(page, traits, lines)
    found = [place for place, line in enumerate(lines) if line.words - line.linked >= _LEAST_OWN_WORDS]
    return DescribedLines([lines[place] for place in found], [view.describe(place) for place in found])


class _PageView:
    """The lines of a page and what is known of each element: how much prose it holds, and where the core of it is."""

    def __init__(self, page: LinedPage, traits: Sequence[int], lines: Sequence[Line]) -> None:
        self.page, self.traits, self.lines = page, traits, lines
        self.prose = [_count_prose(line) for line in lines]
        self.own_prose = [0.0] * len(page.names)
        for line, prose in zip(lines, self.prose, strict=True):
            doubted = traits[line.element] & _DOUBTFUL
            self.own_prose[line.element] += prose * _DOUBTED_PROSE if doubted else prose
        self.inner_prose = sum_descendants(self.own_prose, page.parents)
        self.total = self.inner_prose[0] or 1.0
        self.core = find_core(self.inner_prose, page.parents)
        self.below, self.beside = measure_ways_to_core(page.parents, self.core)
        self.holders = find_holders(page)
        self._count_groups()
        self.prose_before = [0, *accumulate(self.prose)]
        self.block_links = _count_block_links(lines)
        self.to_previous = _count_lines_since(self.prose, range(len(lines)))
        self.to_next = _count_lines_since(self.prose, range(len(lines) - 1, -1, -1))
        self.titles = next((n for n, line in enumerate(lines) if page.names[line.element] == "h1"), -1)
        self.since_service = self._count_prose_since_service()
        self.has_body = self._holds_prose(_BODY)
        self.has_article = self._holds_prose(_ARTICLE)

    def _count_groups(self) -> None:
        """Count the words, links and prose of each holder, and the prose of lines of one kind."""
        self.kinds: dict[tuple[str, int, str], int] = defaultdict(int)
        self.alike: dict[tuple[int, str], int] = defaultdict(int)
        size = len(self.page.names)
        self.holder_prose, self.holder_words = [0] * size, [0] * size
        self.holder_linked, self.holder_lines = [0] * size, [0] * size
        self.line_kinds = []
        names, parents, traits = self.page.names, self.page.parents, self.page.traits
        for line, prose in zip(self.lines, self.prose, strict=True):
            element = line.element
            holder = self.holders[element]
            self.holder_prose[holder] += prose
            self.holder_words[holder] += line.words
            self.holder_linked[holder] += line.linked
            self.holder_lines[holder] += 1
            kind = (names[element], traits[element], names[parents[element]])
            self.line_kinds.append(kind)
            self.kinds[kind] += prose
            self.alike[holder, names[element]] += 1

    def _holds_prose(self, trait: int) -> bool:
        inside = (n for line, n in zip(self.lines, self.prose, strict=True) if self.traits[line.element] & trait)
        return sum(inside) >= _LEAST_BODY_WORDS

    def _count_prose_since_service(self) -> list[int]:
        """For each line, the words of prose since a line such as "Related" or "Share"; many if there is none."""
        since, found = _FAR_WORDS, []
        for line, prose in zip(self.lines, self.prose, strict=True):
            if begins_service(line.text, line.words):
                since = 0
            found.append(min(since, _FAR_WORDS))
            since += prose
        return found

    def describe(self, place: int) -> tuple[float, ...]:
        """The numbers of a line."""
        line = self.lines[place]
        text, words, linked, links, element = line
        name, traits, total = self.page.names[element], self.traits[element], self.total
        parent, holder = self.page.parents[element], self.holders[element]
        return (
            words,
            words - linked,
            linked / words,
            links,
            mark_count(text) / words,
            ends_sentence(text),
            len(text) / words,
            digit_share(text),
            name == "p",
            name == "li",
            name in _HEADINGS,
            self.block_links[place],
            *[traits & trait != 0 for trait in _TRAITS_IN_VECTOR],
            self.has_body and not traits & _BODY,
            self.has_article and not traits & _ARTICLE,
            *find_wording(text),
            self.prose[place],
            self.own_prose[element] / total,
            self.inner_prose[parent] / total if parent >= 0 else 1,
            self.inner_prose[holder] / total,
            self.holder_prose[holder] / total,
            self.kinds[self.line_kinds[place]] / total,
            self.alike[holder, name],
            self.holder_linked[holder] / self.holder_words[holder],
            self.holder_lines[holder],
            self.beside[element] == 0,
            self.below[element],
            self.beside[element],
            self.prose_before[place] / total,
            (self.prose_before[-1] - self.prose_before[place + 1]) / total,
            *self._describe_neighbour(place - 1),
            *self._describe_neighbour(place + 1),
            self.prose[place + 2] if place + 2 < len(self.lines) else -1,
            self.to_previous[place],
            self.to_next[place],
            place - self.titles if self.titles >= 0 else 99,
            self.since_service[place],
        )

    def _describe_neighbour(self, place: int) -> tuple[float, float]:
        """The words outside links of a line beside, and the share of its words in links."""
        if not 0 <= place < len(self.lines):
            return -1, -1
        line = self.lines[place]
        return line.words - line.linked, line.linked / line.words if line.words else 0


def _count_prose(line: Line) -> int:
    own = line.words - line.linked
    return own if own >= _LEAST_PROSE_WORDS and own > line.linked else 0


def _count_block_links(lines: Sequence[Line]) -> list[int]:
    """For each line the links of the link block that it is in; 0 outside blocks."""
    found, first, links, gap = [0] * len(lines), 0, 0, 0
    for place, line in enumerate(lines):
        gap += (line.words - line.linked) // (line.links + 1)
        if gap >= FIXED_TEXT_DISTANCE:
            _mark_block(found, first, place, links)
            first, links, gap = place, 0, 0
        if line.links:
            links, gap = links + line.links, 0
    _mark_block(found, first, len(lines), links)
    return found


def _mark_block(found: list[int], first: int, after: int, links: int) -> None:
    if links >= MIN_BLOCK_LINKS:
        found[first:after] = [links] * (after - first)


def _count_lines_since(prose: Sequence[int], order: range) -> list[int]:
    """For each line, how many lines away the next one in the other direction is that is surely prose."""
    away, found = _MOST_LINES_AWAY, [0] * len(prose)
    for place in order:
        found[place] = away
        away = 1 if prose[place] >= _SURE_PROSE_WORDS else min(_MOST_LINES_AWAY, away + 1)
    return found


class BodyModel(NamedTuple):
    """Trees that give the log-odds of a line, from which log-odds a line is kept, and what they were trained on.

    The second limit is that of a line beside a kept one, under the same parent or grandparent.
    """

    trees: BoostedTrees
    limits: tuple[float, float]
    card: Mapping[str, Any]


def body_text(page: Page, model: BodyModel | None = None) -> str:
    """Return the running text of a page, line by line; without a model, the shipped one judges."""
    trees, limits, _ = model or shipped_body_model()
    lined = split_lines(page.text)
    lines, vectors = describe_lines(lined)
    scores = [_score_line(trees, vector) for vector in vectors]
    kept = _keep_lines(scores, [_family_of(lined, line.element) for line in lines], limits)
    return "\n".join(line.text for line, own in zip(lines, kept, strict=True) if own)


def _score_line(trees: BoostedTrees, vector: Sequence[float]) -> float:
    """The log-odds of a line; trees that can hardly change the answer are left out."""
    numbers = [*map(float, vector)]
    total = 0.0
    for done, (step,) in enumerate(trees.steps):
        total += step.of(numbers)
        if done and abs(total) > _CLEAR_LEAD:
            break
    return total


def _family_of(lined: LinedPage, element: int) -> tuple[int, int]:
    """The parent and the grandparent of an element."""
    parent = lined.parents[element]
    return parent, lined.parents[parent]


def _keep_lines(
    scores: Sequence[float], families: Sequence[tuple[int, int]], limits: tuple[float, float]
) -> list[bool]:
    """Which lines are kept: lines of one family that stand side by side vouch for each other."""
    sure = [score > limits[0] for score in scores]
    kept = list(sure)
    for place, (one, other) in enumerate(pairwise(families)):
        if sure[place] != sure[place + 1] and not set(one).isdisjoint(other):
            doubtful = place + sure[place]
            kept[doubtful] = kept[doubtful] or scores[doubtful] > limits[1]
    return kept


@functools.cache
def shipped_body_model() -> BodyModel:
    """Return the model that comes with the package."""
    file = resources.files("medharvest.links") / "data" / _BODY_MODEL_FILE
    return read_body_model(file.read_text(encoding="utf-8"), name=_BODY_MODEL_FILE)


def read_body_model(text: str, *, name: str) -> BodyModel:
    """Read a model from JSON; raise InputError if it is not one, or was changed."""
    try:
        data = json.loads(text)
        stated = data.pop("digest")
        model = BodyModel(trees_from_data(data), (float(data["limits"][0]), float(data["limits"][1])), data["card"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"not a model of body text: {name}", name=name) from error
    if stated != digest_of_data(data):
        hint = "its digest does not match its content"
        raise InputError(f"model of body text was changed: {name}", name=name, hint=hint)
    if model.trees.features != LINE_FEATURES:
        raise InputError(f"model of body text has other numbers: {name}", name=name, hint="train it again")
    return model


def write_body_model(data: Mapping[str, Any], *, limits: tuple[float, float], card: Mapping[str, Any]) -> str:
    """Return trees, as plain data, as the JSON text of a model."""
    whole = {**data, "limits": list(limits), "card": dict(card)}
    return json.dumps({"digest": digest_of_data(whole), **whole}, ensure_ascii=False, separators=(",", ":")) + "\n"
