// The explorer: the moves of a position in several books and databases next to each other.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  ApiError, type Card, type ExplorerAnswer, type ExplorerMove, type ExplorerSource, type GameStart, type PositionAnswer, type Shelf, get,
  positionQuery,
} from "./api.ts";
import { parseFen } from "./chess.ts";
import { IndexButton, useIndexChanges } from "./jobs.tsx";
import { BoardHost, usePointing } from "./board_host.tsx";
import { useAsText } from "./board_as_text.tsx";
import { LineControls, NO_SHAPES, PositionAsText, useFlip } from "./line_controls.tsx";
import { changeQuery, explorerHref, gameHref, gamesHref, go, pushQuery, setQuery, useAddress } from "./router.ts";
import { positionTerm } from "./query_terms.ts";
import { type Settings, current, useSettings } from "./settings.ts";
import { Bar, ErrorBox, ProblemLine, Spinner, TableBox, announce, copy, copyFailed, isTyping, title, useLoad, useRank } from "./ui.tsx";
import { moveText, percent, resultText, short, spoken, t } from "./translations.ts";
import { useWatched } from "./watched.tsx";

const MAX_SOURCES = 6;

/** Where the choice of sources is kept: of books alone it is another one. */
const choiceOf = (onlyBooks: boolean | undefined) => (onlyBooks ? "tabia.books" : "tabia.sources");

function storedSources(choice: string): string[] {
  const stored = localStorage.getItem(choice) ?? "";
  return stored.split("\n").filter((id) => id !== "");
}

function storeSources(choice: string, ids: string[]): void {
  localStorage.setItem(choice, ids.join("\n"));
}

/** The answer so far, asked again until every database is read to its end. */
function useExplorer(src: string[], fen: string, line: string[], start: GameStart | undefined, where: string, own: Record<string, string>) {
  const [answer, setAnswer] = useState<ExplorerAnswer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isStopped, stop] = useState(false);
  const [took, setTook] = useState(0);
  const indexes = useIndexChanges(src);
  const key = [src.join(), fen, line.join(), where, indexes, ...src.map((id) => own[id] ?? "")].join("\n");
  useEffect(() => stop(false), [key]);
  // Before the browser paints, which the request need not wait for.
  useLayoutEffect(() => {
    if (src.length === 0 || isStopped) {
      if (src.length === 0) setAnswer(null);
      return;
    }
    const controller = new AbortController();
    const asked = performance.now();
    const filters = Object.fromEntries(src.map((id, index) => [`where${index + 1}`, own[id] ?? ""]));
    const query = { src: src.join(","), ...positionQuery(fen, line, start), where, ...filters };
    let isRunning = true;
    const run = async () => {
      for (;;) {
        const found = await get<ExplorerAnswer>("explorer", query, controller.signal, "no-store");
        setAnswer(found);
        setTook(performance.now() - asked);
        setError(null);
        isRunning = found.sources.some((source) => !source.isDone && !source.error);
        if (!isRunning) return;
        await new Promise((done) => setTimeout(done, 200));
        controller.signal.throwIfAborted();
      }
    };
    run().catch((problem: unknown) => {
      if (!controller.signal.aborted) {
        isRunning = false;
        setAnswer(null);
        setError(problem);
      }
    });
    return () => {
      controller.abort();
      // Millions of games are counted for nobody otherwise.
      if (isRunning) get("explorer", { ...query, stop: 1 }).catch(() => undefined);
    };
  }, [key, isStopped]);
  return { answer, error, took, isStopped, stop: () => stop(true) };
}

interface RowData {
  uci: string;
  san: string;
  opening: string;
  cells: (ExplorerMove | null)[];
  weight: number;
}

function rowsOf(sources: ExplorerSource[]): RowData[] {
  const rows = new Map<string, RowData>();
  sources.forEach((source, index) => {
    for (const move of source.moves ?? []) {
      let row = rows.get(move.uci);
      if (!row) {
        row = {
          uci: move.uci,
          san: move.san,
          opening: move.opening ? move.opening.name : "",
          cells: sources.map(() => null),
          weight: 0,
        };
        rows.set(move.uci, row);
      }
      row.cells[index] = move;
      row.weight = Math.max(row.weight, index === 0 ? move.share + 1 : move.share);
    }
  });
  return [...rows.values()].sort((a, b) => b.weight - a.weight);
}

