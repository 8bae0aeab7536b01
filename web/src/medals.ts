// The medals of ChessBase.

import { t } from "./translations.ts";

const MEDALS = [
  "best", "decided", "model", "novelty", "pawns", "strategy", "tactics", "attack", "defence", "sacrifice",
  "material", "piece", "endgame", "tacticalBlunder", "strategicBlunder", "user",
] as const;

export function medalNames(bits: number): string[] {
  return MEDALS.flatMap((name, index) => (bits & (1 << index) ? [t(`medal.${name}`)] : []));
}
