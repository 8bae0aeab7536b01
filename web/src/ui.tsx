// Small parts that several views share.

import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Field, GoneError, type KnownText, get, save } from "./api.ts";
import { type Stated, inLanguage, problemLine, problemTexts } from "./problem_texts.ts";
import { hrefWith, useAddress } from "./router.ts";
import { languageNow, number, t } from "./translations.ts";

export type Load<T> = { state: "loading" } | { state: "error"; error: unknown } | { state: "done"; value: T };

/** Loads something each time `keys` change; the old value is dropped. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, keys: unknown[]): Load<T> {
  const [found, set] = useState<Load<T>>({ state: "loading" });
  // Before the browser paints: other effects wait for a frame, and the request would too.
  useLayoutEffect(() => {
    const controller = new AbortController();
    set((old) => (old.state === "loading" ? old : { state: "loading" }));
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) set({ state: "done", value });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) set({ state: "error", error });
      },
    );
    return () => controller.abort();
  }, keys);
  return found;
}

type Part<P> = () => Promise<ComponentType<P>>;

/** The parts that are loaded, by what loads them. */
const parts = new WeakMap<Part<never>, ComponentType<never>>();

/** Loads a part, so that it is shown at once when it is needed. */
export async function loadPart<P>(load: Part<P>): Promise<ComponentType<P>> {
  const known = parts.get(load as Part<never>) as ComponentType<P> | undefined;
  if (known) return known;
  const found = await load();
  parts.set(load as Part<never>, found as ComponentType<never>);
  return found;
}

/** A part of a view that is loaded when it is first shown. */
export function Later<P extends object>({ load, ...props }: { load: Part<P> } & P) {
  const [Loaded, set] = useState<ComponentType<P> | null>(() => (parts.get(load as Part<never>) as ComponentType<P> | undefined) ?? null);
  const [error, setError] = useState<unknown>(null);
  useLayoutEffect(() => {
    if (!Loaded) loadPart(load).then((found) => set(() => found), setError);
  }, []);
  if (error !== null) return <ErrorBox error={error} />;
  return Loaded ? <Loaded {...(props as unknown as P)} /> : <Spinner />;
}

/** An error: what, and what to do; of a query with the fields that there are. */
export function ErrorBox({ error }: { error: unknown }) {
  if (error instanceof GoneError) return null;
  if (error instanceof ApiError) {
    const { problem } = error;
    return (
      <>
        <div class="error" role="alert">{problem.status === 401 ? <p>{t("error.key")}</p> : <ProblemText problem={problem} />}</div>
        {problem.column && <KnownFields column={problem.column} />}
      </>
    );
  }
  return (
    <div class="error" role="alert">
      <p>{String(error)}</p>
    </div>
  );
}

/** A view that cannot be shown: why, and where else to go. */
export function DeadEnd({ error, name, children }: { error: unknown; name: string; children?: ComponentChildren }) {
  return (
    <section class="dead-end">
      <h1 class="visually-hidden">{name}</h1>
      <ErrorBox error={error} />
      <p class="choice">
        {children}
        <a class="button" href="/">
          {t("shelf.title")}
        </a>
      </p>
    </section>
  );
}

