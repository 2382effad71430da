"""Files as other programs write them: own small examples of what users bring."""
# ruff: noqa: E501  (such files have long lines)

import io
from dataclasses import replace
from typing import Any

import pytest

from medharvest.errors import InputError
from medharvest.formats import FORMATS, detect_format
from medharvest.records import Author, Citation, Contributor, Grant, Identifier, NamedDate, OtherAbstract, Section


def read(name: str, text: str | bytes) -> list[Citation]:
    form = FORMATS[name]
    assert form.read
    return list(form.read(io.BytesIO(text if isinstance(text, bytes) else text.encode())))


def one(name: str, text: str) -> Citation:
    (found,) = read(name, text)
    return found


def test_publisher_xml_with_what_ours_does_not_write() -> None:
    found = one(
        "pubmed",
        """<!DOCTYPE ArticleSet PUBLIC "-//NLM//DTD PubMed 2.8//EN" "https://dtd.example.org/PubMed.dtd">
        <ArticleSet><Article><Journal><PublisherName/><JournalTitle>J Tides</JournalTitle><Issn/>
        <PubDate><Year>2025</Year><Season>Mar-Apr</Season></PubDate></Journal>
        <ArticleTitle>&beta;-Blockers<!-- x --> &amp; CO<inf>2</inf> <mml:math xmlns:mml="m"><mml:mi>x</mml:mi></mml:math>
        </ArticleTitle><FirstPage>e12345</FirstPage>
        <AuthorList><Author><FirstName>Ann</FirstName><MiddleName>B</MiddleName><LastName>Berg</LastName>
        <Affiliation>Quay &amp; Co</Affiliation><Identifier Source="ORCID">https://orcid.org/0000-0002-1825-0097</Identifier>
        </Author></AuthorList>
        <ArticleIdList><ArticleId>S1</ArticleId></ArticleIdList>
        <History><PubDate><Year>2024</Year></PubDate></History>
        <Abstract>Plain <b>bold</b>.</Abstract><OtherAbstract Language="xx">Autre</OtherAbstract>
        <ObjectList><Object Type="grant"><Param Name="grantor">Quay Fund</Param></Object><Object Type="erratum"/></ObjectList>
        <ReferenceList><Reference><PMID>1</PMID></Reference><ReferenceList><Reference><Citation>A.</Citation></Reference>
        </ReferenceList></ReferenceList></Article></ArticleSet>""",
    )
    assert found.title == "β-Blockers & CO2 x"
    assert found.title_html == "β-Blockers &amp; CO<sub>2</sub> x"
    assert found.date == "2025-03/2025-04"
    assert (found.first_page, found.article_number) == ("", "e12345")
    assert found.authors == (Author(family="Berg", given="Ann B", orcid="0000-0002-1825-0097", affiliations=(0,)),)
    assert found.affiliations == ("Quay & Co",)
    assert found.pii == "S1"
    assert found.dates == (NamedDate("ppublish", "2024"),)
    assert (found.abstract, found.abstract_html) == ("Plain bold.", "Plain <b>bold</b>.")
    assert found.other_abstracts == (OtherAbstract("", "xx", "Autre"),)
    assert found.funding == ("Quay Fund",)
    assert found.references == ("A.",)


