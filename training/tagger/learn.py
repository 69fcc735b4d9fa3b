"""Learns a tagger from made questions, and measures it on questions of other names and frames.

``encoders.tagger`` computes with numpy what the network here learns.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from core.ports import NameLexicon
from encoders.model_card import ModelCard, TrainingData, write_card
from encoders.tagger import FILE, KIND, LABELS, LAYERS, ROWS, TAGS, QuestionTagger, feature_rows
from reading.gazetteer import Gazetteer
from reading.name_marks import NO_MARK, NameMarks
from reading.places import PlaceReader
from training.examples import TrainingError
from training.provenance import Origin, written_model
from training.tagger.names import CatalogueNames, GazetteerNames, Half, topics_by_language
from training.tagger.questions import QuestionMaker, TaggedQuestion

_WIDTH, _STATES = 32, 80


class Maxout(nn.Module):
    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, 2 * _STATES)
        self.norm = nn.LayerNorm(_STATES, eps=1e-5)

    def forward(self, states: Tensor) -> Tensor:
        pieces = self.linear(states)
        normal: Tensor = self.norm(pieces.unflatten(-1, (_STATES, 2)).amax(-1))
        return normal

    def tensors(self, name: str) -> dict[str, Tensor]:
        return {
            f"{name}.weight": self.linear.weight,
            f"{name}.bias": self.linear.bias,
            f"{name}.scale": self.norm.weight,
            f"{name}.shift": self.norm.bias,
        }


class TaggerNetwork(nn.Module):
    """(questions, words, features) rows to (questions, words, tags); ``mask`` is 0 for words that only fill."""

    def __init__(self, drop: float) -> None:
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(rows, _WIDTH) for rows in ROWS)
        for values in self.word_vectors():
            nn.init.normal_(values, std=0.3)
        self.first = Maxout(_WIDTH * len(ROWS))
        self.layers = nn.ModuleList(Maxout(3 * _STATES) for _ in range(LAYERS))
        self.tags = nn.Linear(_STATES, len(TAGS))
        self.drop = nn.Dropout(drop)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        embedded = torch.cat([embedding(rows[..., number]) for number, embedding in enumerate(self.embeddings)], -1)
        states = self.first(self.drop(embedded)) * mask
        for layer in self.layers:
            padded = nn.functional.pad(states, (0, 0, 1, 1))
            states = states + layer(self.drop(torch.cat([padded[:, :-2], states, padded[:, 2:]], -1)))
            states = states * mask
        scores: Tensor = self.tags(states)
        return scores

    def word_vectors(self) -> list[Tensor]:
        """The values of each feature's embedding, to be changed in place."""
        return [embedding.weight.data for embedding in self.embeddings if isinstance(embedding, nn.Embedding)]

    def tensors(self) -> dict[str, Tensor]:
        named = {f"embed.{number}": values for number, values in enumerate(self.word_vectors())}
        named |= self.first.tensors("first")
        for number, layer in enumerate(self.layers):
            named |= layer.tensors(f"layer.{number}") if isinstance(layer, Maxout) else {}
        return named | {"tags.weight": self.tags.weight, "tags.bias": self.tags.bias}


_IGNORED = -100
_MOST_PLACES = 5
_HIDDEN_LABELS = frozenset(("O", "B-PLACE", "I-PLACE", "B-PERSON", "I-PERSON"))
"""Words of these are learnt without their mark or as an unknown word, so that the tagger reads names that the gazetteer
does not have. Of other names the words that are fixed say what they are."""


@dataclass(frozen=True, slots=True)
class TaggerSettings:
    """``hidden``: share of the places' names that are learnt without a mark, and of all words that are unknown."""

    questions: int = 24_000
    measured: int = 4000
    epochs: int = 5
    batch: int = 128
    rate: float = 4e-3
    drop: float = 0.2
    hidden: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.questions, self.measured, self.epochs, self.batch) < 1 or self.rate <= 0:
            raise TrainingError("Questions, epochs and batch are at least 1, and the rate is above 0.")


Report = Callable[[str], None]


def train_tagger(
    catalogue: CatalogueNames, settings: TaggerSettings, origin: Origin, out: Path, report: Report = lambda _: None
) -> ModelCard:
    """Writes ``out`` and returns its card. Raises TrainingError if the disk fails."""
    gazetteer = Gazetteer()
    marks = NameMarks(gazetteer)
    questions = question_maker(gazetteer, catalogue, "learnt", settings.seed).questions(settings.questions)
    measured = question_maker(gazetteer, catalogue, "measured", settings.seed).questions(settings.measured)
    report(f"{len(questions)} questions are made")
    network = learn(questions, marks, settings, report)
    with written_model(out) as draft:
        save_file({name: v.detach().numpy().astype(np.float16) for name, v in network.tensors().items()}, draft / FILE)
        card = _card(out, settings, catalogue, origin)
        write_card(draft, card)
        tagger = QuestionTagger(draft, marks)
        figures = {
            **measure(tagger, measured),
            **measure_places("rules alone", PlaceReader(gazetteer), measured),
            **measure_places("rules and tagger", PlaceReader(gazetteer, tagger=tagger), measured),
        }
        card = replace(card, figures=figures)
        write_card(draft, card)
    return card


def question_maker(gazetteer: Gazetteer, catalogue: CatalogueNames, half: Half, seed: int) -> QuestionMaker:
    topics = topics_by_language(gazetteer, catalogue, half)
    return QuestionMaker(GazetteerNames(gazetteer, half), topics, catalogue, half, seed)


