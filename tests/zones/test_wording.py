"""The wording of headings, names and prose, in several languages."""

from __future__ import annotations

import re

import pytest

from medharvest.records import Mark, Zone
from medharvest.zones.wording import (
    ABSTRACT_WORD,
    AFFILIATION_LEAD,
    ANNOUNCED_LABELS,
    AUTHOR_LEAD,
    CONTACT_LEAD,
    fold_letters,
    heading_key,
    is_abstract_section,
    is_article_heading,
    is_names_alone,
    is_prose_text,
    may_hold_people,
)


def _zone(text: str, *marks: Mark) -> Zone:
    return Zone(level=3, tag="p", path="html[1]/body[1]/p[1]", text=text, marks=marks)


@pytest.mark.parametrize(
    ("heading", "label"),
    [
        ("Abstract:", "abstract"),
        ("Zusammenfassung", "abstract"),
        ("Аннотация", "abstract"),
        ("Özet", "abstract"),
        ("摘要", "abstract"),
        ("Plain Language Summary", "other_abstract"),
        ("Palabras clave", "keywords"),
        ("Ключевые слова:", "keywords"),
        ("7. Piśmiennictwo", "reference"),
        ("Список литературы", "reference"),
        ("参考文献", "reference"),
        ("Finanziamento", "funding"),
        ("Conflitto di interessi", "conflict"),
        ("Interessenkonflikt", "conflict"),
        ("Snow", None),
    ],
)
def test_headings_announce_in_many_languages(heading: str, label: str | None) -> None:
    assert ANNOUNCED_LABELS.get(heading_key(heading)) == label
    assert is_article_heading(heading) is (label is not None)


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("Background and Aims:", True),
        ("Materiales y métodos", True),
        ("Materiais e métodos", True),
        ("Matériel et méthodes", True),
        ("Patienten und Methoden", True),
        ("Materiał i metody", True),
        ("Материалы и методы", True),
        ("Gereç ve Yöntem", True),
        ("Latar belakang", True),
        ("目的", True),
        ("y", False),
        ("und", False),
        ("Methods of Sleeping", False),
        ("", False),
        ("Aims " * 7, False),
    ],
)
def test_sections_of_an_abstract_are_known_in_many_languages(text: str, *, section: bool) -> None:
    assert is_abstract_section(text) is section


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Snow on the roof", True),
        ("Se preguntó a doscientas personas del valle cómo dormían, y se vio que dormían para vivir.", True),
        ("Im Tal wurde gefragt, wie die Leute schliefen, und es ist nicht bekannt, wie sie aufwachten.", True),
        ("Mieszkańcy doliny nie spali, kiedy spadł śnieg, a sen jest tym, co jest im potrzebne.", True),
        ("Люди в долине не спали, когда шёл снег, и это было видно при осмотре, как и было это раньше.", True),
        ("que para que", False),  # too short to tell
        ("Clínica del Sueño, Hospital General con Urgencias, Universidad del Valle, Ciudad Alta", False),
        ("Anna Berg, Carl Dahl, Eva Falk, Gus Holm, Ida Jansen, Karl Lund, Ole Moe, Per Nes", False),
    ],
)
def test_sentences_are_told_from_lists_in_other_languages_too(text: str, *, prose: bool) -> None:
    assert is_prose_text(text) is prose


@pytest.mark.parametrize(
    ("pattern", "text", "begins"),
    [
        (AFFILIATION_LEAD, "Author Affiliations: Snow Clinic", True),
        (AFFILIATION_LEAD, "Afiliación: Clínica de la Nieve", True),
        (AFFILIATION_LEAD, "From the Sleep Department of Snow Hospital", True),
        (AFFILIATION_LEAD, "From the valley to the sea", False),
        (AFFILIATION_LEAD, "Snow Clinic", False),
        (AUTHOR_LEAD, "By Anna Berg", True),
        (AUTHOR_LEAD, "Autores: Anna Berg", True),
        (AUTHOR_LEAD, "Автор: Анна Берг", True),
        (AUTHOR_LEAD, "作者", True),
        (AUTHOR_LEAD, "Authors who sleep", False),
        (CONTACT_LEAD, "Correspondence to: Anna Berg", True),
        (CONTACT_LEAD, "* E-mail: berg at snow", True),
        (CONTACT_LEAD, "Korrespondenzadresse: Anna Berg", True),
        (CONTACT_LEAD, "Anna Berg, contact", False),
        (ABSTRACT_WORD, "Abstract—We slept", True),
        (ABSTRACT_WORD, "[Резюме] Мы спали", True),
        (ABSTRACT_WORD, "Abstracts of the meeting", False),
        (ABSTRACT_WORD, "In summary", False),
    ],
)
def test_a_line_tells_by_its_first_words_what_it_names(pattern: re.Pattern[str], text: str, *, begins: bool) -> None:
    assert (pattern.match(text) is not None) is begins


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Anna Berg", True),
        ("Berg, anna", True),
        ("berg and dahl", True),
        ("a hospital", True),
        ("uma universidade", True),
        ("Berg", False),
        ("Contact us", False),
    ],
)
def test_a_text_without_a_list_that_ends_in_lower_case_names_no_people(text: str, *, people: bool) -> None:
    assert may_hold_people(_zone(text)) is people
    assert may_hold_people(_zone(text, Mark(0, 1, "sup")))


def test_names_alone_are_told_from_names_with_places() -> None:
    assert is_names_alone(_zone("Anna Berg, Carl Dahl"))
    assert not is_names_alone(_zone("Anna Berg, Carl Dahl, Snow Hospital"))
    assert not is_names_alone(_zone("Anna Berg, Norway"))


def test_texts_are_compared_by_letters_and_digits_in_one_case() -> None:
    assert [fold_letters(text) for text in ("Snow-ball_1", "Ångström_№ 1")] == ["snowball1", "ångströmno1"]