/** The fields that there are, if a query has another one: each is a link to the address with it. */
function KnownFields({ column }: { column: number }) {
  const { query } = useAddress();
  const load = useLoad<{ fields: Field[] }>((signal) => get("fields", {}, signal), []);
  if (load.state !== "done") return null;
  const { fields } = load.value;
  // That of all sources is read first, then those of single ones.
  for (const [parameter, text] of [["q", query.get("q") ?? ""], ...query] as [string, string][]) {
    if (!/^q(\.|$)/.test(parameter)) continue;
    const characters = [...text];
    const [, sign = "", name = "", rest = ""] = /^(-?)(\w+)(:.*)/s.exec(characters.slice(column - 1).join("")) ?? [];
    const before = characters.slice(0, column - 1).join("") + sign;
    if (name === "" || /[^\s(-]$/.test(before) || fields.some((field) => field.name === name.toLowerCase())) continue;
    return (
      <ul class="fields known" aria-label={t("search.fields")}>
        {fields.map((field) => (
          <li>
            <a href={hrefWith(parameter, before + field.name + rest)}>
              <code>{field.name}:</code>
            </a>
            <FieldText field={field} />
            <code class="example">{field.example}</code>
          </li>
        ))}
      </ul>
    );
  }
  return null;
}

/** A problem in the language of the page, as soon as its text is there. */
export function ProblemText({ problem }: { problem: Stated }) {
  const load = useLoad(() => problemTexts(problem), [JSON.stringify(problem)]);
  if (load.state !== "done") return null;
  const { text, hint } = load.value;
  return (
    <>
      <p>
        <bdi>{text}</bdi>
      </p>
      {hint !== "" && (
        <p class="hint">
          <bdi>{hint}</bdi>
        </p>
      )}
    </>
  );
}

/** A text of the server in the language of the page, else in English. */
export function ServerText({ text, known }: { text: string; known: string | KnownText | null | undefined }) {
  const load = useLoad(() => inLanguage(known), [JSON.stringify(known), languageNow()]);
  if (load.state === "loading") return null;
  return load.state === "done" && load.value !== null ? <bdi>{load.value}</bdi> : <bdi lang="en">{text}</bdi>;
}

/** What a field of a query asks for, in the language of the page. */
export function FieldText({ field }: { field: Field }) {
  return (
    <span>
      <ServerText known={`field.${field.name}`} text={field.asks} />
    </span>
  );
}

/** What games can contain, in the language of the page; NAG is a word of programmers. */
export function FeatureName({ kind, label }: { kind: string; label: string }) {
  return <ServerText known={`feature.${kind}`} text={kind === "nags" ? "symbols such as ! and ?" : label} />;
}

/** What a conversion loses, by kind, in one line. */
export function Losses({ losses }: { losses: { kind: string; label: string; count: number }[] }) {
  return (
    <>
      {t("convert.lost")}{" "}
      {losses.map(({ kind, label, count }, index) => (
        <>
          {index > 0 && ", "}
          {number(count)} <FeatureName kind={kind} label={label} />
        </>
      ))}
    </>
  );
}

/** A problem in one line. */
export function ProblemLine({ problem }: { problem: Stated }) {
  const load = useLoad(() => problemLine(problem), [JSON.stringify(problem)]);
  return <>{load.state === "done" && load.value}</>;
}

/** Says what went wrong. */
export function announceError(error: unknown): void {
  if (error instanceof ApiError) void problemLine(error.problem).then((text) => announce(text, true));
  else if (!(error instanceof GoneError)) announce(String(error), true);
}

/** Shown only if loading takes longer than an eye notices. */
export function Spinner({ text }: { text?: string | undefined }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p class="loading" role="status">
      {isShown && (
        <>
          <span class="spinner" aria-hidden="true" /> {text ?? t("loading")}
        </>
      )}
    </p>
  );
}

/** White's wins, draws and Black's wins as a bar with numbers, in percent; in a wide one with the sign. */
export function Bar(props: { white: number; draws: number; black: number; label?: string; isWide?: boolean; isNarrow?: boolean }) {
  const { white, draws, black } = props;
  const total = white + draws + black;
  if (total === 0) return <span class="none">–</span>;
  const parts = [
    ["w", white],
    ["d", draws],
    ["b", black],
  ] as const;
  const percent = (value: number) => Math.round((value * 100) / total);
  // A narrower part has no space for its number.
  const least = props.isWide ? 6 : props.isNarrow ? 32 : 22;
  const label = props.label ?? t("bar.label", { white: percent(white), draws: percent(draws), black: percent(black) });
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      {parts.map(([kind, value]) =>
        value === 0 ? null : (
          <span class={`part-${kind}`} style={{ flexGrow: value }} aria-hidden="true">
            {(value * 100) / total >= least ? `${percent(value)}${props.isWide ? " %" : ""}` : ""}
          </span>
        ),
      )}
    </span>
  );
}

/** Rows of texts as CSV, in UTF-8 with a mark that spreadsheets look for. */
export function saveCsv(rows: string[][], name: string): void {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  // A spreadsheet would run what begins like a formula.
  const plain = (text: string) => (/^[=+@\t\r]|^-(?![\d.]*$)/.test(text) ? `'${text}` : text);
  const text = rows.map((row) => row.map((cell) => quoted(plain(cell))).join(",")).join("\r\n");
  save(new Blob(["\ufeff", text, "\r\n"], { type: "text/csv" }), `${name}.csv`);
}

/** What a cell shows, as text. */
function cellText(cell: HTMLElement): string {
  const bar = cell.querySelector(".bar")?.getAttribute("aria-label");
  const chosen = cell.querySelector("select")?.value;
  return bar ?? chosen ?? cell.innerText.trim().replace(/\s+/g, " ");
}

/** The role that an element of a table has by itself. */
const roleOf = (part: HTMLElement) =>
  part.matches("th[scope=row]") ? "rowheader" : ({ TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TH: "columnheader", TD: "cell" }[part.tagName] ?? null);

