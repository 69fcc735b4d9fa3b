// What helps to choose a record: what and when it is and from whom, and what it offers. A hit and a record's page show the same.

import { boxText } from "../boxes.ts";
import { foreignLanguage } from "../languages.ts";
import { intervalText } from "../search/intervalText.ts";
import { edgeText } from "../times.ts";
import type { Feature } from "../types.ts";
import { useLocale, useWords, valueText, type Words } from "../words/index.ts";
import { isShouted, resolutionText } from "./facts.tsx";
import { linksOf } from "./links.ts";
import { type Access, offersOf } from "./offers.ts";

/** `area`: in words too, where no small map is beside it. */
export function Glance({ feature, area = false }: { feature: Feature; area?: boolean }) {
  const words = useWords();
  const locale = useLocale();
  const { properties } = feature;
  const kind = properties["sonde:provenance"] ?? "unknown";
  const kindHelp: Record<string, string> = words.kindHelp;
  const foreign = foreignLanguage(feature, locale);
  const facts = [
    intervalText(feature, words, locale),
    resolutionText(feature, locale),
    properties.contacts?.find((contact) => contact.organization)?.organization,
    properties["sonde:access"] === "restricted" ? words.restricted : undefined,
    areaText(feature, area, words, locale),
  ];
  return (
    <p class="facts">
      {properties.type && <span>{valueText("type", properties.type, words)}</span>}
      {kind !== "unknown" && <span title={kindHelp[kind]}>{valueText("provenance", kind, words)}</span>}
      {facts.filter(Boolean).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {foreign && (
        <span class="foreign" title={words.language}>
          {foreign}
        </span>
      )}
    </p>
  );
}

/** Undefined if the area is only drawn. */
function areaText({ properties }: Feature, stated: boolean, words: Words, locale: string): string | undefined {
  const [box, ...others] = properties["sonde:boxes"] ?? [];
  if (box) return stated ? boxText(box, words, locale) + (others.length > 0 ? " …" : "") : undefined;
  return properties["sonde:estimatedBoxes"]?.length ? words.areaGuessed : words.noArea;
}

const SERVICES: Partial<Record<Access, string>> = { wms: "WMS", wmts: "WMTS", xyz: "XYZ", wfs: "WFS", features: "OGC API Features", opendap: "OPeNDAP", zarr: "Zarr" };
const MOST_FORMATS = 3;
const MOST_VARIABLES = 2;

export function OffersLine({ feature }: { feature: Feature }) {
  const words = useWords();
  const locale = useLocale();
  const { properties } = feature;
  const variables = (properties["sonde:names"]?.variables ?? []).map(({ name }) => name);
  const updated = edgeText(properties.updated, locale, false);
  const badges = new Set([...accessNames(feature, words), ...formatNames(feature).slice(0, MOST_FORMATS), licenceText(properties.license)].filter(Boolean));
  if (badges.size === 0 && variables.length === 0 && !updated) return null;
  return (
    <p class="facts offers">
      {[...badges].map((badge) => (
        <span key={badge} class="badge">
          {badge}
        </span>
      ))}
      {updated && <span>{words.updatedAt({ date: updated })}</span>}
      {variables.length > 0 && (
        <span title={variables.join(", ")}>
          {variables.slice(0, MOST_VARIABLES).map((name) => (isShouted(name) ? name.toLowerCase() : name)).join(", ")}
          {variables.length > MOST_VARIABLES && ` +${variables.length - MOST_VARIABLES}`}
        </span>
      )}
    </p>
  );
}

/** Download, and the services that programs open. */
export function accessNames(feature: Feature, words: Words): string[] {
  const { files, openings } = offersOf(linksOf(feature).own);
  const services = openings.map(({ access }) => SERVICES[access]).filter((name) => name !== undefined);
  return [...new Set([...(files.length > 0 ? [words.actions.download] : []), ...services])];
}

export function formatNames({ properties }: Feature): string[] {
  return (properties.formats ?? []).map(({ name }) => formatText(name)).filter(Boolean);
}

const LONGEST_FORMAT = 18;

/** `PNG: Portable Network Graphics (PNG) (image/png)` as `PNG`; a sentence is no format. */
export function formatText(name: string): string {
  const text = name.split(/[:(;]/)[0]?.trim() ?? "";
  return text.length <= LONGEST_FORMAT ? text : "";
}

const CREATIVE_COMMONS = /creativecommons\.org\/(?:licenses|publicdomain)\/([a-z-]+)(?:\/(\d\.\d))?/i;
const LONGEST_LICENCE = 24;

/** Short, for a badge: `CC BY 4.0`; empty where only an address or a long text is known. */
export function licenceText(licence: string | undefined): string {
  const [, terms = "", version = ""] = CREATIVE_COMMONS.exec(licence ?? "") ?? [];
  if (terms) return terms === "zero" ? "CC0" : `CC ${terms.toUpperCase()} ${version}`.trim();
  const text = (licence ?? "").trim();
  return text.includes("/") || text.length > LONGEST_LICENCE ? "" : text.replace(/^CC-(BY[A-Z-]*)-(\d)/i, "CC $1 $2");
}
