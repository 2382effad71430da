"""Programs of others read what we write: what they find is what the bundled records hold."""

import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import bibtexparser.entrypoint
import bibtexparser.middlewares
import nbib
import pymarc
import pytest
from Bio import Entrez, Medline
from citeproc import Citation as Cited
from citeproc import CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON

from medharvest import demo
from medharvest.citations.nlm_style import nlm_group_name, nlm_short_name
from medharvest.formats import FORMATS
from medharvest.records import Author, Citation

BUNDLED = tuple(article.citation for issue in demo.list_demo_issues() for article in issue.articles)


def write(name: str, citations: Iterable[Citation] = BUNDLED) -> str:
    return "".join(FORMATS[name].write(citations))


def authors(citation: Citation) -> list[str]:
    """The persons as MEDLINE writes them; groups have a tag of their own."""
    return [nlm_short_name(author) for author in citation.authors if not author.collective]


def bare(title: str) -> str:
    return title.strip("[].")


def test_biopython_reads_our_medline_lines() -> None:
    found = list(Medline.parse(io.StringIO(write("nbib"))))
    assert len(found) == len(BUNDLED)
    for record, citation in zip(found, BUNDLED, strict=True):
        assert bare(record["TI"]) == bare(citation.title)
        assert record.get("AU", []) == authors(citation)
        assert record.get("CN", []) == [nlm_group_name(one.collective) for one in citation.authors if one.collective]
        assert record["TA"] == citation.abbreviation
        assert record["JT"] == citation.journal
        assert record.get("OT", []) == list(citation.keywords)
        assert record["DP"].startswith(citation.date[:4])
        assert record.get("AD", []) == [citation.affiliations[i] for one in citation.authors for i in one.affiliations]


def test_nbib_keeps_each_author_with_his_affiliations() -> None:
    found = nbib.read(write("nbib"))
    assert len(found) == len(BUNDLED)
    for record, citation in zip(found, BUNDLED, strict=True):
        people = [one for one in citation.authors if not one.collective]
        assert [one["author_abbreviated"] for one in record.get("authors", [])] == authors(citation)
        for theirs, ours in zip(record.get("authors", []), people, strict=True):
            assert theirs.get("affiliations", []) == [citation.affiliations[i] for i in ours.affiliations]


def test_biopython_reads_and_validates_our_pubmed_set() -> None:
    found: Any = Entrez.read(io.BytesIO(write("pubmedset").encode()))
    assert len(found["PubmedArticle"]) == len(BUNDLED)
    for record, citation in zip(found["PubmedArticle"], BUNDLED, strict=True):
        article = record["MedlineCitation"]["Article"]
        assert bare(re.sub("</?(?:i|b|u|sup|sub)>", "", str(article["ArticleTitle"]))) == bare(citation.title)
        names = [one.get("LastName", one.get("CollectiveName")) for one in article.get("AuthorList", [])]
        assert [str(name) for name in names] == [
            one.family or nlm_group_name(one.collective) for one in citation.authors
        ]
        assert str(article["Journal"]["Title"]) == citation.journal


def test_bibtexparser_splits_our_names() -> None:
    split = [
        bibtexparser.middlewares.SeparateCoAuthors(),
        bibtexparser.middlewares.SplitNameParts(),
    ]
    found: Any = bibtexparser.entrypoint.parse_string(write("bibtex"), append_middleware=split)
    assert not found.failed_blocks
    assert len(found.entries) == len(BUNDLED)
    assert len({entry.key for entry in found.entries}) == len(BUNDLED)
    for entry, citation in zip(found.entries, BUNDLED, strict=True):
        fields = entry.fields_dict
        people = fields["author"].value if "author" in fields else []
        assert len(people) == len(citation.authors)
        for theirs, ours in zip(people, citation.authors, strict=True):
            if ours.collective:
                assert " ".join(theirs.last).strip("{}") == ours.collective
            else:
                assert " ".join([*theirs.von, *theirs.last]) == ours.family
                assert " ".join(theirs.first) == ours.given
                assert " ".join(theirs.jr) == ours.suffix
        assert fields["journal"].value == citation.journal
        assert fields["year"].value == citation.date[:4]