def test_pubmed_as_it_hands_records_out() -> None:
    found = one(
        "pubmedset",
        """<PubmedArticleSet><PubmedBookArticle/><PubmedArticle><MedlineCitation><PMID Version="1">7</PMID><Article>
        <Journal><ISSN IssnType="Print">2049-3630</ISSN><JournalIssue><PubDate><MedlineDate>2024 Dec-2025 Jan</MedlineDate>
        </PubDate></JournalIssue><Title>Journal of Tides</Title></Journal>
        <ArticleTitle>[Sleep at sea].</ArticleTitle><Pagination><MedlinePgn>304-10</MedlinePgn></Pagination>
        <ELocationID EIdType="doi">10.5555/a1</ELocationID>
        <Abstract><AbstractText>Only <i>text</i>.</AbstractText></Abstract>
        <AuthorList><Author><LastName>Berg</LastName><Initials>A</Initials><Suffix>3rd</Suffix></Author>
        <Author><CollectiveName>Tide Group</CollectiveName></Author></AuthorList><Language>fre</Language>
        <GrantList><Grant><GrantID>7</GrantID><Agency>Quay</Agency></Grant></GrantList>
        <VernacularTitle>Le sommeil.</VernacularTitle>
        <ArticleDate><Year>2024</Year><Month>11</Month><Day>02</Day></ArticleDate></Article>
        <MedlineJournalInfo><MedlineTA>J Tides</MedlineTA></MedlineJournalInfo></MedlineCitation>
        <PubmedData><History><PubMedPubDate PubStatus="entrez"><Year>2024</Year></PubMedPubDate></History></PubmedData>
        </PubmedArticle></PubmedArticleSet>""",
    )
    assert found == Citation(
        title="Sleep at sea",
        vernacular_title="Le sommeil",
        authors=(Author(family="Berg", given="A", suffix="III"), Author(collective="Tide Group")),
        abstract="Only text.",
        abstract_html="Only <i>text</i>.",
        journal="Journal of Tides",
        abbreviation="J Tides",
        issn=("2049-3630",),
        first_page="304",
        last_page="310",
        date="2024-12/2025-01",
        dates=(NamedDate("epublish", "2024-11-02"),),
        doi="10.5555/a1",
        pmid="7",
        language="fr",
        funding=("Quay, grant 7",),
        grants=(Grant("Quay", "7"),),
    )
    bare = "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    assert one("pubmedset", bare) == Citation(pmid="7")
    empty = "<PubmedArticle><MedlineCitation><Article><Journal/></Article></MedlineCitation></PubmedArticle>"
    assert one("pubmedset", empty) == Citation()


def test_medline_with_short_names_many_grants_and_no_empty_line_between() -> None:
    text = """PMID- 1
TI  - A long title that goes on
      below.
AU  - Berg AB
AU  - Suharti
CN  - Tide Group
GR  - R01/HL/NHLBI NIH HHS/United States
GR  - 12/Quay Fund/Norway
GR  - Tide Trust
PHST- 2024/09/02 00:00 [received]
PHST- 2024/09/03 00:00 [entrez]
DEP - 20250201
IS  - 2049-3630 (Print)
IS  - 2049-3630 (Linking)
PMID- 2
TI  - Next?
FAU - DeVita, Vincent T 2nd
AU  - DeVita VT 2nd
AD  - Quay.
AUID- ORCID: 0000-0002-1825-0097
"""
    first, second = read("nbib", text)
    assert first.title == "A long title that goes on below"
    assert first.authors == (
        Author(family="Berg", given="AB"),
        Author(family="Suharti"),
        Author(collective="Tide Group"),
    )
    assert first.funding == (
        "NHLBI NIH HHS (HL; United States), grant R01",
        "Quay Fund (Norway), grant 12",
        "Tide Trust",
    )
    assert first.dates == (NamedDate("received", "2024-09-02"), NamedDate("epublish", "2025-02-01"))
    assert first.issn == ("2049-3630",)
    assert second.title == "Next?"
    assert second.authors == (
        Author(family="DeVita", given="Vincent T", suffix="II", orcid="0000-0002-1825-0097", affiliations=(0,)),
    )


