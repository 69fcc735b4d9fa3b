"""Settings of the servers behind Sonde: Elasticsearch and its indices, the broker, and what `sonde up` starts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlencode, urlsplit

import platformdirs
from pydantic import Field, SecretStr

from sonde.environment import MOUNTED_NOTE
from sonde.setting_types import BrokerUrl, HttpUrl, Port, SettingsGroup


class ElasticsearchSettings(SettingsGroup):
    """Your own Elasticsearch, or the node that `sonde up` starts."""

    url: Annotated[HttpUrl | None, MOUNTED_NOTE] = Field(None, description="Your server. Sonde then starts none.")
    more_urls: tuple[HttpUrl, ...] = Field((), description="Other nodes of that cluster, used if one fails.")
    username: Annotated[str | None, MOUNTED_NOTE] = Field(None, description="User at your server; needs the password.")
    password: SecretStr | None = Field(None, description="Password of that user.")
    api_key: SecretStr | None = Field(None, description="API key of your server, instead of user and password.")
    ca_certs: Path | None = Field(None, description="PEM file with the CA that signed the server's certificate.")
    timeout_s: float = Field(4.0, gt=0, description="Limit for one request of a search; harvests wait longer.")
    port: Port = Field(9270, description="HTTP port of the node that `sonde up` starts.")
    transport_port: Port = Field(9370, description="Transport port of that node; two stacks on one machine need two.")
    heap: str = Field("1g", pattern=r"^\d+[mg]$", description="Java heap of that node.")
    version: Literal["9.4.3", "8.19.13"] = Field(
        "9.4.3", description="Version of that node. Your own server has its own."
    )
    home: Path | None = Field(
        None,
        description="Folder of an unpacked Elasticsearch, 8.19 or 9, which `sonde up` starts. Default: it fetches one.",
    )


class BrokerSettings(SettingsGroup):
    """The queue of tasks: your own Redis or Valkey, or the Valkey that `sonde up` starts."""

    url: Annotated[BrokerUrl | None, MOUNTED_NOTE] = Field(
        None, description="Your Redis or Valkey server. Sonde then starts none."
    )
    ca_certs: Path | None = Field(
        None, description="PEM file with the CA of a rediss:// server. Default: the system's CAs."
    )
    port: Port = Field(6399, description="Port of the Valkey that `sonde up` starts.")

    @property
    def checked_url(self) -> str | None:
        """The URL; with TLS it requires a matching certificate, which no part can then skip."""
        if self.url is None or not self.url.startswith("rediss://"):
            return self.url
        checks = {"ssl_cert_reqs": "required", **({"ssl_ca_certs": str(self.ca_certs)} if self.ca_certs else {})}
        return f"{self.url}{'&' if urlsplit(self.url).query else '?'}{urlencode(checks)}"


class IndexSettings(SettingsGroup):
    """The indices in Elasticsearch."""

    prefix: str = Field(
        "sonde",
        pattern=r"^[a-z0-9][a-z0-9-]{0,60}$",
        description="First part of the name of every index, queue and lock: two installations need two.",
    )
    vector_index: Literal["int8_hnsw", "int4_hnsw", "bbq_hnsw", "hnsw"] = Field(
        "int8_hnsw",
        description="Graph of vectors in new indices; `sonde reindex` moves existing ones. `bbq_hnsw` needs a quarter "
        "of the memory.",
    )
    shards: int = Field(1, ge=1, le=64, description="Shards of new indices of records and of passages.")
    replicas: int | None = Field(
        None, ge=0, le=8, description="Copies of each shard. Default: one where there is a second node."
    )


class StackSettings(SettingsGroup):
    """Folders of `sonde up`."""

    folder: Path = Field(
        default_factory=lambda: platformdirs.user_state_path("sonde"), description="Data, state and logs of `sonde up`."
    )
    cache: Path | None = Field(
        None, description="Folder for downloads, shared by all stacks. Default: the machine's or user's cache."
    )
