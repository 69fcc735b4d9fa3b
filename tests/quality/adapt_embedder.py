"""Adapts the embedder that ships, on a GPU: ``python -m tests.quality.adapt_embedder MIX.npz BASE TEACHER OUT``.

BASE and TEACHER are folders with safetensors: all-MiniLM-L6-v2 and bge-small-en-v1.5. The loss of a step is the sum of

- the answering passage against all other passages of the step (van den Oord et al., arXiv:1807.03748), by cosines,
- the same by late interaction of the token states (Khattab and Zaharia, SIGIR 2020), x 0.3,
- the divergence from the mean of the cosines of BASE and TEACHER, which keeps what is known of other fields.

Word and position vectors stay as they are. A minute on a large GPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional
from transformers import BertModel

SHARES = {
    "squad-bt": 0.35, "squad": 1.0, "qa": 1.0, "latin": 0.5, "cross": 1.5, "parallel": 1.0, "terms": 1.2, "claims": 0.7,
    "records": 2.5,
}  # fmt: skip
"""Of a family in the steps, beside the number of its pairs to the power of 0.7. A step has pairs of one family."""
_SCALE = 20.0
_LATE, _LATE_PAIRS = 0.3, 96
_PAIRS, _SECONDS, _RATE, _WARM = 512, 60.0, 5e-5, 20
_QUESTION, _PASSAGE, _PARALLEL = 64, 160, 128  # tokens
_BGE_QUESTION = (5050, 2023, 6251, 2005, 6575, 7882, 13768, 1024)  # its instruction
_START, _END = 101, 102


@dataclass(frozen=True)
class Mix:
    ids: torch.Tensor
    offsets: torch.Tensor
    columns: dict[str, np.ndarray[Any, Any]]
    names: Sequence[str]

    @classmethod
    def read(cls, path: Path, device: str) -> Mix:
        arrays = np.load(path)
        columns = {name: arrays[name] for name in ("questions", "passages", "negatives", "families")}
        ids = torch.from_numpy(arrays["ids"].astype(np.int32)).to(device)
        return cls(ids, torch.from_numpy(arrays["offsets"]).to(device), columns, arrays["names"].tolist())

    def batch(self, texts: Any, limit: int, prefix: Sequence[int] = ()) -> tuple[torch.Tensor, torch.Tensor]:
        """Token ids and mask, (n, tokens)."""
        device, before = self.ids.device, len(prefix)
        texts = torch.as_tensor(texts, device=device)
        starts = self.offsets[texts]
        counts = torch.clamp(self.offsets[texts + 1] - starts, max=limit - 2 - before)
        places = torch.arange(int(counts.max()) + 2 + before, device=device)[None, :]
        at = places - 1 - before
        rows = self.ids[(starts[:, None] + at.clamp(min=0)).clamp(max=len(self.ids) - 1)].long()
        rows = torch.where((at >= 0) & (at < counts[:, None]), rows, 0)
        rows[:, 0] = _START
        rows[:, 1 : 1 + before] = torch.tensor(prefix, device=device, dtype=torch.long)
        rows.scatter_(1, (counts + 1 + before)[:, None], _END)
        return rows, places < (counts + 2 + before)[:, None]


@dataclass
class Encoder:
    model: BertModel
    is_bge: bool

    @classmethod
    def read(cls, folder: Path, device: str, *, is_bge: bool) -> Encoder:
        model = BertModel.from_pretrained(str(folder), add_pooling_layer=False).to(device)  # type: ignore[arg-type]
        model.embeddings.requires_grad_(False)
        return cls(model, is_bge)

    def __call__(self, rows: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Unit vectors (n, dims) and token states (n, tokens, dims)."""
        with torch.autocast(rows.device.type, torch.bfloat16, enabled=rows.is_cuda):
            states = self.model(input_ids=rows, attention_mask=mask.long()).last_hidden_state
        states = states.float()
        pooled = states[:, 0] if self.is_bge else (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(pooled, dim=-1), states

    @torch.no_grad()
    def embed(self, mix: Mix, texts: np.ndarray[Any, Any], limit: int, prefix: Sequence[int] = ()) -> torch.Tensor:
        self.model.eval()  # type: ignore[no-untyped-call]
        return torch.cat(
            [self(*mix.batch(texts[at : at + 1024], limit, prefix))[0] for at in range(0, len(texts), 1024)]
        )


class Teachers:
    """Cosines of the base and the teacher, each scaled to the spread of the base's."""

    def __init__(self, mix: Mix, encoders: Sequence[Encoder]) -> None:
        questions = np.unique(mix.columns["questions"])
        passages = np.unique(np.concatenate([mix.columns["passages"], mix.columns["negatives"]]).clip(0))
        self._rows = {side: _numbers(texts, len(mix.offsets)) for side, texts in (("q", questions), ("p", passages))}
        self._sides: list[tuple[torch.Tensor, torch.Tensor, float]] = []
        for encoder in encoders:
            asked = encoder.embed(mix, questions, _QUESTION, _BGE_QUESTION if encoder.is_bge else ())
            read = encoder.embed(mix, passages, 192)
            self._sides.append((asked, read, float((asked[::101] @ read[::101].T).std())))

    def scores(self, questions: Any, passages: Any) -> torch.Tensor:
        spread = self._sides[0][2]
        rows, columns = self._rows["q"][questions], self._rows["p"][passages]
        products = [asked[rows] @ read[columns].T * (spread / own) for asked, read, own in self._sides]
        return torch.stack(products).mean(0) * 1.2 * _SCALE


def _numbers(texts: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, Any]:
    numbers = np.zeros(count, dtype=np.int64)
    numbers[texts] = np.arange(len(texts))
    return numbers


def loss_of(encoder: Encoder, mix: Mix, teachers: Teachers, rows: np.ndarray[Any, Any], limit: int) -> torch.Tensor:
    columns, device = mix.columns, mix.ids.device
    questions, passages, near = columns["questions"][rows], columns["passages"][rows], columns["negatives"][rows]
    texts = np.concatenate([passages, near[near >= 0][: len(rows) // 2]])
    question_rows, question_mask = mix.batch(questions, limit)
    asked, question_states = encoder(question_rows, question_mask)
    passage_rows, passage_mask = mix.batch(texts, _PASSAGE)
    read, passage_states = encoder(passage_rows, passage_mask)
    right = torch.arange(len(rows), device=device)
    # Another pair with the same question or passage is no wrong answer.
    twins = passages[:, None] == texts[None, :]
    twins[:, : len(rows)] |= questions[:, None] == questions[None, :]
    np.fill_diagonal(twins, val=False)
    twins = torch.from_numpy(twins).to(device)
    scores = asked @ read.T * _SCALE
    loss = functional.cross_entropy(scores.masked_fill(twins, -1e4), right)
    wanted = teachers.scores(questions, texts).softmax(1)
    loss = loss + functional.kl_div(scores.log_softmax(1), wanted, reduction="batchmean")
    few = min(len(rows), _LATE_PAIRS)
    with torch.autocast(device.type, torch.bfloat16, enabled=mix.ids.is_cuda):
        likeness = torch.einsum(
            "qld,pmd->qplm",
            functional.normalize(question_states[:few], dim=-1),
            functional.normalize(passage_states[:few], dim=-1),
        )
    best = likeness.masked_fill(~passage_mask[None, :few, None, :], -1).amax(-1).float()
    counted = question_mask[:few].float()
    counted[:, 0] = 0
    late = (best * counted[:, None, :]).sum(-1) / counted.sum(1).clamp(min=1)[:, None] * _SCALE
    return loss + _LATE * functional.cross_entropy(late.masked_fill(twins[:few, :few], -1e4), right[:few])


def adapt(mix: Mix, encoder: Encoder, teachers: Teachers, seconds: float, pairs: int) -> int:
    """Returns the number of steps."""
    random = np.random.default_rng(0)
    torch.manual_seed(0)
    model = encoder.model.train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.05
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": [one for one in learning if one.ndim > 1], "weight_decay": 0.01},
            {"params": [one for one in learning if one.ndim < 2], "weight_decay": 0.0},
        ]
    )
    pools = [np.where(mix.columns["families"] == number)[0] for number in range(len(mix.names))]
    shares = np.array([len(pool) ** 0.7 * SHARES[name] for pool, name in zip(pools, mix.names, strict=True)])
    start, step = time.monotonic(), 0
    while (spent := time.monotonic() - start) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = _RATE * min(1, (step + 1) / _WARM) * max(0.02, 1 - spent / seconds)
        family = random.choice(len(pools), p=shares / shares.sum())
        rows = random.choice(pools[family], pairs, replace=len(pools[family]) < pairs)
        loss = loss_of(encoder, mix, teachers, rows, _PARALLEL if mix.names[family] == "parallel" else _QUESTION)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        step += 1
    return step


def main(mix_file: Path, base: Path, teacher: Path, out: Path, seconds: float = _SECONDS, pairs: int = _PAIRS) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    mix = Mix.read(mix_file, device)
    learner = Encoder.read(base, device, is_bge=False)
    teachers = Teachers(mix, [learner, Encoder.read(teacher, device, is_bge=True)])
    steps = adapt(mix, learner, teachers, seconds, pairs)
    learner.model.save_pretrained(str(out), safe_serialization=True)
    sys.stderr.write(f"{steps} steps\n")


if __name__ == "__main__":
    given_mix, given_base, given_teacher, given_out = map(Path, sys.argv[1:5])
    main(given_mix, given_base, given_teacher, given_out)
