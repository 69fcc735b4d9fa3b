"""A record while a reader fills it: repairs what the document says and keeps the warnings."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.json_types import JsonMapping
from core.record import (
    Access,
    Contact,
    Dates,
    Keyword,
    Link,
    Provenance,
    ProvenanceKind,
    Record,
    Resolution,
    Vertical,
    record_id,
)
from core.timespan import TimeSpan, instant_ms
from indexer.formats.json_documents.parsing import text_in
from indexer.formats.repair.codes import agreed_kind, kind_of_term, language, place_names, resource_type
from indexer.formats.repair.dates import Position, interval_in, read_date, reading_warning, repair_span
from indexer.formats.repair.geologic_time import PeriodEnd, geologic_span, owl_time, parse_period_end, span_between
from indexer.formats.repair.licences import is_restricted_code, licence_url, says_restricted, spdx
from indexer.formats.repair.links import doi_in, is_data_file, media_type_of, repair_href
from indexer.formats.repair.names import NameCollector
from indexer.formats.repair.shapes import PlaceCollector
from indexer.formats.repair.text import block, is_placeholder, line, shorten, unique
from indexer.formats.repair.written_dates import says_no_date
from indexer.raw import RawRecord, RecordRefused

_ATTRIBUTED_ROLES = frozenset(
    {"author", "originator", "principalInvestigator", "owner", "publisher", "resourceProvider"}
)
_CREATORS = frozenset({"author", "originator", "principalInvestigator"})
_PLACES = ("location", "spatial")
_LONGEST_STANDIN = 120
_BEGIN_NAMES = ("startDate", "start", "begin")
_END_NAMES = ("endDate", "end")
_NO_DATE = ("9999", "0000", "0001-01-01")


@dataclass(slots=True)
class RecordDraft:
    """Everything a Record holds, collected by a reader; ``finish`` makes the Record.

    Readers may pass texts as written. The draft removes white space, HTML and empty words such as "N/A".
    """

    raw: RawRecord
    source: str
    native_format: str
    warnings: list[str] = field(default_factory=list)
    identifier: str = ""
    title: str = ""
    abstract: str = ""
    type: str = "dataset"
    parent: str | None = None
    edition: str = ""
    doi: str | None = None
    lineage: list[str] = field(default_factory=list)
    access: Access = "open"
    resolution: Resolution = field(default_factory=Resolution)
    vertical: Vertical | None = None
    places: PlaceCollector = field(default_factory=PlaceCollector)
    names: NameCollector = field(default_factory=NameCollector)
    _alternate_titles: list[str] = field(default_factory=list)
    _languages: list[str] = field(default_factory=list)
    _keywords: list[Keyword] = field(default_factory=list)
    _themes: list[str] = field(default_factory=list)
    _contacts: list[Contact] = field(default_factory=list)
    _times: list[TimeSpan] = field(default_factory=list)
    _kinds: list[ProvenanceKind | None] = field(default_factory=list)
    _derived_from: list[str] = field(default_factory=list)
    _generated_by: list[str] = field(default_factory=list)
    _licence: str | None = None
    _licence_link: str | None = None
    _constraints: list[str] = field(default_factory=list)
    _links: dict[str, Link] = field(default_factory=dict)
    _dates: dict[str, list[str]] = field(default_factory=dict)
    _formats: list[str] = field(default_factory=list)

    def add_alternate_title(self, text: str) -> None:
        self._alternate_titles.append(line(text))

    def add_language(self, text: str) -> None:
        code = language(text)
        if code is not None:
            self._languages.append(code)

    @property
    def first_language(self) -> str | None:
        return next(iter(self._languages), None)

    def set_type(self, text: str) -> None:
        """Sets the type from the document's word for it; an unknown word leaves ``dataset``."""
        type_code = resource_type(text)
        if type_code is not None:
            self.type = type_code

    def add_keyword(self, term: str, vocabulary: str | None = None, uri: str | None = None) -> None:
        text = line(term)
        if not text or is_placeholder(text):
            return
        names = place_names(text) if vocabulary in _PLACES else [text]
        if not names:
            self.warnings.append(f"keywords: {text[:_LONGEST_STANDIN]!r} is no name of a place: left out")
        for name in names:
            self._keywords.append(Keyword(name, line(vocabulary) or None, uri or None))
            self.names.add_keyword(name, vocabulary)

    def add_theme(self, term: str) -> None:
        text = line(term)
        if text and not is_placeholder(text):
            self._themes.append(text)

    def add_contact(self, name: str = "", organisation: str = "", *, role: str | None = None, email: str = "") -> None:
        parts = [words if not is_placeholder(words := line(text)) else "" for text in (name, organisation, email)]
        if any(parts):
            address = parts[2].removeprefix("mailto:") or None
            self._contacts.append(Contact(parts[0] or None, parts[1] or None, role, address))

    def add_span(self, begin: str, end: str, *, duration: str = "") -> None:
        """Adds a period; an empty end, ``..`` and words such as "present" are open ends."""
        span, repairs = repair_span(Position(line(begin)), Position(line(end)), duration)
        self.warnings.extend(repairs)
        if span is not None:
            self._times.append(span)

    @property
    def has_times(self) -> bool:
        return bool(self._times)

    def add_interval(self, text: str) -> bool:
        """Adds a period written as one text (``2000/2010``); whether the text is one."""
        interval = interval_in(text)
        if interval is None:
            return False
        if interval.in_words:
            span = "/".join(unique(end.text or ".." for end in (interval.begin, interval.end)))
            self.warnings.append(reading_warning(line(text), span, doubtful=interval.doubtful))
        self.add_span(interval.begin.text, interval.end.text, duration=interval.duration)
        return True

    def add_time(self, span: TimeSpan) -> None:
        self._times.append(span)

    def add_date(self, kind: str, text: str) -> None:
        """Adds a date; ``kind`` is a field of core.record.Dates."""
        date_text = line(text)
        if not date_text or date_text.startswith(_NO_DATE) or is_placeholder(date_text) or says_no_date(date_text):
            return
        try:
            iso = read_date(date_text, self.warnings)
        except ValueError as error:
            self.warnings.append(f"dates: left out: {error}")
            return
        self._dates.setdefault(kind, []).append(iso)

    def add_vertical(self, low: float, high: float, unit: str = "m") -> None:
        """Heights are positive upwards; NaN means an unknown end. The extents in the first one's unit are joined."""
        earlier = self.vertical or Vertical(None, None, unit)
        ends = [end for end in (earlier.minimum, earlier.maximum, low, high) if end is not None and math.isfinite(end)]
        if ends and earlier.unit == unit:
            self.vertical = Vertical(min(ends), max(ends), unit)

    def add_kind(self, kind: ProvenanceKind | None) -> None:
        self._kinds.append(kind)

    def add_source(self, reference: str) -> None:
        self._derived_from.append(shorten(line(reference)))

    def add_activity(self, activity: str) -> None:
        self._generated_by.append(shorten(line(activity)))

    def add_licence(self, *texts: str) -> None:
        """Adds what the document gives as licence: its name, identifier and address, in any order."""
        self._licence = self._licence or next((licence for text in texts if (licence := spdx(text))), None)
        self._licence_link = self._licence_link or next(
            (licence for text in texts if (licence := licence_url(text))), None
        )

    @property
    def has_licence(self) -> bool:
        return self._licence is not None or self._licence_link is not None

    def add_constraint(self, text: str) -> None:
        """Adds a sentence about permitted use; a licence in it counts."""
        sentence = block(text)
        if not sentence or is_placeholder(sentence):
            return
        self._constraints.append(sentence)
        self._licence = self._licence or spdx(sentence)
        if says_restricted(sentence) or is_restricted_code(sentence):
            self.access = "restricted"

    def restrict_by_code(self, code: str) -> None:
        if is_restricted_code(code):
            self.access = "restricted"

    def add_link(self, href: str, rel: str | None = None, **properties: str | None) -> None:
        """Adds a link. ``properties``: protocol, media_type, name, description of core.record.Link."""
        address, warning = repair_href(href)
        if warning is not None:
            self.warnings.append(warning)
        if address is None:
            return
        parts = {name: line(text) or None for name, text in properties.items()}
        media_type = parts.pop("media_type", None) or media_type_of(address)
        rel = rel or ("download" if is_data_file(address) else "related")
        earlier_link = self._links.get(address)
        if earlier_link is None or earlier_link.rel == "related":
            self._links[address] = Link(address, rel, media_type=media_type, **parts)

    def add_format(self, name: str) -> None:
        text = line(name)
        if text and not is_placeholder(text):
            self._formats.append(text)

    def finish(self) -> Record:
        """The Record. Raises RecordRefused where identifier, title and abstract are all missing."""
        abstract = "" if is_placeholder(abstract_text := block(self.abstract)) else abstract_text
        stated_identifier = line(self.identifier)
        title = title_or_substitute(
            line(self.title), self._alternate_titles, stated_identifier, abstract, self.warnings
        )
        identifier = stated_identifier or self.raw.native_id
        if not self.names.short_names:  # none was stated
            self.names.add_possible_short_names(*self._alternate_titles)
        self.places.resolve(" ".join([title, *self._alternate_titles, *(keyword.term for keyword in self._keywords)]))
        if not stated_identifier:
            self.warnings.append("identifier: none given, the source's own name for the document is used")
        return Record(
            id=record_id(self.source, identifier),
            source=self.source,
            identifier=identifier,
            title=title,
            abstract=abstract,
            alternate_titles=unique(text for text in self._alternate_titles if text and text != title),
            languages=unique(self._languages),
            type=self.type,
            keywords=unique_keywords_of(self._keywords),
            themes=unique(self._themes),
            contacts=unique(self._contacts),
            extents=self.places.boxes,
            geometry=self.places.geometry,
            vertical=self.vertical,
            times=unique(self._times),
            resolution=self.resolution,
            provenance=self._provenance(),
            licence=self._licence or self._licence_link,
            constraints=unique(self._constraints),
            access=self.access,
            links=tuple(self._links.values()),
            dates=self._all_dates(),
            formats=unique(self._formats),
            names=self.names.finish(),
            edition=line(self.edition) or None,
            doi=self.doi or doi_in(stated_identifier),
            parent=line(self.parent) or None,
            native_format=self.native_format,
            warnings=unique([*self.warnings, *self.places.warnings]),
        )

    def _provenance(self) -> Provenance:
        kind = agreed_kind([*self._kinds, *(kind_of_term(keyword.term) for keyword in self._keywords)])
        provenance = Provenance(
            lineage="\n\n".join(unique(text for part in self.lineage if (text := block(part)))) or None,
            derived_from=unique(text for text in self._derived_from if text),
            generated_by=unique(text for text in self._generated_by if text),
            attributed_to=makers_among(tuple(self._contacts)),
        )
        return provenance if kind is None else replace(provenance, kind=kind, kind_source="metadata")

    def _all_dates(self) -> Dates:
        """The first creation and publication, the last change of the data, and the last change of the metadata."""
        by_kind = {kind: sorted(dates, key=instant_ms) for kind, dates in self._dates.items()}
        first = {kind: by_kind[kind][0] for kind in ("created", "published") if kind in by_kind}
        last = {kind: by_kind[kind][-1] for kind in ("modified", "metadata") if kind in by_kind}
        return Dates(**first, **last)