def test_ris_of_other_programs() -> None:
    text = """1.
TY  - JOUR
T1  - Sleep at sea
A1  - Berg, A. B.
AU  - Cole, Jr.
AU  - Tide Study Group
JF  - Journal of Tides
JA  - J Tides
SP  - 304-310
Y1  - 2010/09//
DO  - https://doi.org/10.5555/a1
AN  - PMID: 77
SN  - 2049-3630; 1234-5679
N2  - An abstract
that goes on.
L2  - https://journal.example.org/1
ER  -
TY  - JOUR
TI  - Without an end
AN  - WOS:0001
PY  - 2011///Winter
SP  - e1234
"""
    first, second = read("ris", text)
    assert first == Citation(
        url="https://journal.example.org/1",
        title="Sleep at sea",
        authors=(
            Author(family="Berg", given="A. B."),
            Author(family="Cole", suffix="Jr"),
            Author(collective="Tide Study Group"),
        ),
        abstract="An abstract that goes on.",
        journal="Journal of Tides",
        abbreviation="J Tides",
        issn=("2049-3630", "1234-5679"),
        first_page="304",
        last_page="310",
        date="2010-09",
        doi="10.5555/a1",
        pmid="77",
    )
    assert (second.title, second.pmid, second.date) == ("Without an end", "", "2011-24")
    assert second.article_number == "e1234"


def test_bibtex_of_other_programs() -> None:
    text = r"""% a comment
@string{jt = "Journal of Tides"}
@preamble{"\newcommand{x}"}
@comment{nothing}
@Article{berg:10,
  Author = "Anna {van den} Berg and de la Cruz, Jr, Jos{\'e} and {Sukarno} and Ludwig van Beethoven and {WHO Group}",
  title = {{CO$_2$} and \textit{E. coli} at 10$^{-3}$: {\"U}ber na\"ive {\O}resund \& Ko{\v s}ice --- 50\%},
  journal = jt # { of the Quay},
  pages = {12--19}, year = 2010, month = "September", day = 5,
  keywords = {sleep, tide},
  language = {french}, url = {https://journal.example.org/a_b},
  doi = {https://doi.org/10.5555/a_1},
}
@book(key, title = {Other}, year = {2011}, month = jan, number = 4)
@article{cut, title = {Never closed
"""
    first, second, third = read("bibtex", text)
    assert first.title == "CO2 and E. coli at 10-3: Über naïve Øresund & Košice — 50%"
    assert first.title_html == (
        "CO<sub>2</sub> and <i>E. coli</i> at 10<sup>-3</sup>: Über naïve Øresund &amp; Košice — 50%"
    )
    assert first.authors == (
        Author(family="van den Berg", given="Anna"),
        Author(family="de la Cruz", given="José", suffix="Jr"),
        Author(family="Sukarno"),
        Author(family="van Beethoven", given="Ludwig"),
        Author(collective="WHO Group"),
    )
    assert first.journal == "Journal of Tides of the Quay"
    assert (first.first_page, first.last_page, first.date) == ("12", "19", "2010-09-05")
    assert first.keywords == ("sleep", "tide")
    assert (first.language, first.doi, first.url) == ("fr", "10.5555/a_1", "https://journal.example.org/a_b")
    assert (second.title, second.date, second.issue) == ("Other", "2011-01", "4")
    assert third.title == "Never closed"


def test_csl_of_other_programs() -> None:
    text = """[{"id": "a", "title": ["Sleep"], "container-title": ["Journal of Tides"], "issued": {"raw": "2010-9-5"},
    "author": [{"family": "Berg", "given": "A", "dropping-particle": "von"}, {"given": "Suharti"}, "odd", {"x": 1}],
    "page": "12–19", "volume": 7, "ISSN": "2049-3630, 1234-5679", "number": {"odd": 1}, "journalAbbreviation": "J Tides"},
    {"title": "Span", "issued": {"date-parts": [["2010", 3], [2010, 4]]}, "page": "e12345"},
    {"title": "Season", "issued": {"date-parts": [[2010]], "season": "3"}, "author": "odd"},
    {"title": "Odd", "issued": {"date-parts": [[], "x", [null]]}}, {"issued": "soon"}]"""
    first, second, third, fourth, fifth = read("csl", text)
    assert first == Citation(
        title="Sleep",
        authors=(Author(family="von Berg", given="A"), Author(family="Suharti")),
        journal="Journal of Tides",
        abbreviation="J Tides",
        issn=("2049-3630", "1234-5679"),
        volume="7",
        first_page="12",
        last_page="19",
        date="2010-09-05",
    )
    assert (second.date, second.article_number) == ("2010-03/2010-04", "e12345")
    assert third.date == "2010-23"
    assert (fourth, fifth) == (Citation(title="Odd"), Citation())


