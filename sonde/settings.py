"""One settings tree, the only reader of the environment: ``SONDE_ELASTICSEARCH__URL`` sets ``elasticsearch.url``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from core.access import AccessScope
from core.errors import SondeError
from sonde.document_settings import CitationsSettings, DocumentsSettings, LibrarySettings, RegistrySettings
from sonde.environment import (
    DELIMITER,
    MOUNTED_NOTE,
    PREFIX,
    EnvironmentSource,
    unknown_groups,
    with_secret_files,
    wrong_settings,
)
from sonde.model_settings import (
    AnswersSettings,
    CrossEncoderSettings,
    EmbedderSettings,
    GeocoderSettings,
    ModelsSettings,
    RankingSettings,
    embedder_of,
)
from sonde.portal_settings import PortalSettings
from sonde.server_settings import BrokerSettings, ElasticsearchSettings, IndexSettings, StackSettings
from sonde.setting_types import RATE, Host, HttpUrl, HttpUrlAsWritten, Origin, Port, SettingsGroup

ANY_ADDRESS = ("0.0.0.0", "::")  # compared, not bound  # noqa: S104  # nosec B104
_SHORTEST_SECRET = 16


class ApiSettings(SettingsGroup):
    """The server of the API and the search page."""

    host: str = Field("127.0.0.1", description="Address that the API listens on; `0.0.0.0`: all of the machine.")
    port: Port = Field(8080, description="Port of API and search page.")
    public_url: HttpUrl | None = Field(
        None,
        description="Start of links in answers. Default: the caller's `Host` header; shared caches then store no "
        "answer.",
    )
    probes_port: Port | None = Field(
        None, description="Separate port for /healthz, /readyz and /metrics, for the operator only. Default: none."
    )
    workers: int = Field(
        0,
        ge=0,
        le=64,
        description="Number of processes, each with its own models; 0: one for each core, as far as "
        "SONDE_API__MEMORY_MB allows.",
    )
    memory_mb: int | None = Field(
        None,
        ge=1,
        description="Memory for all processes. Default: 4/5 of the container's limit, or 1/4 of the machine's memory.",
    )
    at_once: int = Field(
        4, ge=0, le=64, description="Searches that a process works on at once; others wait. 0: no limit."
    )
    threads: int = Field(256, ge=1, le=1024, description="Requests in progress in a process, waiting ones included.")
    longest_wait_s: float = Field(
        2.0,
        gt=0,
        description="A request that would wait longer gets 503; one that waits half as long skips the reranker.",
    )
    deadline_s: float = Field(8.0, gt=0, description="Limit for all calls of one request to Elasticsearch together.")
    preload: bool = Field(True, description="Load models at start, not at the first question.")


class HttpSettings(SettingsGroup):
    """Headers of answers, and what the catalogue says about its operator."""

    cors_origins: tuple[Origin, ...] = Field(
        ("*",), description="Origins whose pages may read answers; *: any. Named ones may use /mcp."
    )
    max_age_s: int = Field(
        60, ge=0, description="How long caches may keep an answer; 0: they must ask again each time."
    )
    contact: str = Field(
        "nobody@sonde.invalid",
        pattern=r"^\S+@(\S+\.)+\S+$",
        description="Mail address of the operator, for OAI-PMH.",
    )
    publisher: str = Field("Sonde", min_length=1, description="Publisher of the catalogue, for DCAT.")


class PreviewSettings(SettingsGroup):
    """Pictures of a record, its granules, and rows of its tables and grids, when somebody opens the record."""

    enabled: bool = Field(
        True,
        description="Whether the API asks the hosts that metadata and sources name for pictures, granules and rows of "
        "tables.",
    )


class GranuleSettings(SettingsGroup):
    """Granules of a record: the API asks the service that lists them."""

    cmr_url: HttpUrlAsWritten = Field(
        "https://cmr.earthdata.nasa.gov/search", description="Address of the search of NASA's CMR."
    )


class FederatedCatalogueSettings(SettingsGroup):
    """A catalogue that searches with ``distributedSearch`` ask too."""

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")
    kind: Literal["sonde", "records", "stac", "csw"]
    url: HttpUrlAsWritten
    title: str = Field("", max_length=200)


class FederationSettings(SettingsGroup):
    """Other catalogues that a search asks live, if its caller wants it."""

    catalogues: tuple[FederatedCatalogueSettings, ...] = Field(
        (),
        max_length=16,
        description="The catalogues, each with `id`, `kind` (`sonde`, `records`, `stac`, `csw`), `url` (of `records` "
        "its items, of `csw` its own address, else the root) and `title`; none: federated search is off.",
    )

    @field_validator("catalogues")
    @classmethod
    def _ids_differ(cls, catalogues: tuple[FederatedCatalogueSettings, ...]) -> tuple[FederatedCatalogueSettings, ...]:
        if len({catalogue.id for catalogue in catalogues}) < len(catalogues):
            raise ValueError("two catalogues have the same id")
        return catalogues


class AccessSettings(SettingsGroup):
    """Who may do what (docs/operators/security.md)."""

    anonymous_search: bool = Field(True, description="Whether callers without a key or token may search.")
    people: bool = Field(
        True,
        description="Whether people are found by the names of contacts: in questions, as `person`, and as suggestions.",
    )
    oidc_issuer: HttpUrlAsWritten | None = Field(
        None, description="Issuer whose tokens are accepted, exactly as its tokens name it."
    )
    oidc_audience: str | None = Field(None, description="Audience that tokens must have; required with an issuer.")
    oidc_client: str | None = Field(
        None,
        description="Name of the search page at the issuer, as a public client: users then sign in there. Register the "
        "page's address `/sign-in` for redirects.",
    )
    oidc_client_scopes: tuple[str, ...] = Field(("openid",), description="Scopes that the search page asks for.")
    oidc_jwks_url: HttpUrl | None = Field(
        None, description="Address of the issuer's keys. Default: from its discovery document."
    )
    oidc_subject_claim: str = Field(
        "sub", min_length=1, description="Claim that names the user. It owns uploads, so users must not choose it."
    )
    oidc_groups_claim: str = Field(
        "groups", min_length=1, description="Claim with the groups; may be a path: `realm_access.roles`."
    )
    oidc_scopes_claim: str = Field("scope", min_length=1, description="Claim with the scopes.")
    oidc_scope_prefix: str = Field(
        "sonde:", description="Prefix of scopes in tokens: `sonde:write` is the scope `write`."
    )
    oidc_scopes: tuple[AccessScope, ...] = Field(("search", "library"), description="Scopes of every valid token.")

    @model_validator(mode="after")
    def _client_has_issuer(self) -> Self:
        if self.oidc_client is not None and self.oidc_issuer is None:
            raise ValueError("SONDE_ACCESS__OIDC_CLIENT needs SONDE_ACCESS__OIDC_ISSUER")
        return self


class QueriesSettings(SettingsGroup):
    """The log of users' questions (docs/stewards/desk.md)."""

    keep: Literal["off", "counts", "full"] = Field(
        "off",
        description="`off`: nothing is kept; `counts`: numbers without the question; `full`: the question too, never "
        "an address.",
    )
    days: int = Field(90, ge=1, le=3650, description="Days that entries are kept.")
    secret: SecretStr | None = Field(
        None, description="At least 16 characters, the same for all processes: signs links, hashes the owners of keys."
    )

    rank: bool = Field(
        False, description="Whether records that many people opened rank higher; needs SONDE_QUERIES__KEEP=full."
    )

    @model_validator(mode="after")
    def _has_secret(self) -> Self:
        if self.rank and self.keep != "full":
            raise ValueError("SONDE_QUERIES__RANK needs SONDE_QUERIES__KEEP=full")
        if self.keep != "off" and (self.secret is None or len(self.secret.get_secret_value()) < _SHORTEST_SECRET):
            raise ValueError("a query log needs SONDE_QUERIES__SECRET of at least 16 characters")
        return self


