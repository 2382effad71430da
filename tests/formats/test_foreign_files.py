"""Files as other programs write them: encodings, dialects, and what is dropped and refused."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest

from medharvest.errors import FormatError, InputError
from medharvest.formats import FORMATS, INPUT_FORMATS, check_file, detect_format, find_input_format
from medharvest.formats.citation_rules import Level
from medharvest.formats.record_files import (
    ReadingNotes,
    decode_record_file,
    describe_decoding,
    find_encoding,
    read_all_records,
)
from medharvest.library.record_import import read_record_file
from medharvest.records import Author, Citation, Contributor
from medharvest.settings import Settings

TITLE = "Ménière’s disease – naïve"
RECORD = Citation(title=TITLE, authors=(Author(family="Müller", given="Åsa"),), journal="Journal of Tides", date="2031")
READ = [form for form in FORMATS.values() if form.read]


def read(name: str, text: str | bytes) -> tuple[tuple[Citation, ...], ReadingNotes]:
    notes = ReadingNotes()
    reader = INPUT_FORMATS[name].read
    assert reader
    return read_all_records(reader, text.encode() if isinstance(text, str) else text, notes), notes


def one(name: str, text: str) -> Citation:
    (record,) = read(name, text)[0]
    return record


# Encodings


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", [form.name for form in READ])
def test_a_file_of_each_format_is_read_in_each_encoding(name: str, encoding: str, tmp_path: Path) -> None:
    form = FORMATS[name]
    file = tmp_path / "records"
    text = "".join((form.draft or form.write)([RECORD]))
    file.write_bytes(text.encode(encoding))
    read = read_record_file(file, Settings())
    assert (read.records[0].title, read.records[0].authors[0].family) == (TITLE, "Müller")
    assert (read.report.format, read.report.is_decoding_certain) == (name, encoding != "cp1252")
    assert read.report.decoding or encoding == "utf-8-sig"


def test_a_declared_encoding_is_used_and_a_latin_file_is_guessed() -> None:
    declared = decode_record_file("% Encoding: GBK\n@article{a, title = {测试}}".encode("gbk"))
    assert ("测试".encode() in declared.body, declared.origin, declared.is_certain) == (True, "declared", True)
    emacs = decode_record_file("% -*- coding: latin-2-unix -*-\nŻ".encode("iso8859-2"))
    assert (emacs.body.decode()[-1], emacs.encoding) == ("Ż", "iso8859-2")
    xml = decode_record_file('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1"))
    assert xml.body.decode().split() == ["<?xml", 'version="1.0"', "?><a>é</a>"]
    guessed = decode_record_file("Ménière’s".encode("cp1252"))
    assert (guessed.body.decode(), guessed.origin) == ("Ménière’s", "guessed")
    assert describe_decoding(guessed).startswith("decoded as cp1252, a guess, because the file is not UTF-8: line 1:")


def test_an_old_declaration_does_not_spoil_utf_8() -> None:
    assert "é" in decode_record_file("% Encoding: Cp1252\né".encode()).body.decode()


def test_single_bytes_in_utf_8_are_read_as_windows_1252_and_counted() -> None:
    mixed = decode_record_file("Ménière résumé naïve\n".encode() * 5 + b"it\x92s\n")
    assert (mixed.body.decode().splitlines()[-1], mixed.encoding, mixed.mended) == ("it’s", "utf-8", 1)
    assert mixed.spots[0].line == 6
    assert "1 bytes are not utf-8" in describe_decoding(mixed)


@pytest.mark.parametrize("body", [b"tides \x81 sleep", "tides \ufffd sleep".encode()])
def test_what_cannot_be_decoded_is_an_error_of_the_file(body: bytes) -> None:
    lost = decode_record_file(body)
    assert (lost.lost, lost.is_certain) == (1, False)
    ris = b"TY  - JOUR\nTI  - " + body + b"\nER  - \n"
    (found,) = [finding for finding in check_file(ris, FORMATS["ris"]) if finding.rule == "encoding"]
    assert (found.level, found.line) == (Level.ERROR, 2)
    assert "could not be decoded" in found.message


def test_a_guess_is_a_warning() -> None:
    ris = "TY  - JOUR\nTI  - Ménière\nER  - \n".encode("cp1252")
    assert [f.level for f in check_file(ris, FORMATS["ris"]) if f.rule == "encoding"] == [Level.WARNING]
    assert not [f for f in check_file(ris, FORMATS["ris"], encoding="cp1252") if f.rule == "encoding"]


@pytest.mark.parametrize("name", ["hex", "rot13", "zip", "no-such", "idna", "unicode_escape"])
def test_only_encodings_of_text_are_taken(name: str) -> None:
    assert find_encoding(name) == ""
    with pytest.raises(InputError, match="unknown encoding"):
        decode_record_file(b"a", encoding=name)


# RIS


def test_the_month_of_web_of_science_does_not_hide_the_year() -> None:
    text = "TY  - JOUR\nTI  - Tides\nDA  - {}\nPY  - 1999\nER  -\n"
    assert one("ris", text.format("MAR-APR")).date == "1999-03/1999-04"
    assert one("ris", text.format("AUG")).date == "1999-08"
    assert one("ris", text.format("JUN 8")).date == "1999-06-08"
    assert one("ris", text.format("1999/08//undefined")).date == "1999-08"
    assert one("ris", text.format("unknown")).date == "1999"
    assert one("ris", text.format("2001/05//")).date == "1999"


def test_lines_before_and_between_records_and_bare_returns_are_passed_over() -> None:
    text = (
        "Record #1 of 2\rProvider: Tides\r1.\rTY  - JOUR\rTI  - One\rER  -\r\rLink to the text\rTY  - JOUR\rTI  - Two"
    )
    assert detect_format(text.encode(), name="x").name == "ris"
    records, notes = read("ris", text)
    assert [record.title for record in records] == ["One", "Two"]
    assert notes.dropped["text between records"].count == 4
    assert notes.lines == [4, 9]


def test_names_in_natural_order_and_organisations_are_told_apart() -> None:
    names = ["Anna Berg", "Carl Cole", "World Health Organization"]
    text = "TY  - JOUR\n" + "".join(f"AU  - {name}\n" for name in names)
    assert one("ris", text).authors == (
        Author(family="Berg", given="Anna"),
        Author(family="Cole", given="Carl"),
        Author(collective="World Health Organization"),
    )
    ovid = one("ris", "TY  - JOUR\nA1  - Fanning E.\nA1  - Berg A.B.\n").authors
    assert [(author.family, author.given) for author in ovid] == [("Fanning", "E."), ("Berg", "A.B.")]
    mixed = one("ris", "TY  - JOUR\nAU  - Berg, A.\nAU  - Cole, C.\nAU  - Tide Watch Europe\n").authors
    assert mixed[2] == Author(collective="Tide Watch Europe")


def test_values_without_a_place_are_counted_with_an_example() -> None:
    text = "TY  - JOUR\nTI  - Tides\nT1  - Tides\nUR  - http://a.example\nUR  - http://b.example\nCA  - Text\nER  -\n"
    _, notes = read("ris", text * 2)
    assert {name: (value.count, value.example) for name, value in notes.dropped.items()} == {
        "UR": (2, "http://b.example"),
        "CA": (2, "Text"),
    }


# Web of Science, Refer, Ovid, EndNote, MARC

WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Berg, AB
   Cole, C
AF Berg, Anna B.
   Cole, Carl
TI Tides and sleep
   in adults
SO JOURNAL OF TIDES
LA English
DE tides; sleep
ID TIDES; GOUT
AB We measured tides.
C1 [Berg, Anna B.] Univ Marsh, Dept Tides, Marsh, England.
   [Cole, Carl] Univ Quay, Quay, England.
CR Dale D, 2001, J TIDES, V1, P2
   Elm E, 2002, J TIDES, V2, P3
FU Tide Council [12]; Quay Fund [13]
NR 2
SN 2049-3630
EI 1234-5679
JI J. Tides
PD MAR-APR
PY 2019
VL 12
IS 3
BP 123
EP 128
DI 10.5555/a1
PM 1234567
SC Oceanography
ER

PT J
AU Dale, D
TI Gout at sea
ER

EF
"""


