// The list of games: one endless list, filtered and sorted by the server.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, type Row, type Rows, get, getText } from "./api.ts";
import { BoardView } from "./board.ts";
import { VirtualList } from "./virtual_list.ts";
import { MoveLine } from "./notation.tsx";
import { convertHref, explorerHref, gameHref, go, listHref, setQuery, useAddress } from "./router.ts";
import { SearchBox } from "./search_box.tsx";
import { useSettings } from "./settings.ts";
import { type GameJson, type Tree, makeTree, nodeAtPly, pathTo, placementAt } from "./game_tree.ts";
import { moveSquares } from "./chess.ts";
import { ErrorBox, Spinner, announce, copy, isTyping, saveCsv, title } from "./ui.tsx";
import { number, t, tn } from "./translations.ts";

interface Column {
  id: string;
  name: string;
  width: string;
  /** Hidden in narrower windows, from 1. */
  rank: number;
  text: (row: Row, several: boolean) => string;
  isNumber?: boolean;
}

const columns = (): Column[] => [
  { id: "game", name: "#", width: "4.6em", rank: 1, text: (row) => number(row[1]), isNumber: true },
  { id: "white", name: t("col.white"), width: "minmax(9em, 2.2fr)", rank: 0, text: (row) => row[2] ?? "" },
  { id: "whiteElo", name: t("col.elo"), width: "3.2em", rank: 1, text: (row) => String(row[3] ?? ""), isNumber: true },
  { id: "black", name: t("col.black"), width: "minmax(9em, 2.2fr)", rank: 0, text: (row) => row[4] ?? "" },
  { id: "blackElo", name: t("col.elo"), width: "3.2em", rank: 1, text: (row) => String(row[5] ?? ""), isNumber: true },
  { id: "result", name: t("col.result"), width: "3.6em", rank: 0, text: (row) => result(row[6]) },
  { id: "moves", name: t("col.moves"), width: "3.4em", rank: 2, text: (row) => String(row[7] ?? ""), isNumber: true },
  { id: "eco", name: "ECO", width: "4.2em", rank: 1, text: (row) => row[8] ?? "" },
  { id: "event", name: t("col.event"), width: "minmax(5em, 1.3fr)", rank: 2, text: (row) => row[9] ?? "" },
  { id: "site", name: t("col.site"), width: "minmax(4em, 1fr)", rank: 3, text: (row) => row[10] ?? "" },
  { id: "round", name: t("col.round"), width: "3.2em", rank: 3, text: (row) => row[11] ?? "" },
  { id: "date", name: t("col.date"), width: "6.2em", rank: 1, text: (row) => date(row[12]) },
  { id: "annotator", name: t("col.annotator"), width: "minmax(4em, 0.8fr)", rank: 3, text: (row) => row[13] ?? "" },
  { id: "flags", name: "VCS", width: "3.6em", rank: 2, text: (row) => row[14].replace("D", "") },
  { id: "db", name: t("col.database"), width: "minmax(5em, 0.9fr)", rank: 2, text: (row) => row[0] },
];

const result = (text: string | null) => (text === null ? "" : text.replace("1/2-1/2", "½-½"));
const date = (text: string | null) => (text ?? "").replace(/(\.\?\?)+$/, "");

interface ListState {
  count: number;
  total: number;
  isExact: boolean;
  sortable: string[];
}

export function GamesView() {
  const { query } = useAddress();
  const db = query.get("db") ?? "";
  const where = query.get("q") ?? "";
  const sort = query.get("sort") ?? "";
  const deleted = query.get("deleted") === "1";
  const ids = db.split(",").filter((id) => id !== "");
  const rank = useRank();
  const [hidden, hide] = useHidden();
  useSettings();
  title(ids.join(", "));
  return (
    <section class="games">
      <GameList
        key={`${db}\n${where}\n${sort}\n${deleted}\n${rank}\n${hidden.join()}`}
        {...{ ids, where, sort, deleted, rank, hidden, hide }}
      />
    </section>
  );
}

