"""The vocabulary a user names: services, files, folders."""

from __future__ import annotations

import gzip
from contextlib import contextmanager
from dataclasses import replace

import pytest
from tests.fetch.server import in_order, misbehave, redirect, reply
from tests.vocabularies.services import KEY, AnyPath, as_json, mesh, umls

from medharvest.errors import FetchError, InputError, SettingsError
from medharvest.fetch import AnswerCache
from medharvest.harvest.page_topics import find_file_concepts
from medharvest.records import Miss, Reason
from medharvest.settings import Settings
from medharvest.topics import Category, build_concept_set
from medharvest.topics.concept_sets import load_concepts
from medharvest.vocabularies import Kin, ListedVocabulary
from medharvest.vocabularies.file_readers import MemoryVocabulary
from medharvest.vocabularies.selection import open_vocabulary
from medharvest.vocabularies.service import ServiceAddress, VocabularyService

HASTY = replace(Settings(), fetch=replace(Settings().fetch, backoff=0.0, allow_private=True, connect_timeout=2.0))


@pytest.fixture(autouse=True)
def _hasty(monkeypatch):
    monkeypatch.setattr("medharvest.vocabularies.selection._MESH_RATE", 1000.0)
    monkeypatch.setattr("medharvest.vocabularies.selection._UMLS_RATE", 1000.0)


@contextmanager
def opened(tmp_path, said=None, **topics):
    settings = replace(HASTY, topics=replace(HASTY.topics, **topics))
    announce = said.append if said is not None else lambda _: None
    with open_vocabulary(settings, cache=tmp_path / "cache", announce=announce) as vocabulary:
        yield vocabulary


@contextmanager
def service(answer):
    with misbehave({}) as server:
        server.answers = AnyPath(answer)
        yield server


def texts(concepts, category):
    return [term.text for term in concepts.terms if term.category is category]


def test_the_umls_gives_names_parents_children_siblings_and_ties(tmp_path):
    said: list[str] = []
    with (
        service(umls) as server,
        opened(tmp_path, said, vocabulary="umls", umls_key=KEY, umls_url=f"{server.url}/rest/") as vocabulary,
    ):
        concepts = build_concept_set("ear noise", vocabulary)
        assert concepts.concept == "C9000001"
        assert texts(concepts, Category.SYNONYM) == ["Buzzing", "Ringing"]
        assert texts(concepts, Category.PARTIAL) == ["Ear Trouble", "Night Buzz", "Ear Ache"]
        assert texts(concepts, Category.CONTEXT) == ["Ear Wax", "Loud Music"]
        assert "sources MSH,SNOMEDCT_US" in vocabulary.version()
        assert "National Library of Medicine" in vocabulary.attribution()
        assert said == [f"UMLS: connected to {server.url}/rest"]
        asked = len(server.paths)
        assert build_concept_set("ear noise", vocabulary) == concepts
        assert len(server.paths) <= asked + 3  # what is not there is asked for again, all else is kept


def test_the_umls_is_searched_by_word_endings_where_no_name_is_exact_and_by_identifier(tmp_path):
    with (
        service(umls) as server,
        opened(tmp_path, vocabulary="umls", umls_key=KEY, umls_url=f"{server.url}/rest") as vocabulary,
    ):
        assert [concept.id for concept in vocabulary.find("ear noises")] == ["C9000001"]
        assert vocabulary.find("c9000003")[0].preferred == "Night Buzz"
        assert vocabulary.find("nothing like it") == ()
        assert vocabulary.get("C9999999") is None
        assert vocabulary.get("MSH/D9002") is None
        found = {one.concept.preferred: one.kin for one in vocabulary.relations("C9000001", list(Kin))}
        assert found == {
            "Ear Trouble": "broader", "Night Buzz": "narrower", "Ear Ache": "related", "Loud Music": "context",
        }  # fmt: skip
        assert vocabulary.get("MSH/D9002").preferred == "Ear Trouble"
        assert list(vocabulary.relations("C9000003", list(Kin))) == []


