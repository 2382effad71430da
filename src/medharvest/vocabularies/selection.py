"""Open the vocabulary that the settings name: the embedded one, none, a web service, or a file or folder."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from medharvest.errors import InputError, SettingsError
from medharvest.settings import Settings, Topics, setting_variable
from medharvest.vocabularies import Concept, Kin, Relation, Vocabulary, embedded_vocabulary
from medharvest.vocabularies.file_readers import MemoryVocabulary, read_vocabulary_entries

if TYPE_CHECKING:
    from medharvest.vocabularies.service import ServiceAddress, VocabularyService

_GZIP_MAGIC = b"\x1f\x8b"
_SNIFFED_BYTES = 4096  # bytes of a file that tell its format
_UMLS_RATE = 20.0  # requests per second, the limit of the service
_MESH_RATE = 2.5  # requests per second; the service states no limit
Announce = Callable[[str], None]


class NoVocabulary:
    """An empty vocabulary: a topic is only its own words."""

    name = "none"

    def find(self, text: str) -> tuple[Concept, ...]:  # noqa: ARG002  (what every vocabulary takes)
        """Return no concepts."""
        return ()

    def get(self, concept: str) -> Concept | None:  # noqa: ARG002
        """Return no concept."""
        return None

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> tuple[Relation, ...]:  # noqa: ARG002
        """Return no relatives."""
        return ()

    def version(self) -> str:
        """Return `none`."""
        return "none"

    def attribution(self) -> str:
        """Return an empty text: there is no owner."""
        return ""


@contextmanager
def open_vocabulary(settings: Settings, *, cache: Path, announce: Announce = lambda _: None) -> Iterator[Vocabulary]:
    """Open the vocabulary of the settings; `cache` is the folder for answers and databases."""
    name = settings.topics.vocabulary
    if name in _VOCABULARY_OPENERS:
        with _VOCABULARY_OPENERS[name](settings, cache, announce) as vocabulary:
            yield vocabulary
    else:
        with _open_vocabulary_path(Path(name), settings, cache, announce) as vocabulary:
            announce(f"vocabulary read: {name}")
            yield vocabulary


@contextmanager
def _open_umls(settings: Settings, cache: Path, announce: Announce) -> Iterator[Vocabulary]:
    from medharvest.vocabularies.service import UmlsVocabulary

    service = _make_service(_make_umls_address(settings.topics), settings, cache / "umls", announce)
    with closing(UmlsVocabulary(service, settings.topics)) as vocabulary:
        yield vocabulary


@contextmanager
def _open_mesh(settings: Settings, cache: Path, announce: Announce) -> Iterator[Vocabulary]:
    from medharvest.vocabularies.service import MeshServiceVocabulary, ServiceAddress

    address = ServiceAddress(base=settings.topics.mesh_url, name="MeSH", rate=_MESH_RATE)
    with closing(MeshServiceVocabulary(_make_service(address, settings, cache / "mesh", announce))) as vocabulary:
        yield vocabulary


# Vocabularies by name. To add one, add its module and a row here.
_VOCABULARY_OPENERS: Mapping[str, Callable[[Settings, Path, Announce], AbstractContextManager[Vocabulary]]] = (
    MappingProxyType(
        {
            "embedded": lambda *_: nullcontext(embedded_vocabulary()),
            "none": lambda *_: nullcontext(NoVocabulary()),
            "umls": _open_umls,
            "mesh": _open_mesh,
        }
    )
)
VOCABULARY_NAMES = tuple(_VOCABULARY_OPENERS)


def _make_service(address: ServiceAddress, settings: Settings, cache: Path, announce: Announce) -> VocabularyService:
    from medharvest.fetch import AnswerCache
    from medharvest.vocabularies.service import VocabularyService

    answers = AnswerCache(cache, hours=settings.topics.cache_hours)
    return VocabularyService(address, settings.fetch, answers=answers, announce=announce)


def _make_umls_address(topics: Topics) -> ServiceAddress:
    from medharvest.vocabularies.service import ServiceAddress

    where = setting_variable("topics.umls_key")
    if not topics.umls_key:
        raise SettingsError(
            "the UMLS needs a key", setting="topics.umls_key", hint=f"put the key of your UMLS account in {where}"
        )
    hint = f"check {where}; a key belongs to an account with a UMLS licence"
    return ServiceAddress(
        base=topics.umls_url, name="UMLS", rate=_UMLS_RATE, secret=(("apiKey", topics.umls_key),), key_hint=hint
    )


@contextmanager
def _open_vocabulary_path(path: Path, settings: Settings, cache: Path, announce: Announce) -> Iterator[Vocabulary]:
    if path.is_dir():
        from medharvest.vocabularies.umls_files import open_rrf_folder

        with closing(open_rrf_folder(path, settings.topics, cache=cache, announce=announce)) as vocabulary:
            yield vocabulary
    else:
        yield read_vocabulary(path)


def read_vocabulary(path: Path) -> MemoryVocabulary:
    """Read a vocabulary file by its content: OBO, MeSH XML, MeSH N-Triples, else RDF; compressed with gzip or not."""
    name = str(path)
    try:
        with _open_unpacked_file(path) as file:
            head = file.peek(_SNIFFED_BYTES)[:_SNIFFED_BYTES]
            return MemoryVocabulary(read_vocabulary_entries(file, head, path.name.removesuffix(".gz")), name=name)
    except FileNotFoundError as error:
        choices = ", ".join(VOCABULARY_NAMES)
        raise InputError(
            f"no such vocabulary: {name}", name=name, hint=f"use {choices}, or an existing file or folder"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read: {name}", name=name, hint=str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"not a vocabulary: {name}", name=name, hint="the file is not UTF-8 text") from error


def _open_unpacked_file(path: Path) -> io.BufferedReader:
    file = path.open("rb")
    if file.peek(2)[:2] != _GZIP_MAGIC:
        return file
    file.close()
    return io.BufferedReader(gzip.open(path))
