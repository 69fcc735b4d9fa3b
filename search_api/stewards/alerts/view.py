"""``/saved-searches``: saved searches of the caller, and the signed links of their mails and feeds."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, Field

from core.errors import NotFound
from core.json_types import Json
from search_api.formats_out.formats import ATOM_TYPE as ATOM
from search_api.formats_out.formats import atom
from search_api.formats_out.notations import ResultPage
from search_api.http.access.guard import audit, caller, uncached
from search_api.http.openapi import WITH_NOT_FOUND, text_answer
from search_api.http.problems import Problem
from search_api.http.responses import Addresses
from search_api.page.plain_page import HTML, PageWords, scriptless_page
from search_api.parts import Parts
from search_api.stewards.alerts.desk import AlertDesk
from search_api.stewards.alerts.messages import SignedLink
from search_api.stewards.alerts.notices import Notice
from search_api.stewards.alerts.saved import DEFAULT_LANGUAGE, LANGUAGES, TEXTS, Language, SavedSearch, SavedSearchBody

_GUARDED: ResponseDict = {401: Problem, 403: Problem, **WITH_NOT_FOUND}
_WRITING: ResponseDict = {409: Problem, **_GUARDED}
_IN_FEED = 100
_NOTICES = 60
_FORM_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'self'; frame-ancestors 'none'"
)


class SavedPath(BaseModel):
    search: str = Field(max_length=64)


class SavedSearchLinkPath(BaseModel):
    token: str = Field(max_length=2000)


class SavedAnswer(BaseModel, title="SavedSearchKept"):
    """A saved search as it is kept."""

    id: str
    title: str
    search: Json = Field(description="What is asked: the parameters of `GET /search`.")
    mail: str | None
    mail_confirmed: bool
    webhook: str | None
    webhook_secret: str | None = Field(description="Signs each POST (Standard Webhooks).")
    every: str
    changes: bool
    active: bool
    language: str = Field(description="Of its mails.")
    problem: str | None = Field(description="Why it tells nothing now.")
    feed: str = Field(description="An Atom feed that needs no key: keep its address to yourself.")
    created: str
    changed: str


class SavedListAnswer(BaseModel, title="SavedSearches"):
    """One's own saved searches, oldest first."""

    searches: list[Json]


class FoundAnswer(BaseModel, title="SavedSearchFound"):
    """What a saved search found in the last 60 days, newest first."""

    found: list[Json]


def saved_search_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint(
        "saved_searches", __name__, abp_tags=[Tag(name="saved searches", description="Told of what is new")]
    )
    desk = parts.alerts
    _add_own(api, parts, desk)
    _add_links(api, parts, desk)
    return api


def _add_own(api: APIBlueprint, parts: Parts, desk: AlertDesk) -> None:
    def search_json(saved_search: SavedSearch) -> Json:
        return _saved_json(saved_search, desk, Addresses.of(parts.http))

    @api.get("/saved-searches", summary="One's own saved searches", responses={200: SavedListAnswer, **_GUARDED})
    def own() -> Response:
        return uncached({"searches": [search_json(saved_search) for saved_search in desk.list_own(caller())]})

    @api.post("/saved-searches", summary="Save a search", responses={201: SavedAnswer, **_WRITING})
    def save(body: SavedSearchBody) -> Response:
        saved_search = desk.save(body, caller(), _preferred_language())
        audit("saved_search.added", saved_search.id, subject=caller().subject)
        response = uncached(search_json(saved_search))
        response.status_code = 201
        response.headers["Location"] = Addresses.of(parts.http).to(f"/saved-searches/{saved_search.id}")
        return response

    @api.get("/saved-searches/<search>", summary="One saved search", responses={200: SavedAnswer, **_GUARDED})
    def one(path: SavedPath) -> Response:
        return uncached(search_json(desk.find(path.search, caller())))

    @api.put("/saved-searches/<search>", summary="Change a saved search", responses={200: SavedAnswer, **_WRITING})
    def change(path: SavedPath, body: SavedSearchBody) -> Response:
        saved_search = desk.change(path.search, body, caller())
        audit("saved_search.changed", saved_search.id, subject=caller().subject)
        return uncached(search_json(saved_search))

    @api.delete("/saved-searches/<search>", summary="Delete a saved search", responses={204: None, **_WRITING})
    def delete(path: SavedPath) -> Response:
        desk.delete(path.search, caller())
        audit("saved_search.deleted", path.search, subject=caller().subject)
        return Response(status=204)

    @api.post(
        "/saved-searches/<search>/feed",
        summary="Another address for the feed; the one before ends",
        responses={200: SavedAnswer, **_WRITING},
    )
    def renew(path: SavedPath) -> Response:
        saved_search = desk.renew_feed(path.search, caller())
        audit("saved_search.feed_renewed", saved_search.id, subject=caller().subject)
        return uncached(search_json(saved_search))

    @api.get(
        "/saved-searches/<search>/found",
        summary="What a saved search found in the last 60 days",
        responses={200: FoundAnswer, **_GUARDED},
    )
    def found(path: SavedPath) -> Response:
        saved_search = desk.find(path.search, caller())
        notices = desk.notices_of(saved_search, _NOTICES)
        visible = desk.records.visible(_ids_in(notices), caller().groups & saved_search.groups)
        return uncached(
            {
                "found": [
                    _notice_json(notice, {id: record.title for id, record in visible.items()}) for notice in notices
                ]
            }
        )