class MailSettings(SettingsGroup):
    """The mail server. Without a host Sonde sends no mail."""

    host: str | None = Field(None, description="Name of the SMTP server.")
    port: Port = Field(587, description="Port of the SMTP server.")
    tls: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="`tls`: from the first byte; `none`: only for a server on this machine."
    )
    username: Annotated[str | None, MOUNTED_NOTE] = Field(
        None, description="User at the SMTP server. Default: no login."
    )
    password: SecretStr | None = Field(None, description="Password of that user.")
    sender: str = Field(
        "Sonde <nobody@sonde.invalid>", pattern=r"^[^\r\n]*\S+@(\S+\.)+\S+$", description="The From of each mail."
    )
    operator: str | None = Field(
        None, pattern=r"^\S+@(\S+\.)+\S+$", description="Address that gets a mail when the nightly measurement falls."
    )


class AlertsSettings(SettingsGroup):
    """Saved searches (docs/stewards/desk.md)."""

    secret: SecretStr | None = Field(
        None,
        description="At least 16 characters, the same for all processes: signs links and webhooks. "
        "Default: no saved searches.",
    )
    hour: int = Field(
        3,
        ge=0,
        le=23,
        description="Hour (UTC) at which new records are matched, after the harvests; an hour later the judged "
        "questions are asked.",
    )
    most: int = Field(50, ge=1, le=1_000, description="Maximum saved searches of one user.")

    @model_validator(mode="after")
    def _is_long_enough(self) -> Self:
        if self.secret is not None and len(self.secret.get_secret_value()) < _SHORTEST_SECRET:
            raise ValueError("saved searches need SONDE_ALERTS__SECRET of at least 16 characters")
        return self


