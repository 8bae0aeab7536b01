// A list of any number of rows of which only the visible ones exist. Browsers end an element at some ten million
// pixels, so a long list has a scroll bar in proportion and moves by rows instead.

export interface ListOptions<R> {
  /** Height of a row in pixels. */
  rowHeight: () => number;
  /** Rows of one request. */
  load: (from: number, count: number, signal: AbortSignal) => Promise<R[]>;
  render: (element: HTMLElement, row: R | null, index: number) => void;
  onActive: (index: number, row: R | null) => void;
  onOpen: (index: number, row: R) => void;
  /** Whether a row is selected. */
  isPicked: (row: R) => boolean;
  /** Selects a row or no longer does; with `isRange` all from the last one to it. */
  onPick: (index: number, row: R, isRange: boolean) => void;
  /** Opens the menu of a row at a point of the window. */
  onMenu: (index: number, row: R, x: number, y: number) => void;
  onError: (error: unknown) => void;
}

const MAX_HEIGHT = 8_000_000;
const WINDOW = 100;
const KEPT_WINDOWS = 60;
/** After a jump the neighbours of what is visible are loaded only when it was looked at for that many milliseconds. */
const REST_AFTER_JUMP = 150;
/** After a jump what was visible stays for that many milliseconds, so that rows are drawn once and not as skeletons before. */
const SKELETON_DELAY = 60;

export class VirtualList<R> {
  readonly element: HTMLElement;
  readonly #sizer: HTMLElement;
  readonly #layer: HTMLElement;
  readonly #options: ListOptions<R>;
  #total = 0;
  /** The first visible row, with a fraction. */
  #top = 0;
  #active = -1;
  #rows: HTMLElement[] = [];
  readonly #windows = new Map<number, R[]>();
  readonly #loading = new Map<number, AbortController>();
  #frame = 0;
  /** The first row that was drawn last, and the first one that was to be drawn last. */
  #drawn = 0;
  #wanted = 0;
  /** When neighbours of what is visible are loaded again, after a jump. */
  #restUntil = 0;
  #resting: ReturnType<typeof setTimeout> | undefined;
  /** Draws skeletons unless the rows of a jump are there before. */
  #skeletons: ReturnType<typeof setTimeout> | undefined;
  #isAdjusting = false;
  #generation = 0;
  /** Rows that are drawn at least: for paper. */
  #printed = 0;

