"""A file of the operator that is wrong is 503 with the sentence that doctor says, never a defect of Sonde."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.access import ALL_SCOPES, Caller
from core.errors import SondeError, WrongFile
from search_api.app import create_app
from sonde.ops.doctor.examine import examine
from sonde.portal_settings import PortalSettings
from sonde.settings import HarvestSettings, RankingSettings, Settings
from sonde.wiring.api import api_parts
from sonde.wiring.search import ranking_config
from sonde.wiring.sources import credentials
from tests.service import Service
from workers.source_entry import Auth


class Operator:
    def identify(self, bearer: str | None) -> Caller:  # noqa: ARG002 - everybody is the operator
        return Caller("ada", ALL_SCOPES)


def _client(service: Service, settings: Settings) -> Any:
    return create_app(replace(api_parts(settings, service.models), authenticator=Operator())).test_client()


@pytest.mark.parametrize(
    "content",
    [
        "sources:\n  - {id: a, type: folder, pth: x}\n",
        "sources:\n  - {id: a, type: nonsense, path: x}\n",
        "sources: {",
        "sources: [\x00]",
        "- a\n- b\n",
        "sources:\n  - {id: a, type: csw, url: 'ftp://x'}\n",
        None,
    ],
)
def test_a_wrong_sources_file_is_503_with_doctors_sentence(
    samples: Service, tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "sources.yaml"
    if content is None:
        path.mkdir()
    else:
        path.write_text(content, "utf-8")
    settings = samples.settings.model_copy(update={"harvest": HarvestSettings(sources=path)})
    http = _client(samples, settings)
    doctor = next(one.message for one in examine(settings, samples.models) if one.part == "sources")
    for method, address, body in (
        ("GET", "/harvest/sources", None),
        ("GET", "/harvest/sources/a", None),
        ("PATCH", "/harvest/sources/a", {"paused": True}),
        ("POST", "/harvest/runs", {"source": "a"}),
    ):
        answer = http.open(address, method=method, json=body)
        assert (answer.status_code, answer.mimetype) == (503, "application/problem+json"), (address, answer.text)
        assert answer.get_json()["detail"] == doctor
    assert http.get("/search?q=rain&rerank=false").status_code == 200, "searches do not need the file"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"records": 1}', "\udcff", "[" * 3000])
def test_a_wrong_ranking_configuration_ends_the_start_with_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "ranking.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    for config in (path, tmp_path, tmp_path / "missing.json"):
        with pytest.raises(WrongFile, match="SONDE_RANKING__CONFIG"):
            ranking_config(Settings(ranking=RankingSettings(config=config)))


def test_a_secret_that_is_gone_or_wrong_is_named_without_its_content(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    for content in (None, b"", b"two\nlines", b"\xff"):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(WrongFile, match="secret file"):
            credentials(Auth(file=path, bearer=True))


def test_a_picture_of_the_portal_that_vanished_is_503(samples: Service, tmp_path: Path) -> None:
    logo = tmp_path / "logo.svg"
    logo.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf-8")
    http = _client(samples, samples.settings.model_copy(update={"portal": PortalSettings(logo=logo)}))
    logo.unlink()
    answer = http.get("/page/logo.svg")
    assert answer.status_code == 503
    assert "logo.svg" in answer.get_json()["detail"]


def test_any_error_that_a_person_can_mend_is_503_with_its_sentence(samples: Service) -> None:
    app = create_app(api_parts(samples.settings, samples.models))

    def wrong() -> str:
        raise SondeError("The file x is wrong: line 3.")

    app.add_url_rule("/robots.txt/wrong", "wrong", wrong)
    answer = app.test_client().get("/robots.txt/wrong")
    assert (answer.status_code, answer.get_json()["detail"]) == (503, "The file x is wrong: line 3.")
