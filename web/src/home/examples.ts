// Example questions, made from what the catalogue holds.

import { yearsOf } from "../address.ts";
import type { Facet } from "../types.ts";

const MOST = 6;
const SHORTEST = 4;

/** Topics, places and first years, each from the most frequent: "aerosol, Africa, since 1990". Names of columns are no topics. */
export function examplesOf(facets: Record<string, Facet>, placeText: (place: string) => string, since: (year: string) => string): string[] {
  const places = valuesOf(facets.region);
  const topics = [...new Set([...valuesOf(facets.variable), ...valuesOf(facets.keyword)].map(lastStep))]
    .filter((topic) => topic.length >= SHORTEST && !/[_,]/.test(topic) && !/^global\b|earth science/i.test(topic) && !places.some((place) => place.toLowerCase() === topic.toLowerCase()))
    .slice(0, MOST);
  const years = valuesOf(facets.decade).map((decade) => yearsOf(new URLSearchParams({ datetime: decade }))[0]).filter((year) => year !== null && year >= 1950);
  return topics.map((topic, at) => {
    const place = at % 3 === 1 ? undefined : places[at % places.length];
    const year = at % 3 === 2 ? undefined : years[at % years.length];
    return [topic, place && placeText(place), year && since(String(year))].filter(Boolean).join(", ");
  });
}

function valuesOf(facet: Facet | undefined): string[] {
  return [...(facet?.values ?? [])].sort((a, b) => b.count - a.count).map((one) => one.label || one.value);
}

/** Of a path such as GCMD's, in lower case if it is written in capitals. */
function lastStep(term: string): string {
  const last = term.split(" > ").at(-1) ?? term;
  return last.length > 5 && last === last.toUpperCase() ? last.toLowerCase() : last;
}
