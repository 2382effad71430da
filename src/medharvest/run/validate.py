"""Files of users checked: which format, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from medharvest.citations import Format, detect_format
from medharvest.citations.validation import Finding, Level, check_file
from medharvest.run.inputs import load
from medharvest.settings import Read


@dataclass(frozen=True, slots=True)
class Checked:
    """A file, its format and what was found; `valid` where no error was."""

    name: str
    format: str
    findings: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing blocks delivery."""
        return not any(finding.level is Level.ERROR for finding in self.findings)


def validate_file(name: str, *, form: Format | None, limits: Read | None = None) -> Checked:
    """Check a file of a format, or of the one it shows; raise where it cannot be read or no format fits."""
    body = load(Path(name), name=name, max_bytes=(limits or Read()).max_bytes)
    chosen = form or detect_format(body, name=name)
    return Checked(name, chosen.name, check_file(body, chosen))
