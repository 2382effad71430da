"""The bench of other programs' files compares what it says."""

from __future__ import annotations

from pathlib import Path

from bench.render_foreign import foreign_page

from bench import foreign

RIS = """TY  - JOUR
TI  - Tides and sleep.
AU  - Berg, Anna
AU  - Carl Cole
JO  - Journal of Tides
PY  - 2019
DA  - MAR-APR
VL  - 12
SP  - 123
EP  - 8
DO  - https://doi.org/10.5555/A1
AB  - We measured tides. (C) 2019 Quay Press. All rights reserved.
ER  -

"""


def test_values_are_equal_as_written_or_in_normal_form_and_the_rest_has_a_kind(tmp_path: Path) -> None:
    file = tmp_path / "ris" / "one.ris"
    file.parent.mkdir()
    file.write_text(RIS, encoding="utf-8")
    row = foreign.compare_file(file)
    assert (row["records"], row["values"], row["written"], row["equal"]) == (1, 8, 6, 7)
    assert row["kinds"] == {"authors: a name without a comma, which the reference leaves whole or divides elsewhere": 1}


def test_a_difference_without_a_rule_is_not_explained() -> None:
    assert foreign.explain("volume", "12", "13") == "not explained"
    assert foreign.explain("pages", "1-2, 7", "1-2") == "several ranges, of which the first is kept"


def test_every_format_has_a_reference(tmp_path: Path) -> None:
    texts = {
        "bibtex/a.bib": "@article{a, AUTHOR = {Berg, Anna and Cole, Carl}, title = {Tides}, year = 2019}",
        "csv/a.csv": "Title,Author,Publication Title,Publication Year,Volume,Pages,DOI,Abstract Note\n"
        'Tides,"Berg, Anna; Cole, Carl",Journal of Tides,2019,12,123-128,10.5555/a1,We measured.\n',
        "pubmed/a.txt": "PMID- 1\nTI  - Tides.\nFAU - Berg, Anna\nDP  - 2019 Mar\nPG  - 123-8\n",
        "pubmed/a.xml": "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>Tides."
        "</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
        "jats/a.xml": "<article><front><journal-meta/><article-meta><title-group><article-title>Tides</article-title>"
        "</title-group></article-meta></front></article>",
        "ris/wos.ris": "FN Tides\nVR 1.0\nPT J\nAU Berg, A\nTI Tides\nPY 2019\nER\n\nEF\n",
    }
    for name, text in texts.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        row = foreign.compare_file(file)
        assert (name, row["records"], row["equal"]) == (name, 1, row["values"])
        assert row["values"]


def test_the_page_has_a_row_for_each_file_and_kind() -> None:
    row = {"file": "ris/a.ris", "records": 2, "values": 16, "written": 12, "equal": 15, "kinds": {"pages: x": 1}}
    page = foreign_page({"command": "python -m bench.foreign", "commit": "0" * 40, "files": [row, row]})
    assert "| all | 4 | 32 | 75.00 % | 93.75 % |" in page
    assert "| pages: x | 2 |" in page
