"""What a page is: rules in order, the first that fits wins."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from medharvest.pages import tree
from medharvest.pages.headings import BODY, SHARED
from medharvest.pages.metadata import embedded_in
from medharvest.records import Kind, Page, Verdict

_SHORT = 2_500  # characters; a login wall or an error page says little
_TERSE = 1_200  # characters; a banner about cookies or a form with a captcha stands on longer pages too
_LONG = 300  # characters of a heading that are looked at
_TOP = 3_000  # characters in which a contents page says what it is
_MISSING = re.compile(
    r"\b(?:page|article|document|content|file)\b[^.]{0,60}\b(?:(?:not|n't|cannot|no longer)\b[^.]{0,25}"
    r"(?:found|exist|available|located)|has moved|missing)|"
    # the number alone may be a page of a journal
    r"\b(?:error|http|status)\W{0,3}404\b|\b404\W{0,3}(?:error|not found|page)\b|^\W*404\W*$",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"\b(?:log ?in|sign ?in|password|subscri\w+|purchase|register)\b", re.IGNORECASE)
# What stands between a reader and the page: each wall with the words that tell it.
_TAKE = r"(?:accept|agree to|allow|consent to|enable) (?:all |our |the )?(?:use of )?(?:cookies|terms)"
_WALLS = {
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
        rf"{_TAKE} (?:before|in order to|to)",
        rf"(?:have to|must|need to|please) {_TAKE}",
        r"cookies (?:are|must be|need to be) (?:accepted|allowed|enabled|required)",
    ),
}
_WALL = {name: re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE) for name, words in _WALLS.items()}
_CAPTCHA = re.compile(r"<(?:button|div|form|iframe|img|input)\b[^<>]*captcha", re.IGNORECASE)
_CONTENTS = re.compile(
    r"\btable of contents\b|\bin this issue\b|\b(?:vol(?:ume)?\.?|number|issue|no\.?)\s*\d+", re.IGNORECASE
)
_FORM = re.compile(r"\W*(?:abstract|summary|full ?text|full article|html|pdf)\b.{0,20}", re.IGNORECASE)
_ABSTRACT = re.compile(r"abstract|summary|résumé|zusammenfassung|resumen|摘要", re.IGNORECASE)
_REFERENCES = re.compile(r"references(?: and notes)?|literature cited|bibliography|works cited|参考文献")
_MANY_TITLES = 5  # links or headings that read like titles on a contents page; as many words make a title
_MANY_FORMS = 6  # links to abstracts and PDFs; the page of one article has fewer
_ARTICLE_NAMES = frozenset({"citation_title", "headline"})
_ABSTRACT_NAMES = frozenset({"citation_abstract", "dc.description", "description", "abstract"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """What the rules look at."""

    text: str
    headings: tuple[str, ...]
    bold: tuple[str, ...]
    names: frozenset[str]
    password: bool
    captcha: bool
    titles: int
    forms: int

    def heads(self, pattern: re.Pattern[str]) -> int:
        """How many different headings, in heading tags or bold, a pattern matches as a whole."""
        keys = {head.lower().lstrip("0123456789. ").rstrip(" :.") for head in (*self.headings, *self.bold)}
        return sum(bool(pattern.fullmatch(key)) for key in keys)


def classify(page: Page) -> Verdict:
    """Tell the kind of a page by its content; scores are rough until they are calibrated."""
    if page.media_type == "application/pdf":
        return Verdict(Kind.PDF, 1.0, "media-type")
    signs = _signs(page)
    for verdict, fits in _RULES:
        if fits(signs):
            return verdict
    return Verdict(Kind.OTHER, 0.5, "none")


def _signs(page: Page) -> _Signs:
    document = tree.Document(page.text)
    links = document.texts("a")
    entries = document.texts("h3, h4, h5, dt, li a, td a")
    return _Signs(
        names=frozenset(item.name for item in embedded_in(document)),
        headings=tuple(text[:_LONG] for text in document.texts("title, h1, h2, h3")),
        bold=tuple(text[:_LONG] for text in document.texts("b, strong")),
        password=bool(document.contents("input[type=password i]")),
        captcha=bool(_CAPTCHA.search(page.text)),
        titles=sum(len(text.split()) >= _MANY_TITLES for text in entries),
        forms=sum(bool(_FORM.fullmatch(text)) for text in links),
        text=document.plain_text(),
    )


def _is_login(signs: _Signs) -> bool:
    asks = signs.password and len(signs.text) < _SHORT and bool(_LOGIN.search(signs.text))
    return asks and not signs.heads(_ABSTRACT)


def _has_captcha(signs: _Signs) -> bool:
    return signs.captcha and _says_little(signs, _TERSE)


def _walled(name: str, length: int) -> Callable[[_Signs], bool]:
    pattern = _WALL[name]
    return lambda signs: _says_little(signs, length) and any(map(pattern.search, [*signs.headings, signs.text]))


def _says_little(signs: _Signs, length: int) -> bool:
    """Whether a page is short and holds neither an article nor a list of them."""
    little = len(signs.text) < length and not _is_described(signs) and not signs.heads(_ABSTRACT)
    return little and max(signs.titles, signs.forms) < _MANY_TITLES


def _is_missing(signs: _Signs) -> bool:
    return len(signs.text) < _SHORT and any(map(_MISSING.search, [*signs.headings, signs.text[:600]]))


def _lists_forms(signs: _Signs) -> bool:
    return signs.forms >= _MANY_FORMS and not _is_described(signs)


def _has_references(signs: _Signs) -> bool:
    return bool(signs.heads(_REFERENCES))


def _has_body(signs: _Signs) -> bool:
    return signs.heads(BODY) + signs.heads(SHARED) > 1 and len(signs.text) > 2 * _SHORT


def _has_no_abstract(signs: _Signs) -> bool:
    return _is_described(signs) and not signs.heads(_ABSTRACT) and not signs.names & _ABSTRACT_NAMES


def _has_abstract(signs: _Signs) -> bool:
    return _is_described(signs) or bool(signs.heads(_ABSTRACT))


def _lists_titles(signs: _Signs) -> bool:
    return signs.titles >= _MANY_TITLES and bool(_CONTENTS.search(signs.text[:_TOP]))


def _is_described(signs: _Signs) -> bool:
    """Whether the page's own metadata describe it as an article."""
    return bool(signs.names & _ARTICLE_NAMES)


_RULES: tuple[tuple[Verdict, Callable[[_Signs], bool]], ...] = (
    (Verdict(Kind.LOGIN, 0.9, "password-form"), _is_login),
    (Verdict(Kind.BLOCKED, 0.9, "captcha"), _has_captcha),
    (Verdict(Kind.BLOCKED, 0.9, "challenge"), _walled("challenge", _SHORT)),
    (Verdict(Kind.BLOCKED, 0.8, "denied"), _walled("denied", _SHORT)),
    (Verdict(Kind.BLOCKED, 0.7, "consent"), _walled("consent", _TERSE)),
    (Verdict(Kind.MISSING, 0.9, "says-missing"), _is_missing),
    (Verdict(Kind.ISSUE, 0.8, "many-forms"), _lists_forms),
    (Verdict(Kind.FULLTEXT, 0.8, "references"), _has_references),
    (Verdict(Kind.FULLTEXT, 0.7, "body-headings"), _has_body),
    (Verdict(Kind.FULLTEXT, 0.5, "no-abstract"), _has_no_abstract),
    (Verdict(Kind.ABSTRACT, 0.6, "abstract-heading"), _has_abstract),
    (Verdict(Kind.ISSUE, 0.7, "many-titles"), _lists_titles),
)
