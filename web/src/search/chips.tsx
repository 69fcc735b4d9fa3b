// The interpretation and the filters as chips: each can be removed, and an interpreted part can become a filter.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { changed, readParts, reading, toggled, VALUE_FILTERS } from "../address.ts";
import { boxText } from "../boxes.ts";
import { goSearch } from "../route.ts";
import type { Box, Interpretation, Part } from "../types.ts";
import { useLocale, useWords, valueText, type Words } from "../words/index.ts";
import { periodText } from "./periodText.ts";

interface Props {
  search: URLSearchParams;
  read: Interpretation | null;
  /** The reading is on its way: its room is kept, so that nothing moves when it comes. */
  waiting: boolean;
}

export function Chips({ search, read, waiting }: Props) {
  const words = useWords();
  const coming = waiting && search.has("q") ? <div class="reading-room" /> : null;
  const understood = read ? <Understood search={search} read={read} /> : coming;
  const filters = filtersOf(search, words, useLocale());
  return (
    <div class="chips">
      {understood}
      {filters.length > 0 && (
        <section aria-label={words.filters}>
          <h2>{words.filters}</h2>
          <Row>
            {filters.map(({ name, value, after }) => (
              <Chip key={`${name} ${value}`} role={words.filterNames[name] ?? name} text={value} class="filter">
                <Remove label={words.removeFilter({ name: `${words.filterNames[name] ?? name} ${value}` })} act={() => goSearch(after)} />
              </Chip>
            ))}
            {filters.length > 1 && (
              <li>
                <button type="button" class="plain" onClick={() => goSearch(withoutFilters(search))}>
                  {words.clearFilters}
                </button>
              </li>
            )}
          </Row>
        </section>
      )}
    </div>
  );
}

function Understood({ search, read }: { search: URLSearchParams; read: Interpretation }) {
  const words = useWords();
  const locale = useLocale();
  const parts = readParts(search);
  const without = (part: Part) => () => goSearch(reading(search, part, false));
  const off = (["place", "time", "scale", "kind", "names", "terms", "conditions"] as const).filter((part) => !parts.includes(part));
  const names: Record<string, string> = { place: words.where, time: words.when, scale: words.scale, kind: words.kind, names: words.nameAsked, terms: words.acronym, conditions: words.without };
  if (!read.text) return null;
  return (
    <section class="reading" aria-label={words.understood}>
      <h2>{words.understood}</h2>
      <Row>
        {read.thematic && <Chip role={words.what} text={read.thematic} class="words" />}
        {read.places.map((place, index) => (
          <Chip key={place.text + index} role={words.where} text={placeText(place.name, read)} class="place" title={place.records ? words.placeFromTitles({ n: place.records }) : undefined}>
            <Only label={words.onlyThere({ name: place.name })} act={() => goSearch(changed(search, "bbox", (read.areas[index] ?? place.bbox).join(",")))} />
            <Remove label={words.removeReading({ name: place.text, part: "place" })} act={without("place")} />
          </Chip>
        ))}
        {(read.datetime || read.latest) && (
          <Chip role={words.when} text={periodsText(read, words, locale)} class="time">
            {read.datetime && <Only label={words.onlyThen({ name: periodText(read.datetime, words, locale) })} act={() => goSearch(changed(search, "datetime", read.datetime))} />}
            <Remove label={words.removeReading({ name: read.times.map((time) => time.text).join(", ") || words.latest, part: "time" })} act={without("time")} />
          </Chip>
        )}
        {(read.seasons ?? []).map((season) => (
          <Chip key={season.text} role={words.season} text={monthsText(season.months, locale)} class="time">
            <Remove label={words.removeReading({ name: season.text, part: "time" })} act={without("time")} />
          </Chip>
        ))}
        {read.scales.map((scale) => (
          <Chip key={scale.text} role={words.scale} text={scale.text} class="scale">
            <Remove label={words.removeReading({ name: scale.text, part: "scale" })} act={without("scale")} />
          </Chip>
        ))}
        {read.kinds.map((kind) => (
          <Chip key={kind.text} role={words.kind} text={words.provenanceKinds[kind.kind] ?? kind.kind} class="kind">
            <Remove label={words.removeReading({ name: kind.text, part: "kind" })} act={without("kind")} />
          </Chip>
        ))}
        {read.identifiers.map((one) => (
          <Chip key={one.value} role={words.identifier} text={one.value} class="words" />
        ))}
        {(read.names ?? []).filter((one) => one.match !== "unknown").map((one) => (
          <Chip key={one.text} role={words.nameAsked} text={one.match === "exact" ? one.text : `${one.text} (${words.nameMatch[one.match]})`} class="words">
            <Remove label={words.removeReading({ name: one.text, part: "names" })} act={without("names")} />
          </Chip>
        ))}
        {(read.terms ?? []).filter((one) => ACRONYMS.includes(one.source)).map((one) => (
          <Chip key={one.text + one.source} role={words.acronym} text={`${one.text} = ${one.synonyms.map(({ label }) => label).join(", ")}`} class="words">
            <Remove label={words.removeReading({ name: one.text, part: "terms" })} act={without("terms")} />
          </Chip>
        ))}
        {(read.exclusions ?? []).map((one) => (
          <Chip key={one.text} role={words.without} text={one.subject} class="words">
            <Remove label={words.removeReading({ name: one.text, part: "conditions" })} act={without("conditions")} />
          </Chip>
        ))}
        {(read.offers ?? []).map((one) => (
          <Chip key={one.text} role={words.prefers} text={one.text} class="words">
            {!search.has("filter") && <Only label={words.onlyOffer({ name: one.text })} act={() => goSearch(changed(search, "filter", one.filter))} />}
            <Remove label={words.removeReading({ name: one.text, part: "conditions" })} act={without("conditions")} />
          </Chip>
        ))}
        {off.map((part) => (
          <li key={part} class="chip off">
            <button type="button" onClick={() => goSearch(reading(search, part, true))} aria-label={words.readAgain({ part: names[part] ?? part })}>
              {words.notRead({ part: names[part] ?? part })} <span aria-hidden="true">↺</span>
            </button>
          </li>
        ))}
      </Row>
    </section>
  );
}

