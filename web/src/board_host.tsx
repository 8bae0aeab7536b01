// The board as a component.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { PositionAnswer } from "./api.ts";
import { BoardView } from "./board.ts";
import { type Placement, moveSquares, parseFen } from "./chess.ts";
import { useSettings } from "./settings.ts";
import type { Annotation } from "./game_tree.ts";
import { t } from "./translations.ts";

/** The board that is shown, on which tables of moves draw arrows. */
let shown: BoardView | null = null;

const pointAt = (row: Element | null | undefined) => shown?.point(moveSquares((row as HTMLElement | null | undefined)?.dataset["uci"] ?? ""));
const pointFrom = (event: Event) => pointAt((event.target as Element).closest("[data-uci]"));
const pointAway = () => pointAt(null);

/** For the body of a table of moves: the move of the row with the pointer or the focus is an arrow on the board. */
export function usePointing(rows: unknown) {
  const ref = useRef<HTMLTableSectionElement>(null);
  // The rows can become those of other moves while pointer and focus stay where they are.
  useEffect(() => {
    const { current } = ref;
    pointAt(current?.querySelector("[data-uci]:focus-within") ?? current?.querySelector("[data-uci]:hover"));
    return pointAway;
  }, [rows]);
  return { ref, onMouseOver: pointFrom, onMouseLeave: pointAway, onFocusIn: pointFrom, onFocusOut: pointAway };
}

/** The board as a part of the page. */
export function BoardHost(props: {
  placement: Placement;
  isFlipped: boolean;
  lastUci: string;
  shapes: Annotation[];
  position: PositionAnswer | null;
  onMove: (uci: string) => void;
  onWheel?: (down: boolean) => void;
  /** Whether there is a move back, and a next one. */
  steps?: [boolean, boolean];
}) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<BoardView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const { language } = useSettings();
  useLayoutEffect(() => {
    const board = new BoardView(t("board"), (uci) => latest.current.onMove(uci));
    view.current = shown = board;
    const { element } = board;
    let moved = 0;
    element.addEventListener(
      "wheel",
      (event) => {
        const { onWheel, steps } = latest.current;
        // Without a move in its direction the wheel scrolls the page.
        if (!onWheel || event.ctrlKey || !steps?.[event.deltaY > 0 ? 1 : 0]) return;
        event.preventDefault();
        moved += event.deltaY;
        if (Math.abs(moved) < 40) return;
        onWheel(moved > 0);
        moved = 0;
      },
      { passive: false },
    );
    host.current?.replaceChildren(element);
    return () => {
      if (shown === board) shown = null;
    };
  }, [language]);
  const { placement, isFlipped, lastUci, shapes, position } = props;
  useLayoutEffect(() => {
    const isCurrent = position !== null && parseFen(position.fen).board.join() === placement.board.join();
    const king = placement.board.indexOf(placement.whiteToMove ? "K" : "k");
    view.current?.set({
      pieces: placement.board,
      isFlipped,
      lastMove: moveSquares(lastUci),
      shapes,
      legal: isCurrent ? position.legal.map((move) => move.uci) : null,
      check: isCurrent && position.check ? king : null,
    });
  }, [placement, isFlipped, lastUci, shapes.length, shapes[0], position, language]);
  return <div class="board-host" ref={host} />;
}