def title_or_substitute(
    title: str, alternate_titles: Sequence[str], identifier: str, abstract: str, warnings: list[str]
) -> str:
    """The title, or a substitute with a warning. Raises RecordRefused if there is no substitute."""
    if title and not is_placeholder(title):
        return title
    candidates = {
        "alternate title": next((text for text in alternate_titles if text), ""),
        "identifier": identifier,
        "beginning of the abstract": abstract[:_LONGEST_STANDIN],
    }
    for name, text in candidates.items():
        if text:
            warnings.append(f"title: none given, the {name} is used")
            return text
    raise RecordRefused("it has neither identifier, title nor abstract")


def makers_among(contacts: tuple[Contact, ...]) -> tuple[str, ...]:
    """The names of those who made the data; where there are none, of those who publish or own them."""
    makers = [contact for contact in contacts if contact.role in _CREATORS]
    makers_or_owners = makers or [contact for contact in contacts if contact.role in _ATTRIBUTED_ROLES]
    return unique(name for contact in makers_or_owners if (name := contact.name or contact.organisation))


def unique_keywords_of(keywords: list[Keyword]) -> tuple[Keyword, ...]:
    """Each term once per vocabulary, ignoring case; a term with a vocabulary replaces the same term without one."""
    terms_with_vocabulary = {keyword.term.casefold() for keyword in keywords if keyword.vocabulary}
    unique_keywords: dict[tuple[str, str | None], Keyword] = {}
    for keyword in keywords:
        if keyword.vocabulary is None and keyword.term.casefold() in terms_with_vocabulary:
            continue
        unique_keywords.setdefault((keyword.term.casefold(), keyword.vocabulary), keyword)
    return tuple(unique_keywords.values())


