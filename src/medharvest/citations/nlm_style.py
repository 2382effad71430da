"""NLM's style for the values of a citation.

Author names with initials, complete page ranges, titles in sentence case, clean abstracts and the categories of their
sections. What only the written files need is in `formats.medline_values`.
"""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from medharvest.pages.word_lists import COUNTRY_NAME
from medharvest.records import Author

# AU writes generations as ordinals; everywhere else they are as published.
NAME_ORDINALS = {"II": "2nd", "III": "3rd", "IV": "4th", "V": "5th", "VI": "6th"}
_LEADING_ARTICLE = re.compile(r"(?:the|la|le|les|die|der|das|el|los|las|il)\s+(?=\S)", re.IGNORECASE)
_ON_BEHALF_OF = re.compile(r"(?:and\s+)?(?:on\s+behalf\s+of|for|from)\s+(?=the\b)", re.IGNORECASE)
_INITIAL_STOP = re.compile(r"\.(?=[^\W\d_])|\.")
_CAPITAL_INITIALS = re.compile(r"[^\W\d_a-zß-öø-ÿ]{2,4}")
_PAGE_DASH = re.compile(r"\s*[-\u2010-\u2012–—−]+\s*")
_SINGLE_PAGE = re.compile(
    r"(?P<before>[^\W\d_]{0,4}\.?)(?P<number>[0-9]{1,9})(?P<behind>[^\W\d_]{0,2}(?:\.[^\W\d_]{1,2}[0-9]{1,4})?)"
)
_ROMAN_PAGE = re.compile(r"[ivxlc]{1,9}|[IVXLC]{1,9}")
_OPEN_PAGES_END = re.compile(r"\s?[-\u2010-\u2012–—−]?\s?\+?$")  # "1137-+": the last page is not known
_PAGES_LEAD = re.compile(
    r"^\s{0,20}(?:(?:pages?|pp?)(?:\.|\s|(?=[0-9]))|s\.)\s{0,20}(?=[^\W\d_]{0,4}[0-9])", re.IGNORECASE
)
_MAX_PAGE_SETS = 3  # for more, the Indexing Manual writes "passim"
_MAX_PAGES_CHARS = 200  # a longer text is no page range
_TITLE_WORD = re.compile(r"[^\W_](?:[\w’'-]*[^\W_])?")
_LOWERCASE_TITLE_WORDS = frozenset(
    """a an and as at but by for from in into is it its nor of on onto or per so than that the their to versus via vs
    was were what when where which who whose with within without yet""".split()
)
_MIN_CAPITALISED_SHARE = 0.6  # of the words that need no capital must have one before a title counts as title case
# Words that keep their capital in a sentence: eponyms, peoples, places, times. Never complete; extend as needed.
_PROPER_NAMES = frozenset(
    """addison african alzheimer america american april arab asia asian asperger atlantic august australia australian
    austrian barrett bayesian bell belgian boolean brazil brazilian british broca bell's burkitt california canada
    canadian caucasian chagas charcot chinese christian christmas cochrane cox coombs crohn cushing danish december
    doppler dupuytren dutch easter ebola ehlers english euclidean europe european ewing fabry fallot february
    fermi finnish fisher fournier french friedreich friday gaussian gaucher german gram graves greek guillain hashimoto
    hindu hirschsprung hispanic hodgkin horner huntington indian iranian irish islamic israeli italian january japan
    japanese jewish july june kaplan kaposi kawasaki korean kruskal lambert latin likert london lyme mann march
    marfan markov marburg meier mendelian ménière monday monte moslem münchhausen muslim nordic norwegian november
    october osler paget pap parkinson pearson poisson polish portuguese raynaud russian salmonella saturday scandinavian
    schwann scottish september sjögren spanish spearman streptococcus sunday swedish swiss thursday tourette
    tuesday turkish turner wednesday welsh wernicke whipple wilcoxon wilms wilson york zika
    afghanistan algeria angola argentina armenia bangladesh bolivia botswana bulgaria burundi cambodia cameroon chile
    colombia congo croatia cuba cyprus czech ecuador eritrea estonia ethiopia fiji gabon gambia ghana guatemala guinea
    haiti honduras hungary iceland indonesia iraq jamaica jordan kenya kuwait laos latvia lebanon leone lesotho liberia
    libya lithuania madagascar malawi malaysia mali malta mauritius moldova mongolia morocco mozambique myanmar namibia
    nepal nicaragua niger nigeria oman pakistan palestine panama paraguay peru philippines qatar romania rwanda saudi
    senegal serbia sierra slovakia slovenia somalia sudan syria tanzania thailand togo tunisia uganda ukraine uruguay
    venezuela vietnam yemen zambia zimbabwe""".split()
)
# Words that keep their capitals when a whole title in capitals is lowered.
_KNOWN_ACRONYMS = frozenset(
    """AIDS ALS ARDS BMI BRCA1 BRCA2 CD4 COPD COVID-19 CT DNA ECG EEG EU GP HIV HIV-1 HPV ICU IV MRI MRSA mRNA NHS NSAID
    PCR PTSD RCT RNA SARS-CoV-2 STI TB UK UN US USA WHO""".split()
)
_ACRONYM_BY_LETTERS = {word.casefold(): word for word in _KNOWN_ACRONYMS}
_MAX_TITLE_CHARS = 5_000  # no title is longer