@pytest.mark.parametrize("text", ["[1]", "nonsense", '[{"title": "cut', '{"a": 1} x', "[" * 10 + '"x"'])
def test_json_that_holds_no_objects_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match="not csl JSON"):
        read("csl", text)


def test_json_nested_too_deeply_or_without_end_is_an_error() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        read("csl", '{"a":' * 100_000)
    with pytest.raises(InputError, match="has no end"):
        read("csl", '{"a": "' + "x" * 5_000_000)


def test_jats_of_other_publishers() -> None:
    text = """<article xmlns:xlink="http://www.w3.org/1999/xlink" xml:lang="en"><front><journal-meta>
    <journal-id journal-id-type="nlm-ta">J Tides</journal-id><journal-title>Journal of Tides</journal-title>
    <issn pub-type="ppub">2049-3630</issn><issn pub-type="epub">2049-3630</issn></journal-meta><article-meta>
    <title-group><article-title>Sleep</article-title><trans-title-group xml:lang="fr"><trans-title>Sommeil</trans-title>
    </trans-title-group></title-group>
    <contrib-group><contrib contrib-type="author"><name><surname>Berg</surname><given-names>A</given-names></name>
    <xref ref-type="aff" rid="a1 a2"/></contrib>
    <contrib contrib-type="editor"><name><surname>Cole</surname></name></contrib>
    <contrib><name><given-names>Suharti</given-names></name><aff>Own place</aff></contrib></contrib-group>
    <aff id="a1"><label>1</label>Quay</aff><aff id="a2">Tide</aff>
    <pub-date pub-type="epub"><day>5</day><month>9</month><year>2010</year></pub-date>
    <pub-date pub-type="ppub"><season>Mar-Apr</season><year>2011</year></pub-date>
    <fpage>12</fpage><history><date date-type="rev-recd"><year>2009</year></date><date><year>2009</year></date></history>
    <abstract abstract-type="graphical"><p>picture</p></abstract>
    <abstract><title>Abstract</title><p>One.</p><p>Two.</p></abstract>
    <author-notes><fn fn-type="conflict"><p>None.</p></fn></author-notes>
    </article-meta></front><back><ref-list><ref><element-citation><source>Tide J</source></element-citation></ref>
    <ref/></ref-list></back><sub-article><front><article-meta/></front></sub-article></article>"""
    found = one("jats", text)
    assert found == Citation(
        title="Sleep",
        authors=(
            Author(family="Berg", given="A", affiliations=(1, 2)),
            Author(family="Suharti", affiliations=(0,)),
        ),
        affiliations=("Own place", "Quay", "Tide"),
        abstract="One. Two.",
        journal="Journal of Tides",
        abbreviation="J Tides",
        issn=("2049-3630",),
        first_page="12",
        date="2011-03/2011-04",
        dates=(NamedDate("revised", "2009"), NamedDate("epublish", "2010-09-05")),
        language="en",
        references=("Tide J",),
        conflict="None.",
        contributors=(Contributor(role="editor", family="Cole"),),
        identifiers=(Identifier("issn-print", "2049-3630"), Identifier("issn-electronic", "2049-3630")),
    )
    assert read("jats", "<article><front/></article>") == []
    mixed = "<article><front><article-meta><abstract><p>Lead.</p><sec><title>Aim</title><p>a</p><p>b</p></sec></abstract></article-meta></front></article>"
    assert one("jats", mixed).sections == (Section("", "Lead."), Section("Aim", "a b"))
    assert one("jats", mixed).abstract == "Lead. Aim: a b"


def test_csv_of_other_programs() -> None:
    text = "\ufeffArticle Title;Authors;Publication Year;Source title;Note\r\nSleep;Berg, A.; Cole, R.;2010;J Tides;x\r\n;;;;\r\n"
    found = one("csv", text.replace("Berg, A.; Cole, R.", '"Berg, A.; Cole, R."'))
    assert found == Citation(
        title="Sleep",
        authors=(Author(family="Berg", given="A."), Author(family="Cole", given="R.")),
        journal="J Tides",
        date="2010",
    )
    assert one("csv", "title,year\nSleep,2010 Mar-Apr\n").date == "2010-03/2010-04"