def add_period(draft: RecordDraft, text: str) -> None:
    words = line(text)
    if not words or is_placeholder(words):
        return
    era = geologic_span(words)
    if era is not None:
        draft.add_time(era)
    if era is not None or not draft.add_interval(words):
        _add_period_keyword(draft, words, is_known=era is not None)


def add_period_value(draft: RecordDraft, period: object) -> None:
    """Adds a period in a text or in an object."""
    if isinstance(period, dict):
        add_period_object(draft, period)
    else:
        add_period(draft, text_in(period))


def add_period_object(draft: RecordDraft, period: JsonMapping) -> None:
    """Adds an interval or instant of OWL-Time, or an object with a start and an end, or with only a name."""
    interval = owl_time(period)
    if interval is not None:
        begin, end, words = interval
        add_period_between(draft, begin, end, *words)
        return
    edges = [
        next((_period_end(text) for name in names if (text := text_in(period.get(name)))), PeriodEnd(calendar=True))
        for names in (_BEGIN_NAMES, _END_NAMES)
    ]
    if any(edge.words for edge in edges):
        add_period_between(draft, edges[0], edges[1])
    else:
        add_period(
            draft, next((text for name in ("name", "label", "@value") if (text := text_in(period.get(name)))), "")
        )


def _period_end(text: str) -> PeriodEnd:
    edge = parse_period_end(text)
    return edge if edge.span or not re.search(r"\d", text) else PeriodEnd(text, calendar=True)


def add_period_between(draft: RecordDraft, begin: PeriodEnd, end: PeriodEnd, *words: str) -> None:
    """Adds a period by its edges; ``words`` describe it and stay as keywords."""
    geologic_edges = [edge for edge in (begin, end) if edge.words and not edge.calendar]
    for text in words:
        draft.add_keyword(shorten(text), "temporal")
    if not geologic_edges:
        draft.add_span(begin.words, end.words)
        return
    span = span_between(begin, end)
    if span is not None:
        draft.add_time(span)
    for text in unique(edge.words for edge in geologic_edges):
        _add_period_keyword(draft, text, is_known=span is not None)


def _add_period_keyword(draft: RecordDraft, words: str, *, is_known: bool) -> None:
    draft.add_keyword(shorten(words), "temporal")
    if not is_known:
        draft.warnings.append(f"time: {shorten(words)!r} is no period with known years: kept as a keyword")