def test_the_key_goes_to_the_service_and_into_no_file(tmp_path):
    with (
        service(umls) as server,
        opened(tmp_path, vocabulary="umls", umls_key=KEY, umls_url=f"{server.url}/rest") as vocabulary,
    ):
        vocabulary.find("ear noise")
        assert all(f"apiKey={KEY}" in path for path in server.paths)
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert kept
    assert not any(KEY in path.read_text() or KEY in path.name for path in kept)
    with opened(tmp_path, vocabulary="umls", umls_key=KEY, umls_url=f"{server.url}/rest") as vocabulary:
        assert vocabulary.find("ear noise")  # the server is gone; the answers are not
        for path in kept:
            path.write_text("{broken")
        with pytest.raises(FetchError, match="UMLS cannot be reached"):
            vocabulary.find("ear noise")


# What the service does, and what the user is told.
TROUBLES = [
    (reply(401, b"no"), "UMLS rejects the key (HTTP 401)", Reason.LOGIN_WALL, "MEDHARVEST_TOPICS_UMLS_KEY"),
    (reply(403, b"no"), "UMLS rejects the key (HTTP 403)", Reason.FORBIDDEN, "UMLS licence"),
    (reply(500, b"no"), "UMLS cannot be reached (server_error): {base}", Reason.SERVER_ERROR, "HTTP 500"),
    (reply(400, b"no"), "UMLS cannot be reached (client_error): {base}", Reason.CLIENT_ERROR, "HTTP 400"),
    (reply(200, b"<html>"), "UMLS did not answer with JSON (text/html)", Reason.UNREADABLE, "address"),
    (redirect("/else"), "UMLS cannot be reached (too_many_redirects)", Reason.TOO_MANY_REDIRECTS, "more than 0"),
]


@pytest.mark.parametrize(("answer", "message", "reason", "hint"), TROUBLES, ids=[row[1] for row in TROUBLES])
def test_each_trouble_of_a_service_has_its_own_message_without_the_key(tmp_path, answer, message, reason, hint):
    with (
        service(lambda *_: answer) as server,
        opened(tmp_path, vocabulary="umls", umls_key=KEY, umls_url=f"{server.url}/rest") as vocabulary,
        pytest.raises(FetchError) as caught,
    ):
        vocabulary.find("ear noise")
    error = caught.value
    assert message.format(base=f"{server.url}/rest") in error.message
    assert error.reason is reason
    assert hint in error.hint
    assert KEY not in f"{error.message} {error.hint} {error.url} {error!r}"


ADDRESSES = [
    ("http://127.0.0.1:9/rest", "UMLS cannot be reached (refused): http://127.0.0.1:9/rest"),
    ("http://no-such-host.invalid/rest", "host of UMLS is unknown: http://no-such-host.invalid/rest"),
    ("uts.example/rest", "address of UMLS is wrong: uts.example/rest"),
    ("http://[::1", "address of UMLS is wrong: http://[::1"),
]


@pytest.mark.parametrize(("address", "message"), ADDRESSES)
def test_a_wrong_an_unknown_and_a_silent_address_have_different_messages(tmp_path, address, message):
    with (
        opened(tmp_path, vocabulary="umls", umls_key=KEY, umls_url=address) as vocabulary,
        pytest.raises(FetchError) as caught,
    ):
        vocabulary.find("ear noise")
    assert caught.value.message == message
    assert KEY not in f"{caught.value.hint} {caught.value.url}"


def test_a_library_that_quotes_the_address_does_not_tell_the_key(tmp_path):
    address = ServiceAddress(base="http://u.example", name="S", rate=1.0, secret=(("apiKey", KEY),))
    asked = VocabularyService(address, HASTY.fetch, answers=AnswerCache(tmp_path, hours=1), announce=print)
    error = asked._error(
        Miss("u", Reason.BROKEN_TRANSFER, f"broke at http://u.example/?apiKey={KEY}"), "http://u.example"
    )
    asked.close()
    assert error.hint == "broke at http://u.example/?apiKey=***"
    assert KEY not in repr(address)


def test_a_trouble_that_passes_is_waited_for(tmp_path):
    answers = in_order(reply(503, b"busy"), as_json({"ok": True}))
    address = ServiceAddress(base="", name="S", rate=1000.0)
    with misbehave({"/x": answers}) as server:
        asked = VocabularyService(
            replace(address, base=server.url), HASTY.fetch, answers=AnswerCache(tmp_path, hours=1), announce=print
        )
        assert asked.ask("/x") == {"ok": True}
        asked.close()
        assert server.paths == ["/x", "/x"]


