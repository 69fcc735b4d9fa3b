// One sentence of the service on metadata, in the page's language where it can be said.

import { findingText } from "../words/findings.ts";
import { useLocale } from "../words/index.ts";

export function FindingLine({ what }: { what: string }) {
  const said = findingText(what, useLocale());
  return <span lang={said.lang}>{said.text}</span>;
}
