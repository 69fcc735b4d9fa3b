// Corrected or suggested spelling, codes and words that no record has, and what is shown for want of better.

import { changed } from "../address.ts";
import { Go } from "../shell/link.tsx";
import type { Answer } from "../types.ts";
import { useWords } from "../words/index.ts";

export function Reading({ search, answer }: { search: URLSearchParams; answer: Answer }) {
  const words = useWords();
  const read = answer["sonde:interpretation"];
  const meant = answer["sonde:didYouMean"];
  const typed = answer["sonde:correctedFrom"];
  const names = (read?.names ?? []).filter((one) => one.match === "unknown").map((one) => one.text);
  const codes = (read?.identifiers ?? []).filter((one) => one.known === false).map((one) => one.value);
  const unknown = [...new Set([...codes, ...names])];
  const lacking = meant || answer.features.length === 0 ? [] : (answer["sonde:unknownWords"] ?? []);
  const notes = {
    nothing_about_topic: words.nothingAboutTopic,
    nothing_there: words.nothingThere,
    flow_unknown: words.flowUnknown,
    offer_missing: words.offerMissing,
    weak_matches: words.weakMatches,
  };
  return (
    <>
      {typed && read && (
        <p class="meant">
          {words.showingFor} <strong>{read.text}</strong>. <Go to={`./?${changed(search, "spelling", "off")}`}>{words.searchInstead({ typed })}</Go>
        </p>
      )}
      {meant && (
        <p class="meant">
          {words.didYouMean} <Go to={`./?${changed(search, "q", meant)}`}>{meant}</Go>
        </p>
      )}
      {read?.understoodAs && (
        <p class="meant">
          {words.understoodAs} <strong>{read.understoodAs}</strong>
        </p>
      )}
      {lacking.length > 0 && <p class="soft small unknown-words">{lacking.map((word) => words.unknownWord({ word })).join(" ")}</p>}
      {(answer["sonde:notes"] ?? []).map(({ code }) => (
        <p key={code} class="note">
          {notes[code]}
        </p>
      ))}
      {unknown.map((code) => (
        <p key={code} class="note unknown-code">
          {words.unknownCode({ code })} {answer.features.length > 0 && words.nearestInstead}
        </p>
      ))}
    </>
  );
}
