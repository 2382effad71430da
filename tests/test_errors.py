import copy
import inspect
import pickle
import re
from typing import Any

import pytest

from medharvest import errors
from medharvest.errors import MedharvestError
from medharvest.records import Reason

ERRORS = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__]
TREE = dict(re.findall(r"^ +(?:[├└]── )?(\w+Error)\b(.*)$", errors.__doc__ or "", re.MULTILINE))


def attributes_of(cls: type) -> list[str]:
    names = inspect.signature(cls).parameters
    return [name for name in names if name not in {"message", "hint"}]


def make(cls: type[MedharvestError]) -> MedharvestError:
    given: dict[str, Any] = {name: f"the {name}" for name in attributes_of(cls)}
    if "reason" in given:
        given["reason"] = Reason.TIMEOUT
    return cls("something is wrong: it", hint="put it right", **given)


def test_there_is_one_base_and_it_stands_directly_above_all_others() -> None:
    assert [cls for cls in ERRORS if cls.__mro__[1] is not MedharvestError] == [MedharvestError]
    assert MedharvestError.__mro__[1] is Exception


def test_the_tree_in_the_docstring_lists_every_error_with_what_it_carries() -> None:
    assert set(TREE) == {cls.__name__ for cls in ERRORS}
    drawn = {name: re.findall(r"\.(\w+)", line) for name, line in TREE.items()}
    assert drawn == {cls.__name__: attributes_of(cls) for cls in ERRORS}


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
def test_an_error_carries_what_it_is_about(cls: type[MedharvestError]) -> None:
    error = make(cls)
    assert str(error) == error.message == "something is wrong: it"
    assert error.hint == "put it right"
    for name in attributes_of(cls):
        assert getattr(error, name) in {f"the {name}", Reason.TIMEOUT}


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy], ids=["pickle", "copy"])
def test_an_error_crosses_processes_whole(cls: type[MedharvestError], again: Any) -> None:
    error = make(cls)
    other = again(error)
    assert type(other) is cls
    assert (str(other), vars(other)) == (str(error), vars(error))


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
def test_an_error_says_what_it_means_and_needs_no_hint(cls: type[MedharvestError]) -> None:
    assert inspect.getdoc(cls)
    assert inspect.signature(cls).parameters["hint"].default == ""
