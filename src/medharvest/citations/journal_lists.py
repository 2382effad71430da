"""The journals that are built in, lists of journal titles from NLM and JabRef, and guesses for what is in no list."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import NamedTuple

from medharvest.citations.identifiers import find_issns
from medharvest.errors import InputError
from medharvest.records import JournalTitle, title_key, unescape_html

JOURNAL_TABLE = "journals.tsv.gz"
JOURNAL_TABLE_COLUMNS = ("keys", "title", "abbreviation", "iso", "issn", "nlm_id", "source")
# Label of a line in NLM's lists -> our field; J_Medline.txt and J_Entrez.txt have the same lines.
_NLM_LIST_FIELDS = {
    "JournalTitle": "title",
    "MedAbbr": "abbreviation",
    "IsoAbbr": "iso",
    "NlmId": "nlm_id",
    "ISSN (Print)": "issn",
    "ISSN (Online)": "issn",
}
_NLM_LIST_RULER = re.compile(r"(?<!-)-{5,}+\s*$", re.MULTILINE)
_MIN_DOTTED_SHARE = 0.3  # of the abbreviations in a CSV list must have full stops to count as ISO 4
_MAX_LIST_LINE_CHARS = 2_000  # no title is longer
_MIN_LIST_COLUMNS = 2
# Words that abbreviations leave out.
_OMITTED_TITLE_WORDS = frozenset(
    """a an and at by de del della der des di die du e el en et for from für i il in la le les of on op og och para per
    pour pro the to und van von y zur""".split()
)
# Beginning of a word -> its abbreviation; the longest match wins, a word without a match may lose its ending.
_ABBREVIATED_STEMS: dict[str, str] = {
    stem: short
    for stem, _, short in (
        pair.partition("=")
        for pair in """
        abdom=Abdom academ=Acad acoust=Acoust acta=Acta addict=Addict administ=Adm adolesc=Adolesc advanc=Adv
        africa=Afr ag=Ag aging=Aging allerg=Allergy america=Am anaesth=Anaesth anaesthesiol=Anaesthesiol anal=Anal
        anatom=Anat anesth=Anesth anesthesiol=Anesthesiol angiolog=Angiol animal=Anim annal=Ann annual=Annu
        antimicrob=Antimicrob applied=Appl archiv=Arch arthrit=Arthritis artific=Artif asia=Asia asian=Asian
        associat=Assoc atheroscler=Atheroscler audiol=Audiol australas=Australas australia=Aust bacteriol=Bacteriol
        behavi=Behav biochem=Biochem bioeth=Bioeth biolog=Biol biomed=Biomed biophys=Biophys biotechnol=Biotechnol
        blood=Blood bone=Bone brain=Brain brazil=Braz breast=Breast british=Br bulletin=Bull burn=Burns canad=Can
        cancer=Cancer cardiac=Card cardiol=Cardiol cardiovasc=Cardiovasc care=Care case=Case cell=Cell cellul=Cell
        center=Cent central=Cent centre=Cent chem=Chem chemother=Chemother chest=Chest child=Child chin=Chin
        china=China chinese=Chin chronic=Chronic circulat=Circ clinic=Clin cognit=Cogn colleg=Coll
        colorect=Colorectal communic=Commun communit=Community comparat=Comp complement=Complement comput=Comput
        contemp=Contemp contracep=Contracept control=Control counsel=Couns critic=Crit current=Curr cytol=Cytol
        danish=Dan decis=Decis dement=Dement dent=Dent derm=Dermatol dermatol=Dermatol develop=Dev diabet=Diabetes
        diagnos=Diagn diagnosis=Diagn diet=Diet digest=Dig disabil=Disabil discuss=Discuss disease=Dis diseases=Dis
        disord=Disord doctor=Doct drug=Drug drugs=Drugs ear=Ear east=East econom=Econ educat=Educ electro=Electro
        electron=Electron embryol=Embryol emergen=Emerg endocrin=Endocrinol endoscop=Endosc engineer=Eng
        environ=Environ epidemiol=Epidemiol epilep=Epilepsy europ=Eur european=Eur evaluat=Eval evidenc=Evid
        exercis=Exerc experiment=Exp eye=Eye facial=Fac famil=Fam fertil=Fertil food=Food foot=Foot forens=Forensic
        foundat=Found frontier=Front function=Funct gastroenterol=Gastroenterol gastrointestin=Gastrointest
        gener=Gen genes=Genes genet=Genet genom=Genomics geriatr=Geriatr gerontol=Gerontol global=Glob growth=Growth
        gynaecol=Gynaecol gynecol=Gynecol haematol=Haematol haemost=Haemost harvard=Harv head=Head health=Health
        hear=Hear heart=Heart hematol=Hematol hemost=Hemost hepatol=Hepatol histol=Histol histor=Hist hormon=Horm
        hospital=Hosp human=Hum hygien=Hyg hypertens=Hypertens imag=Imaging immunol=Immunol implant=Implant
        india=India indian=Indian indust=Ind infect=Infect inflamm=Inflamm inform=Inform injur=Inj insect=Insect
        institut=Inst instrum=Instrum insur=Insur integrat=Integr intensiv=Intensive intern=Intern internat=Int
        intervent=Interv investig=Invest ir=Ir irish=Ir isr=Isr ital=Ital japan=Jpn japanese=Jpn journal=J
        kidney=Kidney korea=Korean laborat=Lab laryng=Laryngol laser=Laser latin=Lat law=Law lectur=Lect legal=Legal
        letter=Lett leuk=Leuk librar=Libr lipid=Lipid liver=Liver lung=Lung lymph=Lymph magazin=Mag magnet=Magn
        manag=Manage marin=Mar matern=Matern mathemat=Math maxillofac=Maxillofac measurem=Meas medecine=Med
        medic=Med medicin=Med membran=Membr mental=Ment metabol=Metab method=Methods microbiol=Microbiol
        microscop=Microsc midwif=Midwifery milit=Mil model=Model molecul=Mol monograph=Monogr mortal=Mortal
        muscl=Muscle mycol=Mycol nation=Natl natur=Nat necro=Necro neonat=Neonatal nephrol=Nephrol nerv=Nerv
        netherlands=Neth network=Netw neuro=Neuro neurol=Neurol neurosci=Neurosci neurosurg=Neurosurg new=N
        nordic=Nord north=N nucl=Nucl nurs=Nurs nutrit=Nutr obes=Obes observ=Obs obstet=Obstet occup=Occup
        oncol=Oncol open=Open ophthalmol=Ophthalmol optic=Opt oral=Oral organ=Organ organs=Organs orthop=Orthop
        otol=Otol otolaryngol=Otolaryngol otorhinolaryngol=Otorhinolaryngol outcom=Outcomes paediatr=Paediatr
        pain=Pain palliat=Palliat parasit=Parasit parasitol=Parasitol patholog=Pathol pathophysiol=Pathophysiol
        patient=Patient pediatr=Pediatr peer=Peer peptid=Pept perinat=Perinat personal=Pers perspect=Perspect
        pharmac=Pharm pharmacol=Pharmacol philosoph=Philos physic=Phys physicians=Physicians physiol=Physiol
        physiother=Physiother planning=Plann plant=Plant plastic=Plast polic=Policy population=Popul
        postgrad=Postgrad practic=Pract pregnan=Pregnancy prevent=Prev primar=Prim proceed=Proc process=Process
        product=Prod profession=Prof program=Program progress=Prog prostat=Prostate protein=Protein
        psychiat=Psychiatry psycholog=Psychol psychother=Psychother public=Public pulmon=Pulm qualit=Qual quarter=Q
        radiat=Radiat radical=Radic radiol=Radiol recept=Recept receptor=Recept reconstruct=Reconstr record=Rec
        register=Regist regulat=Regul rehabil=Rehabil relat=Relat renal=Ren report=Rep reproduc=Reprod research=Res
        reson=Reson respir=Respir resuscit=Resuscitation review=Rev reviews=Rev rheumat=Rheumatol risk=Risk royal=R
        rural=Rural safet=Saf scandinav=Scand school=Sch scien=Sci selec=Sel seminar=Semin series=Ser service=Serv
        services=Serv sexual=Sex skin=Skin sleep=Sleep social=Soc societ=Soc south=S southeast=Southeast spine=Spine
        sport=Sports statist=Stat stem=Stem stroke=Stroke structur=Struct studi=Stud substanc=Subst supplement=Suppl
        surger=Surg surgic=Surg survey=Surv swedish=Swed swiss=Swiss system=Syst teach=Teach technic=Tech
        techniqu=Tech technol=Technol theor=Theor therap=Ther thorac=Thorac thromb=Thromb thyroid=Thyroid
        tissue=Tissue tobacco=Tob today=Today topic=Top toxic=Toxic toxicol=Toxicol transact=Trans transfus=Transfus
        translat=Transl transplant=Transplant traumat=Trauma treat=Treat trial=Trials tropic=Trop tubercul=Tuberc
        turk=Turk ultraso=Ultrasound univers=Univ university=Univ updat=Update urban=Urban urol=Urol vaccin=Vaccine
        vascul=Vasc veterin=Vet victim=Vict viral=Viral virol=Virol virus=Virus vision=Vision visual=Vis
        vitamin=Vitam week=Wkly west=West women=Womens world=World wound=Wound yearbook=Yearb""".split()
    )
}
# Endings of other words and what remains of them, first match wins: "Malariology" becomes "Malariol".
_ABBREVIATED_ENDINGS = tuple(
    pair.split("=")
    for pair in """ologies=ol ological=ol ologic=ol ology=ol ologica=ol ologia=ol ologie=ol genetics=genet genetic=genet
    chemistry=chem chemical=chem iatrics=iatr iatric=iatr therapeutics=ther therapy=ther surgery=surg surgical=surg
    sciences=sci science=sci graphy=gr pathy=pathy metry=metr ility=il ivity=iv idity=id edity=ed unity=un ional=
    ation=at ations=at osis=osis itis=itis""".split()
)
_MIN_LETTERS_BEFORE_ENDING = 3  # a shorter word keeps its ending
_MAX_STEM_LETTERS = max(map(len, _ABBREVIATED_STEMS))
_JOURNAL_SUBTITLE = re.compile(r"[:=(\[].*$", re.DOTALL)
_MAX_JOURNAL_TITLE_CHARS = 500  # no title is longer
_NAME_KEY = re.compile(r" (?:title|short|brief):(\w+)")
_TITLE_PLACE = re.compile(r"\s?\([^()]*\)$")
_ISSN_KEY = re.compile(r" issn:(\S+)")
_LEADING_ARTICLE = re.compile(r"the\s+(?=\S)", re.IGNORECASE)


class JournalSource(StrEnum):
    """Where an entry of the built-in table comes from."""

    PUBMED = "pubmed"  # citations of PubMed's baseline
    JABREF_MEDLINE = "jabref medline"  # title and ISO abbreviation from JabRef, NLM's abbreviation from metapub
    JABREF = "jabref"
    MEDLINE = "medline"  # an abbreviation alone, from metapub


class BuiltInJournal(NamedTuple):
    """An entry of the built-in table, and where it comes from."""

    entry: JournalTitle
    source: JournalSource


def find_built_in_journals(name: str = "", issn: Sequence[str] = ()) -> tuple[BuiltInJournal, ...]:
    """Return the built-in journals with one of some ISSNs, or else with a title or abbreviation.

    Several journals may share a name. Those with the whole title come alone. If there are none, those with the title
    but for a subtitle or place, `Acta paediatrica (Oslo, Norway : 1992)`; and then those with the abbreviation. Other
    titles of the same journal follow.
    """
    found = [journal for text in issn for journal in _find_table_rows("issn", text)]
    if not found:
        name = name[:_MAX_JOURNAL_TITLE_CHARS]
        keys = (("title", journal_title_key(name)), ("short", journal_title_key(name)), ("brief", title_key(name)))
        found = next((rows for kind, key in keys if (rows := list(_find_table_rows(kind, key)))), [])
    numbers = dict.fromkeys(one.entry.nlm_id for one in found)
    found += [other for number in numbers for other in _find_table_rows("nlm_id", number)]
    return tuple(dict.fromkeys(found))


def is_built_in_name(name: str) -> bool:
    """Whether a built-in journal has this title or abbreviation."""
    return journal_title_key(name) in _built_in_names() or title_key(name) in _built_in_names()


def is_built_in_key(key: str) -> bool:
    """Whether a built-in journal has a title or abbreviation with this folded text, as `title_key` gives it."""
    return key in _built_in_names()


def find_title_of_issn(issn: str) -> str:
    """Return the title of the built-in journal with an ISSN, without a place in brackets; empty if there is none."""
    return _TITLE_PLACE.sub("", _titles_by_issn().get(issn, ""))


@cache
def _titles_by_issn() -> dict[str, str]:
    rows = (line.split("\t") for line in _load_journal_table().splitlines() if " issn:" in line)
    return {issn: title for keys, title, *_ in rows if title for issn in _ISSN_KEY.findall(keys)}


@cache
def _built_in_names() -> frozenset[str]:
    """Return the keys of all titles and abbreviations; faster than a search of the table for each of many texts."""
    return frozenset(_NAME_KEY.findall(_load_journal_table()))


def list_journal_keys(entry: JournalTitle) -> str:
    """Return the keys of an entry of the table, with a blank before and after each."""
    keys = [
        ("title", journal_title_key(entry.title)),
        ("short", journal_title_key(_JOURNAL_SUBTITLE.sub("", entry.title))),
        *(("brief", title_key(text)) for text in (entry.abbreviation, entry.iso)),
        *(("issn", text) for text in entry.issn),
        ("nlm_id", entry.nlm_id),
    ]
    return f" {' '.join(dict.fromkeys(f'{kind}:{key}' for kind, key in keys if key))} "


def _find_table_rows(kind: str, key: str) -> Iterator[BuiltInJournal]:
    """Yield the rows with a key; the text is searched, because an index of all rows would take longer to build."""
    table, mark = _load_journal_table(), f" {kind}:{key} "
    at = table.find(mark) if key else -1
    while at >= 0:
        end = table.index("\n", at)
        keys, *values = table[table.rindex("\n", 0, at) + 1 : end].split("\t")
        if mark in keys:
            title, abbreviation, iso, issn, nlm_id, source = values
            numbers = tuple(issn.split())
            entry = JournalTitle(title=title, abbreviation=abbreviation, iso=iso, issn=numbers, nlm_id=nlm_id)
            yield BuiltInJournal(entry, JournalSource(source))
        at = table.find(mark, end)


@cache
def _load_journal_table() -> str:
    packed = resources.files(__package__).joinpath("data", JOURNAL_TABLE).read_bytes()
    return gzip.decompress(packed).decode()


def journal_title_key(title: str) -> str:
    """Return the key of a title without the article that it may begin with: `The Lancet` is `lancet`."""
    return title_key(_LEADING_ARTICLE.sub("", title, count=1) if _LEADING_ARTICLE.match(title) else title)


def read_journal_list(text: str, *, name: str) -> Iterator[JournalTitle]:
    """Return the journals of a list in NLM's or JabRef's form, in its order; `name` is the file in messages."""
    if is_nlm_list(text):
        return _parse_nlm_list(text)
    rows = _read_title_rows(text)
    if not rows:
        hint = "expected NLM's J_Medline.txt or J_Entrez.txt, or a JabRef CSV file with title and abbreviation"
        raise InputError(f"not a list of journals: {name}", name=name, hint=hint)
    return _parse_csv_list(rows)


def is_nlm_list(text: str) -> bool:
    """Whether a text begins like NLM's lists."""
    return bool(re.match(r"\ufeff?\s*(?:-{5,}\s+)?JrId: ", text))


