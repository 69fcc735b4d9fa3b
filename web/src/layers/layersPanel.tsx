// A record's services as layers of its map: a switch, the layer, its time, opacity and legend, what its features say, and how it goes.

import type { Feature } from "geojson";
import { useEffect, useId, useState } from "preact/hooks";
import type { WorldMap } from "../map/worldMap.ts";
import type { Opening } from "../record/offers.ts";
import { useLocale } from "../words/index.ts";
import { LayerFailure, type LayerState } from "./answers.ts";
import { FeatureTable } from "./featureTable.tsx";
import { drawLayer, layersOf, type ServiceLayer } from "./services.ts";
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

interface Progress {
  state: LayerState;
  detail: string;
}

const START: Progress = { state: "drawing", detail: "" };

function Service({ opening, map, words }: { opening: Opening; map: WorldMap | null; words: LayerWords }) {
  const [on, setOn] = useState(false);
  const [layers, setLayers] = useState<readonly ServiceLayer[]>([]);
  const [chosen, setChosen] = useState(0);
  const [progress, setProgress] = useState(START);
  const { host } = new URL(opening.href);
  const name = opening.name || host;
  const layer = on ? layers[chosen] : undefined;
  useEffect(() => {
    if (!on || layers.length > 0) return;
    setProgress(START);
    layersOf(opening).then(setLayers).catch((error: unknown) => setProgress(error instanceof LayerFailure ? error : { state: "unread", detail: "" }));
  }, [on]);
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
      {layer && <Layer key={layer.name} layer={layer} name={name} map={map} words={words} report={setProgress} />}
      <p role="status" class="small">{on && progress.state !== "drawn" ? words.states[progress.state]({ host, detail: progress.detail }) : ""}</p>
    </li>
  );
}

function Layer({ layer, name, map, words, report }: { layer: ServiceLayer; name: string; map: WorldMap | null; words: LayerWords; report: (progress: Progress) => void }) {
  const [opacity, setOpacity] = useState(80);
  const [time, setTime] = useState("");
  const [features, setFeatures] = useState<readonly Feature[]>([]);
  const [feature, setFeature] = useState<Feature | null>(null);
  useDrawn(map, layer, time, opacity, { report: (state, detail = "") => report({ state, detail }), onFeatures: setFeatures, onFeature: setFeature });
  return (
    <>
      <input type="range" min="10" max="100" step="10" aria-label={words.opacityOf({ name })} value={opacity} onInput={(event) => setOpacity(Number(event.currentTarget.value))} />
      {layer.time && <TimeField time={layer.time} words={words} change={setTime} />}
      {layer.legend && <Legend key={layer.legend} address={layer.legend} words={words} title={layer.title} />}
      {layer.credit && <p class="soft small">{words.credit({ credit: layer.credit })}</p>}
      {features.length > 0 && <FeatureTable features={features} chosen={feature} words={words} name={name} />}
    </>
  );
}

function TimeField({ time, words, change }: { time: NonNullable<ServiceLayer["time"]>; words: LayerWords; change: (time: string) => void }) {
  const list = useId();
  const [text, setText] = useState("");
  return (
    <p class="small">
      <label>
        {words.time}{" "}
        <input type="text" list={list} value={text} placeholder={time.usual} onInput={(event) => setText(event.currentTarget.value)} onChange={(event) => change(event.currentTarget.value.trim())} />
      </label>
      <datalist id={list}>
        {time.choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>{" "}
      <span class="soft">{[words.usualTime({ time: time.usual }), time.range].filter(Boolean).join(" ")}</span>
    </p>
  );
}

/** Nothing if the service has none. */
function Legend({ address, words, title }: { address: string; words: LayerWords; title: string }) {
  const [failed, setFailed] = useState(false);
  return failed ? null : <img class="layer-legend" src={address} alt={words.legendOf({ title })} onError={() => setFailed(true)} />;
}

/** In a pane of its own, which carries the opacity. */
function useDrawn(map: WorldMap | null, layer: ServiceLayer, time: string, opacity: number, events: Parameters<typeof drawLayer>[3]): void {
  const [pane, setPane] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!map) return undefined;
    return map.add((leaflet, ground) => {
      panes += 1;
      const element = leaflet.createPane(`layer-${panes}`);
      element.classList.add("layer-pane", layer.features ? "with-features" : "with-pictures");
      setPane(element);
      const erase = drawLayer(layer, time, `layer-${panes}`, events)(leaflet, ground);
      return () => {
        erase();
        element.remove();
      };
    });
  }, [map, layer, time]);
  useEffect(() => pane?.style.setProperty("opacity", String(opacity / 100)), [pane, opacity]);
}
