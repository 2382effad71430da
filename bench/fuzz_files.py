"""The kinds of file that the program reads: examples of each, and how the user's verb reads it.

The examples are written by the project itself. Where SHARED_FOLDER names a folder of foreign records, and
MEDHARVEST_CORPUS a corpus, their files are examples too.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path

from bench.mutate import bundled_pages, corpus_pages
from bench.records import record

from medharvest import demo
from medharvest.citations.record_differences import Origin
from medharvest.codec import format_json, to_json
from medharvest.errors import MedharvestError
from medharvest.fetch import WarcWriter
from medharvest.fetch.client import load_cookies
from medharvest.formats import FORMATS, Format
from medharvest.harvest.input_reader import judge_page_links
from medharvest.harvest.worker_process import answer_job
from medharvest.journals.catalogue import export_journal, import_journal, import_journal_list, is_journal_list
from medharvest.journals.inputs import manifest_sources, named_sources, saved_sources
from medharvest.journals.lessons import load_link_labels, load_truth
from medharvest.library.collection_search import SearchQuestion, load_strategy, search_collection
from medharvest.library.record_import import ImportOptions, import_records, read_record_file, validate_file
from medharvest.links import scan_links
from medharvest.links.examples import examples_of
from medharvest.links.judge import load_constraints
from medharvest.pages import parse_page
from medharvest.records import Citation, Response
from medharvest.search.strategy import strategy_lines
from medharvest.settings import Match, Read, Settings, describe_settings, load_settings
from medharvest.store import Journal, Store, open_store
from medharvest.topics import build_concept_set, concept_lines
from medharvest.topics.concept_sets import load_concepts
from medharvest.vocabularies import embedded_vocabulary
from medharvest.vocabularies.selection import open_vocabulary, read_vocabulary
from medharvest.zones.known_values import known_values_from_row

# Most of what is wrong with a long file is wrong with a short one, and a copy of a small process is made sooner.
_MAX_EXAMPLE = 150_000  # bytes
_MOST_PAGES = 100  # of a corpus
_RECORD, _REASON = "record", "reason"
_BLANK_JOB = {"url": "", "charset": "", "kind": "", "articles_only": False, "taught": ""}

Examples = Callable[[], list[bytes]]


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: the family of its syntax, its suffix, examples, the verb that reads it, and what that verb does.

    `read` returns when the file gave something, and raises a `MedharvestError` with the reason when it gave nothing.
    """

    name: str
    family: str
    suffix: str
    verb: str
    examples: Examples
    read: Callable[[Path], None]
    share: int = 1  # how many of the files are of this kind, compared with the others


def read_like_user(kind: FileKind, file: Path) -> str:
    """Read a file as the verb does: `record` if something came of it, `reason` for an error with a message."""
    try:
        kind.read(file)
    except MedharvestError as error:
        return _REASON if error.message.strip() else "traceback\nan error without a message"
    return _RECORD


@cache
def blank_store() -> Store:
    """Return an empty store in memory; a copy of the process has its own."""
    return open_store(":memory:")


# Record files.


def _check_and_import(form: Format, file: Path) -> None:
    """Do what `validate`, `import` and `export` do; every other file has its format named, the others are detected."""
    named = form if int(file.name.partition(".")[0]) % 2 else None
    checked = validate_file(str(file), form=named)
    format_json([to_json(finding) for finding in checked.findings])
    records = read_record_file(file, Settings(), form=named).records
    origin, store = Origin("import", file.name), blank_store()
    for item in import_records(records, store, origin=origin, rules=Match(), choices=ImportOptions()):
        format_json([item.state.value, item.citation.title, *map(to_json, item.differences)])
    body = "".join((form.draft or form.write)(records)).encode()
    assert form.read
    for _ in form.read(io.BytesIO(body)):
        pass


@cache
def bundled_citations() -> tuple[Citation, ...]:
    """Return records with all kinds of values: the bundled ones and generated ones."""
    found = (article.citation for issue in demo.list_demo_issues() for article in issue.articles)
    return (*found, *(record(n) for n in range(3)))


def _record_examples(form: Format) -> list[bytes]:
    known = bundled_citations()
    groups = [known[at : at + 2] for at in range(0, min(len(known), 40), 2)]
    return ["".join((form.draft or form.write)(group)).encode() for group in groups] + _foreign_examples(form)