def _parse_nlm_list(text: str) -> Iterator[JournalTitle]:
    for part in _NLM_LIST_RULER.split(text):
        found: dict[str, str] = {}
        for line in part.splitlines():
            label, _, value = line[:_MAX_LIST_LINE_CHARS].partition(": ")
            field = _NLM_LIST_FIELDS.get(label.strip().removesuffix(":"), "")
            found[field] = f"{found.get(field, '')} {unescape_html(value.strip())}".strip()
        if found.get("title"):
            yield _to_journal_title(found)


def _to_journal_title(found: dict[str, str]) -> JournalTitle:
    texts = {name: found.get(name, "") for name in ("title", "abbreviation", "iso", "nlm_id")}
    return JournalTitle(**texts, issn=find_issns(found.get("issn", "")))


def _read_title_rows(text: str) -> list[tuple[str, str]]:
    """Return title and abbreviation of each row; nothing if the text is not such a table."""
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") >= first.count(",") else ","
    lines = (line[:_MAX_LIST_LINE_CHARS] for line in text.splitlines())
    try:
        cells = [row for row in csv.reader(lines, delimiter=delimiter, strict=True) if any(row)]
    except csv.Error:
        return []
    pairs = [(row[0].strip(), row[1].strip()) for row in cells if len(row) >= _MIN_LIST_COLUMNS]
    pairs = [pair for pair in pairs if all(pair)]
    return pairs if 2 * len(pairs) > len(cells) else []


