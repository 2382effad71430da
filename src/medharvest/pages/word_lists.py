"""Words and patterns that several stages share: institutions, countries, headings of articles, academic degrees."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable


def _begin_words(beginnings: Iterable[str]) -> str:
    """Return a pattern for beginnings of words, by first letter: a search then looks only at places with one of these.

    A word boundary in front would be tried at every place.
    """
    rests: dict[str, list[str]] = defaultdict(list)
    for beginning in beginnings:
        rests[beginning[0]].append(beginning[1:])
    return "|".join(rf"{letter}(?<!\w{letter})(?:{'|'.join(rests[letter])})" for letter in rests)


_MIN_UNCACHED_CHARACTERS = 500  # longer texts are hardly ever tested again
# Words for institutions and their parts in the languages of medical journals: beginnings of words, and whole words.
_INSTITUTION_STEMS = """
    universi univerz uniwers üniversite egyetem yliopisto hospi hôpita ospedal krankenhaus sjukhus sykehus sygehus
    szpital nemocnic bolnic spital kórház hastane institut istitut instytut enstitü ústav department département
    departement departament dipartiment abteilung afdeling avdeling katedr zakład bölüm facult fakult fakült wydział
    hochschule clini clíni klini polikli laborat akadem университет институт больниц клини кафедр академи факультет
""".split()
_INSTITUTION_WORDS = """
    dept division divisions división ziekenhuis cátedra jurusan school schools escuela escola école scuola college
    colleges colegio colégio collège center centers centre centres centro centros centrum zentrum merkezi unit unidad
    unidade unité infirmary academy academia académie service servicio serviço servizio ministry ministerio ministério
    ministère foundation fundación fundação fondation fondazione stiftung office network observatory authority council
    agency bureau campus trust جامعة كلية مستشفى دانشگاه دانشکده بیمارستان
