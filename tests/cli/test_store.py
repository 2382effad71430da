"""`store`: check, migrate, copy, back up, shrink, as a user calls them."""

import json
import sqlite3

import pytest
from tests.store import old

from medharvest.records import Citation
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
