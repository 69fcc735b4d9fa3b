// Links to the data, and to the record in other formats.

import { Outside } from "../shell/outside.tsx";
import type { Feature, Link } from "../types.ts";
import { useWords } from "../words/index.ts";
import { linksOf } from "./links.ts";

const FIRST_SHOWN = 6;
const FIRST = ["download", "enclosure", "data", "service", "about", "order"];

/** Data and services before pages; unnamed relations and broken links last. */
function order(link: Link): number {
  const at = FIRST.indexOf(link.rel ?? "");
  return (link["sonde:broken"] ? 100 : 0) + (at < 0 ? FIRST.length : at);
}

export function LinksPanel({ feature }: { feature: Feature }) {
  const words = useWords();
  const { own: asWritten, alternates } = linksOf(feature);
  const own = [...asWritten].sort((a, b) => order(a) - order(b));
  return (
    <section aria-labelledby="links">
      <h2 id="links">{words.links}</h2>
      {own.length === 0 && <p class="soft">{words.noLinks}</p>}
      <LinkList links={own.slice(0, FIRST_SHOWN)} />
      {own.length > FIRST_SHOWN && (
        <details>
          <summary>{words.moreLinks({ n: own.length - FIRST_SHOWN })}</summary>
          <LinkList links={own.slice(FIRST_SHOWN)} />
        </details>
      )}
      {alternates.length > 0 && (
        <p class="alternates">
          {words.alternates}{" "}
          {alternates.map((link) => (
            <Outside key={link.href} href={link.href}>
              {link.title || link.type || link.href}
            </Outside>
          ))}
        </p>
      )}
    </section>
  );
}

function LinkList({ links }: { links: Link[] }) {
  const words = useWords();
  return (
    <ul class="links">
      {links.map((link, index) => (
        <li key={index}>
          <Outside href={link.href}>{link.title || link.href}</Outside>{" "}
          <span class="soft">{[hostOf(link.href), link.type].filter(Boolean).join(" · ")}</span>
          {link["sonde:broken"] && <span class="wrong-field"> {words.brokenLink}</span>}
        </li>
      ))}
    </ul>
  );
}

function hostOf(href: string): string {
  try {
    return new URL(href).host;
  } catch {
    return "";
  }
}