_GENUS_ENDINGS = ("us", "um", "a", "is", "es", "ia", "as", "ma", "on", "ix")
# The word for an abstract, in the languages of journals, at the very beginning.
_ABSTRACT_HEADING_WORD = re.compile(
    r"\s*(?i:abstract|summary|r[eé]sum[eé]n?|zusammenfassung|kurzfassung|riassunto|sommario|resumo|samenvatting|"
    r"sammanfattning|streszczenie|аннотация|摘要|要旨|초록)"
    # "Summary statistics were …" is a sentence: a heading ends with punctuation, a line end or before a capital.
    r"(?:\s*[:.—–|-]+\s*|\s*\n\s*|\s+(?=[A-ZÀ-ÝА-Я]))(?=\S)"
)
_COPYRIGHT_LINE = re.compile(
    r"(?:^|(?<!\s)(?:(?<=[.!?)\]])|(?=\s*\n))\s++)(?P<line>(?:copyright\b|©|\(c\)\s*(?:copyright\s*)?(?=[0-9]{4})|℗|"
    r"this is an open[- ]access article\b|all rights reserved\b)[^\n]{0,600})\s*$",
    re.IGNORECASE,
)
_COPYRIGHT_WORDS = ("copyright", "©", "(c)", "℗", "this is an open", "all rights")  # one of them begins the line
_CONTACT_NOTE = re.compile(
    r"(?<!\s)(?:\s*+(?<=\n)|(?<=[.!?)])\s++)(?:(?:e-?mail|correspond\w*+(?: author)?|contact)\b\s*+:?[^\n]{0,200}?)?"
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}\.?\s*$",
    re.IGNORECASE,
)
_ABSTRACT_FOOTNOTE_MARKS = "*†‡§¶‖"
_ABSTRACT_TAIL_CHARS = 900  # only the end is searched for a copyright line or an address