def test_a_service_is_not_asked_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("medharvest.vocabularies.service._MAX_QUESTIONS", 1)
    with misbehave({"/x": as_json({})}) as server:
        address = ServiceAddress(base=server.url, name="S", rate=1000.0)
        asked = VocabularyService(address, HASTY.fetch, answers=AnswerCache(tmp_path, hours=0), announce=lambda _: None)
        asked.ask("/x")
        with pytest.raises(FetchError, match="S cannot be reached \\(budget\\)"):
            asked.ask("/x")
        asked.close()


def test_answers_are_kept_for_their_hours_and_no_longer(tmp_path):
    now = [0.0]
    answers = AnswerCache(tmp_path / "a", hours=1, now=lambda: now[0])
    answers.put("q", b"1")
    now[0] += 3000
    assert answers.get("q") == b"1"
    now[0] += 3000
    assert answers.get("q") is None
    assert answers.get("other") is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    (tmp_path / "a").write_text("a file")
    with misbehave({"/x": as_json({"ok": True})}) as server:
        address = ServiceAddress(base=server.url, name="S", rate=1000.0)
        asked = VocabularyService(
            address, HASTY.fetch, answers=AnswerCache(tmp_path / "a", hours=1), announce=lambda _: None
        )
        assert asked.ask("/x") == asked.ask("/x") == {"ok": True}
        asked.close()
        assert server.paths == ["/x", "/x"]
    assert (tmp_path / "a").read_text() == "a file"


def test_mesh_gives_descriptors_by_heading_and_entry_term_with_their_tree(tmp_path):
    said: list[str] = []
    with (
        service(mesh) as server,
        opened(tmp_path, said, vocabulary="mesh", mesh_url=f"{server.url}/mesh") as vocabulary,
    ):
        concepts = build_concept_set("buzzing ear", vocabulary)
        assert (concepts.concept, concepts.preferred) == ("D900001", "Ear Noise")
        assert texts(concepts, Category.EXACT) == ["Buzzing Ear"]
        assert texts(concepts, Category.SYNONYM) == ["Ear Noise"]
        assert texts(concepts, Category.PARTIAL) == ["Ear Trouble", "Hearing"]
        assert texts(concepts, Category.CONTEXT) == ["Ear Wax"]
        assert vocabulary.find("ear noise")[0].id == vocabulary.find("d900001")[0].id == "D900001"
        assert vocabulary.find('no such "thing"') == vocabulary.find("D999999") == ()
        assert vocabulary.get("T1") is None
        assert list(vocabulary.relations("T1", list(Kin))) == []
        assert "National Library of Medicine" in vocabulary.attribution()
        assert vocabulary.version() == "MeSH, current year"
    assert said == [f"MeSH: connected to {server.url}/mesh"]


@pytest.mark.parametrize("odd", [[], {}, "text", 7, {"result": 3}, {"result": {"results": 3}}, {"results": 1}, [1]])
@pytest.mark.parametrize("name", ["umls", "mesh"])
def test_an_answer_of_an_odd_shape_gives_no_concept(tmp_path, name, odd):
    with (
        service(lambda *_: odd) as server,
        opened(tmp_path, vocabulary=name, umls_key=KEY, umls_url=server.url, mesh_url=server.url) as vocabulary,
    ):
        assert vocabulary.find("ear noise") == ()
        assert vocabulary.get("D900001") is None
        assert list(vocabulary.relations("C9000001", list(Kin))) == []


def test_without_a_key_the_umls_is_not_asked(tmp_path):
    with (
        pytest.raises(SettingsError, match="the UMLS needs a key") as caught,
        opened(tmp_path, vocabulary="umls"),
    ):
        pass
    assert "MEDHARVEST_TOPICS_UMLS_KEY" in caught.value.hint


def test_the_vocabulary_none_knows_only_the_words(tmp_path):
    with opened(tmp_path, vocabulary="none") as vocabulary:
        concepts = build_concept_set("bedwetting", vocabulary)
        assert [term.text for term in concepts.terms] == ["bedwetting"]
        assert vocabulary.get("x") is None
        assert list(vocabulary.relations("x", list(Kin))) == []
        assert (vocabulary.version(), vocabulary.attribution()) == ("none", "")


