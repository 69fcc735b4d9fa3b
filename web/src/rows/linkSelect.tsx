// Chooses one of a record's links; nothing where there is only one.

interface Props {
  label: string;
  hrefs: readonly string[];
  chosen: string;
  choose: (href: string) => void;
}

export function LinkSelect({ label, hrefs, chosen, choose }: Props) {
  if (hrefs.length < 2) return null;
  return (
    <label>
      {label}{" "}
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {hrefs.map((href) => (
          <option key={href} value={href}>
            {nameOf(href)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The end of an address, which tells links of a record apart. */
function nameOf(href: string): string {
  return href.split(/[?#]/)[0]?.split("/").filter(Boolean).at(-1) ?? href;
}