class EvaluationSettings(SettingsGroup):
    """The judged questions of this installation, asked each night (docs/stewards/desk.md)."""

    queries: Path | None = Field(None, description="File with the questions (JSON lines, as of /insight/collection).")
    qrels: Path | None = Field(None, description="File with their judgements, as `sonde judge` writes it.")
    fall: float = Field(0.02, ge=0, le=1, description="A fall of nDCG@10 by more than this sends a mail.")
    mirror: HttpUrl | None = Field(
        None,
        description="Server that has the public judged collections under the paths of raw.githubusercontent.com and "
        "codeload.github.com. Default: these hosts.",
    )


class LimitsSettings(SettingsGroup):
    """Rate limits (docs/operators/security.md)."""

    per_address: str = Field("12000/minute", pattern=RATE, description="Requests of one address; none: no limit.")
    per_key: str = Field("12000/minute", pattern=RATE, description="Requests with one key or token; none: no limit.")
    model: str = Field(
        "300/hour",
        pattern=RATE,
        description="Calls of the language model for one key, or one address without a key; a comparison counts each "
        "question for each document. none: no limit.",
    )
    proxies: int = Field(0, ge=0, le=5, description="Number of your reverse proxies in front of the API.")


class HarvestSettings(SettingsGroup):
    """Harvests (docs/stewards/sources-and-schedules.md)."""

    sources: Path = Field(
        Path("sources.yaml"),
        description="File with the catalogues and their schedules. A relative path counts from the current folder.",
    )
    slice_s: float = Field(
        240.0, gt=0, description="Length of a slice of a harvest; another source has its turn after."
    )
    batch: int = Field(256, ge=1, le=5000, description="Records that are written in one request.")
    max_removal_share: float = Field(
        0.2, ge=0, le=1, description="A harvest that would remove a larger share of a source's records removes none."
    )
    check_links_every_d: int = Field(7, ge=0, description="Days between two checks of all links; 0: no checks.")


class WorkerSettings(SettingsGroup):
    """Processes of the workers."""

    pulse: Path | None = Field(None, description="Folder for a worker's heartbeat files, which its probes read.")
    memory_mib: int = Field(
        4096,
        ge=1024,
        description="Maximum memory of each process of a worker: a task that needs more fails, and a process that "
        "keeps more than three quarters of it is replaced after its task.",
    )


class NetSettings(SettingsGroup):
    """Connections to other hosts."""

    allowed_hosts: tuple[Host, ...] = Field(
        (),
        description="Hosts of harvests, of links in their records and of your services that may have private "
        "addresses: name or name:port. Not for addresses that users give.",
    )
    user_hosts: tuple[Host, ...] = Field(
        (), description="Hosts with private addresses that users may name: in references of the library, in webhooks."
    )
    contact: str = Field("", description="Mail address or web page of the operator, sent in the User-Agent.")


