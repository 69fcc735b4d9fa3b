// The ways to sign in: the portal's issuer, or a key. Loaded only where somebody needs it.

import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../api.ts";
import { portal } from "../portal.ts";
import { setKey, useEnding } from "../session.ts";
import { useLocale } from "../words/index.ts";
import { SignInContext, useLoadedSignInWords, useSignInWords } from "./words/index.ts";

/** Whether the page can sign in at an issuer: browsers calculate the proof only on https and on this machine. */
const CAN_SIGN_IN = portal.signIn !== null && isSecureContext;

interface Props {
  /** Where to return from the issuer; by default to this page. */
  back?: string | undefined;
  /** Called after the user entered a key. */
  done?: (() => void) | undefined;
}

export function SignInPanel({ back, done }: Props) {
  const words = useLoadedSignInWords(useLocale());
  if (words === null) return null;
  return (
    <SignInContext.Provider value={words}>
      <div class="sign-in">
        <EndingNote />
        {CAN_SIGN_IN && <AtIssuer back={back ?? location.href} />}
        {CAN_SIGN_IN ? (
          <details>
            <summary>{words.keyInstead}</summary>
            <KeyForm done={done} />
          </details>
        ) : (
          <KeyForm done={done} />
        )}
      </div>
    </SignInContext.Provider>
  );
}

function EndingNote() {
  const words = useSignInWords();
  const ending = useEnding();
  if (ending === null) return null;
  return (
    <div class="note wrong" role="alert">
      {"over" in ending ? (
        <p>{words.over}</p>
      ) : (
        <>
          <p>{words.refused}</p>
          <p class="said" lang="en">{ending.refusal}</p>
        </>
      )}
    </div>
  );
}

function AtIssuer({ back }: { back: string }) {
  const words = useSignInWords();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const host = new URL(portal.signIn?.issuer ?? location.href).host;
  const start = () => {
    setBusy(true);
    setProblem(null);
    import("./oidc.ts").then(({ begin }) => begin(back)).catch((error: unknown) => {
      setBusy(false);
      setProblem(asProblem(error));
    });
  };
  return (
    <div>
      <button type="button" class="main-button" disabled={busy} onClick={start}>
        {words.at({ host })}
      </button>
      {problem && <p role="alert">{words.unreachable({ host })}</p>}
      <p class="soft small">{words.atHelp}</p>
    </div>
  );
}

function KeyForm({ done }: Pick<Props, "done">) {
  const words = useSignInWords();
  const [text, setText] = useState("");
  const give = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    setKey(text.trim());
    done?.();
  };
  return (
    <form class="key-form" onSubmit={give}>
      <label>
        <span>{words.label}</span>
        <input type="password" autocomplete="off" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit">{words.use}</button>
      <p class="small">{portal.keyHelp || words.whoGives}</p>
      <p class="soft small">{words.help}</p>
    </form>
  );
}