@pytest.mark.parametrize("text", ["", "name,year\nx,2010\n"])
def test_a_table_without_titles_is_refused_with_the_columns(text: str) -> None:
    with pytest.raises(InputError, match="no column is named title") as caught:
        read("csv", text)
    assert "authors" in caught.value.hint


def test_a_cell_too_long_for_a_table_is_an_error() -> None:
    with pytest.raises(InputError, match="not CSV"):
        read("csv", "title\n" + "x" * 200_000)


@pytest.mark.parametrize("cell", ["=SUM(A1)", "+1", "-1", "@home", "'=x", "''+1"])
def test_no_cell_is_a_formula_to_a_spreadsheet_and_each_comes_back(cell: str) -> None:
    text = "".join(FORMATS["csv"].write([Citation(title=cell)]))
    assert text.splitlines()[1].startswith(f"'{cell}")
    assert one("csv", text).title == cell


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "{",
        '{"title": 1}',
        '{"authors": [1]}',
        '{"authors": [{"age": 3}]}',
        '{"authors": "Berg"}',
        '{"kind": "poem"}',
        '{"evidence": {"title": [1]}}',
        '{"dates": [1]}',
        '{"a":' * 100_000,
    ],
)
def test_a_line_that_holds_no_record_is_an_error_with_its_number(line: str) -> None:
    with pytest.raises(InputError, match="line 3: not a record"):
        read("jsonl", '{"title": "a", "file": "x", "pmid": null}\n\n' + line)


def test_broken_xml_is_an_error_with_its_line() -> None:
    with pytest.raises(InputError, match="line 2: not well-formed XML"):
        read("pubmed", "<ArticleSet>\n<Article></Journal>")


def test_a_record_without_end_is_an_error() -> None:
    with pytest.raises(InputError, match="has no end"):
        read("ris", "TY  - JOUR\nAB  - " + ("words " * 100 + "\n") * 5_000)
    with pytest.raises(InputError, match="has no end"):
        read("bibtex", "@article{a,\n title = {\n" + ("words " * 100 + "\n") * 9_000)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bibtex", "@article{a, title = {" + "{" * 100_000 + "x"),
        ("bibtex", "@article{a, title = {" + "\\" * 100_000 + "}}"),
        ("bibtex", "@article{a, author = {" + " and ".join(["{a"] * 50_000) + "}}"),
        ("bibtex", "@article{a, title = {" + "$" * 100_000 + "}}"),
        ("nbib", "PMID- 1\nAB  - " + "A: " * 100_000),
        ("nbib", "PMID- 1\nTI  - " + "[" * 100_000),
        ("ris", "TY  - JOUR\nAU  - " + "," * 100_000),
        ("csv", "title\n" + "a | " * 30_000),
        ("pubmed", "<ArticleSet><Article><ArticleTitle>" + "<i>" * 200 + "x" + "</i>" * 200 + "</ArticleTitle></Article></ArticleSet>"),
        ("jats", "<article><front><article-meta>" + "<aff id='a'>x</aff>" * 20_000 + "</article-meta></front></article>"),
    ],
)  # fmt: skip
def test_hostile_files_are_read_in_bounded_time(name: str, text: str) -> None:
    read(name, text)


def test_entities_of_a_file_are_not_expanded() -> None:
    text = '<!DOCTYPE ArticleSet [<!ENTITY a "boom"><!ENTITY f SYSTEM "file:///etc/hostname">]><ArticleSet><Article>'
    found = one("pubmed", text + "<ArticleTitle>x &a; &f; y</ArticleTitle></Article></ArticleSet>")
    assert found.title == "x &a; &f; y"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "<?xml version='1.0'?>\n<!-- x --><!DOCTYPE ArticleSet SYSTEM 'x' [ <!ENTITY a 'b'> ]>\n<ArticleSet>",
            "pubmed",
        ),
        ("<PubmedArticle>", "pubmedset"),
        ("\ufeffPMID- 1\n", "nbib"),
        ("\n1.\nTY  - JOUR", "ris"),
        ("% mine\n@article{a,", "bibtex"),
        ('[{"id": "a", "title": "x"}]', "csl"),
        ("<article article-type='x'>", "jats"),
        ("<pmc-articleset><article>", "jats"),
        ("PMID,Title,Authors\n", "csv"),
        ('{"file": "a.html", "title": "x"}', "jsonl"),
    ],
)
def test_a_file_shows_its_format(text: str, name: str) -> None:
    assert detect_format(text.encode(), name="x").name == name


