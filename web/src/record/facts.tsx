// The facts of the record, as a list of terms.

import type { ComponentChildren } from "preact";
import { boxText } from "../boxes.ts";
import { languageName, statedLanguage } from "../languages.ts";
import { intervalText } from "../search/intervalText.ts";
import { Go } from "../shell/link.tsx";
import { LinkedText } from "../shell/linkedText.tsx";
import { Outside } from "../shell/outside.tsx";
import { lengthText, scaleText } from "../sizes.ts";
import { durationText, edgeText } from "../times.ts";
import type { Contact, Feature } from "../types.ts";
import { useLocale, useWords, valueText } from "../words/index.ts";

const MOST_BOXES = 4;

export function Facts({ feature }: { feature: Feature }) {
  const words = useWords();
  const locale = useLocale();
  const said = feature.properties;
  const boxes = said["sonde:boxes"] ?? [];
  const kind = said["sonde:provenance"];
  const language = statedLanguage(feature);
  return (
    <dl class="facts-list">
      <Fact name={words.filterNames.type ?? ""}>{said.type && valueText("type", said.type, words)}</Fact>
      <Fact name={words.time}>{hasPeriod(feature) && <Period feature={feature} />}</Fact>
      <Fact name={words.area}>{boxes.length > 0 && boxes.slice(0, MOST_BOXES).map((box) => <div key={box.join()}>{boxText(box, words, locale)}</div>)}</Fact>
      <Fact name={words.resolution}>{resolutionText(feature, locale)}</Fact>
      <Fact name={words.provenance}>{kind && valueText("provenance", kind, words)}</Fact>
      <NameFacts feature={feature} />
      <Fact name={words.language}>{language && (languageName(language, locale) ?? language)}</Fact>
      <Fact name={words.licence}>{said.license && <Outside href={said.license}>{said.license}</Outside>}</Fact>
      <Fact name={words.rights}>{said.rights && <LinkedText text={said.rights} />}</Fact>
      <Fact name={words.access}>{said["sonde:access"] === "restricted" && words.restricted}</Fact>
      <Fact name={words.formats}>{said.formats?.map((format) => format.name).join(", ")}</Fact>
      <Fact name={words.contacts}>{said.contacts?.length && said.contacts.map((one, index) => <Person key={index} contact={one} />)}</Fact>
      <Fact name={words.keywords}>{keywordsOf(feature).length > 0 && <Keywords feature={feature} />}</Fact>
      <Fact name={words.created}>{edgeText(said.created, locale, false)}</Fact>
      <Fact name={words.updated}>{edgeText(said.updated, locale, false)}</Fact>
      <Fact name={words.ids}>
        {said.externalIds?.map(({ value }) => (
          <div key={value} class="breaks">
            <Outside href={value}>{value}</Outside>
          </div>
        ))}
      </Fact>
      <Fact name={words.source}>{said["sonde:source"] && <Go to={`./?${new URLSearchParams({ source: said["sonde:source"] })}`}>{said["sonde:source"]}</Go>}</Fact>
    </dl>
  );
}

const MOST_NAMES = 12;

/** What the product is called and what made it; each name leads to all records that bear it. */
function NameFacts({ feature }: { feature: Feature }) {
  const words = useWords();
  const names = feature.properties["sonde:names"] ?? {};
  const variables = (names.variables ?? []).map(({ name }) => name);
  return (
    <>
      <Fact name={words.shortNames}>{names.shortNames?.join(", ")}</Fact>
      <Fact name={words.version}>{feature.properties["sonde:edition"]}</Fact>
      <Fact name={words.platforms}>{listOf("platform", names.platforms)}</Fact>
      <Fact name={words.instruments}>{listOf("instrument", names.instruments)}</Fact>
      <Fact name={words.variables}>{listOf("variable", variables)}</Fact>
      <Fact name={words.projects}>{listOf("project", names.projects)}</Fact>
      <Fact name={words.processingLevel}>{listOf("processing_level", names.processingLevel ? [names.processingLevel] : [])}</Fact>
    </>
  );
}

