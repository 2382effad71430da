"""Names of other people's files, of a folder that SHARED_FOLDER names: how many are read as their sources have them."""

from __future__ import annotations

import json
import os
import re
from io import BytesIO
from pathlib import Path

import pytest

from medharvest.citations.author_names import parse_author_name
from medharvest.citations.metadata_fields import read_metadata_people
from medharvest.formats import bibtex
from medharvest.records import Author, MetaItem

_PER_PAGE = 8


@pytest.fixture
def folder() -> Path:
    path = Path(os.environ.get("SHARED_FOLDER", "")) / "records" / "foreign" / "names"
    if not path.is_dir():
        pytest.skip("not run: no foreign names")
    return path


def first_letters(given: str, dot: str, between: str) -> str:
    words = [part.strip(".") for word in given.replace(".", ". ").split() for part in [word] if word.strip(".")]
    initials = ("-".join(piece[0] + dot for piece in word.split("-") if piece) for word in words)
    return between.join(one if dot else one.replace("-", "") for one in initials)


FORMS = {
    "Family, G. I.": (lambda family, given: f"{family}, {first_letters(given, '.', ' ')}", 99.8),
    "Family, G.I.": (lambda family, given: f"{family}, {first_letters(given, '.', '')}", 99.8),
    "Family GI": (lambda family, given: f"{family} {first_letters(given, '', '')}", 99.5),
    "Given Family": (lambda family, given: f"{given} {family}", 99.0),
}


def bare(text: str) -> str:
    return re.sub(r"[\s.,\-]+", "", text).casefold()


def is_right(author: Author, text: str, family: str, given: str) -> bool:
    if author.collective:
        return bare(author.collective) == bare(text)
    families = {bare(author.family), bare(author.family + author.suffix)}
    return bare(family) in families and bare(author.given) == bare(given)


@pytest.mark.no_cover
@pytest.mark.parametrize("form", FORMS)
def test_names_of_page_metadata_are_read_in_every_form(folder: Path, form: str) -> None:
    write, least = FORMS[form]
    lines = (folder / "authors.txt").read_text(encoding="utf-8").splitlines()
    people = [(family.strip(), given.strip()) for family, _, given in (line.partition(", ") for line in lines)]
    people = [pair for pair in people if all(pair)]
    right = 0
    for start in range(0, len(people), _PER_PAGE):
        group = people[start : start + _PER_PAGE]
        texts = [write(*pair) for pair in group]
        items = [MetaItem(source="meta", name="citation_author", value=text) for text in texts]
        authors = read_metadata_people(items).authors
        if len(authors) == len(group):
            for (family, given), text, author in zip(group, texts, authors, strict=True):
                wanted = given if form == "Given Family" else first_letters(given, "", "")
                right += is_right(author, text, family, wanted)
    assert 100 * right / len(people) >= least


def test_names_of_other_programs_tests_are_read_as_there(folder: Path) -> None:
    """Those without courtesy titles and nicknames, which are not ours to read."""
    right = tried = 0
    for line in (folder / "peer-cases.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        parts, name = row["exp"], row["name"]
        if parts.keys() & {"title", "nickname"} or '"' in name or name.split()[0] in {"Countess", "Mr."}:
            continue
        tried += 1
        given = " ".join(filter(None, (parts.get("first"), parts.get("middle"))))
        if row["src"] == "namae-bibtex":
            (citation,) = bibtex.read(BytesIO(f"@article{{a, title={{x}}, author={{{name}}}}}".encode()))
            author: Author | None = citation.authors[0]
            given, parts = (re.sub(r"[{}]|\\\\\w\w", "", given), {**parts, "last": re.sub(r"[{}]", "", parts["last"])})
        else:
            author = parse_author_name(name)
        right += author is not None and (bare(author.family), bare(author.given)) == (bare(parts["last"]), bare(given))
    assert tried >= 90
    assert right / tried >= 0.95
