"""A month at a portal's desk, over HTTP: people ask and open, three stewards decide, the source changes its records,
and a reindex follows. Every figure of the desk is compared with the script.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from flask.testing import FlaskClient
from pydantic import SecretStr
from werkzeug.test import TestResponse

from core.access import Caller
from core.errors import SondeError
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from evaluation.metrics import HEADLINE, measure
from indexer.formats.registry import read
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.reindex.run import ReindexParts, reindex
from indexer.sources.folder import FolderSource
from lab.people import HITS_SHOWN, Grades, Habits, People
from search_api.app import create_app
from search_api.parts import Parts
from search_api.search.flow import SearchPipeline
from search_api.search.openings import LiveUsage, LoggedSearch, OpeningsReader, usage_of
from search_api.search.query_log import QueryLog, Requester, normal_question, person_hash, subject_hash
from search_api.search.ranking.signals.record import Evidence
from search_api.search.request import SearchRequest
from search_api.stewards.insight import LEAST_PEOPLE
from sonde.settings import AlertsSettings, QueriesSettings, Settings
from sonde.wiring.api import api_parts
from sonde.wiring.models import Models
from sonde.wiring.stewards import matcher

SECRET = "the secret of a simulated month"  # nosec B105
FIRST = datetime(2026, 10, 1, 9, tzinfo=UTC)
EDITION = "Second edition"
"""What the source puts before the titles that it changes."""
_NEVER_S = 1e6
_UNKNOWN_WORD = "quokkaflux"
_PRIVATE_QUESTION = "the well behind my house"
_KEYWORD = "wobblegram"
_REPEATS = 3
_INSIGHT_FIELDS = ("asked", "people", "opened", "not_found")
_TITLE = re.compile(r"(<gmd:title>\s*<gco:CharacterString>)", re.S)


@dataclass(frozen=True, slots=True)
class MonthQuestion:
    """A question that people ask, with the grades of records."""

    text: str
    grades: Grades = field(default_factory=dict)


class Expectation(NamedTuple):
    """A figure of the script (``expected``) and of the service (``found``)."""

    what: str
    expected: object
    found: object

    @property
    def holds(self) -> bool:
        return self.expected == self.found


@dataclass(slots=True)
class ScriptTally:
    """``secret``: the log's, by which it tells people apart."""

    secret: bytes
    rows: list[LoggedSearch] = field(default_factory=list)
    matched: list[int] = field(default_factory=list)

    def note(self, question: str, asker: Requester, day: str, hits: Sequence[str], matched: int) -> None:
        text = normal_question(question)
        self.rows.append(LoggedSearch(text, person_hash(self.secret, text, asker), day, tuple(hits[:10])))
        self.matched.append(matched)

    def note_opened(self, records: Sequence[str]) -> None:
        """By the person who asked last."""
        last = self.rows[-1]
        self.rows[-1] = LoggedSearch(last.question, last.who, last.day, last.shown, tuple(records))

    def count_of_person(self, subject: str) -> int:
        return sum(row.who == subject_hash(self.secret, subject) for row in self.rows)

    def by_day(self) -> Mapping[str, int]:
        return dict(Counter(row.day for row in self.rows))

    def insight(self) -> Mapping[str, Mapping[str, int]]:
        """By question that enough people asked, as `/insight/queries` says it."""
        rows_by_question: defaultdict[str, list[int]] = defaultdict(list)
        for row_number, row in enumerate(self.rows):
            rows_by_question[row.question].append(row_number)
        people = {
            text: len({self.rows[row_number].who for row_number in places}) for text, places in rows_by_question.items()
        }
        return {
            text: {
                "asked": len(places),
                "people": people[text],
                "opened": sum(bool(self.rows[row_number].opened) for row_number in places),
                "not_found": sum(self.matched[row_number] == 0 for row_number in places),
            }
            for text, places in rows_by_question.items()
            if people[text] >= LEAST_PEOPLE
        }

    def hidden_questions(self) -> Mapping[str, int]:
        """Questions of fewer people, and how often they were asked."""
        shown_questions = self.insight()
        counts = Counter(row.question for row in self.rows if row.question not in shown_questions)
        return {"questions": len(counts), "asked": sum(counts.values())}


