// The record of a hit beside the list: in a column of its own where there is room, else in a drawer above the list.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { RecordContent } from "../record/recordView.tsx";
import { goBeside, recordAddress } from "../route.ts";
import { Drawer } from "../shell/drawer.tsx";
import { Go } from "../shell/link.tsx";
import { useWords } from "../words/index.ts";
import { hitElementId } from "./useMarked.ts";

export function Detail({ id, modal }: { id: string; modal: boolean }) {
  const words = useWords();
  if (!modal) return <Column id={id}><Content id={id} /></Column>;
  return (
    <Drawer label={words.detail.title} class="detail" content={id} close={() => close(id)}>
      <Content id={id} />
    </Drawer>
  );
}

interface Props {
  id: string;
  children: ComponentChildren;
}

function Column({ id, children }: Props) {
  const words = useWords();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollTo(0, 0);
  }, [id]);
  const key = (event: KeyboardEvent) => {
    if (event.key === "Escape") close(id);
  };
  return (
    <aside class="side detail" aria-label={words.detail.title} tabIndex={-1} ref={panel} onKeyDown={key}>
      {children}
    </aside>
  );
}

function Content({ id }: { id: string }) {
  const words = useWords();
  return (
    <>
      <p class="detail-tools">
        <Go to={recordAddress(id)}>{words.detail.whole}</Go>
        <button type="button" class="plain" aria-label={words.detail.close} onClick={() => close(id)}>
          <span aria-hidden="true">×</span>
        </button>
      </p>
      <div class="record beside">
        <RecordContent key={id} id={id} beside />
      </div>
    </>
  );
}

function close(id: string): void {
  goBeside(null);
  document.getElementById(hitElementId(id))?.querySelector<HTMLElement>("h2 a")?.focus({ preventScroll: true });
}
