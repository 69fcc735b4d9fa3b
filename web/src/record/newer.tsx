// The warning that a record has a newer version, with the way there.

import { recordAddress } from "../route.ts";
import { Go } from "../shell/link.tsx";
import { Outside } from "../shell/outside.tsx";
import type { Successor } from "../types.ts";
import { useWords } from "../words/index.ts";

/** Nothing without a newer version. */
export function Newer({ record }: { record: Successor | undefined }) {
  const words = useWords();
  if (!record) return null;
  const name = record.title || record.href || words.untitled;
  return (
    <p class="newer">
      {words.kin.newer} {record.id ? <Go to={recordAddress(record.id)}>{name}</Go> : record.href && <Outside href={record.href}>{name}</Outside>}
      {record.edition && !name.includes(record.edition) && ` (${record.edition})`}
    </p>
  );
}
