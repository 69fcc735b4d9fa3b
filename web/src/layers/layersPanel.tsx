// A record's services as layers of its map: a switch and an opacity for each, and how it goes.

import { useEffect, useState } from "preact/hooks";
import type { WorldMap } from "../map/worldMap.ts";
import type { Opening } from "../record/offers.ts";
import { useLocale } from "../words/index.ts";
import { drawLayer, LayerFailure, type LayerState, layersOf, type ServiceLayer } from "./services.ts";
import { type LayerWords, useLayerWords } from "./words/index.ts";

let panes = 0;

export function LayersPanel({ openings, map }: { openings: readonly Opening[]; map: WorldMap | null }) {
  const words = useLayerWords(useLocale());
  if (words === null) return null;
  return (
    <>
      <p class="soft small">{words.help}</p>
      <ul>
        {openings.map((opening) => (
          <Service key={`${opening.access} ${opening.href}`} opening={opening} map={map} words={words} />
        ))}
      </ul>
    </>
  );
}

function Service({ opening, map, words }: { opening: Opening; map: WorldMap | null; words: LayerWords }) {
  const [on, setOn] = useState(false);
  const [opacity, setOpacity] = useState(80);
  const [layers, setLayers] = useState<readonly ServiceLayer[]>([]);
  const [chosen, setChosen] = useState(0);
  const [state, setState] = useState<LayerState>("drawing");
  const host = new URL(opening.href).host;
  const name = opening.name || host;
  const layer = on ? layers[chosen] : undefined;
  useEffect(() => {
    if (!on || layers.length > 0) return;
    setState("drawing");
    layersOf(opening).then(setLayers).catch((error: unknown) => setState(error instanceof LayerFailure ? error.state : "unread"));
  }, [on]);
  useDrawn(map, opening, layer, opacity, setState);
  return (
    <li>
      <label>
        <input type="checkbox" checked={on} onChange={(event) => setOn(event.currentTarget.checked)} />
        <span>{name}</span>
      </label>{" "}
      <span class="soft small">{host} · {words.kinds[opening.access as keyof LayerWords["kinds"]]}</span>
      {on && layers.length > 1 && (
        <select aria-label={words.layerOf({ name })} value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {layers.map((one, at) => (
            <option key={one.name} value={at}>{one.title}</option>
          ))}
        </select>
      )}
      {layer && <input type="range" min="10" max="100" step="10" aria-label={words.opacityOf({ name })} value={opacity} onInput={(event) => setOpacity(Number(event.currentTarget.value))} />}
      <p role="status" class="small">{on && state !== "drawn" ? words.states[state]({ host }) : ""}</p>
    </li>
  );
}

/** In a pane of its own, which carries the opacity. */
function useDrawn(map: WorldMap | null, opening: Opening, layer: ServiceLayer | undefined, opacity: number, told: (state: LayerState) => void): void {
  const [pane, setPane] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!map || !layer) return undefined;
    return map.add((leaflet, ground) => {
      panes += 1;
      const element = leaflet.createPane(`layer-${panes}`);
      element.classList.add("layer-pane");
      setPane(element);
      const erase = drawLayer(opening, layer, `layer-${panes}`, told)(leaflet, ground);
      return () => {
        erase();
        element.remove();
      };
    });
  }, [map, layer]);
  useEffect(() => pane?.style.setProperty("opacity", String(opacity / 100)), [pane, opacity]);
}