OBO = "format-version: 1.2\n\n[Term]\nid: T:1\nname: ear noise\n"
XML = """<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI>
<DescriptorName><String>ear noise</String></DescriptorName></DescriptorRecord></DescriptorRecordSet>"""
TRIPLES = """<http://id.nlm.nih.gov/mesh/D1> <http://www.w3.org/2000/01/rdf-schema#label> "ear noise"@en .
<http://id.nlm.nih.gov/mesh/D1> <http://id.nlm.nih.gov/mesh/vocab#preferredConcept> <http://id.nlm.nih.gov/mesh/M1> .
"""
SKOS = '@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n<http://example.org/a> s:prefLabel "ear noise" .\n'


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize(
    ("name", "text"), [("a.obo", OBO), ("desc.xml", XML), ("mesh.nt", TRIPLES), ("v.ttl", SKOS), ("any", OBO)]
)
def test_a_file_is_read_by_what_it_holds(tmp_path, name, text, packed):
    path = tmp_path / (name + ".gz" if packed else name)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    said: list[str] = []
    with opened(tmp_path, said, vocabulary=str(path)) as vocabulary:
        assert vocabulary.find("Ear Noise")[0].preferred == "ear noise"
        assert isinstance(vocabulary, MemoryVocabulary)
    assert said == [f"vocabulary read: {path}"]


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("notes.txt", b"hello", "not a vocabulary"),
        ("a.obo", b"format-version: 1\n[Term]\nid: a\nname: \xff\n", "not a vocabulary"),
        ("a.obo", b"format-version: 1\n", "no concepts in"),
        ("a.obo.gz", b"\x1f\x8bnonsense", "cannot be read"),
    ],
)
def test_a_file_that_is_not_a_vocabulary_is_named(tmp_path, name, body, message):
    (tmp_path / name).write_bytes(body)
    with pytest.raises(InputError, match=message), opened(tmp_path, vocabulary=str(tmp_path / name)):
        pass


def test_rdf_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("medharvest.vocabularies.file_readers._MAX_RDF_BYTES", 10)
    (tmp_path / "v.ttl").write_text(SKOS)
    with pytest.raises(InputError, match="too large"), opened(tmp_path, vocabulary=str(tmp_path / "v.ttl")):
        pass


def test_a_name_without_a_file_lists_the_choices(tmp_path):
    with pytest.raises(InputError, match="no such vocabulary: umsl") as caught, opened(tmp_path, vocabulary="umsl"):
        pass
    assert "embedded, none, umls, mesh" in caught.value.hint


def conso(cui, name, *, sab="MSH", lat="ENG", preferred=False, suppress="N"):
    flags = ("P", "PF", "Y") if preferred else ("S", "VO", "N")
    return f"{cui}|{lat}|{flags[0]}|L|{flags[1]}|S|{flags[2]}|A||||{sab}|PT|X|{name}|0|{suppress}||\n"


def rel(one, label, other, sab="MSH"):
    return f"{one}|A|CUI|{label}|{other}|A|CUI||R||{sab}|{sab}|||N||\n"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "META"
    place.mkdir()
    names = [
        conso("C9000001", "Buzzing"),
        conso("C9000001", "Ear Noise", preferred=True),
        conso("C9000001", "Ohrensausen", lat="GER"),
        conso("C9000001", "Hidden", suppress="O"),
        conso("C9000001", "Elsewhere", sab="XYZ"),
        conso("C9000002", "Ear Trouble", preferred=True),
        conso("C9000003", "Night Buzz", preferred=True),
        conso("C9000004", "Loud Music", preferred=True),
    ]
    ties = [
        rel("C9000001", "PAR", "C9000002"),
        rel("C9000002", "CHD", "C9000001"),
        rel("C9000001", "CHD", "C9000003"),
        rel("C9000001", "RO", "C9000004"),
        rel("C9000001", "RO", "C9999999"),
        rel("C9000001", "RO", "C9000003", sab="XYZ"),
        rel("C9000001", "SIB", "C9000004"),
        rel("C9000001", "SY", "C9000001"),
    ]
    (place / "MRCONSO.RRF").write_text("".join(names))
    (place / "MRREL.RRF").write_text("".join(ties))
    return place


