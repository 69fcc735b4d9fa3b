"""Signing in: at an issuer written for the test (code flow with PKCE, real keys and tokens), and by keys."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import Flask, Response, jsonify, redirect, request
from playwright.sync_api import BrowserContext, Page, expect

from core.access import AccessScope, Caller, NotAuthenticated
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.http.access.keys import Bearers, KeyAuthenticator, KeyStore
from search_api.http.access.tokens import Issuer as TokenIssuer
from search_api.http.access.tokens import IssuerKeys, TokenAuthenticator, TokenPolicy
from sonde.portal_settings import PortalSettings
from sonde.settings import AccessSettings
from sonde.wiring.access import KEYS_CACHED, anonymous_caller
from sonde.wiring.api import api_parts
from tests.browser.conftest import Shoot, served
from tests.browser.test_page_people import CONTRAST, PHONE, flaws
from tests.service import Service

pytestmark = pytest.mark.elasticsearch

CLIENT = "sonde-page"


@dataclass
class Issuer:
    """Signs everybody in as Ada, unless ``refuses``; checks redirect, state of the code and PKCE as RFC 7636 says."""

    url: str = ""
    lifetime_s: int = 3600
    refuses: bool = False
    renews: bool = True
    asked: list[str] = field(default_factory=list)
    signed_out: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refresh: str = ""
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))

    def app(self) -> Flask:
        app = Flask("issuer")
        for rule, view in {
            "/.well-known/openid-configuration": self.discovery,
            "/keys": self.keys,
            "/authorize": self.authorize,
            "/logout": self.logout,
        }.items():
            app.add_url_rule(rule, rule, view)
        app.add_url_rule("/token", "token", self.token, methods=["POST"])
        app.after_request(_for_other_origins)
        return app

    def discovery(self) -> Response:
        return jsonify(
            issuer=self.url,
            jwks_uri=f"{self.url}/keys",
            authorization_endpoint=f"{self.url}/authorize",
            token_endpoint=f"{self.url}/token",
            end_session_endpoint=f"{self.url}/logout",
        )

    def keys(self) -> Response:
        entry = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return jsonify(keys=[{**entry, "kid": "1", "alg": "RS256"}])

    def authorize(self) -> Any:
        query = request.args.to_dict()
        assert (query["response_type"], query["client_id"], query["code_challenge_method"]) == ("code", CLIENT, "S256")
        if self.refuses:
            return redirect(f"{query['redirect_uri']}?error=access_denied&state={query['state']}")
        code = secrets.token_urlsafe()
        self.codes[code] = query
        return redirect(f"{query['redirect_uri']}?code={code}&state={query['state']}")

    def token(self) -> Any:
        form = request.form.to_dict()
        self.asked.append(form["grant_type"])
        if form["grant_type"] == "refresh_token":
            if not self.renews or form["refresh_token"] != self.refresh:
                return jsonify(error="invalid_grant"), 400
            return self._tokens({})
        query = self.codes.pop(form["code"])
        proof = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if proof != query["code_challenge"] or form["redirect_uri"] != query["redirect_uri"]:
            return jsonify(error="invalid_grant"), 400
        return self._tokens({"nonce": query["nonce"]})

    def _tokens(self, more: dict[str, str]) -> Response:
        now = int(time.time())
        times = {"iss": self.url, "sub": "ada", "iat": now, "exp": now + self.lifetime_s}
        self.refresh = secrets.token_urlsafe()
        body = {
            "access_token": self._signed({**times, "aud": "sonde", "jti": self.refresh[:8], "scope": "openid"}),
            "id_token": self._signed({**times, "aud": CLIENT, **more}),
            "refresh_token": self.refresh,
            "token_type": "Bearer",
            "expires_in": self.lifetime_s,
        }
        return jsonify(body)

    def _signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "1"})

    def logout(self) -> Any:
        self.signed_out.append(request.args["client_id"])
        return redirect(request.args["post_logout_redirect_uri"])


def _for_other_origins(response: Response) -> Response:
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    known = Issuer()
    with served(known.app()) as address:
        known.url = address.rstrip("/")
        yield known


@contextmanager
def portal(samples: Service, issuer: Issuer | None) -> Iterator[str]:
    """The samples behind real tokens of the issuer, or behind keys."""
    look = PortalSettings(key_help="Write to data@portal.example for a key.")
    access = AccessSettings()
    if issuer is not None:
        access = AccessSettings(oidc_issuer=issuer.url, oidc_audience="sonde", oidc_client=CLIENT)
    settings = samples.settings.model_copy(update={"portal": look, "access": access})
    parts = api_parts(settings, samples.models)
    if issuer is None:
        identifier: Any = _Keys()
    else:
        gate = Gate(GatePolicy(allowed_hosts=frozenset((issuer.url.removeprefix("http://"),))))
        policy = TokenPolicy(issuer.url, "sonde", leeway_s=0.0)
        tokens = TokenAuthenticator(policy, IssuerKeys(TokenIssuer(issuer.url, None), lambda: gate))
        identifier = Bearers(
            KeyAuthenticator(KeyStore(samples.client, samples.prefix), KEYS_CACHED), anonymous_caller(access), tokens
        )
    with served(create_app(replace(parts, authenticator=identifier))) as address:
        yield address


class _Keys:
    """Of ``ada``, until somebody revokes it."""

    def identify(self, bearer: str | None) -> Caller:
        scopes: tuple[AccessScope, ...] = ("search",) if bearer is None else ("search", "library")
        if bearer not in (None, "ada"):
            raise NotAuthenticated("This key is revoked.")
        return Caller(bearer, frozenset(scopes))


@pytest.fixture
def context(browser: Any) -> Iterator[BrowserContext]:
    """A browser of one person; what its pages throw or log as an error fails the test."""
    wrong: list[str] = []
    person = browser.new_context(locale="en-GB", viewport={"width": 1366, "height": 900})
    person.set_default_timeout(30_000)
    person.on("weberror", lambda error: wrong.append(str(error.error)))
    yield person
    person.close()
    assert wrong == []


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    return page


def sign_in(page: Page) -> None:
    page.get_by_role("link", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Sign in at 127.0.0.1").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def stored(page: Page) -> dict[str, Any]:
    text = page.evaluate("localStorage.getItem('sonde.session')")
    return {} if text is None else dict(json.loads(text))


def test_signing_in_at_the_issuer_returns_to_the_same_search_in_all_tabs(
    samples: Service, issuer: Issuer, context: BrowserContext, shoot: Shoot
) -> None:
    with portal(samples, issuer) as address:
        page = opened(context, f"{address}?q=sea+ice")
        other = opened(context, f"{address}my-documents")
        expect(other.get_by_role("button", name="Sign in at 127.0.0.1")).to_be_visible()
        other.wait_for_load_state("networkidle")
        assert flaws(other) == []
        shoot(other, "sign-in")
        other.emulate_media(color_scheme="dark")
        assert flaws(other, CONTRAST) == []
        other.set_viewport_size(PHONE["viewport"])
        assert other.evaluate("document.documentElement.scrollWidth") == 390
        shoot(other, "sign-in-phone-dark")
        sign_in(page)
        expect(page).to_have_url(f"{address}?q=sea+ice")
        expect(page.locator(".hit").first).to_be_visible()
        expect(other.get_by_text("Nothing here yet.")).to_be_visible()  # signed in without a reload
        assert page.evaluate("sessionStorage.length") == 0, "the verifier is used up"
        assert "code=" not in json.dumps(page.evaluate("performance.getEntriesByType('resource').map(one => one.name)"))
        other.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in", exact=True)).to_be_visible()
        expect(other).to_have_url(address)  # by way of the issuer's page
        assert (stored(page), issuer.signed_out, issuer.asked) == ({}, [CLIENT], ["authorization_code"])


def test_tokens_are_renewed_unseen_and_an_end_is_said(
    samples: Service, issuer: Issuer, context: BrowserContext, shoot: Shoot
) -> None:
    issuer.lifetime_s = 50  # the page renews what ends within a minute
    with portal(samples, issuer) as address:
        page = opened(context, f"{address}my-documents")
        page.get_by_role("button", name="Sign in at 127.0.0.1").click()
        expect(page).to_have_url(f"{address}my-documents")
        expect(page.get_by_text("Nothing here yet.")).to_be_visible()
        first = stored(page)
        page.reload()
        expect(page.get_by_text("Nothing here yet.")).to_be_visible()
        renewed = stored(page)
        assert renewed["id"] == first["id"]
        assert renewed["token"] != first["token"]
        assert set(issuer.asked[1:]) == {"refresh_token"}
        issuer.renews = False
        page.evaluate("""() => {
          const now = JSON.parse(localStorage.getItem("sonde.session"));
          localStorage.setItem("sonde.session", JSON.stringify({ ...now, until: Date.now() - 1000 }));
        }""")
        page.reload()
        expect(page.get_by_role("alert")).to_contain_text("Your session has ended. Please sign in again.")
        assert stored(page) == {}
        shoot(page, "session-ended")


def test_who_turns_back_at_the_issuer_or_comes_from_elsewhere_is_not_signed_in(
    samples: Service, issuer: Issuer, context: BrowserContext
) -> None:
    issuer.refuses = True
    with portal(samples, issuer) as address:
        page = opened(context, f"{address}?q=sea+ice")
        page.get_by_role("link", name="Sign in", exact=True).click()
        page.get_by_role("button", name="Sign in at 127.0.0.1").click()
        expect(page.get_by_role("alert")).to_contain_text("You did not sign in.")
        expect(page).to_have_url(f"{address}sign-in")
        foreign = opened(context, f"{address}sign-in?code=stolen&state=guessed")  # a link that somebody sends
        expect(foreign.get_by_role("alert")).to_contain_text("Signing in did not work.")
        expect(foreign).to_have_url(f"{address}sign-in")
        assert (stored(foreign), issuer.asked) == ({}, [])


def test_the_page_may_ask_only_the_issuer_besides_this_service(samples: Service, issuer: Issuer) -> None:
    http = create_app(api_parts(samples.settings, samples.models)).test_client()
    assert "connect-src 'self';" in http.get("/?f=html").headers["Content-Security-Policy"]
    look = samples.settings.model_copy(
        update={"access": AccessSettings(oidc_issuer=f"{issuer.url}/realm", oidc_audience="x", oidc_client=CLIENT)}
    )
    policy = create_app(api_parts(look, samples.models)).test_client().get("/?f=html").headers
    assert f"connect-src 'self' {issuer.url};" in policy["Content-Security-Policy"]
    with pytest.raises(ValueError, match="OIDC_CLIENT needs"):
        AccessSettings(oidc_client=CLIENT)


def test_a_key_counts_in_all_tabs_until_it_is_taken_back(
    samples: Service, context: BrowserContext, shoot: Shoot
) -> None:
    with portal(samples, None) as address:
        page = opened(context, f"{address}my-documents")
        expect(page.get_by_text("Write to data@portal.example for a key.")).to_be_visible()
        page.get_by_label("Key or token").fill("old")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("This key is revoked.")
        shoot(page, "key-refused")
        assert stored(page) == {}
        page.get_by_label("Key or token").fill("ada")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Nothing here yet.")).to_be_visible()
        other = opened(context, f"{address}my-documents")
        expect(other.get_by_text("Nothing here yet.")).to_be_visible()
        other.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Key or token")).to_be_visible()
        assert "ada" not in page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
