// The place of the ways to sign in, which are loaded when somebody needs them.

import { useWords } from "../words/index.ts";
import { useLoadedModule } from "./lazyView.tsx";

const load = () => import("../signin/signInView.tsx");

/** `done` is called after the user entered a key. */
export function SignIn({ done }: { done?: () => void }) {
  const panel = useLoadedModule(load);
  const words = useWords();
  return panel ? <panel.SignInPanel done={done} /> : <p role="status">{words.loading}</p>;
}
