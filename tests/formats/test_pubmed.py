from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.citations.strategies import any_of

from medharvest import demo
from medharvest.formats.pubmed import lacks, write, write_draft_set
from medharvest.records import Author, Citation, NamedDate, OtherAbstract, Section

# The order of elements that the DTD fixes; those marked * may repeat.
ORDER = {
    "ArticleSet": "Article*",
    "Article": (
        "Journal Replaces ArticleTitle VernacularTitle FirstPage LastPage ELocationID* Language* AuthorList GroupList "
        "PublicationType* ArticleIdList History Abstract OtherAbstract* CopyrightInformation CoiStatement ObjectList "
        "ReferenceList* ArchiveCopySource"
    ),
    "Journal": "PublisherName JournalTitle Issn Volume Issue PubDate",
    "PubDate": "Year Month Day Season",
    "AuthorList": "Author*",
    "Author": ("CollectiveName FirstName MiddleName LastName Suffix Initials Affiliation AffiliationInfo* Identifier*"),
    "AffiliationInfo": "Affiliation Identifier*",
    "ArticleIdList": "ArticleId*",
    "History": "PubDate*",
    "Abstract": "AbstractText*",
    "ObjectList": "Object*",
    "Object": "Param*",
    "ReferenceList": "Title Reference* ReferenceList*",
    "Reference": "Citation PMID ArticleIdList",
}
INLINE = {"i", "b", "u", "sup", "sub"}
REQUIRED = {"Journal": {"PublisherName", "JournalTitle", "Issn", "PubDate"}, "PubDate": {"Year"}}
WHOLE = Citation(
    title="Sleep by the sea",
    journal="Tide",
    abbreviation="Td",
    issn=("2049-3630",),
    publisher="Quay Press",
    date="2010-09-15",
)
BUNDLED = tuple(article.citation for issue in demo.list_demo_issues() for article in issue.articles)


def xml(*citations: Citation) -> etree._Element:
    text = "".join(write(citations))
    return etree.fromstring(text.encode("utf-8"), etree.XMLParser(resolve_entities=False, no_network=True))


def article(**values: Any) -> etree._Element:
    return xml(replace(WHOLE, **values))[0]


def inner(element: etree._Element, path: str) -> str | None:
    """What stands in an element, markup included."""
    found = element.find(path)
    if found is None:
        return None
    text = etree.tostring(found, encoding="unicode", with_tail=False)
    return text[text.index(">") + 1 : text.rindex("<")]


def check_order(element: etree._Element) -> None:
    """Fail where an element holds children the DTD does not allow there, or in another order."""
    assert isinstance(element.tag, str)
    children = [str(child.tag) for child in element]
    if element.tag not in ORDER:
        assert set(children) <= INLINE, element.tag
        return
    places = {name.rstrip("*"): (i, name.endswith("*")) for i, name in enumerate(ORDER[element.tag].split())}
    for one, two in pairwise(children):
        assert places[one][0] < places[two][0] or (one == two and places[one][1]), (element.tag, one, two)
    assert set(children) <= set(places)
    assert REQUIRED.get(element.tag, set()) <= set(children)
    for child in element:
        check_order(child)


# Text with what makes trouble: control characters, markup, entities, other alphabets, nothing.
texts = st.text(max_size=12) | st.sampled_from(
    ["", "\x00", "<i>a</b>", "a & b", "]]>", "\r\n", "<i>a</i>", "&lt;i&gt;"]
)
worded = st.text(min_size=1, max_size=12).map(lambda text: f"a{text}")
whole_citations = st.builds(
    replace,
    any_of(Citation),
    title=worded,
    title_html=texts,
    journal=worded,
    abbreviation=worded,
    publisher=worded,
    issn=st.just(("", "2049-3630")),
    date=st.sampled_from(["2010", "2010-09", "2010-09-15"]),
    dates=st.lists(st.builds(NamedDate, st.sampled_from(["received", "epublish", "online"]), texts)).map(tuple),
).filter(lambda citation: not lacks(citation))


