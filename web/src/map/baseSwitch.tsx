// The switch of the operator's base layer, and its source.

import { portal } from "../portal.ts";
import { Outside } from "../shell/outside.tsx";
import { useWords } from "../words/index.ts";

interface Props {
  on: boolean;
  /** Its tiles could not be loaded. */
  failed: boolean;
  change: (on: boolean) => void;
}

export function BaseSwitch({ on, failed, change }: Props) {
  const words = useWords();
  const layer = portal.baseLayer;
  if (layer === null) return null;
  return (
    <div class="base-switch small soft">
      <label>
        <input type="checkbox" checked={on} onChange={(event) => change(event.currentTarget.checked)} />
        <span>{words.baseLayer({ name: layer.name })}</span>
      </label>
      {on && <span>{layer.attributionUrl ? <Outside href={layer.attributionUrl}>{layer.attribution}</Outside> : layer.attribution}</span>}
      <span role="status">{failed ? words.baseFailed : ""}</span>
    </div>
  );
}
