"""The origin of a model for its card, and the folder that it is written to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.errors import ModelMissing
from core.json_types import JsonMapping
from encoders.files import publish_folder
from encoders.model_card import ModelCard, ModelKind, TrainingData
from training.examples import Example, LabelledPair, TrainingError

UNKNOWN = "not stated"


@dataclass(frozen=True, slots=True)
class Origin:
    """``licences``: corpus -> licence, as stated by the user. ``commit`` of Sonde; ``reproduce``: the command as
    given.
    """

    base: str
    base_licence: str = UNKNOWN
    licences: Mapping[str, str] | None = None
    commit: str = ""
    reproduce: str = ""

    def training_data(
        self, examples: Iterable[Example | LabelledPair], note: str = "", what: str = "examples"
    ) -> tuple[TrainingData, ...]:
        """Examples or pairs by corpus, most first."""
        counts = Counter(example.corpus or "unnamed" for example in examples)
        licences = self.licences or {}
        return tuple(
            TrainingData(name, licences.get(name, UNKNOWN), count, what, note) for name, count in counts.most_common()
        )

    def card(self, kind: ModelKind, out: Path, data: Iterable[TrainingData], settings: JsonMapping) -> ModelCard:
        """The card of a model that is trained now, before its figures are known; ``settings`` have the ``seed``."""
        return ModelCard(
            kind=kind,
            name=out.name,
            base=self.base,
            licence=self.base_licence,
            data=tuple(data),
            settings=settings,
            seed=settings["seed"],
            commit=self.commit,
            made=utc_now(),
            figures={},
            reproduce=self.reproduce,
        )


def utc_now() -> str:
    """UTC to the second, as ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def written_model(out: Path) -> Iterator[Path]:
    """A temporary folder that becomes ``out``, unless the block raises.

    Raises TrainingError if the disk or the export fails: the checkpoint remains for another export.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with publish_folder(out) as draft:
            yield draft
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {error.strerror or error}. The checkpoint is kept.") from error
    except ModelMissing as error:
        raise TrainingError(f"The export failed, the checkpoint is kept: {error}") from error
