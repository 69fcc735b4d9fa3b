// The user's own documents, their collections, comparisons and conversations. Loaded only when somebody opens it.

import { useEffect } from "preact/hooks";
import { setTitle } from "../portal.ts";
import { useKey } from "../session.ts";
import { SignIn } from "../shell/signIn.tsx";
import { Go } from "../shell/link.tsx";
import { useLocale, useWords } from "../words/index.ts";
import { CollectionPart } from "./collectionPart.tsx";
import { CollectionsPart } from "./collectionsPart.tsx";
import { ComparePart } from "./comparePart.tsx";
import { ConversationsPart } from "./conversationsPart.tsx";
import { DocumentsPart } from "./documentsPart.tsx";
import { OwnContext, useLoadedOwn } from "./words/index.ts";

const PARTS: Record<string, string> = {
  documents: "my-documents", collections: "my-documents/collections", compare: "my-documents/compare", conversations: "my-documents/conversations",
};

interface Props {
  /** Behind `my-documents/`. */
  path: string;
  query: string;
}

export function LibraryView({ path, query }: Props) {
  const { library } = useWords();
  const own = useLoadedOwn(useLocale());
  const key = useKey();
  const [part = "", id] = path.split("/");
  const name = part in PARTS ? part : "documents";
  const title = name === "documents" ? library.title : own?.parts[name];
  useEffect(() => {
    if (title) setTitle(title);
  }, [title]);
  if (!own) return <main id="main" tabIndex={-1} class="library" />;
  return (
    <OwnContext.Provider value={own}>
      <main id="main" tabIndex={-1} class="library">
        <h1>{library.title}</h1>
        {key === null ? (
          <>
            <p>{library.help}</p>
            <SignIn />
          </>
        ) : (
          <>
            <nav class="parts" aria-label={library.title}>
              {Object.entries(PARTS).map(([one, address]) => (
                <Go key={one} to={address} current={one === name}>
                  {own.parts[one]}
                </Go>
              ))}
            </nav>
            <Part key={`${name} ${id ?? ""} ${key}`} name={name} id={id} query={query} known={key} />
          </>
        )}
      </main>
    </OwnContext.Provider>
  );
}

interface PartProps {
  name: string;
  id: string | undefined;
  query: string;
  known: string;
}

function Part({ name, id, query, known }: PartProps) {
  if (name === "collections") return id ? <CollectionPart id={id} /> : <CollectionsPart />;
  if (name === "compare") return <ComparePart key={query} query={query} />;
  return name === "conversations" ? <ConversationsPart /> : <DocumentsPart known={known} />;
}