const NO_MOVES: string[] = [];

/** One move order by which games reach a position. */
interface OtherOrder {
  sans: string[];
  href: string;
}

/** A game that reaches the position after a move, but not by this move from here. */
async function otherOrder(answer: ExplorerAnswer, source: string, move: ExplorerMove, signal: AbortSignal): Promise<OtherOrder | null> {
  const where = `${positionTerm(move.fen ?? "")} -(${positionTerm(answer.fen)} move:${move.uci})`;
  type Found = { isDone: boolean; hits: { db: string; game: number; ply: number | null }[] };
  let found: Found;
  do found = await get<Found>("search", { db: source, where, limit: 1 }, signal);
  while (!found.isDone && found.hits.length === 0);
  const [hit] = found.hits;
  if (!hit?.ply) return null;
  const { line } = await get<PositionAnswer>("position", { db: hit.db, game: hit.game, plies: hit.ply }, signal);
  return { sans: line, href: gameHref(hit.db, hit.game, { ply: String(hit.ply) }) };
}

/** The sign of a move to whose position more games came by other moves; a database with an index names them. */
function Transposition(props: { answer: ExplorerAnswer; row: RowData; line: string[]; pieces: Settings["pieces"] }) {
  const { answer, row, line, pieces } = props;
  const [order, setOrder] = useState<OtherOrder | null>(null);
  const index = row.cells.findIndex((cell) => cell?.transposes);
  const source = answer.sources[index];
  const move = row.cells[index];
  useEffect(() => {
    setOrder(null);
    if (!source?.indexed || !move?.fen) return;
    const controller = new AbortController();
    // Not while moves are only passed through.
    const timer = setTimeout(() => {
      // Without an answer the sign is all there is.
      otherOrder(answer, source.id, move, controller.signal).then(setOrder, () => undefined);
    }, 300);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [source?.id, move?.fen]);
  if (index < 0) return null;
  const text = t("explorer.transposes");
  const sign = (
    <span class="only" title={text} aria-label={text} role="img">
      ⤨
    </span>
  );
  if (!order) return sign;
  const numbered = (sans: string[], from = 0) =>
    sans.map((san, ply) => `${(ply + from) % 2 === 0 ? `${(ply + from) / 2 + 1}.` : ply === 0 ? `${(ply + from + 1) / 2}…` : ""}${moveText(san, pieces)}`).join(" ");
  const way = [...line, row.san];
  const first = Math.max(0, order.sans.findIndex((san, ply) => san !== way[ply]));
  return (
    <a class="other-order" href={order.href} title={t("explorer.alsoBy", { moves: numbered(order.sans) })}>
      {t("explorer.alsoBy", { moves: `${numbered(order.sans.slice(first, first + 1), first)} …` })}
    </a>
  );
}

/** The games of a database in which a move was played in a position. */
function gamesOfMove(fen: string, uci: string, ...filters: string[]): string {
  const terms = filters.filter((filter) => filter !== "").map((filter) => (/\bOR\b|[-=]>/.test(filter) ? `(${filter})` : filter));
  return [...terms, positionTerm(fen), `move:${uci}`].join(" ");
}

/** Where the year is kept after which a move counts as new. */
const NOVELTY = "tabia.novelty-after";

/** Filters of single sources in the address: one for each id. */
function ownFilters(query: URLSearchParams): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of query) if (name.startsWith("q.") && value !== "") found[name.slice(2)] = value;
  return found;
}

