// Which view of the world the map shows.

import type { Shape } from "./shapes.ts";

export const VIEWS = ["world", "north", "south"] as const;
export type View = (typeof VIEWS)[number];

const POLAR_DEG = 55;

/** From above a pole where all areas lie around it. */
export function polarView(shapes: readonly Pick<Shape, "boxes">[]): View {
  const boxes = shapes.flatMap((shape) => [...shape.boxes]);
  if (boxes.length === 0) return "world";
  if (boxes.every(([, south]) => south >= POLAR_DEG)) return "north";
  return boxes.every(([, , , north]) => north <= -POLAR_DEG) ? "south" : "world";
}
