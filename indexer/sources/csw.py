"""CSW 2.0.2 and 3.0: sorted GetRecords pages, each answer checked, every record counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import structlog
from lxml import etree

from core.errors import SondeError, Unavailable
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, SkippedMember
from indexer.sources.counted_walk import CountedPage, CountedWalk
from indexer.sources.fetching import (
    BadAnswer,
    Fetcher,
    RetryLater,
    fingerprint,
    local,
    text_of,
    written_xml,
    xml_of_any_status,
)
from indexer.sources.linked_walk import join_path
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import Protocol, Question
from net.errors import BadStatus
from net.exchange import HttpAnswer, Outgoing
from net.targets import address_of

Version = Literal["2.0.2", "3.0.0"]
Method = Literal["post", "get"]

GMD = "http://www.isotc211.org/2005/gmd"
MDB = ("http://standards.iso.org/iso/19115/-3/mdb/2.0", "http://standards.iso.org/iso/19115/-3/mdb/1.0")
OGC = "http://www.opengis.net/ogc"
FES = "http://www.opengis.net/fes/2.0"
CSW: dict[str, str] = {"2.0.2": "http://www.opengis.net/cat/csw/2.0.2", "3.0.0": "http://www.opengis.net/cat/csw/3.0"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The way to ask one server; ``schema`` is the outputSchema, ``sort`` a queryable or None: unsorted."""

    version: Version = "2.0.2"
    schema: str = GMD
    type_name: str = "csw:Record"
    sort: str | None = "dc:identifier"
    method: Method = "post"


def key_values(dialect: Dialect, start: int, size: int, since: str | None) -> dict[str, str]:
    """GetRecords as parameters of a GET."""
    is_version_2 = dialect.version == "2.0.2"
    pairs = {
        "service": "CSW",
        "version": dialect.version,
        "request": "GetRecords",
        "resultType": "results",
        "typeNames": dialect.type_name,
        "elementSetName": "full",
        "outputSchema": dialect.schema,
        "outputFormat": "application/xml",
        "startPosition": str(start),
        "maxRecords": str(size),
    }
    if is_version_2 and dialect.type_name.startswith("gmd:"):
        pairs["namespace"] = f"xmlns(gmd={GMD})"
    if dialect.sort is not None:
        pairs["sortBy"] = f"{dialect.sort}:A" if is_version_2 else f"{dialect.sort} ASC"
    if since is not None:
        pairs |= {
            "constraintLanguage": "CQL_TEXT",
            "constraint_language_version": "1.1.0",
            "constraint": f"dct:modified >= '{since[:10]}'",
        }
    return pairs


def body(dialect: Dialect, start: int, size: int, since: str | None) -> bytes:
    """GetRecords as the XML of a POST."""
    csw = CSW[dialect.version]
    filters = OGC if dialect.version == "2.0.2" else FES
    root = etree.Element(f"{{{csw}}}GetRecords", {"service": "CSW", "version": dialect.version}, _names(csw, filters))
    root.attrib.update({"outputSchema": dialect.schema, "outputFormat": "application/xml"})
    root.attrib.update({"startPosition": str(start), "maxRecords": str(size)})
    if dialect.version == "2.0.2":
        root.set("resultType", "results")
    query = etree.SubElement(root, f"{{{csw}}}Query", {"typeNames": dialect.type_name})
    _add(query, csw, "ElementSetName").text = "full"
    if since is not None:
        constraint = _add(query, csw, "Constraint")
        constraint.set("version", "1.1.0" if filters == OGC else "2.0.0")
        limit = _add(_add(constraint, filters, "Filter"), filters, "PropertyIsGreaterThanOrEqualTo")
        _property(limit, filters, "dct:modified")
        _add(limit, filters, "Literal").text = since[:10]
    if dialect.sort is not None:
        by = _add(_add(query, filters, "SortBy"), filters, "SortProperty")
        _property(by, filters, dialect.sort)
        _add(by, filters, "SortOrder").text = "ASC"
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _names(csw: str, filters: str) -> dict[str, str]:
    """Prefixes used in values (type names, property names)."""
    return {
        "csw": csw,
        "ogc" if filters == OGC else "fes": filters,
        "gmd": GMD,
        "dc": "http://purl.org/dc/elements/1.1/",
        "dct": "http://purl.org/dc/terms/",
        "apiso": "http://www.opengis.net/cat/csw/apiso/1.0",
    }