def learn(
    questions: Sequence[TaggedQuestion], lexicon: NameLexicon, settings: TaggerSettings, report: Report = lambda _: None
) -> TaggerNetwork:
    """A network that was trained on one core."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    network = TaggerNetwork(settings.drop)
    rows = [feature_rows(question.words, lexicon.marks(question.words)) for question in questions]
    chance = np.random.default_rng(settings.seed)
    optimiser = torch.optim.AdamW(network.parameters(), lr=settings.rate, weight_decay=0.01)
    steps = settings.epochs * -(-len(rows) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, total_steps=steps)
    for epoch in range(settings.epochs):
        losses = []
        for part in _batches(len(rows), settings.batch, settings.seed + epoch):
            shown = [_hidden(rows[number], questions[number].tags, settings.hidden, chance) for number in part]
            inputs, mask, tags = _padded(shown, [questions[number].tags for number in part])
            scores = network(inputs, mask)
            loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), tags.flatten(), ignore_index=_IGNORED)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
        report(f"epoch {epoch + 1} of {settings.epochs}: loss {np.mean(losses):.4f}")
    _forget_unseen(network, np.concatenate(rows))
    return network.eval()


def _forget_unseen(network: TaggerNetwork, rows: np.ndarray) -> None:
    """A word that the training has not becomes the unknown word; its beginning and end become the mean ones."""
    for number, values in enumerate(network.word_vectors()):
        is_seen = torch.zeros(ROWS[number], dtype=torch.bool)
        is_seen[torch.from_numpy(rows[:, number])] = True
        values[~is_seen] = values[is_seen].mean(0) if number else values[0].clone()


def _batches(count: int, size: int, seed: int) -> Iterator[list[int]]:
    order = list(range(count))
    random.Random(seed).shuffle(order)  # noqa: S311 # nosec B311 - an order to be repeated
    for start in range(0, count, size):
        yield order[start : start + size]


def _hidden(rows: np.ndarray, tags: Sequence[int], share: float, chance: np.random.Generator) -> np.ndarray:
    """The features with some marks and some words taken out; a mark of a whole name at a time."""
    rows = rows.copy()
    may = np.array([TAGS[tag] in _HIDDEN_LABELS for tag in tags])
    rows[may & (chance.random(len(rows)) < 1.5 * share), 0] = 0
    if chance.random() < share:
        rows[[TAGS[tag].endswith(("-PLACE", "-PERSON")) for tag in tags], -1] = feature_rows(["x"], [NO_MARK])[0, -1]
    return rows


def _padded(
    rows: Sequence[np.ndarray], tags: Sequence[Sequence[int]]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    longest = max(len(row) for row in rows)
    inputs = np.zeros((len(rows), longest, len(ROWS)), dtype=np.int64)
    mask = np.zeros((len(rows), longest, 1), dtype=np.float32)
    targets = np.full((len(rows), longest), _IGNORED, dtype=np.int64)
    for number, (row, row_tags) in enumerate(zip(rows, tags, strict=True)):
        inputs[number, : len(row)], mask[number, : len(row)], targets[number, : len(row)] = row, 1.0, row_tags
    return torch.from_numpy(inputs), torch.from_numpy(mask), torch.from_numpy(targets)


def measure(tagger: QuestionTagger, questions: Sequence[TaggedQuestion]) -> dict[str, float]:
    """Precision and recall of each label's exact spans."""
    right: Counter[str] = Counter()
    tagged: Counter[str] = Counter()
    expected_count: Counter[str] = Counter()
    for question in questions:
        entities, expected = tagger.entities(question.text), question.entities
        tagged.update(entity.label for entity in entities)
        expected_count.update(entity.label for entity in expected)
        right.update(entity.label for entity in {*entities} & {*expected})
    figures = {}
    for label in LABELS:
        figures[f"{label} precision"] = round(right[label] / max(1, tagged[label]), 4)
        figures[f"{label} recall"] = round(right[label] / max(1, expected_count[label]), 4)
    return figures


def measure_places(name: str, reader: PlaceReader, questions: Sequence[TaggedQuestion]) -> dict[str, float]:
    """Precision and recall of the reader's places, as the service uses them; a place that overlaps is right."""
    right = read = met = expected_count = 0
    for question in questions:
        mentions = [(m.start, m.end) for m in reader.read(question.text, question.language, _MOST_PLACES)]
        places = [(e.start, e.end) for e in question.entities if e.label == "PLACE"]
        right += sum(_overlaps(mention, places) for mention in mentions)
        met += sum(_overlaps(place, mentions) for place in places)
        read, expected_count = read + len(mentions), expected_count + len(places)
    return {
        f"{name} precision": round(right / max(1, read), 4),
        f"{name} recall": round(met / max(1, expected_count), 4),
    }


def _overlaps(span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in spans)


def _card(out: Path, settings: TaggerSettings, catalogue: CatalogueNames, origin: Origin) -> ModelCard:
    """Without figures: the tagger is measured as it is loaded from its folder, which needs the card."""
    counts = f"{settings.measured} others, of other names, frames and wordings, are measured"
    names = len(catalogue.topics) + len(catalogue.people) + len(catalogue.organisations)
    data = [
        TrainingData(
            "questions made from the gazetteer, vocabulary and acronyms of Sonde",
            "see NOTICE",
            settings.questions,
            "questions",
            counts,
        ),
        *(
            TrainingData(f"names of the records of {source}", licence, names, "names")
            for source, licence in catalogue.licences
        ),
    ]
    return replace(
        origin.card(KIND, out, data, asdict(settings)),
        note="Labels the words of a question. Measured on made questions, which are easier than real ones.",
        serving={"labels": list(LABELS)},
    )
