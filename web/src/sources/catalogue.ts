// A catalogue of `/collections`.

import type { Box } from "../types.ts";

export interface Catalogue {
  id: string;
  title: string;
  description?: string;
  license?: string;
  "sonde:publisher"?: string;
  updated?: string;
  "sonde:count"?: number;
  extent?: { spatial?: { bbox: Box[] }; temporal?: { interval: [string | null, string | null][] } };
}