@settings(max_examples=60)
@given(st.lists(whole_citations, min_size=1, max_size=2))
def test_any_record_that_lacks_nothing_gives_well_formed_xml_in_order(citations: list[Citation]) -> None:
    check_order(xml(*citations))


@settings(max_examples=60)
@given(citations=st.lists(whole_citations, min_size=1, max_size=2))
def test_any_record_that_lacks_nothing_satisfies_the_dtd(dtd: etree.DTD, citations: list[Citation]) -> None:
    assert dtd.validate(xml(*citations)), dtd.error_log


def test_the_bundled_citations_satisfy_the_dtd(dtd: etree.DTD) -> None:
    assert dtd.validate(xml(*BUNDLED)), dtd.error_log


def test_the_dtd_refuses_what_the_order_refuses(dtd: etree.DTD) -> None:
    root = xml(WHOLE)
    root[0].insert(0, root[0][-1])
    assert not dtd.validate(root)
    with pytest.raises(AssertionError):
        check_order(root)


def test_the_bundled_citations_are_written_whole() -> None:
    root = xml(*BUNDLED)
    check_order(root)
    assert len(root) == len(BUNDLED)
    for element, citation in zip(root, BUNDLED, strict=True):
        title = element.find("ArticleTitle")
        assert title is not None
        assert "".join(title.itertext()) == citation.title
        assert element.findtext("Journal/JournalTitle") == citation.abbreviation
        assert element.findtext("Journal/PubDate/Year") == citation.date[:4]
        assert element.findtext("ELocationID[@EIdType='doi']") == (citation.doi or None)
        assert element.findtext("ELocationID[@EIdType='pii']") == (citation.pii or None)
        assert element.findtext("FirstPage") == (citation.first_page or citation.article_number or None)
        assert len(element.findall("AuthorList/Author")) == len(citation.authors)
        names = [author.family or author.collective.removeprefix("The ") for author in citation.authors]
        written = [a.findtext("LastName") or a.findtext("CollectiveName") for a in element.iter("Author")]
        assert written == names


def test_the_header_names_the_dtd_and_no_byte_order_mark() -> None:
    lines = "".join(write([WHOLE])).splitlines()
    assert lines[0] == '<?xml version="1.0" encoding="UTF-8"?>'
    assert lines[1].startswith('<!DOCTYPE ArticleSet PUBLIC "-//NLM//DTD PubMed 2.8//EN" "https://dtd.nlm.nih.gov/')
    assert lines[2:4] == ["<ArticleSet>", "<Article>"]


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ({}, ()),
        ({"title": ""}, ("title",)),
        ({"title": "\x00 \n"}, ("title",)),
        ({"journal": ""}, ()),
        ({"abbreviation": ""}, ("abbreviation",)),
        ({"date": "2025-03/2025-04"}, ()),
        ({"issn": ()}, ("issn",)),
        ({"issn": ("",)}, ("issn",)),
        ({"publisher": " "}, ("publisher",)),
        ({"date": ""}, ("date",)),
        ({"date": "soon"}, ("date",)),
        ({"title": "", "date": ""}, ("title", "date")),
    ],
)
def test_what_pubmed_demands_is_named_when_it_is_missing(values: dict[str, Any], missing: tuple[str, ...]) -> None:
    assert lacks(replace(WHOLE, **values)) == missing


TIDE = (
    "<AffiliationInfo><Affiliation>Tide &amp; Co</Affiliation></AffiliationInfo>"
    '<Identifier Source="ORCID">0000-0000-4409-1267</Identifier>'
)


