"""Titles in sentence case, as MEDLINE prints them: an offer, for only a person knows every name."""

from __future__ import annotations

import re

from medharvest.pages.places import COUNTRY

_WORD = re.compile(r"[^\W_](?:[\w’'-]*[^\W_])?")
_SMALL = frozenset(
    """a an and as at but by for from in into is it its nor of on onto or per so than that the their to versus via vs
    was were what when where which who whose with within without yet""".split()
)
_TITLE_CASE = 0.6  # of the words that could be either begin with a capital before a title counts as capitalised
# Words that keep their capital in a sentence: eponyms, peoples, places, times. A table to extend, never complete.
PROPER = frozenset(
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
# What stays in capitals when a whole title stands in them.
ACRONYMS = frozenset(
    """AIDS ALS ARDS BMI BRCA1 BRCA2 CD4 COPD COVID-19 CT DNA ECG EEG EU GP HIV HIV-1 HPV ICU IV MRI MRSA mRNA NHS NSAID
    PCR PTSD RCT RNA SARS-CoV-2 STI TB UK UN US USA WHO""".split()
)
_ACRONYMS = {word.casefold(): word for word in ACRONYMS}
_LONGEST = 5_000  # characters; no title is longer


def sentence_case(title: str) -> str:
    """The title with small letters where only the style asked for capitals; acronyms and known proper names stay.

    An offer for an operator to look at: a name that no table holds loses its capital.
    """
    title = title[:_LONGEST]
    words = list(_WORD.finditer(title))
    shouted = title.isupper()
    if not shouted and not _is_title_case(words):
        return title
    out, end = [], 0
    for number, word in enumerate(words):
        following = words[number + 1].group() if number + 1 < len(words) else ""
        keeps = number == 0 or _begins_sentence(title, word.start())
        text = _quietened(word.group(), keeps=keeps) if shouted else _lowered(word.group(), following, keeps=keeps)
        out += [title[end : word.start()], text]
        end = word.end()
    return "".join([*out, title[end:]])


def _is_title_case(words: list[re.Match[str]]) -> bool:
    """Whether a title writes its words with capitals: most of those behind the first that could be small."""
    plain = [word.group() for word in words[1:] if word.group().lower() not in _SMALL and word.group()[0].isalpha()]
    plain = [word for word in plain if not _is_acronym(word)]
    return bool(plain) and sum(word[0].isupper() for word in plain) >= max(_TITLE_CASE * len(plain), 1)


def _lowered(word: str, following: str, *, keeps: bool) -> str:
    if keeps or not word[0].isupper() or _is_acronym(word) or _is_proper(word):
        return word
    if len(word) == 1:  # "Vitamin D", "Hepatitis B"; an article is no letter
        return word.lower() if word == "A" and following else word
    # In "Staphylococcus aureus Infection" the small word behind shows a species, whose genus has a capital.
    species = following.islower() and following not in _SMALL and following.isalpha()
    return word if species and word.endswith(_GENUS) else word.lower()


_GENUS = ("us", "um", "a", "is", "es", "ia", "as", "ma", "on", "ix")


def _quietened(word: str, *, keeps: bool) -> str:
    known = _ACRONYMS.get(word.casefold())
    if known:
        return known
    return word.capitalize() if keeps or _is_proper(word) else word.lower()


def _begins_sentence(title: str, start: int) -> bool:
    return bool(re.search(r"[.?!]\s+[\"'“‘(]*$", title[max(start - 6, 0) : start]))


def _is_acronym(word: str) -> bool:
    """Whether a word has a capital behind its first letter, or a figure: AIDS, mRNA, HIV-1, H2."""
    parts = word.split("-")
    return any(any(letter.isupper() for letter in part[1:]) or any(map(str.isdigit, part)) for part in parts)


def _is_proper(word: str) -> bool:
    plain = re.sub(r"[’']s?$", "", word).lower()
    parts = plain.split("-")
    return any(part in PROPER for part in (plain, *parts)) or bool(COUNTRY.fullmatch(word.title()))
