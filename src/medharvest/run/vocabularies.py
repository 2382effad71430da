"""The vocabulary a user names: the embedded one, none, a service, or a file or folder of one's own."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from medharvest.errors import InputError, SettingsError
from medharvest.settings import Settings, Topics, variable
from medharvest.topics import Concept, ConceptSet, Kin, Relation, Vocabulary, embedded_vocabulary, read_concepts
from medharvest.topics.memory import Entry, MemoryVocabulary

if TYPE_CHECKING:
    from medharvest.run.services import Address, Service

_GZIP = b"\x1f\x8b"
_LOOK = 4096  # bytes of a file that tell its format
_RDF_SUFFIXES = (".owl", ".rdf", ".ttl", ".skos", ".xml", ".nt")
_MOST_RDF = 200_000_000  # bytes; what rdflib reads it holds in memory many times over
_MOST_CONCEPTS = 5_000_000  # bytes of a file of concepts
_UMLS_RATE = 20.0  # questions a second that the service allows
_MESH_RATE = 2.5  # it names no limit
Announce = Callable[[str], None]


class NoVocabulary:
    """Knows nothing: a topic is its own words."""

    name = "none"

    def find(self, text: str) -> tuple[Concept, ...]:  # noqa: ARG002  (what every vocabulary takes)
        """No concept."""
        return ()

    def get(self, concept: str) -> Concept | None:  # noqa: ARG002
        """No concept."""
        return None

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> tuple[Relation, ...]:  # noqa: ARG002
        """No relatives."""
        return ()

    def version(self) -> str:
        """None."""
        return "none"

    def attribution(self) -> str:
        """Nobody's."""
        return ""


@contextmanager
def open_vocabulary(settings: Settings, *, cache: Path, announce: Announce = lambda _: None) -> Iterator[Vocabulary]:
    """Open the vocabulary of the settings; `cache` is where answers and databases are kept."""
    name = settings.topics.vocabulary
    if name in _OPENERS:
        with _OPENERS[name](settings, cache, announce) as vocabulary:
            yield vocabulary
    else:
        with _open_path(Path(name), settings, cache, announce) as vocabulary:
            announce(f"vocabulary read: {name}")
            yield vocabulary


@contextmanager
def _open_umls(settings: Settings, cache: Path, announce: Announce) -> Iterator[Vocabulary]:
    from medharvest.run.umls import UmlsVocabulary

    service = _service(_umls(settings.topics), settings, cache / "umls", announce)
    with closing(UmlsVocabulary(service, settings.topics)) as vocabulary:
        yield vocabulary


@contextmanager
def _open_mesh(settings: Settings, cache: Path, announce: Announce) -> Iterator[Vocabulary]:
    from medharvest.run.mesh_lookup import MeshLookup
    from medharvest.run.services import Address

    address = Address(base=settings.topics.mesh_url, name="MeSH", rate=_MESH_RATE)
    with closing(MeshLookup(_service(address, settings, cache / "mesh", announce))) as vocabulary:
        yield vocabulary


# The vocabularies that have a name; adding one adds a row here and its module.
_OPENERS: Mapping[str, Callable[[Settings, Path, Announce], AbstractContextManager[Vocabulary]]] = MappingProxyType(
    {
        "embedded": lambda *_: nullcontext(embedded_vocabulary()),
        "none": lambda *_: nullcontext(NoVocabulary()),
        "umls": _open_umls,
        "mesh": _open_mesh,
    }
)
NAMED = tuple(_OPENERS)


def _service(address: Address, settings: Settings, cache: Path, announce: Announce) -> Service:
    from medharvest.fetch import Answers
    from medharvest.run.services import Service

    answers = Answers(cache, hours=settings.topics.cache_hours)
    return Service(address, settings.fetch, answers=answers, announce=announce)


def _umls(topics: Topics) -> Address:
    from medharvest.run.services import Address

    where = variable("topics.umls_key")
    if not topics.umls_key:
        raise SettingsError(
            "the UMLS needs a key", setting="topics.umls_key", hint=f"put that of your UMLS account in {where}"
        )
    hint = f"check {where}; a key belongs to an account with a UMLS licence"
    return Address(
        base=topics.umls_url, name="UMLS", rate=_UMLS_RATE, secret=(("apiKey", topics.umls_key),), key_hint=hint
    )


@contextmanager
def _open_path(path: Path, settings: Settings, cache: Path, announce: Announce) -> Iterator[Vocabulary]:
    if path.is_dir():
        from medharvest.run.rrf import open_rrf

        with closing(open_rrf(path, settings.topics, cache=cache, announce=announce)) as vocabulary:
            yield vocabulary
    else:
        yield read_vocabulary(path)


def load_concepts(path: Path) -> ConceptSet:
    """Read a concept set from a file as `concepts` prints it."""
    try:
        with path.open("rb") as file:
            return read_concepts(file.read(_MOST_CONCEPTS).decode(), name=str(path))
    except OSError as error:
        raise InputError(f"cannot be read: {path}", name=str(path), hint=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not a file of concepts: {path}", name=str(path), hint="its text is not UTF-8") from error


def read_vocabulary(path: Path) -> MemoryVocabulary:
    """Read a file by what it holds: OBO, MeSH XML, MeSH N-Triples, else RDF; packed with gzip or not."""
    name = str(path)
    try:
        with _open(path) as file:
            head = file.peek(_LOOK)[:_LOOK]
            return MemoryVocabulary(_entries(file, head, path.name.removesuffix(".gz")), name=name)
    except FileNotFoundError as error:
        choices = ", ".join(NAMED)
        raise InputError(
            f"no such vocabulary: {name}", name=name, hint=f"{choices}, or a file or folder that is there"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read: {name}", name=name, hint=str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not a vocabulary: {name}", name=name, hint="its text is not UTF-8") from error


def _open(path: Path) -> io.BufferedReader:
    file = path.open("rb")
    if file.peek(2)[:2] != _GZIP:
        return file
    file.close()
    return io.BufferedReader(gzip.open(path))


def _entries(file: IO[bytes], head: bytes, name: str) -> Iterator[Entry]:
    from medharvest.topics.mesh import read_mesh_triples, read_mesh_xml
    from medharvest.topics.obo import read_obo

    if b"format-version:" in head or b"[Term]" in head:
        return read_obo(map(bytes.decode, file))
    if b"DescriptorRecord" in head:
        return read_mesh_xml(file, name=name)
    if b"<http://id.nlm.nih.gov/mesh/" in head and head.startswith(b"<http"):
        return read_mesh_triples(map(bytes.decode, file))
    if not name.lower().endswith(_RDF_SUFFIXES):
        raise InputError(
            f"not a vocabulary: {name}",
            name=name,
            hint="OBO, MeSH XML or N-Triples, OWL or SKOS; packed with gzip or not",
        )
    return _rdf_entries(file, name)


def _rdf_entries(file: IO[bytes], name: str) -> Iterator[Entry]:
    from medharvest.topics.rdf import read_rdf

    body = file.read(_MOST_RDF + 1)
    if len(body) > _MOST_RDF:
        raise InputError(f"too large: {name}", name=name, hint=f"RDF up to {_MOST_RDF:,} bytes; OBO has no such limit")
    return read_rdf(body, name=name)
