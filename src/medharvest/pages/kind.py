"""Tell the kind of a page by an ordered list of rules: the first that matches decides.

`classify(page)` gives a verdict with kind, score and rule; `classify_fully` adds the scores of the other kinds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from medharvest.pages import tree
from medharvest.pages.metadata import embedded
from medharvest.pages.page import is_pdf, parse_page
from medharvest.pages.word_lists import ABSTRACT_OR_BODY_HEADING, BODY_HEADING
from medharvest.records import Kind, MetaItem, Page, Verdict

_SHORT_PAGE_CHARS = 2_500  # a login wall or an error page has little text
_TERSE_PAGE_CHARS = 1_200  # longer pages may have a cookie banner or a captcha form beside their content
_MAX_HEADING_CHARS = 300  # characters of a heading that are examined
_TOP_OF_PAGE_CHARS = 3_000  # characters in which a contents page names its issue
_FULL_TEXT_CHARS = 12_000  # with the headings of an article, a page this long is more than its abstract
_MAX_CHARS_EXAMINED = 12_100  # characters of text that the rules examine
_MISSING_PAGE_TEXT = re.compile(
    r"\b(?:page|article|document|content|file)\b[^.]{0,60}\b(?:(?:not|n't|cannot|no longer)\b[^.]{0,25}"
    r"(?:found|exist|available|located)|has moved|missing)|"
    # the number alone may be a page number
    r"\b(?:error|http|status)\W{0,3}404\b|\b404\W{0,3}(?:error|not found|page)\b|^\W*404\W*$",
    re.IGNORECASE,
)
_LOGIN_TEXT = re.compile(r"\b(?:log ?in|sign ?in|password|subscri\w+|purchase|register)\b", re.IGNORECASE)
# Walls between a reader and the page, each with the phrases that reveal it.
_ACCEPT_TERMS = r"(?:accept|agree to|allow|consent to|enable) (?:all |our |the )?(?:use of )?(?:cookies|terms)"
_WALL_PHRASES = {
    "challenge": (
        r"just a moment",
        r"(?:checking|verifying)(?: if| that)? (?:your browser|your connection|the site connection|you)",
        r"(?:check|confirm|ensure|prove|sure|verify)(?: that)? you(?:['’]re| are) (?:an? |not a )?(?:human|robot|real)",
        r"are you (?:a )?(?:human|robot)",
        r"i(?:['’]m| am) not a robot",
        r"(?:automated|suspicious|unusual) (?:activity|requests?|traffic)",
        r"(?:complete|solve) the (?:captcha|challenge|security check)",
        r"(?:enable|turn on) (?:javascript and cookies|cookies and javascript) to continue",
        r"attention required",
        r"(?:human verification|security check)",
    ),
    "denied": (
        r"access (?:to (?:this|the) (?:page|resource|site|website) (?:has been|is|was) )?(?:blocked|denied)",
        r"you (?:are|have been|were) blocked",
        r"(?:ip|ip address|request) (?:has been|is|was) (?:blocked|denied|rejected)",
    ),
    "consent": (
        r"before you continue",
        rf"{_ACCEPT_TERMS} (?:before|in order to|to)",
        rf"(?:have to|must|need to|please) {_ACCEPT_TERMS}",
        r"cookies (?:are|must be|need to be) (?:accepted|allowed|enabled|required)",
    ),
}
_WALL_PATTERNS = {
    name: re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE) for name, words in _WALL_PHRASES.items()
}
_CAPTCHA_TAG = re.compile(r"<(?:button|div|form|iframe|img|input)\b[^<>]*captcha", re.IGNORECASE)
_PICTURE_BYTES = re.compile(
    rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|BM.{4}\0\0\0\0|II\*\0|MM\0\*|RIFF.{4}WEBP|.{4}ftyp(?:avif|heic)|"
    rb"\s*(?:<\?xml[^<]{0,200})?(?:<!--.{0,500}?-->\s*)?(?:<!DOCTYPE svg[^>]{0,300}>\s*)?<svg\b",
    re.DOTALL,
)
_CONTENTS_TEXT = re.compile(
    r"\btable of contents\b|\bin this issue\b|\b(?:vol(?:ume)?\.?|number|issue|no\.?)\s*\(?(?:\d+|[IVXLC]+\b)",
    re.IGNORECASE,
)
# In a heading these mean a contents page too; in a menu they only lead to one.
_CONTENTS_HEAD = re.compile(rf"{_CONTENTS_TEXT.pattern}|\bcurrent issue\b|\b(?:19|20)\d\d \(#\d+\)", re.IGNORECASE)
# The `<title>` of a page that names the form of the article, between the separators of its parts.
_TITLE_PART = r"(?:^|[-–|:])\s*(?:{})\s*(?:$|[-–|:])"
_TITLE_SAYS = {
    Kind.ABSTRACT: re.compile(_TITLE_PART.format("abstract"), re.IGNORECASE),
    Kind.FULLTEXT: re.compile(_TITLE_PART.format(r"[\w ]{0,20}\bfull[- ]?text(?: html)?"), re.IGNORECASE),
}
_FORM_LINK_TEXT = re.compile(r"\W*(?:abstract|summary|full ?text|full article|html|pdf)\b.{0,20}", re.IGNORECASE)
_ABSTRACT_HEADING = re.compile(r"abstract|summary|résumé|zusammenfassung|resumen|摘要", re.IGNORECASE)
_REFERENCES_HEADING = re.compile(r"references(?: and notes)?|literature cited|bibliography|works cited|参考文献")
_MANY_TITLES = 5  # titles on a contents page; also the words that make a text read like a title
_SOME_TITLES = 3  # titles on a contents page if a heading says that it is one
_MANY_FORMS = 6  # links to abstracts and PDFs; the page of one article has fewer
_MIN_PARAGRAPH_WORDS = 40  # words that make a paragraph prose, not a caption or a notice
_MANY_PARAGRAPHS = 10  # paragraphs of prose on a page that is more than an abstract
_FEW_PARAGRAPHS = 5  # paragraphs of prose; an abstract page has fewer
_NEWS_TYPE = re.compile(r"News|Blog|Posting")  # other pages that have a headline
_ABSTRACT_NAMES = frozenset({"citation_abstract", "dc.description", "description", "abstract"})


class _PageSigns:
    """The properties of a page that the rules test, each computed when a rule first asks for it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._document = tree.HtmlDocument(page.text)
        self._items = embedded(page)

    @cached_property
    def _marked(self) -> tuple[tuple[str, str], ...]:
        """The tags and texts of titles, headings and bold texts: one query takes as long as each of several."""
        found = self._document.tagged_texts("title, h1, h2, h3, h4, h5, h6, b, strong")
        return tuple([(tag, text[:_MAX_HEADING_CHARS]) for tag, text in found])

    def _heads(self, *tags: str) -> tuple[str, ...]:
        return tuple([text for tag, text in self._marked if tag in tags])

    def has(self, css: str) -> bool:
        """Whether a selector matches anything."""
        return self._document.has(css)

    def mentions(self, tag: str) -> bool:
        """Whether the code of a page contains the name of a tag: faster than `has`."""
        return tag in self._page.text or tag.upper() in self._page.text

    @cached_property
    def text(self) -> str:
        """The beginning of the visible text."""
        return self._document.plain_text(_MAX_CHARS_EXAMINED)

    @cached_property
    def short(self) -> bool:
        """Whether a page has so little text that it may be a wall or an error page."""
        return len(self._document.plain_text(_SHORT_PAGE_CHARS)) < _SHORT_PAGE_CHARS

    @cached_property
    def title(self) -> str:
        """The `<title>`."""
        return next(iter(self._heads("title")), "")

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The `<title>` and the larger headings."""
        return self._heads("title", "h1", "h2", "h3")

    @cached_property
    def minor(self) -> tuple[str, ...]:
        """The smaller headings."""
        return self._heads("h4", "h5", "h6")

    @cached_property
    def bold(self) -> tuple[str, ...]:
        """The bold texts."""
        return self._heads("b", "strong")

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the embedded values."""
        return frozenset(item.name for item in self._items)

    @cached_property
    def described(self) -> bool:
        """Whether the embedded metadata describe an article."""
        return _is_described(self._items)

    @cached_property
    def captcha(self) -> bool:
        """Whether the page has a captcha."""
        return bool(_CAPTCHA_TAG.search(self._page.text))

    @cached_property
    def _links(self) -> tuple[str, ...]:
        return self._document.texts("a")

    @cached_property
    def titles(self) -> int:
        """How many list entries, or links, read like titles."""
        entries = self._document.texts("h3, h4, h5, dt, li a, td a")
        return max(map(_count_titles, (entries, self._links)))

    @cached_property
    def forms(self) -> int:
        """How many links are called abstract, full text or PDF."""
        return sum(bool(_FORM_LINK_TEXT.fullmatch(text)) for text in self._links)

    @cached_property
    def paragraphs(self) -> int:
        """How many paragraphs are prose."""
        return sum(len(text.split()) >= _MIN_PARAGRAPH_WORDS for text in self._document.texts("p"))

    def heads(self, pattern: re.Pattern[str]) -> int:
        """How many different headings, in heading tags or bold, fully match a pattern."""
        keys = {_normalise_heading(head) for head in (*self.headings, *self.bold)}
        return sum(bool(pattern.fullmatch(key)) for key in keys)

    def announces_abstract(self) -> bool:
        """Whether a heading of any size announces an abstract."""
        return any(
            _ABSTRACT_HEADING.fullmatch(_normalise_heading(head)) for head in (*self.headings, *self.bold, *self.minor)
        )


