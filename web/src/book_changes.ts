// Changes of books that are not yet written, with undo and redo. They stay in the window, also when it is loaded again.

import { useEffect, useState } from "preact/hooks";

export interface MoveChange {
  /** The position. */
  fen: string;
  /** The move in UCI notation, and as it is shown. */
  move: string;
  san: string;
  remove?: boolean;
  weight?: number;
  annotation?: string;
  advice?: "play" | "avoid" | "none";
  comment?: string;
}

interface History {
  past: MoveChange[][];
  now: MoveChange[];
  future: MoveChange[][];
}

const STEPS = 100;
const EMPTY: History = { past: [], now: [], future: [] };
const keyOf = (id: string) => `tabia.book.${id}`;
const listeners = new Set<() => void>();

function read(id: string): History {
  try {
    return (JSON.parse(sessionStorage.getItem(keyOf(id)) ?? "null") as History | null) ?? EMPTY;
  } catch {
    return EMPTY;
  }
}

function store(id: string, history: History): void {
  sessionStorage.setItem(keyOf(id), JSON.stringify(history));
  for (const listener of listeners) listener();
}

/** The position without the counters of moves, which books do not know. */
const placeOf = (fen: string) => fen.split(" ").slice(0, 4).join(" ");

export const isSame = (change: MoveChange, fen: string, move: string) => change.move === move && placeOf(change.fen) === placeOf(fen);

export function changesAt(changes: MoveChange[], fen: string): MoveChange[] {
  return changes.filter((change) => placeOf(change.fen) === placeOf(fen));
}

export interface BookChanges {
  now: MoveChange[];
  canUndo: boolean;
  canRedo: boolean;
  put: (change: MoveChange) => void;
  undo: () => void;
  redo: () => void;
}

export function useBookChanges(id: string): BookChanges {
  const [history, set] = useState(() => read(id));
  useEffect(() => {
    const update = () => set(read(id));
    update();
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, [id]);
  const put = (change: MoveChange) => {
    const { past, now } = read(id);
    const others = now.filter((known) => !isSame(known, change.fen, change.move));
    const { remove, weight, annotation, advice, comment } = change;
    const changesSomething = remove || [weight, annotation, advice, comment].some((value) => value !== undefined);
    store(id, { past: [...past, now].slice(-STEPS), now: changesSomething ? [...others, change] : others, future: [] });
  };
  const undo = () => {
    const { past, now, future } = read(id);
    const last = past[past.length - 1];
    if (last) store(id, { past: past.slice(0, -1), now: last, future: [now, ...future].slice(0, STEPS) });
  };
  const redo = () => {
    const { past, now, future } = read(id);
    const [next, ...rest] = future;
    if (next) store(id, { past: [...past, now].slice(-STEPS), now: next, future: rest });
  };
  return { now: history.now, canUndo: history.past.length > 0, canRedo: history.future.length > 0, put, undo, redo };
}
