// The columns of the list of games: which there are, their order, their widths, and the header and menu that change them.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Row } from "./api.ts";
import { medalNames } from "./medals.ts";
import { number, resultText, t } from "./translations.ts";

export interface Column {
  id: string;
  name: string;
  width: string;
  /** Hidden in narrower windows, from 1; unless chosen, in all from `ON_REQUEST`. */
  rank: number;
  text: (row: Row) => string;
  isNumber?: boolean;
  /** What the pointer on the cell shows. */
  note?: (row: Row) => string;
}

const ON_REQUEST = 4;

/** Whether a game has moves that are not read, as those of other variants of chess; a text has none. */
const areUnread = (row: Row) => row[7] === null && row[6] !== null && row[15] === null;

/** The columns that are read from the games, which are asked for only where they are shown. */
export const DETAILS = ["opening", "medals"];

export const columns = (): Column[] => [
  { id: "game", name: "#", width: "", rank: 1, text: (row) => number(row[1]), isNumber: true },
  { id: "white", name: t("col.white"), width: "minmax(8.5em, 2.1fr)", rank: 0, text: (row) => row[2] ?? "" },
  { id: "whiteElo", name: t("col.elo"), width: "3.2em", rank: 1, text: (row) => String(row[3] ?? ""), isNumber: true },
  { id: "black", name: t("col.black"), width: "minmax(8.5em, 2.1fr)", rank: 0, text: (row) => row[4] ?? "" },
  { id: "blackElo", name: t("col.elo"), width: "3.2em", rank: 1, text: (row) => String(row[5] ?? ""), isNumber: true },
  { id: "result", name: t("col.result"), width: "4.3em", rank: 0, text: (row) => result(row[6]) },
  { id: "moves", name: t("col.moves"), width: "3.2em", rank: 2, text: (row) => (areUnread(row) ? "–" : String(row[7] ?? "")), isNumber: true, note: (row) => (areUnread(row) ? t("games.notPlayed") : "") },
  { id: "eco", name: "ECO", width: "3em", rank: 1, text: (row) => row[8] ?? "" },
  { id: "opening", name: t("col.opening"), width: "minmax(5em, 1.3fr)", rank: 3, text: (row) => row[16] ?? "" },
  { id: "event", name: t("col.event"), width: "minmax(5em, 1.4fr)", rank: 2, text: (row) => row[9] ?? "" },
  { id: "site", name: t("col.site"), width: "minmax(4em, 1fr)", rank: 3, text: (row) => row[10] ?? "" },
  { id: "round", name: t("col.round"), width: "3.2em", rank: 3, text: (row) => row[11] ?? "" },
  { id: "date", name: t("col.date"), width: "6em", rank: 1, text: (row) => date(row[12]) },
  { id: "annotator", name: t("col.annotator"), width: "minmax(5.6em, 0.8fr)", rank: 3, text: (row) => row[13] ?? "" },
  { id: "flags", name: "VCS", width: "3.2em", rank: 2, text: (row) => row[14].replace("D", "") },
  { id: "medals", name: t("medals"), width: "minmax(5em, 0.9fr)", rank: ON_REQUEST, text: (row) => medalNames(row[17] ?? 0).join(", ") },
  { id: "db", name: t("col.database"), width: "minmax(5em, 0.9fr)", rank: 2, text: (row) => row[0] },
];

export const result = (text: string | null) => (text === null ? "" : resultText(text));
export const date = (text: string | null) => (text ?? "").replace(/(\.\?\?)+$/, "");

export const columnLabel = (column: Column) =>
  `${column.name}${column.id === "whiteElo" ? ` ${t("col.white")}` : column.id === "blackElo" ? ` ${t("col.black")}` : ""}`;

/** What the reader has changed, kept in the browser. */
interface Layout {
  /** Ids in their order; columns that are not in it keep their usual neighbour. */
  order: string[];
  /** Widths in pixels. */
  widths: Record<string, number>;
  hidden: string[];
  /** Columns that are shown though the window is narrow for them. */
  chosen: string[];
}

const KEY = "tabia.columns";
const [MIN_WIDTH, MAX_WIDTH] = [28, 800];
const EMPTY: Layout = { order: [], widths: {}, hidden: [], chosen: [] };

function read(): Layout {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Layout> | null;
    return { ...EMPTY, ...stored };
  } catch {
    return EMPTY;
  }
}

