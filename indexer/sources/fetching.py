"""Requests of one source: its policy, credentials and limits, and which failures are retried."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

import structlog
from lxml import etree
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from core.batched import batched
from core.deadlines import CircuitOpen
from core.errors import SondeError, Unavailable
from core.json_types import Json
from indexer.background import Background
from indexer.formats.json_documents.parsing import looks_like_json, syntax_fault
from indexer.formats.xml_documents import describe_syntax_error
from indexer.raw import VersionStore
from indexer.sources.members import LimitReached
from indexer.sources.politeness import HostLimits, RequestPolicy, retry_after_s
from net.errors import BadStatus, BrokenAnswer
from net.exchange import HttpAnswer, Outgoing
from net.gate import Gate
from net.targets import address_of, host_of, parse_target

T = TypeVar("T")
log = structlog.get_logger(__name__)

AGENT = "Sonde"
_MIB = 1 << 20
_RETRIED_STATUSES = frozenset({408, 425, 429})


class BadAnswer(Unavailable):
    """The host sent something else: HTML for XML, or a truncated or repeated page. The request is tried again."""


class OtherAnswer(SondeError):
    """The host answers a question of ``sonde sources add`` with something else: what is asked for is not there."""


class RetryLater(Unavailable):
    """The host answered 429 or 5xx. ``after_s``: the pause it asks for, if it says so."""

    def __init__(self, message: str, after_s: float | None) -> None:
        super().__init__(message)
        self.after_s = after_s


class TooLate(Unavailable):
    """The host asks for a longer pause than a run may make. The run continues another time."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Hard limits of one slice of a run; ``page_bytes`` of one answer, after decompression."""

    requests: int = 1_000_000
    total_bytes: int = 64 * 1024 * _MIB
    page_bytes: int = 64 * _MIB
    seconds: float = 24 * 3600.0
    depth: int = 12


