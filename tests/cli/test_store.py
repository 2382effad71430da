"""`store`: check, migrate, copy, back up, shrink, as a user calls them."""

import json
import sqlite3
from dataclasses import replace

import pytest
from tests.store import old

from medharvest.records import Author, Citation
from medharvest.store import database, open_store


@pytest.fixture
def file(tmp_path):
    with open_store(str(tmp_path / "s.sqlite")) as store:
        store.save(None, [Citation(title="Tides", journal="Shore")])
    return tmp_path / "s.sqlite"


def test_a_whole_store_is_said_to_be_whole(medharvest, file):
    ran = medharvest("store", "check", "--store", file)
    assert (ran.code, ran.out, ran.err) == (0, f"no problems: {file}\n", "")
    ran = medharvest("store", "check", "--store", file, "--json")
    assert json.loads(ran.out) == {"store": str(file), "problems": []}


def test_what_is_wrong_is_told_line_by_line_and_is_an_error(medharvest, file):
    connection = sqlite3.connect(file)
    connection.execute("UPDATE article SET status = 'accepted'")
    connection.commit()
    connection.close()
    ran = medharvest("store", "check", "--store", file)
    assert (ran.code, ran.out) == (1, "article 1: not what the log says: status\n")
    assert ran.err == f"1 problems: {file}; hint: restore a backup\n"


def test_an_older_store_is_migrated_after_a_backup(medharvest, tmp_path):
    file = tmp_path / "old.sqlite"
    old.make(str(file), "0002")
    ran = medharvest("store", "migrate", "--store", file)
    now = database.list_revisions()[-1]
    assert (ran.code, ran.out) == (0, f"migrated: {file}, revision 0002 to {now}\n")
    assert ran.err == f"backup: {file}.backup-0002\n"
    ran = medharvest("store", "migrate", "--store", file)
    assert ran.out == f"up to date: {file}, revision {now}\n"
    assert medharvest("store", "check", "--store", file).code == 0


def test_a_copy_says_that_it_is_equal(medharvest, file, tmp_path):
    ran = medharvest("store", "copy", file, tmp_path / "copy.sqlite")
    assert ran.code == 0
    rows, equal = ran.out.splitlines()
    assert rows == f"copied: 2 rows to {tmp_path / 'copy.sqlite'}"
    assert equal.startswith("equal, digest: ")
    ran = medharvest("store", "copy", file, tmp_path / "copy.sqlite")
    assert ran.code == 1
    assert "store is not empty" in ran.err


def test_a_backup_is_written_once(medharvest, file, tmp_path):
    backup = tmp_path / "backup.sqlite"
    assert medharvest("store", "backup", backup, "--store", file).out == f"backup: {backup}\n"
    ran = medharvest("store", "backup", backup, "--store", file)
    assert (ran.code, ran.err.startswith("error: file exists already")) == (1, True)
    assert medharvest("store", "check", "--store", backup).code == 0


def test_shrinking_says_how_large_the_store_was(medharvest, file):
    assert medharvest("store", "vacuum", "--store", file).out.startswith(f"{file}: 0.")


@pytest.mark.parametrize("verb", [["check"], ["migrate"], ["vacuum"], ["backup", "b.sqlite"]])
def test_a_store_that_is_not_there_is_an_error(medharvest, tmp_path, verb):
    ran = medharvest("store", *verb, "--store", tmp_path / "none.sqlite")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: no such store")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def doubled(tmp_path):
    """A store with two records that may be one article, and one of another."""
    tides = Citation(
        title="Tidal volume and gout in adults: a cohort study",
        authors=(Author(family="Marsh", given="Ada"),),
        journal="Annals of Estuary Medicine",
        date="2031-03",
        volume="12",
        first_page="201",
    )
    kelp = replace(tides, title="Kelp iodine for the thyroid of harbour pilots", first_page="209")
    with open_store(str(tmp_path / "d.sqlite")) as store:
        store.save(None, [tides, kelp, replace(tides, journal="Tides", volume="13", pmid="31234567")])
    return tmp_path / "d.sqlite"


def test_duplicates_are_found_listed_merged_split_and_kept(medharvest, doubled):
    def decide(*words):
        return medharvest("store", "duplicates", *words, "--store", doubled)

    assert f"hint: `medharvest store duplicates --store {doubled} find`" in decide().err
    ran = decide("find")
    assert ran.err == "1 new pairs\n1 pairs\n"
    head, first, second = ran.out.splitlines()
    assert head.startswith("1 3: open, 0.")
    assert head.endswith(" by fields")
    assert first.startswith("  1: Tidal volume and gout in adults: a cohort study | Marsh | Annals")
    assert second.endswith("| 31234567")
    assert decide("merge", 1, 3, "--keep", 1).out.startswith("merged: 3 into 1; hint: ")
    with open_store(str(doubled)) as store:
        assert [record.pmid for record in store.citations()] == ["31234567", ""]
    assert decide().out == ""
    assert decide("list", "--all").out.startswith("1 3: merged")
    assert decide("split", 1, 3).out == "split: 1 and 3\n"
    assert decide("find").err.startswith("0 new pairs\nno pairs")
    assert decide("undo", 3, 1).out == "undecided again: 3 and 1\n"
    assert json.loads(decide("list", "--json").out)["records"]["3"]["pmid"] == "31234567"
    assert decide("keep", "--all", "--rule", "doi").out == ""
    assert decide("keep", "--all").out == "two articles: 1 and 3\n"
    assert decide("undo", 1, 3).code == 0
    assert decide("merge", "--all", "--least", "0.99").out == ""
    assert json.loads(decide("merge", "--all", "--json").out) == {"one": 1, "two": 3, "action": "merge"}
    assert decide("undo", 1, 3).out == "undecided again: 1 and 3\n"
    assert medharvest("store", "check", "--store", doubled).code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("merge",), "merge takes the numbers of two records"),
        (("split", "1"), "split takes the numbers of two records"),
        (("list", "1", "2"), "list takes no numbers"),
        (("keep", "1", "2"), "no such pair: 1 and 2"),
        (("split", "1", "2"), "no such pair: 1 and 2"),
        (("merge", "1", "99"), "no such article: 99"),
        (("merge", "1", "1"), "cannot merge: 1 and 1"),
    ],
)
def test_a_decision_names_a_pair_that_there_is(medharvest, doubled, words, message):
    ran = medharvest("store", "duplicates", *words, "--store", doubled)
    assert ran.code != 0
    assert message in ran.err
