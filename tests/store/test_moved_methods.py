from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pytest

from medharvest.records import Citation, LinkExample
from medharvest.store import Journal, open_store
from medharvest.store.store import MOVED_METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

TIDES = Citation(title="Tides and gout", journal="Journal of Examples")
EXAMPLE = LinkExample(page="https://tides.example/1", index=3, article=True)


@pytest.fixture(scope="module")
def old() -> Iterator[Any]:
    """A store as scripts of earlier versions see it: without types."""
    with open_store(":memory:") as store:
        yield store


@pytest.mark.parametrize(("name", "place"), MOVED_METHODS.items(), ids=list(MOVED_METHODS))
def test_an_old_name_is_the_method_of_the_repository_and_warns(old: Any, name: str, place: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"Store\.{name} has moved: use store\.{place}$") as caught:
        method = getattr(old, name)
    assert method == attrgetter(place)(old)
    assert callable(method)
    assert caught[0].filename == __file__


def test_repositories_can_be_called_as_the_methods_they_replace(old: Any) -> None:
    run = old.runs.begin("https://tides.example", "folder", ())
    old.save(run, [TIDES])
    old.journals.save(Journal(name="tides"))
    assert [one.id for one in old.runs()] == [run]
    assert [one.name for one in old.journals()] == ["tides"]
    assert old.records([1, 9]) == {1: TIDES}
    assert list(old.topic_pages("gout")) == []


def test_forget_removes_a_page_or_the_journal() -> None:
    with open_store(":memory:") as store:
        old: Any = store
        store.journals.save(Journal(name="tides"))
        store.journals.teach_links("tides", [EXAMPLE])
        with pytest.warns(DeprecationWarning, match=r"journals\.forget_page"):
            old.forget("tides", page=EXAMPLE.page)
        assert list(store.journals.link_examples("tides")) == []
        with pytest.warns(DeprecationWarning, match=r"journals\.remove"):
            old.forget("tides")
        assert store.journals.all() == ()


def test_a_name_that_never_was_is_an_attribute_error(old: Any) -> None:
    with pytest.raises(AttributeError, match="'Store' object has no attribute 'shelves'"):
        _ = old.shelves