  constructor(label: string, options: ListOptions<R>) {
    this.#options = options;
    this.element = document.createElement("div");
    this.element.className = "list";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-multiselectable", "true");
    this.element.setAttribute("aria-label", label);
    this.#layer = document.createElement("div");
    this.#layer.className = "layer";
    this.#layer.setAttribute("role", "rowgroup");
    this.#sizer = document.createElement("div");
    this.#sizer.className = "sizer";
    this.element.append(this.#layer, this.#sizer);
    this.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("click", (event) => this.#click(event));
    // Also from the keyboard, and from a finger that stays.
    this.element.addEventListener("contextmenu", (event) => {
      const index = this.#indexOf(event.target);
      if (!this.#openMenu(index ?? this.#active, index === null ? null : event)) return;
      event.preventDefault();
    });
    this.element.addEventListener("mouseover", (event) => {
      const index = this.#indexOf(event.target);
      if (index !== null) this.#options.onActive(index, this.row(index));
    });
    // Paper does not scroll: it gets all rows that are there from the first visible one on.
    window.onbeforeprint = () => {
      while (this.row(Math.floor(this.#top) + this.#printed)) this.#printed++;
      this.#draw(true);
    };
    window.onafterprint = () => {
      this.#printed = 0;
      this.#draw();
    };
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** The row of a list with a header row first. */
  #indexOf(target: EventTarget | null): number | null {
    const element = (target as Element | null)?.closest?.<HTMLElement>("[data-index]");
    return element && this.#layer.contains(element) ? Number(element.dataset["index"]) : null;
  }

  /** Shows other rows: all that was loaded is dropped. */
  reset(total: number): void {
    this.#generation++;
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
    this.#windows.clear();
    this.setTotal(total);
  }

  setTotal(total: number): void {
    this.#total = total;
    // What was the end of the list is loaded again when more rows were found.
    for (const [number, rows] of this.#windows) {
      if (rows.length < WINDOW && number * WINDOW + rows.length < total) this.#windows.delete(number);
    }
    this.element.setAttribute("aria-rowcount", String(total + 1));
    const height = Math.min(total * this.#options.rowHeight(), MAX_HEIGHT);
    this.#sizer.style.height = `${Math.max(0, height - this.element.clientHeight)}px`;
    if (this.#active >= total) this.#active = total - 1;
    this.#draw();
  }

  /** Adds rows that are already there. */
  put(from: number, rows: R[]): void {
    if (from % WINDOW === 0 && (rows.length === WINDOW || from + rows.length >= this.#total)) {
      this.#windows.set(from / WINDOW, rows);
      this.#draw();
    }
  }

  get activeIndex(): number {
    return this.#active;
  }

  get topIndex(): number {
    return Math.round(this.#top);
  }

  get visibleCount(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / this.#options.rowHeight()));
  }

  row(index: number): R | null {
    return this.#windows.get(Math.floor(index / WINDOW))?.[index % WINDOW] ?? null;
  }

  get #isScaled(): boolean {
    return this.#total * this.#options.rowHeight() > MAX_HEIGHT;
  }

  get #maxTop(): number {
    return Math.max(0, this.#total - this.element.clientHeight / this.#options.rowHeight());
  }

  #scrolled(): void {
    if (this.#isAdjusting) {
      this.#isAdjusting = false;
      return;
    }
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const range = scrollHeight - clientHeight;
    this.#top = this.#isScaled
      ? (range > 0 ? scrollTop / range : 0) * this.#maxTop
      : scrollTop / this.#options.rowHeight();
    this.#drawSoon();
  }

  #wheel(event: WheelEvent): void {
    if (!this.#isScaled || event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? event.deltaY * this.#options.rowHeight() : event.deltaY;
    this.#moveTo(this.#top + pixels / this.#options.rowHeight());
  }

  #moveTo(top: number): void {
    this.#top = Math.min(this.#maxTop, Math.max(0, top));
    const { scrollHeight, clientHeight } = this.element;
    const wanted = this.#isScaled
      ? (this.#top / Math.max(1, this.#maxTop)) * (scrollHeight - clientHeight)
      : this.#top * this.#options.rowHeight();
    if (Math.abs(this.element.scrollTop - wanted) >= 1) {
      this.#isAdjusting = true;
      this.element.scrollTop = wanted;
    }
    this.#drawSoon();
  }

  /** Makes a row the active one and visible. */
  select(index: number, center = false): void {
    if (this.#total === 0) return;
    this.#active = Math.min(this.#total - 1, Math.max(0, index));
    const visible = this.visibleCount;
    if (center) this.#moveTo(this.#active - Math.floor(visible / 2));
    else if (this.#active < this.#top) this.#moveTo(this.#active);
    else if (this.#active >= this.#top + visible) this.#moveTo(this.#active - visible + 1);
    this.#draw();
    this.#options.onActive(this.#active, this.row(this.#active));
  }

  /** The menu of a row, where the pointer is, else below the row; whether there is one. */
  #openMenu(index: number, at: { clientX: number; clientY: number } | null): boolean {
    const row = this.row(index);
    if (!row) return false;
    this.select(index);
    const box = this.#rows[index - this.#drawn]?.getBoundingClientRect();
    this.#options.onMenu(index, row, at?.clientX ?? (box?.left ?? 0) + 30, at?.clientY ?? box?.bottom ?? 0);
    return true;
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = this.visibleCount - 1;
    const steps: Record<string, number> = {
      ArrowDown: this.#active + 1, ArrowUp: this.#active < 0 ? 0 : this.#active - 1,
      PageDown: this.#active + page, PageUp: this.#active - page, Home: 0, End: this.#total - 1,
    };
    const next = steps[event.key];
    const row = this.row(this.#active);
    if (next !== undefined) {
      // With Shift the rows on the way are selected.
      if (event.shiftKey && row && !this.#options.isPicked(row)) this.#options.onPick(this.#active, row, false);
      this.select(next);
      const reached = this.row(this.#active);
      if (event.shiftKey && reached) this.#options.onPick(this.#active, reached, true);
    } else if (event.key === " ") {
      if (row) this.#options.onPick(this.#active, row, false);
    } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      this.#openMenu(this.#active, null);
    } else if (event.key === "Enter" && this.#active >= 0) {
      if (row) this.#options.onOpen(this.#active, row);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #click(event: MouseEvent): void {
    const index = this.#indexOf(event.target);
    if (index === null) return;
    const row = this.row(index);
    if ((event.target as Element).closest(".row-menu")) {
      this.#openMenu(index, event);
      return;
    }
    this.select(index);
    const isLink = (event.target as Element).closest("a") !== null;
    if (row && (event.ctrlKey || event.metaKey || event.shiftKey || (event.target as Element).closest(".pick"))) {
      this.#options.onPick(index, row, event.shiftKey);
      return;
    }
    if (row && !isLink) this.#options.onOpen(index, row);
  }

  /** Draws all rows anew: they show something else. */
  redraw(): void {
    for (const row of this.#rows) delete row.dataset["state"];
    this.#draw();
  }

  #drawSoon(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  /** Whether the windows of some rows are loaded. */
  #hasRows(first: number, end: number): boolean {
    for (let number = Math.floor(first / WINDOW); number * WINDOW < end; number++) if (!this.#windows.has(number)) return false;
    return true;
  }

  #draw(isDue = false): void {
    const height = this.#options.rowHeight();
    this.#top = Math.min(this.#top, this.#maxTop);
    const first = Math.floor(this.#top);
    const count = Math.min(this.#total - first, Math.max(this.#printed, Math.ceil(this.element.clientHeight / height) + 2));
    if (!isDue && Math.abs(first - this.#drawn) >= count && !this.#hasRows(first, first + count)) {
      this.#loadWindows(first, first + count);
      this.#skeletons ??= setTimeout(() => this.#draw(true), SKELETON_DELAY);
      return;
    }
    clearTimeout(this.#skeletons);
    this.#skeletons = undefined;
    this.#drawn = first;
    while (this.#rows.length < count) {
      const row = document.createElement("div");
      row.className = "row";
      row.setAttribute("role", "row");
      this.#rows.push(row);
      this.#layer.append(row);
    }
    this.#rows.forEach((element, slot) => {
      const index = first + slot;
      if (slot >= count) {
        element.hidden = true;
        delete element.dataset["index"];
        return;
      }
      element.hidden = false;
      element.style.transform = `translateY(${((index - this.#top) * height).toFixed(1)}px)`;
      const row = this.row(index);
      const state = `${this.#generation}:${index}:${row ? 1 : 0}`;
      if (element.dataset["state"] !== state) {
        element.dataset["state"] = state;
        element.dataset["index"] = String(index);
        element.id = `row-${index}`;
        element.setAttribute("aria-rowindex", String(index + 2));
        this.#options.render(element, row, index);
      }
      const isActive = index === this.#active;
      element.classList.toggle("active", isActive);
      element.setAttribute("aria-selected", String(row !== null && this.#options.isPicked(row)));
    });
    const isShown = this.#active >= first && this.#active < first + count;
    if (isShown) this.element.setAttribute("aria-activedescendant", `row-${this.#active}`);
    else this.element.removeAttribute("aria-activedescendant");
    this.#loadWindows(first, first + Math.max(0, count));
  }

  #loadWindows(first: number, end: number): void {
    if (this.#total === 0) return;
    const [from, to] = [Math.floor(first / WINDOW), Math.floor(Math.max(first, end - 1) / WINDOW)];
    for (const [number, controller] of this.#loading) {
      if (number >= from - 1 && number <= to + 1) continue;
      controller.abort();
      // The request may have been for its neighbour too.
      for (const [other, same] of this.#loading) if (same === controller) this.#loading.delete(other);
    }
    const isMissing = (number: number) =>
      number >= 0 && number * WINDOW < this.#total && !this.#windows.has(number) && !this.#loading.has(number);
    // Two windows that meet are one request, so that a jump to between them waits once.
    for (let number = from; number <= to; number++) {
      let count = 0;
      while (number + count <= to && isMissing(number + count)) count++;
      if (count > 0) this.#loadFrom(number, count);
      number += count;
    }
    if (Math.abs(first - this.#wanted) > 2 * WINDOW) this.#restUntil = performance.now() + REST_AFTER_JUMP;
    this.#wanted = first;
    clearTimeout(this.#resting);
    for (let number = from; number <= to; number++) if (this.#loading.has(number)) return;
    // All that is visible is there: what comes next by the wheel is loaded as well.
    const pause = this.#restUntil - performance.now();
    if (pause > 0) this.#resting = setTimeout(() => this.#draw(), pause);
    else for (const number of [to + 1, from - 1]) if (isMissing(number)) this.#loadFrom(number, 1);
  }

  /** Loads windows that follow each other. */
  #loadFrom(first: number, count: number): void {
    const numbers = Array.from({ length: count }, (_, index) => first + index);
    const controller = new AbortController();
    for (const number of numbers) this.#loading.set(number, controller);
    const generation = this.#generation;
    this.#options.load(first * WINDOW, count * WINDOW, controller.signal).then(
      (rows) => {
        if (generation !== this.#generation) return;
        for (const [index, number] of numbers.entries()) {
          if (this.#loading.get(number) === controller) this.#loading.delete(number);
          this.#windows.set(number, rows.slice(index * WINDOW, (index + 1) * WINDOW));
        }
        if (this.#windows.size > KEPT_WINDOWS) this.#forget(first);
        this.#draw();
        const active = this.row(this.#active);
        if (numbers.includes(Math.floor(this.#active / WINDOW)) && active) this.#options.onActive(this.#active, active);
      },
      (error: unknown) => {
        if (generation !== this.#generation || controller.signal.aborted) return;
        for (const number of numbers) this.#loading.delete(number);
        this.#options.onError(error);
      },
    );
  }

  /** Drops the windows that are farthest away. */
  #forget(near: number): void {
    const far = [...this.#windows.keys()].sort((a, b) => Math.abs(b - near) - Math.abs(a - near));
    for (const number of far.slice(0, KEPT_WINDOWS / 3)) this.#windows.delete(number);
  }
}
