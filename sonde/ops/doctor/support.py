"""The archive for support, without secrets and without addresses of people.

Two layers. Each value that a person configured is replaced by the name of its setting, also encoded. Then everything
that has the form of a secret is replaced, whoever wrote it: logins in addresses, keys, tokens, long random words.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import secrets
import tarfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO
from urllib.parse import SplitResult, quote, quote_plus, unquote, urlsplit

import yaml
from pydantic import BaseModel, SecretStr

from core.errors import SondeError
from local_stack.part import PartStatus
from local_stack.state import login_of
from sonde.environment import secret_settings
from sonde.ops.doctor.finding import Finding
from sonde.ops.measured import this_run
from sonde.settings import Settings
from workers.sources_file import source_entries

_SHORTEST = 6
_SHORTEST_SECRET = 3
_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSW|KEY|CREDENTIAL|AUTH|COOKIE", re.IGNORECASE)
_OPEN_KEYS = frozenset({"id", "type", "title", "schedule", "cron", "interval"})
"""Keys of ``sources.yaml`` whose values may be shown."""

_FORMS = (  # with limits, so that the time grows with the text's length only
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S), "<key>"),
    (re.compile(r"(\w://)[^\s/@\"'<>]{0,2000}@"), r"\1<login>@"),
    (re.compile(r"(?i)\b(bearer|basic|apikey|digest)\s+[^\s\"',}]+"), r"\1 <key>"),
    (
        re.compile(
            r"(?i)([\w.-]{0,40}(?:passw(?:or)?d|secret|token|api[_-]?key|authorization|cookie|credential)[\w.-]{0,40}"
            r"\\?[\"']?\s*[:=]\s*)(?:\\?\"[^\"\n]*\"|'[^'\n]*'|[^\s,;&}\]]+)"
        ),
        r"\1<value>",
    ),
    (re.compile(r"([?&;][\w.~%-]{1,80}=)[^&;\s\"'<>]+"), r"\1<value>"),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]*"), "<token>"),
    (re.compile(r"[^\s\"'<>(),;:=]{1,80}@[\w-]{1,80}(?:\.[\w-]{1,80})+"), "<mail>"),
    (re.compile(r"\b(?!127\.|0\.0\.0\.0\b)\d{1,3}(?:\.\d{1,3}){3}\b"), "<address>"),
    (  # IPv6: with ::, or eight groups; a time has neither
        re.compile(r"(?i)(?<![\w:.])(?!::1?(?![\w:]))(?=[\da-f:]{0,40}::|(?:[\da-f]{1,4}:){7})[\da-f:]{2,39}(?![\w:])"),
        "<address>",
    ),
)
_LONG_WORD = re.compile(r"[\w+/-]{20,}={0,2}")
_CHANGE = re.compile(r"(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d|(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]")
_HEX = re.compile(r"(?=.*\d)[0-9a-f-]{20,}", re.IGNORECASE)
_CHARACTERS_PER_CHANGE = 7
"""Between digits, small and capital letters: random words change often, names and paths seldom."""


class Scrubber:
    """Texts without the values of ``hidden``, each replaced by its name."""

    def __init__(self, hidden: Mapping[str, str]) -> None:
        self._names = {form: name for value, name in hidden.items() for form in _encoded_forms(value)}
        longest_first = sorted(self._names, key=len, reverse=True)
        self._values = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._salt = secrets.token_bytes(16)

    def scrub(self, text: str) -> str:
        if self._values is not None:
            text = self._values.sub(lambda match: f"<{self._names[match[0]]}>", text)
        for pattern, replacement in _FORMS:
            text = pattern.sub(replacement, text)
        return _LONG_WORD.sub(self._numbered, text)

    def _numbered(self, match: re.Match[str]) -> str:
        """A random word as a number, the same within one bundle, so that a request can be followed."""
        is_random = len(_CHANGE.findall(match[0])) >= len(match[0]) / _CHARACTERS_PER_CHANGE
        if not is_random and not _HEX.fullmatch(match[0]):
            return match[0]
        return f"<word {hashlib.blake2b(match[0].encode(), key=self._salt, digest_size=4).hexdigest()}>"


def scrubber_of(settings: Settings, environment: Mapping[str, str]) -> Scrubber:
    """For all texts of this installation."""
    hidden: dict[str, str] = {}
    for name, value in (
        *_secret_variables(environment),
        *_source_values(settings.harvest.sources),
        *_setting_values(settings),
    ):
        hidden |= {part: name for part in (value, *_parts_of_address(value)) if len(part) >= _SHORTEST}
    hidden |= {value: name for name, value in _short_secrets(settings) if len(value) >= _SHORTEST_SECRET}
    if (login := login_of(settings.stack.folder)) is not None:
        hidden[login.password] = "password of sonde up"
    if len(home := str(Path.home())) > 1:
        hidden[home] = "home"
    return Scrubber(hidden)


def changed_settings(settings: Settings) -> dict[str, object]:
    """What differs from the defaults: numbers, switches and choices with their value, texts only as `(set)`."""
    defaults = Settings.model_construct()
    return {
        _variable(group, name): value if _cannot_be_secret(value, field.annotation) else "(set)"
        for group in type(settings).model_fields
        for name, field in type(getattr(settings, group)).model_fields.items()
        if (value := getattr(getattr(settings, group), name)) != getattr(getattr(defaults, group), name)
    }


def _cannot_be_secret(value: object, annotation: object) -> bool:
    """Whether a value cannot be a secret: it is a number, a switch, or one of a few words that the code names."""
    return value is None or isinstance(value, bool | int | float) or f"'{value}'" in str(annotation)


def _setting_values(settings: Settings) -> Iterator[tuple[str, str]]:
    for variable in changed_settings(settings):
        group, _, name = variable.removeprefix("SONDE_").lower().partition("__")
        value = getattr(getattr(settings, group), name)
        if not _cannot_be_secret(value, type(getattr(settings, group)).model_fields[name].annotation):
            yield from ((variable, text) for text in _texts(value))


def _short_secrets(settings: Settings) -> Iterator[tuple[str, str]]:
    """What is secret, however short it is: passwords, also those in addresses."""
    for variable, text in _setting_values(settings):
        if variable in set(secret_settings(Settings)) and not variable.endswith("__USERNAME"):
            password = _address(text).password if "://" in text else text
            yield from ((variable, form) for form in {password or "", unquote(password or "")})


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, BaseModel):
        yield from _texts(value.model_dump())
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list | tuple | set | frozenset):
        for member in value:
            yield from _texts(member)


def _variable(group: str, name: str) -> str:
    return f"SONDE_{group}__{name}".upper()


def _secret_variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Values of other programs' variables too: a log may show them."""
    for name, value in environment.items():
        if _SECRET_NAME.search(name) or "@" in value:
            yield name, value
            yield from ((name, line.strip()) for line in value.splitlines() if "\n" in value)


