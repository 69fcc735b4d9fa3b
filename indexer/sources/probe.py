"""Detects the protocol of an address by asking the server, cheapest question first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from core.errors import SondeError, Unavailable
from core.json_types import JsonMapping
from indexer.raw import RawRecord
from indexer.sources.fetching import Fetcher, expect_2xx, json_value
from indexer.sources.folder import FolderSource
from indexer.sources.protocol import FirstAnswer, Protocol, Question, Start, first_answer
from indexer.sources.protocols import PROTOCOLS, open_source
from indexer.sources.unsupported_address import AUTH, describe_address
from net.errors import BadStatus, Forbidden, Untrusted
from net.exchange import HttpAnswer

PREVIEW = 3
_TITLE = re.compile(rb"<(?:title|repositoryName)>([^<]{1,200})</", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DetectedSource:
    """A way to harvest the address, with its first records."""

    type: str
    url: str
    preview: tuple[RawRecord, ...]
    total: int | None = None
    options: JsonMapping = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Probe:
    """``found`` is None if nothing was recognised; ``tried`` lists the questions and their results.

    ``unreachable``: why the host could not be reached, so that nothing else was tried.
    """

    found: DetectedSource | None
    tried: tuple[str, ...]
    unreachable: str | None = None
    hint: str | None = None  # the answer of the address itself, and what to do, if that explains the failure


def probe(fetcher: Fetcher, url: str) -> Probe:
    """The first protocol that returns records. A server's failures are listed in ``tried_addresses``, never raised."""
    tried_addresses: list[str] = []
    hints: list[str] = []
    try:
        for protocol, start in _guesses(fetcher, url, tried_addresses, hints):
            try:
                detected = _preview(fetcher, protocol, start)
            except SondeError as error:
                tried_addresses.append(f"{protocol.name} at {start.url}: {error}")
                continue
            if detected.preview:
                return Probe(detected, tuple(tried_addresses))
            tried_addresses.append(f"{protocol.name} at {start.url}: it gives no records")
    except _Unreachable as error:
        return Probe(None, (), str(error))
    return Probe(None, tuple(tried_addresses), hint=next(iter(hints), None))


def _is_silence(error: SondeError) -> bool:
    """Whether no answer came at all. Subclasses of Unavailable mean a bad answer."""
    return type(error) is Unavailable or isinstance(error, Forbidden)


class _Unreachable(Exception):
    """The host cannot be reached, so other questions would fail too."""


def _preview(fetcher: Fetcher, protocol: Protocol, start: Start) -> DetectedSource:
    """The first records of a source, or of one collection of it. Raises SondeError if it gives none."""
    options = dict(start.options) | ({"page_size": PREVIEW} if "page_size" in protocol.option_names else {})
    fetcher.url = start.url
    records: list[RawRecord] = []
    total: int | None = None
    try:
        for page in open_source(protocol.name, fetcher, None, options).pages():
            records += page.records
            total = page.total if page.total is not None else total
            if len(records) >= PREVIEW:
                break
    except SondeError:
        if not records:  # else it is this protocol, and the harvest names what fails later
            raise
    return DetectedSource(protocol.name, start.url, tuple(records[:PREVIEW]), total, start.options)


def folder_at(path: Path) -> DetectedSource:
    """A folder or archive on this machine, with its first records. Raises SondeError if it has none."""
    skipped_count, passed_over_count = 0, 0
    for page in FolderSource(path, page_size=PREVIEW).pages():
        skipped_count += len(page.skipped)
        passed_over_count += sum(passed_over.count for passed_over in page.passed_over)
        if page.records:
            return DetectedSource("folder", str(path.resolve()), page.records[:PREVIEW], page.total)
    raise SondeError(
        f"{path} has no file with a record ({skipped_count} cannot be read, {passed_over_count} are passed over); "
        f"`sonde formats {path} --missed` names each with the reason."
    )


def title_of(fetcher: Fetcher, detected: DetectedSource) -> str:
    """The catalogue's own title; empty if it states none."""
    try:
        title = PROTOCOLS[detected.type].title
        return fetcher.get(detected.url, _title) if title is None else title(fetcher, detected.url)
    except SondeError:
        return ""


def _title(answer: HttpAnswer) -> str:
    content = expect_2xx(answer).content
    if content.lstrip()[:1] == b"{":
        json_content = json_value(answer)
        return str(json_content.get("title") or "") if isinstance(json_content, dict) else ""
    title_match = _TITLE.search(content[:200_000])
    return "" if title_match is None else title_match[1].decode("utf-8", "replace").strip()


def _guesses(
    fetcher: Fetcher, url: str, tried_addresses: list[str], hints: list[str]
) -> Iterator[tuple[Protocol, Start]]:
    """By the form of the address, by its answer, then by the usual places at or below such an address."""
    for protocol in PROTOCOLS.values():
        start = protocol.of_address(url)
        if start is not None:
            yield protocol, start
    direct = _direct(fetcher, url, tried_addresses, hints)
    if direct is not None:
        yield direct, Start(url, {})
    for protocol, question in _questions(url):
        try:
            with fetcher.asking():
                _ask(fetcher, protocol, question)
        except SondeError as error:
            tried_addresses.append(f"{protocol.name} at {question.url}: {error}")
            continue
        yield protocol, Start(question.url, {})


def _questions(url: str) -> Iterator[tuple[Protocol, Question]]:
    """Those at the address itself before those below it."""
    questions_at = ((protocol, question) for protocol in PROTOCOLS.values() for question in protocol.questions_at(url))
    questions_below = (
        (protocol, question) for protocol in PROTOCOLS.values() for question in protocol.questions_below(url)
    )
    return chain(questions_at, questions_below)


def _ask(fetcher: Fetcher, protocol: Protocol, question: Question) -> None:
    """Raises SondeError if the answer is not from a catalogue of this protocol."""
    if question.ask is not None:
        question.ask(fetcher, question.url)
    elif _protocol_of(fetcher.get(question.url, first_answer)) is not protocol:
        raise SondeError("something else lies there")


def _protocol_of(answer: FirstAnswer) -> Protocol | None:
    return next((protocol for protocol in PROTOCOLS.values() if protocol.recognises(answer)), None)


def _direct(fetcher: Fetcher, url: str, tried_addresses: list[str], hints: list[str]) -> Protocol | None:
    """The protocol of the address's own answer. Raises _Unreachable if other questions would fail too."""
    try:
        with fetcher.asking():
            answer = fetcher.get(url, first_answer)
    except BadStatus as error:
        if error.status in (401, 403):
            raise _Unreachable(f"it needs credentials (HTTP status {error.status}): {AUTH}") from None
        tried_addresses.append(f"{url}: {error}")
        hints.append(f"there is nothing at this address (HTTP status {error.status}): check it in a browser")
        return None
    except SondeError as error:
        if _is_silence(error) or isinstance(error, Untrusted):
            raise _Unreachable(str(error)) from None
        tried_addresses.append(f"{url}: {error}")
        hints.append(str(error))
        return None
    protocol = _protocol_of(answer)
    hints.extend([describe_address(answer)] if protocol is None else [])
    return protocol
