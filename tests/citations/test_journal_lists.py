"""Lists of journals as libraries give them away, and the guess where none knows a title."""

from __future__ import annotations

import csv
import lzma
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.growth import growth

from medharvest.citations.journal_lists import (
    JournalSource,
    find_built_in_journals,
    guess_abbreviation,
    is_nlm_list,
    read_journal_list,
)
from medharvest.errors import InputError
from medharvest.records import JournalTitle

NLM = """--------------------------------------------------------
JrId: 1
JournalTitle: Annals of tides &amp; gout
MedAbbr: Ann Tides Gout
ISSN (Print): 2434-561X
ISSN (Online): 2049-3630
IsoAbbr: Ann. Tides Gout
NlmId: 101999999
--------------------------------------------------------
JrId: 2
JournalTitle: Moors
MedAbbr: Moors
ISSN (Print):
ISSN (Online): 2049-3631
IsoAbbr:
NlmId: 101999998
--------------------------------------------------------
JrId: 3
"""


def test_nlms_list_is_read_entry_by_entry():
    assert list(read_journal_list(NLM, name="J_Medline.txt")) == [
        JournalTitle(
            title="Annals of tides & gout",
            abbreviation="Ann Tides Gout",
            iso="Ann. Tides Gout",
            issn=("2434-561X", "2049-3630"),
            nlm_id="101999999",
        ),
        JournalTitle(title="Moors", abbreviation="Moors", nlm_id="101999998"),
    ]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("Annals of Tides;Ann. Tides\nMoors;Moors\n", [("Annals of Tides", "", "Ann. Tides"), ("Moors", "", "Moors")]),
        ("Annals of Tides,Ann Tides\n", [("Annals of Tides", "Ann Tides", "")]),
        ('\ufeff"Tides, Annals of","Ann Tides",more\n\n', [("Tides, Annals of", "Ann Tides", "")]),
    ],
)
def test_a_csv_list_has_iso_abbreviations_with_stops_and_nlm_ones_without(text, entries):
    read = [(entry.title, entry.abbreviation, entry.iso) for entry in read_journal_list(text, name="a.csv")]
    assert read == entries


@pytest.mark.parametrize("text", ["", "no table at all\nreally none\n", 'a;"b', "a;b\nc\nd\ne\n"])
def test_another_file_is_refused_with_what_is_expected(text):
    with pytest.raises(InputError, match="not a list of journals") as error:
        read_journal_list(text, name="a.csv")
    assert "J_Medline" in error.value.hint


@settings(max_examples=50)
@given(st.text() | st.text(alphabet='a;,"\n-:JrId '))
def test_no_text_raises_anything_else(text):
    try:
        list(read_journal_list(text, name="x"))
    except InputError:
        assert not is_nlm_list(text)


@pytest.mark.no_cover
def test_a_long_list_and_a_hostile_one_are_read_in_bounded_time():
    assert growth(lambda size: list(read_journal_list(NLM * size, name="x")), 100) < 6
    list(read_journal_list("JrId: 1\n" + "JournalTitle: a\n" * 100_000, name="x"))
    list(read_journal_list("a;" * 500_000 + "\n", name="x"))


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("Annals of Estuary Medicine", "Ann Estuary Med"),
        ("The International Journal of Tidal Epidemiology", "Int J Tidal Epidemiol"),
        ("Scandinavian Archives of Clinical Nutrition", "Scand Arch Clin Nutr"),
        ("Journal of Moor Surgery: The Official Organ", "J Moor Surg"),
        ("BRIGHT Reports in Gastroenterology", "BRIGHT Rep Gastroenterol"),
        ("Archives de Médecine", "Arch Médecine"),
        ("Moor Malariology Letters", "Moor Malariol Lett"),
        ("Acta Ology", "Acta Ology"),
        ("Tides", "Tides"),
        ("The", "The"),
        ("Heart Open", "Heart Open"),
        ("", ""),
    ],
)
def test_an_abbreviation_is_guessed_word_by_word(title, short):
    assert guess_abbreviation(title) == short


def test_a_built_in_journal_is_found_by_title_short_title_abbreviation_and_issn() -> None:
    for name in ("The BMJ", "BMJ (Clinical research ed.)", "bmj"):
        assert "8900488" in {one.entry.nlm_id for one in find_built_in_journals(name)}
    (found,) = find_built_in_journals("N Engl J Med")
    assert (found.entry.title, found.source) == ("The New England journal of medicine", JournalSource.PUBMED)
    assert found in find_built_in_journals(issn=["0028-4793"])
    assert find_built_in_journals("Annals of Estuary Medicine") == find_built_in_journals() == ()


@pytest.mark.no_cover
@pytest.mark.parametrize("known", ["abbreviation", "nlm_id"])
def test_built_in_journals_agree_with_the_catalogue(known: str) -> None:
    seen = right = 0
    for row in _catalogue_rows()[::100]:
        given = {row["issn_print"], row["issn_online"], row["issn_l"]} - {""}
        found = [one.entry for one in find_built_in_journals(row["title"])]
        found = [one for one in found if not (given and one.issn and given.isdisjoint(one.issn))]
        values = {getattr(one, known) for one in found} - {""}
        seen += len(values) == 1
        right += values == {row["med_abbr" if known == "abbreviation" else "nlm_id"]}
    assert seen > (70 if known == "abbreviation" else 43)
    assert right / seen > 0.98


def _catalogue_rows() -> list[dict[str, str]]:
    folder = os.environ.get("SHARED_FOLDER", "")
    path = Path(folder) / "data" / "journals_merged.tsv.xz"
    if not folder or not path.exists():
        pytest.skip("not run: no catalogue of journals")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [row for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if row["med_abbr"]]
