// Whether the columns stand below each other: then the order in which one tabs has to change with what one sees.

import { useEffect, useState } from "preact/hooks";

const QUERY = "(max-width: 60rem)"; // as in styles/search.css

export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(QUERY).matches);
  useEffect(() => {
    const media = matchMedia(QUERY);
    const change = () => setNarrow(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return narrow;
}