def _preferred_language() -> Language:
    """The first language of ``Accept-Language`` in which mails are written; ``fr-CA`` is French."""
    accepted_languages = (tag.partition("-")[0].lower() for tag in request.accept_languages.values())
    languages = {language: language for language in LANGUAGES}
    return next((languages[tag] for tag in accepted_languages if tag in languages), DEFAULT_LANGUAGE)


def _add_links(api: APIBlueprint, parts: Parts, desk: AlertDesk) -> None:
    @api.get(
        "/saved-searches/links/<token>",
        summary="What a link of a mail does, with a button",
        description="Looking at a link changes nothing: mail scanners open every link.",
        responses={200: text_answer(HTML), **WITH_NOT_FOUND},
    )
    def look(path: SavedSearchLinkPath) -> Response:
        language, title, sentence = _link_texts(desk, desk.links.read(path.token))
        form = f'<form method="post"><button type="submit">{html.escape(title)}</button></form>'
        return _page(language, title, f"<p>{html.escape(sentence)}</p>{form}")

    @api.post(
        "/saved-searches/links/<token>",
        summary="Confirm an address, or unsubscribe (RFC 8058)",
        responses={200: text_answer(HTML), **WITH_NOT_FOUND},
    )
    def follow(path: SavedSearchLinkPath) -> Response:
        link = desk.links.read(path.token)
        language, _, _ = _link_texts(desk, link)
        desk.follow(link)
        audit(f"saved_search.{link.action}", "link", subject=None)
        words = TEXTS[language]
        return _page(language, words.confirmed if link.action == "confirm" else words.unsubscribed)

    @api.get(
        "/saved-searches/links/<token>/feed",
        summary="What a saved search found, as an Atom feed",
        responses={200: text_answer(ATOM), **WITH_NOT_FOUND},
    )
    def feed(path: SavedSearchLinkPath) -> Response:
        saved_search, addresses = desk.feed_of(path.token), Addresses.of(parts.http)
        groups = desk.rights.current()(saved_search)
        if groups is None:
            raise NotFound("The owner of this search has no valid key any more.")
        ids = _ids_in(desk.notices_of(saved_search, _NOTICES))
        visible = desk.records.visible(ids, groups)
        entries = [(visible[id], addresses.record_page(id)) for id in ids if id in visible]
        page = ResultPage(saved_search.title, addresses.this(), len(entries), entries)
        response = Response(atom(page), mimetype=ATOM)
        response.headers["Cache-Control"] = "private, no-cache"
        return response


def _ids_in(notices: Iterable[Notice]) -> list[str]:
    """Of the newest records, each once."""
    return list(dict.fromkeys(record.id for notice in notices for record in notice.records))[:_IN_FEED]


def _link_texts(desk: AlertDesk, link: SignedLink) -> tuple[Language, str, str]:
    """The owner's language, and what the link does, as a title and a sentence. Raises NotFound."""
    if link.action == "confirm":
        language = desk.searches.confirmation(link.subject, link.target).language
        words = TEXTS[language]
        return language, words.confirm, words.confirm_asks.format(owner=link.subject, mail=link.target)
    if link.action == "stop":
        saved_search = desk.searches.find(link.subject).saved
        words = TEXTS[saved_search.language]
        return saved_search.language, words.unsubscribe, words.unsubscribe_asks.format(title=saved_search.title)
    raise NotFound("There is nothing to confirm here.")


def _page(language: Language, title: str, more: str = "") -> Response:
    """``more`` is markup."""
    words = PageWords(language, TEXTS[language].search, TEXTS[language].catalogues)
    response = scriptless_page(title, f"<h1>{html.escape(title)}</h1>{more}", words)
    response.headers["Content-Security-Policy"] = _FORM_POLICY
    return uncached(response)


def _saved_json(saved_search: SavedSearch, desk: AlertDesk, addresses: Addresses) -> Json:
    return {
        "id": saved_search.id,
        "title": saved_search.title,
        "search": saved_search.parameters,
        "mail": saved_search.mail,
        "mail_confirmed": saved_search.mail is not None and desk.is_confirmed(saved_search),
        "webhook": saved_search.webhook,
        "webhook_secret": None if saved_search.webhook is None else desk.webhook_secret(saved_search),
        "every": saved_search.every,
        "changes": saved_search.changes,
        "active": saved_search.active,
        "language": saved_search.language,
        "problem": saved_search.problem,
        "feed": addresses.to(f"/saved-searches/links/{desk.feed_token(saved_search)}/feed"),
        "created": saved_search.created,
        "changed": saved_search.changed,
    }


def _notice_json(notice: Notice, titles: Mapping[str, str]) -> Json:
    records = [
        {"id": record.id, "new": record.new, "title": titles[record.id]}
        for record in notice.records
        if record.id in titles
    ]
    return {"since": notice.since, "until": notice.until, "total": notice.total, "records": records}
