/** A file that is read in ranges. `read` returns exactly the bytes from `offset` on; what it throws is thrown by the call that needed them. */
export interface RangeFile {
  readonly size: number;
  read(offset: number, length: number): ArrayBuffer | Uint8Array;
}

/** In a worker a `Blob` is read in ranges, elsewhere as a whole. */
export type FileContent = Blob | ArrayBuffer | ArrayBufferView | RangeFile;

/** A file with its name, which files without one of their own need. */
export interface NamedFile {
  readonly name: string;
  readonly file: FileContent;
}

export type FileInput = FileContent | NamedFile;

/** Opens a database or book: a file, or all files of a set (`.cbh`, `.cbg`, `.cbp`, …). */
export function open(
  input: FileInput | FileInput[] | FileList,
  options?: {
    /** The name of a file that has none. */
    name?: string;
    /** Takes the larger module `tabia-search.wasm`, with which `search` works. */
    search?: boolean;
  },
): Promise<Database | Book>;

/** Uses these bytes as the module instead of the file `tabia.wasm` next to `tabia.mjs`, or of `tabia-search.wasm`. */
export function useModule(bytes: BufferSource, options?: { search?: boolean }): void;

/** What is not known is null. */
export interface Header {
  /** From 1. */
  game: number;
  white: string | null;
  whiteElo: number | null;
  black: string | null;
  blackElo: number | null;
  /** Null for a guiding text. */
  result: string | null;
  date: string | null;
  event: string | null;
  site: string | null;
  round: string | null;
  eco: string | null;
  plies: number | null;
  annotator: string | null;
  /** Of `D` deleted, `T` guiding text, `P` setup position, `V` variations, `C` comments, `S` symbols. */
  flags: string;
}

/** A position at which a game fits a query. */
export interface Moment {
  /** Plies before it. */
  ply: number;
  fen: string;
  /** The move played from it, as SAN; null at the end of the game. */
  move: string | null;
}

/** A game that was found, with the first moments at which it fits: one for each step of the query, none if it asks for none. */
export interface FoundGame extends Header {
  moments: Moment[];
}

export interface FoundGames {
  games: FoundGame[];
  /** What could not be read of games on which it depends whether they fit. */
  problems: string[];
}

export interface SearchOptions {
  /** The number of the record from which on is searched, 1 if absent. */
  first?: number;
  /** At most this many games. */
  limit?: number;
  /** Also games marked as deleted. */
  deleted?: boolean;
  /** Also guiding texts. */
  texts?: boolean;
}

/** An evaluation from White's side: hundredths of a pawn or moves to mate, of which the other is null. */
export interface Evaluation {
  cp: number | null;
  /** Negative if Black mates. */
  mate: number | null;
  /** In plies. */
  depth: number | null;
}

export interface Arrow {
  color: string;
  from: string;
  to: string;
}

export interface Mark {
  /** `square`, `circle`, `disk`, `frame`, or the letter on the square. */
  form: string;
  color: string;
  square: string;
}

/** A move with what is attached to it. */
export interface GameMove {
  /** Number of the ply, from 1. */
  ply: number;
  san: string;
  /** Castling as king takes rook only in Chess960; `0000` is a null move. */
  uci: string;
  /** The position after the move. */
  fen: string;
  /** After the move. */
  comments: string[];
  /** Before it. */
  commentsBefore: string[];
  /** Numeric annotation glyphs. */
  nags: number[];
  /** Seconds left after the move. */
  clock: number | null;
  /** Seconds spent on it. */
  elapsed: number | null;
  eval: Evaluation | null;
  arrows: Arrow[];
  marks: Mark[];
  /** Alternatives to the move, each a list of moves. */
  variations: GameMove[][];
}

export interface Game {
  /** From 1. */
  game: number;
  /** In stored order; of a tag that occurs twice, the first. */
  tags: Record<string, string>;
  result: string;
  /** The position before the first move; null if it cannot be played from. */
  fen: string | null;
  /** Before the first move. */
  comments: string[];
  moves: GameMove[];
  /** What could not be read of it. */
  problems: string[];
}

export interface DatabaseInfo {
  kind: "database";
  format: string;
  length: number;
  problems: { text: string }[];
}

export interface BookInfo {
  kind: "book";
  format: string;
  positions: number | null;
  moves: number | null;
  games: number | null;
  problems: { text: string }[];
}

export class Database {
  private constructor();
  readonly kind: "database";
  /** Short name of the format, as `cbh`. */
  readonly format: string;
  /** Problems found on opening. */
  readonly problems: string[];
  readonly info: DatabaseInfo;
  /** Number of records, guiding texts and deleted games too. */
  readonly length: number;
  /** The headers of `count` games from the number `first` on; fewer at the end. */
  headers(first?: number, count?: number): Header[];
  /**
   * The games that fit a query in the language of `tabia search`, in stored order: players, dates, openings, positions, moves.
   * The database is opened with `{ search: true }`.
   */
  search(query: string, options?: SearchOptions): FoundGames;
  /** As `search`, in parts of 50,000 records, after which a worker may answer; `next` is the number from which the next one goes on. */
  searchParts(query: string, options?: SearchOptions): Generator<FoundGames & { next: number }, void, void>;
  /** A game by its number, with its moves, comments, symbols, clocks, evaluations, arrows and variations. */
  game(number: number): Game;
  /** A game by its number, or several, as PGN with everything that they contain. */
  pgn(first: number, count?: number): string;
  /** As `pgn`, in parts of about 1 MiB. */
  pgnParts(first?: number, count?: number): Generator<string, void, void>;
  /** Frees the memory; later calls throw. */
  close(): void;
}

/** What the book does not store is null. */
export interface BookMove {
  san: string;
  uci: string;
  weight: number | null;
  games: number | null;
  white: number | null;
  draws: number | null;
  black: number | null;
  /** Score of the side that plays it, 0 to 1. */
  score: number | null;
  averageRating: number | null;
  performance: number | null;
  /** With which a program plays the move, 0 to 1. */
  probability: number;
  /** True: to be played before all others; false: never. */
  recommended: boolean | null;
  annotation: string | null;
  comment: string | null;
  opening: string | null;
}

export interface BookPosition {
  games: number | null;
  comment: string | null;
  /** Heaviest first. */
  moves: BookMove[];
}

export class Book {
  private constructor();
  readonly kind: "book";
  readonly format: string;
  readonly problems: string[];
  readonly info: BookInfo;
  /** The moves of a position: a FEN, or moves such as `1. e4 c5`. Null if the book does not contain it. */
  find(position?: string): BookPosition | null;
  /** Frees the memory; later calls throw. */
  close(): void;
}
