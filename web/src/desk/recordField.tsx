// Chooses a record by words of its title, or by its id.

import { useEffect, useId, useState } from "preact/hooks";
import { getJson } from "../api.ts";
import { recordAddress } from "../route.ts";
import { Go } from "../shell/link.tsx";
import type { Feature } from "../types.ts";
import { useTitles } from "./useTitles.ts";
import { useDesk } from "./words/index.ts";

const PAUSE_MS = 300;
const SHOWN = 6;

interface Props {
  label: string;
  value: string;
  /** The first search, for example the question that the rule is for. */
  about: string;
  change: (record: string) => void;
}

export function RecordField({ label, value, about, change }: Props) {
  const words = useDesk();
  const titles = useTitles(value ? [value] : []);
  if (value === "") return <Finding label={label} about={about} choose={change} />;
  const title = titles?.get(value);
  return (
    <div class="field wide" role="group" aria-label={label}>
      <span>{label}</span>
      <p class="chosen">
        <Go to={recordAddress(value)}>{title ?? value}</Go> <code class="soft small breaks">{value}</code>{" "}
        {titles && title === undefined && <span class="wrong-field">{words.gone}</span>}
      </p>
      <button type="button" onClick={() => change("")}>
        {words.otherRecord}
      </button>
    </div>
  );
}

function Finding({ label, about, choose }: { label: string; about: string; choose: (record: string) => void }) {
  const words = useDesk();
  const id = useId();
  const [text, setText] = useState(about);
  const found = useFound(text.trim());
  return (
    <div class="field wide">
      <label for={id}>
        {label} <span class="soft">({words.findRecord})</span>
      </label>
      <input id={id} type="search" autocomplete="off" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && event.preventDefault()} />
      <p role="status" class="small soft">{found && words.foundRecords({ n: found.length })}</p>
      <ul class="found">
        {found?.map((one) => (
          <li key={one.id}>
            <button type="button" onClick={() => choose(one.id)}>
              {one.properties.title || one.id} <span class="soft small breaks">{one.id}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Null while nothing is asked. */
function useFound(text: string): Feature[] | null {
  const [found, setFound] = useState<Feature[] | null>(null);
  useEffect(() => {
    if (text.length < 2) {
      setFound(null);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      look(text, stop.signal)
        .then(setFound)
        .catch(() => stop.signal.aborted || setFound([]));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return found;
}

async function look(text: string, signal: AbortSignal): Promise<Feature[]> {
  const isId = /^[\w.-]+:\S+$/.test(text);
  const address = isId
    ? `collections/all/items?${new URLSearchParams({ ids: text })}`
    : `search?${new URLSearchParams({ q: text, limit: String(SHOWN), rerank: "false", group: "none" })}`;
  return (await getJson<{ features: Feature[] }>(address, signal)).features;
}
