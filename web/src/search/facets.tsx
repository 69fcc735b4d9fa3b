// The values of the matching records as check boxes: a click narrows the search, another undoes it.

import { useState } from "preact/hooks";
import { changed, FACETS, toggled, VALUE_FILTERS } from "../address.ts";
import { goSearch } from "../route.ts";
import type { Facet, FacetValue } from "../types.ts";
import { useLocale, useWords, valueText } from "../words/index.ts";

const FIRST_SHOWN = 6;
const MANY = 12; // values, from which on they are searched
const TIMES = ["decade", "year"]; // the histogram
const OPEN_FIRST = ["type", "theme", "region"];

/** What the reader opened or closed, by facet: it outlasts a new answer and another arrangement of the columns. */
const opened = new Map<string, boolean>();

export function Facets({ search, facets }: { search: URLSearchParams; facets: Record<string, Facet> }) {
  const words = useWords();
  const shown = FACETS.filter((name) => !TIMES.includes(name) && worthShowing(facets[name]));
  if (shown.length === 0) return null;
  return (
    <section class="panel facets" aria-label={words.refine}>
      <h2>{words.refine}</h2>
      {shown.map((name) => (
        <Values key={name} name={name} facet={facets[name] as Facet} search={search} />
      ))}
    </section>
  );
}

/** A value that every record has cannot narrow the search. */
function worthShowing(facet: Facet | undefined): boolean {
  return facet !== undefined && (facet.values.length > 1 || facet.values.some((one) => one.chosen));
}

function Values({ name, facet, search }: { name: string; facet: Facet; search: URLSearchParams }) {
  const words = useWords();
  const locale = useLocale();
  const [all, setAll] = useState(false);
  const [wanted, setWanted] = useState("");
  const textOf = (one: FacetValue) => valueText(name, one.label || one.value, words);
  const title = words.filterNames[name] ?? name;
  const chosen = facet.values.some((one) => one.chosen);
  const fitting = facet.values.filter((one) => textOf(one).toLocaleLowerCase(locale).includes(wanted.trim().toLocaleLowerCase(locale)));
  const values = all ? fitting : facet.values.filter((one, index) => index < FIRST_SHOWN || one.chosen);

  function choose(one: FacetValue): void {
    const several = VALUE_FILTERS.includes(facet.parameter);
    goSearch(several ? toggled(search, facet.parameter, one.value) : changed(search, facet.parameter, one.chosen ? null : one.value));
  }

  return (
    <details class="facet" open={opened.get(name) ?? (chosen || OPEN_FIRST.includes(name))} onToggle={(event) => opened.set(name, event.currentTarget.open)}>
      <summary>{title}</summary>
      {all && facet.values.length > MANY && (
        <input type="search" class="facet-find" aria-label={words.facetFind({ name: title })} placeholder={words.facetFind({ name: title })} value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
      )}
      <ul>
        {values.map((one) => (
          <li key={one.value}>
            <label>
              <input type="checkbox" checked={one.chosen ?? false} onChange={() => choose(one)} />
              <span class="text">{textOf(one)}</span>
              <span class="count">{one.count.toLocaleString(locale)}</span>
            </label>
          </li>
        ))}
      </ul>
      {all && facet.others > 0 && <p class="small soft">{words.facetOthers({ n: facet.others })}</p>}
      {!all && facet.values.length > values.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          {words.facetMore({ name: title })}
        </button>
      )}
    </details>
  );
}
