"""Makes the pairs that the shipped embedder was adapted with: ``python -m tests.quality.build_embedder_mix OUT.npz``.

Questions with passages that answer them, terms with definitions, claims with evidence (``data/judge``), titles,
keywords and sentences with their records. Four sources of ``data/judge`` are left out for judging, and so are NCAR's
records, the samples and every judged collection. Paragraphs of SQuAD's translations are joined with the English ones,
so that questions in other languages find English texts.

``OUT.npz``: ``ids`` and ``offsets`` (tokens of each text without special ones), ``questions``, ``passages`` and
``negatives`` (text numbers, -1 for none), ``families`` (numbers into ``names``).
"""

from __future__ import annotations

import gzip
import json
import math
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from encoders.locate import default_cache, locate
from encoders.specs import DEFAULT_EMBEDDER
from sonde.settings import load_settings
from sonde.wiring.training.corpora import records_from
from tests.shared_data import shared_data

Pair = tuple[str, str, str, str]
"""Family, question, passage, and a passage that does not answer, or nothing."""

LEFT_OUT = {"datafinder", "covidqa", "opendatabench", "agxqa"}
_FILES = ("squad2-en", "qa-latin", "qa-other-scripts", "qa-en", "domain", "claims-en", "synthetic-catalogue")
_CATALOGUES = ("esa_open_science_stac", "cornell_fgdc_geoblacklight", "second_formats")
_LANGUAGES = {"en", "de", "fr", "es", "it", "pt", "nl", "sv", "ro", "fi", "tr", "vi"}
_ONE_SENTENCE = {"qnli-dev", "unansq-dev"}
_NEAR_MISSES = {
    "lexical", "same document", "judged not relevant", "neighbouring term", "neighbouring name", "distractor",
    "other question on the same subject",
}  # fmt: skip
_FAMILY_OF = {
    "squad2-train-bt": "squad-bt",
    "fever": "claims",
    "fever-symmetric": "claims",
    **dict.fromkeys(("gemet", "gcmd", "envo", "cf-standard-names"), "terms"),
    **dict.fromkeys(
        ("aws-open-data-registry", "earthengine-catalog", "gee-community-catalog", "synthetic-esa"), "records"
    ),
}
_NAMES = re.compile(r"\d[\d.,]*\d|\d|[A-Z][\w-]{2,}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_SEED = 7
_MOST_TOKENS = 384


def judged_pairs(folder: Path, chance: random.Random) -> Iterator[Pair]:
    rows = [
        json.loads(line)
        for name in _FILES
        for line in gzip.decompress((folder / f"{name}.jsonl.gz").read_bytes()).decode().splitlines()
    ]
    near_misses: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row["label"] == 0 and row.get("why") in _NEAR_MISSES:
            near_misses[row["source"], row["question"]].append(row["passage"])
    for row in rows:
        source, language = row["source"], row["language"]
        if (
            row["label"] == 1
            and language in _LANGUAGES
            and source not in LEFT_OUT | _ONE_SENTENCE
            and source != "synthetic-ncar"
        ):
            wrong = near_misses[source, row["question"]]
            yield _family(row), row["question"], row["passage"], chance.choice(wrong) if wrong else ""
    yield from _across_languages(rows)


def _family(row: dict[str, Any]) -> str:
    source, language = row["source"], row["language"]
    if source == "gemet" and row.get("passage_language", "en") != language:
        return "cross"
    if language != "en":
        return "latin"
    return _FAMILY_OF.get(source, "squad" if source.startswith("squad") else "qa")


def _across_languages(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    """Questions with the same paragraph in the other language: of one article, those that share numbers and names."""
    articles: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if (
            row["group"].startswith("squad:dev:")
            and row["source"] not in _ONE_SENTENCE
            and row["language"] in _LANGUAGES
        ):
            questions = articles[row["group"]][row["language"]].setdefault(row["passage"], [])
            questions += [row["question"]] if row["label"] == 1 else []
    for languages in articles.values():
        english = languages.pop("en", {})
        for paragraphs in languages.values() if english else ():
            for other, same in _same_paragraphs(list(paragraphs), list(english)):
                yield from (("cross", question, same, "") for question in paragraphs[other])
                yield from (("cross", question, other, "") for question in english[same][:2])
                yield "parallel", other[:700], same, ""


def _same_paragraphs(others: list[str], english: list[str]) -> Iterator[tuple[str, str]]:
    names = [_names(text) for text in english]
    frequency = Counter(name for bag in names for name in bag)

    def size(bag: Counter[str]) -> float:
        return sum(count / max(1, frequency[name]) for name, count in bag.items()) + 0.1

    def likeness(one: Counter[str], other: Counter[str]) -> float:
        shared = sum(min(one[name], other[name]) / frequency[name] for name in one if name in other)
        return shared / math.sqrt(size(one) * size(other))

    table = np.array([[likeness(_names(text), bag) for bag in names] for text in others])
    for row, text in enumerate(others):
        best = int(table[row].argmax())
        ranked = np.sort(table[row])[::-1]
        is_clear = table[row, best] > 0.3 and (len(ranked) < 2 or ranked[0] > 1.5 * ranked[1])
        if is_clear and table[:, best].argmax() == row and 0.4 < len(text) / len(english[best]) < 2.2:
            yield text, english[best]


def _names(text: str) -> Counter[str]:
    found = _NAMES.findall(text)
    return Counter(re.sub("[.,]", "", name) if name[0].isdigit() else name[:5].lower() for name in found)


def record_pairs(folder: Path, chance: random.Random) -> Iterator[Pair]:
    seen: set[str] = set()
    for name in _CATALOGUES:
        for record in records_from(str(folder / f"{name}.tar.gz"), load_settings()):
            abstract, title = " ".join((record.abstract or "").split()), record.title.strip()
            if len(abstract) < 80 or not title or abstract in seen:
                continue
            seen.add(abstract)
            yield "records", title, abstract, ""
            terms = (keyword.term.rpartition(">")[2].strip() for keyword in record.keywords)
            keywords = [term for term in dict.fromkeys(terms) if 3 < len(term) < 50]
            if keywords:
                some = chance.sample(keywords, min(len(keywords), chance.choice([1, 2, 2, 3])))
                yield "records", " ".join(some), f"{title}\n{abstract}", ""
            sentences = [part for part in _SENTENCE_END.split(abstract) if 40 < len(part) < 250]
            if len(sentences) > 2:
                sentence = chance.choice(sentences)
                yield "records", sentence, f"{title}\n{abstract.replace(sentence, '').strip()}", ""


def main(out: Path) -> None:
    data, chance = shared_data("judge").parent, random.Random(_SEED)
    pairs = [*judged_pairs(data / "judge", chance), *record_pairs(data / "catalogues", chance)]
    families = Counter(family for family, *_ in pairs)
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(re.sub(r"[ \t]+", " ", text).strip(), len(texts)) if text else -1

    columns = [[number(text) for text in column] for column in list(zip(*pairs, strict=True))[1:]]
    tokeniser = Tokenizer.from_file(str(locate(DEFAULT_EMBEDDER, default_cache()).folder / "tokenizer.json"))
    tokeniser.no_truncation()
    tokeniser.no_padding()
    read = tokeniser.encode_batch(list(texts), add_special_tokens=False)
    tokens = [np.array(one.ids[:_MOST_TOKENS], dtype=np.uint16) for one in read]
    names = sorted(families)
    np.savez_compressed(
        out,
        ids=np.concatenate(tokens),
        offsets=np.cumsum([0, *map(len, tokens)]),
        **dict(zip(("questions", "passages", "negatives"), columns, strict=True)),  # type: ignore[arg-type]
        families=[names.index(family) for family, *_ in pairs],
        names=names,
    )
    sys.stderr.write(f"{len(pairs)} pairs of {len(texts)} texts: {dict(families)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