const HIDDEN = "tabia.hidden-columns";

/** The columns that are not wanted, kept in the browser. */
function useHidden(): [string[], (id: string) => void] {
  const [hidden, set] = useState(() => (localStorage.getItem(HIDDEN) ?? "").split(",").filter((id) => id !== ""));
  const change = (id: string) => {
    const next = hidden.includes(id) ? hidden.filter((other) => other !== id) : [...hidden, id];
    localStorage.setItem(HIDDEN, next.join());
    set(next);
  };
  return [hidden, change];
}

/** How many columns the window has space for. */
function useRank(): number {
  const widths = [700, 1000, 1500];
  const rankOf = () => widths.filter((width) => matchMedia(`(min-width: ${width + 1}px)`).matches).length;
  const [rank, set] = useState(rankOf);
  useEffect(() => {
    const update = () => set(rankOf());
    addEventListener("resize", update);
    return () => removeEventListener("resize", update);
  }, []);
  return rank;
}

interface ListProps {
  ids: string[];
  where: string;
  sort: string;
  deleted: boolean;
  rank: number;
  hidden: string[];
  hide: (id: string) => void;
}

function GameList(props: ListProps) {
  const { ids, where, sort, deleted, rank, hidden } = props;
  const host = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualList<Row> | null>(null);
  const [state, setState] = useState<ListState | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [active, setActive] = useState<{ index: number; row: Row } | null>(null);
  const several = ids.length > 1;
  const fitting = useMemo(() => columns().filter((column) => (column.id !== "db" || several) && (column.rank <= rank || rank === 0)), [several]);
  // The players stay, and so do all in a narrow window, which has few.
  const canHide = (column: Column) => rank > 0 && column.id !== "white" && column.id !== "black";
  const shown = useMemo(() => fitting.filter((column) => !canHide(column) || !hidden.includes(column.id)), [fitting]);
  const request = { db: ids.join(","), where, sort, deleted };

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let exact = false;
    let fingerprints = "";
    const apply = (rows: Rows) => {
      exact = rows.countIsExact;
      fingerprints = JSON.stringify(rows.fingerprints);
      setState({ count: rows.count, total: rows.total, isExact: exact, sortable: rows.sortable });
    };
    const view = new VirtualList<Row>(t("games.label"), {
      rowHeight: () => (matchMedia("(max-width: 700px)").matches ? 48 : 26),
      load: async (from, n, inner) => {
        for (;;) {
          const rows = await get<Rows>("games", { ...request, from, n }, inner);
          if (fingerprints !== "" && JSON.stringify(rows.fingerprints) !== fingerprints) {
            announce(t("changed", { name: ids.join(", ") }), true);
            apply(rows);
            view.reset(rows.count);
          }
          if (rows.rows.length > 0 || rows.countIsExact) return rows.rows;
          await new Promise((done) => setTimeout(done, 150));
          inner.throwIfAborted();
        }
      },
      render: (element, row) => renderRow(element, row, shown),
      onActive: (index, row) => {
        if (row) setActive({ index, row });
        setQuery({ at: index > 0 ? index + 1 : null });
      },
      onOpen: (_, row) => go(openHref(row, request)),
      onError: setError,
    });
    list.current = view;
    host.current?.append(view.element);
    const start = async () => {
      for (let first = true; ; first = false) {
        const rows = await get<Rows>("games", { ...request, from: 0, n: 100 }, signal);
        apply(rows);
        if (first) {
          view.reset(rows.count);
          const at = Number(new URLSearchParams(location.search).get("at") ?? "1");
          const index = Number.isInteger(at) && at > 0 ? at - 1 : 0;
          if (rows.rows.length > 0) view.put(0, rows.rows);
          if (index > 0) view.select(index, true);
          else view.select(0);
        } else view.setTotal(rows.count);
        if (exact) break;
        await new Promise((done) => setTimeout(done, 250));
      }
      view.element.setAttribute("aria-busy", "false");
    };
    start().catch((problem: unknown) => {
      if (!signal.aborted) setError(problem);
    });
    return () => {
      controller.abort();
      view.reset(0);
      view.element.remove();
    };
  }, []);

  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (["ArrowDown", "ArrowUp", "PageDown", "PageUp"].includes(event.key) && document.activeElement === document.body) {
        list.current?.element.focus();
        list.current?.element.dispatchEvent(new KeyboardEvent("keydown", { key: event.key }));
        event.preventDefault();
      } else if (event.key === "Enter" && document.activeElement === document.body) {
        list.current?.element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
      } else if (event.key === "g") {
        document.getElementById("goto")?.focus();
        event.preventDefault();
      }
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);

  const keys = sort.split(",").filter((key) => key !== "");
  const setSort = (id: string, adds: boolean) => {
    const old = keys.find((key) => key.replace("-", "") === id);
    const next = old === id ? `-${id}` : old ? "" : id;
    const others = adds ? keys.filter((key) => key.replace("-", "") !== id) : [];
    go(listHref(ids, where, [...others, next].filter((key) => key !== "").join(","), deleted));
  };
  const template = shown.map((column) => column.width).join(" ");
  useEffect(() => {
    host.current?.style.setProperty("--columns", template);
  }, [template]);

  return (
    <>
      <div class="toolbar">
        <SearchBox {...{ ids, where, sort, deleted }} error={error} />
        <p class="found" role="status">
          {state && <FoundText state={state} />}
        </p>
        <form
          class="goto"
          onSubmit={(event) => {
            event.preventDefault();
            const field = event.currentTarget.elements.namedItem("n") as HTMLInputElement;
            void goToGame(field.value, request, ids[0] ?? "", list.current);
          }}
        >
          <label>
            {t("games.goto")} <input id="goto" name="n" inputMode="numeric" size={7} autoComplete="off" />
          </label>
        </form>
        <label class="check">
          <input
            type="checkbox"
            checked={deleted}
            onChange={() => go(listHref(ids, where, sort, !deleted))}
          />{" "}
          {t("games.deleted")}
        </label>
        <a class="button" href={explorerHref(ids, where ? { q: where } : {})}>
          {t("card.explore")}
        </a>
        <a class="button" href={convertHref(ids.join(","), "", "", where, deleted)}>
          {t("convert.title")}
        </a>
        <details class="menu">
          <summary class="button">{t("card.more")}</summary>
          <div class="menu-body">
            <button type="button" disabled={!state?.isExact} onClick={() => void saveList(request, columns(), state?.count ?? 0)}>
              {t("save.csv")}
            </button>
            <button type="button" onClick={() => void copy(commandOf(ids, where, deleted))}>
              {t("copy.command")}
            </button>
            <fieldset>
              <legend>{t("games.columns")}</legend>
              {fitting.filter(canHide).map((column) => (
                <label class="check">
                  <input type="checkbox" checked={!hidden.includes(column.id)} onChange={() => props.hide(column.id)} />{" "}
                  {columnLabel(column)}
                </label>
              ))}
            </fieldset>
          </div>
        </details>
      </div>
      {error !== null && <ErrorBox error={error} />}
      <div class="split">
        <div class="list-box" ref={host}>
          <div class="row header">
            {shown.map((column) => {
              const key = keys.find((key) => key.replace("-", "") === column.id);
              const isSortable = state?.sortable.includes(column.id) ?? false;
              const label = columnLabel(column);
              return (
                <span class={`cell c-${column.id}${column.isNumber ? " n" : ""}`}>
                  {isSortable ? (
                    <button
                      type="button"
                      aria-label={t(key?.startsWith("-") ? "games.sortNone" : key ? "games.sortDown" : "games.sortUp", { column: label })}
                      onClick={(event) => setSort(column.id, event.shiftKey)}
                    >
                      {column.name}
                      <span aria-hidden="true">{key ? (key.startsWith("-") ? " ▾" : " ▴") : ""}</span>
                    </button>
                  ) : (
                    column.name
                  )}
                </span>
              );
            })}
          </div>
          {state === null && error === null && <Spinner />}
          {state?.count === 0 && state.isExact && <NoMatch ids={ids} where={where} />}
        </div>
        <aside class="preview" aria-label={t("preview")}>
          {active && <Preview row={active.row} request={request} />}
        </aside>
      </div>
    </>
  );
}

