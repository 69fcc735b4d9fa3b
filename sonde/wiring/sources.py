"""Opens the catalogues in ``sources.yaml``: each with its own gate, request policy and secrets."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import WrongFile
from es_gateway.client import Elasticsearch
from indexer.parts import no_lists
from indexer.plan.parsed_record import reading_tag
from indexer.raw import Source, restrict
from indexer.sources.fetching import Fetcher
from indexer.sources.folder import FolderSource
from indexer.sources.politeness import HostLimits, RequestPolicy
from indexer.sources.protocols import open_source
from indexer.store.file_versions import SourceVersions
from net.gate import Gate, GatePolicy
from reading.concepts import NameLists
from sonde import __version__
from sonde.settings import Settings
from workers.host_limits import RedisHostLimits
from workers.source_config import SourceConfig
from workers.source_entry import Auth

_LONGEST_SECRET = 10_000
_LOOK_S = 10.0


@dataclass(slots=True)
class Opener:
    """Opens sources for one process; they share the turns at their hosts, also with other processes.

    ``client``: stores versions of files; without it everything is fetched each time. ``name_lists``: the loaded lists
    of names, after whose change files are read again. ``full``: files of a folder are read again, also unchanged ones.
    """

    settings: Settings
    client: Elasticsearch | None = None
    name_lists: Callable[[], NameLists] = no_lists
    full: bool = False
    host_limits: HostLimits = field(init=False)

    def __post_init__(self) -> None:
        """Opens no connection: the broker is called at the first request, and works without one."""
        self.host_limits = HostLimits(RedisHostLimits.connect(self.settings.broker_url, self.settings.index.prefix))

    def __call__(self, config: SourceConfig, since: str | None = None) -> Source:
        """The catalogue; ``since``: only later changes. Raises SondeError if a secret cannot be read."""
        return restrict(self._open(config, since), config.access.groups)

    def _open(self, config: SourceConfig, since: str | None) -> Source:
        if config.type == "folder":
            tag = _reading_options(config, str(config.folder), self.name_lists())
            memory = self._versions(config.id, tag, only_changes=not self.full)
            return FolderSource(config.folder, memory=memory, **config.options)
        fetcher = self.fetcher(config)
        tag = _reading_options(config, str(config.url), self.name_lists())
        fetcher.memory = self._versions(config.id, tag, only_changes=since is not None)
        return open_source(config.type, fetcher, since, config.options)

    def folder(self, path: Path, source_id: str) -> Source:
        """A folder that is no source of ``sources.yaml``."""
        tag = reading_tag("folder", str(path.resolve()))
        return FolderSource(path, memory=self._versions(source_id, tag, only_changes=not self.full))

    def _versions(self, source_id: str, tag: str, *, only_changes: bool) -> SourceVersions | None:
        if self.client is None:
            return None
        return SourceVersions(self.client, self.settings.index.prefix, source_id, tag, only_changes=only_changes)

    def fetcher(self, config: SourceConfig) -> Fetcher:
        """Raises SondeError if the secret cannot be read or the proxy is invalid."""
        return Fetcher(
            self._gate(config),
            config.id,
            str(config.url),
            self.host_limits,
            RequestPolicy(**config.manners.overrides()),
            credentials=credentials(config.auth) if config.auth is not None else {},
        )

    def probing(self, url: str) -> Fetcher:
        """For probing an unknown catalogue: short timeouts, few attempts."""
        manners = RequestPolicy(attempts=2, first_pause_s=0.5, longest_pause_s=5.0, breaker_failures=1000)
        return Fetcher(self._open_gate(None, None, 30.0), "probe", url, self.host_limits, manners)

    def asking_gate(self) -> Gate:
        """For checking links: short timeouts, no secrets."""
        return self._open_gate(None, None, _LOOK_S)

    def _gate(self, config: SourceConfig) -> Gate:
        try:
            return self._open_gate(config.proxy, config.ca_file, config.manners.timeout_s)
        except (ValueError, OSError) as error:
            raise WrongFile(f"The source {config.id} cannot be opened: {error}") from error

    def _open_gate(self, proxy: str | None, ca_file: Path | None, timeout_s: float) -> Gate:
        net = self.settings.net
        return Gate(
            GatePolicy(
                allowed_hosts=frozenset(net.allowed_hosts),
                timeout_s=timeout_s,
                user_agent=user_agent(net.contact),
                proxy=proxy,
                ca_file=ca_file,
            )
        )


def _reading_options(config: SourceConfig, place: str, lists: NameLists) -> str:
    options = json.dumps(config.options, sort_keys=True, default=str)
    versions = [lists.version] if lists.version else []
    return reading_tag(config.type, place, options, *sorted(config.access.restricted_to), *versions)


def user_agent(contact: str) -> str:
    """``Sonde/0.1.0 (harvester; +contact)``: the contact for operators of catalogues."""
    return f"Sonde/{__version__} (harvester; +{contact})" if contact else f"Sonde/{__version__} (harvester)"


def credentials(auth: Auth) -> dict[str, str]:
    """The authentication headers. Raises SondeError, without the secret, if it cannot be read."""
    try:
        secret = auth.file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongFile(f"The secret file {auth.file} cannot be read ({type(error).__name__}).") from None
    if not secret or len(secret) > _LONGEST_SECRET or any(ord(character) < 32 for character in secret):
        raise WrongFile(f"The secret file {auth.file} must hold one secret on one line.")
    if auth.username is not None:
        pair = base64.b64encode(f"{auth.username}:{secret}".encode()).decode("ascii")
        return {"authorization": f"Basic {pair}"}
    return {"authorization": f"Bearer {secret}"} if auth.bearer else {str(auth.header).lower(): secret}