export interface ColumnLayout extends Layout {
  /** The columns in their order. */
  sort: (all: Column[]) => Column[];
  /** Whether a column is shown where there is space for those up to a rank. */
  shows: (column: Column, rank: number) => boolean;
  show: (id: string, isShown: boolean) => void;
  /** Moves a column before or after another one. */
  move: (all: Column[], id: string, to: string) => void;
  setWidth: (id: string, pixels: number, isKept?: boolean) => void;
  reset: () => void;
}

export function useColumnLayout(): ColumnLayout {
  const [layout, set] = useState(read);
  const store = (changes: Partial<Layout>, isKept = true) => {
    set((old) => {
      const next = { ...old, ...changes };
      if (isKept) localStorage.setItem(KEY, JSON.stringify(next));
      return next;
    });
  };
  const sort = (all: Column[]) => {
    const rank = (column: Column, index: number): number => {
      const found = layout.order.indexOf(column.id);
      // A new column comes after the one that it usually follows.
      return found >= 0 ? found : index === 0 ? -1 : rank(all[index - 1] as Column, index - 1) + 0.01;
    };
    const ranks = new Map(all.map((column, index) => [column.id, rank(column, index)]));
    return all.slice().sort((a, b) => (ranks.get(a.id) ?? 0) - (ranks.get(b.id) ?? 0));
  };
  return {
    ...layout,
    sort,
    shows: (column, rank) => layout.chosen.includes(column.id) || (column.rank <= rank && !layout.hidden.includes(column.id)),
    show: (id, isShown) => {
      const [hidden, chosen] = [layout.hidden, layout.chosen].map((ids) => ids.filter((other) => other !== id)) as [string[], string[]];
      store(isShown ? { hidden, chosen: [...chosen, id] } : { hidden: [...hidden, id], chosen });
    },
    move: (all, id, to) => {
      const ids = sort(all).map((column) => column.id);
      const [from, target] = [ids.indexOf(id), ids.indexOf(to)];
      if (from < 0 || target < 0 || from === target) return;
      ids.splice(from, 1);
      ids.splice(target, 0, id);
      store({ order: ids });
    },
    setWidth: (id, pixels, isKept = true) =>
      store({ widths: { ...layout.widths, [id]: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, pixels))) } }, isKept),
    reset: () => store(EMPTY),
  };
}

