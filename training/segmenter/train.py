"""Trains a segmenter, a next-sentence classifier: from running text to a model folder.

The examples are boundaries between sentences; it is measured by how well coherence finds the ends of sections.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.batched import batched
from encoders.locate import Located, weights_digest
from encoders.model_card import CARD, ModelCard, TrainingData, write_card
from encoders.onnx_session import Compute, pad_inputs
from encoders.prepare import prepare_model
from encoders.reference_results import record_segmenter
from encoders.segmenter import NextSentence, SentencePairTokeniser, windows
from indexer.documents.parse.model import Block, ReadDocument
from indexer.documents.parse.sections import sections
from indexer.documents.segment.passages import Coherence
from reading.sentences import sentences
from training.calibration import area_under_curve
from training.corpora import CorpusDocument
from training.examples import TrainingError, is_held_out
from training.loop import Checkpoints, FinishedTraining, OnEvaluation, Optimisation, TrainingBudget
from training.provenance import UNKNOWN, Origin, written_model
from training.weights import copy_files, transformers_for

_LEAST_WORDS = 3  # a shorter "sentence" is a number or an initial


@dataclass(frozen=True, slots=True)
class RunningText:
    """Consecutive sentences: of one section of ``document``, or of one abstract."""

    document: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentencePair:
    """``label`` is BERT's: 1 means that ``after`` does not follow ``before``."""

    document: str
    before: str
    after: str
    label: int


def running_of_documents(documents: Iterable[CorpusDocument]) -> list[RunningText]:
    """Descriptions of records, each a separate text; boundaries are inside the description."""
    return _running_texts((document.group, document.text) for document in documents)


def running_of_read(document: ReadDocument, name: str) -> list[RunningText]:
    """The running text of each section."""
    return _running_texts((name, _text(section.blocks)) for section in sections(document.blocks))


def _running_texts(texts: Iterable[tuple[str, str]]) -> list[RunningText]:
    split = ((document, _sentences(text)) for document, text in texts)
    return [RunningText(document, sentences) for document, sentences in split if len(sentences) > 1]


def _text(blocks: Iterable[Block]) -> str:
    return " ".join(block.text for block in blocks if block.kind == "text" and block.table is None)


def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences(text) if len(sentence.split()) >= _LEAST_WORDS)


def sentence_pairs_of(texts: Sequence[RunningText], window: int, seed: int) -> list[SentencePair]:
    """Every boundary of every text, and a false one for each: half of them continue elsewhere in the same document,
    half in another one. If a document has no other place, another document is used.

    Raises TrainingError for a single document.
    """
    documents = {text.document for text in texts}
    if len(documents) < 2:
        raise TrainingError(
            f"A segmenter learns from two documents or more on each side of the split, not {len(documents)}."
        )
    chance = random.Random(seed)  # noqa: S311 # nosec B311
    places = _Places(texts, window)
    pairs: list[SentencePair] = []
    for number, text in enumerate(texts):
        before, after = windows(text.sentences, window)
        for position, (first, second) in enumerate(zip(before, after, strict=True)):
            pairs.append(SentencePair(text.document, first, second, 0))
            pairs.append(SentencePair(text.document, first, places.elsewhere(number, position, chance), 1))
    return pairs


