"""Export from a store: records selected, completed, held back, left out and written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from medharvest.errors import FormatError
from medharvest.formats import FORMATS, Format
from medharvest.journals.policy import PermittedRecord, set_policy
from medharvest.library.export import (
    DraftHandling,
    Exporter,
    OmittedRecord,
    PreparedFile,
    RecordSelection,
    ReleasedRecords,
    open_exporter,
    prepare_file,
    release_unstored,
    select_records,
    with_journal_title,
    write_citations,
)
from medharvest.records import Citation, JournalTitle
from medharvest.store import Status, Store

PUBMED, RIS = FORMATS["pubmed"], FORMATS["ris"]
WHOLE = Citation(
    title="Sleep by the sea",
    abstract="They slept well.",
    journal="Journal of Tides",
    abbreviation="J Tides",
    publisher="Quay Press",
    issn=("2049-3630",),
    first_page="1",
    date="2010-09",
    doi="10.5555/a1",
)
OTHER = replace(WHOLE, title="Gout by the sea", doi="10.5555/a2")
UNKNOWN = replace(OTHER, abbreviation="", issn=())
LACKING = replace(WHOLE, title="", doi="10.5555/a3")
WRONG = replace(WHOLE, title="Nonsense by the sea", doi="nonsense")
KNOWN = JournalTitle(title="Journal of Tides", abbreviation="J Tides", issn=("2049-3630",), publisher="Quay Press")
MARK = "<!-- draft, not to be delivered"
TODAY = date(2026, 1, 1)


def refuse(found: object) -> None:
    pytest.fail(str(found))


def prepare(
    records: ReleasedRecords | Sequence[Citation],
    form: Format = PUBMED,
    *,
    draft: DraftHandling = DraftHandling.REFUSED,
) -> tuple[str, list[OmittedRecord], PreparedFile]:
    """The text of a file, and what was told of it."""
    left: list[OmittedRecord] = []
    chosen = records if isinstance(records, ReleasedRecords) else release_unstored(records)
    prepared = prepare_file(chosen, form, draft=draft, tell=left.append)
    return "".join(prepared.pieces), left, prepared


def titles(records: ReleasedRecords) -> list[str]:
    return [citation.title for citation in records]


def test_a_record_leaves_with_what_is_known_of_its_journal_which_is_looked_up_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = replace(WHOLE, abbreviation="Tides J", publisher="", issn=())
    store.journals.save_title(KNOWN)
    outlet, look_up = open_exporter(store), store.journals.titles_of
    asked: list[str] = []

    def titles_of(name: str, issn: tuple[str, ...]) -> JournalTitle | None:
        asked.append(name)
        return look_up(name, issn)

    monkeypatch.setattr(store.journals, "titles_of", titles_of)
    assert [outlet.permit(one).citation for one in (bare, bare)] == [WHOLE, WHOLE]
    assert outlet.permit(replace(bare, journal="Other")).citation == replace(bare, journal="Other")
    assert asked == ["Journal of Tides", "Other"]


def test_a_title_fills_only_what_it_knows() -> None:
    assert with_journal_title(WHOLE, None) == WHOLE
    assert with_journal_title(WHOLE, JournalTitle(title="Other")) == WHOLE
    assert with_journal_title(replace(WHOLE, journal=""), KNOWN).journal == "Journal of Tides"


@pytest.fixture
def runs(store: Store) -> tuple[int, int]:
    """Two runs that have a record in common; the first read one more when it was resumed."""
    first, second = (store.runs.begin(f"https://tides.example/{n}", ".", ()) for n in (1, 2))
    store.save(first, [WHOLE, replace(WHOLE, title="Sand", doi="10.5555/a4")])
    store.save(second, [replace(WHOLE, title="Moon", doi="10.5555/a5"), WHOLE])
    store.save(first, [OTHER, WHOLE, replace(WHOLE, title="Sand", doi="10.5555/a4")])
    return first, second


def test_records_of_a_run_come_in_the_order_of_its_contents_page(store: Store, runs: tuple[int, int]) -> None:
    first, second = runs
    outlet = open_exporter(store)
    assert titles(outlet.select(RecordSelection(runs=(first,)), refuse)) == [OTHER.title, WHOLE.title, "Sand"]
    assert titles(outlet.select(RecordSelection(runs=(second,)), refuse)) == ["Moon", WHOLE.title]
    assert [one.title for one in store.citations(run=first)] == [OTHER.title, WHOLE.title, "Sand"]
    assert [number for number, _ in store.records.numbered(run=second)] == [3, 1]
    assert [one.title for one in store.citations()] == [WHOLE.title, "Sand", "Moon", OTHER.title]


def test_records_of_several_runs_come_once(store: Store, runs: tuple[int, int]) -> None:
    found = titles(open_exporter(store).select(RecordSelection(runs=runs), refuse))
    assert found == [OTHER.title, WHOLE.title, "Sand", "Moon"]


def test_a_long_run_is_read_in_its_order_too(store: Store) -> None:
    many = [replace(WHOLE, title=f"Tide {n}", doi=f"10.5555/t{n}") for n in range(1500)]
    run = store.runs.begin("https://tides.example/1", ".", ())
    store.save(None, many[::-1])
    store.save(run, many)
    assert titles(open_exporter(store).select(RecordSelection(runs=(run,)), refuse)) == [one.title for one in many]


def test_deleted_records_do_not_leave_but_may_be_asked_for_by_status(store: Store) -> None:
    store.save(None, [WHOLE, OTHER])
    store.review.delete(1, who="ada")
    assert titles(open_exporter(store).select(RecordSelection(), refuse)) == [OTHER.title]
    assert [one.deleted for one in select_records(store, RecordSelection())] == [True, False]
    assert list(select_records(store, RecordSelection(statuses=(Status.ACCEPTED,)))) == []


def held_back(store: Store, **policy: object) -> Exporter:
    store.save(None, [WHOLE, replace(OTHER, journal="Moors", issn=("1234-5679",))])
    set_policy(store, "Journal of Tides", policy)
    return open_exporter(store, TODAY)


def test_what_a_policy_keeps_back_is_told_the_first_time_only(store: Store) -> None:
    told: list[PermittedRecord] = []
    records = held_back(store, embargo="2027-01-01").select(RecordSelection(), told.append)
    assert titles(records) == titles(records) == [OTHER.title]
    assert [(one.citation.title, one.withheld) for one in told] == [
        (WHOLE.title, "embargo of journal-of-tides until 2027-01-01")
    ]


def test_an_abstract_that_is_not_permitted_is_taken_out_and_told(store: Store) -> None:
    told: list[PermittedRecord] = []
    records = held_back(store, abstracts=False).select(RecordSelection(), told.append)
    assert [one.abstract for one in records] == ["", OTHER.abstract]
    assert [one.note for one in told] == ["without its abstract: policy of journal-of-tides"]


def test_where_all_are_held_back_the_hint_says_where_to_look(store: Store) -> None:
    records = held_back(store, embargo="2027-01-01").release(lambda: [WHOLE], lambda _: None)
    with pytest.raises(FormatError, match="no record for ris: all are held back") as caught:
        prepare(records, RIS)
    assert "journals show" in caught.value.hint


def test_an_empty_choice_says_what_it_was(store: Store) -> None:
    for choice, hint in (
        (RecordSelection(), "harvest an issue first"),
        (RecordSelection(issue="9(9)"), "nothing stored matches"),
    ):
        with pytest.raises(FormatError, match="no record for ris: there are none") as caught:
            prepare(open_exporter(store).select(choice, refuse), RIS)
        assert caught.value.hint.startswith(hint)


def test_a_journal_without_what_is_demanded_stops_a_file_to_be_delivered_with_the_command_that_helps() -> None:
    with pytest.raises(FormatError, match="pubmed needs the abbreviation and issn of Journal of Tides") as caught:
        prepare([WHOLE, UNKNOWN])
    assert caught.value.hint == "medharvest journals set 'Journal of Tides' --abbreviation … --issn …"
    with pytest.raises(FormatError, match="the abbreviation, issn and publisher of a journal without a name"):
        prepare([Citation()])
    assert prepare([WHOLE, LACKING])[0].count("<Article>") == 1
    assert prepare([Citation()], RIS)[0].count("TY  -") == 1


def test_all_journals_that_lack_something_are_named_at_once() -> None:
    brine = replace(UNKNOWN, journal="Brine", issn=("2049-3630",))
    with pytest.raises(FormatError) as caught:
        prepare([UNKNOWN, brine, brine, WHOLE])
    assert str(caught.value).startswith(
        "pubmed needs the abbreviation and issn of Journal of Tides; pubmed needs the abbreviation of Brine"
    )
    assert caught.value.hint == (
        "medharvest journals set 'Journal of Tides' --abbreviation … --issn …; "
        "medharvest journals set Brine --abbreviation …"
    )


def test_a_journal_that_is_built_in_needs_no_setting(store: Store) -> None:
    store.save(None, [replace(WHOLE, journal="The Lancet", abbreviation="", issn=())])
    (permitted,) = open_exporter(store).select(RecordSelection(), refuse)
    assert (permitted.journal, permitted.abbreviation) == ("The Lancet", "Lancet")
    assert set(permitted.issn) == {"0140-6736", "1474-547X"}


def test_records_of_one_journal_are_selected(store: Store) -> None:
    store.save(None, [WHOLE, replace(OTHER, journal="Brine", abbreviation="", issn=())])
    for name, titles in (("J Tides", [WHOLE.title]), ("brine", [OTHER.title]), ("2049-3630", [WHOLE.title])):
        chosen = select_records(store, RecordSelection(journal=name))
        assert [record.citation.title for record in chosen] == titles


def test_a_journal_without_what_is_demanded_makes_a_file_a_draft_where_that_is_allowed() -> None:
    text, left, prepared = prepare([WHOLE, UNKNOWN], draft=DraftHandling.ALLOWED)
    assert (MARK in text, text.count("<Article>"), left) == (True, 2, [])
    assert prepared.draft.startswith("pubmed needs the abbreviation and issn of Journal of Tides; hint: ")
    text, left, prepared = prepare([WHOLE], draft=DraftHandling.ALLOWED)
    assert (MARK in text, prepared.draft) == (False, "")
    assert prepare([UNKNOWN], RIS, draft=DraftHandling.ALLOWED)[2].draft == ""


def test_a_record_that_is_left_out_anyway_makes_no_draft() -> None:
    text, left, _ = prepare([WHOLE, replace(UNKNOWN, title="")], draft=DraftHandling.ALLOWED)
    assert (MARK in text, [one.why for one in left]) == (False, ["lacks title"])


@pytest.mark.parametrize("draft", [DraftHandling.REFUSED, DraftHandling.ALLOWED])
def test_records_with_errors_are_left_out_and_told(draft: DraftHandling) -> None:
    twice = replace(WHOLE, title="Again")
    warned = replace(WHOLE, title="SLEEP BY THE SEA IN OLDER ADULTS", doi="")
    text, left, _ = prepare([WRONG, WHOLE, twice, LACKING, warned, warned], draft=draft)
    assert text.count("<Article>") == 3  # a warning blocks nothing
    assert [one.citation for one in left] == [WRONG, twice, LACKING]
    assert "not a bare DOI" in left[0].why
    assert "another record has its DOI" in left[1].why
    assert left[2].why == "lacks title"


def test_a_format_without_demands_takes_every_record() -> None:
    text, left, _ = prepare([WRONG, WRONG], RIS)
    assert (text.count("TY  -"), left) == (2, [])


def test_where_no_record_fits_the_message_says_why() -> None:
    with pytest.raises(FormatError, match=r"no record for pubmed: lacks title; not a bare DOI: nonsense") as caught:
        prepare([LACKING, WRONG], draft=DraftHandling.ALLOWED)
    assert "ris or jsonl" in caught.value.hint
    many = [replace(WRONG, doi=f"nonsense {n}") for n in range(5)]
    with pytest.raises(FormatError, match=r"nonsense 2; hint: [^;]*$"):  # not all of them
        prepare(many)


def test_a_draft_that_is_wanted_holds_every_record_and_only_a_format_with_demands_has_one() -> None:
    text, _, _ = prepare([Citation(title="x"), WRONG], draft=DraftHandling.WANTED)
    assert (MARK in text, text.count("<Article>")) == (True, 2)
    with pytest.raises(FormatError, match="no draft of ris"):
        prepare([], RIS, draft=DraftHandling.WANTED)


def test_records_in_hand_are_written_and_those_a_format_cannot_hold_given_back(tmp_path: Path) -> None:
    assert write_citations([LACKING, WHOLE, WRONG], PUBMED, tmp_path / "c.xml") == (LACKING, WRONG)
    text = (tmp_path / "c.xml").read_text(encoding="utf-8")
    assert (WHOLE.title in text, WRONG.title in text, MARK in text) == (True, False, False)
    assert write_citations([UNKNOWN], PUBMED, tmp_path / "c.xml") == ()
    assert MARK in (tmp_path / "c.xml").read_text(encoding="utf-8")


def test_where_no_record_in_hand_fits_nothing_is_written(tmp_path: Path) -> None:
    for records, why in (([LACKING], "lacks title"), ([], "there are none")):
        with pytest.raises(FormatError, match=f"no record for pubmed: {why}"):
            write_citations(records, PUBMED, tmp_path / "c.xml")
    assert list(tmp_path.iterdir()) == []
