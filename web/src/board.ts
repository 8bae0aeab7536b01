// The board: 64 cells of a grid that a keyboard and a screen reader can use, with pieces and arrows as SVG.

import { type Board as Pieces, squareIndex, squareName } from "./chess.ts";
import { pieceSvg } from "./pieces.ts";
import type { Annotation } from "./game_tree.ts";
import { pieceName, t } from "./translations.ts";

const SVG = "http://www.w3.org/2000/svg";

export interface BoardState {
  pieces: Pieces;
  isFlipped: boolean;
  lastMove: [number, number] | null;
  shapes: Annotation[];
  /** Legal moves in UCI notation; null while they are not known, and then pieces do not move. */
  legal: string[] | null;
  /** The square of a king in check. */
  check?: number | null;
}

const COLORS: Record<string, string> = {
  green: "g", red: "r", yellow: "y", blue: "b", orange: "o", magenta: "m", purple: "m", cyan: "c",
  white: "w", black: "k", darkBlue: "b",
};

export class BoardView {
  readonly element: HTMLElement;
  readonly #cells: HTMLElement[] = [];
  readonly #grid: HTMLElement;
  readonly #overlay: SVGSVGElement;
  #state: BoardState | null = null;
  #focused = 4;
  #picked: number | null = null;
  #drawn: { from: number; to: number; color: string }[] = [];
  #pointed: [number, number] | null = null;
  #drawFrom: { square: number; color: string } | null = null;
  #dragged: { square: number; ghost: HTMLElement; moved: boolean } | null = null;
  readonly #onMove: ((uci: string) => void) | undefined;

