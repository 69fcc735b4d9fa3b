"""What `sonde train tokens` does: records' texts, an embedder, a folder with a token head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.json_types import Json
from encoders.catalogue import serving_graph
from encoders.imports import needs_torch
from encoders.locate import Located, locate
from encoders.model_card import ModelCard, TrainingData
from encoders.onnx_session import Compute
from encoders.pooling import split_texts
from encoders.prepare import prepare_model
from encoders.recipe import read_json, read_recipe
from encoders.specs import EmbedderSpec
from encoders.token_head import KIND, ignored_tokens
from encoders.tokens import open_tokeniser
from evaluation.collection import JudgedCollection
from sonde.settings import Settings
from sonde.wiring.checkout import own_commit
from sonde.wiring.evaluating import judged_collection
from sonde.wiring.training.corpora import LICENCES, records_from
from sonde.wiring.training.judged_lists import Depth, judged_candidates, judged_lists, texts_of
from sonde.wiring.training.run import licence_of, refuse_existing_output
from training.examples import Example, read_examples
from training.provenance import UNKNOWN, Origin
from training.tokens.head import FittedHead, HeadSettings, LearnSettings, figures, fit_head, trained_head, write_head
from training.tokens.learn_layers import (
    CandidateList,
    Ids,
    LayerData,
    LayerSettings,
    StateReader,
    TokenTeacher,
    teacher_scores,
    train_layers,
)
from training.weights import trainable_folder, transformers_for

_QUESTION_TOKENS = 64


def lesson(
    settings: Settings,
    collections: Mapping[str, JudgedCollection],
    examples: Sequence[Example],
    teachers: Sequence[TokenTeacher],
    folder: Path,
    candidates: int,
    report: Callable[[str], None],
) -> LayerData:
    """``folder`` is the prepared embedder that learns; ``settings`` those with which candidates are found, at most
    ``candidates`` of a judged question.
    """
    texts, questions = _NumberedTexts(), _NumberedTexts()
    lists_by_collection: dict[str, list[CandidateList]] = {}
    for name, collection in collections.items():
        judged = judged_candidates(settings, collection, Depth(candidates))
        candidate_texts = texts_of(collection, judged)
        lists_by_collection[name] = [
            CandidateList(
                questions.place(example.text),
                texts.places([candidate_texts[id] for id in example.ids]),
                example.fused,
                example.grades,
            )
            for example in judged
        ]
    example_lists = [
        CandidateList(
            questions.place(example.question), texts.places([candidate.text for candidate in example.candidates])
        )
        for example in examples
    ]
    counts = ", ".join(f"{len(candidate_texts)} of {name}" for name, candidate_texts in lists_by_collection.items())
    report(
        f"{counts or 'No'} judged questions and {len(example_lists)} examples, with {len(texts.number_by_text)} texts."
    )
    all_lists = [
        example for candidate_texts in lists_by_collection.values() for example in candidate_texts
    ] + example_lists
    scores = iter(
        teacher_scores(teachers, list(questions.number_by_text), list(texts.number_by_text), all_lists, report)
        if teachers
        else ()
    )
    return LayerData(
        [parts[0][:_QUESTION_TOKENS] for parts in _read_tokens(folder, list(questions.number_by_text))],
        _read_tokens(folder, list(texts.number_by_text)),
        {
            name: [replace(example, teacher_scores=next(scores, None)) for example in candidate_texts]
            for name, candidate_texts in lists_by_collection.items()
        },
        [replace(example, teacher_scores=next(scores, None)) for example in example_lists],
        frozenset(ignored_tokens(folder)),
    )


@dataclass(frozen=True, slots=True)
class _NumberedTexts:
    """Each text once, by its place."""

    number_by_text: dict[str, int] = field(default_factory=dict)

    def place(self, text: str) -> int:
        return self.number_by_text.setdefault(text, len(self.number_by_text))

    def places(self, texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        return np.array([self.place(text) for text in texts], dtype=np.intp)


def _read_tokens(folder: Path, texts: Sequence[str]) -> list[list[Ids]]:
    limit = read_recipe(folder).max_tokens
    chunks = split_texts(open_tokeniser(folder, limit).full_ids(texts), limit)
    ids_of_texts: list[list[Ids]] = [[] for _ in texts]
    for row, ids in zip(chunks.text_rows.tolist(), chunks.chunks, strict=True):
        ids_of_texts[row].append(ids)
    return ids_of_texts


if TYPE_CHECKING:
    from training.tokens.layers import TokenLayers

_TEACHERS_SHARE = 0.65
# Of Pirá's 172 texts the layers learn the questions by heart if they are drawn as often as the others.
_MIX = {"climate_fever": 0.3, "ncar": 0.3, "pira": 0.15, "pubmedqa": 0.25}


@dataclass(frozen=True, slots=True)
class HeadRequest:
    """``sources`` as ``data.records_from`` takes them; ``licence`` of texts that Sonde does not know; ``command`` as it
    was given, for the card. ``judged``: collections on whose train halves it then learns, with the data in ``shared``:
    the directions alone, or with ``layers`` copies of the embedder's last layers too, also from ``examples``, a file,
    and from a ``teacher``, an embedder by name, with the embedder itself beside it.
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
    layers: LayerSettings | None = None
    examples: Path | None = None
    teacher: str = ""


