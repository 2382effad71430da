"""Broken files of every kind give a result or a `MedharvestError`, and what is read can be written and read again."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from bench.fuzz_families import FAMILIES, edit_pdf, edit_pdf_streams
from bench.fuzz_files import FileKind, file_kinds, read_like_user
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pages.pdfs import pdf, write

from bench import fuzz_mutations, mutate
from medharvest.errors import InputError
from medharvest.formats import FORMATS, Format, check_citation, check_file, detect_format
from medharvest.formats.registry import READ_ONLY_FORMATS
from medharvest.harvest.worker_process import answer_job
from medharvest.records import Author, Citation
from medharvest.settings import Read, Topics
from medharvest.vocabularies.selection import read_vocabulary
from medharvest.vocabularies.umls_files import open_rrf_folder
from medharvest.zones.known_values import known_values_from_row

READ = [form for form in FORMATS.values() if form.read]
some = settings(max_examples=25)
few = settings(max_examples=8)

# Documents with the parts of their format in any order, with any values.
values = st.sampled_from(fuzz_mutations.VALUES) | st.text(max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(values, inner, max_size=3),
    max_leaves=6,
)
TAGS = {
    "nbib": "PMID OWN STAT IS TI FAU AU AUID AD DP PG VI IP LA GR PHST DEP AB COIS AID OT PT TA JT CN TT".split(),
    "ris": "TY T1 TI A1 AU JF JO JA SP EP Y1 PY DA DO AN N2 AB KW UR SN VL IS ER LA PB M1".split(),
}
FIELDS = "author title journal year month day pages volume number doi keywords abstract url issn crossref eid".split()
KEYS = "id type title author issued container-title page volume issue DOI ISSN keyword abstract language".split()
LINE_KEYS = "kind title authors affiliations dates sections references evidence alternatives date doi issn".split()
ROOTS = {"pubmed": ("ArticleSet", "Article"), "pubmedset": ("PubmedArticleSet", "PubmedArticle")}
ELEMENTS = {
    "pubmed": """Journal PublisherName JournalTitle Issn Volume PubDate Year Month Day Season ArticleTitle FirstPage
    ELocationID Language AuthorList Author FirstName LastName Suffix Affiliation AffiliationInfo Identifier
    CollectiveName History Abstract AbstractText OtherAbstract ObjectList Object Param ReferenceList Reference i sup
    Citation ArticleIdList ArticleId CoiStatement""".split(),
    "pubmedset": """MedlineCitation PMID Article Journal ISSN JournalIssue PubDate MedlineDate Year Month Title Author
    ArticleTitle Pagination MedlinePgn ELocationID Abstract AbstractText AuthorList LastName Initials Language
    GrantList Grant GrantID Agency VernacularTitle ArticleDate MedlineJournalInfo PubmedData History PubMedPubDate i
    ReferenceList Reference KeywordList Keyword PublicationTypeList PublicationType""".split(),
    "jats": """front journal-meta journal-id journal-title-group journal-title issn article-meta article-id title-group
    article-title contrib-group contrib name surname given-names xref aff pub-date year month day volume fpage lpage
    abstract sec title p kwd-group kwd funding-group award-group back ref-list ref mixed-citation history date sup
    permissions license""".split(),
}


@st.composite
def _tagged_lines(draw: st.DrawFn, name: str) -> str:
    lines = draw(st.lists(st.tuples(st.sampled_from(TAGS[name]), values, st.sampled_from(["", "      ", "\t"]))))
    width = 4 if name == "nbib" else 3
    head = "PMID- 1" if name == "nbib" else "TY  - JOUR"
    return "\n".join([head, *(f"{tag.ljust(width)} - {value}\n{indent}x" for tag, value, indent in lines)])


@st.composite
def _xml(draw: st.DrawFn, name: str) -> str:
    root, record = ROOTS.get(name, ("pmc-articleset", "article"))
    elements = st.sampled_from(ELEMENTS[name])
    text = values.map(lambda value: value.replace("&", "&amp;").replace("<", "&lt;"))
    tree = st.recursive(
        text,
        lambda inner: st.builds(
            lambda tag, inside, value: f'<{tag} id="a" rid="a" Source="ORCID" {value}>{"".join(inside)}</{tag}>',
            elements,
            st.lists(inner, max_size=4),
            st.sampled_from(["", 'x="&#1;"', 'PubStatus="received"', 'pub-id-type="doi"', 'Name="grantor"', "/"]),
        ),
        max_leaves=12,
    )
    inside = "".join(draw(st.lists(tree, max_size=4)))
    return f"<{root}><{record}>{inside}</{record}><{record}/></{root}>"


@st.composite
def _bibtex(draw: st.DrawFn) -> str:
    bits = st.sampled_from([*fuzz_mutations._BIBTEX_BITS, "x", "a # a", "{x}", '"y"', "10--20", "{A and B, C}", "sep"])
    entries = draw(st.lists(st.lists(st.tuples(st.sampled_from(FIELDS), bits | values), max_size=5), max_size=3))
    written = (f"@article{{k, {', '.join(f'{name} = {value}' for name, value in entry)}}}" for entry in entries)
    return "@string{a = {b}}\n" + "\n".join(written)


@st.composite
def _csv(draw: st.DrawFn) -> str:
    columns = draw(st.lists(st.sampled_from(["title", "authors", "date", "doi", "issn", "", "dates", "x"]), max_size=6))
    rows = draw(st.lists(st.lists(values | st.sampled_from(['"', '""', '"a\nb"', ';,"']), max_size=8), max_size=4))
    return "\n".join(",".join(row) for row in [["title", *columns], *rows])


@st.composite
def _json_objects(draw: st.DrawFn, keys: list[str], *, lines: bool) -> str:
    objects = draw(st.lists(st.dictionaries(st.sampled_from(keys), json_values, max_size=6), min_size=1, max_size=3))
    if lines:
        return "\n".join(json.dumps({"kind": "other", **row}) for row in objects)
    return json.dumps([{"title": "x", **row} for row in objects])


@st.composite
def _marc(draw: st.DrawFn) -> str:
    codes = st.tuples(
        st.sampled_from("abcdegtuxp12"), values.map(lambda value: value.replace("&", "&amp;").replace("<", "&lt;"))
    )
    tags = st.sampled_from("008 022 024 041 100 110 245 246 520 650 653 700 710 773 856 999".split())
    fields = draw(
        st.lists(st.tuples(tags, st.sampled_from(["", " ", "0", "1"]), st.lists(codes, max_size=4)), max_size=6)
    )
    written = (
        f'<datafield tag="{tag}" ind1="{mark}" ind2="1">'
        + "".join(f'<subfield code="{code}">{text}</subfield>' for code, text in parts)
        + "</datafield>"
        for tag, mark, parts in fields
    )
    return f'<collection xmlns="http://www.loc.gov/MARC21/slim"><record>{"".join(written)}</record></collection>'


DOCUMENTS: dict[str, st.SearchStrategy[str]] = {
    **{name: _tagged_lines(name) for name in TAGS},
    **{name: _xml(name) for name in ELEMENTS},
    "bibtex": _bibtex(),
    "csv": _csv(),
    "marcxml": _marc(),
    "csl": _json_objects(KEYS, lines=False),
    "jsonl": _json_objects(LINE_KEYS, lines=True),
}


@pytest.fixture(autouse=True, scope="module")
def _small_files() -> Iterator[None]:
    """Files of a size that is read at once; bench.fuzz has the large ones."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (
            ("_LONG", 5_000),
            ("_MANY", 2_000),
            ("_OFTEN", 20),
            ("_DEEP", 600),
            ("_REPEATED_BYTES", 500),
        ):
            patch.setattr(fuzz_mutations, name, size)
        patch.setattr(mutate, "_NESTED", 500)
        yield


