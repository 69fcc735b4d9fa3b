"""``/curation``: stewards write rules, read their history, and publish drafts."""

from __future__ import annotations

from dataclasses import asdict

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from flask_openapi.types import ResponseDict
from pydantic import BaseModel, Field

from core.errors import InvalidInput, NotFound
from core.json_types import Json
from search_api.http.access.guard import audit, caller, steward_name, uncached
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts
from search_api.search.curation_rules import RULE_KINDS, RULES, RuleChange, RuleKey, RuleKind, StoredRule
from search_api.stewards.curation.desk import CurationDesk, read_lines

_GUARDED: ResponseDict = {401: Problem, 403: Problem, **WITH_NOT_FOUND}
_WRITING: ResponseDict = {409: Problem, 413: Problem, **_GUARDED}
MOST_NAMED = 10
"""Refused lines in the message if no line is valid."""
DRAFT_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"


class DraftParameters(Parameters):
    """Live rules, or those of a draft."""

    draft: str | None = Field(None, pattern=DRAFT_NAME, description="Name of a draft. Default: what counts now.")


class KindPath(BaseModel):
    kind: str = Field(max_length=20, description=", ".join(RULE_KINDS), examples=["pins"])


class RulePath(KindPath):
    rule: str = Field(max_length=450, description="Its id; of an overlay: its record.")


class ChangePath(BaseModel):
    change: str = Field(max_length=64)


class DraftPath(BaseModel):
    draft: str = Field(pattern=DRAFT_NAME)


class HistoryParameters(Parameters):
    kind: str | None = Field(None, max_length=20, description="Only those of this kind.")
    rule: str | None = Field(None, max_length=450, description="Only those of this rule; needs its kind.")
    limit: int = Field(50, ge=1, le=500)


class RulesAnswer(BaseModel, title="CurationRules"):
    """Rules, each with who wrote it, and when."""

    rules: list[Json]


class ImportAnswer(BaseModel, title="CurationTaken"):
    """The lines that count now, and those that do not, with what is wrong with them."""

    accepted: list[Json]
    refused: list[Json]
    later: list[str] = Field(description="Overlays that count from the next harvest on, because one is under way.")


class HistoryAnswer(BaseModel, title="CurationHistory"):
    """Changes, newest first."""

    changes: list[Json]


class DraftsAnswer(BaseModel, title="CurationDrafts"):
    """Drafts with their number of rules."""

    drafts: list[Json]


class ChangeAnswer(BaseModel, title="CurationChange"):
    """One change."""

    id: str
    action: str
    kind: str
    rule: str


class PublishedAnswer(BaseModel, title="CurationPublished"):
    """How many rules count now."""

    published: int


def curation_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("curation", __name__, abp_tags=[Tag(name="curation", description="For stewards: scope curate")])
    desk = parts.curation

    @api.get("/curation/<kind>", summary="The rules of a kind", responses={200: RulesAnswer, **_GUARDED})
    def rules(path: KindPath, query: DraftParameters) -> Response:
        stored_rules = desk.store.rules(kind=_kind(path.kind), draft=query.draft or "")
        return uncached({"rules": [_rule_json(rule) for rule in stored_rules]})

    @api.post(
        "/curation/<kind>",
        summary="Write rules: one, a list, CSV, or places as GeoJSON",
        description="A bad line is refused, and the others are kept. A rule with the id of another replaces it.",
        request_body=_rules_body(),
        responses={200: ImportAnswer, **_WRITING},
    )
    def write(path: KindPath, query: DraftParameters) -> Response:
        kind = _kind(path.kind)
        lines = read_lines(kind, request.get_data(cache=False), request.mimetype)
        result = desk.import_rules(kind, lines, steward_name(), query.draft or "")
        if not result.ids and result.refused:
            problems = "; ".join(
                f"line {refused_line.line}: {refused_line.problem}" for refused_line in result.refused[:MOST_NAMED]
            )
            raise InvalidInput("body", f"body: {problems}")
        audit("curation.written", kind, subject=caller().subject, accepted=len(result.ids), refused=len(result.refused))
        accepted_lines = [{"line": line, "id": id} for line, id in result.ids.items()]
        refused_lines = list(map(asdict, result.refused))
        return uncached({"accepted": accepted_lines, "refused": refused_lines, "later": list(result.later)})

    @api.delete(
        "/curation/<kind>/<rule>",
        summary="Take a rule away; in a draft: take the live rule away when it is published",
        responses={204: None, **_WRITING},
    )
    def remove(path: RulePath, query: DraftParameters) -> Response:
        desk.remove(RuleKey(_kind(path.kind), path.rule, query.draft or ""), steward_name())
        return Response(status=204)

    _add_history(api, desk)
    _add_drafts(api, desk)
    return api


def _add_history(api: APIBlueprint, desk: CurationDesk) -> None:
    @api.get("/curation/history", summary="Who changed what", responses={200: HistoryAnswer, **_GUARDED})
    def history(query: HistoryParameters) -> Response:
        if query.rule is not None and query.kind is None:
            raise InvalidInput("kind", "kind: name the kind of the rule")
        kind = None if query.kind is None else _kind(query.kind)
        changes = desk.store.history(kind=kind, rule=query.rule, size=query.limit)
        return uncached({"changes": [_change_json(change) for change in changes]})

    @api.post(
        "/curation/history/<change>/undo", summary="Put back what was before", responses={200: ChangeAnswer, **_WRITING}
    )
    def undo(path: ChangePath) -> Response:
        return uncached(_change_json(desk.undo(path.change, steward_name())))


def _add_drafts(api: APIBlueprint, desk: CurationDesk) -> None:
    @api.get("/curation/drafts", summary="The drafts", responses={200: DraftsAnswer, **_GUARDED})
    def drafts() -> Response:
        return uncached({"drafts": [{"id": name, "rules": count} for name, count in sorted(desk.drafts().items())]})

    @api.post(
        "/curation/drafts/<draft>/publish",
        summary="Put a draft into service",
        responses={200: PublishedAnswer, **_WRITING},
    )
    def publish(path: DraftPath) -> Response:
        return uncached({"published": desk.publish(path.draft, steward_name())})

    @api.delete("/curation/drafts/<draft>", summary="Drop a draft", responses={204: None, **_WRITING})
    def discard(path: DraftPath) -> Response:
        desk.discard(path.draft, steward_name())
        return Response(status=204)


def _kind(text: str) -> RuleKind:
    """Raises NotFound."""
    for kind in RULE_KINDS:
        if kind == text:
            return kind
    raise NotFound(f"There are no rules {text!r}; there are {', '.join(RULE_KINDS)}.")


def _rules_body() -> Json:
    shapes = [model.model_json_schema() for model in RULES.values()]
    return {
        "required": True,
        "content": {
            "application/json": {"schema": {"anyOf": [*shapes, {"type": "array"}, {"type": "object"}]}},
            "text/csv": {"schema": {"type": "string"}},
        },
    }


def _rule_json(stored_rule: StoredRule) -> Json:
    members: Json = (
        {"removes": True, "id": stored_rule.key.id} if stored_rule.content is None else dict(stored_rule.content)
    )
    return {**members, "by": stored_rule.by, "at": stored_rule.at}


def _change_json(change: RuleChange) -> Json:
    return {
        "id": change.id,
        "action": change.action,
        "kind": change.key.kind,
        "rule": change.key.id,
        "draft": change.key.draft or None,
        "by": change.by,
        "at": change.at,
        "before": change.before,
        "after": change.after,
    }
