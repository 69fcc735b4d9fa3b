// Links to the data, and to the record in other formats.

import { Outside } from "../shell/outside.tsx";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { linksOf } from "./links.ts";

export function LinksPanel({ feature }: { feature: Feature }) {
  const words = useWords();
  const { own, alternates } = linksOf(feature);
  return (
    <section aria-labelledby="links">
      <h2 id="links">{words.links}</h2>
      {own.length === 0 && <p class="soft">{words.noLinks}</p>}
      <ul class="links">
        {own.map((link, index) => (
          <li key={index}>
            <Outside href={link.href}>{link.title || link.href}</Outside>{" "}
            <span class="soft">
              {[hostOf(link.href), link.type].filter(Boolean).join(" · ")}
            </span>
          </li>
        ))}
      </ul>
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

function hostOf(href: string): string {
  try {
    return new URL(href).host;
  } catch {
    return "";
  }
}
