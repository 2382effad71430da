"""A store in one file of its own, there whole or not at all."""

from __future__ import annotations

from pathlib import Path

from medharvest.errors import OutputError
from medharvest.store.opening import open_store
from medharvest.store.store import Store
from medharvest.whole_file import replace_file


def backup_store(store: Store, file: Path) -> None:
    """Copy a store to a new SQLite file, itself a store; others may write to the store meanwhile."""
    if file.exists():
        hint = "name another file; a backup is never written over"
        raise OutputError(f"file is there already: {file}", path=str(file), hint=hint)
    partial = file.with_name(f"{file.name}.partial")
    try:
        partial.unlink(missing_ok=True)  # of one that was killed
        partial.touch()
    except OSError as error:
        hint = f"{error.strerror}; the folder must exist and be writable"
        raise OutputError(f"backup cannot be written: {file}", path=str(file), hint=hint) from error
    with replace_file(file, temporary=partial):
        if not store.copy_file(partial):
            with open_store(str(partial)) as copy:
                store.copy_to(copy)