def _foreign_examples(form: Format) -> list[bytes]:
    """Return the files of a folder of foreign records that are in this format."""
    folder = os.environ.get("SHARED_FOLDER", "")
    files = sorted((Path(folder) / "records").rglob("*")) if folder else []
    bodies = [file.read_bytes() for file in files if file.is_file() and file.stat().st_size <= _MAX_EXAMPLE]
    return [body for body in bodies if re.match(form.begins, body[:4096].decode("utf-8", "replace").lstrip("\ufeff"))]


# Pages.


def _read_page(file: Path) -> None:
    job = {**_BLANK_JOB, "name": file.name, "max_pdf_pages": Read().max_pdf_pages}
    _raise_error(answer_job(job, file.read_bytes()))


def _read_page_and_links(file: Path) -> None:
    _read_page(file)
    links = judge_page_links(parse_page(file.read_bytes(), url="http://journal.example/", name=file.name)).links
    format_json([to_json(link) for link in links])


def _raise_error(answer: dict[str, object]) -> None:
    """Raise what a worker answered: an error of the page, or one of the program, which it hides from its user."""
    if "error" not in answer:
        format_json(to_json(answer["citation"]))
        return
    if answer.get("lost"):
        raise AssertionError(answer["hint"])
    raise MedharvestError(str(answer["error"]))


def _pages(*, pdf: bool) -> list[bytes]:
    pages = chain(bundled_pages(), corpus_pages(os.environ.get("MEDHARVEST_CORPUS", "")))
    fitting = (page for page in pages if page.startswith(b"%PDF") is pdf and len(page) <= _MAX_EXAMPLE)
    return list(islice(fitting, _MOST_PAGES))


def _saved_pages() -> list[bytes]:
    """Pages as a browser saves them in one file."""
    head = b"From: <Saved by a browser>\r\nSnapshot-Content-Location: http://journal.example/1\r\nMIME-Version: 1.0\r\n"
    kind = b'Content-Type: multipart/related; type="text/html"; boundary="--x=_1"\r\n\r\n'
    part = b"----x=_1\r\nContent-Type: text/html; charset=utf-8\r\nContent-Location: http://journal.example/1\r\n"
    picture = (
        b"----x=_1\r\nContent-Type: image/gif\r\nContent-Transfer-Encoding: base64\r\n\r\nR0lGODlhAQABAAAAACw=\r\n"
    )
    return [
        head + kind + part + b"\r\n" + page + b"\r\n" + picture + b"----x=_1--\r\n" for page in _pages(pdf=False)[:40]
    ]


def _read_archive(file: Path) -> None:
    """Read the pages of an archive as `read` does; fewer than all may be whole."""
    found, reason = 0, None
    for source, page in saved_sources(named_sources([str(file)]), Settings()):
        if isinstance(page, MedharvestError):
            reason = page
            continue
        job = {**_BLANK_JOB, "name": source.name, "url": page.url, "charset": page.charset, "articles_only": True}
        answer = answer_job({**job, "max_pdf_pages": 2}, page.body)
        if answer.get("lost"):
            raise AssertionError(answer["hint"])
        found += "error" not in answer
    if reason and not found:
        raise reason


def _archives() -> list[bytes]:
    pages = _pages(pdf=False)
    with tempfile.TemporaryDirectory() as folder:
        return [_archive(Path(folder) / f"{n}.warc.gz", pages[n : n + 3]) for n in range(12)]


def _archive(path: Path, pages: Sequence[bytes]) -> bytes:
    with WarcWriter(path) as writer:
        for n, page in enumerate(pages):
            url = f"http://journal.example/{n}"
            head = (("Content-Type", "text/html; charset=utf-8"),)
            writer.append(
                Response(
                    url=url,
                    final_url=url,
                    status=200,
                    media_type="text/html",
                    charset="utf-8",
                    body=page,
                    headers=head,
                    arrived_at="2026-01-01T00:00:00Z",
                )
            )
    return path.read_bytes()