@dataclass(slots=True)
class Fetcher:
    """Safe to share between the threads of one source. ``credentials`` are headers for the source's own origin."""

    gate: Gate
    source: str
    url: str
    host_limits: HostLimits = field(default_factory=HostLimits)
    policy: RequestPolicy = field(default_factory=RequestPolicy)
    limits: FetchLimits = field(default_factory=FetchLimits)
    credentials: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0  # a robots.txt's Crawl-delay
    memory: VersionStore | None = None  # of single files' versions
    is_asking: bool = False  # what lies at an address: another answer is final, and no failure of the host
    _requests: int = 0
    _bytes: int = 0
    _without_compression: bool = (
        False  # a compressed answer was broken: some servers send it with the length of the plain one
    )
    _started: float = field(default_factory=time.monotonic)
    _robots_by_host: dict[str, RobotFileParser] = field(default_factory=dict)

    def get(
        self,
        url: str,
        parse: Callable[[HttpAnswer], T],
        params: Mapping[str, str] | None = None,
        accept: str = "*/*",
        final: frozenset[int] = frozenset(),
    ) -> T:
        return self.read(Outgoing(url, params=params, headers={"accept": accept}), parse, final)

    def read(self, request: Outgoing, parse: Callable[[HttpAnswer], T], final: frozenset[int] = frozenset()) -> T:
        """The result of ``parse`` for the answer (status 2xx, 304 and 4xx); retries after its BadAnswer.

        ``final``: further statuses that no retry would change, of one document and not of the host.
        Raises Unavailable after the last attempt (CircuitOpen, TooLate among them), LimitReached, net.errors.Refused.
        """
        with self.host_limits.breaker(self.source, self.policy).guarding():
            result: T = self._retry_policy()(self._once, request, parse, final)
            return result

    def fetch_each(self, urls: Iterable[str], parse: Callable[[HttpAnswer], T]) -> Iterator[tuple[str, T | SondeError]]:
        """Several documents in parallel, in the order of ``urls``; one that cannot be fetched is returned as its error.

        Raises CircuitOpen and LimitReached, because later documents would fail too.
        """
        return self.fetch_each_with(urls, lambda url: self.get(url, parse))

    def fetch_each_with(self, urls: Iterable[str], get: Callable[[str], T]) -> Iterator[tuple[str, T | SondeError]]:
        """The same, each with ``get``."""

        def fetch(url: str) -> T | SondeError:
            try:
                return get(url)
            except (CircuitOpen, LimitReached):
                raise
            except SondeError as error:
                return error

        with Background(self.policy.concurrency, "fetch") as pool:
            for batch in batched(urls, 8 * self.policy.concurrency):
                yield from zip(batch, pool.map(fetch, batch), strict=True)

    def allows(self, url: str) -> bool:
        """Whether robots.txt lets a link be followed (RFC 9309), or the operator switched it off; each host's file is
        fetched once. Raises Unavailable if the file cannot be fetched now.
        """
        return not self.policy.robots or self._robots(url).can_fetch(AGENT, url)

    def _robots(self, url: str) -> RobotFileParser:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots_by_host:
            rules = RobotFileParser()
            rules.parse(self.get(f"{origin}/robots.txt", _lines))
            self._robots_by_host[origin] = rules
            delay = rules.crawl_delay(AGENT)
            if delay is not None:
                self.delay_s = max(self.delay_s, min(float(delay), _LONGEST_CRAWL_DELAY_S))
        return self._robots_by_host[origin]

    def _once(self, request: Outgoing, parse: Callable[[HttpAnswer], T], final: frozenset[int]) -> T:
        self._check_limits()
        host = host_of(request.url)
        with self.host_limits.turn(host, self.policy, self.delay_s) as turn:
            try:
                answer = self.gate.request(self._with_headers(request))
            except BrokenAnswer:
                self._without_compression = True
                raise
        self._bytes += len(answer.content)
        if answer.status not in final and (answer.status in _RETRIED_STATUSES or answer.status >= 500):
            status_text = f"{address_of(request.url)} answered with HTTP status {answer.status}"
            retry_after = retry_after_s(answer.headers.get("retry-after"))
            if retry_after is not None and retry_after > self.policy.longest_pause_s:
                raise TooLate(f"{status_text} and asks to come back in {retry_after:.0f} s")
            turn.hold(retry_after or 0.0)
            raise RetryLater(status_text, retry_after)
        try:
            return parse(answer)
        except BadAnswer as error:
            if self.is_asking:
                raise OtherAnswer(str(error)) from None
            raise

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Inside, an answer of another kind raises OtherAnswer at once, instead of BadAnswer after all attempts."""
        self.is_asking = True
        try:
            yield
        finally:
            self.is_asking = False

    def _with_headers(self, request: Outgoing) -> Outgoing:
        headers = dict(request.headers)
        if self.credentials and _origin(request.url) == _origin(self.url):
            headers |= self.credentials
        if self._without_compression:
            headers["accept-encoding"] = "identity"
        return Outgoing(
            request.url,
            request.method,
            request.params,
            headers,
            request.content,
            request.max_bytes or self.limits.page_bytes,
            request.timeout_s,
        )

    def _check_limits(self) -> None:
        self._requests += 1
        limits = self.limits
        if self._requests > limits.requests:
            raise LimitReached(f"{self.source}: more than {limits.requests} requests")
        if self._bytes > limits.total_bytes:
            raise LimitReached(f"{self.source}: more than {limits.total_bytes} bytes")
        if time.monotonic() - self._started > limits.seconds:
            raise LimitReached(f"{self.source}: longer than {limits.seconds:.0f} s")

    def _retry_policy(self) -> Retrying:
        policy = self.policy
        jitter = wait_random_exponential(multiplier=policy.first_pause_s, max=policy.longest_pause_s)

        def pause(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome is not None else None
            return max(jitter(state), error.after_s or 0.0) if isinstance(error, RetryLater) else jitter(state)

        return Retrying(
            retry=retry_if_exception(_worth_another_try),
            wait=pause,
            stop=stop_after_attempt(policy.attempts),
            before_sleep=self._log_retry,
            reraise=True,
        )

    def _log_retry(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome is not None else None
        log.info("fetch.again", source=self.source, attempt=state.attempt_number, reason=str(error))


def _worth_another_try(error: BaseException) -> bool:
    return isinstance(error, Unavailable) and not isinstance(error, (CircuitOpen, TooLate))


def _origin(url: str) -> tuple[str, str, int | None]:
    target = parse_target(url)
    return target.scheme, target.host, target.port


def xml(answer: HttpAnswer) -> etree._Element:
    """The root of a well-formed document without DTD. Raises BadAnswer, and BadStatus for 4xx."""
    expect_2xx(answer)
    return parse_xml(answer.content, address_of(answer.url))


def xml_of_any_status(answer: HttpAnswer) -> etree._Element:
    """The root, also of an error that is written in XML. Raises BadStatus for 4xx with something else, BadAnswer."""
    try:
        return parse_xml(answer.content, address_of(answer.url))
    except BadAnswer:
        expect_2xx(answer)
        raise


def parse_xml(content: bytes, host: str) -> etree._Element:
    try:
        root = etree.fromstring(content, _xml_parser())
    except etree.XMLSyntaxError as error:
        raise BadAnswer(f"{host} sent XML that is not well-formed: {describe_syntax_error(error)}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadAnswer(f"{host} sent a document with a DTD (a web page?) where XML metadata were asked for")
    if local(root).lower() == "html":
        raise BadAnswer(f"{host} sent a web page where XML was asked for")
    return root


def xml_fault(content: bytes) -> str:
    """What is wrong with the markup, without the line; empty if it is well-formed."""
    try:
        etree.fromstring(content, _xml_parser())
    except etree.XMLSyntaxError as error:
        return describe_syntax_error(error).rpartition(" (")[0]
    return ""


def _xml_parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_pis=True)


def json_object(answer: HttpAnswer) -> Json:
    """Raises BadAnswer for anything but a JSON object, and BadStatus for 4xx."""
    json_content = json_value(answer)
    if not isinstance(json_content, dict):
        raise BadAnswer(f"{address_of(answer.url)} sent JSON that is no object")
    return json_content


def json_value(answer: HttpAnswer) -> Any:
    expect_2xx(answer)
    try:
        return json.loads(answer.content)
    except json.JSONDecodeError as error:
        if not looks_like_json(answer.content):
            raise BadAnswer(f"{address_of(answer.url)} did not answer in JSON") from None
        fault = syntax_fault(error)
        raise BadAnswer(f"{address_of(answer.url)} sent JSON that is not well-formed: {fault}") from None
    except (ValueError, RecursionError):
        raise BadAnswer(f"{address_of(answer.url)} did not answer in JSON") from None


def expect_2xx(answer: HttpAnswer) -> HttpAnswer:
    """Raises BadStatus for anything else; the fetcher handles 429 and 5xx before."""
    if not 200 <= answer.status < 300:
        raise BadStatus(address_of(answer.url), answer.status)
    return answer


def local(element: etree._Element) -> str:
    """The name without its namespace; empty for comments."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def text_of(element: etree._Element) -> str:
    """All its text, white space folded."""
    return " ".join("".join(str(part) for part in element.itertext()).split())


def written_xml(element: etree._Element) -> bytes:
    """An element as a separate document; equal elements give equal bytes."""
    return etree.tostring(element, encoding="UTF-8", xml_declaration=True, with_tail=False)


def written_json(value: object) -> bytes:
    """Equal objects give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def fingerprint(content: bytes) -> str:
    """An id for a record without one."""
    return f"sha256-{hashlib.sha256(content).hexdigest()[:32]}"


_LONGEST_CRAWL_DELAY_S = 30.0


def _lines(answer: HttpAnswer) -> list[str]:
    """No file (any 4xx) means no rules; so does a web page that a server sends for every address."""
    if not 200 <= answer.status < 300 or answer.content.lstrip()[:1] == b"<":
        return []
    return answer.content.decode("utf-8", "replace").splitlines()
