from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.citations.strategies import any_of

from medharvest import demo
from medharvest.formats import FORMATS, file_checks
from medharvest.formats.file_checks import check_schema, find_refusals, load_article_set_schema, load_content_models
from medharvest.records import Citation

BUNDLED = tuple(article.citation for issue in demo.list_demo_issues() for article in issue.articles)
SAMPLE = """<ArticleSet>
<Article>
<Journal>
<PublisherName>Quay Press</PublisherName>
<JournalTitle>J Tides</JournalTitle>
<Issn>2049-3630</Issn>
<PubDate PubStatus="ppublish"><Year>2025</Year><Month>03</Month></PubDate>
</Journal>
<ArticleTitle>Growth of <i>E. coli</i></ArticleTitle>
<FirstPage>12</FirstPage>
<Language>EN</Language>
<AuthorList>
<Author>
<FirstName>Anna</FirstName>
<LastName>Berg</LastName>
<AffiliationInfo><Affiliation>Quay</Affiliation></AffiliationInfo>
<Identifier Source="ORCID">0000-0002-1825-0097</Identifier>
</Author>
</AuthorList>
<PublicationType>Journal Article</PublicationType>
<Abstract>
<AbstractText Label="AIM">To sleep.</AbstractText>
</Abstract>
</Article>
</ArticleSet>
"""
PLACE = "<AffiliationInfo><Affiliation>Quay</Affiliation></AffiliationInfo>"
ORCID = '<Identifier Source="ORCID">0000-0002-1825-0097</Identifier>'
# What publishers get wrong: the text that is changed, what it becomes, the line and the words of the refusal.
WRONG = {
    "issn left out": ("<Issn>2049-3630</Issn>\n", "", 3, "Element Journal content does not follow the schema"),
    "unknown status": ('"ppublish"', '"online"', 7, 'Value "online" for attribute PubStatus of PubDate is not among'),
    "html in a title": ("<i>E. coli</i>", "<em>E. coli</em>", 9, "Element em is not declared in ArticleTitle list"),
    "no first name": ("<FirstName>Anna</FirstName>\n", "", 13, "Element Author content does not follow the schema"),
    "family name first": (
        "<FirstName>Anna</FirstName>\n<LastName>Berg</LastName>",
        "<LastName>Berg</LastName>\n<FirstName>Anna</FirstName>",
        13,
        "got (LastName FirstName AffiliationInfo Identifier )",
    ),
    "identifier before affiliation": (
        f"{PLACE}\n{ORCID}",
        f"{ORCID}\n{PLACE}",
        13,
        "got (FirstName LastName Identifier AffiliationInfo )",
    ),
    "both kinds of affiliation": (
        "<AffiliationInfo>",
        "<Affiliation>Tide</Affiliation><AffiliationInfo>",
        13,
        "got (FirstName LastName Affiliation AffiliationInfo Identifier )",
    ),
    "no label": (' Label="AIM"', "", 22, "Element AbstractText does not carry attribute Label"),
    "a category": (
        'Label="AIM"',
        'Label="AIM" NlmCategory="OBJECTIVE"',
        22,
        "No declaration for attribute NlmCategory",
    ),
    "order of elements": (
        "<FirstPage>12</FirstPage>\n<Language>EN</Language>",
        "<Language>EN</Language>\n<FirstPage>12</FirstPage>",
        2,
        "Element Article content does not follow the schema",
    ),
    "text between elements": ("<AuthorList>", "<AuthorList>by", 12, "got (CDATA Author )"),
}


def body(change: tuple[str, str, int, str]) -> bytes:
    assert change[0] in SAMPLE
    return SAMPLE.replace(change[0], change[1], 1).encode()


def test_a_right_file_is_accepted() -> None:
    assert list(check_schema(SAMPLE.encode(), "pubmed")) == []
    assert list(find_refusals(etree.fromstring(SAMPLE))) == []


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_refused_with_line_reason_and_repair(change: tuple[str, str, int, str]) -> None:
    found = list(check_schema(body(change), "pubmed"))
    assert not load_article_set_schema().validate(etree.fromstring(body(change)))
    assert found[0].line == change[2]
    assert change[3] in found[0].message
    assert found[0].repair


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_our_schema_says_what_the_dtd_says(dtd: etree.DTD, change: tuple[str, str, int, str]) -> None:
    root = etree.fromstring(body(change))
    assert not dtd.validate(root)
    theirs = sorted((entry.line, entry.message.replace("the DTD", "the schema")) for entry in dtd.error_log)
    assert sorted((one.line, one.message) for one in find_refusals(root)) == theirs


@pytest.mark.parametrize(
    ("change", "repair"),
    [
        ("issn left out", "add Issn after JournalTitle"),
        ("html in a title", "write i instead of em"),
        ("no first name", "add FirstName as the first"),
        ("family name first", "move LastName: the order is (((FirstName"),
        ("both kinds of affiliation", "remove Affiliation"),
        ("text between elements", "remove the text"),
        ("unknown status", "one of received, accepted"),
        ("no label", "add Label"),
    ],
)
def test_one_step_that_puts_it_right_is_proposed(change: str, repair: str) -> None:
    assert next(check_schema(body(WRONG[change]), "pubmed")).repair.startswith(repair)