/** One row; what does not fit into it is shown on demand, so that the hits stay where they are. */
function Row({ children }: { children: ComponentChildren }) {
  const words = useWords();
  const list = useRef<HTMLUListElement>(null);
  const [all, setAll] = useState(false);
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const measure = () => setOverflows([...element.children].some(isBelow));
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  });
  const unfold = (event: FocusEvent) => {
    const chip = (event.target as HTMLElement).closest("li");
    if (chip && isBelow(chip)) setAll(true);
  };
  return (
    <>
      <ul ref={list} class={all ? undefined : "folded"} onFocusCapture={unfold}>
        {children}
      </ul>
      {overflows && (
        <button type="button" class="plain fold" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? words.fewerChips : words.allChips({ n: list.current?.childElementCount ?? 0 })}
        </button>
      )}
    </>
  );
}

/** Whether a chip is not in the first row. */
function isBelow(chip: Element): boolean {
  const first = chip.parentElement?.firstElementChild as HTMLElement;
  return (chip as HTMLElement).offsetTop > first.offsetTop;
}

function periodsText({ datetime, periods = [] }: Interpretation, words: Words, locale: string): string {
  if (datetime === null) return words.latest;
  return (periods.length > 1 ? periods : [datetime]).map((one) => periodText(one, words, locale)).join(", ");
}

/** `Dec, Jan, Feb` */
function monthsText(months: readonly number[], locale: string): string {
  return months.map((month) => new Date(2000, month - 1, 1).toLocaleDateString(locale, { month: "short" })).join(", ");
}

function Chip(props: { role: string; text: string; class: string; title?: string | undefined; children?: ComponentChildren }) {
  return (
    <li class={`chip ${props.class}`} title={props.title}>
      <span class="role">{props.role}</span> <span class="text">{props.text}</span>
      {props.children}
    </li>
  );
}

function Remove({ label, act }: { label: string; act: () => void }) {
  return (
    <button type="button" aria-label={label} title={label} onClick={act}>
      <span aria-hidden="true">×</span>
    </button>
  );
}

function Only({ label, act }: { label: string; act: () => void }) {
  const words = useWords();
  return (
    <button type="button" class="only" aria-label={`${words.only}: ${label}`} title={label} onClick={act}>
      {words.only}
    </button>
  );
}

const ACRONYMS = ["acronyms", "catalogue"];
const PLAIN = ["in", "within", "intersects"];

/** `north of Italy`: with a single place, the words of the relation precede it. */
function placeText(name: string, read: Interpretation): string {
  const relation = read.places.length === 1 ? read.relations[0] : undefined;
  if (!relation || PLAIN.includes(relation.relation) || relation.text.length > 25) return name;
  return `${relation.text} ${name}`;
}

function filtersOf(search: URLSearchParams, words: Words, locale: string): { name: string; value: string; after: URLSearchParams }[] {
  const found: { name: string; value: string; after: URLSearchParams }[] = [];
  for (const name of new Set(search.keys())) {
    if (["q", "interpret", "filter-lang", "spelling", "sortby"].includes(name)) continue;
    if (VALUE_FILTERS.includes(name)) {
      for (const value of search.getAll(name)) found.push({ name, value: shownValue(name, value, words, locale), after: toggled(search, name, value) });
    } else {
      const value = search.get(name) ?? "";
      found.push({ name, value: shownValue(name, value, words, locale), after: changed(search, name, null) });
    }
  }
  return found;
}

function shownValue(name: string, value: string, words: Words, locale: string): string {
  if (name === "geometry") return words.outline;
  if (name === "bbox") {
    const edges = value.split(",").map(Number);
    return edges.length === 4 && edges.every(Number.isFinite) ? boxText(edges as unknown as Box, words, locale) : value;
  }
  if (name === "datetime") return periodText(value, words, locale);
  if (name === "relation") return words.relations[value] ?? value;
  return valueText(name, value, words);
}

function withoutFilters(search: URLSearchParams): URLSearchParams {
  const kept = [...search].filter(([name]) => ["q", "interpret", "sortby"].includes(name));
  return new URLSearchParams(kept);
}
