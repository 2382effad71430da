from dataclasses import replace

import pytest

from medharvest.citations import FORMATS
from medharvest.errors import FormatError
from medharvest.records import Citation, JournalTitle
from medharvest.run.export import Left, completed, require_journals, with_title, write_draft, write_fit

PUBMED = FORMATS["pubmed"]
WHOLE = Citation(
    title="Sleep by the sea",
    journal="Journal of Tides",
    abbreviation="J Tides",
    publisher="Quay Press",
    issn=("2049-3630",),
    first_page="1",
    date="2010-09",
    doi="10.5555/a1",
)
KNOWN = JournalTitle(title="Journal of Tides", abbreviation="J Tides", issn=("2049-3630",), publisher="Quay Press")


def refuse(left: Left) -> None:
    pytest.fail(left.why)


def test_what_is_known_of_a_journal_completes_its_records_and_is_asked_for_once() -> None:
    asked: list[str] = []

    def titles(name: str, issn: tuple[str, ...]) -> JournalTitle | None:
        asked.append(name)
        return KNOWN if name == "Journal of Tides" and not issn else None

    bare = replace(WHOLE, abbreviation="Tides J", publisher="", issn=())
    found = list(completed([bare, bare, replace(bare, journal="Other")], titles))
    assert asked == ["Journal of Tides", "Other"]
    assert found[0] == found[1] == WHOLE
    assert found[2] == replace(bare, journal="Other")


def test_a_title_fills_only_what_it_knows() -> None:
    assert with_title(WHOLE, None) == WHOLE
    assert with_title(WHOLE, JournalTitle(title="Other")) == WHOLE
    assert with_title(replace(WHOLE, journal=""), KNOWN).journal == "Journal of Tides"


def test_a_journal_without_what_is_demanded_stops_the_export_with_the_command_that_helps() -> None:
    with pytest.raises(FormatError, match="pubmed wants the abbreviation and issn of Journal of Tides") as caught:
        require_journals([WHOLE, replace(WHOLE, abbreviation="", issn=())], PUBMED)
    assert caught.value.hint == 'medharvest journals set "Journal of Tides" --abbreviation … --issn …'
    with pytest.raises(FormatError, match="the abbreviation, issn and publisher of a journal without a name"):
        require_journals([Citation()], PUBMED)
    require_journals([WHOLE, replace(WHOLE, title="")], PUBMED)
    require_journals([Citation()], FORMATS["ris"])


def test_records_with_errors_are_left_out_and_told() -> None:
    told: list[Left] = []
    wrong = replace(WHOLE, issn=("2049-3631",))
    twice = replace(WHOLE, title="Again")
    lacking = replace(WHOLE, title="", doi="10.5555/a2")
    warned = replace(WHOLE, title="SLEEP BY THE SEA IN OLDER ADULTS", doi="")
    pieces = write_fit([wrong, WHOLE, twice, lacking, warned, warned], PUBMED, tell=told.append, empty="")
    text = "".join(pieces)
    assert text.count("<Article>") == 3  # a warning blocks nothing
    assert [left.citation for left in told] == [wrong, twice, lacking]
    assert "check digit" in told[0].why
    assert "another record has its DOI" in told[1].why
    assert told[2].why == "lacks title"


def test_a_format_without_demands_takes_every_record() -> None:
    wrong = Citation(title="x", doi="nonsense")
    assert "".join(write_fit([wrong, wrong], FORMATS["ris"], tell=refuse, empty="")).count("TY  -") == 2


def test_where_nothing_is_left_the_hint_says_what_to_do() -> None:
    with pytest.raises(FormatError, match="no record for ris") as caught:
        write_fit([], FORMATS["ris"], tell=refuse, empty="harvest first")
    assert caught.value.hint == "harvest first"


def test_only_a_format_with_demands_has_a_draft() -> None:
    assert "draft" in "".join(write_draft([Citation(title="x")], PUBMED))
    with pytest.raises(FormatError, match="no draft of ris"):
        write_draft([], FORMATS["ris"])