  constructor(label: string, onMove?: (uci: string) => void) {
    this.#onMove = onMove;
    this.element = document.createElement("div");
    this.element.className = "board";
    this.#grid = document.createElement("div");
    this.#grid.className = "squares";
    this.#grid.setAttribute("role", "grid");
    this.#grid.setAttribute("aria-label", label);
    for (let row = 0; row < 8; row++) {
      const line = document.createElement("div");
      line.setAttribute("role", "row");
      for (let column = 0; column < 8; column++) {
        const cell = document.createElement("div");
        cell.setAttribute("role", "gridcell");
        cell.tabIndex = -1;
        line.append(cell);
        this.#cells.push(cell);
      }
      this.#grid.append(line);
    }
    this.#overlay = document.createElementNS(SVG, "svg");
    this.#overlay.setAttribute("class", "marks");
    this.#overlay.setAttribute("viewBox", "0 0 8 8");
    this.#overlay.setAttribute("aria-hidden", "true");
    this.element.append(this.#grid, this.#overlay);
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
    this.#grid.addEventListener("focusin", (event) => {
      const index = this.#cells.indexOf(event.target as HTMLElement);
      if (index >= 0) this.#focused = this.#square(index);
      this.#setTabStop();
    });
    this.element.addEventListener("pointerdown", (event) => this.#down(event));
    this.element.addEventListener("pointermove", (event) => this.#move(event));
    this.element.addEventListener("pointerup", (event) => this.#up(event));
    this.element.addEventListener("pointercancel", () => this.#endDrag());
    // The pointer does not take the focus, so that the arrow keys still step through the game.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** The square shown by a cell; its own inverse. */
  #square(index: number): number {
    const isFlipped = this.#state?.isFlipped ?? false;
    const row = index >> 3;
    const column = index & 7;
    return isFlipped ? row * 8 + (7 - column) : (7 - row) * 8 + column;
  }

  #cellOf(square: number): HTMLElement | undefined {
    const isFlipped = this.#state?.isFlipped ?? false;
    const row = isFlipped ? square >> 3 : 7 - (square >> 3);
    const column = isFlipped ? 7 - (square & 7) : square & 7;
    return this.#cells[row * 8 + column];
  }

  set(state: BoardState): void {
    const before = this.#state;
    this.#state = state;
    this.#grid.setAttribute("aria-readonly", String(state.legal === null));
    if (before?.pieces !== state.pieces) {
      this.#picked = null;
      this.#drawn = [];
      this.#pointed = null;
      this.#endDrag();
      this.element.querySelector(".promotion")?.remove();
    }
    this.#cells.forEach((cell, index) => {
      const square = this.#square(index);
      const piece = state.pieces[square] ?? null;
      const name = squareName(square);
      const isDark = ((square >> 3) + (square & 7)) % 2 === 0;
      const classes = [isDark ? "dark" : "light"];
      if (state.lastMove?.includes(square)) classes.push("last");
      if (state.check === square) classes.push("check");
      if (this.#picked === square) classes.push("picked");
      if (this.#picked !== null && this.#moves(this.#picked).includes(square)) classes.push("target");
      for (const shape of state.shapes) {
        if (shape.type === "square" && shape["square"] === name) {
          classes.push(`filled-${COLORS[String(shape["color"])] ?? "g"}`);
        }
      }
      cell.className = classes.join(" ");
      const words = piece
        ? t(piece < "a" ? "board.white" : "board.black", { piece: pieceName(piece) })
        : t("board.empty");
      cell.setAttribute("aria-label", `${name}, ${words}`);
      cell.dataset["square"] = name;
      if (cell.dataset["piece"] !== (piece ?? "")) {
        cell.dataset["piece"] = piece ?? "";
        cell.replaceChildren(...(piece ? [pieceSvg(piece)] : []));
      }
      const file = index >> 3 === 7 ? (name[0] ?? "") : "";
      const rank = (index & 7) === 0 ? (name[1] ?? "") : "";
      cell.dataset["file"] = file;
      cell.dataset["rank"] = rank;
    });
    this.#setTabStop();
    this.#drawMarks();
  }

  /** Draws the arrow of a move that is only looked at; null removes it. */
  point(squares: [number, number] | null): void {
    this.#pointed = squares;
    this.#drawMarks();
  }

  #setTabStop(): void {
    for (const cell of this.#cells) cell.tabIndex = -1;
    const cell = this.#cellOf(this.#focused);
    if (cell) cell.tabIndex = 0;
  }

  #moves(from: number): number[] {
    const name = squareName(from);
    const legal = this.#state?.legal ?? [];
    return legal.filter((uci) => uci.startsWith(name)).map((uci) => squareIndex(uci.slice(2, 4)));
  }

  #tryMove(from: number, to: number): boolean {
    const text = squareName(from) + squareName(to);
    const [uci, ...others] = (this.#state?.legal ?? []).filter((uci) => uci.startsWith(text));
    if (!uci || !this.#onMove) return false;
    this.#picked = null;
    if (others.length > 0) this.#askPiece(to, [uci, ...others]);
    else this.#onMove(uci);
    return true;
  }

  /** Asks what a pawn becomes, at the edge where it arrives. */
  #askPiece(to: number, moves: string[]): void {
    const box = document.createElement("div");
    box.className = "promotion";
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `${squareName(to)} ${t("say.becomes")}`);
    const [x, y] = this.#center(to);
    box.style.left = `${(x - 0.5) * 12.5}%`;
    box.style[y < 4 ? "top" : "bottom"] = "0";
    // The queen is on the square of the pawn.
    box.style.flexDirection = y < 4 ? "column" : "column-reverse";
    const before = document.activeElement as HTMLElement | null;
    const close = () => {
      box.remove();
      before?.focus();
      if (this.#state) this.set(this.#state);
    };
    for (const kind of "qrbn") {
      const uci = moves.find((move) => move.endsWith(kind));
      if (!uci) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.ariaLabel = pieceName(kind);
      button.append(pieceSvg(to > 31 ? kind.toUpperCase() : kind));
      button.onclick = () => {
        close();
        this.#onMove?.(uci);
      };
      box.append(button);
    }
    box.onkeydown = (event) => {
      if (event.key === "Escape") close();
      // Other keys would step through the game.
      event.stopPropagation();
    };
    box.onpointerdown = (event) => event.stopPropagation();
    box.addEventListener("focusout", (event) => {
      // It is also sent while the box is removed, which must not begin again.
      if (!box.contains(event.relatedTarget as Node | null)) queueMicrotask(() => box.remove());
    });
    this.element.append(box);
    box.querySelector("button")?.focus();
  }

  #pick(square: number): void {
    if (!this.#state || !this.#onMove) return;
    if (this.#picked !== null && this.#picked !== square && this.#tryMove(this.#picked, square)) return;
    const canMove = this.#moves(square).length > 0;
    this.#picked = this.#picked === square || !canMove ? null : square;
    this.set(this.#state);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const index = this.#cells.indexOf(event.target as HTMLElement);
    if (index < 0) return;
    const steps: Record<string, [number, number]> = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
    };
    const step = steps[event.key];
    if (step) {
      const row = (index >> 3) + step[0];
      const column = (index & 7) + step[1];
      if (row >= 0 && row < 8 && column >= 0 && column < 8) this.#cells[row * 8 + column]?.focus();
    } else if (event.key === "Home") this.#cells[index & 56]?.focus();
    else if (event.key === "End") this.#cells[index | 7]?.focus();
    else if (event.key === "Enter") this.#pick(this.#square(index));
    else if (event.key === "Escape" && this.#picked !== null) this.#pick(this.#picked);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #squareAt(event: PointerEvent): number | null {
    const box = this.#grid.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * 8);
    const row = Math.floor(((event.clientY - box.top) / box.height) * 8);
    return row >= 0 && row < 8 && column >= 0 && column < 8 ? this.#square(row * 8 + column) : null;
  }

  #down(event: PointerEvent): void {
    const square = this.#squareAt(event);
    if (square === null || !this.#state) return;
    if (event.button === 2) {
      const color = event.shiftKey && event.altKey ? "y" : event.shiftKey ? "r" : event.altKey ? "b" : "g";
      this.#drawFrom = { square, color };
      return;
    }
    if (event.button !== 0) return;
    if (this.#drawn.length > 0) {
      this.#drawn = [];
      this.#drawMarks();
    }
    const piece = this.#state.pieces[square];
    if (piece && this.#picked === null && this.#onMove && this.#moves(square).length > 0) {
      const ghost = document.createElement("div");
      ghost.className = "ghost";
      ghost.append(pieceSvg(piece));
      this.#dragged = { square, ghost, moved: false };
      this.element.setPointerCapture(event.pointerId);
    }
    this.#pick(square);
  }

  #move(event: PointerEvent): void {
    const dragged = this.#dragged;
    if (!dragged) return;
    const box = this.#grid.getBoundingClientRect();
    if (!dragged.moved) {
      dragged.moved = true;
      this.element.append(dragged.ghost);
      this.#cellOf(dragged.square)?.classList.add("lifted");
    }
    dragged.ghost.style.left = `${event.clientX - box.left - box.width / 16}px`;
    dragged.ghost.style.top = `${event.clientY - box.top - box.height / 16}px`;
  }

  #up(event: PointerEvent): void {
    const square = this.#squareAt(event);
    if (event.button === 2 && this.#drawFrom && square !== null) {
      const { square: from, color } = this.#drawFrom;
      const same = this.#drawn.findIndex((mark) => mark.from === from && mark.to === square);
      if (same >= 0) this.#drawn.splice(same, 1);
      else this.#drawn.push({ from, to: square, color });
      this.#drawMarks();
    }
    this.#drawFrom = null;
    const dragged = this.#dragged;
    this.#endDrag();
    if (dragged?.moved && square !== null && square !== dragged.square) this.#tryMove(dragged.square, square);
  }

  #endDrag(): void {
    this.#dragged?.ghost.remove();
    if (this.#dragged) this.#cellOf(this.#dragged.square)?.classList.remove("lifted");
    this.#dragged = null;
  }

  #center(square: number): [number, number] {
    const isFlipped = this.#state?.isFlipped ?? false;
    const column = isFlipped ? 7 - (square & 7) : square & 7;
    const row = isFlipped ? square >> 3 : 7 - (square >> 3);
    return [column + 0.5, row + 0.5];
  }