""".split()
_IDEOGRAPHIC_INSTITUTIONS = r"大学|大學|学院|學院|医院|醫院|病院|研究所|研究院|研究室|대학|병원|연구소"
_INSTITUTION_STARTS = tuple(_INSTITUTION_STEMS)
_INSTITUTION_FIRST_WORDS = frozenset((*_INSTITUTION_WORDS, "rumah"))
INSTITUTION_WORD = re.compile(
    rf"\b(?:(?:{'|'.join(_INSTITUTION_STEMS)})\w*|(?:{'|'.join(_INSTITUTION_WORDS)})|rumah sakit)\b|"
    rf"{_IDEOGRAPHIC_INSTITUTIONS}",
    re.IGNORECASE,
)
_SMALL_INSTITUTION = re.compile(
    _begin_words([*_INSTITUTION_STEMS, *(rf"{word}\b" for word in (*_INSTITUTION_WORDS, "rumah sakit"))])
    + f"|{_IDEOGRAPHIC_INSTITUTIONS}"
)
# Countries by their English names, and by their own where addresses print these.
_COUNTRY_NAMES = (
    r"USA|U\.S\.A|United States|UK|U\.K|United Kingdom|England|Scotland|Wales|Northern Ireland|Afghanistan|"
    r"Albania|Algeria|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahrain|Bangladesh|Barbados|Belarus|Belgium|"
    r"Benin|Bolivia|Bosnia and Herzegovina|Botswana|Brazil|Brunei|Bulgaria|Burkina Faso|Burundi|Cambodia|Cameroon|"
    r"Canada|Chile|China|Colombia|Congo|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|Czechia|Denmark|"
    r"Dominican Republic|Ecuador|Egypt|El Salvador|Eritrea|Estonia|Ethiopia|Fiji|Finland|France|Gabon|Gambia|"
    r"Germany|Ghana|Greece|Guatemala|Guinea|Haiti|Honduras|Hong Kong|Hungary|Iceland|India|Indonesia|Iran|Iraq|"
    r"Ireland|Israel|Italy|Ivory Coast|Jamaica|Japan|Jordan|Kazakhstan|Kenya|Korea|Kosovo|Kuwait|Kyrgyzstan|Laos|"
    r"Latvia|Lebanon|Lesotho|Liberia|Libya|Lithuania|Luxembourg|Macau|Macedonia|Madagascar|Malawi|Malaysia|"
    r"Maldives|Mali|Malta|Mauritius|Mexico|Moldova|Mongolia|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nepal|"
    r"Netherlands|New Zealand|Nicaragua|Niger|Nigeria|Norway|Oman|Pakistan|Palestine|Panama|Papua New Guinea|"
    r"Paraguay|Peru|Philippines|Poland|Portugal|Puerto Rico|Qatar|Romania|Russia|Rwanda|Saudi Arabia|Senegal|"
    r"Serbia|Sierra Leone|Singapore|Slovakia|Slovenia|Somalia|South Africa|Spain|Sri Lanka|Sudan|Sweden|"
    r"Switzerland|Syria|Taiwan|Tajikistan|Tanzania|Thailand|Togo|Trinidad and Tobago|Tunisia|Turkey|Uganda|"
    r"Ukraine|United Arab Emirates|Uruguay|Uzbekistan|Venezuela|Viet ?[Nn]am|Yemen|Zambia|Zimbabwe|España|México|"
    r"Perú|Panamá|Brasil|Italia|Deutschland|Österreich|Schweiz|Suisse|Svizzera|België|Belgique|Nederland|Sverige|"
    r"Norge|Danmark|Suomi|Polska|Česká republika|Magyarország|România|Hrvatska|Srbija|Türkiye|Maroc|Algérie|"
    r"Tunisie|Cameroun|Россия|Україна|Украина|Казахстан|ایران|مصر"
)
COUNTRY_NAME = re.compile(rf"(?:{_begin_words(_COUNTRY_NAMES.split('|'))})\b")
_COUNTRY_WORDS = frozenset(re.findall(r"\w+", _COUNTRY_NAMES.replace(" ?[Nn]am", " Nam Vietnam")))
# Structured abstracts have background, methods and results too; these headings are only in the body of an article.
BODY_HEADING = re.compile(
    r"introduction|discussion|case (?:report|presentation)|(?:materials?|patients|subjects) and methods"
)
ABSTRACT_OR_BODY_HEADING = re.compile(r"background|(?:materials? and |patients and )?methods|results|conclusions?")
# Between the title of an article and the names of journal and site in TITLE; a number in brackets may come first.
TAB_SEPARATOR = re.compile(r"\s[-–—|•·»:]{1,2}\s|[|»]|^\[[^]]{1,30}\]\s")
# A label before its text on the same line: "Key words: snow; sleep".
RUN_IN_LABEL = re.compile(r"(?P<word>[^\W\d_][^:.—–]{2,30}?)\s*[:.—–]\s*(?=\w)")
# The fourteen roles of the CRediT taxonomy, which pages print beside the names.
CONTRIBUTOR_ROLE = re.compile(
    r"(?:roles?:?\s*)?(?:conceptuali[sz]ation|data curation|formal analysis|funding acquisition|investigation|"
    r"methodology|project administration|resources|software|supervision|validation|visuali[sz]ation|"
    r"writing(?:\W+(?:original draft|review|editing|reviewing|preparation|and|&)\W*)*)|roles?:?",
    re.IGNORECASE,
)
ACADEMIC_DEGREES = frozenset(
    """aprn ba bchir bds bm bmbs bpharm bs bsc bscn btech chb chm cph crnp dds dm dmd dnp do dpharm dphil dpt
    drph dsc dvm edd edm faan faap facc facog facp facr facs fccp fesc fidsa fracp fracs frcog frcp frcpath
    frcpc frcpch frcpe frcpi frcpsych frcr frcs jd llm ma mb mba mbbs mbchb md mdres med meng mha mhs mpa mph
    mpharm mphil mpp mrcog mrcp mrcs ms msc mscn mscph msn msph msw mtech np pa pharmd phd psyd pt rd rdn rn rnc
    scd scm vmd""".split()
)


@functools.lru_cache(maxsize=1)
def split_words(text: str) -> frozenset[str]:
    """Return the distinct words of a text, cached: those of a page are asked for by its zones and by its people."""
    return frozenset(text.split())


def names_country(text: str, words: Iterable[str]) -> bool:
    """Whether a text names a country; `words` are its words, which rule out most texts quickly."""
    return not _COUNTRY_WORDS.isdisjoint(words) and COUNTRY_NAME.search(text) is not None


def names_institution(text: str) -> bool:
    """Whether a text names an institution; matching in lower case takes a third of the time."""
    if len(text) < _MIN_UNCACHED_CHARACTERS:
        return _names_institution_cached(text)
    return _names_institution_cached.__wrapped__(text)


@functools.lru_cache(maxsize=4096)
def _names_institution_cached(text: str) -> bool:
    return _SMALL_INSTITUTION.search(text.lower()) is not None


def words_name_institution(words: Iterable[str], text: str) -> bool:
    """Whether a text names an institution; `words` are its words in lower case, which rule out most texts quickly."""
    return not (text.isascii() and not any(map(_may_begin_institution, words))) and names_institution(text)


@functools.lru_cache(maxsize=4096)
def _may_begin_institution(word: str) -> bool:
    return word in _INSTITUTION_FIRST_WORDS or word.startswith(_INSTITUTION_STARTS)
