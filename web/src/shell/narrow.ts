// Whether the columns are below each other: then the tab order must follow the visible order.

import { useEffect, useState } from "preact/hooks";

const QUERY = "screen and (max-width: 60rem)"; // as in styles/search.css; paper is as narrow, but shows the map

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