def back(form: Format, body: bytes) -> list[Citation]:
    assert form.read
    return list(form.read(io.BytesIO(body)))


def write_again(form: Format, citation: Citation) -> bytes:
    return "".join((form.draft or form.write)([citation])).encode()


def test_every_format_that_is_read_has_documents() -> None:
    assert set(DOCUMENTS) == {form.name for form in READ}


@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
@some
@given(st.data())
def test_any_document_gives_records_or_a_reason_and_records_are_written_again(
    form: Format, data: st.DataObject
) -> None:
    body = data.draw(DOCUMENTS[form.name]).encode("utf-8", "surrogatepass")
    with suppress(InputError):
        for citation in back(form, body):
            once = back(form, write_again(form, citation))
            assert [back(form, write_again(form, one)) for one in once] == [[one] for one in once]
    check_file(body, form)


EXPORT_TAGS = {
    "wos": ["PT J", "AU ", "   ", "AF ", "TI ", "C1 [", "CR ", "PY ", "PD ", "ER", "EF", "VL ", "BP "],
    "refer": ["%0 ", "%A ", "%T ", "%P ", "%D ", "%8 ", "%K ", "%@ ", "%", ""],
    "ovid": ["<1>", "Title", "  ", "Authors", "Authors Full Name", "Source", "SO  - ", "AU  - ", "Unique Identifier"],
    "endnote": [
        "<xml><records>",
        "<record>",
        "</record>",
        "<titles><title>",
        "</title>",
        "<pages>",
        "</pages></titles>",
    ],
}


