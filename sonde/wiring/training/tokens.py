"""What `sonde train tokens` does: records' texts, an embedder, a folder with a token head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from encoders.catalogue import serving_graph
from encoders.imports import needs_torch
from encoders.locate import locate
from encoders.model_card import ModelCard, Used
from encoders.onnx_session import Compute
from encoders.prepare import prepared
from encoders.recipe import read_json
from encoders.specs import EmbedderSpec
from encoders.token_heads import KIND
from sonde.settings import Settings
from sonde.wiring.evaluation.judged import judged
from sonde.wiring.training.data import LICENCES, own_commit, records_from
from sonde.wiring.training.judged_lists import Reader, judged_lists
from sonde.wiring.training.models import licence_of, refuse_in_the_way
from training.provenance import UNKNOWN, now
from training.tokens.fit import Fitted, HeadSettings, figures, fit_head, write_head
from training.tokens.learn import JudgedList, LearnSettings, learnt_head


@dataclass(frozen=True, slots=True)
class HeadRequest:
    """``sources`` as ``data.records_from`` takes them; ``licence`` of texts that Sonde does not know; ``command`` as it
    was given, for the card. ``judged``: collections on whose train halves the head then learns, with the data in
    ``shared``.
    """

    sources: tuple[str, ...]
    out: Path
    base: str
    licence: str
    command: str
    settings: HeadSettings
    judged: tuple[str, ...] = ()
    shared: Path | None = None
    learning: LearnSettings = field(default_factory=LearnSettings)


def run_tokens(settings: Settings, request: HeadRequest, said: Callable[[str], None]) -> ModelCard:
    """Raises TrainingError and ModelMissing with one sentence."""
    refuse_in_the_way(request.out, resume=False)
    if request.judged:
        needs_torch("Learning from judged questions", "training")
    located = locate(request.base, settings.models.folder, allow_hub=settings.models.allow_hub)
    folder = prepared(located, settings.models.folder, "states")
    by_source = {
        Path(source).name: [record.embedding_text for record in records_from(source, settings)]
        for source in request.sources
    }
    texts = [text for some in by_source.values() for text in some]
    said(f"Reading at most {request.settings.texts} of {len(texts)} texts.")
    fitted = fit_head(folder, texts, request.settings, Compute(settings.embedder.threads or None))
    lists = _lists(settings, request, folder, fitted, said)
    if lists:
        every = [one for some in lists.values() for one in some]
        head = learnt_head(fitted.head, every, request.learning, lambda at, loss: said(f"epoch {at}: loss {loss:.4f}"))
        fitted = replace(fitted, head=head)
    card = ModelCard(
        kind=KIND,
        name=request.out.name,
        base=request.base,
        licence=licence_of(request.base, None),
        data=tuple(
            Used(name, LICENCES.get(name, request.licence), len(own), "texts") for name, own in by_source.items()
        )
        + tuple(
            Used(name, LICENCES.get(name, UNKNOWN), len(own), "questions", "train half") for name, own in lists.items()
        ),
        settings=asdict(request.settings) | ({"learning": asdict(request.learning)} if lists else {}),
        seed=request.settings.seed,
        commit=own_commit(),
        made=now(),
        figures=figures(fitted),
        reproduce=request.command,
        serving={"weights": located.digest, "dims": request.settings.dims},
    )
    return write_head(request.out, fitted, card)


def _lists(
    settings: Settings, request: HeadRequest, folder: Path, fitted: Fitted, said: Callable[[str], None]
) -> dict[str, list[JudgedList]]:
    graph, _ = serving_graph(EmbedderSpec(request.base), read_json(folder / "card.json"))
    reader = Reader(folder, graph, fitted.head, Compute(settings.embedder.threads or None))
    asking = settings.model_copy(
        update={"embedder": settings.embedder.model_copy(update={"model": request.base, "tokens": "none"})}
    )
    collections = {name: judged(name, request.shared, "train") for name in request.judged}
    return {name: judged_lists(asking, collection, reader, said) for name, collection in collections.items()}
