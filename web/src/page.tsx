// The page: one of its views below the header.

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { AskView } from "./ask/askView.tsx";
import { LibraryView } from "./library/libraryView.tsx";
import { RecordView } from "./record/recordView.tsx";
import { useRoute } from "./route.ts";
import { SearchView } from "./search/searchView.tsx";
import { Header } from "./shell/header.tsx";
import { remember } from "./shell/memory.ts";
import { rememberPlaces } from "./shell/place.ts";
import { SourceView } from "./sources/sourceView.tsx";
import { SourcesView } from "./sources/sourcesView.tsx";
import "leaflet/dist/leaflet.css"; // here and not in the map's bundle, because style sheets are not loaded lazily
import "./styles/base.css";
import "./map/map.css";
import "./styles/search.css";
import "./styles/record.css";
import "./styles/rooms.css";
import "./styles/print.css";
import { firstLanguage, type Language, LANGUAGES, LanguageContext } from "./words/index.ts";

function Page() {
  const route = useRoute();
  const [language, setLanguage] = useState<Language>(firstLanguage);
  const choose = (chosen: Language) => {
    remember("language", chosen);
    setLanguage(chosen);
  };
  const view = "id" in route ? `${route.view} ${route.id}` : route.view;
  const seen = useRef(view);
  useEffect(() => {
    // Moves the focus into the new view, for users of keyboards and screen readers.
    if (seen.current !== view) document.getElementById("main")?.focus({ preventScroll: true });
    seen.current = view;
  }, [view]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <LanguageContext.Provider value={language}>
      <Header view={route.view} language={language} setLanguage={choose} />
      {route.view === "search" && <SearchView query={route.query} />}
      {route.view === "record" && <RecordView key={route.id} id={route.id} />}
      {route.view === "ask" && <AskView query={route.query} />}
      {route.view === "library" && <LibraryView />}
      {route.view === "sources" && <SourcesView />}
      {route.view === "source" && <SourceView key={route.id} id={route.id} />}
      <footer class="bottom">
        <p>{LANGUAGES[language].footer}</p>
      </footer>
    </LanguageContext.Provider>
  );
}

const root = document.getElementById("page");
if (root) {
  root.replaceChildren();
  rememberPlaces();
  render(<Page />, root);
}
