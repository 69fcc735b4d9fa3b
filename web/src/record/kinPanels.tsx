// Other versions, the campaign, sources and uses of a record; documents that name it; works that cite it.

import { useState } from "preact/hooks";
import { statedLanguage } from "../languages.ts";
import { recordAddress } from "../route.ts";
import { intervalText } from "../search/intervalText.ts";
import { Go } from "../shell/link.tsx";
import { useLoadedModule } from "../shell/lazyView.tsx";
import { Outside } from "../shell/outside.tsx";
import type { Feature } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";
import { type Kin, type Mention, useCitations } from "./kin.ts";

export function KinPanels({ id, kin }: { id: string; kin: Kin }) {
  const words = useWords().kin;
  return (
    <>
      {kin.related.map(({ relation, name, matched, records }) => (
        <section key={relation} aria-labelledby={`kin-${relation}`}>
          <h2 id={`kin-${relation}`}>
            {words.titles[relation] ?? relation}
            {name && <span class="soft"> {name}</span>}
          </h2>
          <ul class="similar">
            {records.map((one) => (
              <OneRecord key={one.id} record={one} />
            ))}
          </ul>
          {matched > records.length && <p class="soft small">{words.more({ n: matched - records.length })}</p>}
        </section>
      ))}
      <Mentions id="explains" title={words.explains} mentions={kin.explains ?? []} withTables />
      <Mentions id="mentions" title={words.mentions} mentions={kin.mentions} />
      <Citations id={id} />
    </>
  );
}

function OneRecord({ record }: { record: Feature }) {
  const words = useWords();
  const locale = useLocale();
  const said = record.properties;
  return (
    <li>
      <Go to={recordAddress(record.id)} lang={statedLanguage(record)}>{said.title || words.untitled}</Go>
      <span class="soft">{[said["sonde:edition"], intervalText(record, words, locale), said["sonde:source"]].filter(Boolean).join(" · ")}</span>
    </li>
  );
}

const loadTables = () => import("../document/tablesPanel.tsx");

/** Loaded where a reader opens them. */
function Tables({ document, count }: { document: string; count: number }) {
  const words = useWords();
  const [open, setOpen] = useState(false);
  const panel = useLoadedModule(open ? loadTables : null);
  return (
    <details class="explained" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{`${words.document.tables} (${count})`}</summary>
      {open && (panel ? <panel.TablesOf id={document} /> : <p role="status">{words.loading}</p>)}
    </details>
  );
}

function Mentions({ id, title, mentions, withTables = false }: { id: string; title: string; mentions: readonly Mention[]; withTables?: boolean }) {
  const words = useWords();
  if (mentions.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="mentions">
        {mentions.map((one) => (
          <li key={one.document}>
            <Go to={`documents/${one.document}`}>{one.title}</Go>{" "}
            <span class="soft small">{[one.published?.slice(0, 4), one.by === "references" ? words.kin.inReferences : one.page && words.page({ n: one.page })].filter(Boolean).join(" · ")}</span>
            <blockquote class="small breaks">{one.quote}</blockquote>
            {withTables && one.tables && <Tables document={one.document} count={one.tables} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Citations({ id }: { id: string }) {
  const words = useWords().kin;
  const citations = useCitations(id);
  if (citations.length === 0) return null;
  return (
    <section aria-labelledby="citations">
      <h2 id="citations">{words.citations}</h2>
      <ul class="mentions">
        {citations.map((one) => (
          <li key={one.doi} class="breaks">
            <Outside href={one.doi}>{one.doi}</Outside>{" "}
            <span class="soft small">{[words.relations[one.relation] ?? one.relation, one.year, one.said_by && words.saidBy({ who: one.said_by })].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
