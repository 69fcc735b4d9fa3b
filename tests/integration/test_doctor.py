"""The doctor names what is well, what wants attention and what is broken, each with what to do."""

from __future__ import annotations

from pathlib import Path

from sonde.doctor import Finding, examine
from sonde.settings import BrokerSettings, ElasticsearchSettings, HarvestSettings, IndexSettings, Settings
from sonde.wiring import Models
from tests.service import Service

DEAD = "127.0.0.1:9"  # the discard port: nobody listens


def _found(settings: Settings, models: Models) -> dict[str, Finding]:
    return {finding.part: finding for finding in examine(settings, models)}


def test_an_installation_that_is_well(samples: Service, broker_url: str, tmp_path: Path) -> None:
    sources = tmp_path / "sources.yaml"
    sources.write_text("sources:\n  - {id: here, type: folder, path: .}\n", "utf-8")
    settings = samples.settings.model_copy(
        update={"broker": BrokerSettings(url=broker_url), "harvest": HarvestSettings(sources=sources)}
    )
    found = _found(settings, samples.models)
    assert {part for part, finding in found.items() if finding.state == "broken"} == set()
    assert "169 records" in found["index"].told
    assert found["sources"].told.endswith("here")
    assert "waiting: harvest 0" in found["broker"].told


def test_what_does_not_answer_is_broken_and_the_rest_is_still_looked_at(samples: Service) -> None:
    settings = Settings(
        elasticsearch=ElasticsearchSettings(url=f"http://{DEAD}"), broker=BrokerSettings(url=f"redis://{DEAD}")
    )
    found = _found(settings, samples.models)
    assert found["elasticsearch"].state == found["broker"].state == "broken"
    assert found["embedder"].state == "ok"


def test_an_empty_installation_is_told_what_comes_next(samples: Service, prefix: str, tmp_path: Path) -> None:
    settings = samples.settings.model_copy(
        update={"index": IndexSettings(prefix=prefix), "harvest": HarvestSettings(sources=tmp_path / "none.yaml")}
    )
    found = _found(settings, samples.models)
    assert found["index"].state == "warning"
    assert "sonde harvest" in found["index"].told
    assert found["sources"].state == "warning"
