import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.citations.author_names import (
    NameOrder,
    find_name_order,
    find_name_spans,
    parse_author_name,
    parse_author_names,
    parse_group_name,
    parse_listed_name,
    parse_name_suffix,
)
from medharvest.records import Author


def names_of_byline(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in find_name_spans(text))


# Text as printed -> family, given, suffix.
PEOPLE = [
    ("Anna Berg", "Berg", "Anna", ""),
    ("Anna Maria Berg", "Berg", "Anna Maria", ""),
    ("Berg, Anna", "Berg", "Anna", ""),
    ("Berg, Anna M.", "Berg", "Anna M.", ""),
    ("Berg,Anna", "Berg", "Anna", ""),
    ("  Anna\u00a0 Berg , ", "Berg", "Anna", ""),
    ("Anna Berg*†", "Berg", "Anna", ""),
    ("A. B. Cole", "Cole", "A. B.", ""),
    ("A.B. Cole", "Cole", "A.B.", ""),
    ("Cole A.B.", "Cole", "A.B.", ""),
    ("Cole A", "Cole", "A", ""),
    ("de Groot J.-P.", "de Groot", "J.-P.", ""),
    ("Jean-Pierre Moreau-Lenoir", "Moreau-Lenoir", "Jean-Pierre", ""),
    ("Zoë Ångström", "Ångström", "Zoë", ""),
    ("Ngô Thị Hạnh", "Hạnh", "Ngô Thị", ""),
    ("Søren Kjærgård, Ph.D.", "Kjærgård", "Søren", ""),
    ("Şükrü Çağlar", "Çağlar", "Şükrü", ""),
    ("王 伟", "伟", "王", ""),
    ("Pieter van den Broek", "van den Broek", "Pieter", ""),
    ("Broek, Pieter van den", "van den Broek", "Pieter", ""),
    ("van den Broek, Pieter", "van den Broek", "Pieter", ""),
    ("van den Broek", "van den Broek", "", ""),
    ("Ludwig von der Heide", "von der Heide", "Ludwig", ""),
    ("Karl von und zu Ahrensee", "von und zu Ahrensee", "Karl", ""),
    ("Layla Al Sabban", "Al Sabban", "Layla", ""),
    ("Layla al-Sabban", "al-Sabban", "Layla", ""),
    ("María de la Cruz", "de la Cruz", "María", ""),
    ("João do Vale", "do Vale", "João", ""),
    ("Inês dos Reis", "dos Reis", "Inês", ""),
    ("Juan Ruiz y Soto", "Ruiz y Soto", "Juan", ""),
    ("Iñaki Muñoz Arriaga", "Muñoz Arriaga", "Iñaki", ""),
    ("Ana Beatriz Lindqvist", "Lindqvist", "Ana Beatriz", ""),
    ("Tariq Riaz Malik", "Malik", "Tariq Riaz", ""),
    ("Ciarán Mac Giolla Rua", "Mac Giolla Rua", "Ciarán", ""),
    ("Leïla Ben Amor", "Ben Amor", "Leïla", ""),
    ("Jean-Luc Saint-Clair Morel", "Saint-Clair Morel", "Jean-Luc", ""),
    ("Anna ST Berg", "Berg", "Anna ST", ""),
    ("Ben Holt", "Holt", "Ben", ""),
    ("Kim Y Park", "Park", "Kim Y", ""),
    ("Sean O'Hara", "O'Hara", "Sean", ""),
    ("Luca D’Arco", "D’Arco", "Luca", ""),
    ("Robert Cole Jr", "Cole", "Robert", "Jr"),
    ("Robert Cole, Jr.", "Cole", "Robert", "Jr"),
    ("Cole, Robert, Jr.", "Cole", "Robert", "Jr"),
    ("Cole, Jr., Robert", "Cole", "Robert", "Jr"),
    ("Cole Jr, Robert", "Cole", "Robert", "Jr"),
    ("Robert Cole III, MD", "Cole", "Robert", "III"),
    ("Robert Cole 2nd", "Cole", "Robert", "II"),
    ("Robert Cole, Sr., MD, PhD", "Cole", "Robert", "Sr"),
    ("Anna Berg MD", "Berg", "Anna", ""),
    ("Anna Berg, M.D., Ph.D., FRCP", "Berg", "Anna", ""),
    ("Anna Berg MSc PhD", "Berg", "Anna", ""),
    ("Berg, Anna MD", "Berg", "Anna", ""),
    ("Berg, Anna, MD, MPH", "Berg", "Anna", ""),
    ("Dr. Anna Berg", "Berg", "Anna", ""),
    ("Prof. Dr. Anna Berg", "Berg", "Anna", ""),
    ("Jack Ma", "Ma", "Jack", ""),
    ("Thi Hoa Do", "Do", "Thi Hoa", ""),
    ("Li, Ma", "Li", "Ma", ""),
    ("Anna Berg 1 2", "Berg", "Anna", ""),
    ("Suharti", "Suharti", "", ""),
    ("Suharti, MD", "Suharti", "", ""),
    ("Dr Suharti", "Suharti", "", ""),
    ("Sir", "Sir", "", ""),
]
GROUPS = [
    ("BRIGHT Study Group", "BRIGHT Study Group"),
    ("for the BRIGHT Study Group", "BRIGHT Study Group"),
    ("and on behalf of the Northmoor Collaborators", "Northmoor Collaborators"),
    ("The Estuary Editors", "The Estuary Editors"),
    ("Cough Trialists, Northmoor", "Cough Trialists, Northmoor"),
    ("Task Force on Sleep", "Task Force on Sleep"),
]
BYLINES = [
    ("Anna Berg, Robert Cole and Carl Dahl", ["Anna Berg", "Robert Cole", "Carl Dahl"]),
    ("Anna Berg, MD, Robert Cole, Jr., PhD", ["Anna Berg, MD", "Robert Cole, Jr., PhD"]),
    ("Anna Berg & Robert Cole", ["Anna Berg", "Robert Cole"]),
    ("Anna Berg, and Robert Cole", ["Anna Berg", "Robert Cole"]),
    ("and Robert Cole", ["Robert Cole"]),
    ("Anne Lenoir et Paul Petit", ["Anne Lenoir", "Paul Petit"]),
    ("Uwe Amsel und Karl von und zu Ahrensee", ["Uwe Amsel", "Karl von und zu Ahrensee"]),
    ("Berg, Anna; Cole, Robert", ["Berg, Anna", "Cole, Robert"]),
    ("Berg, Anna, MD; Cole, Robert; BRIGHT Study Group", ["Berg, Anna, MD", "Cole, Robert", "BRIGHT Study Group"]),
    ("Anna Berg, MD; Robert Cole, PhD", ["Anna Berg, MD", "Robert Cole, PhD"]),
    ("Anna Berg, Robert Cole, Carl Dahl; BRIGHT Group", ["Anna Berg", "Robert Cole", "Carl Dahl", "BRIGHT Group"]),
    ("Anders Andersson", ["Anders Andersson"]),
    (" , ;; and ", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "family", "given_name", "suffix"), PEOPLE, ids=[row[0] for row in PEOPLE])
