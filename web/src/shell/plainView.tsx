// A page whose text the service wrote (the API, listings): the same header and footer around it as everywhere.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useLocale, useWords } from "../words/index.ts";

const isPlain = document.querySelector('meta[name="sonde-plain"]') !== null;
/** The text as it was loaded; scripts of that page know its elements. */
const main = isPlain ? document.querySelector<HTMLElement>("#page > main") : null;
const address = location.pathname + location.search;
const title = document.title;

/** Whether the address is that of the page that was loaded, and the service wrote its text. */
export function isPlainHere(): boolean {
  return main !== null && location.pathname + location.search === address;
}

export function PlainView() {
  const words = useWords();
  const language = useLocale();
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (main !== null) place.current?.replaceChildren(main);
    document.title = title;
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  useLayoutEffect(() => {
    if (main === null || language === "en") return;
    const note = document.createElement("p");
    note.className = "soft small";
    note.lang = language;
    note.textContent = words.inEnglish;
    main.prepend(note);
    return () => note.remove();
  }, [language, words]);
  return <div ref={place} />;
}
