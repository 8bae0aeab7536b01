// A game with what its duplicate adds to it.

import { get } from "./api.ts";
import { type GameJson, makeTree } from "./game_tree.ts";
import { Notation } from "./notation.tsx";
import { ErrorBox, Spinner, useLoad } from "./ui.tsx";

interface GameNumber {
  db: string;
  game: number;
}

/** The left game with the annotations and variations of the right one. */
export function MergedGame({ kept, dropped }: { kept: GameNumber; dropped: GameNumber }) {
  const load = useLoad<GameJson>(
    (signal) => get("duplicates/merged", { db: kept.db, game: kept.game, of: dropped.db, duplicate: dropped.game }, signal),
    [kept.db, kept.game, dropped.db, dropped.game],
  );
  if (load.state === "error") return <ErrorBox error={load.error} />;
  if (load.state === "loading") return <Spinner />;
  return <Notation tree={makeTree(load.value)} node={0} onNode={() => undefined} result={load.value.result} />;
}
