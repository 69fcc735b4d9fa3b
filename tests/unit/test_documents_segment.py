"""Passages: parted at the weakest joint, never inside a sentence or a row, never longer than is read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document import WhereWhen, section_at
from core.ports import EmbedderCard, TextKind, Vectors
from es_mappings.codecs.passages import from_document, to_document
from indexer.documents.parse.model import Block, FrontMatter, ReadDocument, Table
from indexer.documents.parse.sections import sections
from indexer.documents.segment.passages import SegmentOptions, add_overlap, embedding_text, segment, split_at_weakest
from indexer.documents.segment.units import Unit, table_texts
from reading.sentences import sentences
from search_api.catalogue.documents.answers import cited_json, quote_place


class CountingEmbedder:
    """A stub, not a model: a word is a token, two special ones around; all vectors are alike."""

    card = EmbedderCard("test/counting", 4, 40, 0.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:  # noqa: ARG002
        return np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(texts), 1))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) + 2 for text in texts]


def unit(tokens: int, name: str = "u") -> Unit:
    return Unit(name, tokens, 1, 1)


def document(*blocks: Block, title: str = "") -> ReadDocument:
    return ReadDocument("text", blocks, FrontMatter(title=title))


def test_the_weakest_joint_is_parted_first() -> None:
    units = [unit(10, name) for name in "abcd"]
    assert [[u.text for u in g] for g in split_at_weakest(units, [0.9, 0.1, 0.8], 20)] == [["a", "b"], ["c", "d"]]
    assert [[u.text for u in g] for g in split_at_weakest(units, [0.1, 0.9, 0.9], 30)] == [["a"], ["b", "c", "d"]]


def test_a_joint_near_an_end_is_taken_only_where_there_is_no_other() -> None:
    """A quarter of a passage is the least: the joint after ``a`` (4 of 20 tokens) is weaker, but too near."""
    units = [unit(4, "a"), unit(16, "b"), unit(10, "c")]
    assert [[u.text for u in g] for g in split_at_weakest(units, [0.0, 0.5], 20)] == [["a", "b"], ["c"]]


@given(st.lists(st.integers(1, 20), min_size=1, max_size=40), st.integers(20, 60), st.data())
def test_every_unit_is_kept_once_in_order_and_no_group_is_too_long(
    lengths: list[int], room: int, data: st.DataObject
) -> None:
    units = [unit(length, str(number)) for number, length in enumerate(lengths)]
    joints = data.draw(st.lists(st.floats(-1, 1), min_size=len(units) - 1, max_size=len(units) - 1))
    groups = split_at_weakest(units, joints, room)
    assert [u.text for group in groups for u in group] == [u.text for u in units]
    assert all(sum(u.tokens for u in group) <= room for group in groups)


def test_overlap_repeats_whole_sentences_where_they_fit() -> None:
    groups = [[unit(5, "a"), unit(5, "b")], [unit(5, "c")], [unit(9, "d")]]
    assert [[u.text for u in g] for g in add_overlap(groups, 10, 1)] == [["a", "b"], ["b", "c"], ["d"]]
    assert add_overlap(groups, 10, 0) == groups


def test_a_long_section_becomes_passages_of_whole_sentences_that_fit() -> None:
    text = " ".join(f"Sentence number {n} has exactly eight words here." for n in range(20))
    found = segment(document(Block("text", text, 3, 3)), "d", CountingEmbedder(), SegmentOptions())
    assert len(found.passages) > 3
    assert found.cut == 0
    assert " ".join(p.text for p in found.passages) == text
    assert all(len(p.text.split()) <= 38 and p.text.endswith("here.") for p in found.passages)
    assert [p.id for p in found.passages][:2] == ["d#0", "d#1"]
    assert {(p.first_page, p.last_page) for p in found.passages} == {(3, 3)}


def test_section_path_and_role_go_with_the_passage_and_its_header_is_embedded() -> None:
    blocks = (
        Block("heading", "2 Methods", level=1),
        Block("heading", "2.1 Sampling", level=2),
        Block("text", f"Water was taken{' from many lakes' * 5}."),
        Block("heading", "Data availability", level=1),
        Block("text", f"Ask us{' for each of them' * 4}."),
    )
    embedder = CountingEmbedder()
    found = segment(document(*blocks, title="Lakes"), "d", embedder, SegmentOptions()).passages
    assert [(p.section_path, p.section_role) for p in found] == [
        (("2 Methods", "2.1 Sampling"), "methods"),
        (("Data availability",), "data_availability"),
    ]
    assert embedding_text(found[0], "Lakes", embedder, 40) == f"Lakes. Sampling\n{found[0].text}"


def test_a_table_is_parted_between_rows_and_each_part_repeats_caption_and_header() -> None:
    rows = (("lake", "depth"), *((f"lake{n}", str(n)) for n in range(12)))
    texts = table_texts(Table(rows, 1, "Table 1: Depths."), CountingEmbedder().count_tokens, 18)
    assert len(texts) > 1
    assert all(text.startswith("Table 1: Depths.\nlake | depth\n") and not cut for text, cut in texts)
    body = [line for text, _ in texts for line in text.split("\n")[2:]]
    assert body == [f"lake{n} | {n}" for n in range(12)]
    assert all(len(text.split()) <= 18 for text, _ in texts)


def test_a_sentence_longer_than_is_read_is_parted_and_counted() -> None:
    text = " ".join(["word"] * 100) + "."
    found = segment(document(Block("text", text)), "d", CountingEmbedder(), SegmentOptions())
    assert found.cut == 3
    assert " ".join(p.text for p in found.passages) == text


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=80), max_size=8))
def test_whatever_the_text_no_passage_is_longer_than_is_read(texts: list[str]) -> None:
    embedder = CountingEmbedder()
    found = segment(document(*(Block("text", " ".join(t.split())) for t in texts)), "d", embedder, SegmentOptions())
    assert all(embedder.count_tokens([p.text])[0] <= 40 for p in found.passages)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Seen by Smith et al. (2001) in Fig. 3. Then more.", ["Seen by Smith et al. (2001) in Fig. 3.", "Then more."]),
        ("At a depth of 12 m. The rest is dry.", ["At a depth of 12 m.", "The rest is dry."]),
        (
            "The U.S. Geological Survey gave 3.5 mg/l. It fell.",
            ["The U.S. Geological Survey gave 3.5 mg/l.", "It fell."],
        ),
        ("J. R. Smith went. He left.", ["J. R. Smith went.", "He left."]),
        ("Water (see e.g. Table 2). “Dry” soil.", ["Water (see e.g. Table 2).", "“Dry” soil."]),
        ("", []),
    ],
)
def test_sentences_end_where_people_end_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(max_size=300))
def test_sentences_lose_nothing(text: str) -> None:
    closed = " ".join(text.split())
    assert " ".join(" ".join(sentences(closed)).split()) == closed


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12))
def test_each_sentence_stands_in_its_own_section_however_short_ones_are_joined(lengths: list[int]) -> None:
    blocks: list[Block] = []
    for number, length in enumerate(lengths):
        blocks.append(Block("heading", f"Heading{number}", 1 + number % 3))
        blocks.append(Block("text", f"Start{number} {'word ' * length}end{number}."))
    paths = {block.text: section.path for section in sections(blocks) for block in section.blocks}
    found = segment(document(*blocks), "d", CountingEmbedder(), SegmentOptions()).passages
    for number in range(len(lengths)):
        (passage,) = [one for one in found if f"Start{number} " in one.text]
        place = section_at(passage.sections, passage.text.index(f"Start{number} "))
        path = next(path for text, path in paths.items() if text.startswith(f"Start{number} "))
        assert (passage.section_path if place is None else place.path) == path
    for passage in found:
        assert [part.start for part in passage.sections] == sorted({part.start for part in passage.sections})
        assert not passage.sections or passage.section_path in [part.path for part in passage.sections]


def test_sections_of_a_joined_passage_are_stored_and_come_back() -> None:
    licence = "The survey is available under CC-BY-SA 4.0."
    blocks = [
        Block("heading", "Bulk density", 2),
        Block("text", "Bulk density was measured with rings of steel."),
        Block("heading", "Licence", 2),
        Block("text", licence),
    ]
    (passage,) = segment(document(*blocks), "d", CountingEmbedder(), SegmentOptions()).passages
    stored = to_document(passage, "t", "h", WhereWhen(), None, {})
    back, _ = from_document(passage.id, stored)
    assert back == passage
    place = section_at(back.sections, back.text.index(licence))
    assert place is not None
    assert place.path == ("Licence",)
    assert cited_json(back, quote_place(back, licence))["section"] == ["Licence"]
    assert cited_json(back, quote_place(back, ""))["section"] == ["Bulk density"]