NLM_CATEGORIES = ("BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS", "UNASSIGNED")
# Category and the words of labels that mean it; the first category with a word in the label wins.
_CATEGORY_WORDS = (
    ("UNASSIGNED", "registration registered funding keywords copyright abbreviations"),
    (
        "CONCLUSIONS",
        """conclusion conclusions interpretation discussion implication implications significance relevance
        recommendation recommendations comment comments summary message messages impact limitations""",
    ),
    (
        "METHODS",
        """method methods methodology design setting settings participants participant patients patient subjects
        subject interventions intervention materials material procedure procedures sample samples population measures
        measurements measurement measure analysis approach data sources source selection extraction synthesis
        eligibility techniques technique experimental study protocol exposure exposures outcomes outcome""",
    ),
    ("RESULTS", "result results finding findings observation observations report case cases"),
    (
        "OBJECTIVE",
        "objective objectives aim aims purpose purposes goal goals hypothesis hypotheses question questions scope",
    ),
    ("BACKGROUND", "background introduction context rationale problem importance motivation overview state"),
)
_CATEGORY_BY_WORD = {word: category for category, words in _CATEGORY_WORDS for word in words.split()}
_CATEGORY_ORDER = tuple(category for category, _ in _CATEGORY_WORDS)
# Labels whose single words would mislead.
_CATEGORY_BY_WHOLE_LABEL = {
    "main results": "RESULTS",
    "case report": "RESULTS",
    "outcome": "RESULTS",
    "outcomes": "RESULTS",
    "what is known": "BACKGROUND",
    "what is already known": "BACKGROUND",
    "summary background data": "BACKGROUND",
    "study objective": "OBJECTIVE",
    "study objectives": "OBJECTIVE",
    "purpose of review": "OBJECTIVE",
    "purpose of the study": "OBJECTIVE",
    "background and aims": "BACKGROUND",
    "background and purpose": "BACKGROUND",
    "background and objectives": "BACKGROUND",
    "results and conclusions": "RESULTS",
    "results and discussion": "RESULTS",
    "recent findings": "RESULTS",
    "main outcome measures": "METHODS",
    "main outcomes and measures": "METHODS",
}
_SMALL_JOURNAL_WORDS = frozenset({"the", "of", "and", "in", "for", "on", "a", "de", "la", "et"})


class PageRange(NamedTuple):
    """First and last page in full; `last` is empty for a single page."""

    first: str
    last: str = ""


class CleanAbstract(NamedTuple):
    """An abstract, and the copyright line removed from it."""

    text: str
    copyright: str = ""


def nlm_short_name(author: Author) -> str:
    """Return the author as in AU: surname, initials, suffix; a group by its name."""
    if author.collective:
        return nlm_group_name(author.collective)
    suffix = NAME_ORDINALS.get(author.suffix, author.suffix).rstrip(".")
    return " ".join(part for part in (author.family, nlm_initials(author.given), suffix) if part)


def nlm_full_name(author: Author) -> str:
    """Return the author as in FAU: `Family, Given M Jr`; a group by its name."""
    if author.collective:
        return nlm_group_name(author.collective)
    behind = " ".join(part for part in (nlm_fore_name(author.given), author.suffix.rstrip(".")) if part)
    return ", ".join(part for part in (author.family, behind) if part)


def nlm_fore_name(given: str) -> str:
    """Return given names without full stops: `J.R.R.` becomes `J R R`, `J.-P.` becomes `J-P`."""
    spaced = _INITIAL_STOP.sub(
        lambda stop: " " if stop.end() < len(given) and given[stop.end()].isalpha() else "", given
    )
    return " ".join(spaced.split())


def nlm_initials(given: str) -> str:
    """Return the first letter of each given name, also after a hyphen: `Jean-Louis` becomes `JL`; `JM` stays."""
    words = re.split(r"[\s-]+", nlm_fore_name(given))
    return "".join(word if _CAPITAL_INITIALS.fullmatch(word) else _first_letter(word) for word in words)


def _first_letter(word: str) -> str:
    return next((letter.upper() for letter in word if letter.isalpha()), "")


def nlm_group_name(name: str) -> str:
    """Return the name of a group without "on behalf of" and a leading article."""
    text = " ".join(name.split())
    text = text[found.end() :] if (found := _ON_BEHALF_OF.match(text)) else text
    return text[found.end() :] if (found := _LEADING_ARTICLE.match(text)) else text