# Vocabularies.
_OBO = b"""format-version: 1.2
data-version: 2026-01

[Term]
id: T:1
name: ear noise
def: "A noise." [x:1]
synonym: "ringing \\"ears\\"" EXACT layperson []
synonym: "hissing" NARROW []
is_a: T:2 ! ear trouble
relationship: part_of T:3 ! ear

[Term]
id: T:2
name: ear trouble
xref: D1

[Term]
id: T:3
name: ear
is_obsolete: false

[Typedef]
id: part_of
name: part of
"""
_MESH_XML = b"""<?xml version="1.0"?><!DOCTYPE DescriptorRecordSet SYSTEM "https://dtd.example.org/descriptors.dtd">
<DescriptorRecordSet LanguageCode="eng"><DescriptorRecord DescriptorClass="1"><DescriptorUI>D1</DescriptorUI>
<DescriptorName><String>Ear Noise</String></DescriptorName>
<TreeNumberList><TreeNumber>C09.1.2</TreeNumber></TreeNumberList>
<SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo><DescriptorUI>D2</DescriptorUI></DescriptorReferredTo>
</SeeRelatedDescriptor></SeeRelatedList><ConceptList><Concept PreferredConceptYN="Y"><TermList><Term>
<String>Ear Noise</String>
</Term><Term><String>Noise, Ear</String></Term></TermList></Concept></ConceptList></DescriptorRecord>
<DescriptorRecord><DescriptorUI>D2</DescriptorUI><DescriptorName><String>Ear</String></DescriptorName>
<TreeNumberList><TreeNumber>C09.1</TreeNumber></TreeNumberList></DescriptorRecord></DescriptorRecordSet>"""
_MESH = "http://id.nlm.nih.gov/mesh/"
_VOCAB = f"{_MESH}vocab#"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_MESH_TRIPLES = "\n".join(
    f"<{_MESH}{subject}> <{verb}> {thing} ."
    for subject, verb, thing in (
        ("D1", _LABEL, '"Ear Noise"@en'),
        ("D1", f"{_VOCAB}preferredConcept", f"<{_MESH}M1>"),
        ("M1", f"{_VOCAB}preferredTerm", f"<{_MESH}T1>"),
        ("T1", f"{_VOCAB}prefLabel", '"Ear \\u0041 Noise"@en'),
        ("D1", f"{_VOCAB}treeNumber", f"<{_MESH}C09.1>"),
        ("D1", f"{_VOCAB}broaderDescriptor", f"<{_MESH}D2>"),
        ("D2", _LABEL, '"Ear"@en'),
    )
).encode()
_OWL = b"""<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#"
 xmlns:o="http://www.geneontology.org/formats/oboInOwl#">
 <owl:Class rdf:about="http://example.org/T1"><rdfs:label>ear noise</rdfs:label>
  <o:hasExactSynonym xml:lang="en">ear buzz</o:hasExactSynonym><rdfs:subClassOf rdf:resource="http://example.org/T2"/>
 </owl:Class><owl:Class rdf:about="http://example.org/T2"><rdfs:label>ear trouble</rdfs:label></owl:Class></rdf:RDF>"""
_SKOS = b"""@prefix s: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:a s:prefLabel "Ear Noise"@en, "Ohrensausen"@de ; s:altLabel "ear buzz" ; s:broader :b ; s:related :c .
:b s:prefLabel "Ear Trouble" ; s:narrower :d .
:c s:prefLabel "Ear"@en-GB .
:d s:prefLabel "Ear Ache" ; owl:deprecated true .
"""
_RRF = b"""C1|ENG|P|L1|PF|S1|Y|A1||||MSH|MH|D1|Ear Noise|0|N||
C1|ENG|S|L2|PF|S2|N|A2||||MSH|EN|D1|Buzzing|0|N||
C2|ENG|P|L3|PF|S3|Y|A3||||MSH|MH|D2|Ear Trouble|0|N||
C1|GER|P|L4|PF|S4|Y|A4||||MSH|MH|D1|Ohrensausen|0|N||
"""
_RRF_RELATIONS = b"C1|A1|AUI|PAR|C2|A3|AUI||R1||MSH|MSH||N|N||\n"


