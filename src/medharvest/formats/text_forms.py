"""Text and names for every format: no forbidden characters, five inline tags in its own names, inverted names.

LaTeX has commands for the tags: `to_latex_markup` writes and `latex_to_html` reads them.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from medharvest.citations import nlm_style
from medharvest.citations.author_names import GROUP_WORD, NAME_PARTICLES, find_name_order, parse_author_name
from medharvest.fields import contributor_name
from medharvest.records import Author, Citation, Contributor, unescape_html

# Control characters (C0, DEL, C1), the bidi embeddings, overrides and isolates, which reorder what a reader sees, lone
# surrogates and the two non-characters that XML forbids. White space, NEL among it, is handled below; the joiners and
# direction marks that scripts need are kept.
_FORBIDDEN_CHARACTERS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_WHITE_SPACE_RUN = re.compile(r"\s{2,}|[^\S ]")  # skips single blanks, by far the most
_INLINE_TAG_PATTERN = re.compile(r"(</?(?:i|b|u|sup|sub)>)")
_TAG_COMMANDS = {
    "i": "\\emph",
    "b": "\\textbf",
    "u": "\\underline",
    "sup": "\\textsuperscript",
    "sub": "\\textsubscript",
}
_LATEX_ESCAPES = {
    "\\": "\\textbackslash{}",
    "{": "\\{",
    "}": "\\}",
    "#": "\\#",
    "$": "\\$",
    "%": "\\%",
    "&": "\\&",
    "_": "\\_",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
}
_LATEX_SPECIAL = re.compile(r"[\\{}#$%&_~^<>]")
_BIBTEX_INLINE_TAG = re.compile(r"<(/?)(i|b|u|sup|sub)>")
_LATEX_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
}  # fmt: skip
_LATEX_SIGNS = {",": " ", ";": " ", ":": " ", "!": "", "-": "", "/": "", "@": "", "\n": " ", "\\": " "}
# Letters whose command stands for another sign than in the tables of pylatexenc, or is not in them.
_LATEX_LETTERS = {
    "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß",
    "i": "i", "j": "j", "textless": "<", "textgreater": ">", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textmu": "µ", "relax": "", "par": " ",
}  # fmt: skip
_TAGS_BY_COMMAND = {command.lstrip("\\"): tag for tag, command in _TAG_COMMANDS.items()} | {
    "textit": "i", "mathit": "i", "textsl": "i", "mathbf": "b"
}  # fmt: skip
_TAGS_BY_DECLARATION = {"it": "i", "itshape": "i", "em": "i", "sl": "i", "bf": "b", "bfseries": "b"}
_COMMANDS_WITH_HIDDEN_ARGUMENT = frozenset(
    "href textcolor color hspace vspace label cite fontsize selectlanguage foreignlanguage".split()
)
_TEXT_LIGATURES = (("~", " "), ("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))
_LATEX_SIGN = re.compile(r"[\\{}$~]|--|``|''")
_LATEX_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]++)[ ]*+|\\(?P<sign>.)|(?P<open>\{)|(?P<close>\})|(?P<math>\$)|"
    r"(?P<script>[_^])|(?P<text>[^\\{}$_^]++)|.",
    re.DOTALL,
)
_MAX_BRACE_DEPTH = 50  # deeper braces are ignored
_MAX_CUT_STEPS = 1_000_000  # tags times spans; far above any real abstract
_SAME_TAG_NAMES = MappingProxyType({name: name for name in ("i", "b", "u", "sup", "sub")})
_ROMAN_SUFFIXES = {counted: roman for roman, counted in nlm_style.NAME_ORDINALS.items()}
_NAME_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV|VI?|[2-6](?:nd|rd|th))\.?", re.IGNORECASE)
_LONGEST_SUFFIX = 4  # characters, of `III.`
_NOBODY = Author()
_NAME_WITH_INITIALS = re.compile(r"\S.{0,80}\s[A-Z][A-Z.-]{0,7}")  # "Berg AB", "van den Berg A.-B."
_IDEOGRAPHIC_NAME = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]{1,3} [\u3400-\u9fff\uac00-\ud7af]{1,4}")  # family first
_LIST_STOP = re.compile(r"(?<=[^\W\d_]{5})\.$")  # after the last name of a list; "Inc." keeps its own
_ENDS_WITH_INITIALS = re.compile(r" (?:[A-Z]\.?[ -]?){1,4}$")
# Words of bodies that sign as author; GROUP_WORD has those that pages print in a byline.
_ORGANISATION_WORD = re.compile(
    r"(?i)\b(?:organi[sz]ations?|organi[sz]acion|organização|ministry|minist[eè]re?io?|universit\w+|institut\w*|"
    r"department|foundation|agency|hospital|cent(?:er|re) (?:for|of)|bureau|board|academy|federation|authority|"
    r"administration|corporation|company|laborator(?:y|ies)|commission|office|inc|ltd|gmbh|llc)\b"
)

cached_initials = functools.lru_cache(maxsize=4096)(nlm_style.nlm_initials)
cached_fore_name = functools.lru_cache(maxsize=4096)(nlm_style.nlm_fore_name)


def to_one_line(text: str) -> str:
    """Return the text without forbidden characters, each run of white space as one blank."""
    if text.isprintable() and "  " not in text:  # true for most texts: nothing to do
        return text
    return _WHITE_SPACE_RUN.sub(" ", _FORBIDDEN_CHARACTERS.sub("", text))


def to_plain_line(text: str) -> str:
    """Return the text as `to_one_line` does, stripped."""
    return to_one_line(text).strip() if text else ""


def escape_xml(text: str) -> str:
    """Escape `&`, `<` and `>` for XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def render_markup(
    text: str, tagged: str, *, names: Mapping[str, str] = _SAME_TAG_NAMES, quote: Callable[[str], str] = escape_xml
) -> str:
    """Return the tagged text with a format's own tag names; the plain text if tags are missing or badly nested."""
    pieces = _INLINE_TAG_PATTERN.split(tagged) if "<" in tagged else [tagged]
    if len(pieces) == 1 or not _is_well_nested(pieces[1::2]):
        return quote(to_plain_line(text))
    texts = [quote(to_one_line(unescape_html(piece))) for piece in pieces[::2]]
    tags = [_rename_tag(tag, names) for tag in pieces[1::2]]
    return "".join(text + tag for text, tag in zip(texts, [*tags, ""], strict=True)).strip()


