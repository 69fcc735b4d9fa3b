"""The tokenizer of E5: hand-computed divisions, and the same ids as the library ``tokenizers``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from core.errors import ModelMissing
from encoders.tokens import UnigramPieces, UnigramTokeniser, open_tokeniser, write_pieces

# The mark of a word, letters, and a few longer pieces. "rain" as one piece (-4) is likelier than "ra" + "in" (-5).
SCORES = {"<s>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -3.0, "a": -6.0, "i": -6.0, "n": -6.0, "r": -6.0}
SCORES |= {"▁rain": -4.0, "▁ra": -2.0, "in": -3.0, "rain": -5.0, "é": -7.0, "▁a": -2.5, "雨": -7.0}
PIECES = UnigramPieces(list(SCORES), [*SCORES.values()], begin=0, end=1, unknown=2, replaced={"\t": " ", "\x07": ""})
NUMBER = {text: at for at, text in enumerate(SCORES)}


@pytest.fixture(scope="module")
def tokeniser(tmp_path_factory: pytest.TempPathFactory) -> UnigramTokeniser:
    folder = tmp_path_factory.mktemp("unigram")
    write_pieces(PIECES, folder)
    opened = open_tokeniser(folder, 5)
    assert isinstance(opened, UnigramTokeniser)
    return opened


def pieces(tokeniser: UnigramTokeniser, text: str) -> list[str]:
    texts = list(SCORES)
    return [texts[at] for at in tokeniser.full_ids([text])[0]]


@pytest.mark.parametrize(
    ("text", "divided"),
    [
        ("", []),
        ("rain", ["▁rain"]),
        ("  rain\train\x07 ", ["▁rain", "▁rain"]),
        ("arain", ["▁a", "rain"]),  # -2.5 - 5, against ▁ a rain: -14
        ("e\u0301", ["▁", "é"]),  # e with a combining accent
        ("𐍈𐍈a", ["▁", "<unk>", "a"]),  # neighbouring unknown characters are one unknown piece
        ("<s>", ["▁", "<unk>"]),  # a text cannot write the special tokens
    ],
)
def test_a_text_becomes_its_likeliest_pieces(tokeniser: UnigramTokeniser, text: str, divided: list[str]) -> None:
    assert pieces(tokeniser, text) == ["<s>", *divided, "</s>"]


def test_a_long_text_is_cut_only_where_asked_and_ends_with_the_last_special_token(tokeniser: UnigramTokeniser) -> None:
    assert tokeniser.ids(["rain " * 9]) == [[0, *[NUMBER["▁rain"]] * 3, 1]]
    assert tokeniser.count(["rain " * 9, ""]) == [11, 2]
    assert pieces(tokeniser, "\ud800 rain")[-2] == "▁rain"


@pytest.fixture(scope="module")
def library() -> Tokenizer:
    known = [(text, score if score else -1e9) for text, score in SCORES.items()]
    tokenizer = Tokenizer(models.Unigram(known, NUMBER["<unk>"], byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace("\t", " "), normalizers.Replace("\x07", ""), normalizers.NFKC()]
    )
    split = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), split])
    return tokenizer


@given(text=st.text(st.sampled_from("rain \té雨x"), max_size=40))
def test_it_gives_the_ids_of_the_library(tokeniser: UnigramTokeniser, library: Tokenizer, text: str) -> None:
    assert tokeniser.full_ids([text])[0][1:-1] == library.encode(text, add_special_tokens=False).ids


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "unigram.json").write_text(json.dumps({"texts": []}))
    with pytest.raises(ModelMissing, match=r"unigram\.json is missing or damaged"):
        open_tokeniser(tmp_path, 5)