@pytest.mark.parametrize(
    ("author", "written"),
    [
        (Author(family="Berg", given="Anna"), "<FirstName>Anna</FirstName><LastName>Berg</LastName>"),
        (Author(family="Suharti"), '<FirstName EmptyYN="Y"/><LastName>Suharti</LastName>'),
        (Author(given="Suharti"), '<FirstName EmptyYN="Y"/><LastName>Suharti</LastName>'),
        (
            Author(family="Cole", given="R", suffix="Jr"),
            "<FirstName>R</FirstName><LastName>Cole</LastName><Suffix>Jr</Suffix>",
        ),
        (Author(collective="The Tide Group"), "<CollectiveName>Tide Group</CollectiveName>"),
        (
            Author(family="Berg", given="A", orcid="0000-0000-4409-1267", affiliations=(1, 9, -1, 2)),
            f"<FirstName>A</FirstName><LastName>Berg</LastName>{TIDE}",
        ),
    ],
)
def test_each_kind_of_author_has_its_form(author: Author, written: str) -> None:
    element = article(authors=(author,), affiliations=("Quay", "Tide & Co", ""))
    assert (inner(element, "AuthorList/Author") or "").replace("\n", "") == written


def test_authors_without_a_name_are_left_out_and_equal_ones_marked() -> None:
    assert article(authors=(Author(), Author(email="x"))).find("AuthorList") is None
    element = article(authors=(Author(family="Berg", equal=True), Author(family="Cole")))
    assert [author.get("EqualContrib") for author in element.iter("Author")] == ["Y", None]


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("", "Sleep &lt; sea"),
        ("Sleep &lt; <i>sea</i>", "Sleep &lt; <i>sea</i>"),
        ("<b>S</b>leep CO<sub>2</sub> <sup>a<i>b</i></sup>", "<b>S</b>leep CO<sub>2</sub> <sup>a<i>b</i></sup>"),
        ("<em>Sleep</em> <i>sea</i>", "&lt;em&gt;Sleep&lt;/em&gt; <i>sea</i>"),
        ("<script>x</script><i>a</i>", "&lt;script&gt;x&lt;/script&gt;<i>a</i>"),
        ('<i class="x">a</i>', "Sleep &lt; sea"),
        ("&lt;i&gt;<b>a</b>&amp;amp;", "&lt;i&gt;<b>a</b>&amp;amp;"),
        ("<i>a", "Sleep &lt; sea"),
        ("a</i>", "Sleep &lt; sea"),
        ("<i>a<b>b</i>c</b>", "Sleep &lt; sea"),
        ("<i>a\x00\r\nb</i>", "<i>a b</i>"),
    ],
)
def test_inline_markup_of_titles_is_kept_and_anything_else_escaped(html: str, written: str) -> None:
    assert inner(article(title="Sleep < sea", title_html=html), "ArticleTitle") == written


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("Le sommeil à l'œil nu", True),
        ("Schlaf über Łódź, ŝ & ð", True),
        ("Les β-bloquants et le 1º sommeil", True),
        ("Sleep 2010!", True),
        ("海辺の眠り", False),
        ("Сон на море", False),
        ("Ύπνος", False),
        ("النوم", False),
        ("Schlaf 睡眠", False),
        ("", False),
    ],
)
def test_a_vernacular_title_is_written_in_latin_letters_only(title: str, kept: bool) -> None:  # noqa: FBT001
    assert article(vernacular_title=title).findtext("VernacularTitle") == (title if kept else None)


