// Texts that the test of the words must find; nothing shows this component.

export function Sample({ open, name }: { open: boolean; name: string }) {
  return (
    <section class="ignored" title="Read me">
      Hello <strong>Sonde</strong>
      {open && "there"}
      {name === "ignored" ? `by ${name}` : "or that"}
      <span data-kind="ignored" aria-label={open ? "Bye" : name} />
    </section>
  );
}