const columnLabel = (column: Column) =>
  `${column.name}${column.id === "whiteElo" ? ` ${t("col.white")}` : column.id === "blackElo" ? ` ${t("col.black")}` : ""}`;

/** The command that prints the list. */
function commandOf(ids: string[], where: string, deleted: boolean): string {
  const quoted = (text: string) => (/[^\w.-]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text);
  const options = [where && `--where ${quoted(where)}`, deleted && "--include-deleted", "--csv"];
  return ["tabia ls", ...ids.map(quoted), ...options.filter((option) => option)].join(" ");
}

/** Rows of a list that are saved at most; the command has no limit. */
const MAX_SAVED = 100_000;

/** Saves the rows of the list, in its order, with all columns. */
async function saveList(request: Record<string, string | boolean>, all: Column[], count: number): Promise<void> {
  const lines = [all.map(columnLabel)];
  try {
    for (let from = 0; from < Math.min(count, MAX_SAVED); from += 500) {
      const { rows } = await get<Rows>("games", { ...request, from, n: 500 });
      if (rows.length === 0) break;
      lines.push(...rows.map((row) => all.map((column) => (column.id === "game" ? String(row[1]) : column.text(row, true)))));
    }
  } catch (error) {
    announce(error instanceof ApiError ? error.problem.detail : String(error), true);
    return;
  }
  saveCsv(lines, "games");
  if (count > MAX_SAVED) announce(t("games.savedFirst", { n: MAX_SAVED }), true);
}