def test_a_person_is_read_into_family_given_and_suffix(text: str, family: str, given_name: str, suffix: str) -> None:
    assert parse_author_name(text) == Author(family=family, given=given_name, suffix=suffix)


def test_the_table_of_people_is_long_and_without_repeats() -> None:
    assert len({row[0] for row in PEOPLE}) == len(PEOPLE) >= 40


@pytest.mark.parametrize(("text", "name"), GROUPS)
def test_a_group_is_one_author_without_its_preposition(text: str, name: str) -> None:
    assert parse_author_name(text) == Author(collective=name)
    assert parse_group_name(text) == name


@pytest.mark.parametrize("text", ["", " ", "*", "1, 2", "—", "12;†", ", 7"])
def test_where_no_letter_is_there_is_no_name(text: str) -> None:
    assert parse_author_name(text) is None


@pytest.mark.parametrize("text", ["1, Anna", "2, Anna Berg"])
def test_where_no_family_name_is_left_there_is_no_name(text: str) -> None:
    assert parse_author_name(text) is None


@pytest.mark.parametrize(("text", "names"), BYLINES)
def test_a_byline_is_cut_into_names(text: str, names: list[str]) -> None:
    assert list(names_of_byline(text)) == names


@pytest.mark.parametrize(("text", "suffix"), [("MD, Jr.", "Jr"), ("III", "III"), ("PhD", ""), ("", "")])
def test_a_suffix_is_found_among_degrees(text: str, suffix: str) -> None:
    assert parse_name_suffix(text) == suffix


@given(st.text() | st.lists(st.sampled_from("van MD Jr , ; and Berg Dr. y 1 . group A. de".split())).map(" ".join))
def test_no_text_raises_and_no_author_is_empty(text: str) -> None:
    author = parse_author_name(text)
    assert author is None or author.family or author.collective
    assert all(name.strip() == name != "" for name in names_of_byline(text))


@given(st.text(alphabet="Ab ,;and&.\n", max_size=60))
def test_names_stand_in_order_and_do_not_overlap(text: str) -> None:
    places = [place for span in find_name_spans(text) for place in span]
    assert places == sorted(places)


def test_a_text_as_long_as_a_paragraph_is_no_name() -> None:
    assert parse_author_name("Anna " * 60) is not None
    assert parse_author_name("Anna " * 61) is None


def test_a_text_longer_than_any_byline_holds_no_names() -> None:
    assert len(names_of_byline("Anna Berg, " * 9_000)) == 9_000
    assert names_of_byline("Anna Berg, " * 10_000) == ()


HOSTILE = ["dr ", "md, ", " ", "a;", "a,b;", "and ", "van ", "x", "A.", ", Jr", "on behalf of "]


