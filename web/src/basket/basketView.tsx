// The records of the basket beside each other, to compare, cite, export and share them. With ids in the address: those that somebody shared.

import { useEffect, useMemo, useState } from "preact/hooks";
import { EXPORT_PAGE } from "../address.ts";
import { ExportPart } from "../keep/exportPart.tsx";
import { useKeepWords } from "../keep/words/index.ts";
import { setTitle } from "../portal.ts";
import { citationOf, plain } from "../record/citation.ts";
import { linksOf } from "../record/links.ts";
import { offersOf } from "../record/offers.ts";
import { SharePanel } from "../record/openingPanels.tsx";
import { pythonOf } from "../record/python.ts";
import { recordAddress } from "../route.ts";
import { useKey } from "../session.ts";
import { CopyButton } from "../shell/copyButton.tsx";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { SureButton } from "../shell/sending.tsx";
import type { Answer, Feature } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";
import { basketAddress, basketSearch, setBasket, useBasket } from "./basket.ts";
import { ComparedRecords } from "./comparedRecords.tsx";
import { BasketContext, useBasketWords, useLoadedBasketWords } from "./words/index.ts";

export function BasketView({ query }: { query: string }) {
  const page = useWords();
  const words = useLoadedBasketWords(useLocale());
  const own = useBasket();
  const shared = useMemo(() => new URLSearchParams(query).getAll("id"), [query]);
  const ids = shared.length > 0 ? shared : own;
  const isOther = shared.some((id) => !own.includes(id));
  useEffect(() => setTitle(page.basket.title), [page]);
  return (
    <main id="main" tabIndex={-1} class="basket">
      <h1>{page.basket.title}</h1>
      {words && (
        <BasketContext.Provider value={words}>
          {isOther && (
            <p class="note row">
              {words.shared}
              <button type="button" onClick={() => setBasket([...own, ...shared])}>{words.addAll}</button>
            </p>
          )}
          {ids.length === 0 ? <Empty /> : <Records ids={ids} isOwn={shared.length === 0} />}
        </BasketContext.Provider>
      )}
    </main>
  );
}

function Empty() {
  const page = useWords();
  const words = useBasketWords();
  return (
    <section class="note">
      <p>{words.empty}</p>
      <Go to="./">{page.newSearch}</Go>
    </section>
  );
}

function Records({ ids, isOwn }: { ids: readonly string[]; isOwn: boolean }) {
  const page = useWords();
  const words = useBasketWords();
  const search = useMemo(() => basketSearch(ids), [ids]);
  const loaded = useLoaded<Answer>(`search?${search}&limit=${EXPORT_PAGE}`, useKey());
  if (loaded.problem) return <ProblemNote problem={loaded.problem} again={loaded.again} />;
  if (loaded.said === null) return <p role="status">{page.loading}</p>;
  const found = new Map(loaded.said.features.map((one) => [one.id, one]));
  const records = ids.map((id) => found.get(id)).filter((one) => one !== undefined);
  const missing = ids.length - records.length;
  return (
    <>
      {missing > 0 && !loaded.loading && <p class="note">{words.missing({ n: missing })}</p>}
      {records.length > 0 && <ComparedRecords records={records} isOwn={isOwn} />}
      {records.length > 0 && <Uses records={records} search={search} />}
      {isOwn && <SureButton name={words.clear} label={words.clear} really={words.really} act={() => setBasket([])} />}
    </>
  );
}

/** What can be done with all of them. */
function Uses({ records, search }: { records: Feature[]; search: URLSearchParams }) {
  const page = useWords();
  const words = useBasketWords();
  const keep = useKeepWords(useLocale());
  const address = new URL(basketAddress(records.map(({ id }) => id)), document.baseURI).href;
  const citations = records.map((one) => plain(citationOf(one, new URL(recordAddress(one.id), document.baseURI).href)));
  const code = codeOf(records, page.untitled, words.noOpening);
  return (
    <div class="uses">
      <section>
        <h2>{words.cite}</h2>
        <ul class="links">
          {citations.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        <CopyButton text={citations.join("\n")} label={words.copyCitations} />
      </section>
      {keep && <ExportPart search={search} hits={records.length} words={keep} />}
      <section>
        <h2>{page.actions.python}</h2>
        <Code text={code} />
      </section>
      <section>
        <h2>{words.share}</h2>
        <p class="small soft">{words.shareHelp}</p>
        <SharePanel address={address} title={page.basket.title} />
      </section>
    </div>
  );
}

function Code({ text }: { text: string }) {
  const page = useWords();
  const words = useBasketWords();
  const [open, setOpen] = useState(false);
  return (
    <div class="code">
      <p class="row">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>{words.showCode}</button>
        <CopyButton text={text} label={page.actions.copyCode({ name: words.allRecords })} />
      </p>
      {open && (
        <pre tabIndex={0} role="region" aria-label={page.actions.codeOf({ name: words.allRecords })}>
          <code>{text}</code>
        </pre>
      )}
    </div>
  );
}

/** A cell of a notebook for each record. */
function codeOf(records: readonly Feature[], untitled: string, noOpening: string): string {
  const cells = records.map((one) => {
    const code = offersOf(linksOf(one).own).openings.map(pythonOf).find((found) => found !== null);
    return `# %% ${(one.properties.title ?? untitled).replace(/\s+/g, " ")}\n${code ?? `# ${noOpening}`}`;
  });
  return `${cells.join("\n\n")}\n`;
}
