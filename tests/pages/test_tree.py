from hypothesis import given
from hypothesis import strategies as st

from medharvest.pages import tree
from medharvest.pages.tree import Close, Document, Open, Text, walk


def test_a_page_is_walked_depth_first_with_levels():
    steps = list(walk("<body><p id=a>one<b>two</b></p><!-- no --><br>three"))
    assert steps == [
        Open("html", 1, {}),
        Open("head", 2, {}),
        Close("head", 2),
        Open("body", 2, {}),
        Open("p", 3, {"id": "a"}),
        Text("one"),
        Open("b", 4, {}),
        Text("two"),
        Close("b", 4),
        Close("p", 3),
        Open("br", 3, {}),
        Close("br", 3),
        Text("three"),
        Close("body", 2),
        Close("html", 1),
    ]


def test_entities_are_decoded_in_texts_and_attributes():
    steps = list(walk("<p title='a &amp; b'>1 &lt; 2"))
    assert Open("p", 3, {"title": "a & b"}) in steps
    assert Text("1 < 2") in steps


@given(st.text(alphabet="<>/ab p\"'=!-&;", max_size=120))
def test_whatever_opens_closes(html):
    opened: list[tuple[str, int]] = []
    for step in walk(html):
        if isinstance(step, Open):
            opened.append((step.tag, step.level))
        elif isinstance(step, Close):
            assert opened.pop() == (step.tag, step.level)
    assert opened == []


def test_no_page_is_too_deep():
    assert max(step.level for step in walk("<div>" * 10_000) if isinstance(step, Open)) > 10_000


def test_contents_give_attributes_and_whole_text():
    document = Document("<p class=x>one <b>two</b></p><p>three")
    assert document.contents("p") == (({"class": "x"}, "one two"), ({}, "three"))


def test_texts_are_lines_and_end_where_an_element_is_very_large():
    document = Document("<h1> A\n <i>title</i>. </h1><h2></h2><h3>" + "<b>x</b>" * 1_000)
    title, empty, large = document.texts("h1, h2, h3")
    assert (title, empty) == ("A title.", "")
    assert 10 < len(large) < 1_000


def test_plain_text_is_what_a_reader_sees():
    document_html = "<style>p{}</style><p>one</p><script>var two</script><p>three<noscript>four</noscript>"
    document = Document(document_html)
    assert document.plain_text(100) == "one three"
    assert document.texts("script") == ("var two",)
    assert "var two" in "".join(step.text for step in walk(document_html) if isinstance(step, Text))


def test_a_page_of_frames_has_no_text():
    assert Document("<frameset><frame src=x></frameset>").plain_text(100) == ""


def test_the_text_of_a_long_page_is_its_beginning():
    assert Document("<p>one<p>two<p>three").plain_text(5) == "one two"


def test_a_huge_page_is_walked_to_its_limit_and_all_is_closed(monkeypatch):
    monkeypatch.setattr(tree, "_MOST_TAGS", 6)
    steps = list(walk("<html><head></head><body><div><p>one<p>two<p>three"))
    assert [step.text for step in steps if isinstance(step, Text)] == ["one"]
    assert sum(isinstance(step, Open) for step in steps) == sum(isinstance(step, Close) for step in steps) == 6
    assert steps[-1] == Close("html", 1)


def test_a_huge_text_is_cut(monkeypatch):
    monkeypatch.setattr(tree, "_LONGEST", 5)
    assert Text("12345") in walk("<p>1234567")
    document = Document("<p>12345 7")
    assert (document.plain_text(100), document.texts("p")) == ("12345", ("12345",))


def test_only_so_many_elements_are_looked_at(monkeypatch):
    monkeypatch.setattr(tree, "_MOST_TEXTS", 2)
    assert Document("<p>a<p>b<p>c").texts("p") == ("a", "b")


def test_a_selector_matches_or_not():
    assert Document("<p class=x>").has("p.x")
    assert not Document("<p class=x>").has("p.y")