def _source_values(path: Path) -> Iterator[tuple[str, str]]:
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return
    for text in _texts_to_hide(content):
        yield "value in sources.yaml", text


def _texts_to_hide(content: object) -> Iterator[str]:
    if isinstance(content, dict):
        for key, value in content.items():
            if key not in _OPEN_KEYS:
                yield from _texts_to_hide(value)
    elif isinstance(content, list):
        for member in content:
            yield from _texts_to_hide(member)
    elif isinstance(content, str):
        yield content


def _parts_of_address(value: str) -> Iterator[str]:
    """User, password and the values of the query of a URL, as written and decoded."""
    parts = _address(value)
    if parts.scheme:
        for text in (parts.username, parts.password, *(pair.partition("=")[2] for pair in parts.query.split("&"))):
            yield from {text, unquote(text)} if text else ()


def _address(value: str) -> SplitResult:
    try:
        return urlsplit(value.strip())
    except ValueError:
        return urlsplit("")


def _encoded_forms(value: str) -> set[str]:
    """As logs, JSON, addresses and headers write it."""
    forms = {value, quote(value, safe=""), quote(value), quote_plus(value), repr(value)[1:-1]}
    forms |= {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    return forms | {base64.b64encode(value.encode()).decode("ascii")}


_MOST_LOG_BYTES = 1 << 20
_ABOUT = """This bundle was made by `sonde doctor --support`. Configured texts are replaced by the name of their
setting. What looks like a secret or an address of a person is replaced by a word in <>. Read it before you send it.
"""


def support_texts(
    settings: Settings,
    environment: Mapping[str, str],
    findings: Iterable[Finding],
    parts: Iterable[PartStatus],
    logs: Sequence[Path] = (),
) -> dict[str, str]:
    """Names and contents of the bundle's files. ``logs``: files beside those of `sonde up`."""
    scrubber = scrubber_of(settings, environment)
    texts = {
        "doctor.json": _json([asdict(finding) for finding in findings]),
        "settings.json": _json(changed_settings(settings)),
        "machine.json": _json(this_run()),
        "parts.json": _json([asdict(part) for part in parts]),
        "sources.json": _json(_sources(settings.harvest.sources)),
    }
    folder = settings.stack.folder / "logs"
    for log in (*sorted(folder.glob("*.log")), *sorted(folder.glob("*.log.1")), *logs):
        name = f"logs/{log.name}"
        texts[f"logs/{len(texts)}-{log.name}" if name in texts else name] = last_lines(log)
    return {"README.txt": _ABOUT} | {name: scrubber.scrub(text) for name, text in texts.items()}


def write_bundle(stream: IO[bytes], texts: Mapping[str, str]) -> None:
    """As a ``tar.gz``."""
    with tarfile.open(fileobj=stream, mode="w:gz") as bundle:
        for name, text in texts.items():
            content = text.encode("utf-8", "replace")
            entry = tarfile.TarInfo(f"sonde-support/{name}")
            entry.size, entry.mtime, entry.mode = len(content), int(time.time()), 0o600
            bundle.addfile(entry, io.BytesIO(content))


def last_lines(log: Path) -> str:
    """The end of the log in whole lines: half a secret would not be recognised."""
    with log.open("rb") as stream:
        size = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, size - _MOST_LOG_BYTES))
        text = stream.read().decode("utf-8", "replace")
    return text if size <= _MOST_LOG_BYTES else text.partition("\n")[2]


def _sources(path: Path) -> object:
    """Without entries where the file is missing or wrong; doctor.json says why."""
    try:
        return [{"id": entry.id, "type": entry.type} for entry in source_entries(path).values()]
    except SondeError:
        return []


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n"
