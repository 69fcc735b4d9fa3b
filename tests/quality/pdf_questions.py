"""How well passages are found: questions written by hand over the files of ``shared/data/pdfs``, with their pages.

A question is answered at rank k where one of the first k passages is from its file and touches one of its pages.

    python -m tests.quality.pdf_questions [--json OUT]

asks the documents that `sonde ingest` put behind the settings' prefix.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from search_api.search.passages.values import AskRequest, FoundPassage

QUESTIONS = Path(__file__).with_name("pdf_questions.jsonl")
CUTS = (1, 3, 5, 8, 32, 64)


@dataclass(frozen=True, slots=True)
class Question:
    """``file`` None: nothing in the files answers it, and a refusal is right."""

    question: str
    file: str | None
    pages: tuple[int, ...]
    answer: str | None


def load_questions(path: Path = QUESTIONS) -> list[Question]:
    rows: Iterable[dict[str, Any]] = map(json.loads, path.read_text("utf-8").splitlines())
    return [Question(row["question"], row["file"], tuple(row["pages"]), row["answer"]) for row in rows]


def answers(passage: FoundPassage, asked: Question, names: dict[str, str]) -> bool:
    """Whether the passage is from the question's file and touches one of its pages; ``names``: document id to file."""
    if names.get(passage.document) != asked.file or passage.first_page is None:
        return False
    last = passage.last_page or passage.first_page
    return any(passage.first_page <= page <= last for page in asked.pages)


def rank_of(passages: Sequence[FoundPassage], asked: Question, names: dict[str, str]) -> int | None:
    """The first rank (from 1) that answers; None where none does."""
    return next((rank for rank, one in enumerate(passages, 1) if answers(one, asked, names)), None)


def recall(ranks: Sequence[int | None], cut: int) -> float:
    """0..1: the share of questions answered at rank ``cut`` or before."""
    return sum(rank is not None and rank <= cut for rank in ranks) / len(ranks)


def main() -> int:
    from search_api.search.retrieval.serving import ServingResolver
    from sonde.settings import load_settings
    from sonde.wiring.clients import elasticsearch_client
    from sonde.wiring.models import Models
    from sonde.wiring.search import answerer_of, ranking_config, search_parts

    settings = load_settings()
    client, models = elasticsearch_client(settings), Models(settings)
    resolver = ServingResolver(client, settings.index.prefix, models.embedder)
    search = search_parts(client, resolver, models, ranking_config(settings))
    asking = answerer_of(settings, settings.index.prefix, search, resolver, models, None)
    hits = client.search(index=f"{settings.index.prefix}-documents", size=1000, source_includes=["name"])["hits"][
        "hits"
    ]
    names = {hit["_id"]: hit["_source"]["name"] for hit in hits}
    report = measure(asking, resolver, names)
    sys.stdout.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    return 0


def measure(asking: Any, resolver: Any, names: dict[str, str]) -> dict[str, Any]:
    """Recall at each cut, the misses at 8, refusals right and wrong."""
    known = set(names.values())
    ranks: dict[str, int | None] = {}
    refused_wrongly: list[str] = []
    answered_wrongly: list[str] = []
    results, relevances = 0, 0.0
    for asked in load_questions():
        if asked.file is not None and asked.file not in known:
            continue
        found = asking.retriever.retrieve(
            AskRequest(asked.question, top_k=64, threshold=0.0), resolver.resolve()
        ).passages
        best = max((one.relevance for one in found[:8]), default=0.0)
        if asked.file is None:
            if best >= asking.config.threshold:
                answered_wrongly.append(asked.question)
            continue
        ranks[asked.question] = rank_of(found, asked, names)
        results += bool(found)
        relevances += best
        if best < asking.config.threshold:
            refused_wrongly.append(asked.question)
    unanswerable = sum(asked.file is None for asked in load_questions())
    return {
        "questions": len(ranks),
        **{f"recall@{cut}": round(recall(list(ranks.values()), cut), 4) for cut in CUTS},
        "with_any_result": round(results / len(ranks), 4),
        "mean_best_relevance": round(relevances / len(ranks), 4),
        "refused_wrongly": refused_wrongly,
        "unanswerable": unanswerable,
        "answered_wrongly": answered_wrongly,
        "missed_at_8": {question: rank for question, rank in ranks.items() if rank is None or rank > 8},
        "missed_at_1": {question: rank for question, rank in ranks.items() if rank != 1},
    }


if __name__ == "__main__":
    sys.exit(main())
