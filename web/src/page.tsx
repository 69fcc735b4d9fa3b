// The page: one of its views below the header.

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { embedded, portal } from "./portal.ts";
import { RecordView } from "./record/recordView.tsx";
import { go, type Route, useRoute } from "./route.ts";
import { SearchView } from "./search/searchView.tsx";
import { reportHeight } from "./shell/frame.ts";
import { Header } from "./shell/header.tsx";
import { LazyView } from "./shell/lazyView.tsx";
import { isPlainHere, PlainView } from "./shell/plainView.tsx";
import { refused, RefusedView } from "./shell/refused.tsx";
import { remember } from "./shell/memory.ts";
import { rememberPlaces } from "./shell/place.ts";
import { StewardsView } from "./shell/stewardsView.tsx";
import "leaflet/dist/leaflet.css"; // here and not in the map's bundle, because style sheets are not loaded lazily
import "./styles/base.css";
import "./map/map.css";
import "./styles/search.css";
import "./styles/record.css";
import "./styles/rooms.css";
import "./styles/print.css";
import { ENGLISH, firstLanguage, type Language, spoken, SpokenContext, type Spoken } from "./words/index.ts";

const loadAsk = () => import("./ask/askView.tsx");
const loadBasket = () => import("./basket/basketView.tsx");
const loadDocument = () => import("./document/documentView.tsx");
const loadSignIn = () => import("./signin/signInView.tsx");
const loadLibrary = () => import("./library/libraryView.tsx");

const loaded = location.href;

function Page({ first }: { first: Spoken }) {
  const route = useRoute();
  const problem = location.href === loaded ? refused : null;
  const plain = isPlainHere();
  const [now, setNow] = useState(first);
  const choose = async (chosen: Language) => {
    setNow(await spoken(chosen));
    remember("language", chosen);
    const address = new URL(location.href);
    if (!address.searchParams.has("lang")) return;
    address.searchParams.set("lang", chosen);
    go(address.href, true);
  };
  const view = plain ? "plain" : "id" in route ? `${route.view} ${route.id}` : "path" in route ? `${route.view} ${route.path}` : route.view;
  const seen = useRef(view);
  useEffect(() => {
    // Moves the focus into the new view, for users of keyboards and screen readers.
    if (seen.current !== view) document.getElementById("main")?.focus({ preventScroll: true });
    seen.current = view;
  }, [view]);
  useEffect(() => {
    document.documentElement.lang = now.language;
  }, [now.language]);
  return (
    <SpokenContext.Provider value={now}>
      {!embedded && <Header view={problem || plain ? null : route.view} choose={(language) => void choose(language).catch(() => undefined)} />}
      {problem ? <RefusedView problem={problem} /> : plain ? <PlainView /> : <View route={route} />}
      {!embedded && (
        <footer class="bottom">
          {portal.footer && <p>{portal.footer}</p>}
          <p>{now.words.footer}</p>
        </footer>
      )}
    </SpokenContext.Provider>
  );
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case "search":
      return <SearchView query={route.query} />;
    case "record":
      return <RecordView key={route.id} id={route.id} />;
    case "ask":
      return (
        <LazyView load={loadAsk} class="answers">
          {({ AskView }) => <AskView query={route.query} />}
        </LazyView>
      );
    case "library":
      return (
        <LazyView load={loadLibrary} class="library">
          {({ LibraryView }) => <LibraryView path={route.path} query={route.query} />}
        </LazyView>
      );
    case "basket":
      return (
        <LazyView load={loadBasket} class="basket">
          {({ BasketView }) => <BasketView query={route.query} />}
        </LazyView>
      );
    case "sign-in":
      return (
        <LazyView load={loadSignIn} class="answers">
          {({ SignInView }) => <SignInView />}
        </LazyView>
      );
    case "document":
      return (
        <LazyView load={loadDocument} class="record paper">
          {({ DocumentView }) => <DocumentView key={route.id} id={route.id} hash={route.hash} />}
        </LazyView>
      );
    default:
      return <StewardsView route={route} />;
  }
}

const root = document.getElementById("page");
if (root) {
  const first = await spoken(firstLanguage()).catch(() => ENGLISH);
  root.replaceChildren();
  rememberPlaces();
  if (embedded) reportHeight(document.body);
  render(<Page first={first} />, root);
}