def test_web_of_science_text_is_read() -> None:
    assert detect_format(WOS.encode(), name="x").name == "wos"
    records, notes = read("wos", WOS)
    assert records[0] == Citation(
        title="Tides and sleep in adults",
        authors=(Author(family="Berg", given="Anna B."), Author(family="Cole", given="Carl")),
        affiliations=("Univ Marsh, Dept Tides, Marsh, England.", "Univ Quay, Quay, England."),
        abstract="We measured tides.",
        journal="JOURNAL OF TIDES",
        abbreviation="J. Tides",
        issn=("2049-3630", "1234-5679"),
        volume="12",
        issue="3",
        first_page="123",
        last_page="128",
        date="2019-03/2019-04",
        doi="10.5555/a1",
        pmid="1234567",
        language="en",
        keywords=("tides", "sleep", "TIDES", "GOUT"),
        references=("Dale D, 2001, J TIDES, V1, P2", "Elm E, 2002, J TIDES, V2, P3"),
        funding=("Tide Council [12]", "Quay Fund [13]"),
    )
    assert (records[1].title, records[1].authors[0].family, notes.lines) == ("Gout at sea", "Dale", [3, 35])
    assert list(notes.dropped) == ["SC"]


REFER = """%0 Journal Article
%A Berg, Anna
%A Carl Cole
%T Tides and sleep
%J Journal of Tides
%D 2019
%8 March 5
%V 12
%N 3
%P 123-8
%X We measured
tides.
%K tides
sleep
%R 10.5555/a1
%@ 2049-3630
%M 1234567
%Z A note

%0 Journal Article
%T Gout at sea
"""