@dataclass(frozen=True, slots=True)
class Watch:
    """``tells``: the records it is told of, out of those that changed and the one that a steward corrected (which
    keeps the source's title as another one).
    """

    what: str
    who: int
    body: Json
    tells: Callable[[frozenset[str], str], frozenset[str]]


def watches(keyword: str) -> Sequence[Watch]:
    """``keyword``: one that only the corrected record has. People with even numbers have a key."""

    def by_words(title: str, words: str, *, changes: bool) -> Json:
        return {"title": title, "search": {"q": words, "algorithm": "bm25"}, "changes": changes}

    return (
        Watch("changed records", 0, by_words("Editions", EDITION, changes=True), lambda all, _: all),
        Watch("new records alone", 2, by_words("New ones", EDITION, changes=False), lambda *_: frozenset()),
        Watch(
            "a steward's word",
            4,
            by_words("Corrected", keyword, changes=True),
            lambda _, overlaid: frozenset({overlaid}),
        ),
    )


def read_announcement(answer: Json) -> tuple[int, frozenset[str], frozenset[str]]:
    """How many records a saved search announced; the first 50 of each night by id; their titles."""
    records: list[Mapping[str, str]] = [record for night in answer["found"] for record in night["records"]]
    total = sum(night["total"] for night in answer["found"])
    return total, frozenset(night["id"] for night in records), frozenset(night["title"] for night in records)


@dataclass(frozen=True, slots=True)
class Course:
    """``folder``: the documents of the source, which the month changes. Days count from 1."""

    source: str
    folder: Path
    questions: Sequence[MonthQuestion]
    habits: Habits
    evidence: Evidence
    pin_day: int = 5
    synonym_day: int = 8
    overlay_day: int = 10
    save_day: int = 12
    change_day: int = 15
    reindex_day: int = 20
    changed_every: int = 10
    removed: int = 1


