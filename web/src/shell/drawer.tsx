// A dialog above the page, at its edge. Escape, a click outside of it or its own button close it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  label: string;
  class?: string;
  /** Another content begins at its top. */
  content: string;
  close: () => void;
  children: ComponentChildren;
}

export function Drawer({ label, class: className = "", content, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
    dialog.current?.scrollTo(0, 0);
  }, [content]);
  const outside = (event: MouseEvent) => {
    if (event.target === dialog.current) close();
  };
  const cancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  return (
    <dialog class={`drawer ${className}`} aria-label={label} ref={dialog} onClick={outside} onCancel={cancel}>
      <div class="drawer-content">{children}</div>
    </dialog>
  );
}
