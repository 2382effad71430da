import contextlib
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.citations.strategies import any_of
from tests.formats.canonical import canonical, carried, sorted_identifiers, writable

from medharvest import demo
from medharvest.errors import InputError
from medharvest.formats import FORMATS
from medharvest.formats.registry import Format
from medharvest.records import Citation

BUNDLED = tuple(article.citation for issue in demo.list_demo_issues() for article in issue.articles)
READ = [form for form in FORMATS.values() if form.read]
quick = settings(max_examples=10, suppress_health_check=list(HealthCheck))


def there(form: Format, *citations: Citation) -> bytes:
    return "".join(form.write(citations)).encode("utf-8", "replace")


def back(form: Format, body: bytes) -> list[Citation]:
    assert form.read
    return list(form.read(io.BytesIO(body)))


@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
@quick
@given(st.lists(canonical(), min_size=1, max_size=3))
def test_a_record_comes_back_as_the_format_carries_it(form: Format, citations: list[Citation]) -> None:
    written = [writable(form, citation) for citation in citations]
    found = [sorted_identifiers(citation) for citation in back(form, there(form, *written))]
    assert found == [carried(form, citation) for citation in written]


@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
@quick
@given(any_of(Citation))
def test_what_came_back_once_comes_back_the_same(form: Format, citation: Citation) -> None:
    for once in back(form, there(form, citation)):
        twice = back(form, there(form, once))
        assert twice == [once]


@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
@quick
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_no_file_makes_a_reader_raise_anything_but_its_own_error(form: Format, body: bytes) -> None:
    with contextlib.suppress(InputError):
        back(form, body)
