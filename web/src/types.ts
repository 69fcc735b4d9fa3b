// The API's answers, as far as the page uses them: what the OpenAPI document says is in openapi.ts, which is made from it;
// here, and beside its only use, is what the document calls just an object.

import type { Geometry } from "geojson";
import type { SearchAnswer } from "./openapi.ts";

/** An answer of the OpenAPI document, and the shapes of what it calls just an object. */
export type Described<Schema, Shapes> = Omit<Schema, keyof Shapes> & Shapes;

/** West, south, east, north in degrees WGS 84; west > east crosses the antimeridian. */
export type Box = readonly [west: number, south: number, east: number, north: number];

export type Part = "place" | "time" | "relation" | "scale" | "kind" | "names" | "terms" | "conditions";

export interface Link {
  href: string;
  rel?: string;
  type?: string;
  title?: string;
  /** As the metadata name it: OGC:WMS, OPeNDAP. */
  "sonde:protocol"?: string;
  /** The last check of links found it broken. */
  "sonde:broken"?: boolean;
}

export interface Contact {
  name?: string;
  organization?: string;
  emails?: { value: string }[];
  roles?: string[];
}

export interface Theme {
  scheme: string;
  concepts: { id: string; title?: string; url?: string }[];
}

export interface Properties {
  type?: string;
  title?: string;
  description?: string;
  /** The first that the record states, ISO 639-1 if possible. */
  language?: { code: string };
  keywords?: string[];
  themes?: Theme[];
  contacts?: Contact[];
  license?: string;
  rights?: string;
  formats?: { name: string }[];
  created?: string;
  updated?: string;
  externalIds?: { value: string }[];
  "sonde:source"?: string;
  "sonde:edition"?: string;
  "sonde:names"?: Names;
  "sonde:boxes"?: Box[];
  /** Where the record states no area: read from its title. */
  "sonde:estimatedBoxes"?: Box[];
  "sonde:times"?: [string | null, string | null][];
  "sonde:resolution"?: { metres?: number; scaleDenominator?: number; timeStep?: string };
  "sonde:provenance"?: string;
  "sonde:lineage"?: string;
  "sonde:access"?: string;
  "sonde:doubts"?: { code: string; text: string }[];
}

/** What the product is called, and what made it. */
export interface Names {
  shortNames?: string[];
  platforms?: string[];
  instruments?: string[];
  variables?: { name: string; standardName?: string; unit?: string }[];
  projects?: string[];
  processingLevel?: string;
}

export interface Signal {
  signal: string;
  raw: number | null;
  normalised: number;
  weight: number;
  contribution: number;
  /** The sentences in English. */
  reason: string;
  /** The same as codes with their values. */
  reasons?: Reason[];
}

export interface Reason {
  code: string;
  raw?: number;
  counted?: number;
  place?: string | null;
  described?: boolean;
  rough?: boolean;
  number?: number;
  of?: number;
  share?: number;
  area_ratio?: number;
  start?: string | null;
  end?: string | null;
  own_m?: number | null;
  asked_m?: number | null;
  asked?: string | string[];
  own?: string;
}

export interface Feature {
  id: string;
  geometry?: Geometry | null;
  time?: { interval: [string, string] } | null;
  properties: Properties;
  links?: Link[];
  "sonde:score"?: number;
  /** The newest version that is known: a record, or the address that the metadata state. */
  "sonde:supersededBy"?: Successor;
  "sonde:highlights"?: Record<string, string[]>;
  "sonde:passages"?: { id: string; text: string; section: string[]; page: number | null }[];
  /** Counts that the hit was opened, if the service keeps what is asked. */
  "sonde:opened"?: string;
  "sonde:explanation"?: { signals: Signal[]; ordered_by: string; conditions?: { code: string; text: string; subject: string }[] };
}

export interface Successor {
  id?: string | undefined;
  href?: string | undefined;
  title?: string | undefined;
  edition?: string | undefined;
}

export interface FacetValue {
  /** The value for the facet's parameter. */
  value: string;
  label: string;
  count: number;
  chosen?: boolean;
}

export interface Facet {
  parameter: string;
  values: FacetValue[];
  /** The number of values that are not listed. */
  others: number;
}

interface Said {
  text: string;
}

export interface Interpretation {
  text: string;
  thematic: string;
  /** The topic in English, if the question is in another language. */
  understoodAs?: string;
  /** `records`: how many records' titles name it, if the catalogue is where it is known from. */
  places: (Said & { name: string; kind: string; bbox: Box; records?: number })[];
  relations: (Said & { relation: string })[];
  areas: Box[];
  times: (Said & { start: string | null; end: string | null })[];
  datetime: string | null;
  /** Where the question names several. */
  periods?: string[];
  seasons?: (Said & { months: number[] })[];
  latest: boolean;
  scales: Said[];
  kinds: (Said & { kind: string })[];
  /** `known`: whether any record has it. */
  identifiers: (Said & { kind: string; value: string; known?: boolean })[];
  /** `match`: how the records bear it. */
  names?: (Said & { match: "exact" | "beginning" | "spelling" | "unknown"; count: number })[];
  /** Those with the source `acronyms` or `catalogue` are acronyms, or the words of one. */
  terms?: (Said & { source: string; synonyms: { label: string }[] })[];
  /** What hits are not about. */
  exclusions?: (Said & { subject: string; kind: string | null; bbox?: Box })[];
  /** Formats and licences that hits had better have; `filter`: the same as CQL2. */
  offers?: (Said & { kind: string; value: string; filter: string })[];
}

export type TotalRelation = "exact" | "about" | "at_least";

type SearchOnly = "sonde:total" | "sonde:didYouMean" | "sonde:unknownWords" | "sonde:correctedFrom" | "sonde:degraded" | "sonde:took_ms";

/** Of a search or of a list of records. */
export interface Answer extends Pick<SearchAnswer, "numberMatched">, Partial<Pick<SearchAnswer, SearchOnly>> {
  features: Feature[];
  "sonde:totalRelation"?: TotalRelation;
  links: Link[];
  "sonde:interpretation"?: Interpretation;
  "sonde:facets"?: Record<string, Facet>;
  /** What to tell the visitor. */
  "sonde:notes"?: { code: "nothing_about_topic" | "nothing_there" | "flow_unknown" | "offer_missing" | "weak_matches"; text: string }[];
}