@pytest.mark.parametrize("text", ["", "Dear editor,\n", "<html>", "\x00\x01", "<" * 5000, "[" * 5000, "<!--" * 2000])
def test_a_file_that_shows_none_is_refused_with_the_names(text: str) -> None:
    with pytest.raises(InputError, match="format not recognised: x") as caught:
        detect_format(text.encode(), name="x")
    assert "nbib" in caught.value.hint


TAGGED = Citation(
    title="x",
    abstract="AIM: CO2 < 5. RESULTS: none.",
    abstract_html="AIM: CO<sub>2</sub> &lt; 5. RESULTS: none.",
    sections=(Section("AIM", "CO2 < 5."), Section("RESULTS", "none.")),
)


@pytest.mark.parametrize("name", ["pubmed", "pubmedset", "jats"])
def test_tags_of_a_structured_abstract_stay_in_their_part(name: str) -> None:
    text = "".join(FORMATS[name].write([TAGGED]))
    assert "CO<sub>2</sub> &lt; 5." in text
    found = one(name, text)
    assert (found.abstract_html, found.sections) == (TAGGED.abstract_html, TAGGED.sections)


@pytest.mark.parametrize(
    "tagged",
    [
        "AIM: <i>CO2 &lt; 5. RESULTS: none</i>.",  # reaches into the next part
        "<b>AIM: CO2 &lt; 5.</b> RESULTS: none.",
        "Something else <i>altogether</i>",
        "<i></i>" * 600_000 + "AIM: CO2 &lt; 5. RESULTS: none.",
    ],
    ids=range(4),
)
def test_tags_that_fit_no_part_are_left_out(tagged: str) -> None:
    text = "".join(FORMATS["pubmed"].write([replace(TAGGED, abstract_html=tagged)]))
    assert '<AbstractText Label="AIM">CO2 &lt; 5.</AbstractText>' in text


def known(**values: Any) -> str:
    return "".join(FORMATS["nbib"].write([Citation(title="Sleep", **values)]))


def test_medline_lines_are_cut_between_words_and_a_long_word_stays_whole() -> None:
    text = known(abstract="word " * 40 + "x" * 200 + " end")
    assert all(len(line) <= 88 or "x" * 200 in line for line in text.splitlines())
    assert one("nbib", text).abstract.endswith("x" * 200 + " end")
    whole = known(abstract="y" * 300)
    assert one("nbib", whole).abstract == "y" * 300


def test_a_sentence_about_money_is_no_grant() -> None:
    text = known(
        funding=("Lutetium was bought at list price; nobody supported the study.", "Quay Fund, grant no. 12/3")
    )
    assert one("nbib", text).funding == ("Quay Fund, grant 12/3",)


def test_options_of_a_list_of_names_are_no_names() -> None:
    text = (
        "@book{a, author = {useprefix=false and useprefix=true, given=Anna, prefix=van, family=Kamp}, title = {Tide}}"
    )
    (citation,) = read("bibtex", text)
    assert citation.authors == (Author(family="van Kamp", given="Anna"),)


def test_braces_after_an_escaped_backslash_close_a_value() -> None:
    text = "@article{a,\n title = {Tide \\\\},\n year = {2010}}\n@article{b, title = {Quay}}"
    assert [record.title for record in read("bibtex", text)][-1] == "Quay"