/** The widths of the columns for CSS, the one of the marks of selected rows first, that of the menus last. */
export function templateOf(shown: Column[], layout: ColumnLayout, games: number): string {
  // As wide as the last number, whose separators are half as wide as digits.
  const numbers = `${Math.max(5, String(games).length + 1)}ch`;
  // With more columns than fit the others become narrower than they would like to be.
  const isTight = shown.some((column) => column.id === "db" || layout.chosen.includes(column.id));
  const usual = (width: string) => (isTight ? width.replace(/minmax\([\d.]+em/, "minmax(3em") : width);
  return ["22px", ...shown.map((column) => (layout.widths[column.id] === undefined ? (column.id === "game" ? numbers : usual(column.width)) : `${layout.widths[column.id]}px`)), "24px"].join(" ");
}

interface HeaderProps {
  all: Column[];
  shown: Column[];
  layout: ColumnLayout;
  /** `-` before those that descend. */
  keys: string[];
  sortable: string[];
  onSort: (id: string, adds: boolean) => void;
}

const STEP = 12;

/** The id of the header, which is the first row of the list for screen readers. */
export const HEADER = "list-header";

/** The names of the columns: a click sorts, dragging a name moves its column, dragging its edge changes the width. */
export function ColumnHeader(props: HeaderProps) {
  const { all, shown, layout, keys } = props;
  const [dragged, drag] = useState<string | null>(null);
  const host = useRef<HTMLDivElement>(null);
  const focus = useRef<string | null>(null);
  useLayoutEffect(() => {
    // A moved element loses the focus.
    if (focus.current !== null) host.current?.querySelector<HTMLElement>(`.c-${focus.current} button`)?.focus();
    focus.current = null;
  });
  const widthOf = (id: string) => host.current?.querySelector<HTMLElement>(`.c-${id}`)?.offsetWidth ?? 0;
  const neighbour = (id: string, step: number) => shown[shown.findIndex((column) => column.id === id) + step]?.id;
  const onKeyDown = (event: KeyboardEvent, id: string) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step !== 0 && event.shiftKey) {
      const to = neighbour(id, step);
      focus.current = id;
      if (to) layout.move(all, id, to);
    } else if (event.key === "+" || event.key === "-") layout.setWidth(id, widthOf(id) + (event.key === "+" ? STEP : -STEP));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const resize = (event: PointerEvent, id: string) => {
    const edge = event.currentTarget as HTMLElement;
    const [start, width] = [event.clientX, widthOf(id)];
    edge.setPointerCapture(event.pointerId);
    edge.onpointermove = (moved) => layout.setWidth(id, width + moved.clientX - start, false);
    edge.onpointerup = (moved) => {
      edge.onpointermove = null;
      edge.onpointerup = null;
      layout.setWidth(id, width + moved.clientX - start);
    };
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="row header" id={HEADER} role="row" aria-rowindex={1} ref={host}>
      <span class="cell" />
      {shown.map((column) => {
        const key = keys.find((key) => key.replace("-", "") === column.id);
        const label = columnLabel(column);
        return (
          <span
            key={column.id}
            class={`cell c-${column.id}${column.isNumber ? " n" : ""}${dragged === column.id ? " dragged" : ""}`}
            role="columnheader"
            aria-label={label}
            aria-sort={key ? (key.startsWith("-") ? "descending" : "ascending") : undefined}
            draggable
            onDragStart={(event) => {
              event.dataTransfer?.setData("text/plain", label);
              drag(column.id);
            }}
            onDragOver={(event) => {
              if (dragged !== null) event.preventDefault();
            }}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== null) layout.move(all, dragged, column.id);
              drag(null);
            }}
            onDragEnd={() => drag(null)}
          >
            {props.sortable.includes(column.id) ? (
              <button
                type="button"
                title={t("columns.keys")}
                aria-label={t(key?.startsWith("-") ? "games.sortNone" : key ? "games.sortDown" : "games.sortUp", { column: label })}
                onClick={(event) => props.onSort(column.id, event.shiftKey)}
                onKeyDown={(event) => onKeyDown(event, column.id)}
              >
                {column.name}
                <span aria-hidden="true">{key ? (key.startsWith("-") ? " ▾" : " ▴") : ""}</span>
              </button>
            ) : (
              column.name
            )}
            <span class="edge" aria-hidden="true" draggable={false} onPointerDown={(event) => resize(event, column.id)} />
          </span>
        );
      })}
    </div>
  );
}

/** The same without dragging: which columns are shown, in which order, and how wide. */
export function ColumnMenu(props: { all: Column[]; shown: Column[]; canHide: (column: Column) => boolean; layout: ColumnLayout }) {
  const { all, layout } = props;
  const sorted = layout.sort(all);
  const widthOf = (id: string) => document.querySelector<HTMLElement>(`.row.header .c-${id}`)?.offsetWidth ?? 60;
  return (
    <fieldset class="columns">
      <legend>{t("games.columns")}</legend>
      {sorted.map((column, index) => {
        const label = columnLabel(column);
        const button = (sign: string, name: string, act: (() => void) | null) => (
          <button type="button" class="icon" aria-label={name} title={name} disabled={act === null} onClick={() => act?.()}>
            {sign}
          </button>
        );
        const [before, after] = [sorted[index - 1], sorted[index + 1]];
        const isShown = props.shown.includes(column);
        return (
          <div key={column.id} role="group" aria-label={label}>
            <label class="check">
              <input
                type="checkbox"
                disabled={!props.canHide(column)}
                checked={isShown}
                onChange={() => layout.show(column.id, !isShown)}
              />{" "}
              {label}
            </label>
            {button("▴", t("columns.earlier", { column: label }), before ? () => layout.move(all, column.id, before.id) : null)}
            {button("▾", t("columns.later", { column: label }), after ? () => layout.move(all, column.id, after.id) : null)}
            {button("−", t("columns.narrower", { column: label }), isShown ? () => layout.setWidth(column.id, widthOf(column.id) - STEP) : null)}
            {button("+", t("columns.wider", { column: label }), isShown ? () => layout.setWidth(column.id, widthOf(column.id) + STEP) : null)}
          </div>
        );
      })}
      <button type="button" onClick={layout.reset}>
        {t("columns.reset")}
      </button>
    </fieldset>
  );
}
