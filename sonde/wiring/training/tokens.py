"""What `sonde train tokens` does: records' texts, an embedder, a folder with a token head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from encoders.locate import locate
from encoders.model_card import ModelCard, Used
from encoders.onnx_session import Compute
from encoders.prepare import prepared
from encoders.token_heads import KIND
from sonde.settings import Settings
from sonde.wiring.training.data import LICENCES, own_commit, records_from
from sonde.wiring.training.models import licence_of, refuse_in_the_way
from training.provenance import now
from training.tokens.fit import HeadSettings, figures, fit_head, write_head


@dataclass(frozen=True, slots=True)
class HeadRequest:
    """``sources`` as ``data.records_from`` takes them; ``licence`` of texts that Sonde does not know; ``command`` as it
    was given, for the card.
    """

    sources: tuple[str, ...]
    out: Path
    base: str
    licence: str
    command: str
    settings: HeadSettings


def run_tokens(settings: Settings, request: HeadRequest, said: Callable[[str], None]) -> ModelCard:
    """Raises TrainingError and ModelMissing with one sentence."""
    refuse_in_the_way(request.out, resume=False)
    located = locate(request.base, settings.models.folder, allow_hub=settings.models.allow_hub)
    folder = prepared(located, settings.models.folder, "states")
    by_source = {
        Path(source).name: [record.embedding_text for record in records_from(source, settings)]
        for source in request.sources
    }
    texts = [text for some in by_source.values() for text in some]
    said(f"Reading at most {request.settings.texts} of {len(texts)} texts.")
    fitted = fit_head(folder, texts, request.settings, Compute(settings.embedder.threads or None))
    card = ModelCard(
        kind=KIND,
        name=request.out.name,
        base=request.base,
        licence=licence_of(request.base, None),
        data=tuple(
            Used(name, LICENCES.get(name, request.licence), len(own), "texts") for name, own in by_source.items()
        ),
        settings=asdict(request.settings),
        seed=request.settings.seed,
        commit=own_commit(),
        made=now(),
        figures=figures(fitted),
        reproduce=request.command,
        serving={"weights": located.digest, "dims": request.settings.dims},
    )
    return write_head(request.out, fitted, card)
