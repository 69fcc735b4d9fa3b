"""A separate service for malformed requests: throw-away indices, good records, a key with all scopes."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx

from core.access import ALL_SCOPES
from core.errors import SondeError
from evaluation.temporary_index import delete_indices
from lab.malformed.makers import RECORD
from lab.own_api import own_api
from local_stack.errors import StackError
from local_stack.testing import valkey_server
from search_api.http.access.keys import Grant, KeyStore
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client, prepare_indices
from sonde.wiring.models import Models

_TIMEOUT_S = 60.0
_SOURCES = "sources:\n  - {id: fuzz, title: Malformed, type: folder, path: .}\n"


@dataclass(frozen=True, slots=True)
class TargetService:
    """Where to send to, and the key that goes along."""

    url: str
    key: str


@contextmanager
def target(
    settings: Settings, records: int = 12, variables: Mapping[str, str] | None = None
) -> Iterator[TargetService]:
    """An API over temporary indices on the Elasticsearch of the settings, with a temporary broker.

    ``records``: how many good ones it holds. ``variables``: further variables of its environment.

    Raises SondeError if one of them does not come up.
    """
    prefix = f"sonde-malformed-{uuid.uuid4().hex[:12]}"
    target_settings = settings.model_copy(update={"index": settings.index.model_copy(update={"prefix": prefix})})
    with ExitStack() as after:
        client = after.enter_context(elasticsearch_client(target_settings, timeout_s=_TIMEOUT_S, retry=True))
        folder = Path(after.enter_context(tempfile.TemporaryDirectory(prefix="sonde-malformed-")))
        (folder / "sources.yaml").write_text(_SOURCES, "utf-8")
        broker = after.enter_context(_broker(folder / "broker"))
        after.callback(delete_indices, client, prefix)
        prepare_indices(client, target_settings, Models(target_settings))
        _, key = KeyStore(client, prefix).add(Grant("malformed", ALL_SCOPES), datetime.now(UTC))
        files = {"SONDE_LIBRARY__FOLDER": str(folder), "SONDE_HARVEST__SOURCES": str(folder / "sources.yaml")}
        url = after.enter_context(
            own_api(target_settings, prefix, 1, {**files, "SONDE_BROKER__URL": broker, **(variables or {})})
        )
        _fill(url, key, records)
        client.indices.refresh(index=f"{prefix}-records")
        yield TargetService(url, key)


def _fill(url: str, key: str, records: int) -> None:
    """A few good records, so that what is malformed meets something. Raises SondeError if they are refused."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/geo+json"}
    with httpx.Client(timeout=_TIMEOUT_S, headers=headers) as client:
        for number in range(1, records + 1):
            name = f"rain-{number}"
            answer = client.put(f"{url}/collections/fuzz/items/{name}", json=RECORD | {"id": name})
            if answer.status_code not in (201, 204):
                raise SondeError(f"A good record is refused: {answer.status_code} {answer.text[:300]}")


@contextmanager
def _broker(folder: Path) -> Iterator[str]:
    """What uploads and harvests queue goes with it."""
    try:
        with valkey_server(folder) as url:
            yield url
    except StackError as error:
        raise SondeError(str(error)) from error