/** How wide the window is: 0 that of a phone, 3 one with space for many columns. */
export function useRank(): number {
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

/** A table, which may be wider than the window; with a name for its file it can be saved as CSV. */
export function TableBox(props: { label: string; file?: string; class?: string; children: ComponentChildren }) {
  const { label, file } = props;
  const box = useRef<HTMLDivElement>(null);
  // On a phone some tables are laid out as lists, which would take their roles from them.
  useLayoutEffect(() => {
    for (const part of box.current?.querySelectorAll<HTMLElement>("table.reflow, .reflow :is(thead, tbody, tr, th, td)") ?? []) part.role ??= roleOf(part);
  });
  const rows = () => [...(box.current?.querySelectorAll("tr") ?? [])].map((row) => [...row.cells].map(cellText));
  return (
    <>
      <div class={`table-box ${props.class ?? ""}`} ref={box} tabIndex={0} role="region" aria-label={label}>
        {props.children}
      </div>
      {file !== undefined && (
        <p class="table-foot">
          <button type="button" class="link" aria-label={t("save.csvNamed", { name: label })} onClick={() => saveCsv(rows(), file)}>
            {t("save.csv")}
          </button>
        </p>
      )}
    </>
  );
}

/** A dialog that the keyboard can leave. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={props.title}
      onClose={props.onClose}
      onClick={(event) => {
        if (event.target === ref.current) props.onClose();
      }}
    >
      <header>
        <h2>{props.title}</h2>
        <button type="button" class="icon" aria-label={t("close")} onClick={props.onClose}>
          ✕
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

/** Copies text and confirms it in the live region. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(t("copied"), true);
  } catch {
    copyFailed();
  }
}

export function copyFailed(): void {
  announce(t("copyFailed"), true);
}

let toastTimer = 0;

/** Speaks a text to screen readers; shows it too if `isVisible`. */
export function announce(text: string, isVisible = false): void {
  const region = document.getElementById("live");
  if (!region) return;
  region.textContent = text;
  region.classList.toggle("toast", isVisible);
  clearTimeout(toastTimer);
  if (isVisible) {
    toastTimer = setTimeout(() => {
      region.classList.remove("toast");
      region.textContent = "";
    }, 1800);
  }
}

/** Whether letters typed now belong to a field. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return (
    target.isContentEditable ||
    target.tagName === "TEXTAREA" ||
    target.tagName === "SELECT" ||
    (target.tagName === "INPUT" && (target as HTMLInputElement).type !== "checkbox")
  );
}

export const title = (text: string) => {
  document.title = text === "" ? "tabia" : `${text} · tabia`;
};

/** Points that a value has in a graph, as an SVG polyline with a table for those who cannot see it. */
export function Graph(props: {
  label: string;
  points: { x: number; y: number; text: string; name: string; node: number }[];
  min: number;
  max: number;
  zero?: number;
  /** The points after moves of White and of Black are a line each. */
  hasSides?: boolean;
  current: number;
  onPick: (node: number) => void;
}) {
  const { points, min, max } = props;
  const last = Math.max(1, points[points.length - 1]?.x ?? 1);
  const x = (value: number) => (value / last) * 1000;
  const y = (value: number) => 100 - ((Math.min(max, Math.max(min, value)) - min) / (max - min)) * 100;
  const lineOf = (shown: typeof points) => shown.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(" ");
  const line = lineOf(points);
  const zero = props.zero ?? min;
  const area = `${x(points[0]?.x ?? 0).toFixed(1)},${y(zero)} ${line} ${x(last)},${y(zero)}`;
  const now = points.find((point) => point.node === props.current);
  const sides = ["white", "black"] as const;
  const ofSide = (side: (typeof sides)[number]) => points.filter((point) => point.x % 2 === (side === "white" ? 1 : 0));
  return (
    <figure class="graph">
      <figcaption>
        {props.label}
        {now && !props.hasSides && <b> {now.text}</b>}
        {props.hasSides &&
          sides.map((side) => (
            <span class={`key ${side}`}>
              <svg viewBox="0 0 26 6" aria-hidden="true">
                <line x2="26" y1="3" y2="3" class="line" />
              </svg>{" "}
              {t(side)} <b>{now && ofSide(side).filter((point) => point.x <= now.x).pop()?.text}</b>
            </span>
          ))}
      </figcaption>
      <svg
        viewBox="0 0 1000 100"
        preserveAspectRatio="none"
        aria-hidden="true"
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const wanted = ((event.clientX - box.left) / box.width) * last;
          const nearest = points.reduce((a, b) => (Math.abs(b.x - wanted) < Math.abs(a.x - wanted) ? b : a));
          props.onPick(nearest.node);
        }}
      >
        {!props.hasSides && <polygon points={area} class="area" />}
        <line x1="0" x2="1000" y1={y(zero)} y2={y(zero)} class="axis" />
        {props.hasSides ? (
          sides.map((side) => <polyline points={lineOf(ofSide(side))} class={`line ${side}`} />)
        ) : (
          <polyline points={line} class="line" />
        )}
        {now && <line x1={x(now.x)} x2={x(now.x)} y1="0" y2="100" class="now" />}
      </svg>
      <details>
        <summary>{t("graph.table")}</summary>
        <ol class="values">
          {points.map((point) => (
            <li>
              {point.name} {point.text}
            </li>
          ))}
        </ol>
      </details>
    </figure>
  );
}
