// A button that is seen only while it has the focus: it passes over a part that has many stops for the Tab key.

export function SkipTo({ id, name }: { id: string; name: string }) {
  const skip = () => {
    const target = document.getElementById(id);
    target?.focus({ preventScroll: true });
    target?.scrollIntoView({ block: "nearest" });
  };
  return (
    <button type="button" class="skip-to" onClick={skip}>
      {name}
    </button>
  );
}
