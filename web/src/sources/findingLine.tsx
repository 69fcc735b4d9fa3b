// One finding of the service on metadata, translated if possible.

import { findingText } from "../words/findings.ts";
import { useWords } from "../words/index.ts";

export function FindingLine({ what }: { what: string }) {
  const said = findingText(what, useWords());
  return <span lang={said.lang}>{said.text}</span>;
}
