// Names in several spellings, as the server finds them.

import type { KnownText } from "./api.ts";

export type Kind = "player" | "event" | "site" | "annotator";

export interface Cluster {
  kind: Kind;
  proposal: string;
  spellings: { name: string; games: number; years: [number, number] | null; elo: [number, number] | null; reason: string; known?: KnownText | null }[];
}

export const rangeText = (range: [number, number] | null) => (range === null ? "" : range[0] === range[1] ? String(range[0]) : range.join("–"));
