// The games that are selected in a list.

import { useState } from "preact/hooks";
import type { Row } from "./api.ts";
import { announce } from "./ui.tsx";
import { t } from "./translations.ts";

/** Games at most; a query has no limit. */
const MAX = 1000;

export type Picked = ReadonlyMap<string, { db: string; game: number }>;

/** Kept while the page is open: other orders and queries show the same selection. */
const kept = new Map<string, Picked>();
const keyOf = (db: string, game: number) => `${db}\n${game}`;

export interface Selection {
  games: Picked;
  has: (row: Row) => boolean;
  toggle: (row: Row) => void;
  add: (rows: Row[]) => void;
  clear: () => void;
}

/** The selection of the list of these databases. */
export function useSelection(list: string): Selection {
  const [games, set] = useState<Picked>(() => kept.get(list) ?? new Map());
  const put = (next: Picked) => {
    kept.set(list, next);
    set(next);
    announce(t("games.selected", { n: next.size }), next.size === MAX);
  };
  const now = () => kept.get(list) ?? games;
  return {
    games,
    has: (row) => now().has(keyOf(row[0], row[1])),
    toggle: (row) => {
      const next = new Map(now());
      const key = keyOf(row[0], row[1]);
      if (!next.delete(key) && next.size < MAX) next.set(key, { db: row[0], game: row[1] });
      put(next);
    },
    add: (rows) => {
      const next = new Map(now());
      for (const row of rows) if (next.size < MAX) next.set(keyOf(row[0], row[1]), { db: row[0], game: row[1] });
      put(next);
    },
    clear: () => put(new Map()),
  };
}
