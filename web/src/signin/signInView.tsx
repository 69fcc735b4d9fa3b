// The page where a user signs in, and to which the issuer returns.

import { useEffect, useState } from "preact/hooks";
import { setTitle } from "../portal.ts";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { place } from "../shell/place.ts";
import { useLocale, useWords } from "../words/index.ts";
import { SignInPanel } from "./signInPanel.tsx";
import { useLoadedSignInWords } from "./words/index.ts";

export { SignInPanel };

type Progress = "asks" | "finishes" | "denied" | "failed";

export function SignInView() {
  const words = useLoadedSignInWords(useLocale());
  const { key: shared } = useWords();
  const known = useKey() !== null;
  const [answer] = useState(answerOfIssuer);
  const [progress, setProgress] = useState<Progress>(answer ? "finishes" : "asks");
  const [back] = useState(() => place().from ?? document.baseURI);
  useEffect(() => setTitle(shared.use), [shared]);
  useEffect(() => {
    if (answer === null) return;
    import("./oidc.ts")
      .then(({ finish }) => finish(answer))
      .then((address) => go(address, true))
      .catch(() => setProgress(answer.searchParams.get("error") === "access_denied" ? "denied" : "failed"));
  }, [answer]);
  return (
    <main id="main" tabIndex={-1} class="answers">
      <h1>{shared.use}</h1>
      {words && (
        <>
          {progress === "finishes" && <p role="status">{words.finishing}</p>}
          {progress === "denied" && <p class="note" role="alert">{words.denied}</p>}
          {progress === "failed" && <p class="note wrong" role="alert">{words.failed}</p>}
          {known && progress !== "finishes" && (
            <p role="status">
              {words.isIn} <Go to="./">{words.toSearch}</Go>
            </p>
          )}
          {!known && progress !== "finishes" && <SignInPanel back={back} done={() => go(back)} />}
        </>
      )}
    </main>
  );
}

/** The address with which the issuer answered, taken out of the browser's history; null if it did not. */
function answerOfIssuer(): URL | null {
  const address = new URL(location.href);
  if (!address.searchParams.has("state")) return null;
  history.replaceState(history.state, "", address.pathname);
  return address;
}