class _Places:
    """The places from which a false continuation can come."""

    def __init__(self, texts: Sequence[RunningText], window: int) -> None:
        self._texts, self._window = texts, window
        self._of: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            self._of.setdefault(text.document, []).append(number)

    def elsewhere(self, number: int, position: int, chance: random.Random) -> str:
        document = self._texts[number].document
        if chance.random() < 0.5 and (place := self._in_document(number, position, chance)) is not None:
            return place
        while True:
            row = chance.randrange(len(self._texts))
            if self._texts[row].document != document:
                return self._sentence(row, chance.randrange(len(self._texts[row].sentences)))

    def _in_document(self, number: int, position: int, chance: random.Random) -> str | None:
        """Not the sentences around the boundary: neither the next ones nor the previous ones."""
        nearby = {position + 1 + step for step in range(-self._window, self._window + 1)}
        fit = [
            (row, place)
            for row in self._of[self._texts[number].document]
            for place in range(len(self._texts[row].sentences))
            if row != number or place not in nearby
        ]
        return self._sentence(*chance.choice(fit)) if fit else None

    def _sentence(self, number: int, place: int) -> str:
        return " ".join(self._texts[number].sentences[place : place + self._window])


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Sentences of a whole document; ``ends``: boundaries (from 0) at which a section ends."""

    sentences: tuple[str, ...]
    ends: frozenset[int]


@dataclass(frozen=True, slots=True)
class SectionEndScores:
    """``auc``: the probability that a boundary inside a section coheres more than one between sections (.5 by chance);
    ``hits``: of the weakest boundaries, as many as there are ends, the share at or next to an end.
    """

    auc: float
    hits: float
    ends: int
    boundaries: int


def boundaries_of(document: ReadDocument) -> Boundaries:
    """Only running text, without headings, because they would reveal the ends."""
    sentences: list[str] = []
    ends: set[int] = set()
    for section in sections(document.blocks):
        section_sentences = _sentences(_text(section.blocks))
        if section_sentences and sentences:
            ends.add(len(sentences) - 1)
        sentences.extend(section_sentences)
    return Boundaries(tuple(sentences), frozenset(ends))


def section_end_scores(boundaries: Boundaries, coherence: Coherence) -> SectionEndScores | None:
    """None if there is no end to find, or only ends."""
    ends = boundaries.ends
    if not ends or len(ends) >= len(boundaries.sentences) - 1:
        return None
    scores = np.array(coherence(boundaries.sentences), dtype=np.float64)
    is_end = np.zeros(len(scores), dtype=bool)
    is_end[sorted(ends)] = True
    weakest = np.argsort(scores, kind="stable")[: len(ends)]
    near_ends = ends | {end - 1 for end in ends} | {end + 1 for end in ends}
    hits = sum(int(position) in near_ends for position in weakest) / len(ends)
    return SectionEndScores(area_under_curve(scores, ~is_end), hits, len(ends), len(scores))


if TYPE_CHECKING:
    from torch import Tensor

LEAST_SENTENCES = 100
_MAX_EVALUATED = 600
_BATCH = 64
_COPIED_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")


@dataclass(frozen=True, slots=True)
class SegmenterSettings:
    """``layers``: number of the base's lowest layers to keep (0: all); ``window`` sentences on each side of a boundary;
    ``max_tokens`` of both sides together, in training and in service. ``threads`` 0: torch's.
    """

    layers: int = 3
    window: int = 2
    max_tokens: int = 128
    batch: int = 32
    learning_rate: float = 5e-5
    seed: int = 0
    device: str = "cpu"
    threads: int = 0

    def __post_init__(self) -> None:
        if self.window < 1 or self.batch < 1 or self.learning_rate <= 0 or self.max_tokens < 16:
            raise TrainingError("Window and batch are at least 1, max_tokens at least 16, and the rate is above 0.")


def train_segmenter(
    base: Path,
    texts: Sequence[RunningText],
    settings: SegmenterSettings,
    budget: TrainingBudget,
    origin: Origin,
    out: Path,
    *,
    held_out: float = 0.1,
    resume: bool = False,
    report: OnEvaluation = lambda _: None,
) -> ModelCard:
    """Writes ``out`` and returns its card; whole documents are held out. Raises TrainingError for too little text, a
    full disk, a diverging loss. Checkpoints are next to ``out`` until the model is written.
    """
    pairs, held_out_pairs = _split(texts, settings, held_out)
    identity = {**asdict(settings), "base": str(base), "boundaries": len(pairs), "held_out": len(held_out_pairs)}
    checkpoints = Checkpoints.of_output(out, identity, resume=resume)
    learner = SegmenterLearner(base, pairs, held_out_pairs[:_MAX_EVALUATED], settings)
    optimisation = Optimisation(settings.learning_rate, settings.device, settings.seed)
    from training.trainer import train  # imports torch

    training = train(learner, optimisation, budget, checkpoints, report)
    data = _training_data(texts, len(pairs), len(held_out_pairs), origin)
    card = replace(
        origin.card("segmenter", out, data, {**asdict(settings), **asdict(budget)}),
        figures=_figures(learner, held_out_pairs, training),
        serving={"max_tokens": settings.max_tokens, "window": settings.window},
    )
    card = _write(out, learner, card)
    checkpoints.discard()
    return card


class SegmenterLearner:
    """training.loop.Learner; the seed and the step's number decide its pairs."""

    def __init__(
        self, base: Path, pairs: Sequence[SentencePair], held_out: Sequence[SentencePair], settings: SegmenterSettings
    ) -> None:
        """Raises ModelMissing if ``base`` is not an encoder with weights."""
        self.base, self.settings = base, settings
        self.module = _load(base, settings)
        self._tokens = SentencePairTokeniser(base / "tokenizer.json", settings.max_tokens)
        self._pairs, self._held_out = list(pairs), list(held_out)

    def loss(self, step: int) -> Tensor:
        import torch

        pairs = self.draw(step)
        labels = torch.tensor([pair.label for pair in pairs]).to(self.settings.device)
        return torch.nn.functional.cross_entropy(self._logits(pairs), labels)

    def measure(self) -> float:
        """The probability that a true boundary coheres more than a false one, 0..1."""
        scores = self.coherence(self._held_out)
        return area_under_curve(scores, np.array([pair.label == 0 for pair in self._held_out]))

    def draw(self, step: int) -> list[SentencePair]:
        """Every pair once per epoch, each time in another order."""
        size = min(self.settings.batch, len(self._pairs))
        epoch, place = divmod((step - 1) * size, len(self._pairs) - len(self._pairs) % size)
        order = list(range(len(self._pairs)))
        random.Random(f"{self.settings.seed}:epoch:{epoch}").shuffle(order)  # noqa: S311 # nosec B311
        return [self._pairs[row] for row in order[place : place + size]]

    def coherence(self, pairs: Sequence[SentencePair]) -> NDArray[np.float64]:
        """(n,) probability that the second continues the first."""
        import torch

        self.module.eval()
        with torch.inference_mode():
            parts = [torch.softmax(self._logits(part), dim=1)[:, 0].cpu().numpy() for part in batched(pairs, _BATCH)]
        self.module.train()
        return np.concatenate(parts).astype(np.float64)

    def save(self, folder: Path) -> None:
        """Weights and tokenizer. Raises OSError if the disk fails."""
        self.module.save_pretrained(str(folder), safe_serialization=True)
        copy_files(self.base, folder, _COPIED_FILES)

    def _logits(self, pairs: Sequence[SentencePair]) -> Any:
        import torch

        arrays, _ = pad_inputs(self._tokens.tokens([pair.before for pair in pairs], [pair.after for pair in pairs]))
        tensors = {name: torch.from_numpy(array).to(self.settings.device) for name, array in arrays.items()}
        return self.module(**tensors).logits