def _normalise_heading(heading: str) -> str:
    return heading.lower().lstrip("0123456789. ").rstrip(" :.")


@dataclass(frozen=True, slots=True)
class ScoredKind:
    """The verdict about a page, and the score of each kind, that of the verdict first; the rest goes to `other`."""

    verdict: Verdict
    scores: tuple[tuple[Kind, float], ...]


def classify(page: Page) -> Verdict:
    """Tell the kind of a page by its content; the score is roughly how often the rule is right on labelled pages."""
    return classify_fully(page).verdict


def find_page_kind(page: Page) -> Kind:
    """Return only the kind of a page; faster than `classify`, since no rule is tested after the first that matches."""
    if page.media_type == "application/pdf":
        return Kind.PDF
    signs = _PageSigns(page)
    return next((Kind(verdict.label) for verdict, fits in _KIND_RULES if fits(signs)), Kind.OTHER)


def classify_fully(page: Page) -> ScoredKind:
    """Tell the kind of a page, and the probability of every other kind."""
    if page.media_type == "application/pdf":
        return _certain_kind(Kind.PDF, "media-type")
    signs = _PageSigns(page)
    return _share_scores([verdict for verdict, fits in _KIND_RULES if fits(signs)])


def classify_bytes(body: bytes, *, url: str = "", charset: str = "", name: str = "") -> ScoredKind:
    """Tell the kind of a file, pictures included; a PDF is not opened. Raise `InputError` for any other content."""
    if is_pdf(body):
        return _certain_kind(Kind.PDF, "magic")
    if _PICTURE_BYTES.match(body):
        return _certain_kind(Kind.IMAGE, "magic")
    return classify_fully(parse_page(body, url=url, charset=charset, name=name))