function listOf(parameter: string, names: string[] = []) {
  if (names.length === 0) return undefined;
  return (
    <ul class="keywords">
      {names.slice(0, MOST_NAMES).map((name) => (
        <li key={name}>
          <Go to={`./?${new URLSearchParams({ [parameter]: name })}`}>{name}</Go>
        </li>
      ))}
    </ul>
  );
}

function hasPeriod({ time, properties }: Feature): boolean {
  const spans = properties["sonde:times"] ?? [];
  return Boolean(time) || spans.length > 0 || (properties["sonde:doubts"] ?? []).length > 0;
}

/** With a note on doubtful years. */
function Period({ feature }: { feature: Feature }) {
  const words = useWords();
  const doubts = feature.properties["sonde:doubts"] ?? [];
  return (
    <>
      {intervalText(feature, words, useLocale())}
      {doubts.map(({ code, text }) => (
        <div key={code} class="soft small">{words.doubts[code] ?? text}</div>
      ))}
    </>
  );
}

function Fact({ name, children }: { name: string; children?: ComponentChildren }) {
  if (!children || (Array.isArray(children) && children.length === 0)) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Person({ contact }: { contact: Contact }) {
  const words = useWords();
  const email = contact.emails?.[0]?.value;
  const name = [contact.name, contact.organization].filter(Boolean).join(", ");
  return (
    <div>
      {email ? <Outside href={`mailto:${email}`}>{name || email}</Outside> : name}
      {contact.roles?.length ? <span class="soft"> ({contact.roles.map((role) => words.roles[role] ?? role).join(", ")})</span> : null}
    </div>
  );
}

function Keywords({ feature }: { feature: Feature }) {
  const words = useWords();
  const keywords = keywordsOf(feature);
  const list = (
    <ul class="keywords">
      {keywords.map(({ term, scheme }) => (
        <li key={`${scheme} ${term}`} title={scheme}>
          <Go to={`./?${new URLSearchParams({ keyword: term })}`}>{keywordText(term)}</Go>
        </li>
      ))}
    </ul>
  );
  if (keywords.length <= MOST_KEYWORDS) return list;
  return (
    <details>
      <summary>{words.keywordCount({ n: keywords.length })}</summary>
      {list}
    </details>
  );
}

const MOST_KEYWORDS = 6;

/** The last step of a path, made readable. */
function keywordText(term: string): string {
  const last = term.split(" > ").at(-1) ?? term;
  return last !== term && isShouted(last) ? last.charAt(0) + last.slice(1).toLowerCase() : last;
}

/** GCMD writes keywords and variables in capitals; a short name in capitals is an acronym. */
export function isShouted(name: string): boolean {
  return name.length > 5 && name === name.toUpperCase();
}

const TOPIC_CATEGORY = "ISO 19115 topic category";

function keywordsOf(feature: Feature): { term: string; scheme: string }[] {
  const schemes = (feature.properties.themes ?? []).filter((theme) => theme.scheme !== TOPIC_CATEGORY);
  const themes = schemes.flatMap((theme) => theme.concepts.map(({ id }) => ({ term: id, scheme: theme.scheme })));
  const known = new Set(themes.map(({ term }) => term));
  const plain = (feature.properties.keywords ?? []).filter((term) => !known.has(term)).map((term) => ({ term, scheme: "" }));
  return [...plain, ...themes];
}

export function resolutionText(feature: Feature, locale: string): string | undefined {
  const said = feature.properties["sonde:resolution"];
  if (!said) return undefined;
  const parts = [
    said.metres === undefined ? "" : lengthText(said.metres, locale),
    said.scaleDenominator === undefined ? "" : scaleText(said.scaleDenominator, locale),
    durationText(said.timeStep ?? "", locale),
  ];
  return parts.filter(Boolean).join(", ");
}