def test_refer_is_read() -> None:
    assert detect_format(REFER.encode(), name="x").name == "refer"
    records, notes = read("refer", REFER)
    assert records[0] == Citation(
        title="Tides and sleep",
        authors=(Author(family="Berg", given="Anna"), Author(family="Cole", given="Carl")),
        abstract="We measured tides.",
        journal="Journal of Tides",
        issn=("2049-3630",),
        volume="12",
        issue="3",
        first_page="123",
        last_page="128",
        date="2019-03-05",
        doi="10.5555/a1",
        pmid="1234567",
        keywords=("tides", "sleep"),
    )
    assert records[1].title == "Gout at sea"
    assert {name: value.example for name, value in notes.dropped.items()} == {"Z": "A note"}


def test_refer_without_types_has_an_empty_line_between_records() -> None:
    text = "%A Anna Berg\n%T Tides\n%J Journal of Tides\n%D 1984\n\n%A Carl Cole\n%T Gout\n"
    assert detect_format(text.encode(), name="x").name == "refer"
    records, notes = read("refer", text)
    assert [(record.title, record.authors[0].family) for record in records] == [("Tides", "Berg"), ("Gout", "Cole")]
    assert notes.lines == [1, 6]


OVID = """<1>
Unique Identifier
  24503683
Authors Full Name
  Berg, Anna B. Cole, Carl.
Title
  Tides and sleep
  in adults.
Source
  Journal of Tides. 12(3):123-8, 2014 Mar.
Abstract
  We measured tides.
Digital Object Identifier
  https://dx.doi.org/10.5555/a1
Subject Headings
  Tides

<2>
Title
  Gout at sea.
Authors
  Dale D., Elm E.
Source
  Journal of Tides. 12 (3) (pp 123-128), 2014. Date of Publication: March 2014.

<3>
TI  - Kelp
AU  - Dale D
SO  - a source of another kind
"""


def test_ovid_text_is_read() -> None:
    assert detect_format(OVID.encode(), name="x").name == "ovid"
    records, notes = read("ovid", OVID)
    assert records[0] == Citation(
        title="Tides and sleep in adults",
        authors=(Author(family="Berg", given="Anna B"), Author(family="Cole", given="Carl")),
        abstract="We measured tides.",
        journal="Journal of Tides",
        volume="12",
        issue="3",
        first_page="123",
        last_page="128",
        date="2014-03",
        doi="10.5555/a1",
        pmid="24503683",
    )
    second = records[1]
    assert [author.family for author in second.authors] == ["Dale", "Elm"]
    assert (second.volume, second.issue, second.first_page, second.last_page, second.date) == (
        *("12", "3", "123", "128"),
        "2014",
    )
    assert (records[2].title, records[2].journal) == ("Kelp", "")
    assert list(notes.dropped) == ["subject headings", "SO"]


