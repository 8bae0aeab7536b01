// Positions as the page needs them: stored moves are replayed without asking whether they are legal.

export type Board = (string | null)[];

export interface Placement {
  /** 64 pieces as in FEN, from a1 to h8. */
  board: Board;
  whiteToMove: boolean;
  /** The number of the next move. */
  number: number;
}

export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

export function parseFen(fen: string): Placement {
  const [rows = "", turn = "w", , , , number = "1"] = fen.split(/\s+/);
  const board: Board = new Array<string | null>(64).fill(null);
  rows.split("/").slice(0, 8).forEach((row, index) => {
    let file = 0;
    for (const c of row) {
      if (c >= "1" && c <= "8") file += Number(c);
      else if (file < 8) board[(7 - index) * 8 + file++] = c;
    }
  });
  return { board, whiteToMove: turn !== "b", number: Math.max(1, Number(number) || 1) };
}

export function squareIndex(name: string): number {
  return (name.charCodeAt(1) - 49) * 8 + name.charCodeAt(0) - 97;
}

export function squareName(index: number): string {
  return String.fromCharCode(97 + (index & 7)) + String((index >> 3) + 1);
}

const isWhite = (piece: string) => piece < "a";

/** The placement after a move in UCI notation; castling in both forms. */
export function play(before: Placement, uci: string): Placement {
  const after: Placement = {
    board: before.board.slice(),
    whiteToMove: !before.whiteToMove,
    number: before.number + (before.whiteToMove ? 0 : 1),
  };
  if (uci === "0000" || uci.length < 4) return after;
  const from = squareIndex(uci.slice(0, 2));
  const to = squareIndex(uci.slice(2, 4));
  const { board } = after;
  const piece = board[from] ?? null;
  const target = board[to] ?? null;
  board[from] = null;
  if (piece === null) return after;
  const kind = piece.toLowerCase();
  const isOwnRook = target?.toLowerCase() === "r" && isWhite(target) === isWhite(piece);
  if (kind === "k" && (isOwnRook || Math.abs((from & 7) - (to & 7)) === 2)) {
    const rank = from & 56;
    const isShort = (to & 7) > (from & 7);
    let rook = to;
    if (!isOwnRook) {
      rook = -1;
      const step = isShort ? 1 : -1;
      for (let file = (from & 7) + step; file >= 0 && file < 8; file += step) {
        if (board[rank + file]?.toLowerCase() === "r") rook = rank + file;
      }
    }
    const rookPiece = rook >= 0 ? (board[rook] ?? null) : null;
    if (rook >= 0) board[rook] = null;
    board[rank + (isShort ? 6 : 2)] = piece;
    if (rookPiece) board[rank + (isShort ? 5 : 3)] = rookPiece;
    return after;
  }
  if (kind === "p" && target === null && (from & 7) !== (to & 7)) {
    board[(from & 56) | (to & 7)] = null;
  }
  const promotion = uci[4];
  board[to] = promotion ? (isWhite(piece) ? promotion.toUpperCase() : promotion) : piece;
  return after;
}

/** The squares of a move, for the marks on the board: where the king goes, for castling. */
export function moveSquares(uci: string): [number, number] | null {
  if (uci.length < 4 || uci === "0000") return null;
  return [squareIndex(uci.slice(0, 2)), squareIndex(uci.slice(2, 4))];
}
