"""What users read says nothing of the day, the machine, the folder or the task that it was written for."""

from __future__ import annotations

import pytest

from docs.scripts.traces import Kind, faults, files, kind_of, traces


@pytest.mark.parametrize("kind", Kind)
def test_no_file_has_traces(kind: Kind) -> None:
    assert faults(path for path in files() if kind_of(path) is kind) == []


def test_many_files_are_read() -> None:
    kinds = [kind_of(path) for path in files()]
    assert kinds.count(Kind.PRODUCT) > 800
    assert kinds.count(Kind.GUIDE) > 60


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Measured on 24 November 2026.", "a date of a measurement"),
        ("Measured on 2026-11-24.", "a date of a measurement"),
        ("| measure | asked | now |", "a target as what was asked"),
        ("56 ms, asked: 150 ms", "a target as what was asked"),
        ("The aim is not **reached**.", "whether a target was reached"),
        ("A title, and likewise an abstract.", "likewise"),
        ("nDCG@10 is .41 here", "a figure without a zero before its point"),
        ("## How it got there", "a diary"),
        ("as in paper 000", "a paper by a number"),
        ("Paper 001's table", "a paper by a number"),
        ("`python -m x ../shared/data`", "the folder beside the checkout"),
        ("at commit 0806e50", "a commit"),
        ("see issue 43", "an issue by its number"),
        ("docs/findings-2026-11.md", "a list of findings"),
        ("105 s on one NVIDIA H200", "a machine that somebody lent"),
        ("beside four engineers' work", "work of others"),
        ("The registries are not reached here.", "a registry that is not reached"),
    ],
)
def test_a_trace_in_a_guide_is_found(text: str, what: str) -> None:
    assert what in [found for _, found, _ in traces(f"Sonde.\n\n{text}\n", Kind.GUIDE)]


@pytest.mark.parametrize(
    "text",
    [
        "What it was asked for is at most 20 long.",
        "The limit is reached after 100 requests; a host that is not reached by then is skipped.",
        "0.41, version 8.19.2, `.41`, ../x, *.md, and [a page](../x.md)",
        '```json\n{"fetched": "2026-11-24T00:00:00Z"}\n```',
        "Records since 12 May 2003",
        "| what | took, s | asked | lost |",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert list(traces(text, Kind.GUIDE)) == []


def test_tests_may_name_their_data_and_the_product_may_be_asked_for_things() -> None:
    assert list(traces("../shared/data, 24 November 2026", Kind.TEST)) == []
    assert list(traces('"""Share of the asked box, likewise .5"""', Kind.PRODUCT)) == []
