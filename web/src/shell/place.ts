// The scroll position of a view and its number of hits, stored in the browser's history for going back.

/** The event of a changed address. */
export const MOVED = "sonde:moved";
/** The parameter of the record that is shown beside the list. */
export const BESIDE = "record";

interface Place {
  y?: number;
  /** Number of hits. */
  shown?: number;
  /** The address before this one. */
  from?: string;
  /** A record was opened beside the list before this entry, which shows it. */
  beside?: boolean;
}

const AIMING_MS = 3000;
const PAUSE_MS = 100;
const left = new Map<string, Place>();
let timer: ReturnType<typeof setTimeout> | undefined;
let stopAiming: (() => void) | null = null;

/** Of the current history entry. */
export function place(): Place {
  return (history.state as Place | null) ?? {};
}

export function keepPlace(part: Place): void {
  history.replaceState({ ...place(), ...part }, "");
}

/** Call this before another entry is pushed. */
export function leave(): void {
  clearTimeout(timer);
  stopAiming?.();
  keepPlace({ y: scrollY });
  left.set(location.href, place());
}

/** The scroll position at which an address was left in this visit. */
export function placeLeft(href: string): Place {
  return left.get(href) ?? {};
}

/** From now on the page restores the scroll position: the browser would do so before the hits are loaded. */
export function rememberPlaces(): void {
  history.scrollRestoration = "manual";
  addEventListener("scroll", () => {
    clearTimeout(timer);
    if (!stopAiming) timer = setTimeout(() => keepPlace({ y: scrollY }), PAUSE_MS);
  }, { passive: true });
  addEventListener("pagehide", () => keepPlace({ y: scrollY }));
  let list = listAddress();
  addEventListener(MOVED, () => {
    list = listAddress();
  });
  addEventListener("popstate", () => {
    clearTimeout(timer);
    const before = list;
    list = listAddress();
    if (list !== before) returnTo(place().y); // a record beside the list moves nothing
  });
  returnTo(place().y);
}

function listAddress(): string {
  const address = new URL(location.href);
  address.searchParams.delete(BESIDE);
  return address.href;
}

/** Scrolls there while the content grows, until it is reached or the user scrolls. */
export function returnTo(y: number | undefined): void {
  stopAiming?.();
  if (y === undefined) return;
  const own = new AbortController();
  const grown = new ResizeObserver(() => scrollTo(0, y));
  const end = setTimeout(() => stopAiming?.(), AIMING_MS);
  stopAiming = () => {
    own.abort();
    grown.disconnect();
    clearTimeout(end);
    stopAiming = null;
  };
  for (const moved of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    addEventListener(moved, () => stopAiming?.(), { signal: own.signal, passive: true });
  }
  grown.observe(document.body);
}
