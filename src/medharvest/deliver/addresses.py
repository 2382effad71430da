"""Targets by name and URL, as the settings or the user wrote them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from medharvest.errors import DeliveryError
from medharvest.settings import secret_variable

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A target as it was named; `trusted` where the settings name it, so that it may stand in the private network."""

    name: str
    url: str
    trusted: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    parts: SplitResult = field(default=urlsplit(""))

    @property
    def kind(self) -> str:
        """The kind of target: the scheme of the URL, less what follows a plus."""
        return self.parts.scheme.partition("+")[0]

    @property
    def port(self) -> int:
        """The port, 0 where none is named."""
        try:
            return self.parts.port or 0
        except ValueError as error:
            raise self.wrong("no such port", str(error)) from error

    def path(self, example: str) -> Path:
        """The folder or file that is named."""
        text = unquote(self.parts.netloc + self.parts.path)
        if not text:
            raise self.wrong("no folder or file is named", f"such as {example}")
        return Path(text).expanduser()

    def web_url(self, example: str, *, query: bool = False) -> str:
        """The web address behind the plus, its query only where it is the receiver's."""
        scheme = self.parts.scheme.partition("+")[2]
        if scheme not in {"http", "https"} or not self.parts.hostname:
            raise self.wrong("not a web address", f"such as {example}")
        return urlunsplit(self.parts._replace(scheme=scheme, query=self.parts.query if query else "", fragment=""))

    def wrong(self, message: str, hint: str) -> DeliveryError:
        """What is wrong with it."""
        return DeliveryError(f"{message}: {self.name} = {self.url}", target=self.name, hint=hint)


def parse_address(text: str) -> Address:
    """A target of a text such as `library=folder:/srv/records`; a password in it is an error that does not show it."""
    name, between, url = (part.strip() for part in text.partition("="))
    if not between or not _NAME.fullmatch(name) or not url:
        hint = "NAME=URL expected, such as library=folder:/srv/records; a name has letters, digits, - and _"
        raise DeliveryError(f"not a target: {_masked(text)}", target=name, hint=hint)
    try:
        parts = urlsplit(url)
        password = parts.password
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError as error:
        raise DeliveryError(f"not a target: {_masked(text)}", target=name, hint=str(error)) from error
    if password is not None:
        hint = f"take it out of the address and set the environment variable {secret_variable(name)}"
        raise DeliveryError(f"a password stands in the address of {name}", target=name, hint=hint)
    return Address(name=name, url=url, options=options, parts=parts)


def _masked(text: str) -> str:
    return re.sub(r"(?<=://)([^:@/]*):[^@/]*@", r"\1:***@", text)[:200]
