"""Which licences allow a file to be shown to everybody."""

from __future__ import annotations

import pytest

from core.document import is_open


@pytest.mark.parametrize(
    "licence",
    [
        "CC-BY-4.0",
        "CC BY 3.0",
        "CC-BY-SA-4.0",
        "CC0-1.0",
        "https://creativecommons.org/licenses/by/4.0/",
        "http://creativecommons.org/licenses/by-nd/3.0/de/",
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "public domain",
        "ODC-By-1.0",
        "https://spdx.org/licenses/etalab-2.0",
    ],
)
def test_these_do(licence: str) -> None:
    assert is_open(licence)


@pytest.mark.parametrize(
    "licence",
    [
        None,
        "",
        "CC-BY-NC-4.0",
        "https://creativecommons.org/licenses/by-nc-sa/4.0/",
        "All rights reserved",
        "not in the public domain",
        "https://example.org/licence",
    ],
)
def test_these_do_not(licence: str | None) -> None:
    assert not is_open(licence)