const openHref = (row: Row, request: { db: string; where: string; sort: string; deleted: boolean }) => {
  const query: Record<string, string> = {};
  if (request.db !== row[0]) query["db"] = request.db;
  if (request.where !== "") query["q"] = request.where;
  if (request.sort !== "") query["sort"] = request.sort;
  if (request.deleted) query["deleted"] = "1";
  return gameHref(row[0], row[1], query);
};

async function goToGame(
  text: string,
  request: Record<string, string | boolean>,
  db: string,
  list: VirtualList<Row> | null,
): Promise<void> {
  const game = Number(text.replace(/[^0-9]/g, ""));
  if (!Number.isInteger(game) || game < 1) return;
  try {
    const found = await get<{ row: number | null }>("row", { ...request, in: db, game });
    if (found.row === null) announce(t("games.notInList", { n: game }), true);
    else {
      list?.select(found.row, true);
      list?.element.focus();
    }
  } catch (error) {
    announce(error instanceof ApiError ? error.problem.detail : String(error), true);
  }
}

function FoundText({ state }: { state: ListState }) {
  if (!state.isExact) return <>{t("games.atLeast", { n: state.count, total: state.total })}</>;
  if (state.count === state.total) return <>{tn("n.games", state.total)}</>;
  return <>{t("games.found", { n: state.count, total: state.total })}</>;
}

function renderRow(element: HTMLElement, row: Row | null, shown: Column[]): void {
  if (row === null) {
    element.className = "row skeleton";
    element.replaceChildren(
      ...shown.map((column) => {
        const cell = document.createElement("span");
        cell.setAttribute("role", "gridcell");
        cell.className = `cell c-${column.id}`;
        return cell;
      }),
    );
    return;
  }
  element.className = `row${row[14].includes("D") ? " deleted" : ""}${row[15] !== null ? " broken" : ""}`;
  element.replaceChildren(
    ...shown.map((column) => {
      const cell = document.createElement("span");
      cell.setAttribute("role", "gridcell");
      cell.className = `cell c-${column.id}${column.isNumber ? " n" : ""}`;
      const text = document.createElement("bdi");
      text.textContent = column.id === "white" && row[15] !== null ? row[15] : column.text(row, true);
      cell.append(text);
      return cell;
    }),
  );
}