  #drawMarks(): void {
    const marks: SVGElement[] = [];
    for (const shape of this.#state?.shapes ?? []) {
      const color = COLORS[String(shape["color"])] ?? "g";
      if (shape.type === "arrow") {
        marks.push(this.#arrow(squareIndex(String(shape["from"])), squareIndex(String(shape["to"])), color));
      } else if (["circle", "disk", "frame", "letter"].includes(shape.type)) {
        marks.push(this.#spot(shape.type, squareIndex(String(shape["square"])), color, String(shape["letter"] ?? "")));
      }
    }
    for (const { from, to, color } of this.#drawn) {
      marks.push(from === to ? this.#spot("circle", from, color, "") : this.#arrow(from, to, color));
    }
    if (this.#pointed) marks.push(this.#arrow(...this.#pointed, "b pointed"));
    this.#overlay.replaceChildren(...marks);
  }

  #spot(kind: string, square: number, color: string, letter: string): SVGElement {
    const [x, y] = this.#center(square);
    const name = kind === "letter" ? "text" : kind === "frame" ? "rect" : "circle";
    const element = document.createElementNS(SVG, name);
    const attributes: Record<string, number> =
      name === "circle" ? { cx: x, cy: y, r: kind === "disk" ? 0.22 : 0.44 }
      : name === "rect" ? { x: x - 0.46, y: y - 0.46, width: 0.92, height: 0.92 }
      : { x, y: y + 0.22 };
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.setAttribute("class", `${kind} c-${color}`);
    element.textContent = letter;
    return element;
  }

  #arrow(from: number, to: number, color: string): SVGElement {
    const [x1, y1] = this.#center(from);
    const [x2, y2] = this.#center(to);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const point = (along: number, across: number) =>
      `${(x1 + ux * along - uy * across).toFixed(3)},${(y1 + uy * along + ux * across).toFixed(3)}`;
    const [start, neck, tip] = [0.3, length - 0.42, length - 0.08];
    const points = [
      point(start, -0.085), point(neck, -0.085), point(neck, -0.24), point(tip, 0),
      point(neck, 0.24), point(neck, 0.085), point(start, 0.085),
    ];
    const element = document.createElementNS(SVG, "polygon");
    element.setAttribute("points", points.join(" "));
    element.setAttribute("class", `arrow c-${color}`);
    return element;
  }
}
