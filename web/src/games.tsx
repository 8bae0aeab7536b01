// The list of games: one endless list, filtered and sorted by the server.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Row, type Rows, get } from "./api.ts";
import { BoardView } from "./board.ts";
import { copyCommand, quoted } from "./commands.tsx";
import { VirtualList } from "./virtual_list.ts";
import { type Column, ColumnHeader, columnLabel, ColumnMenu, columns, date, DETAILS, HEADER, result, templateOf, useColumnLayout } from "./list_columns.tsx";
import { MoveLine } from "./move_line.tsx";
import { termsOf } from "./query_terms.ts";
import { convertHref, explorerHref, gameHref, go, listHref, setQuery, useAddress } from "./router.ts";
import { markQuery } from "./search_box.tsx";
import { useSelection } from "./selection.ts";
import { useSettings } from "./settings.ts";
import { excerpt, languageCode, textsOf } from "./guiding_texts.ts";
import { placementAt, previewed } from "./game_tree.ts";
import { type OpenMenu, RowMenu, type Shown, copyFen, copyPgn, explorerOf, shownGame } from "./row_menu.tsx";
import { moveSquares } from "./chess.ts";
import { DeadEnd, ErrorBox, Later, Spinner, announce, announceError, isTyping, saveCsv, title, useRank } from "./ui.tsx";
import { t, tn } from "./translations.ts";

interface ListState {
  count: number;
  total: number;
  texts: number;
  isExact: boolean;
  sortable: string[];
  unread: Rows["unread"];
}

const selectionBar = async () => (await import("./selected_games.tsx")).SelectionBar;

export function View() {
  const { query } = useAddress();
  const db = query.get("db") ?? "";
  const where = query.get("q") ?? "";
  const sort = query.get("sort") ?? "";
  const deleted = query.get("deleted") === "1";
  const ids = db.split(",").filter((id) => id !== "");
  const rank = useRank();
  useSettings();
  title(ids.join(", "));
  return (
    <section class="games">
      <GameList
        key={`${db}\n${where}\n${sort}\n${deleted}`}
        {...{ ids, where, sort, deleted, rank }}
      />
    </section>
  );
}

interface ListProps {
  ids: string[];
  where: string;
  sort: string;
  deleted: boolean;
  rank: number;
}