/** What of the query leaves nothing over. */
function NoMatch({ ids, where }: { ids: string[]; where: string }) {
  const [hints, setHints] = useState<{ query: string; without: string; count: number }[]>([]);
  const parts = where.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  useEffect(() => {
    if (parts.length < 2 || parts.length > 6) return;
    const controller = new AbortController();
    const run = async () => {
      for (const [index, part] of parts.entries()) {
        const query = parts.filter((_, other) => other !== index).join(" ");
        try {
          let rows: Rows;
          do rows = await get<Rows>("games", { db: ids.join(","), where: query, n: 500 }, controller.signal);
          while (!rows.countIsExact);
          if (rows.count > 0) {
            setHints((all) => [...all, { query, without: part, count: rows.count }]);
          }
        } catch {
          if (controller.signal.aborted) return;
        }
      }
    };
    void run();
    return () => controller.abort();
  }, []);
  return (
    <div class="empty">
      <h2>{t("games.none")}</h2>
      {hints.map((hint) => (
        <p>
          <a href={listHref(ids, hint.query, "", false)}>{t("games.without", { n: hint.count, part: hint.without })}</a>
        </p>
      ))}
    </div>
  );
}

/** The board and the first moves of the row that the pointer or the keyboard is on. */
function Preview({ row, request }: { row: Row; request: { db: string; where: string; sort: string; deleted: boolean } }) {
  const host = useRef<HTMLDivElement>(null);
  const board = useRef<BoardView | null>(null);
  const [found, setFound] = useState<{ game: GameJson; tree: Tree; node: number } | null>(null);
  useEffect(() => {
    board.current = new BoardView(t("preview"));
    // The list describes the row; the small board is a picture of it.
    board.current.element.setAttribute("aria-hidden", "true");
    board.current.element.inert = true;
    host.current?.replaceChildren(board.current.element);
  }, []);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      get<GameJson>(`db/${encodeURIComponent(row[0])}/games/${row[1]}`, {}, controller.signal).then(
        (game) => {
          const tree = makeTree(game);
          setFound({ game, tree, node: nodeAtPly(tree, (tree.nodes[0]?.ply ?? 0) + 20) });
        },
        () => setFound(null),
      );
    }, 120);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [row[0], row[1]]);
  useEffect(() => {
    if (!found) return;
    const { pieces, last } = {
      pieces: placementAt(found.tree, found.node).board,
      last: moveSquares(found.tree.nodes[found.node]?.uci ?? ""),
    };
    board.current?.set({ pieces, isFlipped: false, lastMove: last, shapes: [], legal: null });
  }, [found]);
  const href = openHref(row, request);
  return (
    <>
      <div class="small-board" ref={host} />
      <h2>
        <a href={href}>
          <bdi>{row[2] ?? "?"}</bdi>
          {row[6] !== null && (
            <>
              {" – "}
              <bdi>{row[4] ?? "?"}</bdi> {result(row[6])}
            </>
          )}
        </a>
      </h2>
      <p class="sub">
        <bdi>{[row[9], row[10], row[12]].filter((part) => part).join(", ")}</bdi>
      </p>
      {found && found.game.game === row[1] && found.game.db === row[0] && <MoveLine tree={found.tree} to={found.node} />}
      <p class="actions">
        <a href={href}>{t("open")}</a>
        {found && (
          <a
            href={explorerHref([row[0]], {
              ...(found.game.fen ? { fen: found.game.fen } : {}),
              play: pathTo(found.tree, found.node).map((node) => node.uci).join(","),
            })}
          >
            {t("card.explore")}
          </a>
        )}
        <button
          type="button"
          onClick={() => void getText(`db/${encodeURIComponent(row[0])}/games/${row[1]}.pgn`).then(copy)}
        >
          {t("copy.pgn")}
        </button>
      </p>
    </>
  );
}
