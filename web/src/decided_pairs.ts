// What was decided about pairs of duplicates: kept in the browser, undone, saved as CSV and loaded again.

import { useEffect, useState } from "preact/hooks";

/** Keeps the left game, the right one, the left one with the annotations of the right one, or both. */
export type Choice = "left" | "right" | "merge" | "both";
export const CHOICES: Choice[] = ["left", "right", "merge", "both"];

export interface Side {
  db: string;
  game: number;
  white: string;
  black: string;
}

export interface Decision {
  kept: Side;
  dropped: Side;
  choice: Choice;
}

export const pairKey = (kept: { db: string; game: number }, dropped: { db: string; game: number }) =>
  `${kept.db} ${kept.game} ${dropped.db} ${dropped.game}`;

const keyOf = (db: string) => `tabia.decisions.${db}`;
const STEPS = 100;

function read(db: string): Decision[] {
  try {
    return (JSON.parse(localStorage.getItem(keyOf(db)) ?? "[]") as Decision[] | null) ?? [];
  } catch {
    return [];
  }
}

export interface Decisions {
  all: Decision[];
  of: (kept: Side, dropped: Side) => Choice | null;
  put: (decisions: Decision[]) => void;
  remove: (kept: Side, dropped: Side) => void;
  undo: (() => void) | null;
}

export function useDecisions(db: string): Decisions {
  const [all, set] = useState(() => read(db));
  const [past, setPast] = useState<Decision[][]>([]);
  useEffect(() => {
    set(read(db));
    setPast([]);
  }, [db]);
  const store = (next: Decision[]) => {
    localStorage.setItem(keyOf(db), JSON.stringify(next));
    set(next);
  };
  const change = (next: Decision[]) => {
    setPast([...past, all].slice(-STEPS));
    store(next);
  };
  const without = (keys: Set<string>) => all.filter(({ kept, dropped }) => !keys.has(pairKey(kept, dropped)));
  const last = past[past.length - 1];
  return {
    all,
    of: (kept, dropped) => all.find((found) => pairKey(found.kept, found.dropped) === pairKey(kept, dropped))?.choice ?? null,
    put: (decisions) => change([...without(new Set(decisions.map(({ kept, dropped }) => pairKey(kept, dropped)))), ...decisions]),
    remove: (kept, dropped) => change(without(new Set([pairKey(kept, dropped)]))),
    undo:
      last === undefined
        ? null
        : () => {
            setPast(past.slice(0, -1));
            store(last);
          },
  };
}

const HEAD = ["choice", "kept", "keptGame", "keptWhite", "keptBlack", "dropped", "droppedGame", "droppedWhite", "droppedBlack"];

export const rowsOf = (decisions: Decision[]): string[][] => [
  HEAD,
  ...decisions.map(({ choice, kept, dropped }) => [
    choice,
    ...[kept, dropped].flatMap((side) => [side.db, String(side.game), side.white, side.black]),
  ]),
];

/** The cells of CSV; quotation marks are doubled in quoted cells. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? "";
    if (isQuoted && c === '"' && text[at + 1] === '"') {
      cell += '"';
      at++;
    } else if (c === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (c === "," || c === "\n")) {
      rows[rows.length - 1]?.push(cell);
      cell = "";
      if (c === "\n") rows.push([]);
    } else if (c !== "\r" || isQuoted) cell += c;
  }
  rows[rows.length - 1]?.push(cell);
  return rows.filter((row) => row.length > 1);
}

/** Decisions of a saved file; null if it is none. Cells that spreadsheets would calculate were saved with an apostrophe. */
export function decisionsOf(text: string): Decision[] | null {
  const [head, ...rows] = cellsOf(text.replace(/^\ufeff/, ""));
  if (head?.join() !== HEAD.join()) return null;
  const found: Decision[] = [];
  for (const row of rows) {
    const [choice, ...cells] = row.map((cell) => cell.replace(/^'(?=[=+@\t\r-])/, ""));
    const side = (at: number): Side => ({
      db: cells[at] ?? "", game: Number(cells[at + 1]), white: cells[at + 2] ?? "", black: cells[at + 3] ?? "",
    });
    const [kept, dropped] = [side(0), side(4)];
    if (!CHOICES.includes(choice as Choice) || !(kept.game > 0) || !(dropped.game > 0)) return null;
    found.push({ choice: choice as Choice, kept, dropped });
  }
  return found;
}
