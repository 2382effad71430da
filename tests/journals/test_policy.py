"""Journal policies: found for a record, obeyed, and a reminder shown once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from tests.deliver.records import ONE, RECORDS

from medharvest.errors import InputError
from medharvest.journals.catalogue import find_named_journal
from medharvest.journals.policy import (
    JournalPolicies,
    check_download,
    embargo_end,
    load_policies,
    permission_reminder,
    set_policy,
    without_abstract,
)
from medharvest.records import Alternative, Citation, JournalTitle, Policy
from medharvest.store import Journal, open_store

TODAY = date(2026, 1, 1)
CLOSED = Policy(embargo="2027-01-01")
URL = "https://tides.example/12/3"


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "s.sqlite")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("embargo", "published", "expected"),
    [
        ("", "2024", None),
        ("2027-02-03", "2024", date(2027, 2, 3)),
        ("12 months", "2024-02-29", date(2025, 2, 28)),
        ("6 months", "2024-08-31", date(2025, 2, 28)),
        ("1 month", "2024-11-05", date(2024, 12, 5)),
        ("12m", "2024-03", date(2025, 3, 31)),
        ("12 months", "2024", date(2025, 12, 31)),
        ("12 months", "2024-03/2024-04", date(2025, 3, 31)),
        ("12 months", "2024-22", date(2025, 12, 31)),
        ("240 months", "", date.max),
        ("12 months", "0000-01-01", date.max),
        ("6 months", "spring", date.max),
        ("12 months", "9999", date.max),
    ],
)
def test_an_embargo_ends_on_a_day_or_some_time_after_publication(embargo, published, expected):
    assert embargo_end(embargo, published) == expected


@pytest.mark.parametrize(
    "journal",
    [
        Journal(name="x", issn=("20493630",)),
        Journal(name="x", title="Journal of Tides"),
        Journal(name="x", title="J. Tides"),
        Journal(name="journal-of-tides"),
    ],
)
def test_a_record_is_known_as_a_journals_own(journal):
    found = JournalPolicies([replace(journal, policy=CLOSED)], TODAY).permit(ONE)
    assert found.withheld == f"embargo of {journal.name} until 2027-01-01"


def test_a_record_without_issn_is_known_by_its_host_unless_two_journals_share_it():
    bare = Citation(url="https://www.tides.example/a", title="x")
    host = Journal(name="a", hosts=("tides.example",), policy=CLOSED)
    assert JournalPolicies([host], TODAY).permit(bare).withheld
    assert not JournalPolicies([host, replace(host, name="b")], TODAY).permit(bare).withheld
    assert not JournalPolicies([host], TODAY).permit(replace(bare, issn=("2049-3630",))).withheld
    assert not JournalPolicies([host], TODAY).permit(Citation(title="x")).withheld


def test_of_two_policies_for_one_issn_the_first_holds():
    both = [Journal(name=name, issn=("20493630",), policy=CLOSED) for name in "ab"]
    assert "embargo of a" in JournalPolicies(both, TODAY).permit(ONE).withheld


def test_on_its_last_day_an_embargo_is_over():
    journal = Journal(name="x", issn=("20493630",), policy=CLOSED)
    assert JournalPolicies([journal], date(2026, 12, 31)).permit(ONE).withheld
    assert not JournalPolicies([journal], date(2027, 1, 1)).permit(ONE).withheld


def test_an_abstract_leaves_with_all_that_quotes_it():
    record = replace(ONE, alternatives=(Alternative(field="abstract", value="Aim", score=0.1),))
    bare = without_abstract(record)
    assert (bare.abstract, bare.sections, bare.other_abstracts) == ("", (), ())
    assert (bare.evidence, bare.alternatives) == ((), ())
    assert bare.title == ONE.title
    policies = JournalPolicies([Journal(name="x", issn=("20493630",), policy=Policy(abstracts=False))], TODAY)
    found = policies.permit(record)
    assert found.citation == bare
    assert found.note == "without its abstract: policy of x"
    assert policies.permit(bare).note == ""


def test_an_embargo_of_months_counts_from_the_day_of_publication():
    policies = JournalPolicies([Journal(name="x", issn=("20493630",), policy=Policy(embargo="18 months"))], TODAY)
    told = [policies.permit(one).withheld for one in RECORDS]
    assert told == ["", "", "embargo of x until 2027-06-30"]


def test_a_policy_is_set_by_short_name_title_or_issn_and_keeps_what_is_not_given(store):
    made = set_policy(store, "Journal of Tides", {"permission": "licence 7"})
    assert (made.name, made.title) == ("journal-of-tides", "Journal of Tides")
    assert made.policy == Policy(permission="licence 7")
    again = set_policy(store, "journal of TIDES", {"abstracts": False})
    assert again.policy == Policy(permission="licence 7", abstracts=False)
    assert set_policy(store, "journal-of-tides", {"permission": ""}).policy == Policy(abstracts=False)
    assert [journal.name for journal in store.journals.all()] == ["journal-of-tides"]
    assert find_named_journal(store, "Moors") is None


def test_a_new_journal_takes_the_issn_that_is_known_of_it(store):
    store.journals.save_title(JournalTitle(title="Journal of Tides", issn=("2049-3630",)))
    assert set_policy(store, "Journal of Tides", {"abstracts": False}).issn == ("20493630",)
    assert find_named_journal(store, "2049-3630") == store.journals.get("journal-of-tides")


def test_names_that_were_set_later_count_too(store):
    store.journals.save(Journal(name="jt"))
    store.journals.save(Journal(name="1234-5679"))
    store.journals.save(Journal(name="other"))
    set_policy(store, "jt", {"embargo": "2027-01-01"})
    set_policy(store, "1234-5679", {"embargo": "2027-01-01"})
    store.journals.save_title(JournalTitle(title="Journal of Tides"), names=("jt",))
    policies = load_policies(store, TODAY)
    assert "jt" in policies.permit(replace(ONE, issn=())).withheld
    assert "1234-5679" in policies.permit(replace(ONE, journal="", issn=("1234-5679",))).withheld
    assert policies.fingerprint == load_policies(store, TODAY).fingerprint != load_policies(store, date.max).fingerprint


@pytest.mark.parametrize("text", ["soon", "12 years", "2027-13-01", "0 months"])
def test_an_embargo_that_is_none_is_told(store, text):
    with pytest.raises(InputError, match="not an embargo"):
        set_policy(store, "tides", {"embargo": text})
    assert store.journals.all() == ()


def test_a_journal_that_must_not_be_downloaded_is_not(store):
    store.journals.save(Journal(name="tides", hosts=("tides.example",)))
    check_download(store, URL, "")
    set_policy(store, "tides", {"download": False})
    with pytest.raises(InputError, match="downloading from tides is not permitted by its policy") as caught:
        check_download(store, URL, "")
    assert "journals set tides --download" in caught.value.hint
    set_policy(store, "tides", {"terms": "they forbid it"})
    with pytest.raises(InputError, match="they forbid it"):
        check_download(store, "https://other.example/", "tides")


def test_a_journal_that_nobody_knows_is_reminded_of_at_its_first_run(store):
    assert permission_reminder(store, URL) == ""
    store.runs.begin(URL, "f", ())
    assert "journals set tides.example --permission" in permission_reminder(store, URL)
    assert "journals set 2049-3630 --permission" in permission_reminder(store, URL, issn=("2049-3630",))
    store.runs.begin("https://www.tides.example/12/4", "f", ())
    assert permission_reminder(store, URL) == ""


def test_a_policy_by_host_or_issn_makes_a_journal_that_is_found_by_it(store):
    assert set_policy(store, "tides.example", {"permission": "ours"}).hosts == ("tides.example",)
    assert set_policy(store, "2049-3630", {"embargo": "2027-01-01"}).issn == ("20493630",)
    assert permission_reminder(store, URL) == ""
    assert "2049-3630" in load_policies(store, TODAY).permit(ONE).withheld


def test_the_lack_of_a_permission_is_mentioned_once(store):
    store.journals.save(Journal(name="tides", hosts=("tides.example",)))
    assert 'medharvest journals set tides --permission "…"' in permission_reminder(store, URL)
    assert permission_reminder(store, URL) == ""
    store.journals.save(Journal(name="moors", issn=("20493630",)))
    set_policy(store, "moors", {"permission": "ours"})
    assert permission_reminder(store, URL, issn=("2049-3630",)) == ""


def test_a_reminder_of_a_journal_does_not_hide_the_policy_of_the_same_journal_under_another_name(store):
    store.journals.save(Journal(name="20493630", issn=("20493630",), hosts=("tides.example",)))
    assert "no permission" in permission_reminder(store, URL)
    set_policy(store, "Journal of Tides", {"abstracts": False})
    assert load_policies(store, TODAY).permit(ONE).note == "without its abstract: policy of journal-of-tides"