ENDNOTE = """<?xml version="1.0"?><xml><records><record><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author><style face="normal">Berg, Anna</style></author><author>Tide Study Group,</author>
</authors></contributors><titles><title><style>Tides of </style><style face="italic">E. coli</style></title>
<secondary-title>Journal of Tides</secondary-title></titles>
<periodical><full-title>Journal of Tides</full-title><abbr-1>J Tides</abbr-1></periodical>
<pages>12-9</pages><volume>3</volume><number>1</number><keywords><keyword>a</keyword><keyword>b</keyword></keywords>
<dates><year>2020</year><pub-dates><date>Mar-Apr</date></pub-dates></dates><isbn>2049-3630&#xD;1234-5679</isbn>
<electronic-resource-num>10.5555/x</electronic-resource-num><accession-num>1234567</accession-num><notes>A note</notes>
</record></records></xml>"""


def test_endnote_xml_is_read() -> None:
    assert detect_format(ENDNOTE.encode(), name="x").name == "endnote"
    records, notes = read("endnote", ENDNOTE)
    assert records == (
        Citation(
            title="Tides of E. coli",
            authors=(Author(family="Berg", given="Anna"), Author(collective="Tide Study Group")),
            journal="Journal of Tides",
            abbreviation="J Tides",
            issn=("2049-3630", "1234-5679"),
            volume="3",
            issue="1",
            first_page="12",
            last_page="19",
            date="2020-03/2020-04",
            doi="10.5555/x",
            pmid="1234567",
            keywords=("a", "b"),
        ),
    )
    assert {name: value.example for name, value in notes.dropped.items()} == {"notes": "A note"}


MARC = """<marc:collection xmlns:marc="http://www.loc.gov/MARC21/slim"><marc:record>
<marc:controlfield tag="008">031015s2019    xx |||||||||||||||||eng||</marc:controlfield>
<marc:datafield tag="022" ind1=" " ind2=" "><marc:subfield code="a">2049-3630</marc:subfield></marc:datafield>
<marc:datafield tag="100" ind1="1" ind2=" "><marc:subfield code="a">Berg, Anna,</marc:subfield>
<marc:subfield code="e">author.</marc:subfield></marc:datafield>
<marc:datafield tag="245" ind1="1" ind2="0"><marc:subfield code="a">Tides :</marc:subfield>
<marc:subfield code="b">and sleep /</marc:subfield><marc:subfield code="c">Anna Berg.</marc:subfield></marc:datafield>
<marc:datafield tag="650" ind1=" " ind2="0"><marc:subfield code="a">Tides</marc:subfield>
<marc:subfield code="x">History.</marc:subfield></marc:datafield>
<marc:datafield tag="700" ind1="1" ind2=" "><marc:subfield code="a">Dale, D.</marc:subfield>
<marc:subfield code="e">editor.</marc:subfield></marc:datafield>
<marc:datafield tag="300" ind1=" " ind2=" "><marc:subfield code="a">12 p.</marc:subfield></marc:datafield>
</marc:record></marc:collection>"""


def test_marcxml_of_a_catalogue_is_read() -> None:
    assert detect_format(MARC.encode(), name="x").name == "marcxml"
    records, notes = read("marcxml", MARC)
    assert records == (
        Citation(
            title="Tides: and sleep",
            authors=(Author(family="Berg", given="Anna"),),
            issn=("2049-3630",),
            date="2019",
            language="en",
            keywords=("Tides--History",),
            contributors=(Contributor(role="editor", family="Dale", given="D."),),
        ),
    )
    assert list(notes.dropped) == ["field 300"]


def test_a_format_that_is_only_read_cannot_be_written() -> None:
    assert find_input_format("wos").suffix == ".ciw"
    with pytest.raises(FormatError, match="can only be read"):
        list(find_input_format("wos").write([RECORD]))


# CSV