@dataclass(frozen=True, slots=True)
class DeskAuthenticator:
    """Keys are names: ``steward-*`` may curate, ``person*`` may search."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer is not None and bearer.startswith("steward"):
            return Caller(bearer, frozenset(("curate", "search")))
        return Caller(bearer, frozenset(("search",)))


@dataclass(slots=True)
class Clock:
    """The days go by as the script says."""

    today: datetime = FIRST

    def __call__(self) -> datetime:
        return self.today


class ShownHits(NamedTuple):
    """``links``: by record, the id of its signed link, best first."""

    links: Mapping[str, str]
    headers: Mapping[str, str]


def files_of(folder: Path, source: str) -> Iterator[tuple[str, Path]]:
    """The id of each record, and its document."""
    for page in FolderSource(folder).pages():
        for raw in page.records:
            yield read(raw, source).id, folder / raw.native_id


@dataclass(slots=True)
class Month:
    """Run it once, on indices with another ``prefix``."""

    client: Elasticsearch
    settings: Settings
    models: Models
    course: Course
    report: Callable[[str], None] = lambda _: None
    checks: list[Expectation] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    tally: ScriptTally = field(default_factory=lambda: ScriptTally(SECRET.encode()))
    pinned: str = ""
    overlaid: str = ""
    broken_pins: int = 0
    _saved: list[tuple[Watch, str]] = field(default_factory=list)
    _http: FlaskClient = field(init=False)
    _parts: Parts = field(init=False)
    _usage: LiveUsage = field(init=False)
    _files: Mapping[str, Path] = field(init=False)

    @property
    def prefix(self) -> str:
        return self.settings.index.prefix

    def run(self) -> list[Expectation]:
        """The script's figures with the service's, in the order of the month."""
        self._open()
        people = People(self.course.habits)
        before = self._measure_ndcg()
        for day, inquiries in enumerate(people.inquiries_by_day(len(self.course.questions)), 1):
            self.clock.today = FIRST + timedelta(days=day - 1)
            self._events(day)
            for inquiry in inquiries:
                question = self.course.questions[inquiry.question]
                hits = self._ask(inquiry.who, question)
                self._open_hits(hits, people.open_hits(list(hits.links), question.grades))
            self._script_opens()
            self._night(day)
        self._insight()
        after = self._measure_ndcg()
        self.report(f"nDCG@10 {before:.4f} on the first day, {after:.4f} at the end")
        self._check_deletion()
        return self.checks

    def _open(self) -> None:
        ensure_indices(self.client, self.prefix, self.models.embedder().card)
        self._files = dict(files_of(self.course.folder, self.course.source))
        self._check("records of the first harvest", len(self._files), self._harvest().counts.new)
        queries_settings = QueriesSettings(keep="full", secret=SecretStr(SECRET))
        alerts = AlertsSettings(secret=SecretStr(SECRET))
        parts = api_parts(self.settings.model_copy(update={"queries": queries_settings, "alerts": alerts}), self.models)
        log = QueryLog(self.client, self.prefix, parts.queries.policy, self.clock, every_s=_NEVER_S)
        self._usage = LiveUsage(OpeningsReader(self.client, self.prefix), self.course.evidence, every_s=_NEVER_S)
        search = SearchPipeline(replace(parts.search.parts, usage=self._usage))
        self._parts = replace(parts, authenticator=DeskAuthenticator(), queries=log, search=search)
        self._http = create_app(self._parts).test_client()

    def _harvest(self) -> RunReport:
        parts = HarvestParts(self.client, self.prefix, self.models.embedder)
        return harvest(self.course.source, FolderSource(self.course.folder), parts)

    def _ask(self, person: int, question: MonthQuestion) -> ShownHits:
        """Even people have a key; odd ones come from an address of their own."""
        address = f"10.{person // 250}.{person % 250}.1"
        has_key = person % 2 == 0
        headers = {"Authorization": f"Bearer person{person}"} if has_key else {}
        parameters = {"q": question.text, "limit": str(HITS_SHOWN)}
        environment = {"REMOTE_ADDR": address}
        answer = self._http.get("/search", query_string=parameters, headers=headers, environ_base=environment)
        page: Json = self._expect_ok(answer)
        links = {hit["id"]: hit["sonde:opened"].partition("/opened/")[2] for hit in page["features"]}
        asker = Requester(f"person{person}" if has_key else None, address)
        day = self.clock.today.date().isoformat()
        self.tally.note(question.text, asker, day, list(links), page["numberMatched"])
        if self.pinned and question == self.course.questions[0]:
            self.broken_pins += list(links)[:1] != [self.pinned]
        return ShownHits(links, headers)

    def _open_hits(self, hits: ShownHits, records: Sequence[str]) -> None:
        for record in records:
            link = f"/opened/{hits.links[record]}"
            if self._http.post(link, headers=dict(hits.headers)).status_code != 204:
                raise SondeError(f"{link} is not known, though it was shown.")
        self.tally.note_opened(records)

    @staticmethod
    def _expect_ok(answer: TestResponse) -> Json:
        if answer.status_code >= 400:
            raise SondeError(answer.get_data(as_text=True))
        content: Json = answer.get_json(silent=True) or {}
        return content

    def _events(self, day: int) -> None:
        course = self.course
        if day in (1, course.synonym_day + 1):
            for person in range(6):
                self._ask(person, MonthQuestion(_UNKNOWN_WORD))
        if day == 2:
            for person in range(2):
                self._ask(person, MonthQuestion(_PRIVATE_QUESTION))
        events = (
            (course.pin_day, self._pin),
            (course.synonym_day, self._synonym),
            (course.overlay_day, self._overlay),
            (course.save_day, self._save),
            (course.change_day, self._change),
            (course.reindex_day, self._reindex),
        )
        for on, event in events:
            if on == day:
                event()
                self.report(f"day {day}: {event.__name__.strip('_')}")

    def _pin(self) -> None:
        first = self._ids(self.course.questions[0].text)
        self._post(
            "ada", "pins", {"words": self.course.questions[0].text, "record": first[-1], "reason": "asked by mail"}
        )
        self.pinned = first[-1]
        self._check("the pinned record is first", first[-1], self._ids(self.course.questions[0].text)[0])

    def _synonym(self) -> None:
        _, title = self._first(self.course.questions[0].text)
        word = max(re.findall(r"[A-Za-z]{4,}", title), key=len)
        self._check("nobody finds the unknown word", [], self._ids(_UNKNOWN_WORD))
        self._post("ben", "synonyms", {"words": [_UNKNOWN_WORD, word]})
        self._check("the unknown word is found", True, bool(self._ids(_UNKNOWN_WORD)))

    def _overlay(self) -> None:
        self.overlaid = next(id for id in self._ids(self.course.questions[1].text) if id != self.pinned)
        content = {"record": self.overlaid, "title": "A better title", "keywords": [_KEYWORD]}
        self._post("cy", "overlays", content)
        self._check_decisions("after the overlay")

    def _save(self) -> None:
        """Three people save a search; existing records are not announced."""
        for watch in watches(_KEYWORD):
            saved_search = self._call("POST", "/saved-searches", f"person{watch.who}", json=watch.body)
            self._saved.append((watch, saved_search["id"]))
        self._match()
        for watch, id in self._saved:
            self._check(f"saved: {watch.what}: nothing yet", 0, self._read_announcement(watch, id)[0])

    def _match(self) -> None:
        """A night's round, over all that was written until now."""
        night = replace(matcher(self.settings, self.client, self.models), settled=timedelta(0))
        while night.match(_NEVER_S):
            pass

    def _read_announcement(self, watch: Watch, id: str) -> tuple[int, frozenset[str], frozenset[str]]:
        return read_announcement(self._call("GET", f"/saved-searches/{id}/found", f"person{watch.who}"))

    def _check_announcements(self, changed_ids: frozenset[str]) -> None:
        """Each saved search gets its announcements, and no others."""
        self._match()
        for watch, id in self._saved:
            expected = watch.tells(changed_ids, self.overlaid)
            total, announced_ids, titles = self._read_announcement(watch, id)
            self._check(f"told: {watch.what}: how many", len(expected), total)
            self._check(f"told: {watch.what}: no other", frozenset(), announced_ids - expected)
            if watch.what == "a steward's word":
                self._check("told: the steward's title", frozenset({"A better title"}), titles)

    def _change(self) -> None:
        """Some records have a new title, the corrected one too, and some are gone, but not one that a rule names."""
        excluded_paths = {self._files[self.pinned], self._files[self.overlaid]}
        files = sorted(self.course.folder.iterdir())
        changed_paths = sorted({*files[:: self.course.changed_every], self._files[self.overlaid]})
        for path in changed_paths:
            path.write_text(_TITLE.sub(rf"\1{EDITION}: ", path.read_text("utf-8"), count=1), "utf-8")
        removed_paths = [path for path in files if path not in changed_paths and path not in excluded_paths][
            : self.course.removed
        ]
        for path in removed_paths:
            path.unlink()
        counts = self._harvest().counts
        self._check("records changed at the source", len(changed_paths), counts.changed)
        self._check("records gone from the source", len(removed_paths), counts.removed)
        self._check_announcements(frozenset(id for id, path in self._files.items() if path in changed_paths))
        self._check_decisions("after the source changed")

    def _reindex(self) -> None:
        thread = ReindexParts(self.client, self.prefix, self.models.embedder())
        self._check("the alias moved", True, reindex(thread, least_overlap=0.0).moved)
        self._check_decisions("after the reindex")

    def _check_decisions(self, moment: str) -> None:
        """The three decisions still count."""
        self._check(f"{moment}: the pin", self.pinned, self._ids(self.course.questions[0].text)[0])
        self._check(f"{moment}: the synonym", True, bool(self._ids(_UNKNOWN_WORD)))
        self._check(f"{moment}: the overlay", (self.overlaid, "A better title"), self._first(_KEYWORD))

    def _script_opens(self) -> None:
        """One key asks the most usual question again and again, and opens the last hit each time."""
        for _ in range(_REPEATS):
            hits = self._ask(self._scripted_person, self.course.questions[0])
            self._open_hits(hits, list(hits.links)[-1:])

    @property
    def _scripted_person(self) -> int:
        """The first even number that is nobody's."""
        return 2 * self.course.habits.people

    def _night(self, day: int) -> None:
        """The log is written, and the ranking reads it; it must have read what the script did."""
        self._parts.queries.tick()
        self.client.indices.refresh(index=f"{self.prefix}-queries")
        self._usage.tick()
        if day < self.course.evidence.days:
            self._check(f"night {day}: too few days to rank by what was opened", 0, len(self._usage()))
        if day in (self.course.evidence.days, self.course.habits.days):
            expected = usage_of(self.tally.rows, self.course.evidence)
            self._check(
                f"night {day}: what counts as opened", dict(expected.by_question), dict(self._usage().by_question)
            )

    def _insight(self) -> None:
        answer = self._call("GET", "/insight/queries?limit=500")
        report = {row["question"]: {name: row[name] for name in _INSIGHT_FIELDS} for row in answer["questions"]}
        self._check("insight: questions", self.tally.insight(), report)
        self._check("insight: hidden", self.tally.hidden_questions(), answer["hidden"])
        not_found = {text for text, row in self.tally.insight().items() if row["not_found"]}
        rows = self._call("GET", "/insight/queries?view=not_found&limit=500")["questions"]
        self._check("insight: asked and not found", not_found, {row["question"] for row in rows})
        summary = self._call("GET", "/insight/summary?interval=day")
        by_day = {entry["from"][:10]: entry["asked"] for entry in summary["over_time"] if entry["asked"]}
        self._check("insight: over time", self.tally.by_day(), by_day)
        self._check("the pin was first each time", 0, self.broken_pins)
        own_hash = subject_hash(self.tally.secret, f"person{self._scripted_person}")
        question = self.course.questions[0].text
        about = [row for row in self.tally.rows if row.question == normal_question(question)]
        honest = {record for row in about if row.who != own_hash for record in row.opened}
        alone = sorted(
            entry for entry, value in self._usage().of(question).items() if value > 0.0 and entry not in honest
        )
        self._check("records that count as opened by a script alone", [], alone)
        self.report(f"{len(self._usage())} questions count by what was opened")

    def _check_deletion(self) -> None:
        """A person asks to be forgotten."""
        deleted_count = self._call("DELETE", "/insight/queries?subject=person0")["deleted"]
        self._check("a person's questions are deleted", self.tally.count_of_person("person0"), deleted_count)

    def _measure_ndcg(self) -> float:
        """nDCG@10 over the questions, as they are served now."""
        questions = {question.text: question for question in self.course.questions}
        run = {text: tuple((record, 0.0) for record in self._ids(text)) for text in questions}
        qrels = {text: dict(question.grades) for text, question in questions.items()}
        return measure(run, qrels).means[HEADLINE]

    def _ids(self, question: str) -> list[str]:
        """As the pipeline serves them: nothing is noted in the log."""
        hits = self._parts.search.search(SearchRequest(q=question, limit=HITS_SHOWN)).hits
        return [hit.record.id for hit in hits]

    def _first(self, question: str) -> tuple[str, str]:
        hits = self._parts.search.search(SearchRequest(q=question, limit=1)).hits
        return (hits[0].record.id, hits[0].record.title) if hits else ("", "")

    def _post(self, steward: str, kind: str, rule: Json) -> None:
        self._call("POST", f"/curation/{kind}", f"steward-{steward}", json=rule)

    def _call(self, method: str, path: str, key: str = "steward-ada", *, json: Json | None = None) -> Json:
        headers = {"Authorization": f"Bearer {key}"}
        return self._expect_ok(self._http.open(path, method=method, headers=headers, json=json))

    def _check(self, name: str, expected: object, actual: object) -> None:
        self.checks.append(Expectation(name, expected, actual))
        if not self.checks[-1].holds:
            self.report(f"DOES NOT HOLD: {name}")