def _is_well_nested(tags: Iterable[str]) -> bool:
    """Whether every tag is closed in the right order."""
    opened: list[str] = []
    for tag in tags:
        if not tag.startswith("</"):
            opened.append(tag)
        elif not opened or opened.pop()[1:] != tag[2:]:
            return False
    return not opened


def _rename_tag(tag: str, names: Mapping[str, str]) -> str:
    close, name = tag.startswith("</"), tag.strip("</>")
    return f"</{names[name]}>" if close else f"<{names[name]}>"


def split_markup(tagged: str) -> tuple[str, str]:
    """Split HTML with only the five tags into plain text and tagged text; the second is empty without tags."""
    plain = unescape_html(_INLINE_TAG_PATTERN.sub("", tagged))
    return plain, tagged if _INLINE_TAG_PATTERN.search(tagged) else ""


def split_bare_markup(tagged: str) -> tuple[str, str]:
    """Do the same for text in which `&` and `<` are not escaped."""
    pieces = _INLINE_TAG_PATTERN.split(tagged)
    if len(pieces) == 1 or not _is_well_nested(pieces[1::2]):
        return tagged, ""
    escaped = (escape_xml(text) + tag for text, tag in zip(pieces[::2], [*pieces[1::2], ""], strict=True))
    return "".join(pieces[::2]), "".join(escaped)


