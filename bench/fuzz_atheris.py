"""Files of one kind, guided by the code that they reach: for a search by hand, as long as you like.

pip install atheris, into an environment of its own; then
python -m bench.fuzz_atheris KIND [-max_total_time=600] [other options of libFuzzer]

The examples of `bench.fuzz_files` are the first files. It stops at the first file that gives neither a result nor a
`MedharvestError`, and saves it in the folder it was started in.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["medharvest"]):
    from bench.fuzz_files import file_kinds, read_like_user


def main() -> None:
    """Search among the files of the kind that is named."""
    kind = file_kinds()[sys.argv[1]]
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        corpus, file = Path(folder) / "corpus", Path(folder) / f"1{kind.suffix}"
        corpus.mkdir()
        for n, body in enumerate(kind.examples()):
            (corpus / str(n)).write_bytes(body)

        def read(body: bytes) -> None:
            file.write_bytes(body)
            read_like_user(kind, file)

        atheris.Setup([sys.argv[0], str(corpus), *sys.argv[2:]], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
