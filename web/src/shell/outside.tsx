// An external link, or plain text if its address is unsafe.

import type { ComponentChildren } from "preact";
import { safeHref } from "../safe.ts";

export function Outside({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  const address = safeHref(href);
  if (address === null) return <span>{children}</span>;
  return (
    <a href={address} rel="noopener noreferrer" class="outside">
      {children}
    </a>
  );
}