def _load(base: Path, settings: SegmenterSettings) -> Any:
    with transformers_for(base, threads=settings.threads, seed=settings.seed) as transformers:
        config = transformers.AutoConfig.from_pretrained(str(base), local_files_only=True)  # nosec B615
        config.num_labels = 2
        config.num_hidden_layers = min(settings.layers or config.num_hidden_layers, config.num_hidden_layers)
        module = transformers.AutoModelForSequenceClassification.from_pretrained(  # nosec B615
            str(base), config=config, use_safetensors=True, local_files_only=True
        )
    return module.to(settings.device).train()


def _split(
    texts: Sequence[RunningText], settings: SegmenterSettings, share: float
) -> tuple[list[SentencePair], list[SentencePair]]:
    """False boundaries are drawn within each side, so that no held-out sentence is used for training."""
    count = sum(len(text.sentences) for text in texts)
    if count < LEAST_SENTENCES:
        raise TrainingError(f"{count} sentences are too little text for a segmenter; give {LEAST_SENTENCES} or more.")
    sides = [
        [text for text in texts if is_held_out(text.document, share, settings.seed) is held_out]
        for held_out in (False, True)
    ]
    pairs, held_out_pairs = (sentence_pairs_of(side, settings.window, settings.seed) for side in sides)
    order = np.random.default_rng(settings.seed).permutation(len(held_out_pairs))
    return pairs, [held_out_pairs[row] for row in order]


def _figures(
    learner: SegmenterLearner, held_out: Sequence[SentencePair], training: FinishedTraining
) -> dict[str, object]:
    scores = learner.coherence(held_out)
    false = np.array([pair.label == 1 for pair in held_out])
    return {
        **training.figures("held-out AUC"),
        "held-out accuracy": float(((scores < 0.5) == false).mean()),
        "held-out boundaries": len(held_out),
    }


def _training_data(texts: Sequence[RunningText], train: int, held_out: int, origin: Origin) -> tuple[TrainingData, ...]:
    documents = len({text.document for text in texts})
    licence = "; ".join(f"{name}: {licence}" for name, licence in (origin.licences or {}).items()) or UNKNOWN
    return (
        TrainingData("running text", licence, train, "boundaries", f"{documents} documents in all"),
        TrainingData("running text", licence, held_out, "boundaries", "held out"),
    )


def _write(out: Path, learner: SegmenterLearner, card: ModelCard) -> ModelCard:
    """The card with the written graph's results on the sample."""
    with written_model(out) as draft:
        learner.save(draft)
        (draft / CARD).write_text(json.dumps({**card.serving, "kind": card.kind}), encoding="utf-8")
        scratch = draft / ".scratch"
        scratch.mkdir()
        prepared_folder = prepare_model(Located(draft.name, draft, weights_digest(draft)), scratch, "logits")
        (prepared_folder / "model.onnx").replace(draft / "model.onnx")
        shutil.rmtree(scratch)
        card = replace(card, recorded=record_segmenter(NextSentence(draft, Compute(1))))
        write_card(draft, card)
    return card
