// What a steward sees beside a record; loaded only for those who work at the desk.

import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isSteward, useKey } from "../session.ts";

interface Props {
  id: string;
}

export function StewardPart({ id }: Props) {
  const key = useKey();
  const wanted = key !== null && isSteward();
  const [panel, setPanel] = useState<{ Panel: FunctionComponent<Props> } | null>(null);
  useEffect(() => {
    if (!wanted) return;
    import("../stewards.ts").then(({ RecordPanel }) => setPanel({ Panel: RecordPanel })).catch(() => undefined);
  }, [wanted]);
  return wanted && panel ? <panel.Panel id={id} /> : null;
}
