// A column for each record, a row for each fact that any of them states.

import { useState } from "preact/hooks";
import { boxesOf, boxText, isGuessed } from "../boxes.ts";
import { isShouted, resolutionText } from "../record/facts.tsx";
import { accessNames, formatNames, licenceText } from "../record/glance.tsx";
import { recordAddress } from "../route.ts";
import { intervalText } from "../search/intervalText.ts";
import { Go } from "../shell/link.tsx";
import { edgeText } from "../times.ts";
import type { Feature } from "../types.ts";
import { useLocale, useWords, valueText, type Words } from "../words/index.ts";
import { toggleInBasket } from "./basket.ts";
import { useBasketWords } from "./words/index.ts";

export interface FactRow {
  name: string;
  /** A text for each record; empty if it states nothing. */
  texts: string[];
}

/** Roles are named because a narrow screen shows rows below each other, and then browsers forget them. */
export function ComparedRecords({ records, isOwn }: { records: Feature[]; isOwn: boolean }) {
  const page = useWords();
  const words = useBasketWords();
  const locale = useLocale();
  const [different, setDifferent] = useState(false);
  const rows = rowsOf(records, page, locale).filter((row) => !different || differs(row));
  const titles = records.map(({ properties }) => properties.title || page.untitled);
  return (
    <>
      {records.length > 1 && (
        <label class="check">
          <input type="checkbox" checked={different} onChange={(event) => setDifferent(event.currentTarget.checked)} /> {words.differences}
        </label>
      )}
      <div class="compared" role="region" aria-label={words.table} tabIndex={0}>
        <table role="table" aria-label={words.table}>
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">{words.fact}</th>
              {records.map(({ id }, index) => (
                <th key={id} role="columnheader" scope="col">
                  <Go to={recordAddress(id)}>{titles[index]}</Go>
                  {isOwn && (
                    <button type="button" class="plain" aria-label={words.removeOf({ title: titles[index] ?? id })} onClick={() => toggleInBasket(id)}>
                      {words.remove}
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map(({ name, texts }) => (
              <tr key={name} role="row">
                <th role="rowheader" scope="row">{name}</th>
                {texts.map((text, index) => (
                  <td key={index} role="cell" data-question={titles[index]}>
                    {text || <span class="soft">{words.notStated}</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const MOST_NAMES = 8;

/** Only facts that any record states. */
export function rowsOf(records: readonly Feature[], words: Words, locale: string): FactRow[] {
  const facts: [name: string, text: (feature: Feature) => string | undefined][] = [
    [words.filterNames.type ?? "", ({ properties }) => properties.type && valueText("type", properties.type, words)],
    [words.provenance, ({ properties }) => properties["sonde:provenance"] && valueText("provenance", properties["sonde:provenance"], words)],
    [words.time, (feature) => intervalText(feature, words, locale)],
    [words.area, (feature) => areaText(feature, words, locale)],
    [words.resolution, (feature) => resolutionText(feature, locale)],
    [words.variables, ({ properties }) => listed((properties["sonde:names"]?.variables ?? []).map(variableText))],
    [words.platforms, ({ properties }) => listed(properties["sonde:names"]?.platforms)],
    [words.instruments, ({ properties }) => listed(properties["sonde:names"]?.instruments)],
    [words.processingLevel, ({ properties }) => properties["sonde:names"]?.processingLevel],
    [words.access, (feature) => listed([...(feature.properties["sonde:access"] === "restricted" ? [words.restricted] : []), ...accessNames(feature, words)])],
    [words.formats, (feature) => listed(formatNames(feature))],
    [words.licence, ({ properties }) => licenceText(properties.license) || properties.license || properties.rights],
    [words.filterNames.organisation ?? "", ({ properties }) => properties.contacts?.find((contact) => contact.organization)?.organization],
    [words.version, ({ properties }) => properties["sonde:edition"]],
    [words.updated, ({ properties }) => edgeText(properties.updated, locale, false) ?? undefined],
    [words.ids, ({ properties }) => properties.externalIds?.[0]?.value],
  ];
  return facts.map(([name, text]) => ({ name: capital(name, locale), texts: records.map((one) => text(one) ?? "") })).filter(({ texts }) => texts.some(Boolean));
}

export function differs({ texts }: FactRow): boolean {
  return new Set(texts).size > 1;
}

function areaText(feature: Feature, words: Words, locale: string): string | undefined {
  const [box, ...others] = boxesOf(feature);
  if (!box) return undefined;
  const text = boxText(box, words, locale) + (others.length > 0 ? " …" : "");
  return isGuessed(feature) ? `${text} (${words.areaGuessed})` : text;
}

function variableText({ name, unit }: { name: string; unit?: string }): string {
  return (isShouted(name) ? name.toLowerCase() : name) + (unit ? ` [${unit}]` : "");
}

function listed(names: readonly string[] = []): string {
  const all = [...new Set(names)];
  return all.slice(0, MOST_NAMES).join(", ") + (all.length > MOST_NAMES ? ` +${all.length - MOST_NAMES}` : "");
}

function capital(text: string, locale: string): string {
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}
