"""Values that several settings share, each checked once: addresses, hosts, origins, ports, rates."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field

from net.addresses import AllowedHosts

Port = Annotated[int, Field(ge=1, le=65535)]


def _http_url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    try:
        address = urlsplit(text)
        is_valid = address.hostname is not None and not re.search(r"[\s,]", address.hostname) and address.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise ValueError("must be one address, such as https://search.example:9200")
    return text.rstrip("/")


def _broker_url(text: str) -> str:
    if not text.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must start with redis:// or rediss://")
    if "ssl_" in urlsplit(text).query:
        raise ValueError("must not say how certificates are checked: they always are; the CA is SONDE_BROKER__CA_CERTS")
    return text


def _host(text: str) -> str:
    try:
        AllowedHosts([text])
    except ValueError:
        raise ValueError("must be a name or name:port, such as data.example:8080") from None
    return text


def _origin(text: str) -> str:
    origin = text.rstrip("/")
    if origin != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/?#@\s]+", origin, re.IGNORECASE):
        raise ValueError("must be * or the origin of a page, such as https://portal.example")
    return origin


RATE = r"^([1-9]\d{0,8}/(second|minute|hour)|none)$"
HttpUrl = Annotated[str, AfterValidator(_http_url)]
HttpUrlAsWritten = Annotated[str, Field(pattern=r"^https?://")]  # compared exactly, with its last slash
Host = Annotated[str, AfterValidator(_host)]
Origin = Annotated[str, AfterValidator(_origin)]
BrokerUrl = Annotated[str, AfterValidator(_broker_url)]


class SettingsGroup(BaseModel, extra="forbid", frozen=True):
    """A group of settings; an unknown name is refused, because it is probably a typing error."""
