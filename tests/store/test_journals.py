"""Journals and what was taught of them, whichever database is behind the store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from medharvest.errors import StoreError
from medharvest.records import JournalTitle, Kind, LinkExample
from medharvest.store import Journal, Store

TIDES = Journal(name="tides", title="Journal of Tides", issn=("9152-6035",), hosts=("www.Tides.example",))
EXAMPLE = LinkExample(
    page="https://tides.example/1",
    index=3,
    article=True,
    kind=Kind.PDF,
    vector=(("href",), ("a.pdf",), (), (), (), ("B",), ("",), ("",), ("PDF \ud800 é",)),
    traits=(("path", "ul/li"),),
)
OTHER = replace(EXAMPLE, index=4, article=False, kind=None)


def taught(store: Store, *examples: LinkExample, digest: str = "") -> None:
    store.journals.save(TIDES)
    store.journals.teach_links("tides", examples, digest=digest)


def test_a_journal_comes_back_with_its_hosts_and_issn_as_they_are_compared(store: Store) -> None:
    store.journals.save(TIDES)
    store.journals.save(Journal(name="a"))
    assert store.journals.get("tides") == replace(TIDES, issn=("91526035",), hosts=("tides.example",))
    assert [journal.name for journal in store.journals.all()] == ["a", "tides"]


def test_a_journal_saved_again_keeps_its_examples(store: Store) -> None:
    taught(store, EXAMPLE)
    store.journals.save(Journal(name="tides", title="Tides"))
    assert store.journals.get("tides") == Journal(name="tides", title="Tides", examples=1)


def test_examples_come_back_word_for_word_in_the_order_they_were_taught(store: Store) -> None:
    taught(store, OTHER, EXAMPLE)
    later = replace(EXAMPLE, page="https://tides.example/2")
    store.journals.teach_links("tides", [later])
    assert list(store.journals.link_examples("tides")) == [OTHER, EXAMPLE, later]


def test_a_page_taught_again_replaces_what_it_taught_before(store: Store) -> None:
    other_page = replace(EXAMPLE, page="https://tides.example/2")
    taught(store, EXAMPLE, OTHER, other_page)
    store.journals.teach_links("tides", [OTHER])
    assert list(store.journals.link_examples("tides")) == [other_page, OTHER]


def test_a_page_known_by_its_digest_is_the_same_under_another_address(store: Store) -> None:
    taught(store, EXAMPLE, digest="d1")
    moved = replace(EXAMPLE, page="https://new.example/1")
    store.journals.teach_links("tides", [moved], digest="d1")
    assert list(store.journals.link_examples("tides")) == [moved]
    assert store.journals.taught_pages("tides") == {"https://new.example/1": "d1"}


def test_more_examples_than_one_batch_keep_their_order(store: Store) -> None:
    many = [replace(EXAMPLE, index=number) for number in range(1_001)]
    taught(store, *many)
    assert list(store.journals.link_examples("tides")) == many


def test_teaching_nothing_changes_nothing(store: Store) -> None:
    taught(store, EXAMPLE)
    store.journals.teach_links("tides", [])
    assert store.journals.get("tides").examples == 1


def test_a_page_or_a_whole_journal_can_be_forgotten(store: Store) -> None:
    later = replace(EXAMPLE, page="https://tides.example/2")
    taught(store, EXAMPLE, later)
    store.journals.forget_page("tides", EXAMPLE.page)
    assert list(store.journals.link_examples("tides")) == [later]
    store.journals.remove("tides")
    assert store.journals.all() == ()


@pytest.mark.parametrize("ask", ["get", "link_examples", "taught_pages", "remove"])
def test_a_journal_that_is_not_there_is_an_error_with_a_hint(store: Store, ask: str) -> None:
    with pytest.raises(StoreError, match="no such journal: tides") as caught:
        getattr(store.journals, ask)("tides")
    assert "learn links" in caught.value.hint


@pytest.mark.parametrize(
    ("host", "issn", "found"),
    [
        ("tides.example", (), "tides"),
        ("WWW.tides.example", (), "tides"),
        ("elsewhere.example", (), None),
        ("", ("9152-6035",), "tides"),
        ("elsewhere.example", ("91526035",), "tides"),
        ("tides.example", ("1111-1111",), None),  # another journal of the same house
        ("shared.example", (), None),  # two journals there
        ("shared.example", ("2222-2222",), "one"),
        ("twice.example", ("3333-3333",), "three"),  # the ISSN of two; the host decides
        ("elsewhere.example", ("3333-3333",), None),
    ],
)
def test_a_journal_is_found_by_issn_then_by_host_when_only_one_fits(
    store: Store, host: str, issn: tuple[str, ...], found: str | None
) -> None:
    for journal in (
        TIDES,
        Journal(name="one", issn=("2222-2222",), hosts=("shared.example",)),
        Journal(name="two", hosts=("shared.example",)),
        Journal(name="three", issn=("3333-3333",), hosts=("twice.example",)),
        Journal(name="four", issn=("3333-3333",)),
    ):
        store.journals.save(journal)
    one = store.journals.find(host=host, issn=issn)
    assert (None if one is None else one.name) == found


TITLE = JournalTitle(
    title="Annals of Tides", abbreviation="Ann Tides", iso="Ann. Tides", issn=("2434-561X", "2049-3630"), nlm_id="7"
)


def test_a_title_set_by_the_user_is_found_by_every_name_and_issn(store: Store) -> None:
    store.journals.save_title(TITLE, names=("tides",))
    for name in ("annals of TIDES", "Ann Tides", "ann. tides", "tides"):
        assert store.journals.titles_of(name) == TITLE
    assert store.journals.titles_of("", ("20493630",)) == TITLE
    assert store.journals.titles_of("moors") is None
    assert store.journals.titles_of("") is None


def test_a_title_set_again_replaces_what_was_set_before(store: Store) -> None:
    store.journals.save_title(TITLE)
    store.journals.save_title(JournalTitle(title="Moors"))
    store.journals.save_title(JournalTitle(title="annals of tides", publisher="Estuary Press"))
    assert store.journals.titles_of("Annals of Tides") == JournalTitle(
        title="annals of tides", publisher="Estuary Press"
    )
    assert store.journals.titles_of("Ann Tides") is None
    assert store.journals.titles_of("moors") == JournalTitle(title="Moors")


def test_a_list_replaces_what_it_said_before_and_fills_what_the_user_left_open(store: Store) -> None:
    assert store.journals.import_titles("list a", [TITLE] * 600) == 600
    assert store.journals.import_titles("list a", [TITLE, JournalTitle(title="Moors")]) == 2
    store.journals.save_title(JournalTitle(title="Annals of Tides", abbreviation="A Tides"))
    found = store.journals.titles_of("Annals of Tides")
    assert found == replace(TITLE, abbreviation="A Tides")


def test_a_name_that_several_listed_journals_have_is_none_of_them_without_an_issn(store: Store) -> None:
    other = replace(TITLE, issn=("1234-5679",), nlm_id="8")
    store.journals.import_titles("list a", [TITLE, other, JournalTitle(title="Annals of Tides")])
    assert store.journals.titles_of("Annals of Tides") is None
    assert store.journals.titles_of("Annals of Tides", ("1234-5679",)) == other


def test_a_list_does_not_speak_of_a_journal_that_the_user_calls_otherwise(store: Store) -> None:
    store.journals.import_titles("list a", [TITLE])
    store.journals.save_title(JournalTitle(title="Estuaries", issn=("2049-3630",)))
    assert store.journals.titles_of("", ("2049-3630",)) == JournalTitle(title="Estuaries", issn=("2049-3630",))


def test_a_taught_journal_is_known_by_its_title_and_issn(store: Store) -> None:
    store.journals.import_titles("list a", [TITLE])
    store.journals.save(Journal(name="t", title="Annals of Tides"))
    store.journals.save(Journal(name="u", issn=("2434-561X",)))
    assert store.journals.titles_of("t") == store.journals.titles_of("u") == TITLE
    store.journals.save_title(JournalTitle(title="…"))
    assert store.journals.titles_of("…") is store.journals.titles_of("x" * 600) is None