/** The moves of an answer, one source next to the other. */
function AnswerTable(props: {
  answer: ExplorerAnswer;
  rows: RowData[];
  /** The year after which a move counts as new. */
  after: number;
  pieces: Settings["pieces"];
  filters: Record<string, string>;
  where: string;
  /** The moves to the position, as they are written. */
  line: string[];
  onMove: (uci: string) => void;
}) {
  const { answer, rows, after, pieces, filters, where, line, onMove } = props;
  const { sources } = answer;
  const pointing = usePointing(answer);
  const has = (field: "averageRating" | "performance" | "lastYear" | "weight") =>
    sources.some((source) => (source.moves ?? []).some((move) => move[field] !== null && move[field] !== undefined));
  // Many sources leave no space for more than their games and results.
  const isWide = sources.length <= 3;
  const isNarrow = sources.length >= 5;
  const isSlim = useRank() <= 1;
  // Weights and performances of several sources have nothing in common.
  const isOfOne = (field: "performance" | "weight") =>
    sources.filter((source) => (source.moves ?? []).some((move) => move[field] !== null && move[field] !== undefined)).length === 1;
  const columns = {
    weight: isOfOne("weight"),
    rating: has("averageRating") && isWide,
    performance: isOfOne("performance") && isWide,
    year: has("lastYear") && isWide,
  };
  const names = { weight: t("explorer.weight"), rating: t("explorer.rating"), performance: t("explorer.performance"), year: t("explorer.year") };
  const kinds = (Object.keys(columns) as (keyof typeof columns)[]).filter((kind) => columns[kind]);
  /** The cells after those of the sources, which are one in a narrow window. */
  const further = (values: Record<keyof typeof columns, string | number | null>) => {
    if (!isSlim) return kinds.map((kind) => <td class="n">{values[kind]}</td>);
    const known = kinds.filter((kind) => (values[kind] ?? "–") !== "–");
    return known.length > 0 && <td class="first sub">{known.map((kind) => `${names[kind]} ${values[kind]}`).join(" · ")}</td>;
  };
  const named = sources.length > 1 ? (source: ExplorerSource | undefined) => source?.name ?? source?.id : () => undefined;
  return (
    <TableBox label={t("explorer.label")} file="explorer">
      <table class={`explorer-table sources-${sources.length}${isSlim ? " reflow" : ""}`}>
        <thead>
          <tr>
            <th scope="col">{t("explorer.move")}</th>
            {sources.map((source) => (
              <th scope="colgroup" colSpan={!hasCounts(source) ? 1 : 2 + Number(hasResults(source))} title={source.name ?? source.id}>
                <bdi>{source.name ?? source.id}</bdi>
              </th>
            ))}
            {(isSlim ? [kinds.map((kind) => names[kind]).join(" · ")] : kinds.map((kind) => names[kind])).map((name) => (
              <th scope="col" class="n">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody {...pointing}>
          <tr class="sum">
            <th scope="row">{t("explorer.all")}</th>
            {sources.map((source) => !hasCounts(source) ? <td class="first" data-source={named(source)} /> : (
              <>
                <td class="first share" data-source={named(source)} />
                <td class="n">{source.games === null || source.games === undefined ? "–" : short(source.games)}</td>
                {hasResults(source) && <ResultCell {...source} isNarrow={isNarrow} />}
              </>
            ))}
            {further({ weight: null, rating: meanRating(sources), performance: sources.find((source) => source.performance)?.performance ?? null, year: null })}
          </tr>
          {rows.map((row) => (
            <tr data-uci={row.uci}>
              <th scope="row">
                <button
                  type="button"
                  class="move-button"
                  title={row.opening}
                  aria-label={spoken(row.san)}
                  disabled={row.uci === "0000"}
                  onClick={() => onMove(row.uci)}
                >
                  {moveText(row.san, pieces)}
                </button>
                {row.cells.map((cell) =>
                  cell?.recommended === true ? (
                    <span class="mark good" title={t("explorer.good")} aria-label={t("explorer.good")} role="img">●</span>
                  ) : cell?.recommended === false ? (
                    <span class="mark bad" title={t("explorer.bad")} aria-label={t("explorer.bad")} role="img">▲</span>
                  ) : null,
                )}
                {row.cells.map((cell) => cell?.annotation && <span class="nag">{cell.annotation}</span>)}
                <Transposition answer={answer} row={row} line={line} pieces={pieces} />
                {after > 0 && (firstYear(row) ?? 0) > after && (
                  <span class="mark new" role="img" title={t("explorer.novelty", { year: String(firstYear(row)) })} aria-label={t("explorer.novelty", { year: String(firstYear(row)) })}>
                    N
                  </span>
                )}
                {sources.length > 1 && row.cells.filter((cell) => cell).length === 1 && (
                  <span class="only" title={t("explorer.only")}>
                    1/{sources.length}
                  </span>
                )}
              </th>
              {row.cells.map((cell, index) => {
                const source = sources[index];
                const href =
                  source?.kind === "database" && row.uci !== "0000"
                    ? gamesHref([source.id], { q: gamesOfMove(answer.fen, row.uci, where, filters[source.id] ?? "") })
                    : null;
                return <Cell name={named(source)} move={cell} counts={hasCounts(source)} hasResults={hasResults(source)} href={href} san={row.san} isNarrow={isNarrow} />;
              })}
              {further({
                weight: ofOne(row, "weight"),
                rating: meanRating(row.cells.flatMap((cell) => (cell ? [cell] : []))) ?? "–",
                performance: ofOne(row, "performance"),
                year: lastYear(row),
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

export function ExplorerTable(props: {
  /** Only books are offered. */
  onlyBooks?: boolean;
  fen: string;
  line: string[];
  /** The same as it is written, if that is known. */
  sans?: string[] | undefined;
  /** The game whose moves the first ones of the line are. */
  start?: GameStart;
  src: string[] | null;
  where: string;
  onMove: (uci: string) => void;
  onSources?: (ids: string[]) => void;
  /** Filters of single sources, by id. */
  own?: Record<string, string>;
  onFilter?: (id: string, filter: string) => void;
}) {
  const filters = props.own ?? {};
  const [after, setAfter] = useState(() => Number(localStorage.getItem(NOVELTY) ?? "0"));
  const shelf = useLoad<Shelf>((signal) => get("shelf", {}, signal), []);
  const { pieces } = useSettings();
  const inputs = shelf.state === "done" ? shelf.value.inputs : [];
  const usable = inputs.filter((input) => (input.kind === "book" || (input.kind === "database" && !props.onlyBooks)) && !input.error);
  const choice = choiceOf(props.onlyBooks);
  // The database of a game is first, whatever was chosen for others.
  const db = props.onlyBooks ? undefined : props.start?.db;
  const others = (ids: string[]) => ids.filter((id) => id !== db);
  const [own, setOwn] = useState<string[]>(() => [...(db ? [db] : []), ...others(storedSources(choice))].slice(0, MAX_SOURCES));
  const wanted = props.src ?? own;
  const chosen = wanted.filter((id) => usable.some((input) => input.id === id));
  // Without a choice: books first, which answer at once.
  const standard = useMemo(() => {
    const books = usable.filter((input) => input.kind === "book");
    return (books.length > 0 ? books : usable).slice(0, 2).map((input) => input.id);
  }, [shelf]);
  const src = chosen.length > 0 ? chosen : standard;
  useWatched(src);
  const choose = (ids: string[]) => {
    storeSources(choice, others(ids));
    setOwn(ids);
    props.onSources?.(ids);
  };
  const { answer, error, took, isStopped, stop } = useExplorer(shelf.state === "done" ? src : [], props.fen, props.line, props.start, props.where, filters);
  const sources = answer?.sources ?? [];
  const rows = useMemo(() => rowsOf(sources), [answer]);
  const running = sources.filter((source) => source.kind === "database" && !source.isDone);
  const onMove = useRef(props.onMove);
  onMove.current = props.onMove;
  // Drawn once for an answer, and not again while the next position is asked.
  const table = useMemo(
    () => answer && <AnswerTable {...{ answer, rows, after, pieces, filters }} line={props.sans ?? NO_MOVES} where={props.where} onMove={(uci) => onMove.current(uci)} />,
    [answer, after, pieces, props.sans],
  );
  const query = props.fen === "" ? { ply: String(props.line.length) } : { q: positionTerm(answer?.fen ?? "") };
  const games = useMemo(() => <TopGames sources={sources} query={query} />, [answer]);
  if (shelf.state === "error") return <ErrorBox error={shelf.error} />;
  if (shelf.state === "done" && usable.length === 0) return <p class="empty">{t("explorer.noSources")}</p>;
  return (
    <div class="explorer">
      <Sources usable={usable} chosen={src} onChange={choose} own={filters} onFilter={props.onFilter} />
      <p class="opening">
        {answer?.opening ? (
          <>
            <b>{answer.opening.eco}</b> {answer.opening.name}
          </>
        ) : (
          " "
        )}
      </p>
      {error !== null && <ErrorBox error={error} />}
      {answer === null && error === null && <Spinner />}
      {answer && rows.length === 0 && running.length === 0 && <p class="empty">{t("explorer.nothing")}</p>}
      {answer && rows.length > 0 && table}
      {answer && running.length === 0 && (
        <p class="sub explorer-foot">
          {t("explorer.took", { ply: props.line.length, ms: Math.max(1, Math.round(took)) })}
          {sources.some((source) => source.kind === "database") && (
            <label>
              {t("explorer.noveltyAfter")}{" "}
              <input
                type="number"
                min={1000}
                max={9999}
                value={after > 0 ? String(after) : ""}
                onChange={(event) => {
                  const year = Number(event.currentTarget.value);
                  localStorage.setItem(NOVELTY, String(year));
                  setAfter(year);
                }}
              />
            </label>
          )}
        </p>
      )}
      {running.map((source) => (
        <p class="scan" role="status">
          {t("explorer.scan", { name: source.name ?? source.id, done: source.scanned ?? 0, total: source.total ?? 0 })}{" "}
          {isStopped ? t("explorer.stopped") : (
            <button type="button" onClick={stop}>
              {t("stop")}
            </button>
          )}
        </p>
      ))}
      {sources.filter((source) => source.kind === "database" && source.isDone).map((source) => (
        <p class="scan">
          {source.indexed
            ? t("explorer.indexed", { name: source.name ?? source.id })
            : source.indexable
              ? t("explorer.notIndexed", { name: source.name ?? source.id })
              : t("explorer.read", { name: source.name ?? source.id })}
          {!source.indexed && source.indexable && (
            <>
              {" "}
              <IndexButton id={source.id} games={source.total} />
            </>
          )}
        </p>
      ))}
      {sources.filter((source) => source.error).map((source) => (
        <p class="problem" role="note">
          <bdi>
            {source.id}: {source.problem && <ProblemLine problem={source.problem} />}
          </bdi>
        </p>
      ))}
      {sources.filter((source) => source.comment).map((source) => (
        <p class="comment">
          <bdi>{source.comment}</bdi>
        </p>
      ))}
      {games}
    </div>
  );
}

/** The value of the only source that has it. */
function ofOne(row: RowData, field: "performance" | "weight"): string {
  const values = row.cells.map((cell) => cell?.[field]).filter((value) => value !== null && value !== undefined);
  return values.length > 0 ? String(values[0]) : "–";
}

/** The last year of all sources. */
function lastYear(row: RowData): string {
  const years = row.cells.flatMap((cell) => (cell?.lastYear ? [cell.lastYear] : []));
  return years.length > 0 ? String(Math.max(...years)) : "–";
}

/** The mean of the ratings of all sources, by their games; a source that counts none has as much weight as one game. */
function meanRating(of: { averageRating?: number | null; games?: number | null }[]): number | null {
  const known = of.filter((one) => one.averageRating);
  const games = known.reduce((sum, one) => sum + (one.games || 1), 0);
  const sum = known.reduce((all, one) => all + (one.averageRating ?? 0) * (one.games || 1), 0);
  return games > 0 ? Math.round(sum / games) : null;
}

/** The year in which a move was first played in one of the sources; none if no game with it has a date. */
function firstYear(row: RowData): number | null {
  const years = row.cells.flatMap((cell) => (cell?.firstYear ? [cell.firstYear] : []));
  return years.length > 0 ? Math.min(...years) : null;
}

/** Whether a source counts games; some books store weights only. */
function hasCounts(source: ExplorerSource | undefined): boolean {
  return (source?.moves ?? []).some((move) => move.games !== null && move.games !== undefined);
}

/** Whether a source has results; some books only count games. */
function hasResults(source: ExplorerSource | undefined): boolean {
  return (source?.moves ?? []).some((move) => move.white !== null && move.white !== undefined);
}

interface CellProps {
  /** The source, if there are several. */
  name: string | undefined;
  move: ExplorerMove | null;
  counts: boolean;
  hasResults: boolean;
  href: string | null;
  san: string;
  isNarrow: boolean;
}

function Cell({ name, move, counts, hasResults, href, san, isNarrow }: CellProps) {
  if (!counts || !move) {
    const first = (
      <td class={move ? "first n" : "first n none"} data-source={name}>
        {move ? percent(move.share) : "–"}
      </td>
    );
    if (!counts) return first;
    return (
      <>
        {first}
        <td class="n none">–</td>
        {hasResults && <td class="none">–</td>}
      </>
    );
  }
  const games = move.games === null || move.games === undefined ? "–" : short(move.games);
  return (
    <>
      <td class="first n share" data-source={name}>{percent(move.share)}</td>
      <td class="n">
        {href === null || !move.games ? (
          games
        ) : (
          <a class="games-of-move" href={href} aria-label={t("explorer.gamesOf", { n: games, move: spoken(san) })} title={t("explorer.gamesOf", { n: games, move: san })}>
            {games}
          </a>
        )}
      </td>
      {hasResults && <ResultCell {...move} isNarrow={isNarrow} />}
    </>
  );
}

function ResultCell({ white, draws, black, isNarrow }: Pick<ExplorerMove, "white" | "draws" | "black"> & { isNarrow: boolean }) {
  return (
    <td>
      {white !== null && white !== undefined ? <Bar {...{ white, isNarrow }} draws={draws ?? 0} black={black ?? 0} /> : <span class="none">–</span>}
    </td>
  );
}

function Sources(props: {
  usable: Card[];
  chosen: string[];
  onChange: (ids: string[]) => void;
  own: Record<string, string>;
  onFilter: ((id: string, filter: string) => void) | undefined;
}) {
  const { usable, chosen, onChange, own, onFilter } = props;
  const [open, setOpen] = useState<string | null>(null);
  const rest = usable.filter((input) => !chosen.includes(input.id));
  const name = (id: string) => usable.find((input) => input.id === id)?.name ?? id;
  const canFilter = (id: string) => onFilter !== undefined && usable.some((input) => input.id === id && input.kind === "database");
  return (
    <>
    <ul class="sources" aria-label={t("explorer.sources")}>
      {chosen.map((id) => (
        <li class="chip">
          <bdi>{name(id)}</bdi>
          {own[id] && <code>{own[id]}</code>}
          {canFilter(id) && (
            <button
              type="button"
              aria-label={t("explorer.ownFilter", { name: name(id) })}
              title={t("explorer.ownFilter", { name: name(id) })}
              aria-expanded={open === id}
              onClick={() => setOpen(open === id ? null : id)}
            >
              <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
                <path d="M0 1h12L7 6.5V12L5 10.5v-4z" fill="currentColor" />
              </svg>
            </button>
          )}
          {chosen.length > 1 && (
            <button type="button" aria-label={t("explorer.remove", { name: name(id) })} onClick={() => onChange(chosen.filter((other) => other !== id))}>
              ✕
            </button>
          )}
        </li>
      ))}
      {rest.length > 0 && chosen.length < MAX_SOURCES && (
        <li>
          <select
            aria-label={t("explorer.add")}
            value=""
            onChange={(event) => {
              if (event.currentTarget.value !== "") onChange([...chosen, event.currentTarget.value]);
            }}
          >
            <option value="">+ {t("explorer.add")}</option>
            {rest.map((input) => (
              <option value={input.id}>{input.id}</option>
            ))}
          </select>
        </li>
      )}
    </ul>
    {open !== null && chosen.includes(open) && (
      <form
        key={open}
        class="explorer-filter"
        role="search"
        aria-label={t("explorer.ownFilter", { name: name(open) })}
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem("own") as HTMLInputElement;
          onFilter?.(open, field.value.trim());
          setOpen(null);
        }}
      >
        <label>
          <span>{t("explorer.filterOf", { name: name(open) })}</span>{" "}
          <input name="own" defaultValue={own[open] ?? ""} placeholder={t("search.example")} autoComplete="off" spellcheck={false} ref={(element) => element?.focus()} />
        </label>{" "}
        <button type="submit">{t("search.go")}</button>
      </form>
    )}
    </>
  );
}

/** `query`: where the games open; another start of the board is not that of the games. */
function TopGames({ sources, query }: { sources: ExplorerSource[]; query: Record<string, string> }) {
  const top = sources.flatMap((source) => source.topGames ?? []);
  const recent = sources.flatMap((source) => source.recentGames ?? []);
  const linked = sources.flatMap((source) => source.linked ?? []);
  const { pieces } = useSettings();
  const [wanted, show] = useState<"top" | "recent">("top");
  const isSlim = useRank() <= 1;
  if (linked.length > 0 && top.length === 0 && recent.length === 0) {
    return (
      <section>
        <h2>{t("explorer.linked")}</h2>
        <ul class="top-games">
          {linked.map((game) => (
            <li>
              <bdi>{game.white}</bdi> – <bdi>{game.black}</bdi> {game.result}
              <span class="sub">
                {" "}
                <bdi>{game.source}</bdi>
                {game.game !== null && ` ${game.game}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
    );
  }
  if (top.length === 0 && recent.length === 0) return null;
  // Without ratings there are no best games, without dates no latest ones.
  const shown = top.length === 0 ? "recent" : recent.length === 0 ? "top" : wanted;
  const games = (shown === "top" ? top.sort((a, b) => rating(b) - rating(a)) : recent.sort((a, b) => (b.year ?? 0) - (a.year ?? 0))).slice(0, 15);
  return (
    <section>
      <p class="choice" role="group" aria-label={t("explorer.games")}>
        <button type="button" aria-pressed={shown === "top"} disabled={top.length === 0} onClick={() => show("top")}>
          {t("explorer.top")}
        </button>
        <button type="button" aria-pressed={shown === "recent"} disabled={recent.length === 0} onClick={() => show("recent")}>
          {t("explorer.recent")}
        </button>
      </p>
      <TableBox label={t("explorer.games")} file="games">
        <table class={isSlim ? "top-games reflow" : "top-games"}>
          <thead class="visually-hidden">
            <tr>
              <th scope="col">{t("explorer.move")}</th>
              <th scope="col">{t("col.white")}</th>
              <th scope="col">{t("col.elo")}</th>
              <th scope="col">{t("col.black")}</th>
              <th scope="col">{t("col.elo")}</th>
              <th scope="col">{t("col.result")}</th>
              <th scope="col">{t("explorer.year")}</th>
            </tr>
          </thead>
          <tbody>
            {games.map((game) => (
              <tr>
                <td class="move-of-game">{game.san && moveText(game.san, pieces)}</td>
                <th scope="row">
                  <a href={gameHref(game.db, game.game, query)}>
                    <bdi>{game.white || "?"}</bdi>
                  </a>
                </th>
                <td class="n elo">{game.whiteElo ?? ""}</td>
                <td>
                  <bdi>{game.black || "?"}</bdi>
                </td>
                <td class="n elo">{game.blackElo ?? ""}</td>
                <td class="c">{resultText(game.result)}</td>
                <td class="n">{game.year ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </section>
  );
}

const rating = (game: { whiteElo: number | null; blackElo: number | null }) => (game.whiteElo ?? 0) + (game.blackElo ?? 0);

/** The explorer with a board of its own. */
export function View() {
  const { query } = useAddress();
  const fen = query.get("fen") ?? "";
  const where = query.get("q") ?? "";
  const src = (query.get("src") ?? "").split(",").filter((id) => id !== "");
  const [line, setLine] = useState<string[]>((query.get("play") ?? "").split(",").filter((uci) => uci !== ""));
  const [isFlipped, flip] = useFlip();
  const [asText, toggleText] = useAsText();
  const [future, setFuture] = useState<string[]>([]);
  const address = query.get("play") ?? "";
  useEffect(() => {
    const moves = address.split(",").filter((uci) => uci !== "");
    const { line, future } = latest.current;
    if (moves.join() === line.join()) return;
    // After the browser went back in the line, the key for the next move goes forward in it.
    const all = [...line, ...future];
    const isOnLine = moves.every((uci, index) => uci === all[index]);
    setLine(moves);
    setFuture(isOnLine ? all.slice(moves.length) : []);
  }, [query]);
  const load = useLoad<PositionAnswer>((signal) => get("position", { fen, play: line.join(",") }, signal), [fen, line.join()]);
  // The position before stays until the next one is there.
  const last = useRef<PositionAnswer | null>(null);
  if (load.state === "done") last.current = load.value;
  const wrong = load.state === "error" && load.error instanceof ApiError ? load.error : null;
  const position = last.current ?? (wrong && NO_POSITION);
  title(t("explorer.title"));
  // Keys can come faster than the view is drawn.
  const latest = useRef({ line, future });
  latest.current = { line, future };
  const setMoves = (moves: string[], after: string[] = [], isNew = false) => {
    latest.current = { line: moves, future: after };
    setLine(moves);
    setFuture(after);
    // A move is a step that the browser can take back; keys and buttons only walk along the line.
    (isNew ? pushQuery : setQuery)({ play: moves.join(",") });
  };
  // Asked anew: `position` can still be that of the move before.
  const positionNow = () => get<PositionAnswer>("position", { fen, play: latest.current.line.join(",") });
  const onMove = useCallback(
    (uci: string) => {
      const san = position?.legal.find((move) => move.uci === uci)?.san;
      if (san) announce(spoken(san));
      setMoves([...latest.current.line, uci], [], true);
    },
    [position],
  );
  const back = () => {
    const { line, future } = latest.current;
    const last = line[line.length - 1];
    if (last) setMoves(line.slice(0, -1), [last, ...future]);
  };
  const forward = () => {
    const { line, future } = latest.current;
    const [next, ...rest] = future;
    if (next) setMoves([...line, next], rest);
  };
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      if (event.key.length === 1 && !current().singleKeys) return;
      const actions: Record<string, () => void> = {
        ArrowLeft: back,
        ArrowRight: forward,
        Home: () => setMoves([], [...latest.current.line, ...latest.current.future]),
        End: () => setMoves([...latest.current.line, ...latest.current.future]),
        f: flip,
        x: toggleText,
        c: () => void positionNow().then((answer) => copy(answer.fen), copyFailed),
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  if (!position) return load.state === "error" ? <ErrorBox error={load.error} /> : <Spinner />;
  return (
    <section class="game explorer-view">
      <h1 class="visually-hidden">{t("explorer.title")}</h1>
      <div class="board-side">
        <BoardHost
          placement={parseFen(position.fen)}
          isFlipped={isFlipped}
          lastUci={line[line.length - 1] ?? ""}
          shapes={NO_SHAPES}
          position={position}
          onMove={onMove}
          onWheel={(down) => (down ? forward() : back())}
          steps={[line.length > 0, future.length > 0]}
        />
        <LineControls
          position={position}
          isStart={line.length === 0}
          onStart={() => setMoves([], [...line, ...future])}
          onBack={back}
          isEnd={future.length === 0}
          onNext={forward}
          onFlip={flip}
          asText={asText}
          onText={toggleText}
        />
        <FenForm key={fen} />
      </div>
      <div class="text-side">
        {asText && <PositionAsText {...{ position, positionNow, onMove }} />}
        <Filter key={where} where={where} />
        {wrong ? (
          <ErrorBox error={wrong} />
        ) : (
          <ExplorerTable
            fen={fen}
            line={line}
            sans={position.line}
            src={src}
            where={where}
            onMove={onMove}
            own={ownFilters(query)}
            onFilter={(id, filter) => changeQuery({ [`q.${id}`]: filter || null })}
            onSources={(ids) => {
              const gone = Object.keys(ownFilters(query)).filter((id) => !ids.includes(id));
              changeQuery({ src: ids.join(","), ...Object.fromEntries(gone.map((id) => [`q.${id}`, null])) });
            }}
          />
        )}
      </div>
    </section>
  );
}

/** What is shown while the address has no position that can be read. */
const NO_POSITION: PositionAnswer = { fen: "8/8/8/8/8/8/8/8 w - - 0 1", line: [], legal: [], check: false, checkmate: false, stalemate: false, opening: null };

/** Which games of the databases count. */
function Filter({ where }: { where: string }) {
  return (
    <form
      class="explorer-filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("q") as HTMLInputElement;
        changeQuery({ q: field.value.trim() || null });
      }}
    >
      <label>
        <span>{t("explorer.filter")}</span>{" "}
        <input id="explorer-filter" name="q" defaultValue={where} placeholder={t("search.example")} autoComplete="off" spellcheck={false} />
      </label>{" "}
      <button type="submit">{t("search.go")}</button>
      {where !== "" && (
        <button type="button" onClick={() => changeQuery({ q: null })}>
          {t("search.clear")}
        </button>
      )}
    </form>
  );
}

/** A position by its FEN. */
function FenForm() {
  const { query } = useAddress();
  return (
    <form
      class="fen-form"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("fen") as HTMLInputElement;
        const src = (query.get("src") ?? "").split(",");
        const where = query.get("q") ?? "";
        go(explorerHref(src, { ...(where === "" ? {} : { q: where }), ...(field.value.trim() === "" ? {} : { fen: field.value.trim() }) }));
      }}
    >
      <label>
        FEN <input name="fen" defaultValue={query.get("fen") ?? ""} autoComplete="off" spellcheck={false} />
      </label>{" "}
      <button type="submit">{t("search.go")}</button>
    </form>
  );
}
