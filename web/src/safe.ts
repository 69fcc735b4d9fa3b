// Metadata come from other people: an address in them is a link only if its scheme is safe.

const HARMLESS = new Set(["http:", "https:", "mailto:", "ftp:"]);

/** The address; a bare DOI becomes one. Null for other texts and unsafe schemes. */
export function safeHref(text: string | undefined): string | null {
  if (!text) return null;
  const doi = /^(?:doi:\s*)?(10\.\d{4,9}\/\S+)$/i.exec(text.trim());
  if (doi?.[1]) return `https://doi.org/${encodeURI(doi[1])}`;
  try {
    const url = new URL(text.trim());
    return HARMLESS.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A highlighted fragment as alternating plain and marked parts: `<em>` marks, the rest is escaped HTML. */
export function marks(fragment: string): { text: string; marked: boolean }[] {
  return fragment
    .split(/(<em>.*?<\/em>)/s)
    .filter((stretch) => stretch !== "")
    .map((stretch) => {
      const inside = /^<em>(.*)<\/em>$/s.exec(stretch);
      return { text: unescaped(inside ? (inside[1] ?? "") : stretch), marked: inside !== null };
    });
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'", "#x2F": "/" };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27|#39|#x2F);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
