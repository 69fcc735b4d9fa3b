"""Whether the API, the language model and the mail server answer."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.errors import SondeError
from net.exchange import Outgoing
from net.gate import Gate, GatePolicy
from sonde.ops.doctor.finding import State
from sonde.settings import ANY_ADDRESS, Settings
from sonde.wiring.alert_work import mail_server
from sonde.wiring.models import Models
from sonde.wiring.named_models import language_model_trouble

_ASK_S = 5.0


def api(settings: Settings) -> tuple[State, str]:
    """Asks the API on this machine and then its public address; a warning if neither answers."""
    tried = []
    for url in _addresses(settings):
        wrong = _asked(f"{url}/healthz")
        if wrong is None:
            return "ok", f"answers at {url}"
        tried.append(f"{url} ({wrong})")
    return "warning", f"does not answer at {', nor at '.join(tried)}: start it (`sonde up`), or look at its log"


def language_model(settings: Settings, models: Models) -> tuple[State, str]:
    if settings.answers.url is None:
        return "ok", "none is configured; answers are quotes"
    wrong = language_model_trouble(settings, lambda: models.gate)
    return ("warning", " ".join(wrong)) if wrong else ("ok", f"{settings.answers.model} answers")


def mail(settings: Settings) -> tuple[State, str]:
    """Connects and logs in, and sends nothing."""
    server = mail_server(settings)
    if server is None:
        return "ok", "no server is configured; no mail is sent"
    try:
        server.check()
    except SondeError as error:
        return "warning", f"{server.host}:{server.port}: {error} SONDE_MAIL__HOST, __PORT and __TLS say where and how"
    told = f"{server.host}:{server.port} takes mails"
    if settings.api.public_url is None:
        return "warning", f"{told}, but their links lead to {settings.api_url}: set SONDE_API__PUBLIC_URL"
    return "ok", f"{told}; their links begin with {settings.api_url}"


def _addresses(settings: Settings) -> list[str]:
    given = settings.api
    host = "127.0.0.1" if given.host in ANY_ADDRESS else given.host
    here = f"http://{f'[{host}]' if ':' in host else host}:{given.port}"
    return [here, *([given.public_url] if given.public_url else [])]


def _asked(url: str) -> str | None:
    """Why it does not answer; None if it does."""
    gate = Gate(GatePolicy(allowed_hosts=frozenset([urlsplit(url).netloc.rpartition("@")[2]]), timeout_s=_ASK_S))
    try:
        gate.request(Outgoing(url)).expect_ok()
    except SondeError as error:
        return str(error)
    finally:
        gate.close()
    return None