function GameList(props: ListProps) {
  const { ids, where, sort, deleted, rank } = props;
  const host = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualList<Row> | null>(null);
  const [state, setState] = useState<ListState | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [active, setActive] = useState<{ index: number; row: Row } | null>(null);
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const layout = useColumnLayout();
  const selection = useSelection(ids.join(","));
  const several = ids.length > 1;
  const all = columns().filter((column) => (column.id !== "db" || several) && (rank > 0 || !DETAILS.includes(column.id)));
  // The players stay, and so do all in a narrow window, which has few.
  const canHide = (column: Column) => rank > 0 && column.id !== "white" && column.id !== "black";
  const visible = all.filter((column) => !canHide(column) || layout.shows(column, rank));
  const shown = rank === 0 ? visible : layout.sort(visible);
  const details = shown.map((column) => column.id).filter((id) => DETAILS.includes(id)).join();
  // The list outlives what it shows.
  const latest = useRef({ shown, selection, details });
  latest.current = { shown, selection, details };
  const anchor = useRef(0);
  const request = { db: ids.join(","), where, sort, deleted };

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let exact = false;
    let fingerprints = "";
    const apply = (rows: Rows) => {
      exact = rows.isDone;
      fingerprints = JSON.stringify(rows.fingerprints);
      setState({ count: rows.count, total: rows.total, texts: rows.texts, isExact: exact, sortable: rows.sortable, unread: rows.unread });
    };
    const view = new VirtualList<Row>(t("games.label"), {
      rowHeight: () => (matchMedia("(max-width: 700px)").matches ? 48 : matchMedia("(pointer: coarse)").matches ? 44 : 26),
      load: async (from, n, inner) => {
        for (;;) {
          const { details } = latest.current;
          const rows = await get<Rows>("games", { ...request, details, from, n }, inner, "no-store");
          if (fingerprints !== "" && JSON.stringify(rows.fingerprints) !== fingerprints) {
            announce(t("changed", { name: ids.join(", ") }), true);
            apply(rows);
            view.reset(rows.count);
          }
          if (rows.rows.length > 0 || rows.isDone) return rows.rows;
          await new Promise((done) => setTimeout(done, 150));
          inner.throwIfAborted();
        }
      },
      render: (element, row) => renderRow(element, row, latest.current.shown),
      isPicked: (row) => latest.current.selection.has(row),
      onPick: (index, row, isRange) => {
        if (!isRange) {
          anchor.current = index;
          latest.current.selection.toggle(row);
          return;
        }
        const [first, last] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
        rowsBetween(request, first, last, signal).then(
          (rows) => latest.current.selection.add(rows),
          (problem: unknown) => {
            if (!signal.aborted) setError(problem);
          },
        );
      },
      onActive: (index, row) => {
        if (row) setActive({ index, row });
        setQuery({ at: index > 0 ? index + 1 : null });
      },
      onOpen: (_, row) => go(openHref(row, request)),
      onMenu: (_, row, x, y) => setMenu({ row, x, y }),
      onError: setError,
    });
    list.current = view;
    view.element.setAttribute("aria-owns", HEADER);
    host.current?.append(view.element);
    const start = async () => {
      const at = Number(new URLSearchParams(location.search).get("at") ?? "1");
      // The row to begin with, until so many are found.
      let wanted: number | null = Number.isInteger(at) && at > 0 ? at - 1 : 0;
      for (let first = true; ; first = false) {
        const rows = await get<Rows>("games", { ...request, details: latest.current.details, from: 0, n: 100 }, signal);
        apply(rows);
        if (first) {
          view.reset(rows.count);
          if (rows.rows.length > 0) view.put(0, rows.rows);
        } else view.setTotal(rows.count);
        if (view.activeIndex >= 0) wanted = null;
        if (wanted !== null && (wanted < rows.count || exact)) {
          view.select(wanted, wanted > 0);
          // Back from a game, or by a link to a row: the keys go on from there.
          if (wanted > 0 && document.activeElement === document.body) view.element.focus({ preventScroll: true });
          wanted = null;
        }
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

  useEffect(() => {
    markQuery(error instanceof ApiError && error.problem.column !== undefined);
    return () => markQuery(false);
  }, [error]);

  const keys = sort.split(",").filter((key) => key !== "");
  const setSort = (id: string, adds: boolean) => {
    const old = keys.find((key) => key.replace("-", "") === id);
    const next = old === id ? `-${id}` : old ? "" : id;
    const others = adds ? keys.filter((key) => key.replace("-", "") !== id) : [];
    go(listHref(ids, where, [...others, next].filter((key) => key !== "").join(","), deleted));
  };
  const template = templateOf(shown, layout, state?.total ?? 0);
  useLayoutEffect(() => {
    host.current?.style.setProperty("--columns", template);
  }, [template]);
  const known = useRef(details);
  useLayoutEffect(() => {
    // What was loaded lacks a column.
    if (details.split(",").some((id) => !known.current.includes(id))) list.current?.reset(state?.count ?? 0);
    known.current = details;
  }, [details]);
  useLayoutEffect(() => list.current?.redraw(), [shown.map((column) => column.id).join(), selection.games]);
  const terms = termsOf(where);
  const actions = (
    <>
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
    </>
  );

  // Without a list there is nothing that its buttons could work on; what was typed can be corrected.
  if (error !== null && state === null && !(error instanceof ApiError && error.problem.column !== undefined)) {
    return <DeadEnd error={error} name={ids.join(", ")} />;
  }
  return (
    <>
      <h1 class="visually-hidden">{ids.join(", ")}</h1>
      <div class="toolbar">
        <p class="found" role="status">
          {state && <FoundText state={state} hasTexts={where === ""} />}
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
        {rank === 0 && (
          // A narrow window has no names of columns to click.
          <select
            class="order"
            aria-label={t("shelf.order")}
            value={keys[0] ?? "game"}
            onChange={(event) => go(listHref(ids, where, event.currentTarget.value, deleted))}
          >
            {columns()
              .filter(({ id }) => state?.sortable.includes(id))
              .flatMap((column) =>
                (["games.sortUp", "games.sortDown"] as const).map((text, index) => (
                  <option value={["", "-"][index] + column.id} aria-label={t(text, { column: columnLabel(column) })}>
                    {"▴▾"[index]} {columnLabel(column)}
                  </option>
                )),
              )}
          </select>
        )}
        {rank > 0 && actions}
        <details class="menu">
          <summary class="button">{t("card.more")}</summary>
          <div class="menu-body">
            {rank === 0 && actions}
            <button type="button" disabled={!state?.isExact} onClick={() => void saveList(request, columns(), state?.count ?? 0)}>
              {t("save.csv")}
            </button>
            <button type="button" onClick={() => copyCommand(ids, (inputs) => commandOf(inputs, where, deleted, keys))}>
              {t("copy.command")}
            </button>
            {rank > 0 && <ColumnMenu all={all} shown={shown} canHide={canHide} layout={layout} />}
          </div>
        </details>
      </div>
      {terms.length > 0 && (
        <ul class="chips" aria-label={t("games.terms")}>
          {terms.map((term, index) => (
            <li class="chip">
              <bdi>{term}</bdi>
              <a
                href={listHref(ids, terms.filter((_, other) => other !== index).join(" "), sort, deleted)}
                aria-label={t("explorer.remove", { name: term })}
                title={t("explorer.remove", { name: term })}
              >
                ✕
              </a>
            </li>
          ))}
        </ul>
      )}
      {state?.unread && (
        <p class="problem unread" role="note">
          {t("games.unread", { n: state.unread.count })}
          {state.unread.first.map(({ db, game, text }) => (
            <>
              {" "}
              <a href={gameHref(db, game)} title={text}>
                {t("convert.game", { n: game })}
              </a>
            </>
          ))}
          {state.unread.count > state.unread.first.length && " …"}
        </p>
      )}
      {error !== null && <ErrorBox error={error} />}
      <div class={selection.games.size > 0 ? "split picking" : "split"}>
        <div class="list-box" ref={host}>
          <ColumnHeader all={all} shown={shown} layout={layout} keys={keys} sortable={state?.sortable ?? []} onSort={setSort} />
          {state === null && error === null && <Spinner />}
          {state?.count === 0 && state.isExact && <NoMatch ids={ids} where={where} />}
        </div>
        <aside class="preview" aria-label={t("preview")}>
          {active && <Preview row={active.row} request={request} />}
        </aside>
      </div>
      {menu && (
        <RowMenu
          menu={menu}
          href={openHref(menu.row, request)}
          where={where}
          onClose={() => {
            setMenu(null);
            list.current?.element.focus({ preventScroll: true });
          }}
        />
      )}
      {selection.games.size > 0 && <Later load={selectionBar} selection={selection} />}
    </>
  );
}

/** The rows of a list from one to another, at most as many as one answer has. */
async function rowsBetween(request: Record<string, string | boolean>, first: number, last: number, signal: AbortSignal): Promise<Row[]> {
  const { rows } = await get<Rows>("games", { ...request, from: first, n: Math.min(500, last - first + 1) }, signal);
  return rows;
}

/** The command that prints the list. */
function commandOf(inputs: string[], where: string, deleted: boolean, keys: string[]): string {
  const options = [where && `--where ${quoted(where)}`, deleted && "--include-deleted", keys[0] && `--sort=${keys}`, "--csv"];
  return ["tabia ls", ...inputs, ...options.filter((option) => option)].join(" ");
}

/** Rows of a list that are saved at most; the command has no limit. */
const MAX_SAVED = 100_000;

/** Saves the rows of the list, in its order, with all columns. */
async function saveList(request: Record<string, string | boolean>, all: Column[], count: number): Promise<void> {
  const lines = [all.map(columnLabel)];
  try {
    for (let from = 0; from < Math.min(count, MAX_SAVED); from += 500) {
      const { rows } = await get<Rows>("games", { ...request, details: DETAILS.join(), from, n: 500 });
      if (rows.length === 0) break;
      lines.push(...rows.map((row) => all.map((column) => (column.id === "game" ? String(row[1]) : column.text(row)))));
    }
  } catch (error) {
    announceError(error);
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
    announceError(error);
  }
}

/** Guiding texts are no games; only a list without a query has them. */
function FoundText({ state, hasTexts }: { state: ListState; hasTexts: boolean }) {
  const total = state.total - state.texts;
  const texts = hasTexts ? state.texts : 0;
  const n = Math.max(0, state.count - texts);
  const games = !state.isExact ? t("games.atLeast", { n, total }) : n === total ? tn("n.games", n) : t("games.found", { n, total });
  return <>{texts > 0 ? `${games}, ${tn("n.texts", texts)}` : games}</>;
}

/** The texts of the cells of a row element, which are kept when it shows another row. */
const cellsOf = new WeakMap<HTMLElement, { ids: string[]; texts: Text[] }>();

function makeCells(element: HTMLElement, shown: Column[]): Text[] {
  const known = cellsOf.get(element);
  if (known?.ids.length === shown.length && shown.every((column, index) => column.id === known.ids[index])) return known.texts;
  const cellOf = (name: string) => {
    const cell = document.createElement("span");
    cell.setAttribute("role", "gridcell");
    cell.className = `cell ${name}`;
    return cell;
  };
  // The state is that of the row; the mark is for the eye and the pointer, and would begin the name of each row.
  const pick = cellOf("pick");
  pick.title = t("games.select");
  pick.ariaHidden = "true";
  const texts = shown.map(() => document.createTextNode(""));
  const cells = shown.map((column, index) => {
    const cell = cellOf(`c-${column.id}${column.isNumber ? " n" : ""}`);
    const text = document.createElement("bdi");
    text.append(texts[index] as Text);
    cell.append(text);
    return cell;
  });
  // For the pointer and the finger; the keyboard has its own key.
  const menu = cellOf("row-menu");
  menu.title = t("card.more");
  menu.ariaHidden = "true";
  menu.textContent = "⋮";
  element.replaceChildren(pick, ...cells, menu);
  cellsOf.set(element, { ids: shown.map((column) => column.id), texts });
  return texts;
}

function renderRow(element: HTMLElement, row: Row | null, shown: Column[]): void {
  const texts = makeCells(element, shown);
  element.className =
    row === null ? "row skeleton" : `row${row[14].includes("D") ? " deleted" : ""}${row[15] !== null ? " broken" : ""}`;
  for (const [index, column] of shown.entries()) {
    const text = row === null ? "" : column.id === "white" && row[15] !== null ? row[15] : column.text(row);
    const node = texts[index];
    if (node && node.data !== text) node.data = text;
    const cell = column.note && node?.parentElement?.parentElement;
    if (cell) cell.title = row === null ? "" : (column.note?.(row) ?? "");
  }
}

/** What of the query leaves nothing over. */
function NoMatch({ ids, where }: { ids: string[]; where: string }) {
  const [hints, setHints] = useState<{ query: string; without: string; count: number }[]>([]);
  const parts = termsOf(where);
  useEffect(() => {
    if (parts.length < 2 || parts.length > 6) return;
    const controller = new AbortController();
    const run = async () => {
      for (const [index, part] of parts.entries()) {
        const query = parts.filter((_, other) => other !== index).join(" ");
        try {
          let rows: Rows;
          do rows = await get<Rows>("games", { db: ids.join(","), where: query, n: 500 }, controller.signal);
          while (!rows.isDone);
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
  const [found, setFound] = useState<Shown | null>(null);
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
      shownGame(row, request.where, controller.signal).then(
        (found) => {
          previewed.game = found.game;
          setFound(found);
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
      pieces: placementAt(found.tree, found.shown).board,
      last: moveSquares(found.tree.nodes[found.shown]?.uci ?? ""),
    };
    board.current?.set({ pieces, isFlipped: false, lastMove: last, shapes: [], legal: null });
  }, [found]);
  const href = openHref(row, request);
  const isFound = found !== null && found.game.game === row[1] && found.game.db === row[0];
  return (
    <>
      {/* A text has no position. */}
      <div class="small-board" ref={host} hidden={row[6] === null} />
      <h2>
        <a href={href}>
          <bdi>{row[2] ?? "?"}</bdi>
          {row[6] !== null && (
            <>
              {" – "}
              <bdi>{row[4] ?? "?"}</bdi> <span class="score">{result(row[6])}</span>
            </>
          )}
        </a>
      </h2>
      <p class="sub">
        <bdi>{[row[9], row[10], date(row[12])].filter((part) => part).join(", ")}</bdi>
      </p>
      {isFound && row[6] !== null && <MoveLine tree={found.tree} to={found.node} />}
      {isFound && row[6] === null && textsOf(found.game).slice(0, 1).map((text) => (
        <p class="excerpt" lang={languageCode(text.language)}>
          <bdi>{excerpt(text)}</bdi>
        </p>
      ))}
      <p class="actions">
        <a href={href}>{t("open")}</a>
        {found && row[6] !== null && (
          <>
            <a href={explorerOf(found)}>{t("card.explore")}</a>
            <button type="button" onClick={() => copyFen(found)}>
              {t("copy.fen")}
            </button>
            {!found.asks && (
              <button type="button" onClick={() => copyPgn(found)}>
                {t("copy.game")}
              </button>
            )}
          </>
        )}
      </p>
    </>
  );
}