def _property(parent: etree._Element, filters: str, name: str) -> None:
    _add(parent, filters, "PropertyName" if filters == OGC else "ValueReference").text = name


def _add(parent: etree._Element, namespace: str, name: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{namespace}}}{name}")


_DC_IDENTIFIER = "{http://purl.org/dc/elements/1.1/}identifier"


class CswException(SondeError):
    """The server answers with an ows:ExceptionReport: it rejects the request."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """``schemas``: the outputSchemas of GetRecords, empty if the server does not state them."""

    versions: frozenset[str]
    schemas: frozenset[str]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """One page. ``following``: the server's nextRecord, None if it gives none (0 means: no more)."""

    records: tuple[RawRecord, ...]
    matched: int
    following: int | None


def capabilities(answer: HttpAnswer) -> Capabilities:
    """Raises BadAnswer if the answer is not capabilities, CswException."""
    root = _root(answer)
    if local(root) != "Capabilities":
        raise BadAnswer(f"{address_of(answer.url)} did not answer with CSW capabilities")
    versions = {root.get("version", "")}
    schemas: set[str] = set()
    for parameter in root.iter("{*}Parameter"):
        values = {(value.text or "").strip() for value in parameter.iter("{*}Value")}
        match parameter.get("name", "").lower():
            case "outputschema":
                schemas |= values
            case "version" | "acceptversions":
                versions |= values
    title = next((t.text or "" for t in root.iter("{*}Title")), "")
    return Capabilities(frozenset(versions - {""}), frozenset(schemas - {""}), title.strip())


def results(answer: HttpAnswer) -> Results:
    """Raises BadAnswer (to be tried again) and CswException."""
    root = _root(answer)
    search_results = next(root.iter("{*}SearchResults"), None)
    if local(root) != "GetRecordsResponse" or search_results is None:
        raise BadAnswer(f"{address_of(answer.url)} did not answer with search results")
    records = tuple(_record(child, answer.url) for child in search_results if local(child))
    match_count = _number(search_results, "numberOfRecordsMatched")
    if match_count is None:
        raise BadAnswer(f"{address_of(answer.url)} does not say how many records match")
    return Results(records, match_count, _number(search_results, "nextRecord"))


def _root(answer: HttpAnswer) -> etree._Element:
    root = xml_of_any_status(answer)
    if local(root) == "ExceptionReport":
        raise CswException(f"{address_of(answer.url)} refuses the request: {text_of(root)[:300] or 'without a reason'}")
    if not 200 <= answer.status < 300:
        raise CswException(f"{address_of(answer.url)} answered with HTTP status {answer.status}")
    return root


def _record(element: etree._Element, url: str) -> RawRecord:
    content = written_xml(element)
    stated_identifier = _identifier(element)
    id = stated_identifier or fingerprint(content)
    modified = next((text_of(e) for e in element.iter("{*}dateStamp", "{http://purl.org/dc/terms/}modified")), None)
    raw = RawRecord(id, content, f"{url.partition('?')[0]}#{id}", "application/xml", modified or None)
    return raw if stated_identifier else replace(raw, container=WHOLE_SOURCE)


def _identifier(element: etree._Element) -> str:
    """gmd:fileIdentifier, mdb:metadataIdentifier (its code), dc:identifier."""
    for child in element:
        match local(child):
            case "fileIdentifier":
                return text_of(child)
            case "metadataIdentifier":
                code = next(child.iter("{*}code"), None)
                return text_of(code) if code is not None else text_of(child)
            case "identifier" if child.tag == _DC_IDENTIFIER:
                return text_of(child)
    return ""


def _number(element: etree._Element, name: str) -> int | None:
    try:
        return max(int(element.get(name, "")), 0)
    except ValueError:
        return None


