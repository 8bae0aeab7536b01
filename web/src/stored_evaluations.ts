// Moves of a position after which stored evaluations of games are bad for the side that plays them.

import { type PositionAnswer, type Rows, get } from "./api.ts";

/** Pawns that the side to move has lost. */
const LOST = 1.5;

/** The number of games of a database in which a move loses by a stored evaluation, for each move that does. */
export async function losingMoves(db: string, position: PositionAnswer, ucis: string[], signal: AbortSignal): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const isWhite = position.fen.split(" ")[1] === "w";
  for (const uci of ucis) {
    const after = await get<PositionAnswer>("position", { fen: position.fen, play: uci }, signal);
    const placement = after.fen.split(" ").slice(0, 4).join("_");
    const where = `fen:${placement} eval:${isWhite ? `<=-${LOST}` : `>=${LOST}`}`;
    for (;;) {
      const rows = await get<Rows>("games", { db, where, n: 1 }, signal);
      if (rows.isDone) {
        if (rows.count > 0) found.set(uci, rows.count);
        break;
      }
      await new Promise((done) => setTimeout(done, 250));
      signal.throwIfAborted();
    }
  }
  return found;
}