def run_tokens(settings: Settings, request: HeadRequest, report: Callable[[str], None]) -> ModelCard:
    """Raises TrainingError and ModelMissing with one sentence."""
    refuse_existing_output(request.out, resume=False)
    if request.judged or request.layers is not None:
        needs_torch("Learning from judged questions", "training")
    model_location = locate(request.base, settings.models.folder, allow_hub=settings.models.allow_hub)
    folder = prepare_model(model_location, settings.models.folder, "states")
    by_source = {
        Path(source).name: [record.embedding_text for record in records_from(source, settings)]
        for source in request.sources
    }
    texts = [text for texts_of_source in by_source.values() for text in texts_of_source]
    report(f"Reading at most {request.settings.texts} of {len(texts)} texts.")
    fitted_head = fit_head(folder, texts, request.settings, Compute(settings.models.threads or None))
    learnt = _learnt(settings, request, model_location, folder, fitted_head, report)
    data = (
        TrainingData(name, LICENCES.get(name, request.licence), len(source_lists), "texts")
        for name, source_lists in by_source.items()
    )
    origin = Origin(request.base, licence_of(request.base, None), commit=own_commit(), reproduce=request.command)
    card = replace(
        origin.card(KIND, request.out, (*data, *learnt.used), asdict(request.settings) | learnt.settings),
        figures=figures(learnt.fitted),
        serving={"weights": model_location.digest, "dims": request.settings.dims},
    )
    return write_head(request.out, learnt.fitted, card, learnt.layers)


@dataclass(frozen=True, slots=True)
class _LearntHead:
    fitted: FittedHead
    settings: Json = field(default_factory=dict)
    used: tuple[TrainingData, ...] = ()
    layers: TokenLayers | None = None


def _learnt(
    settings: Settings,
    request: HeadRequest,
    model_location: Located,
    folder: Path,
    fitted_head: FittedHead,
    report: Callable[[str], None],
) -> _LearntHead:
    collections = {name: judged_collection(name, request.shared, "train", settings) for name in request.judged}
    search_settings = settings.model_copy(
        update={"embedder": settings.embedder.model_copy(update={"model": request.base, "tokens": "none"})}
    )
    if request.layers is not None:
        return _layers(
            search_settings,
            request,
            replace(request.layers, mix=_MIX),
            collections,
            model_location,
            folder,
            fitted_head,
            report,
        )
    if not collections:
        return _LearntHead(fitted_head)
    reader = StateReader(
        folder,
        _serving_graph(request.base, folder),
        fitted_head.head.ignored,
        Compute(settings.models.threads or None),
    )
    lists = {
        name: judged_lists(search_settings, collection, reader, report) for name, collection in collections.items()
    }
    all_names = [name for names in lists.values() for name in names]
    head = trained_head(
        fitted_head.head,
        all_names,
        request.learning,
        lambda position, loss: report(f"epoch {position}: loss {loss:.4f}"),
    )
    counts = {name: len(names) for name, names in lists.items()}
    return _LearntHead(
        replace(fitted_head, head=head), {"learning": asdict(request.learning)}, _training_data_of(counts)
    )


def _layers(
    search_settings: Settings,
    request: HeadRequest,
    layer_settings: LayerSettings,
    collections: Mapping[str, JudgedCollection],
    model_location: Located,
    folder: Path,
    fitted_head: FittedHead,
    report: Callable[[str], None],
) -> _LearntHead:
    from training.tokens.layers import TokenLayers  # imports torch

    examples = [] if request.examples is None else read_examples(request.examples)
    teachers = _teachers(search_settings, request, folder)
    lesson_data = lesson(search_settings, collections, examples, teachers, folder, layer_settings.candidates, report)
    base = trainable_folder(model_location, search_settings.models.folder)
    with transformers_for(base, threads=search_settings.models.threads or 0, seed=layer_settings.seed) as transformers:
        transformer = transformers.AutoModel.from_pretrained(str(base), use_safetensors=True, local_files_only=True)  # nosec B615
    layers = TokenLayers(transformer, fitted_head.head)
    train_layers(
        layers,
        lesson_data,
        layer_settings,
        lambda step, loss: report(f"step {step} of {layer_settings.steps}: loss {loss:.4f}"),
    )
    head = replace(
        fitted_head.head,
        mean=layers.mean.detach().cpu().numpy(),
        projection=layers.projection.detach().cpu().numpy(),
    )
    example_counts = Counter(example.corpus for example in examples)
    used = _training_data_of({name: len(lists) for name, lists in lesson_data.judged_lists.items()}) + tuple(
        TrainingData(name, LICENCES.get(name, UNKNOWN), count, "examples") for name, count in example_counts.items()
    )
    return _LearntHead(
        replace(fitted_head, head=head), {"teacher": request.teacher, "layers": asdict(layer_settings)}, used, layers
    )


def _teachers(settings: Settings, request: HeadRequest, folder: Path) -> list[TokenTeacher]:
    """The teacher and the embedder itself, which would otherwise forget."""
    if not request.teacher:
        return []
    model_location = locate(request.teacher, settings.models.folder, allow_hub=settings.models.allow_hub)
    teacher_folder = prepare_model(model_location, settings.models.folder, "states")
    compute = Compute(settings.models.threads or None)
    teachers = ((teacher_folder, request.teacher, _TEACHERS_SHARE), (folder, request.base, 1.0 - _TEACHERS_SHARE))
    return [
        TokenTeacher(
            StateReader(
                model_folder, _serving_graph(name, model_folder), frozenset(ignored_tokens(model_folder)), compute
            ),
            share,
        )
        for model_folder, name, share in teachers
    ]


def _serving_graph(name: str, folder: Path) -> str:
    """The graph of a prepared embedder that serves on this machine."""
    return serving_graph(EmbedderSpec(name), read_json(folder / "card.json"))[0]


def _training_data_of(counts: Mapping[str, int]) -> tuple[TrainingData, ...]:
    return tuple(
        TrainingData(name, LICENCES.get(name, UNKNOWN), count, "questions", "train half")
        for name, count in counts.items()
    )
