"""What NLM adds to a record, in PubMed XML, in nbib and as notes elsewhere."""

from __future__ import annotations

import io

import pytest

from medharvest.formats import find_format
from medharvest.formats.file_checks import check_schema
from medharvest.formats.medline_values import join_grant, split_grant_parts
from medharvest.records import (
    Author,
    Chemical,
    Citation,
    Contributor,
    Correction,
    Grant,
    Identifier,
    MeshHeading,
    MeshQualifier,
    OtherAbstract,
)

ARTICLE = """<PubmedArticleSet><PubmedArticle>
<MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">7</PMID>
<Article PubModel="Print-Electronic"><Journal><ISSN IssnType="Electronic">2049-3630</ISSN>
<JournalIssue CitedMedium="Internet"><Volume>2</Volume>
<PubDate><MedlineDate>2000 Dec 23-30</MedlineDate></PubDate></JournalIssue></Journal>
<ArticleTitle>Sleep by the sea.</ArticleTitle>
<Pagination><MedlinePgn>123-124.e2</MedlinePgn></Pagination>
<ELocationID EIdType="doi" ValidYN="N">10.5555/wrong</ELocationID>
<ELocationID EIdType="doi" ValidYN="Y">10.5555/right</ELocationID>
<Abstract><AbstractText>We slept.</AbstractText><CopyrightInformation>© Quay</CopyrightInformation></Abstract>
<AuthorList CompleteYN="N"><Author ValidYN="N"><LastName>Bergh</LastName><ForeName>Anna</ForeName></Author>
<Author ValidYN="Y"><LastName>Berg</LastName><ForeName>Anna</ForeName><Initials>A</Initials></Author></AuthorList>
<Language>eng</Language><Language>spa</Language>
<DataBankList CompleteYN="Y"><DataBank><DataBankName>ClinicalTrials.gov</DataBankName><AccessionNumberList>
<AccessionNumber>NCT00000001</AccessionNumber></AccessionNumberList></DataBank></DataBankList>
<GrantList CompleteYN="Y"><Grant><GrantID>R01 HL123456</GrantID><Acronym>HL</Acronym><Agency>NHLBI NIH HHS</Agency>
<Country>United States</Country></Grant><Grant><Agency>Quay Trust</Agency><Country>Norway</Country></Grant></GrantList>
<PublicationTypeList><PublicationType UI="D016428">Journal Article</PublicationType></PublicationTypeList></Article>
<MedlineJournalInfo><Country>Norway</Country><MedlineTA>J Tides</MedlineTA><NlmUniqueID>0000001</NlmUniqueID>
<ISSNLinking>1234-5679</ISSNLinking></MedlineJournalInfo>
<ChemicalList><Chemical><RegistryNumber>EC 2.7.7.49</RegistryNumber><NameOfSubstance UI="D1">Tidase</NameOfSubstance>
</Chemical></ChemicalList>
<SupplMeshList><SupplMeshName Type="Disease" UI="C1">Tide fever</SupplMeshName></SupplMeshList>
<CommentsCorrectionsList>
<CommentsCorrections RefType="RetractionIn"><RefSource>J Tides. 2002;4:9. doi: 10.5555/r</RefSource>
<PMID Version="1">8</PMID><Note>by the editor</Note></CommentsCorrections>
<CommentsCorrections RefType="Cites"><RefSource>J Tides. 1999;1:1</RefSource><PMID Version="1">3</PMID>
</CommentsCorrections></CommentsCorrectionsList>
<MeshHeadingList><MeshHeading><DescriptorName UI="D2" MajorTopicYN="N">Sleep</DescriptorName>
<QualifierName UI="Q1" MajorTopicYN="Y">drug effects</QualifierName></MeshHeading>
<MeshHeading><DescriptorName UI="D3" MajorTopicYN="N" Type="Geographic">Norway</DescriptorName></MeshHeading>
</MeshHeadingList>
<PersonalNameSubjectList><PersonalNameSubject><LastName>Moe</LastName><ForeName>Ola</ForeName></PersonalNameSubject>
</PersonalNameSubjectList>
<OtherID Source="NLM">PMC0001</OtherID>
<OtherAbstract Type="Publisher" Language="spa"><AbstractText Label="FIN">Dormimos.</AbstractText></OtherAbstract>
<InvestigatorList><Investigator ValidYN="Y"><LastName>Cole</LastName><ForeName>R</ForeName><Suffix>Jr</Suffix>
<AffiliationInfo><Affiliation>Quay</Affiliation></AffiliationInfo></Investigator></InvestigatorList>
<GeneralNote Owner="NLM">Original in colour</GeneralNote></MedlineCitation>
<PubmedData><PublicationStatus>ppublish</PublicationStatus><ArticleIdList><ArticleId IdType="pubmed">7</ArticleId>
<ArticleId IdType="pmc">PMC1234567</ArticleId></ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>"""
READ = Citation(
    title="Sleep by the sea",
    authors=(Author(family="Berg", given="Anna"),),
    more_authors=True,
    abstract="We slept.",
    copyright="© Quay",
    other_abstracts=(OtherAbstract("", "es", "FIN: Dormimos."),),
    abbreviation="J Tides",
    issn=("2049-3630", "1234-5679"),
    volume="2",
    first_page="123",
    last_page="124.e2",
    date="2000-12-23/2000-12-30",
    doi="10.5555/right",
    pmid="7",
    language="en",
    other_languages=("es",),
    publication_types=("Journal Article",),
    funding=("NHLBI NIH HHS (HL; United States), grant R01 HL123456", "Quay Trust (Norway)"),
    grants=(Grant("NHLBI NIH HHS", "R01 HL123456"),),
    references=("J Tides. 1999;1:1 PMID: 3",),
    publisher_place="Norway",
    contributors=(
        Contributor(role="investigator", family="Cole", given="R", suffix="Jr", affiliations=("Quay",)),
        Contributor(role="subject", family="Moe", given="Ola"),
    ),
    identifiers=(
        Identifier("pmcid", "PMC1234567"),
        Identifier("nlm", "0000001"),
        Identifier("ClinicalTrials.gov", "NCT00000001"),
        Identifier("NLM", "PMC0001"),
        Identifier("issn-electronic", "2049-3630"),
        Identifier("issn-linking", "1234-5679"),
    ),
    mesh=(
        MeshHeading(name="Sleep", ui="D2", qualifiers=(MeshQualifier("drug effects", "Q1", major=True),)),
        MeshHeading(name="Norway", ui="D3", type="Geographic"),
        MeshHeading(name="Tide fever", ui="C1", type="Disease"),
    ),
    chemicals=(Chemical("Tidase", "D1", "EC 2.7.7.49"),),
    corrections=(
        Correction(kind="RetractionIn", source="J Tides. 2002;4:9.", pmid="8", doi="10.5555/r", note="by the editor"),
    ),
    notes=("Original in colour",),
)
CHAPTER = Citation(
    item_type="chapter",
    title="Sleep at sea",
    journal="Handbook of Tides",
    publisher="Quay Press",
    publisher_place="Tide",
    edition="2nd",
    authors=(Author(family="Berg", given="Anna"),),
    contributors=(Contributor(role="editor", family="Cole", given="R"),),
    date="2010-09",
    first_page="vii",
    last_page="xii",
    pmid="5",
    identifiers=(Identifier("isbn", "9780306406157"),),
    language="en",
    publication_types=("Review",),
)
BOOK = Citation(
    item_type="book",
    title="Handbook of Tides",
    journal="Tides and People",
    publisher="Quay Press",
    date="2010",
    authors=(Author(family="Berg", given="Anna"),),
    publication_types=("Review",),
)


