// The start page: example questions, and what the catalogue holds.

import { useMemo } from "preact/hooks";
import { asksNothing } from "../address.ts";
import { portal, SEARCH } from "../portal.ts";
import { MapPanel } from "../search/mapPanel.tsx";
import { PeriodPanel } from "../search/periodPanel.tsx";
import { hitElementId, useMarked } from "../search/useMarked.ts";
import { recordAddress } from "../route.ts";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { CatalogueFacts } from "../sources/catalogueFacts.tsx";
import { statedLanguage } from "../languages.ts";
import { edgeText } from "../times.ts";
import type { Facet } from "../types.ts";
import { useLocale, useWords, valueText } from "../words/index.ts";
import { examplesOf } from "./examples.ts";
import { type Home, useHome } from "./useHome.ts";

const MOST_CATALOGUES = 6;
const MOST_VALUES = 12;

export function Start({ search }: { search: URLSearchParams }) {
  const words = useWords();
  const { home, again } = useHome();
  const facets = home?.answer?.["sonde:facets"] ?? NO_FACETS;
  const examples = useMemo(() => examplesOf(facets, (place) => valueText("region", place, words), (year) => words.since({ year, precision: "year" })), [facets, words]);
  return (
    <main id="main" tabIndex={-1}>
      <section>
        <h1>{words.examplesTitle}</h1>
        <p>{portal.intro || words.examplesText}</p>
        <ul class="examples">
          {examples.map((question) => (
            <li key={question}>
              <Go to={`${SEARCH}?${new URLSearchParams({ q: question })}`}>{question}</Go>
            </li>
          ))}
        </ul>
      </section>
      {home?.problem && <ProblemNote problem={home.problem} again={again} />}
      {home && (home.answer || home.catalogues.length > 0 || home.latest.length > 0) && <Holdings home={home} facets={facets} search={search} />}
    </main>
  );
}

function Holdings({ home, facets, search }: { home: Home; facets: Record<string, Facet>; search: URLSearchParams }) {
  const words = useWords();
  const marked = useMarked();
  const total = home.answer && (home.answer["sonde:total"] ?? home.answer.numberMatched);
  return (
    <section aria-labelledby="holdings">
      <h2 id="holdings">{total === null || home.catalogues.length === 0 ? words.home.catalogues : words.home.holds({ records: total, catalogues: home.catalogues.length })}</h2>
      <div class="holdings">
        <div>
          <Values name="theme" title={words.home.themes} facet={facets.theme} />
          <Values name="region" title={words.home.places} facet={facets.region} />
          <Latest home={home} />
        </div>
        <div>
          <MapPanel search={search} features={home.latest} areas={NOTHING} filter={null} marked={marked} typing={!asksNothing(search)} />
          <PeriodPanel search={search} features={NOTHING} decades={facets.decade ?? null} years={null} />
        </div>
      </div>
      {home.catalogues.length > 0 && <h3>{words.home.catalogues}</h3>}
      <ul class="catalogues">
        {home.catalogues.slice(0, MOST_CATALOGUES).map((one) => (
          <li key={one.id}>
            <Go to={`./?${new URLSearchParams({ source: one.id })}`}>{one.title}</Go>
            <CatalogueFacts catalogue={one} />
          </li>
        ))}
      </ul>
      {home.catalogues.length > MOST_CATALOGUES && <Go to="sources">{words.harvest.allSources}</Go>}
    </section>
  );
}

/** The most frequent values, each leads to its records. */
function Values({ name, title, facet }: { name: string; title: string; facet: Facet | undefined }) {
  const words = useWords();
  const locale = useLocale();
  if (!facet?.values.length) return null;
  const values = [...facet.values].sort((a, b) => b.count - a.count).slice(0, MOST_VALUES);
  return (
    <>
      <h3>{title}</h3>
      <ul class="values">
        {values.map((one) => (
          <li key={one.value}>
            <Go to={`./?${new URLSearchParams({ [facet.parameter]: one.value })}`}>
              {valueText(name, one.label || one.value, words)} <span class="soft">{one.count.toLocaleString(locale)}</span>
            </Go>
          </li>
        ))}
      </ul>
    </>
  );
}

function Latest({ home }: { home: Home }) {
  const words = useWords();
  const locale = useLocale();
  if (home.latest.length === 0) return null;
  return (
    <>
      <h3>{words.home.latest}</h3>
      <ul class="latest">
        {home.latest.map((one) => (
          <li key={one.id} id={hitElementId(one.id)}>
            <Go to={recordAddress(one.id)} lang={statedLanguage(one)}>{one.properties.title || words.untitled}</Go>{" "}
            <span class="soft small">{edgeText(one.properties.updated, locale, false)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const NOTHING: never[] = [];
const NO_FACETS: Record<string, Facet> = {};