log = structlog.get_logger(__name__)

_ONE_IN_TEN = 10
_STUMBLES = 3


@dataclass(frozen=True, slots=True)
class CswOptions:
    """``version``, ``schema`` and ``method``: override what the capabilities offer and what trials show.

    ``tolerate_missing``: number of records that the server may count but never give.
    """

    page_size: int = 100
    version: Version | None = None
    schema: str | None = None
    method: Method | None = None
    sorted: bool = True
    tolerate_missing: int = 0


@dataclass(slots=True)
class CswSource:
    """``since`` (ISO 8601): only records modified since that day, if the server can filter by it. Many records say the
    day alone, and a server that compares texts takes that for earlier than each time of the same day.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: CswOptions = field(default_factory=CswOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken if the server understands no dialect, and what the fetcher raises."""
        dialect = choose_dialect(self.fetcher, self.url, self.options)
        since = self._usable_since(dialect)
        asker = _WindowRequests(self.fetcher, self.url, dialect, self.options.page_size, since)
        walk = CountedWalk(
            self.fetcher.source,
            asker.ask,
            self.options.page_size,
            self.options.tolerate_missing,
            may_be_empty=since is not None,
            beyond=asker.beyond,
        )
        yield from walk.pages(position)

    def _usable_since(self, dialect: Dialect) -> str | None:
        if self.since is None:
            return None
        try:
            fetch_results(self.fetcher, self.url, dialect, Window(0, 1, self.since))
        except CswException as error:
            log.warning("csw.no_modified_filter", source=self.fetcher.source, reason=str(error))
            return None
        return self.since


@dataclass(frozen=True, slots=True)
class Window:
    """Which records to ask for; ``offset`` counts from 0."""

    offset: int
    size: int
    since: str | None = None


def fetch_results(
    fetcher: Fetcher, url: str, dialect: Dialect, window: Window, check: Callable[[Results], Results] = lambda r: r
) -> Results:
    """One GetRecords. Raises CswException and what the fetcher raises."""
    start, size, since = window.offset + 1, window.size, window.since
    if dialect.method == "get":
        request = Outgoing(url, params=key_values(dialect, start, size, since), headers={"accept": "application/xml"})
    else:
        headers = {"accept": "application/xml", "content-type": "application/xml"}
        request = Outgoing(url, "POST", None, headers, body(dialect, start, size, since))
    return fetcher.read(request, lambda answer: check(results(answer)))


def fetch_capabilities(fetcher: Fetcher, url: str) -> Capabilities:
    return fetcher.get(url, capabilities, {"service": "CSW", "request": "GetCapabilities"}, "application/xml")


def choose_dialect(fetcher: Fetcher, url: str, options: CswOptions) -> Dialect:
    """The first dialect that the server understands, gmd first. Raises SourceBroken if there is none."""
    try:
        capabilities = fetch_capabilities(fetcher, url)
    except (CswException, BadAnswer, BadStatus) as error:
        log.info("csw.no_capabilities", source=fetcher.source, reason=str(error))
        capabilities = Capabilities(frozenset(), frozenset())
    reasons = []
    for dialect in _candidates(capabilities, options):
        try:
            fetch_results(fetcher, url, dialect, Window(0, 1))
        except (CswException, BadAnswer, BadStatus, RetryLater) as error:
            reasons.append(str(error))
            continue
        return dialect
    raise SourceBroken(f"{fetcher.source}: no way of asking GetRecords is understood: {'; '.join(reasons[-2:])}")


def _candidates(capabilities: Capabilities, options: CswOptions) -> Iterator[Dialect]:
    sort_field = "dc:identifier" if options.sorted else None
    for version in _versions(capabilities, options):
        for schema in _schemas(capabilities, options, version):
            first = Dialect(version, schema, "csw:Record", sort_field)
            dialects = [
                first,
                replace(first, method="get"),
                replace(first, sort=None),
                replace(first, sort=None, method="get"),
            ]
            if schema == GMD and version == "2.0.2":
                iso = replace(first, type_name="gmd:MD_Metadata", sort="apiso:Identifier" if options.sorted else None)
                dialects[2:2] = [iso, replace(iso, method="get")]
            yield from (dialect for dialect in dict.fromkeys(dialects) if options.method in (None, dialect.method))


