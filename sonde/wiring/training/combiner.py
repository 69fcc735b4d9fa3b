"""What `sonde train combiner` does: judged questions, the pipeline that serves, a configuration if it is better."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from encoders.files import published
from encoders.model_card import ModelCard, Used, write_card
from evaluation.collections.beir import questions_of
from evaluation.trec import read_qrels
from search_api.search.ranking.combiners.additive import Additive, HeldOut
from search_api.search.ranking.config import RankingConfig, default_config
from search_api.search.ranking.signals.usage import Usage
from search_api.search.usage.live_usage import OpeningsReader
from search_api.search.usage.openings import judged_by_use
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.evaluation.judged import judged
from sonde.wiring.evaluation.searching import bench
from sonde.wiring.models import Models
from sonde.wiring.search import search_pipeline
from sonde.wiring.training.data import LICENCES, own_commit
from sonde.wiring.training.models import refuse_in_the_way
from sonde.wiring.training.signal_lists import of_collection, of_installation
from training.combiner.fit import KNOTS, FitSettings, Fitted, fitted
from training.combiner.lists import SignalList
from training.examples import TrainingError
from training.provenance import UNKNOWN, now

RANKING = "ranking.json"
MOST_LOST = 0.005
"""Of nDCG@10, on any one collection: a model that is better on the whole may not be worse for somebody."""
_OWN = "installation"
_USED = "usage"
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class CombinerRequest:
    """``collections``: names, of which the train halves are read from ``shared``. ``queries`` and ``qrels``: judged
    questions about the records of the running index. ``usage``: what people opened there. ``command`` for the card.
    """

    out: Path
    collections: tuple[str, ...] = ()
    queries: Path | None = None
    qrels: Path | None = None
    usage: bool = False
    shared: Path | None = None
    command: str = ""
    fit: FitSettings = field(default_factory=FitSettings)


@dataclass(frozen=True, slots=True)
class Decision:
    """``refused``: why the model does not serve; empty if it does."""

    held_out: HeldOut
    refused: str


def run_combiner(settings: Settings, request: CombinerRequest, said: Callable[[str], None]) -> tuple[ModelCard, str]:
    """The card, and why the model was refused (empty: it was written). Raises TrainingError with one sentence.

    The folder holds the card, and the configuration only of a model that is better on questions it had not seen.
    """
    refuse_in_the_way(request.out, resume=False)
    lists = _lists(settings, request, said)
    found = fitted(lists, request.fit, said)
    decision = decided(found)
    card = _card(request, lists, found, decision)
    with published(request.out) as draft:
        if not decision.refused:
            (draft / RANKING).write_text(with_model(default_config(), found, decision), encoding="utf-8")
        write_card(draft, card)
    return card, decision.refused


def decided(found: Fitted) -> Decision:
    compared = found.comparison
    before = float(np.mean(list(found.before.values())))
    held_out = HeldOut(len(found.before), round(before, 4), round(compared.difference, 4), round(compared.p, 4))
    worst, lost = found.worst_collection()
    if not held_out.better:
        return Decision(held_out, "the weighted sum is as good on questions that the model had not seen")
    if lost < -MOST_LOST:
        return Decision(held_out, f"it loses {-lost:.4f} on {worst}")
    return Decision(held_out, "")


def with_model(config: RankingConfig, found: Fitted, decision: Decision) -> str:
    """The configuration, as a file: how records are ranked changes, nothing else."""
    model = Additive(decision.held_out, KNOTS, found.model.curves, found.model.factors)
    content = json.loads(config.to_json())
    content["records"]["combiner"] = {Additive.name: asdict(model)}
    return json.dumps(content, indent=2) + "\n"


def _lists(settings: Settings, request: CombinerRequest, said: Callable[[str], None]) -> list[SignalList]:
    lists: list[SignalList] = []
    for name in request.collections:
        collection = judged(name, request.shared, "train")
        with bench(settings, collection, config=default_config()) as ready:
            lists += of_collection(ready.pipeline, collection)
        said(f"{name}: {len(collection.questions)} questions of the train half")
    if request.queries is not None or request.usage:
        lists += _of_installation(settings, request, said)
    if not lists:
        raise TrainingError("Name --collection, or --queries and --qrels, or --usage.")
    return lists


def _of_installation(settings: Settings, request: CombinerRequest, said: Callable[[str], None]) -> list[SignalList]:
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    prefix, config = settings.index.prefix, default_config()
    pipeline, _ = search_pipeline(client, prefix, Models(settings), config)
    lists = []
    if request.queries is not None and request.qrels is not None:
        grades = _grades(request.queries, request.qrels)
        lists += of_installation(pipeline, _OWN, grades)
        said(f"{_OWN}: {len(grades)} judged questions")
    if request.usage:
        opened = judged_by_use(OpeningsReader(client, prefix).askings(), config.records[Usage].evidence)
        lists += of_installation(pipeline, _USED, opened)
        said(f"{_USED}: {len(opened)} questions that enough people asked")
    return lists


def _grades(queries: Path, qrels: Path) -> Mapping[str, Mapping[str, float]]:
    grades = read_qrels(qrels)
    return {one.text: dict(grades[one.id]) for one in questions_of(queries) if one.id in grades}


def _card(request: CombinerRequest, lists: list[SignalList], found: Fitted, decision: Decision) -> ModelCard:
    each = Counter(one.collection for one in lists)
    figures: dict[str, object] = {}
    for name in each:
        own = [key for key in found.before if key.startswith(f"{name} ")]
        before, after = (float(np.mean([values[key] for key in own])) for values in (found.before, found.held_out))
        figures[f"nDCG@10 of unseen questions, {name}"] = {"before": before, "after": after}
    figures["gain, all questions"] = decision.held_out.gain
    figures["p"] = decision.held_out.p
    refused = f"Not served: {decision.refused}." if decision.refused else "Served where SONDE_RANKING__CONFIG names it."
    return ModelCard(
        kind="combiner",
        name=request.out.name,
        base="tm2c2",
        licence="Apache-2.0",
        data=tuple(Used(name, LICENCES.get(name, UNKNOWN), count, "questions") for name, count in each.items()),
        settings={**asdict(request.fit), "factors": found.model.factors, "curves": found.model.curves},
        seed=request.fit.seed,
        commit=own_commit(),
        made=now(),
        figures=figures,
        reproduce=request.command,
        note=f"A weighted sum of learned curves that never fall, each signal's part exact. {refused} "
        f"Figures are of {request.fit.folds}-fold cross-validation: no model had seen the questions it is measured on.",
    )