def cut_markup(tagged: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the tagged text of each span of the plain text; without tags if one crosses the span's end."""
    pieces = _INLINE_TAG_PATTERN.split(tagged)
    texts = [unescape_html(piece) for piece in pieces[::2]]
    ends = list(itertools.accumulate(map(len, texts)))
    marks = list(zip(ends, pieces[1::2], strict=False))  # position of each tag in the plain text
    if len(marks) * len(spans) > _MAX_CUT_STEPS:
        return []
    plain_text = "".join(texts)
    return [_cut_markup_span(plain_text, start, end, marks) for start, end in spans]


def _cut_markup_span(text: str, start: int, end: int, marks: Sequence[tuple[int, str]]) -> str:
    own = [(at, tag) for at, tag in marks if (start < at <= end if tag.startswith("</") else start <= at < end)]
    if not _is_well_nested(tag for _, tag in own):
        return escape_xml(text[start:end])
    cuts = [start, *(at for at, _ in own), end]
    parts = [escape_xml(text[one:two]) for one, two in itertools.pairwise(cuts)]
    return "".join(part + tag for part, tag in zip(parts, [*(tag for _, tag in own), ""], strict=True))


def escape_latex(text: str) -> str:
    """Escape the signs that LaTeX takes for commands."""
    return _LATEX_SPECIAL.sub(lambda sign: _LATEX_ESCAPES[sign[0]], text)


def to_latex_markup(text: str, tagged: str) -> str:
    """Return the text with LaTeX commands for its inline tags."""
    written = render_markup(text, tagged, quote=escape_latex)
    return _BIBTEX_INLINE_TAG.sub(lambda tag: "}" if tag[1] else f"{_TAG_COMMANDS[tag[2]]}{{", written)


def latex_to_html(text: str) -> str:
    """Convert a value to HTML with the five inline tags; reads commands, accents, Greek letters and simple formulas."""
    if not _LATEX_SIGN.search(text):
        return to_plain_line(escape_xml(text))
    reading = _LatexReading()
    for token in _LATEX_TOKEN.finditer(text):
        reading.take_token(token)
    return to_plain_line(reading.finish())


class _LatexReading:
    """The state while a value is read: open groups, a pending tag or accent, and whether a formula is open."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._closing: list[str] = []
        self._tag = self._accent = ""
        self._hidden = -1  # depth of an argument that is not shown
        self._hides = self._math = False

    def take_token(self, token: re.Match[str]) -> None:
        """Read one token."""
        if token["open"]:
            self._open_group()
        elif token["close"]:
            self._close_group()
        elif self._hidden >= 0:
            return
        elif token["math"]:
            self._math = not self._math
        elif token["script"] and self._math:
            self._tag = "sub" if token["script"] == "_" else "sup"
        elif token["word"]:
            self._take_command(token["word"])
        elif token["sign"] and token["sign"] in _LATEX_ACCENTS:
            self._accent = _LATEX_ACCENTS[token["sign"]]
        else:
            self._take_text(_LATEX_SIGNS.get(token["sign"], token["sign"]) if token["sign"] else token[0])

    def finish(self) -> str:
        """Return the HTML, with all groups closed."""
        return "".join([*self._out, *reversed(self._closing)])

    def _open_group(self) -> None:
        if self._hides and self._hidden < 0:
            self._hidden, self._hides = len(self._closing), False
        deep = len(self._closing) >= _MAX_BRACE_DEPTH
        tag = "" if deep or self._hidden >= 0 else self._tag
        self._out.append(f"<{tag}>" if tag else "")
        self._closing.append(f"</{tag}>" if tag else "")
        self._tag = ""

    def _close_group(self) -> None:
        if self._closing:
            self._out.append(self._closing.pop())
        if len(self._closing) <= self._hidden:
            self._hidden = -1

    def _take_command(self, name: str) -> None:
        if name in _TAGS_BY_COMMAND:
            self._tag = _TAGS_BY_COMMAND[name]
        elif name in _TAGS_BY_DECLARATION and self._closing:
            tag = _TAGS_BY_DECLARATION[name]
            self._out.append(f"<{tag}>")
            self._closing[-1] = f"</{tag}>{self._closing[-1]}"
        elif name in _COMMANDS_WITH_HIDDEN_ARGUMENT:
            self._hides = True
        elif name in _LATEX_ACCENTS:
            self._accent = _LATEX_ACCENTS[name]
        else:
            self._take_text(_find_latex_symbol(name), whole=True)

    def _take_text(self, text: str, *, whole: bool = False) -> None:
        """Add text; a pending accent or tag is for its first letter, or for all of a symbol."""
        if not whole:
            for sign, plain in _TEXT_LIGATURES if not self._math else ():
                text = text.replace(sign, plain)
        if self._accent and text:
            text = unicodedata.normalize("NFC", text[:1] + self._accent + text[1:])
            self._accent = ""
        if self._tag and text.strip():
            own, rest = (text, "") if whole else (text[:1], text[1:])
            self._out.append(f"<{self._tag}>{escape_xml(own)}</{self._tag}>{escape_xml(rest)}")
            self._tag = ""
        else:
            self._out.append(escape_xml(text))


@functools.lru_cache(maxsize=4096)
def _find_latex_symbol(name: str) -> str:
    """Return the text of a command without arguments, `µ` for `textmu`; empty for one that has none."""
    if name in _LATEX_LETTERS:
        return _LATEX_LETTERS[name]
    from pylatexenc.latex2text import get_default_latex_context_db

    known = get_default_latex_context_db().get_macro_spec(name)
    found = getattr(known, "simplify_repl", "")
    return found if isinstance(found, str) and "%" not in found else ""


def suffix_to_medline(suffix: str) -> str:
    """Return the suffix as in MEDLINE: `Jr`, `2nd`."""
    bare = suffix.strip().rstrip(".")
    return nlm_style.NAME_ORDINALS.get(bare, bare)


def suffix_from_medline(suffix: str) -> str:
    """Return the suffix as on pages: `II` for `2nd`."""
    bare = suffix.strip().rstrip(".")
    return _ROMAN_SUFFIXES.get(bare.lower(), bare)


def author_to_inverted(author: Author) -> str:
    """Write `DeVita, Vincent T., Jr`, or a single name; a group gets a final comma, so that no reader splits it."""
    if author.collective:
        return f"{author.collective},"
    if author.suffix:
        return f"{author.family}, {author.given}, {author.suffix}"  # its position identifies the suffix
    return ", ".join(part for part in (author.family, author.given) if part)


def author_from_inverted(text: str) -> Author:
    """Read a name as written by `author_to_inverted`, or by other programs, whose groups are recognised by words."""
    family, comma, given = text.partition(",")
    if comma and len(given := given.strip()) > _LONGEST_SUFFIX and "," not in given and (family := family.strip()):
        return Author(family=family, given=given)  # most names
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) > 1 and not any(pieces[1:]):
        return Author(collective=text.strip().removesuffix(",").rstrip())
    if len(pieces) == 1 or (len(pieces) == 2 and GROUP_WORD.search(pieces[0]) and not pieces[1]):  # noqa: PLR2004
        return _author_from_single_name(text.strip())
    family, given, *rest = pieces
    if not family:
        family, given = given, ""
    if not rest and _NAME_SUFFIX.fullmatch(given) and not given.rstrip(".").isupper():  # "Cole, V" has an initial
        return Author(family=family, suffix=suffix_from_medline(given))
    suffix = ", ".join(piece for piece in rest if piece)
    return Author(
        family=family, given=given, suffix=suffix_from_medline(suffix) if _NAME_SUFFIX.fullmatch(suffix) else suffix
    )


def authors_from_names(names: Sequence[str]) -> tuple[Author, ...]:
    """Read the names of one list; one without a comma is an organisation, or written `Anna Berg` or `Berg A`."""
    if all("," in name or " " not in name.strip() for name in names):
        return tuple(author for name in names if (author := author_from_inverted(name)) != _NOBODY)
    order = find_name_order(names)
    inverted = sum("," in name for name in names)
    found = []
    for name in names:
        bare = name.strip()
        if _IDEOGRAPHIC_NAME.fullmatch(bare):
            family, _, given = bare.partition(" ")
            found.append(Author(family=family, given=given.strip()))
        elif "," in bare or " " not in bare:
            found.append(author_from_inverted(bare))
        elif is_organisation(bare) or (inverted * 2 > len(names) and not _ENDS_WITH_INITIALS.search(bare)):
            found.append(Author(collective=_LIST_STOP.sub("", bare)))
        else:
            found.append(parse_author_name(bare, order) or Author(collective=bare))
    return tuple(author for author in found if author != Author())


def split_name_list(text: str, *separators: str) -> list[str]:
    """Split a text into names: at the separators, semicolons or "and", else at commas between names with initials."""
    for separator in (*separators, ";", "//", " and "):
        if separator in text:
            pieces = [name.strip() for name in text.split(separator)]
            return [name for piece in pieces if piece for name in _split_initialled_names(piece)]
    return _split_initialled_names(text.strip())


def _split_initialled_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) > 1 and all(_NAME_WITH_INITIALS.fullmatch(name) for name in names if name):
        if not any(name.endswith(".") for name in names[:-1]):  # the full stop ends the list
            names[-1] = names[-1].removesuffix(".")
        return [name for name in names if name]
    return [text] if text else []


def is_organisation(text: str) -> bool:
    """Whether a name has a word of organisations and groups."""
    return bool(_ORGANISATION_WORD.search(text) or GROUP_WORD.search(text))


def _author_from_single_name(text: str) -> Author:
    return Author(collective=text) if GROUP_WORD.search(text) else Author(family=text)


def author_from_full_name(text: str) -> Author:
    """Read the author of MEDLINE's FAU, `DeVita, Vincent T Jr`."""
    family, _, rest = text.partition(",")
    words = rest.split()
    suffix = suffix_from_medline(words.pop()) if words and _NAME_SUFFIX.fullmatch(words[-1]) and len(words) > 1 else ""
    return Author(family=family.strip(), given=" ".join(words), suffix=suffix)


def split_particle(family: str) -> tuple[str, str]:
    """Split a family name into particle and name: `van de` and `Kamp`."""
    words = family.split()
    cut = 0
    while cut < len(words) - 1 and words[cut] in NAME_PARTICLES:
        cut += 1
    return " ".join(words[:cut]), " ".join(words[cut:])


def _add_affiliations(author: Author, own: tuple[int, ...]) -> Author:
    """Return the author with affiliations; several times faster than `replace`, and called for most authors."""
    return Author(
        family=author.family,
        given=author.given,
        suffix=author.suffix,
        collective=author.collective,
        orcid=author.orcid,
        email=author.email,
        corresponding=author.corresponding,
        equal=author.equal,
        affiliations=own,
    )


def number_affiliations(
    people: Iterable[tuple[Author, Iterable[str]]], known: Iterable[str] = ()
) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """Return the authors with the indexes of their affiliations, and the affiliations: known ones, then new ones."""
    numbers = {place: number for number, place in enumerate(dict.fromkeys(known))}
    authors = []
    for author, places in people:
        own = tuple(dict.fromkeys(numbers.setdefault(place, len(numbers)) for place in places if place))
        authors.append(_add_affiliations(author, own) if own else author)
    return tuple(authors), tuple(numbers)


def list_people(citation: Citation, role: str) -> list[Author]:
    """Return the names of the contributors of a role."""
    return [contributor_name(one) for one in citation.contributors if one.role == role]


def make_contributors(role: str, authors: Iterable[Author]) -> tuple[Contributor, ...]:
    """Return contributors of a role from names."""
    return tuple(
        Contributor(role=role, family=one.family, given=one.given, suffix=one.suffix, collective=one.collective)
        for one in authors
        if one.family or one.given or one.collective
    )
