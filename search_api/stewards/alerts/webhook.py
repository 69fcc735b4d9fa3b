"""Events to webhooks: CloudEvents 1.0 in structured JSON, signed as Standard Webhooks say, through the one gate."""

from __future__ import annotations

import base64
import hmac
import json
from dataclasses import dataclass
from hashlib import sha256

from core.errors import SondeError, Unavailable
from core.json_types import Json
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from search_api.stewards.alerts.digest import AlertAddresses, Told

MEDIA_TYPE = "application/cloudevents+json"
EVENT_TYPE = "org.sonde.saved-search.found"
_TIMEOUT_S = 15.0
_LARGEST_ANSWER = 64 * 1024
_GONE = 410
_MAY_PASS = frozenset((408, 425))


class WebhookRefused(SondeError):
    """The receiver will not take this event, now or later; ``gone``: nor any other."""

    def __init__(self, reason: str, *, gone: bool = False) -> None:
        super().__init__(reason)
        self.gone = gone


@dataclass(frozen=True, slots=True)
class Event:
    """``id``: of the delivery, the same at each attempt, so that the receiver can drop a second one."""

    id: str
    url: str
    secret: str
    body: bytes

    def headers(self, at_s: int) -> dict[str, str]:
        return {
            "content-type": MEDIA_TYPE,
            "webhook-id": self.id,
            "webhook-timestamp": str(at_s),
            "webhook-signature": signature(self.secret, self.id, at_s, self.body),
        }


def event(id: str, told: Told, secret: str, addresses: AlertAddresses) -> Event:
    body: Json = {
        "specversion": "1.0",
        "id": id,
        "type": EVENT_TYPE,
        "source": addresses.search(told.saved.id),
        "time": told.until,
        "datacontenttype": "application/json",
        "data": {
            "title": told.saved.title,
            "search": told.saved.asked,
            "since": told.since,
            "until": told.until,
            "total": len(told.records) + told.more,
            "records": [
                {"id": record.id, "new": new, "title": record.title, "href": addresses.record(record.id)}
                for record, new in told.records
            ],
        },
    }
    return Event(id, str(told.saved.webhook), secret, json.dumps(body, ensure_ascii=False).encode())


def signature(secret: str, id: str, at_s: int, body: bytes) -> str:
    """``v1,`` and the HMAC-SHA256 of ``id.time.body`` in base64; ``secret``: ``whsec_`` and the key in base64."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{id}.{at_s}.".encode() + body, sha256)
    return f"v1,{base64.b64encode(digest).decode('ascii')}"


def post(gate: Gate, one: Event, at_s: int) -> None:
    """One attempt. Raises WebhookRefused for what stays, Unavailable for what may pass (5xx, 408, 425, 429)."""
    outgoing = Outgoing(
        one.url, "POST", headers=one.headers(at_s), content=one.body, max_bytes=_LARGEST_ANSWER, timeout_s=_TIMEOUT_S
    )
    try:
        gate.request(outgoing).expect_ok()
    except Refused as error:
        raise WebhookRefused(str(error)) from None
    except BadStatus as error:
        if error.status in _MAY_PASS:
            raise Unavailable(str(error)) from None
        raise WebhookRefused(str(error), gone=error.status == _GONE) from None
