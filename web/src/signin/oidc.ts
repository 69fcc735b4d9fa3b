// Signs in at the issuer of the portal: the authorisation code flow with PKCE. Loaded only for that.

import * as oauth from "oauth4webapi";
import { portal } from "../portal.ts";
import { type Session, session, setSession } from "../session.ts";

const ATTEMPT = "sonde.sign-in";
const LOCK = "sonde.renew";
const UNLIMITED_S = 300; // an issuer that states no lifetime

/** A sign-in that the issuer has not answered yet; it stays in its tab. */
interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  /** The address to return to. */
  back: string;
}

/** Leaves for the issuer's page, which returns to `sign-in`. */
export async function begin(back: string): Promise<void> {
  const { server, client, scopes } = await issuer();
  const attempt: Attempt = {
    state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce(), verifier: oauth.generateRandomCodeVerifier(), back,
  };
  const address = new URL(server.authorization_endpoint ?? "");
  const parameters = {
    client_id: client.client_id, redirect_uri: returnAddress(), response_type: "code", scope: scopes.join(" "),
    state: attempt.state, nonce: attempt.nonce, code_challenge_method: "S256",
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  sessionStorage.setItem(ATTEMPT, JSON.stringify(attempt));
  location.assign(address);
}

/** Ends the sign-in that the issuer answered with this address; the address to return to. Throws if it was refused. */
export async function finish(answer: URL): Promise<string> {
  const attempt = JSON.parse(sessionStorage.getItem(ATTEMPT) ?? "null") as Attempt | null;
  sessionStorage.removeItem(ATTEMPT); // an answer counts once
  if (attempt === null) throw new Error("no sign-in was begun in this tab");
  const { server, client, options, scopes } = await issuer();
  const parameters = oauth.validateAuthResponse(server, client, answer, attempt.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server, client, oauth.None(), parameters, returnAddress(), attempt.verifier, options,
  );
  const isOpenId = scopes.includes("openid");
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    requireIdToken: isOpenId, ...(isOpenId && { expectedNonce: attempt.nonce }),
  });
  setSession(sessionOf(tokens, { id: crypto.randomUUID() }));
  return attempt.back;
}

/** Renews the tokens that end within `margin`; one tab does it for all. Throws if the issuer gave no means, or refuses. */
export async function renew(margin: number): Promise<void> {
  await alone(async () => {
    const now = session();
    if (now === null || (now.until ?? Number.POSITIVE_INFINITY) - Date.now() >= margin) return; // another tab has done it
    if (now.refresh === undefined) throw new Error("the issuer gave no refresh token");
    const { server, client, options } = await issuer();
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), now.refresh, options);
    const tokens = await oauth.processRefreshTokenResponse(server, client, response);
    if (session()?.id === now.id) setSession(sessionOf(tokens, now)); // else the user signed out meanwhile
  });
}

/** Leaves for the issuer's page that signs out there, if it has one. */
export async function leave(): Promise<void> {
  const { server, client } = await issuer();
  if (!server.end_session_endpoint) return;
  const address = new URL(server.end_session_endpoint);
  address.searchParams.set("client_id", client.client_id);
  address.searchParams.set("post_logout_redirect_uri", document.baseURI);
  location.assign(address);
}

function sessionOf(tokens: oauth.TokenEndpointResponse, before: Pick<Session, "id" | "refresh" | "steward">): Session {
  const refresh = tokens.refresh_token ?? before.refresh;
  return {
    id: before.id,
    token: tokens.access_token,
    until: Date.now() + (tokens.expires_in ?? UNLIMITED_S) * 1000,
    ...(refresh !== undefined && { refresh }),
    ...(before.steward && { steward: true }),
  };
}

async function issuer() {
  if (portal.signIn === null) throw new Error("this portal has no issuer");
  const url = new URL(portal.signIn.issuer);
  const options = { [oauth.allowInsecureRequests]: url.protocol === "http:" }; // the operator's choice, for trials
  const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options));
  return { server, client: { client_id: portal.signIn.client }, options, scopes: portal.signIn.scopes };
}

function returnAddress(): string {
  return new URL("sign-in", document.baseURI).href;
}

async function alone(act: () => Promise<void>): Promise<void> {
  await (navigator.locks ? navigator.locks.request(LOCK, act) : act());
}