def test_what_no_step_puts_right_gets_the_whole_order() -> None:
    twice = SAMPLE.replace("<FirstPage>12</FirstPage>", "<Volume/><Issue/><Season/>")
    assert next(check_schema(twice.encode(), "pubmed")).repair.startswith("the order is (Journal ,")
    long = SAMPLE.replace("<AuthorList>", "<AuthorList>" + "<Volume/>" * 100)
    assert next(check_schema(long.encode(), "pubmed")).repair == "the order is (Author)*"
    other = SAMPLE.replace("<i>E. coli</i>", "<blink>E. coli</blink>")
    assert next(check_schema(other.encode(), "pubmed")).repair == "remove blink"


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_whatever_is_moved_or_renamed_both_schemas_agree(dtd: etree.DTD, data: st.DataObject) -> None:
    root = etree.fromstring("".join(FORMATS["pubmed"].write(BUNDLED[:2])).encode())
    elements = [one for one in root.iter() if one.getparent() is not None]
    chosen = data.draw(st.sampled_from(elements))
    parent = chosen.getparent()
    assert parent is not None
    step = data.draw(st.sampled_from(["take out", "move", "rename", "attribute", "text"]))
    if step == "take out":
        parent.remove(chosen)
    elif step == "move":
        parent.insert(data.draw(st.integers(0, len(parent))), chosen)
    elif step == "rename":
        chosen.tag = data.draw(st.sampled_from([str(one.tag) for one in elements]))
    elif step == "attribute":
        chosen.set(
            data.draw(st.sampled_from(["Label", "PubStatus", "LZero", "x"])), data.draw(st.sampled_from(["save", "Y"]))
        )
    else:
        chosen.text = "words"
    ours = load_article_set_schema().validate(root)
    assert ours == dtd.validate(root)
    assert ours == (not list(find_refusals(root)))


def test_every_element_of_the_schema_has_a_model_that_stands_in_the_dtd(dtd: etree.DTD) -> None:
    declared = {element.name for element in dtd.iterelements()}
    assert set(load_content_models()) <= declared


any_titled = st.builds(
    replace,
    any_of(Citation),
    title=st.text(max_size=9).map("a{}".format),
    journal=st.text(max_size=9).map("b{}".format),
    date=st.sampled_from(["2010", "2010-09", "2010-09-15", "2025-03/2025-04", "2025-24"]),
)


@pytest.mark.parametrize("name", file_checks.SCHEMAS)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(citations=st.lists(any_titled, min_size=1, max_size=2))
def test_any_record_with_title_journal_and_date_is_valid(name: str, citations: list[Citation]) -> None:
    form = FORMATS[name]
    written = "".join((form.draft or form.write)(citations)).encode()
    assert list(check_schema(written, name)) == []


@pytest.mark.parametrize("name", file_checks.SCHEMAS)
def test_the_bundled_records_are_valid(name: str) -> None:
    assert list(check_schema("".join(FORMATS[name].write(BUNDLED)).encode(), name)) == []


@pytest.mark.parametrize("name", ["pubmedset", "jats"])
def test_a_dtd_refuses_with_the_line_in_the_file(name: str) -> None:
    text = "".join(FORMATS[name].write(BUNDLED[:3]))
    lines = text.replace("Journal>", "Jurnal>").replace("journal-meta>", "jurnal-meta>").splitlines()
    found = list(check_schema("\n".join(lines).encode(), name))
    unknown = [one for one in found if "No declaration for element" in one.message]
    assert [one.line for one in unknown] == [
        n for n, line in enumerate(lines, 1) if line.startswith(("<Jurnal>", "<jurnal-meta>"))
    ]
    assert unknown[0].field in {"Jurnal", "jurnal-meta"}


def test_one_jats_article_alone_is_checked_too() -> None:
    text = "".join(FORMATS["jats"].write(BUNDLED[:1]))
    assert list(check_schema(text.encode(), "jats")) == []
    assert list(check_schema(text.replace("<front>", "<frunt>").replace("</front>", "</frunt>").encode(), "jats"))


def test_the_schemas_are_part_of_the_package() -> None:
    bad = b"<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>"
    assert [one.field for one in check_schema(bad, "pubmedset")] == ["PubmedArticle"]
    assert list(check_schema(b"<article><front/></article>", "jats"))


def test_what_is_no_xml_or_another_root_is_one_finding() -> None:
    assert [one.line for one in check_schema(b"<ArticleSet>\n<Article>", "pubmed")] == [2]
    assert "not ArticleSet" in next(check_schema(b"<Articles/>", "pubmed")).message
    assert list(check_schema(b"anything", "ris")) == []


def test_entities_are_not_expanded_and_nothing_is_loaded() -> None:
    bomb = b'<!DOCTYPE ArticleSet [<!ENTITY a "aaaaaaaaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    root = file_checks.parse_xml_file(bomb + b"<ArticleSet>&a;&b;</ArticleSet>")
    assert "".join(root.itertext(tag="ArticleSet")).strip() == ""


def test_a_formula_is_any_mathml() -> None:
    math = '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML" display="x"><mml:mi>x</mml:mi></mml:math>'
    assert list(check_schema(SAMPLE.replace("<i>E. coli</i>", math).encode(), "pubmed")) == []


def test_where_the_models_find_nothing_the_schema_speaks_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_checks, "find_refusals", lambda _: iter(()))
    assert next(check_schema(body(WRONG["no label"]), "pubmed")).message