def parse_page_range(text: str) -> PageRange:
    """Return the first set of pages in full: `304-10` is 304 to 310, `e12-9` is e12 to e19."""
    pages = re.split("[,;]", text[:_MAX_PAGES_CHARS], maxsplit=1)[0].strip()
    pages = _OPEN_PAGES_END.sub("", _PAGES_LEAD.sub("", pages, count=1))
    first, *more = _PAGE_DASH.split(pages)
    if len(more) == 1 and _ROMAN_PAGE.fullmatch(first) and _ROMAN_PAGE.fullmatch(more[0]):
        return PageRange(first, more[0])
    if len(more) != 1 or not _SINGLE_PAGE.fullmatch(first) or not _SINGLE_PAGE.fullmatch(more[0]):
        return PageRange(pages.strip())
    last = complete_last_page(first, more[0])
    return PageRange(first) if last == first else PageRange(first, last)


def complete_last_page(first: str, last: str) -> str:
    """Complete a shortened last page from the first page: `1199` and `205` give `1205`."""
    one, two = _SINGLE_PAGE.fullmatch(first), _SINGLE_PAGE.fullmatch(last)
    if not one or not two or two["before"] not in {"", one["before"]}:
        return last
    start, end = one["number"], two["number"]
    if len(end) < len(start):
        end = start[: len(start) - len(end)] + end
    behind = two["behind"] or (one["behind"] if not two["before"] else "")
    return f"{one['before']}{end}{behind}" if int(end) >= int(start) else last


def to_long_pages(text: str) -> str:
    """Write every set of pages in full, as in publisher XML."""
    return ", ".join(_join_page_range(parse_page_range(part)) for part in _split_page_sets(text))


def to_short_pages(text: str) -> str:
    """Write pages as MEDLINE prints them: without repeated digits, and "passim" for more than three sets."""
    sets = [_shorten_page_range(parse_page_range(part)) for part in _split_page_sets(text)]
    return ", ".join(sets[:_MAX_PAGE_SETS]) + (" passim" if len(sets) > _MAX_PAGE_SETS else "")


def _split_page_sets(text: str) -> list[str]:
    return [part for part in re.split(r"[,;]", text[:_MAX_PAGES_CHARS]) if part.strip()]


def _shorten_page_range(pages: PageRange) -> str:
    one, two = _SINGLE_PAGE.fullmatch(pages.first), _SINGLE_PAGE.fullmatch(pages.last)
    if not one or not two or one["before"] != two["before"] or len(one["number"]) != len(two["number"]):
        return _join_page_range(pages)
    end = two["number"]
    same = next(i for i, (a, b) in enumerate(zip(one["number"] + "x", end + "y", strict=True)) if a != b)
    return f"{pages.first}-{end[min(same, len(end) - 1) :]}{two['behind']}"


def _join_page_range(pages: PageRange) -> str:
    return f"{pages.first}-{pages.last}" if pages.last else pages.first


def to_sentence_case(title: str) -> str:
    """Lower the capitals of a title in title case or all capitals; acronyms and known proper names keep theirs.

    The result is a proposal for an operator to check: a proper name that is in no table loses its capital.
    """
    title = title[:_MAX_TITLE_CHARS]
    words = list(_TITLE_WORD.finditer(title))
    shouted = title.isupper()
    if not shouted and not _is_title_case(words):
        return title
    out, end = [], 0
    for number, word in enumerate(words):
        following = words[number + 1].group() if number + 1 < len(words) else ""
        keeps = number == 0 or _begins_sentence(title, word.start())
        text = (
            _lower_shouted_word(word.group(), keeps=keeps)
            if shouted
            else _lower_title_word(word.group(), following, keeps=keeps)
        )
        out += [title[end : word.start()], text]
        end = word.end()
    return "".join([*out, title[end:]])


def _is_title_case(words: list[re.Match[str]]) -> bool:
    """Whether a title is in title case: most words after the first have a capital that they do not need."""
    plain = [
        word.group()
        for word in words[1:]
        if word.group().lower() not in _LOWERCASE_TITLE_WORDS and word.group()[0].isalpha()
    ]
    plain = [word for word in plain if not _is_title_acronym(word)]
    return bool(plain) and sum(word[0].isupper() for word in plain) >= max(_MIN_CAPITALISED_SHARE * len(plain), 1)