def _ask_vocabulary(file: Path) -> None:
    """Do what `concepts --vocabulary FILE` does."""
    vocabulary = read_vocabulary(file)
    concept_lines(build_concept_set("ear noise", vocabulary))
    for name, identifier in islice(vocabulary.names(), 3):
        concept_lines(build_concept_set(name[:200], vocabulary, concept=identifier))


def _ask_tables(file: Path) -> None:
    """Do what `concepts --vocabulary FOLDER` does with the tables of the UMLS."""
    folder = file.with_suffix("")
    folder.mkdir()
    file.rename(folder / "MRCONSO.RRF")
    (folder / "MRREL.RRF").write_bytes(_RRF_RELATIONS)
    settings = load_settings(environment={}, options={"topics.vocabulary": str(folder)})
    with open_vocabulary(settings, cache=folder) as vocabulary:
        concept_lines(build_concept_set("ear noise", vocabulary))


# Lists, lessons and settings.


def _import_journals(file: Path) -> None:
    """Do what `journals import FILE` does."""
    if is_journal_list(file, limits=Read()):
        import_journal_list(blank_store(), file, limits=Read())
    else:
        import_journal(blank_store(), file)


def _import_signed_journal(file: Path) -> None:
    """Import a journal file whose digest was made again, as someone who wants to do harm would."""
    first, end, rest = file.read_bytes().partition(b"\n")
    digest = hashlib.sha256(rest).hexdigest().encode()
    file.write_bytes(re.sub(rb'"digest": ?"[0-9a-f]{64}"', b'"digest":"' + digest + b'"', first) + end + rest)
    _import_journals(file)


def _journal_lists() -> list[bytes]:
    ruler = "-" * 56
    nlm = "".join(
        f"{ruler}\nJrId: {n}\nJournalTitle: Journal of Tides &amp; Quays {n}\nMedAbbr: J Tides {n}\n"
        f"ISSN (Print): 2049-3630\nISSN (Online): 0378-5955\nIsoAbbr: J. Tides {n}\nNlmId: 10{n}\n"
        for n in range(8)
    )
    table = "".join(f'"Journal of Tides, {n}";"J. Tides {n}"\n' for n in range(8))
    return [(nlm + ruler).encode(), table.encode(), table.replace(";", ",").encode()]


def _journal_files() -> list[bytes]:
    with open_store(":memory:") as store:
        store.journals.save(
            Journal(name="tides", title="Journal of Tides", issn=("2049-3630",), hosts=("tides.example",))
        )
        page = parse_page(_pages(pdf=False)[0], url="http://tides.example/1")
        labels = {link.index: (link.index % 2 == 0, None) for link in islice(scan_links(page), 6)}
        store.journals.teach_links("tides", examples_of(page, labels), digest=page.digest)
        return ["".join(export_journal(store, "tides")).encode()]


def _settings_files() -> list[bytes]:
    lines: list[str] = []
    for described in sorted(describe_settings(), key=lambda one: "." in one.name):  # what has no table comes first
        table, _, leaf = described.name.rpartition(".")
        if table and f"[{table}]" not in lines:
            lines.append(f"[{table}]")
        if described.name != "targets":
            lines.append(f"{leaf} = {json.dumps(described.default)}")
    return ["\n".join([*lines, "[targets]", 'here = "folder:/tmp/x"']).encode()]


def _replay_strategy(file: Path) -> None:
    """Do what `search --strategy FILE` does."""
    search_collection(
        SearchQuestion(text="", strategy=load_strategy(file), reach=""), blank_store(), embedded_vocabulary(), limit=10
    )


def _strategies() -> list[bytes]:
    question = SearchQuestion(text="asthma AND (sleep OR tides)", strategy=None, reach="near")
    answer = search_collection(question, blank_store(), embedded_vocabulary(), limit=10)
    return ["\n".join(strategy_lines(answer.strategy)).encode()]


def _read_truth(file: Path) -> None:
    """Do what `learn` does with the lines of a truth file."""
    for row in load_truth(file):
        known_values_from_row(row)


def _json_lines(*rows: Mapping[str, object]) -> list[bytes]:
    return ["".join(f"{json.dumps(row)}\n" for row in rows).encode()]


