// A picture of the data of a record: its area in a WMS, or an overview of a GeoTIFF. The service asks the provider.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import { boxText } from "../boxes.ts";
import { itemAddress } from "../record/useRecord.ts";
import { Outside } from "../shell/outside.tsx";
import type { Box, Feature } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";
import { LinkSelect } from "./linkSelect.tsx";
import { RowsProblem } from "./rowsTable.tsx";
import { type RowsWords, useRowsWords } from "./words/index.ts";

interface DataPicture {
  href: string;
  /** As a data address. */
  picture: string;
  /** Of a WMS; empty for a GeoTIFF. */
  layer: string;
  bbox: Box | null;
  size: [width: number, height: number] | null;
  /** Null for a picture in colours. */
  low: number | null;
  high: number | null;
  pictures: string[];
}

export function PicturePanel({ feature, title }: { feature: Feature; title: string }) {
  const words = useRowsWords(useLocale());
  const [href, setHref] = useState<string | null>(null);
  const { found, problem, again } = usePicture(feature.id, href);
  if (words === null) return null;
  return (
    <div class="rows">
      {found && <LinkSelect label={words.picture} hrefs={found.pictures} chosen={href ?? found.href} choose={setHref} />}
      {problem && <RowsProblem problem={problem} words={words} again={again} />}
      {!problem && !found && <p role="status">{words.asking}</p>}
      {!problem && found && <Drawn found={found} words={words} title={title} licence={feature.properties.license} />}
    </div>
  );
}

function Drawn({ found, words, title, licence }: { found: DataPicture; words: RowsWords; title: string; licence: string | undefined }) {
  const page = useWords();
  const locale = useLocale();
  const { href, picture, layer, bbox, size, low, high } = found;
  const number = new Intl.NumberFormat(locale, { maximumSignificantDigits: 5 });
  const facts = [
    layer && words.layer({ layer }),
    bbox && boxText(bbox, page, locale),
    size && words.overview({ width: size[0], height: size[1] }),
    low !== null && high !== null && words.shades({ low: number.format(low), high: number.format(high) }),
  ].filter(Boolean);
  return (
    <figure class="data-picture">
      <img src={picture} alt={words.pictureOf({ title: layer || title })} />
      <figcaption class="soft small breaks">
        <span class="facts">
          {facts.map((fact) => (
            <span key={String(fact)}>{fact}</span>
          ))}
        </span>{" "}
        {words.pictureFrom} <Outside href={href}>{href}</Outside>. {licence ? words.licence({ licence }) : words.noLicence}
      </figcaption>
    </figure>
  );
}

function usePicture(id: string, href: string | null): { found: DataPicture | null; problem: Problem | null; again: () => void } {
  const [state, setState] = useState({ found: null as DataPicture | null, problem: null as Problem | null });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState(({ found }) => ({ found, problem: null }));
    getJson<DataPicture>(itemAddress(id, `/picture${href === null ? "" : `?${new URLSearchParams({ href })}`}`), stop.signal)
      .then((found) => setState({ found, problem: null }))
      .catch((error: unknown) => isAbort(error) || setState(({ found }) => ({ found, problem: asProblem(error) })));
    return () => stop.abort();
  }, [id, href, attempt]);
  return { ...state, again: () => setAttempt(attempt + 1) };
}
