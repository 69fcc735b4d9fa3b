// Name, navigation, language and colours: the same above every view.

import { useEffect, useState } from "preact/hooks";
import { useBasket } from "../basket/basket.ts";
import { portal } from "../portal.ts";
import { has } from "../rooms.ts";
import type { Route } from "../route.ts";
import { isSteward, session, setSession, useEnding, useKey } from "../session.ts";
import { LANGUAGES, type Language, useLocale, useWords } from "../words/index.ts";
import { Go } from "./link.tsx";
import { remember, remembered } from "./memory.ts";

type Theme = "auto" | "light" | "dark";
const NEXT: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
const SIGN: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };

interface Props {
  /** Null: the page of an error, or of the service's own text. */
  view: Route["view"] | null;
  choose: (language: Language) => void;
}

export function Header({ view, choose }: Props) {
  const words = useWords();
  const key = useKey();
  const ending = useEnding();
  const kept = useBasket();
  const toResults = () => document.getElementById("main")?.focus();
  return (
    <header class="top">
      <button type="button" class="skip" onClick={toResults}>
        {words.skip}
      </button>
      <Go to="./" class="name">
        {portal.logo && <img src={portal.logo} alt="" class="logo" />}
        {portal.name}
      </Go>
      <p class="tagline">{portal.tagline || words.tagline}</p>
      <nav aria-label={portal.name}>
        <Go to="./" current={view === "search"}>
          {words.nav.search}
        </Go>
        {(has("ask") || (has("ask-own") && key !== null)) && (
          <Go to="answers" current={view === "ask"}>
            {words.nav.ask}
          </Go>
        )}
        {has("library") && (
          <Go to="my-documents" current={view === "library"}>
            {words.nav.library}
          </Go>
        )}
        {(kept.length > 0 || view === "basket") && (
          <Go to="basket" current={view === "basket"}>
            {words.basket.count({ n: kept.length })}
          </Go>
        )}
        <Go to="sources" current={view === "sources" || view === "source"}>
          {words.nav.sources}
        </Go>
        {has("desk") && (view === "desk" || (key !== null && isSteward())) && (
          <Go to="desk" current={view === "desk"}>
            {words.nav.desk}
          </Go>
        )}
        <a href="docs" aria-current={view === null && location.pathname.endsWith("/docs") ? "page" : undefined}>
          {words.nav.api}
        </a>
        {portal.links.map(({ title, href }) => (
          <a key={href} href={href}>
            {title}
          </a>
        ))}
      </nav>
      <div class="own">
        {ending && <span class="small" role="status">{words.key.over}</span>}
        {key !== null && (
          <button type="button" class="plain" onClick={signOut}>
            {words.key.forget}
          </button>
        )}
        {key === null && view !== "sign-in" && (portal.signIn || portal.keyHelp) && <Go to="sign-in">{words.key.use}</Go>}
        <LanguageChoice choose={choose} />
        <ThemeSwitch />
      </div>
    </header>
  );
}

/** Also at the issuer if the session is one of its. */
function signOut() {
  const ofIssuer = session()?.until !== undefined;
  setSession(null);
  if (ofIssuer) void import("../signin/oidc.ts").then(({ leave }) => leave()).catch(() => undefined);
}

function LanguageChoice({ choose }: { choose: Props["choose"] }) {
  const language = useLocale();
  return (
    <select class="plain" aria-label={useWords().pageLanguage} value={language} onChange={(event) => choose(event.currentTarget.value as Language)}>
      {Object.entries(LANGUAGES).map(([code, { name }]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}

function ThemeSwitch() {
  const words = useWords();
  const [theme, setTheme] = useState<Theme>(() => themeOf(remembered("theme")));
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    remember("theme", theme);
  }, [theme]);
  return (
    <button type="button" class="plain" title={words.theme[theme]} onClick={() => setTheme(NEXT[theme])}>
      <span aria-hidden="true">{SIGN[theme]}</span>
      <span class="unseen">{words.theme[theme]}</span>
    </button>
  );
}

function themeOf(text: string | null): Theme {
  return text === "light" || text === "dark" ? text : "auto";
}