def test_pymarc_reads_our_marcxml() -> None:
    found: Any = pymarc.parse_xml_to_array(io.BytesIO(write("marcxml").encode()))
    assert len(found) == len(BUNDLED)
    for record, citation in zip(found, BUNDLED, strict=True):
        assert " ".join(record.title.replace(" :", ":").split()) == citation.title
        assert len(record.get_fields("100", "110", "700", "710")) == len(citation.authors)
        assert record["773"]["t"] == citation.journal
        assert record["773"].get_subfields("x") == list(citation.issn)
        assert len(record["008"].data) == 40
        assert [field["a"] for field in record.get_fields("653")] == list(citation.keywords)


STYLE = """<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0" initialize-with-hyphen="false"
 demote-non-dropping-particle="never">
<info><title>t</title><id>t</id><updated>2020-01-01T00:00:00+00:00</updated></info>
<citation><layout><text variable="title"/></layout></citation>
<bibliography><layout>
<names variable="author"><name sort-separator=" " initialize-with="" name-as-sort-order="all" delimiter=", "
 delimiter-precedes-last="always"/></names>
</layout></bibliography></style>"""


def test_a_citation_processor_prints_our_author_form(tmp_path: Path) -> None:
    style = tmp_path / "t.csl"
    style.write_text(STYLE, encoding="utf-8")
    # The processor takes "liang" of "Guo-liang" for a word of its own.
    small = re.compile("-[a-z]")
    chosen = [one for one in BUNDLED if one.authors and not any(small.search(author.given) for author in one.authors)]
    assert len(chosen) > len(BUNDLED) / 2
    items = json.loads(write("csl", chosen))
    source = CiteProcJSON(items)
    loaded = CitationStylesStyle(str(style), validate=False)
    bibliography = CitationStylesBibliography(loaded, source, formatter.plain)
    for item in items:
        bibliography.register(Cited([CitationItem(item["id"])]))
    printed = dict(zip(bibliography.keys, map(str, bibliography.bibliography()), strict=True))
    for item, citation in zip(items, chosen, strict=True):
        expected = ", ".join(printed_name(author) for author in citation.authors)
        assert printed[item["id"].lower()].rstrip(".") == expected


def printed_name(author: Author) -> str:
    """The short name, but for the suffix, which a processor prints as it stands."""
    if author.collective:
        return author.collective
    return " ".join(part for part in (nlm_short_name(replace(author, suffix="")), author.suffix) if part)


def test_every_line_of_the_graph_is_an_article_in_its_periodical() -> None:
    graph = json.loads(write("jsonld"))
    assert graph["@context"] == "https://schema.org"
    assert len(graph["@graph"]) == len(BUNDLED)
    for node, citation in zip(graph["@graph"], BUNDLED, strict=True):
        assert (node["@type"], node["headline"]) == ("ScholarlyArticle", citation.title)
        assert [one.get("familyName", one["name"]) for one in node.get("author", [])] == [
            one.family or one.collective for one in citation.authors
        ]
        place = node["isPartOf"]
        kinds = []
        while place:
            kinds.append(place["@type"])
            last, place = place, place.get("isPartOf")
        assert kinds == ["PublicationIssue", "PublicationVolume", "Periodical"]
        assert last["name"] == citation.journal


@pytest.mark.parametrize(
    ("program", "name", "arguments"),
    [
        ("pandoc", "csl", ["-f", "csljson", "-t", "plain", "--citeproc"]),
        ("pandoc", "bibtex", ["-f", "bibtex", "-t", "csljson"]),
        ("ris2xml", "ris", []),
        ("bib2xml", "bibtex", []),
        ("med2xml", "pubmedset", []),
    ],
)
def test_programs_that_may_be_installed_take_our_files(program: str, name: str, arguments: list[str]) -> None:
    found = shutil.which(program)
    if not found:
        pytest.skip(f"not run: no {program}")
    done = subprocess.run([found, *arguments], input=write(name), capture_output=True, encoding="utf-8", check=True)
    assert "Helicobacter" in done.stdout