def test_umls_files_are_brought_into_a_database_once(tmp_path, folder):
    read = f"vocabulary read: {folder}"
    for wanted in ([f"loading {folder} into a database: once, some minutes for the whole UMLS", read], [read]):
        said: list[str] = []
        with opened(tmp_path, said, vocabulary=str(folder)) as vocabulary:
            assert said == wanted
            concepts = build_concept_set("buzzing", vocabulary)
            assert concepts.concept == "C9000001"
            assert texts(concepts, Category.SYNONYM) == ["Ear Noise"]
            assert texts(concepts, Category.PARTIAL) == ["Ear Trouble", "Night Buzz"]
            assert texts(concepts, Category.CONTEXT) == ["Loud Music"]
            assert vocabulary.find("C9000002")[0].preferred == "Ear Trouble"
            found = {one.concept.preferred: one.kin for one in vocabulary.relations("C9000001", list(Kin))}
            assert found == {"Ear Trouble": "broader", "Night Buzz": "narrower", "Loud Music": "context"}
            assert vocabulary.find("nothing") == ()
            assert str(folder) in vocabulary.version()
            assert "licence you hold" in vocabulary.attribution()
        (made,) = (tmp_path / "cache").glob("umls-*.sqlite")
        made.chmod(0o400)
    with opened(tmp_path, vocabulary=str(folder), umls_sources="") as vocabulary:
        assert "Elsewhere" in vocabulary.find("buzzing")[0].names
    assert len(list((tmp_path / "cache").glob("umls-*.sqlite"))) == 2


def test_a_folder_without_the_tables_or_with_a_broken_row_is_named(tmp_path, folder):
    with pytest.raises(InputError, match="no UMLS tables in"), opened(tmp_path, vocabulary=str(tmp_path)):
        pass
    with (folder / "MRREL.RRF").open("a") as file:
        file.write("C1|too|short|\n")
    with (
        pytest.raises(InputError, match=r"line 9 of MRREL\.RRF is not a row"),
        opened(tmp_path, vocabulary=str(folder)),
    ):
        pass


PAGE = """<!doctype html><html><head><title>x</title><meta name="citation_title" content="Ear noise at night">
<meta name="citation_author" content="Aster, Quill"><meta name="citation_journal_title" content="Journal of Quiet">
</head><body><h1>Ear noise at night</h1><h2>Abstract</h2><p>A night buzz is common in those who sleep beside old
refrigerators. We asked sixty people how often they heard it, and what they did.</p><h2>References</h2></body></html>"""


def test_the_concepts_of_a_text_file_and_of_a_page_are_found(tmp_path):
    (tmp_path / "a.obo").write_text(OBO + "\n[Term]\nid: T:2\nname: night buzz\n")
    (tmp_path / "t.txt").write_text("Ear noise\nand night buzz")
    (tmp_path / "p.html").write_text(PAGE)
    with opened(tmp_path, vocabulary=str(tmp_path / "a.obo")) as vocabulary:
        for name in ("t.txt", "p.html"):
            found = find_file_concepts(tmp_path / name, vocabulary, settings=HASTY.read)
            assert [one.concept.id for one in found] == ["T:1", "T:2"]
        with pytest.raises(InputError, match="cannot be read"):
            find_file_concepts(tmp_path / "none.txt", vocabulary, settings=HASTY.read)
        with pytest.raises(InputError, match="too large"):
            find_file_concepts(tmp_path / "t.txt", vocabulary, settings=replace(HASTY.read, max_bytes=3))


def test_a_service_cannot_be_looked_for_in_a_text(tmp_path):
    with (
        opened(tmp_path, vocabulary="none") as vocabulary,
        pytest.raises(InputError, match="cannot be searched for in a text: none"),
    ):
        find_file_concepts(tmp_path / "t.txt", vocabulary, settings=HASTY.read)


def test_a_concept_set_is_read_and_a_bad_file_is_named(tmp_path):
    (tmp_path / "c.tsv").write_text("exact\t15\tear noise\n")
    assert load_concepts(tmp_path / "c.tsv").terms[0].text == "ear noise"
    (tmp_path / "c.tsv").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not a concept set"):
        load_concepts(tmp_path / "c.tsv")
    with pytest.raises(InputError, match="cannot be read"):
        load_concepts(tmp_path / "none.tsv")


def test_a_local_vocabulary_lists_its_names_and_none_does_not(tmp_path):
    def lists_names(name):
        settings = Settings()
        chosen = replace(settings, topics=replace(settings.topics, vocabulary=name))
        with open_vocabulary(chosen, cache=tmp_path) as vocabulary:
            return isinstance(vocabulary, ListedVocabulary)

    assert lists_names("embedded")
    assert not lists_names("none")
