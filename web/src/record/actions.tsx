// The first row of a record: what a reader can do with it. Only what the record offers is there.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { BasketButton } from "../basket/basketButton.tsx";
import { recordAddress } from "../route.ts";
import { Outside } from "../shell/outside.tsx";
import type { Feature, Link } from "../types.ts";
import { useLoadedModule } from "../shell/lazyView.tsx";
import { useWords } from "../words/index.ts";
import { CitePanel } from "./citePanel.tsx";
import { linksOf } from "./links.ts";
import { type Access, endingOf, type Offers, offersOf, type Opening } from "./offers.ts";
import { PythonPanel, QgisPanel, SharePanel } from "./openingPanels.tsx";
import { pythonOf } from "./python.ts";
import { qgisOf } from "./qgis.ts";

interface Action {
  id: string;
  name: string;
  panel: ComponentChildren;
}

export function Actions({ feature, title }: { feature: Feature; title: string }) {
  const words = useWords();
  const [open, setOpen] = useState<string | null>(null);
  const offers = useMemo(() => offersOf(linksOf(feature).own), [feature]);
  const actions = actionsOf(feature, title, offers, words.actions, open);
  return (
    <section class="actions-row" aria-label={words.actions.all}>
      <div class="row">
        <First offers={offers} />
        {actions.map(({ id, name }) => (
          <button key={id} type="button" class={id === "files" ? "main-button" : undefined} aria-expanded={open === id} aria-controls={`action-${id}`} onClick={() => setOpen(open === id ? null : id)}>
            {name}
          </button>
        ))}
        <BasketButton id={feature.id} title={title} />
      </div>
      {actions.map(({ id, name, panel }) => (
        <div key={id} id={`action-${id}`} class={`panel action-panel for-${id}`} role="group" aria-label={name} hidden={open !== id}>
          {panel}
        </div>
      ))}
    </section>
  );
}

/** One file is fetched at once; several are listed; without files, the page where the provider hands out the data. */
function First({ offers }: { offers: Offers }) {
  const words = useWords();
  const [file, ...others] = offers.files;
  if (file && others.length === 0) return <MainLink link={file} name={`${words.actions.download} ${endingOf(file.href)}`.trim()} />;
  return !file && offers.page ? <MainLink link={offers.page} name={words.actions.dataPage} /> : null;
}

function MainLink({ link, name }: { link: Link; name: string }) {
  return (
    <a href={link.href} class="main-button as-button" rel="noopener noreferrer">
      {name}
    </a>
  );
}

function actionsOf(feature: Feature, title: string, offers: Offers, words: ReturnType<typeof useWords>["actions"], open: string | null): Action[] {
  const inPython = offers.openings.filter((one) => pythonOf(one) !== null);
  const inQgis = offers.openings.filter((one) => qgisOf(one, title) !== null);
  const address = new URL(recordAddress(feature.id), document.baseURI).href;
  return [
    ...(offers.files.length > 1 ? [{ id: "files", name: words.download, panel: <Files files={offers.files} /> }] : []),
    ...(inPython.length ? [{ id: "python", name: words.python, panel: <PythonPanel openings={inPython} /> }] : []),
    ...(inQgis.length ? [{ id: "qgis", name: words.qgis, panel: <QgisPanel openings={inQgis} title={title} /> }] : []),
    ...(offers.openings.some((one) => isTable(one) || isPicture(one)) ? [{ id: "look", name: words.look, panel: open === "look" ? <Look feature={feature} title={title} offers={offers} /> : null }] : []),
    { id: "cite", name: words.cite, panel: <CitePanel feature={feature} /> },
    { id: "share", name: words.share, panel: <SharePanel address={address} title={title} /> },
  ];
}

const loadRows = () => import("../rows/rowsPanel.tsx");
const loadPicture = () => import("../rows/picturePanel.tsx");

/** Asks the provider only once a reader wants to see it. */
function Look({ feature, title, offers }: { feature: Feature; title: string; offers: Offers }) {
  const rows = useLoadedModule(offers.openings.some(isTable) ? loadRows : null);
  const picture = useLoadedModule(offers.openings.some(isPicture) ? loadPicture : null);
  return (
    <>
      {rows && <rows.RowsPanel key={feature.id} feature={feature} />}
      {picture && <picture.PicturePanel key={feature.id} feature={feature} title={title} />}
    </>
  );
}

const READ = new Set<Access>(["csv", "opendap", "zarr", "geojson"]);

/** As the service reads: CSV, OPeNDAP, Zarr, features and tables of ERDDAP. */
function isTable({ access, href }: Opening): boolean {
  if (READ.has(access)) return true;
  if (access === "features") return /\/collections\/[^/?#]+(\/items)?\/?([?#]|$)/.test(href);
  return /\/erddap\/tabledap\/[^/?#]+/.test(href);
}

/** As the service draws. */
function isPicture({ access }: Opening): boolean {
  return access === "wms" || access === "raster";
}

function Files({ files }: { files: Link[] }) {
  return (
    <ul class="links">
      {files.map((link) => (
        <li key={link.href}>
          <Outside href={link.href}>{link.title || link.href}</Outside> <span class="soft">{endingOf(link.href)}</span>
        </li>
      ))}
    </ul>
  );
}
