// One finding of the service on metadata, translated if possible.

import { findingText } from "../words/findings.ts";
import { useLocale } from "../words/index.ts";

export function FindingLine({ what }: { what: string }) {
  const said = findingText(what, useLocale());
  return <span lang={said.lang}>{said.text}</span>;
}
