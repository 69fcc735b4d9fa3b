// The panels of the actions: code for Python, the way into QGIS, the address to share.

import { saveFile } from "../shell/save.ts";
import { CopyButton } from "../shell/copyButton.tsx";
import { useWords } from "../words/index.ts";
import type { Opening } from "./offers.ts";
import { pythonOf } from "./python.ts";
import { qgisOf } from "./qgis.ts";

const MOST = 8;

export function PythonPanel({ openings }: { openings: Opening[] }) {
  return (
    <>
      {openings.slice(0, MOST).map((one) => (
        <OneCode key={`${one.access} ${one.href}`} opening={one} named={openings.length > 1} />
      ))}
    </>
  );
}

function OneCode({ opening, named }: { opening: Opening; named: boolean }) {
  const words = useWords();
  const code = pythonOf(opening) ?? "";
  const name = opening.name || opening.access;
  return (
    <div class="code">
      {named && <h2>{name}</h2>}
      <pre tabIndex={0} role="region" aria-label={words.actions.codeOf({ name })}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={words.actions.copyCode({ name })} />
    </div>
  );
}

export function QgisPanel({ openings, title }: { openings: Opening[]; title: string }) {
  return (
    <>
      {openings.slice(0, MOST).map((one) => (
        <OneWay key={`${one.access} ${one.href}`} opening={one} title={title} />
      ))}
    </>
  );
}

function OneWay({ opening, title }: { opening: Opening; title: string }) {
  const words = useWords();
  const way = qgisOf(opening, title);
  if (way === null) return null;
  const { section, connection } = way;
  const save = () => saveFile(new Blob([connection ?? ""], { type: "text/xml" }), `${opening.access}.xml`);
  return (
    <div class="code">
      {opening.name && <h2>{opening.name}</h2>}
      <p>{connection === null ? words.actions.qgisFile({ section }) : words.actions.qgisService({ section })}</p>
      <p class="breaks">
        <code>{opening.href}</code>
      </p>
      <p class="row">
        {connection !== null && (
          <button type="button" onClick={save}>
            {words.actions.saveConnection}
          </button>
        )}
        <CopyButton text={opening.href} label={words.actions.copyAddress} />
      </p>
    </div>
  );
}

export function SharePanel({ address, title }: { address: string; title: string }) {
  const words = useWords();
  const mail = `mailto:?${new URLSearchParams({ subject: title, body: address }).toString().replaceAll("+", "%20")}`;
  const system = () => void navigator.share({ title, url: address }).catch(() => undefined);
  return (
    <>
      <p class="breaks">
        <code>{address}</code>
      </p>
      <p class="row">
        <CopyButton text={address} label={words.actions.copyAddress} />
        <a href={mail}>{words.actions.mail}</a>
        {"share" in navigator && (
          <button type="button" onClick={system}>
            {words.actions.shareWith}
          </button>
        )}
      </p>
    </>
  );
}