def _parse_csv_list(rows: list[tuple[str, str]]) -> Iterator[JournalTitle]:
    """Yield the journals; abbreviations with full stops are those of ISO 4, others those of NLM."""
    dotted = sum("." in short for _, short in rows) > _MIN_DOTTED_SHARE * len(rows)
    for title, short in rows:
        iso, nlm = (short, "") if dotted else ("", short)
        yield JournalTitle(title=title, abbreviation=nlm, iso=iso)


def guess_abbreviation(title: str) -> str:
    """Guess NLM's abbreviation: words shortened by a table, small words left out, no full stops.

    The guess is wrong for one English title in four, so it may be shown but never delivered.
    """
    words: list[str] = re.findall(
        r"[^\W_]+(?:['’-][^\W_]+)*", _JOURNAL_SUBTITLE.sub("", title[:_MAX_JOURNAL_TITLE_CHARS])
    )
    kept = [word for word in words if word.lower() not in _OMITTED_TITLE_WORDS] or words
    if len(kept) == 1:
        return kept[0]
    return " ".join(map(_abbreviate_title_word, kept))


def _abbreviate_title_word(word: str) -> str:
    if word.isupper():  # an acronym, such as BMJ
        return word
    plain = word.lower()
    for length in range(min(len(plain), _MAX_STEM_LETTERS), 1, -1):
        if plain[:length] in _ABBREVIATED_STEMS:
            return _capitalise_first_letter(min(_ABBREVIATED_STEMS[plain[:length]], word, key=len))
    for ending, short in _ABBREVIATED_ENDINGS:
        if plain.endswith(ending) and len(plain) >= len(ending) + _MIN_LETTERS_BEFORE_ENDING:
            return _capitalise_first_letter(plain.removesuffix(ending) + short)
    return _capitalise_first_letter(word)


def _capitalise_first_letter(word: str) -> str:
    return word[:1].upper() + word[1:]