def _certain_kind(kind: Kind, method: str) -> ScoredKind:
    return ScoredKind(Verdict(kind, 1.0, method), ((kind, 1.0),))


def _share_scores(found: list[Verdict]) -> ScoredKind:
    """Give the first rule its score, and each later rule its score of what is left."""
    scores: dict[Kind, float] = {}
    left = 1.0
    for verdict in found:
        kind = Kind(verdict.label)
        scores[kind] = scores.get(kind, 0.0) + left * verdict.score
        left *= 1 - verdict.score
    scores[Kind.OTHER] = scores.get(Kind.OTHER, 0.0) + left
    first = found[0] if found else Verdict(Kind.OTHER, 1.0, "none")
    verdict = Verdict(first.label, _NO_RULE_SCORE if not found else scores[Kind(first.label)], first.method)
    return ScoredKind(verdict, tuple((kind, round(score, 4)) for kind, score in scores.items()))


def _is_described(items: tuple[MetaItem, ...]) -> bool:
    news = any(item.name == "@type" and _NEWS_TYPE.search(item.value) for item in items)
    return any(item.name == "citation_title" or (item.name == "headline" and not news) for item in items)


def _count_titles(texts: tuple[str, ...]) -> int:
    return sum(len(text.split()) >= _MANY_TITLES for text in texts)


def _has_frames(signs: _PageSigns) -> bool:
    return signs.mentions("frameset") and signs.has("frameset")


def _title_says_kind(kind: Kind) -> Callable[[_PageSigns], bool]:
    pattern = _TITLE_SAYS[kind]
    return lambda signs: bool(pattern.search(signs.title))


def _is_login(signs: _PageSigns) -> bool:
    asks = signs.short and signs.has("input[type=password i]") and bool(_LOGIN_TEXT.search(signs.text))
    return asks and not signs.announces_abstract()