def _lower_title_word(word: str, following: str, *, keeps: bool) -> str:
    if keeps or not word[0].isupper() or _is_title_acronym(word) or _is_proper_name(word):
        return word
    if len(word) == 1:  # "Vitamin D", "Hepatitis B", but not the article "A"
        return word.lower() if word == "A" and following else word
    # In "Staphylococcus aureus Infection" the lower-case word marks a species: its genus keeps the capital.
    species = following.islower() and following not in _LOWERCASE_TITLE_WORDS and following.isalpha()
    return word if species and word.endswith(_GENUS_ENDINGS) else word.lower()


def _lower_shouted_word(word: str, *, keeps: bool) -> str:
    known = _ACRONYM_BY_LETTERS.get(word.casefold())
    if known:
        return known
    return word.capitalize() if keeps or _is_proper_name(word) else word.lower()


def _begins_sentence(title: str, start: int) -> bool:
    return bool(re.search(r"[.?!]\s+[\"'“‘(]*$", title[max(start - 6, 0) : start]))


def _is_title_acronym(word: str) -> bool:
    """Whether a word has a digit, or a capital after its first letter: AIDS, mRNA, HIV-1, H2."""
    parts = word.split("-")
    return any(any(letter.isupper() for letter in part[1:]) or any(map(str.isdigit, part)) for part in parts)


def _is_proper_name(word: str) -> bool:
    plain = re.sub(r"[’']s?$", "", word).lower()
    parts = plain.split("-")
    return any(part in _PROPER_NAMES for part in (plain, *parts)) or bool(COUNTRY_NAME.fullmatch(word.title()))


def clean_abstract(text: str) -> CleanAbstract:
    """Remove the heading, copyright line, e-mail address and footnote marks from an abstract."""
    text = text.strip().strip(_ABSTRACT_FOOTNOTE_MARKS).strip()
    text = text[found.end() :] if (found := _ABSTRACT_HEADING_WORD.match(text)) else text
    head, tail = text[:-_ABSTRACT_TAIL_CHARS], text[-_ABSTRACT_TAIL_CHARS:]
    tail = _CONTACT_NOTE.sub("", tail) if "@" in tail else tail
    words = tail.lower()
    found = _COPYRIGHT_LINE.search(tail) if any(word in words for word in _COPYRIGHT_WORDS) else None
    # An abstract that consists of nothing but such a line is kept.
    line = found["line"].strip() if found and (head or found.start()) else ""
    if found and line:
        tail = tail[: found.start()]
    return CleanAbstract((head + tail).strip().rstrip(_ABSTRACT_FOOTNOTE_MARKS).strip(), line)


def nlm_section_category(label: str) -> str:
    """Return NLM's category for a label of a structured abstract; UNASSIGNED if no word of it is known."""
    words = re.findall(r"[^\W\d_]+", label.lower())
    whole = _CATEGORY_BY_WHOLE_LABEL.get(" ".join(words))
    known = {_CATEGORY_BY_WORD[word] for word in words if word in _CATEGORY_BY_WORD}
    return whole or next((category for category in _CATEGORY_ORDER if category in known), "UNASSIGNED")


def is_abbreviation_of(short: str, full: str) -> bool:
    """Whether a journal title abbreviates another: each word begins a word of it, as in "Arch Estuary Med"."""
    one, two = _large_journal_words(short), _large_journal_words(full)
    return short != full and len(one) == len(two) > 0 and all(map(str.startswith, two, one))


@functools.lru_cache(maxsize=1024)
def _large_journal_words(title: str) -> tuple[str, ...]:
    return tuple([word for word in re.findall(r"\w+", title.lower()) if word not in _SMALL_JOURNAL_WORDS])
