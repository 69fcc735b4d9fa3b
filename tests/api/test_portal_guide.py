"""Every address in the portal guide answers as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.service import Service

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "portal-guide.md"
ADDRESSES = re.findall(r"^\$ curl 'localhost:8080(\S+)'$", GUIDE.read_text("utf-8"), re.MULTILINE)


def test_there_are_addresses_to_try() -> None:
    assert len(ADDRESSES) == 19


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_answers(samples: Service, address: str) -> None:
    answer = samples.http.get(address)
    assert answer.status_code == 200, answer.text
    assert answer.data


def test_the_filter_of_the_guide_finds_records(samples: Service) -> None:
    (expression,) = re.findall(r"`filter=(type = .*)`", GUIDE.read_text("utf-8"))
    assert samples.search("", filter=expression)["numberMatched"] > 0
