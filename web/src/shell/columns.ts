// How the parts of a search stand: below each other on a narrow screen, else in two or in three columns. The tab order
// must follow the visible order, so the page needs to know it.

import { useEffect, useState } from "preact/hooks";

export type Columns = "one" | "two" | "three";

const NARROW = "screen and (max-width: 60rem)"; // as in styles/search.css; paper is as narrow, but shows the map
const WIDE = "screen and (min-width: 75rem)";

export function useColumns(): Columns {
  const [columns, setColumns] = useState(now);
  useEffect(() => {
    const media = [NARROW, WIDE].map((query) => matchMedia(query));
    const change = () => setColumns(now());
    for (const one of media) one.addEventListener("change", change);
    return () => {
      for (const one of media) one.removeEventListener("change", change);
    };
  }, []);
  return columns;
}

function now(): Columns {
  if (matchMedia(NARROW).matches) return "one";
  return matchMedia(WIDE).matches ? "three" : "two";
}
