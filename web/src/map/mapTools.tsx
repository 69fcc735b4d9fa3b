// What lies on the map: the choice of the view, and the note that a gesture needs Ctrl or two fingers.

import { useEffect, useState } from "preact/hooks";
import { useLocale } from "../words/index.ts";
import { gesturesOn } from "./gestures.ts";
import { VIEWS, type View } from "./views.ts";
import { useLoadedMapWords } from "./words/index.ts";

interface Props {
  frame: { current: HTMLElement | null };
  view: View;
  change: (view: View) => void;
}

const SHOWN_MS = 1600;

export function MapTools({ frame, view, change }: Props) {
  const words = useLoadedMapWords(useLocale());
  const [hint, setHint] = useState<"wheel" | "finger" | null>(null);
  useEffect(() => (frame.current ? gesturesOn(frame.current, setHint) : undefined), []);
  useEffect(() => {
    if (hint === null) return undefined;
    const timer = setTimeout(() => setHint(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [hint]);
  if (!words) return null;
  return (
    <>
      <select class="map-view" aria-label={words.view} value={view} onChange={(event) => change(event.currentTarget.value as View)}>
        {VIEWS.map((one) => (
          <option key={one} value={one}>{words.views[one]}</option>
        ))}
      </select>
      {hint && <p class="map-hint" aria-hidden="true">{hint === "finger" ? words.twoFingers : /Mac/.test(navigator.platform) ? words.commandWheel : words.ctrlWheel}</p>}
    </>
  );
}