def test_every_other_field_has_its_element() -> None:
    element = article(
        abbreviation="Td",
        volume="7",
        issue="2",
        first_page="012",
        last_page="019",
        article_number="e9",
        doi="10.1000/a1",
        pii="S1",
        language="fr",
        publication_types=("Editorial", "Letter"),
        dates=(
            NamedDate("epublish", "2010-08"),
            NamedDate("received", "2009-05-01"),
            NamedDate("pmc", "2010"),
            NamedDate("accepted", ""),
        ),
        sections=(Section("Aim", "a"), Section("", "b"), Section("None", "")),
        abstract="Aim: a b",
        other_abstracts=(OtherAbstract("lay", "de", "c"), OtherAbstract("", "", "d"), OtherAbstract("x", "y", "")),
        conflict="None.",
        keywords=("sleep", "", "sea"),
    )
    check_order(element)
    assert inner(element, "Journal/JournalTitle") == "Td"
    first = element.find("FirstPage")
    assert first is not None
    assert (first.text, first.get("LZero"), element.findtext("LastPage")) == ("012", "save", "019")
    assert [(i.get("IdType"), i.text) for i in element.iter("ArticleId")] == [("doi", "10.1000/a1"), ("pii", "S1")]
    assert element.findtext("Language") == "FR"
    assert [kind.text for kind in element.iter("PublicationType")] == ["Editorial", "Letter"]
    history = [(d.get("PubStatus"), [part.text for part in d]) for d in element.findall("History/PubDate")]
    assert history == [("received", ["2009", "05", "01"]), ("epublish", ["2010", "08"])]
    assert [(t.get("Label"), t.text) for t in element.iter("AbstractText")] == [("AIM", "a"), ("ABSTRACT", "b")]
    others = [(o.get("Language"), o.get("Type"), o.text) for o in element.findall("OtherAbstract")]
    assert others == [("de", "lay", "c"), ("en", None, "d")]
    assert element.findtext("CoiStatement") == "None."
    assert [word.text for word in element.iterfind("ObjectList/Object/Param")] == ["sleep", "sea"]


def test_what_is_not_known_has_no_element_but_language_and_type() -> None:
    element = article()
    assert [child.tag for child in element] == ["Journal", "ArticleTitle", "Language", "PublicationType"]
    assert (element.findtext("Language"), element.findtext("PublicationType")) == ("EN", "Journal Article")


def test_grants_and_references_are_written_and_a_sentence_about_money_is_not() -> None:
    element = article(
        funding=("Quay Fund, grant 98/14", "Nobody paid for this study."), references=("Berg A. Tides. 2001.", "")
    )
    check_order(element)
    params = [(param.get("Name"), param.text) for param in element.iterfind("ObjectList/Object/Param")]
    assert params == [("id", "98/14"), ("grantor", "Quay Fund")]
    assert [one.text for one in element.iter("Citation")] == ["Berg A. Tides. 2001."]


@pytest.mark.parametrize(
    ("iso", "parts"),
    [
        ("2025-24", [("Year", "2025"), ("Season", "Winter")]),
        ("2025-03/2025-04", [("Year", "2025"), ("Season", "Mar-Apr")]),
        ("2025-03", [("Year", "2025"), ("Month", "03")]),
    ],
)
def test_a_season_or_a_span_stands_in_place_of_the_month(iso: str, parts: list[tuple[str, str]]) -> None:
    date = article(date=iso).find("Journal/PubDate")
    assert date is not None
    assert [(part.tag, part.text) for part in date] == parts


def test_a_draft_is_marked_and_keeps_what_is_not_known_empty() -> None:
    text = "".join(write_draft_set([Citation(title="Sleep", journal="Tide", date="2010")]))
    assert "<!-- draft, not to be delivered" in text
    assert "<JournalTitle>Tide</JournalTitle>\n<Issn/>" in text
    assert "draft" not in "".join(write([WHOLE]))


def test_an_article_number_stands_for_the_first_page() -> None:
    assert article(article_number="e240011").findtext("FirstPage") == "e240011"


def test_a_plain_abstract_is_text_and_control_characters_are_dropped() -> None:
    element = article(abstract="a\x00\x0b<b>\r\n\ud800\ufffe c", publisher="Quay\x1f Press")
    assert inner(element, "Abstract") == "a &lt;b&gt; c"
    assert element.findtext("Journal/PublisherName") == "Quay Press"


@pytest.mark.no_cover
@pytest.mark.parametrize("text", ["<i>" * 300_000, "<i></i>" * 150_000, "&" * 10**6, '"' * 10**6])
def test_a_megabyte_of_title_is_written_in_bounded_time(text: str) -> None:
    "".join(write([replace(WHOLE, title=text, title_html=text, vernacular_title=text, abstract=text)]))
