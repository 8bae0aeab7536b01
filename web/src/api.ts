// Requests to the server that the page came from.

/** A text of the server that the page has in its languages, and what it contains. */
export interface KnownText {
  id: string;
  values: string[];
}

export interface ProblemJson {
  status: number;
  title: string;
  /** In English. */
  detail: string;
  text?: KnownText | null;
  hint?: string | null;
  hintText?: KnownText | null;
  column?: number;
  /** What is wrong, for texts in other languages, and what these contain. */
  code?: string;
  values?: Record<string, string>;
}

export class ApiError extends Error {
  readonly problem: ProblemJson;
  constructor(problem: ProblemJson) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server does not answer a request that is not repeated. */
export class GoneError extends Error {}

const KEY = "tabia.key";

/** Takes the key from the address, where it must not stay. */
export function takeKey(): void {
  const match = /^#k=([0-9a-f]{32})$/.exec(location.hash);
  if (match?.[1]) {
    localStorage.setItem(KEY, match[1]);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
}

type Listener = (isGone: boolean) => void;
const listeners = new Set<Listener>();
let gone = false;

/** Calls back when the server stops or starts answering. */
export function onGone(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setGone(isGone: boolean): void {
  if (gone === isGone) return;
  gone = isGone;
  for (const listener of listeners) listener(isGone);
  if (isGone) void wait(1000).then(ping);
}

async function ping(): Promise<void> {
  try {
    await fetch("/api/v1/openapi.json", { headers: authorization(), cache: "no-store" });
    setGone(false);
  } catch {
    await wait(1000);
    return ping();
  }
}

function authorization(): Record<string, string> {
  return { Authorization: `Bearer ${localStorage.getItem(KEY) ?? ""}` };
}

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export type Query = Record<string, string | number | boolean | null | undefined>;

export function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "" || value === false) continue;
    params.set(name, value === true ? "1" : String(value));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** A field that a query can have. */
export interface Field {
  name: string;
  asks: string;
  example: string;
  /** Whether its values are names of the databases. */
  hasNames: boolean;
}

/** The first moves of the mainline of a game. */
export interface GameStart {
  db: string;
  game: number;
  plies: number;
}

/** Moves in an address at most; the server takes 1,000, and an address has its limit too. */
const MAX_MOVES = 500;

/** The position after a line as a part of a request. A long line is named as that of a game, with the moves that differ. */
export function positionQuery(fen: string, line: string[], start?: GameStart): Query {
  if (!start || line.length <= MAX_MOVES) return { fen, play: line.join(",") };
  const { db, game, plies } = start;
  return { db, game, plies, play: line.slice(plies).join(",") };
}

interface Sent {
  method: string;
  body?: Blob | string;
  headers?: Record<string, string>;
}

/**
 * With the usual `cache` an answer that is still right is not sent again; without one (`no-store`) the browser does not
 * look for it on the disk first, which takes longer than an answer that is only rows.
 *
 * The answer to a request, a GET if nothing is sent; a GET or PUT is repeated while the server is busy. */
async function request(
  path: string,
  query: Query,
  signal?: AbortSignal,
  sent?: Sent,
  cache: RequestCache = "no-cache",
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    let response: Response;
    try {
      response = await fetch(`/api/v1/${path}${queryText(query)}`, {
        cache,
        ...(signal ? { signal } : {}),
        ...sent,
        headers: { ...authorization(), ...sent?.headers },
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      setGone(true);
      if (sent) throw new GoneError();
      // What only reads goes on when the server answers again, and what is shown stays until then.
      await new Promise<void>((done) => {
        const stop = onGone(() => {
          stop();
          done();
        });
      });
      signal?.throwIfAborted();
      continue;
    }
    setGone(false);
    if (response.ok) return response;
    const isRepeated = sent === undefined || sent.method === "PUT";
    if (response.status === 503 && isRepeated && tries < 60) {
      await wait(400);
      signal?.throwIfAborted();
      continue;
    }
    let problem: ProblemJson = { status: response.status, title: "", detail: response.statusText };
    try {
      problem = (await response.json()) as ProblemJson;
    } catch {
      // The status is all there is.
    }
    throw new ApiError(problem);
  }
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal, cache?: RequestCache): Promise<T> {
  const response = await request(path, query, signal, undefined, cache);
  return (await response.json()) as T;
}

/** Sends a file. */
export async function put<T>(path: string, query: Query, body: Blob): Promise<T> {
  const response = await request(path, query, undefined, { method: "PUT", body });
  return (await response.json()) as T;
}

/** Sends JSON, or a request without a body. */
export async function send<T>(method: "POST" | "PATCH" | "DELETE", path: string, value?: unknown): Promise<T> {
  const sent = value === undefined ? {} : { body: JSON.stringify(value), headers: { "Content-Type": "application/json" } };
  const response = await request(path, {}, undefined, { method, ...sent });
  return (await response.json()) as T;
}

/** Saves a file of the server as a download of the browser. */
export async function download(path: string, name: string): Promise<void> {
  save(await (await request(path, {})).blob(), name);
}

/** Saves data as a download of the browser. */
export function save(data: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Reads events until `take` returns `false` or the server ends them. */
export async function events(path: string, take: (name: string, data: unknown) => boolean): Promise<void> {
  const controller = new AbortController();
  const response = await request(path, {}, controller.signal, { method: "GET" });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return;
      text += part.value;
      const whole = text.split("\n\n");
      text = whole.pop() ?? "";
      for (const event of whole) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
        if (name && data && !take(name, JSON.parse(data))) return;
      }
    }
  } finally {
    controller.abort();
  }
}

export async function getText(path: string, query: Query = {}): Promise<string> {
  return (await request(path, query)).text();
}

/** The first position of a game at which a query fits; none if it asks for no position. */
export async function momentOf(db: string, game: number, where: string, signal: AbortSignal): Promise<{ line: number; ply: number } | null> {
  if (where === "") return null;
  const path = `db/${encodeURIComponent(db)}/games/${game}/moment`;
  return (await get<{ moment: { line: number; ply: number } | null }>(path, { where }, signal)).moment;
}

export interface Card {
  id: string;
  name: string;
  folder: string;
  container: string | null;
  kind: "database" | "book" | "archive" | "unknown";
  format: string | null;
  formatName: string | null;
  bytes: number | null;
  modified: number | null;
  error: string | null;
  problem: Omit<ProblemJson, "status" | "title"> | null;
  open: boolean;
  /** Whether it was dropped on the page. */
  dropped: boolean;
}

/** The path of its file, if it is one. */
export function pathOf(card: Card): string | null {
  if (card.container !== null || card.dropped) return null;
  const separator = card.folder.includes("\\") ? "\\" : "/";
  return card.folder === "" ? card.name : `${card.folder.replace(/[\\/]$/, "")}${separator}${card.name}`;
}

export interface InputInfo extends Card {
  records?: number;
  games?: number | null;
  texts?: number;
  deleted?: number;
  encoding?: string;
  title?: string | null;
  version?: string;
  years?: [number, number] | null;
  /** Games with variations, comments or symbols, if the index stores that. */
  annotated?: number | null;
  /** The saved index of a database. */
  index?: "current" | "absent" | "stale" | "unusable" | "impossible";
  positions?: number | null;
  moves?: number | null;
  problems: string[];
  fingerprint: string;
}

export interface Shelf {
  version: string;
  /** Whether the server writes new files. */
  canWrite: boolean;
  inputs: Card[];
}

export type Row = [
  db: string, game: number, white: string | null, whiteElo: number | null, black: string | null,
  blackElo: number | null, result: string | null, moves: number | null, eco: string | null,
  event: string | null, site: string | null, round: string | null, date: string | null,
  annotator: string | null, flags: string, problem: string | null, opening: string | null, medals: number | null,
];

export interface Rows {
  total: number;
  /** Records of the databases that are guiding texts. */
  texts: number;
  count: number;
  isDone: boolean;
  scanned?: number;
  from: number;
  rows: Row[];
  sortable: string[];
  fingerprints: Record<string, string>;
  /** Games that could not be read to their end, so that they may be missing; the first ones are named. */
  unread: { count: number; first: { db: string; game: number; text: string }[] } | null;
}

export interface ExplorerMove {
  uci: string;
  san: string;
  games: number | null;
  white: number | null;
  draws: number | null;
  black: number | null;
  averageRating?: number | null;
  performance?: number | null;
  firstYear?: number | null;
  lastYear?: number | null;
  weight?: number | null;
  share: number;
  recommended?: boolean | null;
  annotation?: string | null;
  comment?: string | null;
  transposes?: boolean;
  /** The position after a move to which more games came by other moves. */
  fen?: string | null;
  childGames?: number;
  opening: { eco: string; name: string } | null;
}

export interface ExplorerGame {
  db: string;
  game: number;
  san: string | null;
  white: string;
  whiteElo: number | null;
  black: string;
  blackElo: number | null;
  result: string;
  year: number | null;
}

export interface ExplorerSource {
  id: string;
  name?: string;
  kind?: "book" | "database";
  error?: string;
  problem?: Omit<ProblemJson, "status" | "title">;
  games: number | null;
  white: number | null;
  draws: number | null;
  black: number | null;
  averageRating?: number | null;
  performance?: number | null;
  comment?: string | null;
  moves: ExplorerMove[];
  isDone: boolean;
  /** Whether a saved index answered. */
  indexed?: boolean;
  /** Whether there could be one. */
  indexable?: boolean;
  scanned?: number;
  total?: number;
  topGames?: ExplorerGame[];
  recentGames?: ExplorerGame[];
  linked?: {
    source: string; game: number | null; white: string; whiteElo: number | null; black: string;
    blackElo: number | null; result: string;
  }[];
}

export interface ExplorerAnswer {
  fen: string;
  opening: { eco: string; name: string } | null;
  sources: ExplorerSource[];
}

export interface PositionAnswer {
  fen: string;
  line: string[];
  legal: { uci: string; san: string }[];
  check: boolean;
  checkmate: boolean;
  stalemate: boolean;
  opening: { eco: string; name: string } | null;
}

export interface HealthAnswer {
  isDone: boolean;
  error: string | null;
  problem: Omit<ProblemJson, "status" | "title"> | null;
  problems: number;
  games: number;
  counts: Record<string, unknown> | null;
  kinds: {
    kind: string;
    known?: KnownText | null;
    count: number;
    examples: { text: string; known?: KnownText | null; file: string | null; game: number | null; ply: number | null; line: number | null; offset: number | null }[];
  }[];
}