def _has_captcha(signs: _PageSigns) -> bool:
    return _says_little(signs, _TERSE_PAGE_CHARS) and signs.captcha


def _has_wall_text(name: str, length: int) -> Callable[[_PageSigns], bool]:
    pattern = _WALL_PATTERNS[name]
    return lambda signs: _says_little(signs, length) and any(map(pattern.search, [*signs.headings, signs.text]))


def _says_little(signs: _PageSigns, length: int) -> bool:
    """Whether a page is short and has neither an article nor a list of articles."""
    little = signs.short and len(signs.text) < length and not signs.described and not signs.announces_abstract()
    return little and max(signs.titles, signs.forms) < _MANY_TITLES


def _is_missing(signs: _PageSigns) -> bool:
    return signs.short and any(map(_MISSING_PAGE_TEXT.search, [*signs.headings, signs.text[:600]]))


def _lists_forms(signs: _PageSigns) -> bool:
    return not signs.described and signs.forms >= _MANY_FORMS


def _has_references(signs: _PageSigns) -> bool:
    return bool(signs.heads(_REFERENCES_HEADING))


def _has_body(signs: _PageSigns) -> bool:
    long = signs.paragraphs >= _FEW_PARAGRAPHS or len(signs.text) > _FULL_TEXT_CHARS
    return long and signs.heads(BODY_HEADING) + signs.heads(ABSTRACT_OR_BODY_HEADING) > 1


def _has_long_text(signs: _PageSigns) -> bool:
    return signs.paragraphs >= _MANY_PARAGRAPHS and _has_abstract(signs)


def _has_no_abstract(signs: _PageSigns) -> bool:
    plain = signs.described and not signs.announces_abstract() and not signs.names & _ABSTRACT_NAMES
    return plain and signs.paragraphs != 1  # a single paragraph of prose is the abstract


def _has_abstract(signs: _PageSigns) -> bool:
    return signs.described or signs.announces_abstract()


def _lists_titles(signs: _PageSigns) -> bool:
    if signs.paragraphs >= _FEW_PARAGRAPHS and 2 * signs.paragraphs > signs.titles:
        return False  # prose with links around it
    if any(map(_CONTENTS_HEAD.search, signs.headings)):
        return signs.titles >= _SOME_TITLES
    return signs.titles >= _MANY_TITLES and bool(_CONTENTS_TEXT.search(signs.text[:_TOP_OF_PAGE_CHARS]))


_NO_RULE_SCORE = 0.6  # how often a page that matches no rule is of kind `other`
_KIND_RULES: tuple[tuple[Verdict, Callable[[_PageSigns], bool]], ...] = (
    (Verdict(Kind.OTHER, 0.9, "frames"), _has_frames),
    (Verdict(Kind.LOGIN, 0.9, "password-form"), _is_login),
    (Verdict(Kind.BLOCKED, 0.9, "captcha"), _has_captcha),
    (Verdict(Kind.BLOCKED, 0.9, "challenge"), _has_wall_text("challenge", _SHORT_PAGE_CHARS)),
    (Verdict(Kind.BLOCKED, 0.8, "denied"), _has_wall_text("denied", _SHORT_PAGE_CHARS)),
    (Verdict(Kind.BLOCKED, 0.7, "consent"), _has_wall_text("consent", _TERSE_PAGE_CHARS)),
    (Verdict(Kind.MISSING, 0.9, "says-missing"), _is_missing),
    (Verdict(Kind.ABSTRACT, 0.9, "title-says"), _title_says_kind(Kind.ABSTRACT)),
    (Verdict(Kind.FULLTEXT, 0.9, "title-says"), _title_says_kind(Kind.FULLTEXT)),
    (Verdict(Kind.ISSUE, 0.9, "many-forms"), _lists_forms),
    (Verdict(Kind.FULLTEXT, 0.95, "references"), _has_references),
    (Verdict(Kind.FULLTEXT, 0.9, "body-headings"), _has_body),
    (Verdict(Kind.FULLTEXT, 0.8, "long-text"), _has_long_text),
    (Verdict(Kind.FULLTEXT, 0.6, "no-abstract"), _has_no_abstract),
    (Verdict(Kind.ABSTRACT, 0.9, "abstract-heading"), _has_abstract),
    (Verdict(Kind.ISSUE, 0.9, "many-titles"), _lists_titles),
)
