// Whether the record has granules here and then: the service asks the host that holds them, when the reader wants to know.

import { useMemo, useState } from "preact/hooks";
import { asProblem, getJson, type Problem } from "../api.ts";
import { boxesOf } from "../boxes.ts";
import { MapFrame } from "../map/mapFrame.tsx";
import { recentSearch } from "../search/recent.ts";
import { Outside } from "../shell/outside.tsx";
import { Reasons } from "../shell/problem.tsx";
import type { Box, Feature, Link } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";
import { edgeText } from "../times.ts";
import { hasGranules } from "./links.ts";
import { itemAddress } from "./useRecord.ts";

interface Granule {
  id: string;
  bbox?: Box;
  properties: { title?: string; start_datetime?: string; end_datetime?: string };
  links: Link[];
}

interface Found {
  features: Granule[];
  numberMatched?: number;
  "sonde:searched"?: { host: string };
  "sonde:timeline"?: { of: "all" | "read"; values: { value: string; count: number }[] };
}

export function GranulesPanel({ feature }: { feature: Feature }) {
  const words = useWords().granules;
  const [area, setArea] = useState(searchedArea);
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [asking, setAsking] = useState(false);
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (!hasGranules(feature)) return null;

  async function ask(): Promise<void> {
    setAsking(true);
    setProblem(null);
    setFound(null);
    try {
      setFound(await getJson<Found>(itemAddress(feature.id, `/granules${query(area, from, to)}`)));
    } catch (error) {
      setProblem(asProblem(error));
    }
    setAsking(false);
  }

  return (
    <section aria-labelledby="granules" class="granules">
      <h2 id="granules">{words.title}</h2>
      <p class="soft">{words.help}</p>
      <form class="row" onSubmit={(event) => { event.preventDefault(); void ask(); }}>
        <label>
          <span>{words.from}</span>
          <input type="date" value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
        </label>
        <label>
          <span>{words.until}</span>
          <input type="date" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
        </label>
        <label>
          <span>{words.area}</span>
          <input type="text" value={area} placeholder="5,45,15,55" onInput={(event) => setArea(event.currentTarget.value)} />
        </label>
        <button type="submit" disabled={asking}>{words.look}</button>
      </form>
      <div role="status">
        {asking && <p>{words.asking}</p>}
        {problem && <div class="problem"><p>{words.failed}</p><Reasons problem={problem} /></div>}
        {found && <Answer found={found} areas={boxesOf(feature)} />}
      </div>
    </section>
  );
}

/** `areas`: of the record. */
function Answer({ found, areas }: { found: Found; areas: readonly Box[] }) {
  const words = useWords().granules;
  const locale = useLocale();
  const host = found["sonde:searched"]?.host ?? "";
  const { numberMatched: matched, features } = found;
  const line = found["sonde:timeline"];
  const [marked, setMarked] = useState<string | null>(null);
  if (features.length === 0 && !matched) return <p>{words.none({ host })}</p>;
  return (
    <>
      <p>{matched === undefined ? words.atLeast({ n: features.length, host }) : words.found({ n: matched, host })}</p>
      {line && (
        <>
          <Bars values={line.values} />
          <p class="soft small">{line.values[0]?.value} – {line.values.at(-1)?.value}. {line.of === "all" ? words.byStart : words.byStartOfSome}</p>
        </>
      )}
      <Footprints granules={features} areas={areas} marked={marked} mark={setMarked} />
      <ul class="similar">
        {features.map((one) => (
          <li key={one.id} class={one.id === marked ? "marked" : undefined} onMouseEnter={() => setMarked(one.id)} onMouseLeave={() => setMarked(null)} onFocusCapture={() => setMarked(one.id)} onBlurCapture={() => setMarked(null)}>
            <Outside href={one.links[0]?.href}>{one.properties.title || one.id}</Outside>
            <span class="soft">{edgeText(one.properties.start_datetime, locale, false) ?? ""}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Where the granules lie, beside their list: the record's own map may be out of sight. */
function Footprints({ granules, areas, marked, mark }: { granules: readonly Granule[]; areas: readonly Box[]; marked: string | null; mark: (id: string | null) => void }) {
  const words = useWords().granules;
  const shapes = useMemo(() => granules.flatMap(({ id, bbox, properties }) => (bbox ? [{ id, title: properties.title || id, boxes: [bbox], rank: null }] : [])), [granules]);
  if (shapes.length === 0) return null;
  return <MapFrame label={words.map} shapes={shapes} areas={areas} filter={null} marked={marked} events={{ onHover: mark, onSelect: mark, onDrawn: () => undefined }} />;
}

function Bars({ values }: { values: { value: string; count: number }[] }) {
  const most = Math.max(1, ...values.map((one) => one.count));
  return (
    <ol class="histogram">
      {values.map(({ value, count }) => (
        <li key={value} class="in" title={`${value}: ${count}`}>
          <span class="unseen">{`${value}: ${count}`}</span>
          <span class="column" aria-hidden="true" style={{ height: `${(count / most) * 100}%` }} />
        </li>
      ))}
    </ol>
  );
}

/** The area of the search that led here. */
function searchedArea(): string {
  const address = recentSearch();
  return (address && new URLSearchParams(address.split("?")[1] ?? "").get("bbox")) || "";
}

function query(area: string, from: string, to: string): string {
  const asked = new URLSearchParams();
  if (area.trim()) asked.set("bbox", area.replace(/\s/g, ""));
  if (from || to) asked.set("datetime", `${from || ".."}/${to || ".."}`);
  const text = asked.toString();
  return text ? `?${text}` : "";
}