class LogSettings(SettingsGroup):
    """Logs of every process."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least level that is written.")
    format: Literal["console", "json"] = Field(
        "console", description="`console`: lines for people; `json`: one JSON object a line."
    )


class TelemetrySettings(SettingsGroup):
    """Traces. OpenTelemetry's `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` keep a share of them."""

    otlp_url: HttpUrl | None = Field(None, description="OTLP/HTTP collector for traces. Default: no traces.")


class Settings(BaseSettings):
    """All settings, validated once at start."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter=DELIMITER, extra="forbid", frozen=True, env_ignore_empty=True
    )

    elasticsearch: ElasticsearchSettings = ElasticsearchSettings()
    broker: BrokerSettings = BrokerSettings()
    index: IndexSettings = IndexSettings()
    api: ApiSettings = ApiSettings()
    http: HttpSettings = HttpSettings()
    preview: PreviewSettings = PreviewSettings()
    granules: GranuleSettings = GranuleSettings()
    federation: FederationSettings = FederationSettings()
    portal: PortalSettings = PortalSettings()
    access: AccessSettings = AccessSettings()
    limits: LimitsSettings = LimitsSettings()
    queries: QueriesSettings = QueriesSettings()
    citations: CitationsSettings = CitationsSettings()
    registries: RegistrySettings = RegistrySettings()
    mail: MailSettings = MailSettings()
    alerts: AlertsSettings = AlertsSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    embedder: EmbedderSettings = Field(EmbedderSettings(), validate_default=True)
    cross_encoder: CrossEncoderSettings = CrossEncoderSettings()
    models: ModelsSettings = ModelsSettings()
    geocoder: GeocoderSettings = GeocoderSettings()
    ranking: RankingSettings = RankingSettings()
    harvest: HarvestSettings = HarvestSettings()
    documents: DocumentsSettings = DocumentsSettings()
    library: LibrarySettings = LibrarySettings()
    answers: AnswersSettings = AnswersSettings()
    worker: WorkerSettings = WorkerSettings()
    net: NetSettings = NetSettings()
    stack: StackSettings = StackSettings()
    log: LogSettings = LogSettings()
    telemetry: TelemetrySettings = TelemetrySettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic's signature
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment with the files of mounted secrets in it; no .env file."""
        environment = EnvironmentSource(settings_cls)
        environment.env_vars = with_secret_files(environment.env_vars, settings_cls)
        return init_settings, environment

    @field_validator("embedder")
    @classmethod
    def _reads_languages_of_the_portal(cls, embedder: EmbedderSettings, settings: ValidationInfo) -> EmbedderSettings:
        portal = settings.data.get("portal")
        return embedder_of(portal, embedder) if isinstance(portal, PortalSettings) else embedder

    @model_validator(mode="after")
    def _registries_know_whom_to_write_to(self) -> Self:
        if self.registries.ask == "all" and not self.net.contact:
            raise ValueError(
                "SONDE_REGISTRIES__ASK=all needs SONDE_NET__CONTACT: registries ask whom they may write to"
            )
        return self

    @property
    def elasticsearch_url(self) -> str:
        return self.elasticsearch.url or f"http://127.0.0.1:{self.elasticsearch.port}"

    @property
    def broker_url(self) -> str:
        """The URL with certificate checks, so that Celery, RedBeat, leases and limits all use them."""
        return self.broker.checked_url or f"redis://127.0.0.1:{self.broker.port}/0"

    @property
    def api_url(self) -> str:
        """Where links lead: the public address, else the one on this machine."""
        host = "127.0.0.1" if self.api.host in ANY_ADDRESS else self.api.host
        return self.api.public_url or f"http://{f'[{host}]' if ':' in host else host}:{self.api.port}"


def load_settings() -> Settings:
    """The settings of this process. Raises SondeError that names every invalid variable and its expected value."""
    unknown = unknown_groups(Settings)
    try:
        settings = Settings()
    except ValidationError as error:
        raise SondeError(f"Settings are wrong. {'; '.join([*unknown, wrong_settings(error, Settings)])}") from None
    if unknown:
        raise SondeError(f"Settings are wrong. {'; '.join(unknown)}")
    return settings
