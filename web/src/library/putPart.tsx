// Puts one document into a collection of the user's, from the document's page. Loaded only when somebody asks for it.

import { useLocale } from "../words/index.ts";
import { PutForm } from "./chosenBar.tsx";
import { OwnContext, useLoadedOwn } from "./words/index.ts";

export function PutPart({ id }: { id: string }) {
  const own = useLoadedOwn(useLocale());
  if (!own) return null;
  return (
    <OwnContext.Provider value={own}>
      <PutForm documents={[id]} />
    </OwnContext.Provider>
  );
}
