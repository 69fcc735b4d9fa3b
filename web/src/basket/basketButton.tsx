// Puts a record into the basket, or takes it out.

import { useWords } from "../words/index.ts";
import { MOST_IN_BASKET, toggleInBasket, useBasket } from "./basket.ts";

export function BasketButton({ id, title }: { id: string; title: string }) {
  const { basket: words } = useWords();
  const ids = useBasket();
  const inside = ids.includes(id);
  const text = inside ? words.inside : words.add;
  return (
    <button type="button" class="to-basket" aria-pressed={inside} aria-label={`${text}: ${title}`} disabled={!inside && ids.length >= MOST_IN_BASKET} onClick={() => toggleInBasket(id)}>
      {text}
    </button>
  );
}
