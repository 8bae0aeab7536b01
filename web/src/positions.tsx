// Games with a position: a board that is filled in, and the query that it means.

import { useEffect, useState } from "preact/hooks";
import { pieceSvg } from "./pieces.ts";
import { copyCommand, quoted } from "./commands.tsx";
import { ChooseDatabase, type Report, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { IndexButton, useIndexChanges } from "./jobs.tsx";
import { gameHref, gamesHref, go, positionsHref, useAddress } from "./router.ts";
import { useSettings } from "./settings.ts";
import { ErrorBox, Spinner, TableBox, title } from "./ui.tsx";
import { moveText, number, pieceName, resultText, t } from "./translations.ts";

interface Hit {
  db: string;
  game: number;
  white: string;
  whiteElo: number | null;
  black: string;
  blackElo: number | null;
  result: string;
  event: string;
  date: string | null;
  ply: number | null;
  san: string | null;
}

interface SearchAnswer extends Report {
  hits?: Hit[];
  isLimited: boolean;
  /** Games that are searched. */
  total: number;
  /** The databases without an index that answers positions at once. */
  unindexed: string[];
}

/** What a square may have to hold; `""`: it is not asked. */
const TOOLS = ["K", "Q", "R", "B", "N", "P", "k", "q", "r", "b", "n", "p", "A", "a", "!", "_", ""] as const;
type Tool = (typeof TOOLS)[number];

/** The board of a `sub:` term of a query. */
function boardOf(query: string): string[] {
  const board = Array<string>(64).fill("");
  const rows = (/(?:^|\s)sub:([^\s]+)/.exec(query)?.[1] ?? "").split("/");
  if (rows.length !== 8) return board;
  rows.forEach((row, rank) => {
    let file = 0;
    for (const c of row) {
      if (c >= "1" && c <= "8") file += Number(c);
      else {
        if (file < 8 && c !== "?") board[rank * 8 + file] = c;
        file++;
      }
    }
  });
  return board;
}

function subOf(board: string[]): string {
  if (board.every((square) => square === "")) return "";
  const rows: string[] = [];
  for (let rank = 0; rank < 8; rank++) {
    let row = "";
    let empty = 0;
    for (const square of board.slice(rank * 8, rank * 8 + 8)) {
      if (square === "") {
        empty++;
        continue;
      }
      if (empty > 0) row += empty;
      empty = 0;
      row += square;
    }
    rows.push(empty > 0 ? row + empty : row);
  }
  return `sub:${rows.join("/")}`;
}

/** The query with another value of a field; `""` removes it. */
function withTerm(query: string, field: string, value: string): string {
  const rest = query
    .split(/\s+/)
    .filter((term) => term !== "" && !term.startsWith(`${field}:`))
    .join(" ");
  return value === "" ? rest : `${rest} ${field}:${value}`.trim();
}

const termOf = (query: string, field: string) =>
  query.split(/\s+/).find((term) => term.startsWith(`${field}:`))?.slice(field.length + 1) ?? "";

/** The numbers of a piece that a query asks: the least and the most, `""` if it is not asked. */
function countOf(query: string, piece: string): [string, string] {
  let [least, most] = ["", ""];
  for (const [, sign, count] of query.matchAll(new RegExp(`(?:^|\\s)count:${piece}(<=|>=|=)(\\d+)(?=\\s|$)`, "g"))) {
    if (sign !== "<=") least = count ?? "";
    if (sign !== ">=") most = count ?? "";
  }
  return [least, most];
}

function withCount(query: string, piece: string, [least, most]: [string, string]): string {
  const rest = query.split(/\s+/).filter((term) => term !== "" && !new RegExp(`^count:${piece}[<>]?=\\d+$`).test(term));
  const terms = least !== "" && least === most ? [`count:${piece}=${least}`] : [least && `count:${piece}>=${least}`, most && `count:${piece}<=${most}`];
  return [...rest, ...terms.filter((term) => term !== "")].join(" ");
}

/** How many of each piece there are, from – to. */
function PieceCounts({ text, onText }: { text: string; onText: (text: string) => void }) {
  const isAsked = /(?:^|\s)count:[KQRBNPkqrbnp][<>]?=/.test(text);
  return (
    <details class="piece-counts" open={isAsked}>
      <summary>{t("positions.counts")}</summary>
      <div>
        {[..."QRBNPqrbnp"].map((piece) => {
          const [least, most] = countOf(text, piece);
          const field = (value: string, name: string, change: (value: string) => [string, string]) => (
            <input
              type="number"
              min={0}
              max={10}
              aria-label={name}
              title={name}
              value={value}
              onChange={(event) => onText(withCount(text, piece, change(event.currentTarget.value.replace(/\D/g, ""))))}
            />
          );
          return (
            <span class="piece-count">
              <Symbol name={piece as Tool} />
              {field(least, t("positions.from", { piece: toolName(piece) }), (value) => [value, most])}–
              {field(most, t("positions.to", { piece: toolName(piece) }), (value) => [least, value])}
            </span>
          );
        })}
      </div>
    </details>
  );
}

export function View() {
  const { query } = useAddress();
  const databases = useDatabases();
  const settings = useSettings();
  const db = query.get("db") ?? (databases ?? []).map((card) => card.id).join(",");
  const asked = query.get("q") ?? "";
  const [text, setText] = useState(asked);
  // The address changed: back, a link of an error.
  useEffect(() => setText(asked), [asked]);
  const [tool, setTool] = useState<Tool>("P");
  // The square that Tab leads to; the arrows lead to the others.
  const [at, move] = useState(56);
  const [stopped, stop] = useState("");
  const indexes = useIndexChanges(db.split(","));
  const key = `${db} ${asked} ${indexes}`;
  const isStopped = stopped === key;
  const { answer, error } = useReport<SearchAnswer>("search", asked === "" || db === "" ? null : { db, where: asked }, isStopped, indexes);
  const [unindexed] = answer?.unindexed ?? [];
  title(t("positions.title"));
  if (databases === null) return <Spinner />;
  const board = boardOf(text);
  const put = (square: number, piece: string) => {
    const next = board.slice();
    next[square] = next[square] === piece ? "" : piece;
    setText(withTerm(text, "sub", subOf(next).slice(4)));
  };
  const step = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 }[event.key] ?? 0;
    const to = at + by;
    if (by === 0 || (by * by === 1 && to >> 3 !== at >> 3)) return;
    (event.currentTarget.children[to] as HTMLElement | undefined)?.focus();
    event.preventDefault();
  };
  const set = (field: string, value: string) => setText(withTerm(text, field, value.trim().replace(/\s+/g, "_")));
  const hits = answer?.hits ?? [];
  return (
    <section class="report positions">
      <header class="bar-line">
        <h1>{t("positions.title")}</h1>
        <span class="grow" />
        <ChooseDatabase databases={databases} value={db} hasAll onChange={(chosen) => go(positionsHref(chosen, asked))} />
      </header>
      <div class="ask">
        <div>
          <div class="tools" role="group" aria-label={t("positions.tools")}>
            {TOOLS.map((name) => (
              <button
                type="button"
                aria-pressed={tool === name}
                aria-label={toolName(name)}
                title={toolName(name)}
                onClick={() => setTool(name)}
              >
                {name === "" ? <span class="sign" aria-hidden="true">✕</span> : <Symbol name={name} />}
              </button>
            ))}
          </div>
          <div class="edit-board" role="group" aria-label={t("board")} onKeyDown={step}>
            {board.map((piece, square) => {
              const name = `${"abcdefgh"[square % 8]}${8 - Math.floor(square / 8)}`;
              return (
                <button
                  type="button"
                  class={(square + Math.floor(square / 8)) % 2 === 0 ? "light" : "dark"}
                  aria-label={`${name}: ${toolName(piece as Tool)}`}
                  data-rank={square % 8 === 0 ? name[1] : ""}
                  data-file={square >= 56 ? name[0] : ""}
                  tabIndex={square === at ? 0 : -1}
                  onFocus={() => move(square)}
                  onClick={() => put(square, tool)}
                >
                  <Symbol name={piece as Tool} />
                </button>
              );
            })}
          </div>
        </div>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            go(positionsHref(db, text.trim()));
          }}
        >
          <p class="sub">{t("positions.hint")}</p>
          <div class="fields-grid">
            <label>
              {t("positions.material")}
              <input value={termOf(text, "mat")} placeholder="KRPKR" autoComplete="off" onChange={(event) => set("mat", event.currentTarget.value)} />
            </label>
            <label>
              {t("positions.move")}
              <input value={termOf(text, "move")} placeholder="Bxh7+" autoComplete="off" onChange={(event) => set("move", event.currentTarget.value)} />
            </label>
            <label>
              {t("positions.plies")}
              <input value={termOf(text, "ply")} placeholder="20..80" autoComplete="off" onChange={(event) => set("ply", event.currentTarget.value)} />
            </label>
            <label>
              {t("positions.for")}
              <input value={termOf(text, "for")} placeholder="4" inputMode="numeric" autoComplete="off" onChange={(event) => set("for", event.currentTarget.value)} />
            </label>
            <label>
              {t("positions.bishops")}
              <select value={termOf(text, "bishops")} onChange={(event) => set("bishops", event.currentTarget.value)}>
                <option value="">{t("positions.open")}</option>
                <option value="same">{t("positions.bishopsSame")}</option>
                <option value="opposite">{t("positions.bishopsOpposite")}</option>
              </select>
            </label>
          </div>
          <p>
            {(["color", "files"] as const).map((kind) => (
              <label class="check">
                <input
                  type="checkbox"
                  checked={termOf(text, "flip").split(",").includes(kind)}
                  onChange={() => {
                    const now = termOf(text, "flip").split(",").filter((found) => found !== "");
                    set("flip", (now.includes(kind) ? now.filter((found) => found !== kind) : [...now, kind]).join(","));
                  }}
                />{" "}
                {kind === "color" ? t("positions.colors") : t("positions.files")}
              </label>
            ))}
          </p>
          <PieceCounts text={text} onText={setText} />
          <label class="whole">
            {t("positions.query")}
            <textarea id="position-query" rows={2} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <p class="buttons">
            <button type="submit" class="primary" disabled={text.trim() === ""}>
              {t("positions.find")}
            </button>{" "}
            <button type="button" onClick={() => setText("")}>
              {t("positions.clear")}
            </button>{" "}
            <button type="button" onClick={() => copyCommand(db.split(","), (inputs) => `tabia search ${inputs.join(" ")} ${quoted(text)}`)}>
              {t("copy.command")}
            </button>
          </p>
        </form>
      </div>
      {error !== null && <ErrorBox error={error} />}
      {asked !== "" && error === null && (
        <p role="status" class="found">
          {answer?.isDone
            ? answer.isLimited
              ? t("positions.first", { n: hits.length })
              : t("positions.found", { n: hits.length })
            : t("explorer.scan", { name: databases.find((card) => card.id === db)?.name ?? "", done: answer?.scanned ?? 0, total: answer?.total ?? 0 })}{" "}
          {answer?.isDone ? hits.length > 0 && <a href={gamesHref(db.split(","), { q: asked })}>{t("positions.list")}</a> : isStopped ? t("explorer.stopped") : (
            <button type="button" onClick={() => stop(key)}>
              {t("stop")}
            </button>
          )}
        </p>
      )}
      {unindexed && /\b(sub|fen|mat|count):/.test(asked) && (
        <p class="scan">
          {t("explorer.notIndexed", { name: unindexed })} <IndexButton id={unindexed} games={db.includes(",") ? null : answer?.total} />
        </p>
      )}
      {hits.length > 0 && (
        <TableBox label={t("positions.found", { n: hits.length })} file="positions" class="panel-box">
          <table class="data hits">
            <thead>
              <tr>
                <th scope="col">{t("duplicates.game")}</th>
                <th scope="col">{t("col.result")}</th>
                <th scope="col">{t("positions.moment")}</th>
                <th scope="col">{t("col.event")}</th>
                <th scope="col">{t("col.date")}</th>
              </tr>
            </thead>
            <tbody>
              {hits.map((hit) => (
                <tr>
                  <th scope="row">
                    <a href={gameHref(hit.db, hit.game, { ...(hit.db === db ? {} : { db }), q: asked })}>
                      <bdi>{hit.white}</bdi> {hit.whiteElo !== null && <small>{hit.whiteElo}</small>} – <bdi>{hit.black}</bdi>{" "}
                      {hit.blackElo !== null && <small>{hit.blackElo}</small>}
                    </a>
                  </th>
                  <td>{resultText(hit.result)}</td>
                  <td>
                    {hit.ply === null
                      ? ""
                      : `${number(Math.floor(hit.ply / 2) + 1)}${hit.ply % 2 === 0 ? "." : "…"} ${hit.san === null ? t("positions.end") : moveText(hit.san, settings.pieces)}`}
                  </td>
                  <td>
                    <bdi>{hit.event}</bdi>
                  </td>
                  <td>{hit.date ?? ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </section>
  );
}

function toolName(tool: string): string {
  if (tool === "") return t("positions.open");
  if (tool === "_") return t("positions.empty");
  if (tool === "!") return t("positions.any");
  if (tool === "A") return t("positions.anyWhite");
  if (tool === "a") return t("positions.anyBlack");
  if (!/^[KQRBNPkqrbnp]$/.test(tool)) return tool;
  const piece = pieceName(tool);
  return tool < "a" ? t("board.white", { piece }) : t("board.black", { piece });
}

/** A piece, or the sign for what else a square may have to hold. */
function Symbol({ name }: { name: string }) {
  if (/^[KQRBNPkqrbnp]$/.test(name)) {
    return (
      <span
        class="piece-box"
        ref={(element) => {
          element?.replaceChildren(pieceSvg(name));
        }}
      />
    );
  }
  const signs: Record<string, string> = { A: "○", a: "●", "!": "✱", _: "∅" };
  return (
    <span class="sign" aria-hidden="true">
      {signs[name] ?? name}
    </span>
  );
}
