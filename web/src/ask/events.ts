// Parses server-sent events from a text that arrives in pieces.

export interface ServerEvent {
  name: string;
  data: string;
}

/** The complete events at the beginning of the text, and the rest for the next piece. */
export function eventsOf(text: string): { events: ServerEvent[]; rest: string } {
  const blocks = text.replace(/\r\n?/g, "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  return { events: blocks.map(eventOf).filter((one) => one.data !== ""), rest };
}

function eventOf(block: string): ServerEvent {
  const lines = block.split("\n");
  const values = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ""));
  return { name: values("event")[0] ?? "message", data: values("data").join("\n") };
}
