// A hit's picture: that which its metadata name, else a small map of its area. Only for the eye: the facts say the same.

import { useEffect, useRef, useState } from "preact/hooks";
import { boxesOf, isGuessed } from "../boxes.ts";
import { namesPicture, pictureOf, showsPictures } from "../record/pictures.ts";
import type { Feature } from "../types.ts";
import { boxOnMap, landOf, viewAround } from "./miniMap.ts";

const AHEAD = "300px";

export function Thumb({ feature }: { feature: Feature }) {
  const boxes = boxesOf(feature);
  const named = namesPicture(feature) && showsPictures();
  const place = useRef<HTMLDivElement>(null);
  const picture = usePictureInView(feature.id, named, place);
  if (boxes.length === 0 && !named) return null;
  const view = viewAround(boxes);
  return (
    <div class={picture || boxes.length > 0 ? "thumb" : "thumb awaited"} aria-hidden="true" ref={place}>
      {picture ? (
        <img src={picture} alt="" />
      ) : (
        boxes.length > 0 && (
          <>
            <div class="thumb-land" style={landOf(view)} />
            {boxes.slice(0, MOST_BOXES).map((box) => (
              <div key={box.join()} class={isGuessed(feature) ? "thumb-box guessed" : "thumb-box"} style={boxOnMap(box, view)} />
            ))}
          </>
        )
      )}
    </div>
  );
}

const MOST_BOXES = 12;

/** Asked for when the hit comes near to what is seen. */
function usePictureInView(id: string, named: boolean, place: { current: HTMLElement | null }): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    if (!named || !place.current) return undefined;
    const stop = new AbortController();
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        watch.disconnect();
        void pictureOf(id, stop.signal).then((found) => stop.signal.aborted || setPicture(found));
      },
      { rootMargin: AHEAD },
    );
    watch.observe(place.current);
    return () => {
      watch.disconnect();
      stop.abort();
    };
  }, [id, named]);
  return picture;
}
