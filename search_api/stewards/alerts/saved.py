"""Texts of mails about saved searches and of the pages of their links, in six languages, from ``texts.json``.

Numbers come after a colon, so that no language needs a plural. In French a no-break space goes before a colon.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from core.errors import InvalidInput
from core.json_types import Json, JsonMapping
from net.errors import Refused
from net.targets import parse_target
from search_api.http.parameters import printable
from search_api.search.parameters import SearchParameters, to_request
from search_api.search.request import SearchRequest
from search_api.stewards.alerts.compiled import Compiled

Language = Literal["en", "de", "fr", "es", "it", "pt"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT_LANGUAGE: Language = "en"


@dataclass(frozen=True, slots=True)
class AlertTexts:
    """``{...}`` are replaced by values; ``search`` and ``catalogues``: links above each page."""

    search: str
    catalogues: str
    confirm_subject: str
    confirm_text: str
    digest_subject: str
    several: str
    window: str
    new: str
    changed: str
    more: str
    stop: str
    confirm: str
    confirm_asks: str
    confirmed: str
    unsubscribe: str
    unsubscribe_asks: str
    unsubscribed: str


def _read_texts() -> Mapping[Language, AlertTexts]:
    texts_by_language = json.loads(files(__package__).joinpath("texts.json").read_text(encoding="utf-8"))
    return {language: AlertTexts(**texts_by_language[language]) for language in LANGUAGES}


TEXTS = _read_texts()


Every = Literal["day", "week"]
Channel = Literal["mail", "webhook"]

LONGEST_TITLE = 200
_PRESENTATION = (
    "limit", "cursor", "facets", "cell_area", "cell_level", "explain", "highlight", "typed", "f", "scope", "group",
    "distributedSearch", "federatedCatalogs", "hopCount",
    "diversity", "sortby",
)  # fmt: skip
"""Parameters of presentation, which do not change what matches."""


def _webhook(text: str) -> str:
    try:
        target = parse_target(text)
    except Refused as error:
        raise ValueError(str(error)) from None
    if target.scheme != "https" and target.host not in ("localhost", "127.0.0.1"):
        raise ValueError("must start with https://")
    return text


MailAddress = Annotated[
    str,
    Field(max_length=254, pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$"),
]
WebhookUrl = Annotated[str, Field(max_length=2000), AfterValidator(_webhook)]
Title = Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE), AfterValidator(printable)]


class SavedSearchBody(BaseModel):
    """What a user sends."""

    model_config = ConfigDict(extra="forbid", title="SavedSearch")

    title: Title
    search: SearchParameters = Field(description="The parameters of `GET /search`; those of its presentation are left.")
    mail: MailAddress | None = Field(None, description="Told by mail, once the address is confirmed.")
    webhook: WebhookUrl | None = Field(None, description="Told by a signed POST (CloudEvents).")
    every: Every = Field("day", description="A digest each day, or each week on Monday.")
    changes: bool = Field(True, description="Whether changed records are told too, or only new ones.")
    active: bool = Field(True, description="`false` pauses it.")
    language: Language | None = Field(None, description="Of its mails. Default: `Accept-Language`, or as before.")

    @field_validator("search", mode="before")
    @classmethod
    def _filter_as_text(cls, value: object) -> object:
        """A CQL2 JSON filter may be an object, as in `POST /search`."""
        if isinstance(value, dict) and isinstance(value.get("filter"), dict):
            return {**value, "filter": json.dumps(value["filter"])}
        return value

    def parameters(self) -> Json:
        """The parameters that decide what matches, without defaults. Raises InvalidInput for private documents."""
        if self.search.scope != "public":
            raise InvalidInput("search", "search.scope: a saved search watches records, not one's own documents")
        parameters: Json = self.search.model_dump(
            mode="json", by_alias=True, exclude_defaults=True, exclude=set(_PRESENTATION)
        )
        return parameters


def request_of(parameters: JsonMapping) -> SearchRequest:
    """Raises InvalidInput if parameters contradict each other."""
    return to_request(SearchParameters.model_validate(dict(parameters)))


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """``groups``: the owner's groups when it was saved; it never shows more. ``seen``: the owner's last visit.

    ``watched``: it reports records written since then. ``problem``: why it sends nothing now; None if all is well.
    ``feed``: part of the address of its feed; a change ends the earlier address. Times are ISO 8601 in UTC.
    """

    id: str
    owner: str
    groups: frozenset[str]
    title: str
    parameters: Json
    every: Every
    changes: bool
    active: bool
    created: str
    changed: str
    seen: str
    watched: str
    mail: str | None = None
    webhook: str | None = None
    problem: str | None = None
    language: Language = DEFAULT_LANGUAGE
    feed: str = ""

    @property
    def question_key(self) -> str:
        """Equal for searches that match the same records: they are evaluated together."""
        question = json.dumps([self.parameters, sorted(self.groups)], sort_keys=True)
        return hashlib.sha256(question.encode()).hexdigest()[:24]

    @property
    def channels(self) -> dict[Channel, str]:
        """The receiver by channel."""
        targets: dict[Channel, str] = {}
        if self.mail is not None:
            targets["mail"] = self.mail
        if self.webhook is not None:
            targets["webhook"] = self.webhook
        return targets

    def with_body(self, body: SavedSearchBody, groups: frozenset[str], now: str) -> SavedSearch:
        """With the owner's changes. Clears the problem; a changed question is watched from now on."""
        is_same = body.parameters() == self.parameters and self.active
        return replace(
            self,
            **{name: getattr(body, name) for name in ("title", "mail", "webhook", "every", "changes", "active")},
            parameters=body.parameters(),
            groups=groups,
            changed=now,
            seen=now,
            watched=self.watched if is_same else now,
            problem=None,
            language=body.language or self.language,
        )


_STORED = (
    "id", "owner", "seen", "title", "mail", "webhook", "every", "changes", "active", "problem", "language", "feed",
    "created", "changed", "watched",
)  # fmt: skip
"""Members that the index holds as they are."""


def to_document(saved_search: SavedSearch, compiled_question: Compiled) -> Json:
    document = {
        **{name: getattr(saved_search, name) for name in _STORED},
        "kind": "search",
        "groups": sorted(saved_search.groups),
        "asked": saved_search.parameters,
        "same": saved_search.question_key,
        "feed": saved_search.feed or None,
        "compiled_by": compiled_question.by,
        "compiled": compiled_question.as_json(),
    }
    return {name: value for name, value in document.items() if value is not None}


def from_document(id: str, source: JsonMapping) -> SavedSearch:
    members: Json = {name: source[name] for name in _STORED if name in source}
    groups, parameters = frozenset(source.get("groups", ())), dict(source["asked"])
    return SavedSearch(**{**members, "id": id, "groups": groups, "parameters": parameters})


def compiled_of(source: JsonMapping) -> Compiled:
    return Compiled.from_json(source["compiled"])