@pytest.mark.no_cover
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("length", [300, 1_000_000])
def test_repeated_pieces_of_any_length_are_read_in_bounded_time(piece: str, length: int) -> None:
    text = (piece * length)[:length]
    parse_author_name(text)
    names_of_byline(text)


@pytest.mark.parametrize(
    ("piece", "family", "given"),
    [
        ("Grace Kettlewell, RM, RGN", "Kettlewell", "Grace"),
        ("Ana de la Torriente, MB, MRCGP", "de la Torriente", "Ana"),
        ("Jo Roe, Jr, R.G.N.", "Roe", "Jo"),
        ("Berg, Anna", "Berg", "Anna"),
        ("Jo Roe", "Roe", "Jo"),
    ],
)
def test_letters_after_a_listed_name_are_no_name(piece, family, given):
    author = parse_listed_name(piece)
    assert author is not None
    assert (author.family, author.given) == (family, given)


def test_a_suffix_among_credentials_is_kept():
    assert parse_listed_name("Jo Roe, Jr, R.G.N.") == Author(family="Roe", given="Jo", suffix="Jr")


def test_initials_after_a_compound_surname_stay_initials():
    assert parse_author_name("Okonjo Bell, JP") == Author(family="Okonjo Bell", given="JP")


def test_credentials_of_a_byline_make_no_authors():
    names = names_of_byline("Elena Lopez Moreno, MD, Grace Kettlewell, RM, RGN, Wei LI, Ana Sol, DCH")
    assert [name.partition(",")[0] for name in names] == ["Elena Lopez Moreno", "Grace Kettlewell", "Wei LI", "Ana Sol"]


# The names of a list -> its order, and the family and given names of the last one.
LISTS = [
    (["Berg AB", "Cole R", "Vesterholm VV"], NameOrder.INITIALS_LAST, ("Vesterholm", "VV", "")),
    (["Berg AB", "Cole RM", "Holt SR"], NameOrder.INITIALS_LAST, ("Holt", "SR", "")),
    (["Berg AB", "Cole R", "Holt MD"], NameOrder.INITIALS_LAST, ("Holt", "MD", "")),
    (["Berg AB", "Cole R", "Holt JA MD"], NameOrder.INITIALS_LAST, ("Holt", "JA", "")),
    (["Berg AB", "Cole R", "Holt JA Jr"], NameOrder.INITIALS_LAST, ("Holt", "JA", "Jr")),
    (["Berg AB", "Cole R", "Holt III SD"], NameOrder.INITIALS_LAST, ("Holt", "SD", "III")),
    (["Berg AB", "Cole R", "St. Leger TL"], NameOrder.INITIALS_LAST, ("St. Leger", "TL", "")),
    (["Berg AB", "Cole R", "van den Broek J-P"], NameOrder.INITIALS_LAST, ("van den Broek", "J-P", "")),
    (["Berg AB", "Cole R", "Huang Yh"], NameOrder.INITIALS_LAST, ("Huang", "Yh", "")),
    (["Berg, A.", "Cole, R.", "Holt, M.D."], NameOrder.INVERTED, ("Holt", "M.D.", "")),
    (["Berg, A.", "Cole, R.", "Ruiz Soto, P.A."], NameOrder.INVERTED, ("Ruiz Soto", "P.A.", "")),
    (["Berg, A.", "Cole, R.", "Holt, MD"], NameOrder.INVERTED, ("Holt", "MD", "")),
    (["Berg, A.", "Cole, R.", "Holt, J., Jr."], NameOrder.INVERTED, ("Holt", "J.", "Jr")),
    (["Anna Berg", "Robert Cole", "Ida Holt, MD"], NameOrder.NATURAL, ("Holt", "Ida", "")),
    (["Anna BERGSTRÖM", "Robert COLE", "Wei LI"], NameOrder.NATURAL, ("LI", "Wei", "")),
    (["Anna Berg", "M.S. Cole", "T. H. Meng"], NameOrder.NATURAL, ("Meng", "T. H.", "")),
]


@pytest.mark.parametrize(("names", "order", "last"), LISTS, ids=[row[0][-1] for row in LISTS])
def test_the_order_of_a_list_decides_what_initials_are(names, order, last):
    assert find_name_order(names) is order
    author = parse_author_names(names)[-1] or Author()
    assert (author.family, author.given, author.suffix) == last


@pytest.mark.parametrize("text", ["Ph. D.", "M. D.", "Roles Methodology", "Validation", "Writing – review & editing"])
def test_degrees_and_roles_are_no_people(text):
    assert parse_author_name(text) is None


def test_a_name_alone_in_capitals_may_be_a_surname():
    assert parse_author_name("Anna LEE") == Author(family="LEE", given="Anna")
    assert parse_author_name("Holt, M.D.") == Author(family="Holt", given="M.D.")


def test_an_arabic_comma_divides_a_name_and_joiners_around_it_are_left_out():
    author = parse_author_name("\u200cبرگ\u060c آنا\u200c")
    assert author is not None
    assert (author.family, author.given) == ("برگ", "آنا")
