// A link inside the page: a real address, followed without loading the page again.

import type { ComponentChildren } from "preact";
import { embedded } from "../portal.ts";
import { go, goBack } from "../route.ts";

interface Props {
  to: string;
  class?: string;
  current?: boolean;
  /** What it opens, in full. */
  label?: string;
  /** Of the text, if it is not the page's. */
  lang?: string | undefined;
  /** Goes to the earlier scroll position of that address, not to its top. */
  back?: boolean;
  /** Called first, however the link is followed. */
  followed?: () => void;
  /** In place of going there; a new tab still goes there. */
  act?: () => void;
  children: ComponentChildren;
}

export function Go({ to, class: className, current, label, lang, back, followed, act, children }: Props) {
  if (embedded) {
    return (
      <a href={to} class={className} aria-label={label} lang={lang} target="_blank" rel="noopener" onClick={followed}>
        {children}
      </a>
    );
  }
  const follow = (event: MouseEvent) => {
    followed?.();
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (act) {
      act();
    } else if (back) {
      goBack(to);
    } else {
      go(to);
      scrollTo(0, 0);
    }
  };
  return (
    <a href={to} class={className} aria-label={label} lang={lang} onClick={follow} aria-current={current ? "page" : undefined}>
      {children}
    </a>
  );
}