@pytest.mark.parametrize("name", sorted(EXPORT_TAGS))
@some
@given(st.data())
def test_any_export_of_a_format_that_is_only_read_gives_records_or_a_reason(name: str, data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.tuples(st.sampled_from(EXPORT_TAGS[name]), values)))
    body = "\n".join(tag + value for tag, value in lines).encode("utf-8", "surrogatepass")
    with suppress(InputError):
        back(READ_ONLY_FORMATS[name], body)
    check_file(body, READ_ONLY_FORMATS[name])


def test_every_format_that_is_only_read_has_tags() -> None:
    assert set(EXPORT_TAGS) == set(READ_ONLY_FORMATS)


@st.composite
def mutants(draw: st.DrawFn, kind: FileKind) -> bytes:
    """A file of the project, damaged as its syntax allows."""
    mutations = FAMILIES[kind.family]
    examples = [body for body in kind.examples() if len(body) < 40_000][:6]
    chance = random.Random(draw(st.integers(0, 10**6)))
    return mutations[draw(st.sampled_from(sorted(mutations)))](chance, draw(st.sampled_from(examples)))


@pytest.mark.parametrize("name", file_kinds())
@few
@given(data=st.data())
def test_a_damaged_file_gives_a_result_or_a_reason(
    name: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    kind = file_kinds()[name]
    file = tmp_path_factory.mktemp("fuzzed") / f"1{kind.suffix}"
    file.write_bytes(data.draw(mutants(kind)))
    assert read_like_user(kind, file) in {"record", "reason"}


META = "citation_title citation_author citation_date citation_issn DC.creator og:title description prism.volume".split()


@some
@given(
    st.lists(st.tuples(st.sampled_from(META), values), max_size=5),
    st.lists(st.tuples(st.sampled_from("h1 p div table td ul li a sup script dl b svg".split()), values), max_size=12),
    json_values,
)
def test_any_html_gives_a_citation_or_a_reason(meta: list[Any], tags: list[Any], embedded: Any) -> None:
    head = "".join(f'<meta name="{name}" content="{value}">' for name, value in meta)
    linked = (
        f"<script type='application/ld+json'>{json.dumps({'@type': 'ScholarlyArticle', 'author': embedded})}</script>"
    )
    body = "".join(f"<{tag} class=x href=y>{value}" for tag, value in tags)
    answer = read_as_worker(f"<html><head>{head}{linked}</head><body>{body}".encode("utf-8", "replace"))
    assert isinstance(answer.get("citation"), Citation) or answer["error"]


@some
@given(st.lists(values, max_size=6), st.sampled_from([0, 0, 1, 2, 3]), st.integers(0, 10**6))
def test_any_pdf_gives_a_citation_or_a_reason(lines: list[str], edits: int, seed: int) -> None:
    body = pdf(lambda canvas: write(canvas, lines or ["Tides"]))
    chance = random.Random(seed)
    for _ in range(edits):
        body = chance.choice([edit_pdf, edit_pdf_streams])(chance, body)
    answer = read_as_worker(body)
    assert isinstance(answer.get("citation"), Citation) or answer["error"]


def read_as_worker(body: bytes) -> dict[str, Any]:
    job = {"name": "page", "url": "", "charset": "", "kind": "", "articles_only": False, "taught": ""}
    answer: dict[str, Any] = answer_job({**job, "max_pdf_pages": Read().max_pdf_pages}, body)
    assert not answer.get("lost"), answer
    return answer


# What was found this way.


def test_strings_that_repeat_each_other_are_refused_before_they_fill_the_memory() -> None:
    bomb = '@string{s0 = "tide"}\n' + "".join(f"@string{{s{n + 1} = s{n} # s{n}}}\n" for n in range(200))
    with pytest.raises(InputError, match="@string is too long: s"):
        back(FORMATS["bibtex"], f"{bomb}@article{{k, title = s200}}".encode())


def test_a_value_of_many_strings_is_refused_before_it_fills_the_memory() -> None:
    many = " # ".join(["s"] * 5_000)
    with pytest.raises(InputError, match="a value is too long"):
        back(FORMATS["bibtex"], f'@string{{s = "{"x" * 1_000}"}}\n@article{{k, title = {many}}}'.encode())


def test_an_entity_of_a_set_of_articles_is_read_and_checked() -> None:
    body = b"""<!DOCTYPE pmc-articleset [<!ENTITY h "tide">]><pmc-articleset><article><front><article-meta><title-group>
    <article-title>The &h; at sea</article-title></title-group></article-meta></front></article></pmc-articleset>"""
    assert {finding.rule for finding in check_file(body, FORMATS["jats"])}


@pytest.mark.no_cover
def test_a_name_of_very_many_words_is_checked_at_once() -> None:
    check_citation(Citation(title="Tides", authors=(Author(family="Berg", given="MD " * 200_000),)))


@pytest.mark.no_cover
def test_very_many_attributes_are_checked_at_once() -> None:
    attributes = " ".join(f'a{n}=""' for n in range(400_000))
    found = check_file(f"<ArticleSet><Article {attributes}/></ArticleSet>".encode(), FORMATS["pubmed"])
    assert any("No declaration for attribute a0 " in finding.message for finding in found)


@pytest.mark.parametrize(
    ("head", "name"),
    [('<?xml version="1.0" encoding="no-such"?>', "<String>Ear</String>"), ("", "<String></String>")],
)
def test_mesh_in_an_unknown_encoding_or_without_a_name_is_refused(tmp_path: Path, head: str, name: str) -> None:
    record = (
        f"<DescriptorRecord><DescriptorUI>D1</DescriptorUI><DescriptorName>{name}</DescriptorName></DescriptorRecord>"
    )
    file = tmp_path / "desc.xml"
    file.write_text(f"{head}<DescriptorRecordSet>{record}</DescriptorRecordSet>", encoding="utf-8")
    with pytest.raises(InputError, match=r"not MeSH descriptor XML|no concepts"):
        read_vocabulary(file)


def test_umls_tables_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "MRCONSO.RRF").write_bytes(b"C1|ENG|P|L1|PF|S1|Y|A1||||MSH|MH|D1|Ear \xff|0|N||\n")
    (tmp_path / "MRREL.RRF").touch()
    with pytest.raises(InputError, match=r"line 1 of MRCONSO\.RRF is not a row"):
        open_rrf_folder(tmp_path, Topics(), cache=tmp_path)


@pytest.mark.parametrize(
    ("authors", "expected"), [("Ann Berg", ("Ann Berg",)), (1.5, ("1.5",)), ({"family": "Berg"}, ("Berg",)), (None, ())]
)
def test_authors_of_a_truth_line_that_are_no_list_are_one_author(authors: object, expected: tuple[str, ...]) -> None:
    assert known_values_from_row({"authors": authors})["author"] == expected


@pytest.mark.parametrize("head", [b"doi;Title", b"title,doi", b"a,b\ttitle", b'"The title","x"'])
def test_a_table_with_a_title_is_recognised(head: bytes) -> None:
    assert detect_format(head + b"\n1,2\n", name="x.csv").name == "csv"


@pytest.mark.parametrize("head", [b"title", b"{title,", b"subtitled,doi", b"x\ntitle,doi"])
def test_other_first_lines_are_no_table(head: bytes) -> None:
    with pytest.raises(InputError):
        detect_format(head, name="x.csv")
