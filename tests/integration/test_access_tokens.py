"""Tokens of a little OpenID Connect issuer that the test runs: real keys, real HTTP, through the real gate."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from elasticsearch import Elasticsearch

from core.access import NotAuthenticated
from core.errors import SondeError, Unavailable
from net.gate import Gate, GatePolicy
from search_api.http.access.tokens import Issuer as IssuerAddress
from search_api.http.access.tokens import IssuerKeys, TokenAuthenticator, TokenPolicy
from sonde.settings import AccessSettings
from sonde.wiring.access import authenticator

AUDIENCE = "sonde"


@dataclass
class Issuer:
    """Serves its discovery document and its keys; ``asked`` counts how often the keys were fetched."""

    server: ThreadingHTTPServer
    keys: dict[str, Any] = field(default_factory=dict)
    entries: list[dict[str, Any]] = field(default_factory=list)
    asked: int = 0
    broken: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")

    def add(self, kid: str, key: Any, **more: Any) -> None:
        self.keys[kid] = key
        kind = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
        self.entries.append({**kind.to_jwk(key.public_key(), as_dict=True), "kid": kid, **more})

    def token(self, kid: str | None = "r1", algorithm: str = "RS256", *, key: Any = None, **claims: Any) -> str:
        said = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", "exp": _now() + 300, **claims}
        headers = {"kid": kid} if kid is not None else {}
        given = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(given, key or self.keys[str(kid)], algorithm=algorithm, headers=headers)


def _now() -> int:
    return int(time.time())


@pytest.fixture(scope="module")
def made_keys() -> dict[str, Any]:
    """Made once: RSA keys take their time."""
    return {
        "r1": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "r2": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "e1": ec.generate_private_key(ec.SECP256R1()),
    }


@pytest.fixture
def issuer(made_keys: dict[str, Any]) -> Iterator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.endswith("openid-configuration"):
                body: Any = {"issuer": one.url, "jwks_uri": f"{one.url}/keys"}
            else:
                one.asked += 1
                body = {"keys": one.entries}
            self.send_response(500 if one.broken else 200)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, format: str, *arguments: Any) -> None:
            """Quietly."""

    one = Issuer(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
    one.add("r1", made_keys["r1"])
    one.add("e1", made_keys["e1"], use="sig")
    threading.Thread(target=one.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield one
    one.server.shutdown()
    one.server.server_close()


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def _known(issuer: Issuer, clock: Clock | None = None, **policy: Any) -> TokenAuthenticator:
    gate = Gate(GatePolicy(allowed_hosts=frozenset((issuer.host,))))
    keys = IssuerKeys(IssuerAddress(issuer.url, fresh_s=3600, pause_s=30), lambda: gate, clock or Clock())
    return TokenAuthenticator(TokenPolicy(issuer.url, AUDIENCE, **policy), keys)


@pytest.mark.parametrize(("kid", "algorithm"), [("r1", "RS256"), ("e1", "ES256")])
def test_a_good_token_says_who_asks(issuer: Issuer, kid: str, algorithm: str) -> None:
    caller = _known(issuer).identify(
        issuer.token(kid, algorithm, groups=["glaciers"], scope="openid sonde:write sonde:root write")
    )
    assert (caller.subject, caller.groups) == ("ada", {"glaciers"})
    assert caller.scopes == {"search", "library", "write"}


def test_claims_may_stand_elsewhere(issuer: Issuer) -> None:
    known = _known(
        issuer,
        subject_claim="email",
        groups_claim="realm_access.roles",
        scopes_claim="scp",
        scope_prefix="",
        given_scopes=frozenset(),
    )
    token = issuer.token(email="ada@x.example", realm_access={"roles": ["a", "b"]}, scp=["admin", "other"])
    caller = known.identify(token)
    assert (caller.subject, caller.groups, caller.scopes) == ("ada@x.example", {"a", "b"}, {"admin"})


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({"exp": _now() - 61}, "expired"),
        ({"exp": None}, "lacks a claim"),
        ({"nbf": _now() + 1_000_000}, "not valid yet"),  # of when the tests were collected
        ({"aud": "another"}, "another service"),
        ({"aud": None}, "lacks a claim"),
        ({"iss": "https://evil.example"}, "another issuer"),
        ({"iss": None}, "lacks a claim"),
        ({"sub": None}, "subject"),
        ({"sub": ""}, "subject"),
        ({"sub": "public"}, "everybody"),
        ({"groups": ["a\nb"]}, "group"),
    ],
)
def test_a_token_that_says_something_wrong_is_refused(issuer: Issuer, claims: dict[str, Any], told: str) -> None:
    with pytest.raises(NotAuthenticated, match=told):
        _known(issuer).identify(issuer.token(**claims))


def test_clocks_may_differ_by_the_leeway(issuer: Issuer) -> None:
    assert _known(issuer).identify(issuer.token(exp=_now() - 20, nbf=_now() + 20)).subject == "ada"
    with pytest.raises(NotAuthenticated, match="expired"):
        _known(issuer, leeway_s=0).identify(issuer.token(exp=_now() - 20))


def _forged(header: dict[str, Any], claims: dict[str, Any], signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def test_forged_tokens_are_refused(issuer: Issuer, made_keys: dict[str, Any]) -> None:
    claims = {"iss": issuer.url, "aud": AUDIENCE, "sub": "eve", "exp": _now() + 300}
    public = made_keys["r1"].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = _forged({"alg": "HS256", "kid": "r1"}, claims).rpartition(".")[0]
    confused = hmac.new(public, signed.encode(), hashlib.sha256).digest()
    good = issuer.token()
    head, _, signature = good.split(".")
    other = _forged({"alg": "RS256", "kid": "r1"}, claims).split(".")[1]
    known = _known(issuer)
    for token in (
        _forged({"alg": "none"}, claims),
        _forged({"alg": "NONE", "kid": "r1"}, claims, b"x"),
        _forged({"alg": "HS256", "kid": "r1"}, claims, confused),
        f"{head}.{other}.{signature}",
        issuer.token("r1", key=made_keys["r2"]),  # signed by a key of somebody else
        _forged({"alg": "ES256", "kid": "r1"}, claims, b"x" * 64),
        _forged({"alg": ["RS256"], "kid": "r1"}, claims),
        _forged({"alg": "RS256", "kid": {"a": 1}}, claims),
        "a.b.c",
        "..",
        "x" * 20_000,
    ):
        with pytest.raises(NotAuthenticated) as refused:
            known.identify(token)
        assert token not in str(refused.value)
    assert known.identify(good).subject == "ada"


def test_keys_are_remembered_and_an_invented_one_asks_at_most_every_while(
    issuer: Issuer, made_keys: dict[str, Any]
) -> None:
    clock = Clock()
    known = _known(issuer, clock)
    for _ in range(3):
        known.identify(issuer.token())
    assert issuer.asked == 1
    strange = issuer.token("r2", key=made_keys["r2"])
    for seconds in (1, 29):
        clock.time = float(seconds)
        with pytest.raises(NotAuthenticated, match="does not list"):
            known.identify(strange)
    assert issuer.asked == 1
    issuer.add("r2", made_keys["r2"])  # the issuer rolls its keys
    clock.time = 30.0
    assert known.identify(strange).subject == "ada"
    assert issuer.asked == 2


def test_an_issuer_that_is_away_is_no_reason_to_refuse_known_keys(issuer: Issuer) -> None:
    clock = Clock()
    known = _known(issuer, clock)
    assert known.identify(issuer.token()).subject == "ada"
    issuer.broken = True
    clock.time = 4000.0
    assert known.identify(issuer.token()).subject == "ada"
    with pytest.raises(Unavailable):
        _known(issuer).identify(issuer.token())


def test_shared_secrets_and_keys_for_encryption_are_no_keys(issuer: Issuer, made_keys: dict[str, Any]) -> None:
    issuer.entries.clear()
    issuer.add("r1", made_keys["r1"], use="enc")
    issuer.entries.append({"kty": "oct", "k": "c2VjcmV0", "kid": "o1", "alg": "HS256"})
    for kid in ("r1", "o1"):
        with pytest.raises(NotAuthenticated):
            _known(issuer).identify(issuer.token(kid, key=made_keys["r1"]))


def test_the_issuers_keys_go_through_the_gate(issuer: Issuer) -> None:
    """A private address that the operator did not name is not asked."""
    keys = IssuerKeys(IssuerAddress(issuer.url), Gate, Clock())
    with pytest.raises(Unavailable):
        TokenAuthenticator(TokenPolicy(issuer.url, AUDIENCE), keys).identify(issuer.token())
    assert issuer.asked == 0


def test_the_settings_take_tokens_and_keys_beside_each_other(issuer: Issuer, es_client: Elasticsearch) -> None:
    gate = Gate(GatePolicy(allowed_hosts=frozenset((issuer.host,))))
    given = AccessSettings(oidc_issuer=issuer.url, oidc_audience=AUDIENCE, anonymous_search=False)
    known = authenticator(given, es_client, "sonde-test-none", lambda: gate)
    assert known.identify(issuer.token()).subject == "ada"
    assert known.identify(None).scopes == frozenset()
    with pytest.raises(NotAuthenticated, match="key is not known"):
        known.identify(f"sonde_{'0' * 16}_{'a' * 43}")


def test_an_issuer_without_an_audience_is_refused(es_client: Elasticsearch) -> None:
    with pytest.raises(SondeError, match="OIDC_AUDIENCE"):
        authenticator(AccessSettings(oidc_issuer="https://id.example"), es_client, "sonde-test-none", Gate)
