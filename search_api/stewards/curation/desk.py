"""Reads rules from JSON, CSV, or places in GeoJSON, line by line. A wrong line does not stop the others."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import shapely
from pydantic import ValidationError
from shapely.geometry import shape

from core.errors import Conflict, InvalidInput, NotFound, TooLarge
from core.json_types import Json
from core.record import Overlay
from core.timespan import utc_now
from search_api.search.curation import LiveRules
from search_api.search.curation_rules import (
    DRAFT_KINDS,
    MOST_RULES,
    RULES,
    CurationRule,
    CurationStore,
    OverlayRule,
    RuleAction,
    RuleChange,
    RuleKey,
    RuleKind,
    StoredRule,
)

MOST_LINES = 2_000
MOST_OVERLAYS = 200
"""Each record is read and embedded again during the request."""
_LISTS = frozenset(("words", "other_names", "keywords"))
_BOX = ("west", "south", "east", "north")


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """``line``: number of the rule in the body, from 1."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class RuleLines:
    """Valid rules by line, and the refused lines."""

    rules: Mapping[int, CurationRule]
    refused: tuple[RefusedLine, ...]


def read_lines(kind: RuleKind, body: bytes, media_type: str) -> RuleLines:
    """Raises InvalidInput if the body as a whole cannot be read, TooLarge."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("body", "body: is not UTF-8") from None
    lines = list(_of_csv(kind, text) if media_type == "text/csv" else _of_json(text))
    limit = MOST_OVERLAYS if kind == "overlays" else MOST_LINES
    if len(lines) > limit:
        raise TooLarge(f"At most {limit} {kind} can be sent at once; these are {len(lines)}.")
    rules: dict[int, CurationRule] = {}
    refused_lines: list[RefusedLine] = []
    for line, members in enumerate(lines, 1):
        try:
            rules[line] = _check_rule(kind, members)
        except ValueError as error:
            refused_lines.append(RefusedLine(line, _message(error)))
    return RuleLines(rules, tuple(refused_lines))


def _of_csv(kind: RuleKind, text: str) -> Iterator[object]:
    """The columns are the members of a rule; values of a list are separated by ``|``.

    Spreadsheets of many countries separate columns by semicolons, which the header shows.
    """
    list_columns = _LISTS if kind in ("synonyms", "places", "overlays") else frozenset[str]()
    header = text.partition("\n")[0]
    delimiter = ";" if ";" in header and "," not in header else ","
    try:
        for row in csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter):
            members: Json = {name: value for name, value in row.items() if name and value not in (None, "")}
            if None in row:
                members["too many columns"] = True
            if any(edge in members for edge in _BOX):
                members["bbox"] = [members.pop(edge, "") for edge in _BOX]
            yield {name: value.split("|") if name in list_columns else value for name, value in members.items()}
    except csv.Error as error:
        raise InvalidInput("body", f"body: is not CSV: {error}") from None


def _of_json(text: str) -> Iterator[object]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("body", "body: is neither JSON, nor sent as text/csv") from None
    if isinstance(body, dict) and isinstance(body.get("features"), list):
        yield from body["features"]
    elif isinstance(body, list):
        yield from body
    else:
        yield body


def _check_rule(kind: RuleKind, members: object) -> CurationRule:
    """Raises ValueError."""
    if not isinstance(members, dict):
        raise ValueError("is not an object")
    if kind == "places" and members.get("type") == "Feature":
        members = _of_feature(members)
    return RULES[kind].model_validate(members)


def _of_feature(feature: Json) -> Json:
    """A GeoJSON feature: its ``properties`` are the members, its ``bbox`` or geometry gives the box."""
    properties, geometry = feature.get("properties"), feature.get("geometry") or {}
    rule: Json = dict(properties) if isinstance(properties, dict) else {}
    if "bbox" in feature:
        return rule | {"bbox": feature["bbox"]}
    try:
        bounds = shapely.bounds(shape(geometry)).tolist()
    except (AttributeError, KeyError, TypeError, ValueError, shapely.errors.ShapelyError):
        raise ValueError("geometry: is not a geometry of GeoJSON") from None
    return rule | {"bbox": bounds}


def _message(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    text = "is not a member of this rule" if first["type"] == "extra_forbidden" else first["msg"]
    message = str(text).removeprefix("Value error, ")
    return f"{path}: {message}" if path else message


class OverlayWriter(Protocol):
    """Writes a record with its overlay, or as in its source (None)."""

    def apply(self, record: str, overlay: Overlay | None) -> None:
        """Searchable when this returns. Raises NotFound, Conflict while its source is harvested, Unavailable."""
        ...


@dataclass(frozen=True, slots=True)
class ImportResult:
    """``ids`` by line. ``later``: records whose overlay applies after the harvest that runs now."""

    ids: Mapping[int, str]
    refused: tuple[RefusedLine, ...]
    later: tuple[str, ...] = ()


@dataclass(frozen=True)
class CurationDesk:
    """Methods raise the gateway's errors; ``by`` is the steward."""

    store: CurationStore
    live: LiveRules
    overlays: OverlayWriter
    now: Callable[[], datetime] = field(default=utc_now)

    def import_rules(self, kind: RuleKind, lines: RuleLines, by: str, draft: str = "") -> ImportResult:
        """Writes the valid rules. A rule replaces the earlier one with its id."""
        self._refuse_draft(kind, draft)
        rules_by_line = {line: _with_id(rule) for line, rule in lines.rules.items()}
        last = {rule.id: line for line, rule in rules_by_line.items()}
        duplicates = [
            RefusedLine(line, f"id: line {last[rule.id]} has it too")
            for line, rule in rules_by_line.items()
            if last[rule.id] != line
        ]
        rules = {line: rule for line, rule in rules_by_line.items() if last[rule.id] == line}
        self._refuse_too_many(kind, len(rules))
        unknown, later_overlays = self._apply_overlays(rules)
        refused_lines = sorted((*lines.refused, *duplicates, *unknown), key=lambda refused_line: refused_line.line)
        unknown_lines = {refused_line.line for refused_line in unknown}
        after = {
            RuleKey(kind, str(rule.id), draft): rule.model_dump(mode="json", exclude_none=True)
            for line, rule in rules.items()
            if line not in unknown_lines
        }
        self._write(after, by)
        ids = {line: str(rule.id) for line, rule in rules.items() if line not in unknown_lines}
        return ImportResult(ids, tuple(refused_lines), tuple(later_overlays))

    def remove(self, key: RuleKey, by: str) -> None:
        """In a draft: publishing it will remove the live rule. Raises NotFound."""
        stored_rules = self.store.find([key, key.live()])
        if not stored_rules:
            raise NotFound(f"There is no rule {key.id!r} among the {key.kind}.")
        before = stored_rules[key].content if key in stored_rules else None
        if key.kind == "overlays":
            self._apply(key.id, None)
        self._commit([self._change(key, "removed", before, None, by)])

    def undo(self, id: str, by: str) -> RuleChange:
        """Restores the rule before a change. Raises NotFound; Conflict if the rule was changed again since."""
        change = self.store.change(id)
        current = self.store.find([change.key]).get(change.key)
        if (None if current is None else current.content) != change.after:
            raise Conflict("This rule was changed again since; undo the later change first.")
        undone = self._change(change.key, "undone", change.after, change.before, by)
        if change.key.kind == "overlays":
            rule = None if change.before is None else RULES["overlays"].model_validate(change.before)
            self._apply(change.key.id, rule.overlay if isinstance(rule, OverlayRule) else None)
        self._commit([undone])
        return undone

    def drafts(self) -> dict[str, int]:
        """The number of rules of each draft."""
        counts: dict[str, int] = {}
        for stored_rule in self.store.rules():
            if stored_rule.key.draft:
                counts[stored_rule.key.draft] = counts.get(stored_rule.key.draft, 0) + 1
        return counts

    def draft(self, name: str) -> list[StoredRule]:
        """Raises NotFound."""
        rules = self.store.rules(draft=name) if name else []
        if not rules:
            raise NotFound(f"There is no draft {name!r}.")
        return rules

    def publish(self, name: str, by: str) -> int:
        """Makes the rules of the draft live; returns their number. Raises NotFound."""
        rules = self.draft(name)
        live = self.store.find([rule.key.live() for rule in rules])
        changes = []
        for rule in rules:
            before = live[rule.key.live()].content if rule.key.live() in live else None
            changes.append(self._change(rule.key.live(), "published", before, rule.content, by))
            changes.append(self._change(rule.key, "published", rule.content, None, by))
        self._commit(changes)
        return len(rules)

    def discard(self, name: str, by: str) -> None:
        """Raises NotFound."""
        rules = self.draft(name)
        self._commit([self._change(rule.key, "undone", rule.content, None, by) for rule in rules])

    def _write(self, after: Mapping[RuleKey, Json], by: str) -> None:
        stored_rules = self.store.find(list(after))
        changes = []
        for key, content in after.items():
            before = stored_rules[key].content if key in stored_rules else None
            if before != content:
                changes.append(self._change(key, "changed" if key in stored_rules else "added", before, content, by))
        self._commit(changes)

    def _commit(self, changes: list[RuleChange]) -> None:
        if changes:
            self.store.write(changes)
            self.live.try_tick()  # the rules are stored; if reading fails now, the next tick reads them

    def _change(self, key: RuleKey, action: RuleAction, before: Json | None, after: Json | None, by: str) -> RuleChange:
        return RuleChange(key, action, before, after, by, self.now().isoformat())

    def _apply_overlays(self, rules: Mapping[int, CurationRule]) -> tuple[list[RefusedLine], list[str]]:
        """Applies overlays to their records. Returns the lines without a record, and the records that must wait."""
        unknown, later_overlays = [], []
        for line, rule in rules.items():
            if isinstance(rule, OverlayRule):
                try:
                    if not self._apply(rule.record, rule.overlay):
                        later_overlays.append(rule.record)
                except NotFound as error:
                    unknown.append(RefusedLine(line, f"record: {error}"))
        return unknown, later_overlays

    def _apply(self, record: str, overlay: Overlay | None) -> bool:
        """False if the source is being harvested: then the next harvest applies the overlay."""
        try:
            self.overlays.apply(record, overlay)
        except Conflict:
            return False
        return True

    def _refuse_draft(self, kind: RuleKind, draft: str) -> None:
        if draft and kind not in DRAFT_KINDS:
            raise InvalidInput("draft", "draft: an overlay changes the record itself; a draft cannot hold it")

    def _refuse_too_many(self, kind: RuleKind, more: int) -> None:
        if more and len(self.store.rules()) + more > MOST_RULES:
            raise Conflict(f"There would be more than {MOST_RULES} rules; remove {kind} first.")


def _with_id(rule: CurationRule) -> CurationRule:
    if isinstance(rule, OverlayRule):
        return rule.model_copy(update={"id": rule.record})
    return rule if rule.id is not None else rule.model_copy(update={"id": uuid.uuid4().hex[:12]})