def write(name: str, *citations: Citation) -> bytes:
    return "".join(find_format(name).write(citations)).encode()


def read(name: str, body: bytes | str) -> list[Citation]:
    reader = find_format(name).read
    assert reader
    return list(reader(io.BytesIO(body if isinstance(body, bytes) else body.encode())))


def test_all_that_nlm_adds_is_read_written_and_valid() -> None:
    assert read("pubmedset", ARTICLE) == [READ]
    body = write("pubmedset", READ)
    assert read("pubmedset", body) == [READ]
    assert list(check_schema(body, "pubmedset")) == []


def test_tagged_lines_have_all_but_the_identifiers_of_headings() -> None:
    text = write("nbib", READ).decode()
    for line in (
        "IS  - 2049-3630 (Electronic)",
        "IS  - 1234-5679 (Linking)",
        "DP  - 2000 Dec 23-30",
        "PG  - 123-124.e2",
        "CI  - © Quay",
        "FAU - et al.",
        "FIR - Cole, R Jr",
        "IRAD- Quay",
        "LA  - spa",
        "SI  - ClinicalTrials.gov/NCT00000001",
        "GR  - R01 HL123456/HL/NHLBI NIH HHS/United States",
        "MH  - Sleep/*drug effects",
        "RN  - EC 2.7.7.49 (Tidase)",
        "RIN - J Tides. 2002;4:9. doi: 10.5555/r PMID: 8",
        "OID - NLM: PMC0001",
        "PMC - PMC1234567",
        "JID - 0000001",
        "OABL- spa",
        "GN  - Original in colour",
    ):
        assert f"{line}\n" in text
    (found,) = read("nbib", text)
    assert {(one.scheme, one.value) for one in found.identifiers} == {
        (one.scheme, one.value) for one in READ.identifiers
    }
    for name in ("authors", "more_authors", "contributors", "funding", "other_languages", "date", "notes", "issn"):
        assert getattr(found, name) == getattr(READ, name)
    assert found.corrections == (
        Correction(kind="RetractionIn", source="J Tides. 2002;4:9.", pmid="8", doi="10.5555/r"),
    )