def _versions(capabilities: Capabilities, options: CswOptions) -> list[Version]:
    if options.version is not None:
        return [options.version]
    known_versions: tuple[Version, ...] = ("2.0.2", "3.0.0")
    return [version for version in known_versions if version in capabilities.versions] or ["2.0.2"]


def _schemas(capabilities: Capabilities, options: CswOptions, version: Version) -> list[str]:
    if options.schema is not None:
        return [options.schema]
    csw_schema = CSW[version]
    return (
        [schema for schema in (GMD, *MDB) if schema in capabilities.schemas] + [csw_schema]
        if capabilities.schemas
        else [GMD, csw_schema]
    )


@dataclass(slots=True)
class _WindowRequests:
    """Requests windows of records. If the server fails on one, requests smaller ones and names the record at fault.

    After three such records in a row it skips whole windows.
    """

    fetcher: Fetcher
    url: str
    dialect: Dialect
    size: int
    since: str | None
    matched: int = 0
    failures_in_row: int = 0  # in a row

    def beyond(self, offset: int) -> CountedPage | None:
        """Asks once for records beyond the stated total; None if there are none, or the server fails."""
        try:
            return self._counted_page(Window(offset, self.size, self.since), lambda page: page)
        except SondeError as error:
            log.info("csw.nothing_beyond", source=self.fetcher.source, offset=offset, reason=str(error))
            return None

    def ask(self, offset: int, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
        size = self.size
        while True:
            try:
                page = self._counted_page(Window(offset, size, self.since), check)
                self.failures_in_row = 0
                return page
            except (CswException, BadAnswer, BadStatus, RetryLater) as error:
                if not self.matched:  # nothing was returned yet: the fault is not in a single record
                    raise Unavailable(str(error)) from error
                if size == 1 or self.failures_in_row >= _STUMBLES:
                    self.failures_in_row += 1
                    return self._skipped_page(offset, size, error)
                size = max(size // _ONE_IN_TEN, 1)

    def _skipped_page(self, offset: int, size: int, error: SondeError) -> CountedPage:
        """``size`` records as one skipped entry; in either case nothing may be swept."""
        last = f" to {offset + size}" if size > 1 else ""
        skipped_member = SkippedMember(f"{self.url}#position {offset + 1}{last}", f"the server cannot give it: {error}")
        return CountedPage((), self.matched, offset + size if size > 1 else None, (skipped_member,))

    def _counted_page(self, window: Window, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
        pages: list[CountedPage] = []

        def check_results(search_results: Results) -> Results:
            next_offset = None if search_results.following is None else search_results.following - 1
            pages[:] = [check(CountedPage(search_results.records, search_results.matched, next_offset))]
            return search_results

        fetch_results(self.fetcher, self.url, self.dialect, window, check_results)
        self.matched = pages[0].matched
        return pages[0]


def _questions_below(url: str) -> Iterator[Question]:
    bare_url = url.partition("?")[0]
    yield Question(join_path(bare_url, "csw"), fetch_capabilities)
    yield Question(join_path(geonetwork_base(bare_url), "srv/eng/csw"), fetch_capabilities)


def geonetwork_base(url: str) -> str:
    """``https://host/geonetwork`` for any address below it."""
    base, separator, _ = url.partition("/geonetwork")
    return base + separator if separator else url.partition("/srv/")[0].rstrip("/")


PROTOCOL = Protocol(
    "csw",
    CswSource,
    CswOptions,
    "CSW 2.0.2 and 3.0, POST or GET, whichever the server understands; sorted by identifier; ISO before Dublin Core",
    "`dct:modified` filter",
    recognises=lambda answer: answer.root == "Capabilities",
    questions_at=lambda url: [Question(url.partition("?")[0], fetch_capabilities)],
    questions_below=_questions_below,
    title=lambda fetcher, url: fetch_capabilities(fetcher, url).title,
)