AUTHORS = (Author(family="Berg", given="Anna"), Author(family="Cole", given="C."))
INITIALS = (Author(family="Berg", given="AB"), Author(family="Cole", given="C"))
DIALECTS: dict[str, Any] = {
    "zotero": (
        (
            '"Key","Item Type","Publication Year","Author","Title","Publication Title","ISSN","DOI","Url",'
            '"Abstract Note","Date","Pages","Issue","Volume",'
            '"Journal Abbreviation","Language","Extra","Manual Tags","Automatic Tags"\n'
            '"K","journalArticle","2022","Berg, Anna; Cole, C.","Tides","Journal of Tides","2049-3630","10.5555/a1","",'
            '"We measured.","2022-05","123-128","3","12","J Tides","eng","PMID: 1234567","tides; sleep","gout"\n'
        ),
        {"authors": AUTHORS, "pmid": "1234567", "date": "2022-05", "keywords": ("tides", "sleep", "gout")},
        set(),
    ),
    "pubmed": (
        (
            "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI\n"
            '1234567,Tides,"Berg AB, Cole C.","J Tides. 2022",Berg AB,'
            "Journal of Tides,2022,2022/05/01,PMC1,,10.5555/a1\n"
        ),
        {"authors": INITIALS, "pmid": "1234567", "date": "2022"},
        {"PMCID"},
    ),
    "rayyan": (
        (
            "key,title,year,month,day,journal,issn,volume,issue,pages,authors,url,language,publisher,location,abstract,"
            "notes,doi,keywords,pubmed_id\n"
            'rayyan-1,Tides,2022,5,1,Journal of Tides,2049-3630,12,3,123-128,"Berg, Anna and Cole, C.",,en,Quay,,'
            "We measured.,A note,10.5555/a1,tides;sleep,1234567\n"
        ),
        {"authors": AUTHORS, "pmid": "1234567", "date": "2022-05-01", "keywords": ("tides", "sleep")},
        set(),
    ),
    "covidence": (
        (
            "Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,Accession Number,DOI,Ref,"
            "Covidence #,Study,Notes,Tags\n"
            'Tides,"Berg, Anna; Cole, C.",We measured.,2022,5,Journal of Tides,12,3,123-128,77,10.5555/a1,1,#1,Berg,,\n'
        ),
        {"authors": AUTHORS, "date": "2022-05"},
        {"Accession Number"},
    ),
    "scopus": (
        (
            '"Authors","Author full names","Author(s) ID","Title","Year","Source title","Volume","Issue","Art. No.",'
            '"Page start","Page end","Cited by","DOI","Link","Affiliations","Abstract","Author Keywords",'
            '"Index Keywords",'
            '"ISSN","PubMed ID","Language of Original Document","Abbreviated Source Title","EID"\n'
            '"Berg A.; Cole C.","Berg, Anna (57190000001); Cole, C. (57190000002)","57190000001; 57190000002","Tides",'
            '"2022","Journal of Tides","12","3","","123","128","7","10.5555/a1","","Univ Marsh; Univ Quay",'
            '"We measured.",'
            '"tides; sleep","gout","20493630","1234567","English","J. Tides","2-s2"\n'
        ),
        {
            "authors": AUTHORS,
            "pmid": "1234567",
            "affiliations": ("Univ Marsh", "Univ Quay"),
            "keywords": ("tides", "sleep", "gout"),
        },
        {"Author(s) ID", "Cited by"},
    ),
    "endnote": (
        (
            "*Journal Article\nAuthor\tYear\tTitle\tSecondary Title\tVolume\tNumber\tPages\tISBN/ISSN\tAbstract\t"
            "Keywords\t"
            "Electronic Resource Number\tAuthor Address\tShort Title\n"
            "Berg, Anna//Cole, C.\t2022\tTides\tJournal of Tides\t12\t3\t123-8\t2049-3630\tWe measured.\ttides;sleep\t"
            "10.5555/a1\tUniv Marsh\tTides\n"
        ),
        {"authors": AUTHORS, "affiliations": ("Univ Marsh",), "keywords": ("tides", "sleep")},
        {"Short Title"},
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_csv_of_each_program_is_read_by_its_headers(dialect: str) -> None:
    text, expected, dropped = DIALECTS[dialect]
    assert detect_format(text.encode(), name="x").name == "csv"
    (record,), notes = read("csv", text)
    assert (record.title, record.journal, record.doi) == ("Tides", "Journal of Tides", "10.5555/a1")
    assert {name: getattr(record, name) for name in expected} == expected
    assert set(notes.dropped) == dropped
    if dialect != "pubmed":
        assert (record.volume, record.issue, record.first_page, record.last_page) == ("12", "3", "123", "128")
        assert record.abstract == "We measured."


def test_the_groups_of_a_pubmed_table_follow_a_semicolon() -> None:
    (record,), _ = read("csv", 'PMID,Title,Authors\n1,Tides,"Berg AB, Cole C; Tide Study Group."\n')
    assert record.authors == (*INITIALS, Author(collective="Tide Study Group"))


# Records that cannot be read

GOOD = {name: "".join((form.draft or form.write)([RECORD])) for name, form in FORMATS.items() if form.read}


def damaged(name: str) -> str:
    """A file of three records, of which the second is damaged."""
    text = "".join(
        (FORMATS[name].draft or FORMATS[name].write)(
            [Citation(title=t, doi=f"10.5555/{t}") for t in ("Aa", "Bb", "Cc")]
        )
    )
    return {
        "jsonl": lambda: text.replace('"title": "Bb"', '"title": ["Bb"').replace('"title":"Bb"', '"title":["Bb"'),
        "csl": lambda: text.replace('"Bb"', '"Bb'),
        "csv": lambda: text.replace("\r\nBb,", '\r\n"Bb,'),
        "bibtex": lambda: text.replace("{{Bb}}", "{{Bb}"),
    }.get(name, lambda: re.sub(r">Bb\.?<", ">Bb<<<", text))()


@pytest.mark.parametrize("name", ["pubmed", "pubmedset", "jats", "marcxml", "csl", "jsonl", "csv", "bibtex"])
def test_a_record_that_cannot_be_read_is_named_and_the_others_are_read(name: str) -> None:
    records, notes = read(name, damaged(name))
    assert [record.title for record in records] == ["Aa", "Cc"]
    (refused,) = notes.refused
    assert (refused.record, refused.line > 0) == (2, True)
    assert str(refused).startswith("record 2, line ")
    assert [f.record for f in check_file(damaged(name).encode(), FORMATS[name]) if f.rule == "readable"] == [2]


def test_a_record_without_any_value_is_named() -> None:
    records, notes = read("ris", "TY  - JOUR\nTI  - Aa\nER  -\n\nTY  - JOUR\nVL  - 3\nER  -\n\nTY  - JOUR\nTI  - Cc\n")
    assert [record.title for record in records] == ["Aa", "Cc"]
    assert str(notes.refused[0]) == "record 2, line 5: no title, name or identifier"
    assert notes.lines == [1, 9]


def test_a_file_cut_off_keeps_what_is_before() -> None:
    text = "".join(FORMATS["pubmedset"].write([RECORD, RECORD]))
    records, notes = read("pubmedset", text[: text.rindex("<Journal>")])
    assert (len(records), notes.refused[0].record, notes.refused[0].hint) == (1, 2, "the file is cut off or damaged")


def test_many_broken_rows_and_objects_end() -> None:
    records, notes = read("csv", "title,doi\n" + '"a\nb,c\n' * 500)
    assert notes.refused[-1].reason.startswith("more than 100 rows")
    assert len(records) <= 101
    _, notes = read("csl", '[{"id": 1}, ' + '{"id": "a}, ' * 300)
    assert notes.refused_count <= 103


def test_a_row_with_lines_in_a_cell_is_one_row() -> None:
    records, notes = read("csv", 'title,abstract,doi\nAa,"We\nmeasured",10.5555/a\nBb,"Again\nthis"\n')
    assert [record.abstract for record in records] == ["We measured", "Again this"]
    assert notes.refused == []


def test_without_notes_the_first_broken_record_is_an_error() -> None:
    reader = INPUT_FORMATS["jsonl"].read
    assert reader
    with pytest.raises(InputError, match="line 1: not a record"):
        list(reader(io.BytesIO(b"[]\n")))