@pytest.mark.parametrize("name", ["pubmedset", "nbib"])
@pytest.mark.parametrize("record", [CHAPTER, BOOK], ids=["chapter", "book"])
def test_books_and_chapters_keep_their_type(name: str, record: Citation) -> None:
    body = write(name, record)
    assert read(name, body) == [record]
    assert list(check_schema(body, name)) == []


@pytest.mark.parametrize("name", ["ris", "bibtex", "csl", "jats", "csv"])
def test_retractions_trials_and_books_survive_other_formats(name: str) -> None:
    record = Citation(
        title="Sleep",
        date="1984-35",
        item_type="chapter",
        notes=("A note: of a kind",),
        corrections=READ.corrections[:1],
        identifiers=(Identifier("isbn", "978-0-306-40615-7"), Identifier("ISRCTN", "ISRCTN00000001")),
        contributors=(Contributor(role="editor", family="Cole", given="R"),),
        edition="2nd",
        publisher_place="Tide",
    )
    (found,) = read(name, write(name, record))
    for field in ("item_type", "date", "notes", "corrections", "contributors", "edition", "publisher_place"):
        assert getattr(found, field) == getattr(record, field)
    assert set(found.identifiers) == set(record.identifiers)
    assert found.issn == ()


def test_jats_has_elements_for_links_and_headings() -> None:
    body = write("jats", READ)
    text = body.decode()
    assert 'related-article-type="retraction-forward" ext-link-type="doi" xlink:href="10.5555/r"' in text
    assert '<kwd-group kwd-group-type="MeSH">' in text
    assert '<issn publication-format="electronic">2049-3630</issn>' in text
    assert list(check_schema(body, "jats")) == []
    (found,) = read("jats", body)
    assert (found.mesh, found.chemicals, found.corrections) == (READ.mesh, READ.chemicals, READ.corrections)


def test_publisher_xml_says_what_an_article_retracts_and_its_trials() -> None:
    record = Citation(
        title="Retraction: Sleep",
        corrections=(Correction(kind="RetractionOf", pmid="7"), Correction(kind="ErratumFor", doi="10.5555/e")),
        identifiers=(Identifier("ClinicalTrials.gov", "NCT00000001"),),
        copyright="© Quay",
    )
    (found,) = read("pubmed", "".join(find_format("pubmed").draft([record])))  # type: ignore[misc]
    assert (found.corrections, found.identifiers) == (record.corrections, record.identifiers)
    assert found.copyright == "© Quay"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "NHLBI NIH HHS (HL; United States), grant R01 HL123456",
            ("NHLBI NIH HHS", "HL", "United States", "R01 HL123456"),
        ),
        ("Quay Trust (Norway)", ("Quay Trust", "", "Norway", "")),
        ("Quay Fund, grant 98/14", ("Quay Fund", "", "", "98/14")),
        ("Quay Fund grant no. R01 HL123456", ("Quay Fund", "", "", "R01 HL123456")),
    ],
)
def test_a_grant_stays_whole(line: str, parts: tuple[str, str, str, str]) -> None:
    assert split_grant_parts(line) == parts
    agency, acronym, country, number = parts
    assert split_grant_parts(join_grant(agency, number, acronym, country)) == parts


def test_a_sentence_is_no_grant() -> None:
    assert split_grant_parts("We were paid by the sea (and the tide).") == ("", "", "", "")