def _list_kinds() -> Iterator[FileKind]:
    families = {
        "pubmed": "xml",
        "pubmedset": "xml",
        "jats": "xml",
        "marcxml": "xml",
        "bibtex": "bibtex",
        "csl": "json",
        "csv": "csv",
    }
    families["jsonl"] = "json lines"
    for form in FORMATS.values():
        if form.read:
            family, examples = families.get(form.name, "lines"), partial(_record_examples, form)
            yield FileKind(form.name, family, form.suffix, "import", examples, partial(_check_and_import, form), 7)
    vocabulary = partial(FileKind, verb="concepts", read=_ask_vocabulary, share=2)
    yield vocabulary("OBO", "lines", ".obo", examples=lambda: [_OBO])
    yield vocabulary("MeSH XML", "xml", ".xml", examples=lambda: [_MESH_XML])
    yield vocabulary("MeSH N-Triples", "lines", ".nt", examples=lambda: [_MESH_TRIPLES])
    yield vocabulary("OWL", "xml", ".owl", examples=lambda: [_OWL])
    yield vocabulary("SKOS", "lines", ".ttl", examples=lambda: [_SKOS])
    yield FileKind("UMLS tables", "lines", ".rrf", "concepts", lambda: [_RRF], _ask_tables)
    concepts = "\n".join(concept_lines(build_concept_set("asthma", embedded_vocabulary()))).encode()
    yield FileKind(
        "concept set", "lines", ".tsv", "topic", lambda: [concepts], lambda file: print_none(load_concepts(file))
    )
    yield FileKind("search strategy", "lines", ".txt", "search", _strategies, _replay_strategy)
    yield FileKind("journal list", "csv", ".csv", "journals", _journal_lists, _import_journals, 2)
    yield FileKind("journal file", "json lines", ".jsonl", "journals", _journal_files, _import_signed_journal, 2)
    rows = {"file": "a.html", "i": 0, "article": True, "type": "pdf"}, {"file": "a.html", "offset": 3, "article": None}
    yield FileKind(
        "link labels",
        "json lines",
        ".jsonl",
        "learn",
        lambda: _json_lines(*rows),
        lambda file: print_none(load_link_labels(file)),
    )
    truth = {
        "id": "a",
        "title": "T",
        "authors": [{"family": "Berg", "given": "A"}],
        "affiliations": ["Q"],
        "abstract": "x",
    }
    yield FileKind("truth", "json lines", ".jsonl", "learn", lambda: _json_lines(truth, truth), _read_truth)
    manifest = {"file": "a.html", "url": "http://u:p@a.example/", "encoding": "utf-8", "journal": "tides"}
    yield FileKind(
        "manifest",
        "json lines",
        ".jsonl",
        "read",
        lambda: _json_lines(manifest, manifest),
        lambda file: print_none(manifest_sources(file)),
    )
    yield FileKind(
        "settings",
        "lines",
        ".toml",
        "all",
        _settings_files,
        lambda file: print_none(load_settings(file=file, environment={})),
    )
    constraints = b'base = "default"\n[excluded]\nadd = ["careers"]\nremove = []\n[pdf]\nadd = ["heft"]\n'
    yield FileKind(
        "constraint sets",
        "lines",
        ".toml",
        "issue",
        lambda: [constraints],
        lambda file: print_none(load_constraints(file)),
    )
    cookies = b"# Netscape HTTP Cookie File\n#HttpOnly_.a.example\tTRUE\t/\tTRUE\t1999999999\tname\tvalue\n"
    yield FileKind("cookies", "lines", ".txt", "issue", lambda: [cookies], lambda file: print_none(load_cookies(file)))
    yield FileKind("WARC", "warc", ".warc.gz", "read", _archives, _read_archive, 3)
    yield FileKind("HTML", "html", ".html", "read", partial(_pages, pdf=False), _read_page_and_links, 9)
    yield FileKind("MHTML", "mhtml", ".mhtml", "read", _saved_pages, _read_page, 2)
    yield FileKind("PDF", "pdf", ".pdf", "read, convert", partial(_pages, pdf=True), _read_page, 5)


def print_none(_: object) -> None:
    """Take what a reader returned; nothing is done with it."""


@cache
def file_kinds() -> dict[str, FileKind]:
    """Return the kinds of file by name."""
    return {kind.name: kind for kind in _list_kinds()}
