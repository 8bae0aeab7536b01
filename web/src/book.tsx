// A book as it is stored: every entry of a position in its order, with the raw fields. Changes are collected and saved in
// a new book, if the server writes.

import { useCallback, useEffect, useLayoutEffect, useState } from "preact/hooks";
import { type PositionAnswer, get } from "./api.ts";
import { useAsText } from "./board_as_text.tsx";
import { parseFen } from "./chess.ts";
import { BoardHost, usePointing } from "./board_host.tsx";
import { type MoveChange, changesAt, useBookChanges } from "./book_changes.ts";
import type { Editable, EditedMove } from "./book_edit.tsx";
import { useCanWrite, useDatabases } from "./database_choice_and_jobs.tsx";
import { bookHref, explorerHref, gamesHref, go, useAddress } from "./router.ts";
import { LineControls, NO_SHAPES, PositionAsText, useFlip } from "./line_controls.tsx";
import { current, useSettings } from "./settings.ts";
import { positionTerm } from "./query_terms.ts";
import { losingMoves } from "./stored_evaluations.ts";
import { Bar, DeadEnd, Later, Spinner, TableBox, copy, isTyping, title, useLoad } from "./ui.tsx";
import { moveText, number, percent, spoken, t, tn } from "./translations.ts";

const changesBar = async () => (await import("./book_edit.tsx")).ChangesBar;
const editDialog = async () => (await import("./book_edit.tsx")).EditDialog;

interface Entry {
  uci: string | null;
  san: string | null;
  /** The position after it. */
  fen: string | null;
  weight: number | null;
  share: number | null;
  games: number | null;
  white: number | null;
  draws: number | null;
  black: number | null;
  averageRating: number | null;
  performance: number | null;
  recommended: boolean | null;
  annotation: string | null;
  comment: string | null;
  learn: string | null;
  raw: string;
  /** What becomes of it in the new book. */
  change?: "changed" | "added" | "removed";
}

interface BookPage {
  name: string;
  format: string | null;
  isKnown: boolean;
  games: number | null;
  annotation: string | null;
  comment: string | null;
  entries: Entry[];
  opening: { eco: string; name: string } | null;
  can: Editable;
  extension: string;
}

/** Where the database with stored evaluations is kept. */
const EVALUATED = "tabia.evaluated";

/** Where it is kept that the stored bytes are shown. */
const RAW = "tabia.book-raw";

/** Where the database is kept whose games are shown for the moves. */
const GAMES_OF = "tabia.book-games";

/** The moves of the page that lose by stored evaluations, and in how many games; null while they are not known. */
function useLosingMoves(db: string, position: PositionAnswer | null, page: BookPage | null): Map<string, number> | null {
  const [found, set] = useState<Map<string, number> | null>(null);
  const ucis = (page?.entries ?? []).flatMap((entry) => (entry.uci !== null && entry.san !== null ? [entry.uci] : []));
  useEffect(() => {
    set(null);
    if (db === "" || position === null || ucis.length === 0) return;
    const controller = new AbortController();
    const isLegal = (uci: string) => position.legal.some((move) => move.uci === uci);
    // What cannot be asked has no warning.
    losingMoves(db, position, ucis.filter(isLegal), controller.signal).then(set, () => undefined);
    return () => controller.abort();
  }, [db, position?.fen, ucis.join()]);
  return found;
}

export function View() {
  const { path, query } = useAddress();
  const id = path[1] ?? "";
  const fen = query.get("fen") ?? "";
  const line = (query.get("play") ?? "").split(",").filter((uci) => uci !== "");
  const settings = useSettings();
  const databases = useDatabases() ?? [];
  const canWrite = useCanWrite();
  const changes = useBookChanges(id);
  const [isRaw, showRaw] = useState(() => localStorage.getItem(RAW) === "1");
  const [edited, edit] = useState<EditedMove | "new" | null>(null);
  const [evaluated, setEvaluated] = useState(() => localStorage.getItem(EVALUATED) ?? "");
  const [gamesOf, setGamesOf] = useState(() => localStorage.getItem(GAMES_OF) ?? "");
  const chosen = databases.find((card) => card.id === gamesOf) ?? databases.find((card) => card.bytes !== 0) ?? databases[0];
  const asked = { fen, play: line.join(",") };
  const page = useLoad<BookPage>((signal) => get(`book/${encodeURIComponent(id)}`, asked, signal), [id, fen, line.join()]);
  const load = useLoad<PositionAnswer>((signal) => get("position", asked, signal), [fen, line.join()]);
  const [position, setPosition] = useState<PositionAnswer | null>(null);
  const [shown, setShown] = useState<BookPage | null>(null);
  useEffect(() => {
    if (load.state === "done") setPosition(load.value);
  }, [load]);
  useEffect(() => {
    if (page.state === "done") setShown(page.value);
  }, [page]);
  const losing = useLosingMoves(databases.some((card) => card.id === evaluated) ? evaluated : "", position, shown);
  const pointing = usePointing(shown);
  title(`${t("book.title")}: ${id}`);
  const [isFlipped, flip] = useFlip();
  const [asText, toggleText] = useAsText();
  const goTo = (moves: string[]) =>
    go(bookHref(id, { ...(fen ? { fen } : {}), ...(moves.length > 0 ? { play: moves.join(",") } : {}), ...(isFlipped ? { flip: "1" } : {}), ...(asText ? { view: "text" } : {}) }));
  const onMove = useCallback((uci: string) => goTo([...line, uci]), [id, fen, line.join(), isFlipped, asText]);
  const back = () => goTo(line.slice(0, -1));
  const first = shown?.entries.find((entry) => entry.uci !== null && entry.san !== null)?.uci ?? undefined;
  const next = () => first !== undefined && goTo([...line, first]);
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event) || event.altKey || document.querySelector("dialog[open]")) return;
      if (event.ctrlKey || event.metaKey) {
        const isRedo = event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z");
        if (!canWrite || (!isRedo && event.key !== "z")) return;
        event.preventDefault();
        if (isRedo) changes.redo();
        else changes.undo();
        return;
      }
      if (event.key.length === 1 && !current().singleKeys) return;
      if (event.key === "ArrowLeft" && line.length > 0) back();
      else if (event.key === "ArrowRight") next();
      else if (event.key === "Home") goTo([]);
      else if (event.key === "f") flip();
      else if (event.key === "x") toggleText();
      else if (event.key === "c" && position) void copy(position.fen);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  const failed = page.state === "error" ? page.error : load.state === "error" ? load.error : null;
  if (failed !== null) {
    return (
      <DeadEnd error={failed} name={id}>
        {fen + line !== "" && (
          <a class="button" href={bookHref(id)}>
            <bdi>{id}</bdi>
          </a>
        )}
      </DeadEnd>
    );
  }
  if (!position || !shown) return <Spinner />;
  const entries = withChanges(shown.entries, changesAt(changes.now, position.fen));
  const others = position.legal.filter((legal) => !entries.some((entry) => entry.uci === legal.uci));
  const hasRaw = isRaw && entries.some((entry) => entry.raw !== "");
  const has = (field: keyof Entry) => entries.some((entry) => entry[field] !== null && entry[field] !== "");
  return (
    <section class="game book-view">
      <div class="board-side">
        <BoardHost
          placement={parseFen(position.fen)}
          isFlipped={isFlipped}
          lastUci={line[line.length - 1] ?? ""}
          shapes={NO_SHAPES}
          position={position}
          onMove={onMove}
          onWheel={(down) => (down ? next() : back())}
          steps={[line.length > 0, first !== undefined]}
        />
        <LineControls
          position={position}
          isStart={line.length === 0}
          onStart={() => goTo([])}
          onBack={back}
          isEnd={first === undefined}
          onNext={next}
          onFlip={flip}
          asText={asText}
          onText={toggleText}
        />
      </div>
      <div class="text-side">
        {asText && <PositionAsText {...{ position, onMove }} positionNow={() => get("position", asked)} />}
        <header class="bar-line">
          <h1>
            <bdi>{shown.name}</bdi>
          </h1>
          {shown.format && <span class="badge">{shown.format}</span>}
          <span class="grow" />
          <a class="button" href={explorerHref([id], { ...(fen ? { fen } : {}), play: line.join(",") })}>
            {t("card.explore")}
          </a>
        </header>
        <p class="opening">
          {shown.opening ? (
            <>
              <b>{shown.opening.eco}</b> {shown.opening.name}
            </>
          ) : (
            " "
          )}{" "}
          {shown.annotation && <span class="nag">{shown.annotation}</span>}
        </p>
        {shown.comment && (
          <p class="comment">
            <bdi>{shown.comment}</bdi>
          </p>
        )}
        {canWrite && (
          <Later load={changesBar} id={id} name={shown.name} extension={shown.extension} changes={changes} onAdd={() => edit("new")} />
        )}
        {edited !== null && (
          <Later
            load={editDialog}
            fen={position.fen}
            move={edited === "new" ? null : edited}
            moves={others}
            can={shown.can}
            changes={changes}
            onClose={() => edit(null)}
          />
        )}
        {entries.length === 0 ? (
          <p class="empty">{t("book.nothing")}</p>
        ) : (
          <TableBox label={t("book.entries")} file={shown.name} class="panel-box">
            <table class="data">
              <thead>
                <tr>
                  <th scope="col" class="n">#</th>
                  <th scope="col">{t("explorer.move")}</th>
                  {has("weight") && <th scope="col" class="n">{t("explorer.weight")}</th>}
                  {has("share") && <th scope="col" class="n">{t("book.share")}</th>}
                  {has("games") && <th scope="col" class="n">{t("card.games")}</th>}
                  {has("white") && <th scope="col">{t("col.result")}</th>}
                  {has("averageRating") && <th scope="col" class="n">{t("explorer.rating")}</th>}
                  {has("performance") && <th scope="col" class="n">{t("explorer.performance")}</th>}
                  {has("comment") && <th scope="col">{t("book.comment")}</th>}
                  {has("learn") && <th scope="col">learn</th>}
                  {hasRaw && <th scope="col">{t("book.raw")}</th>}
                  {canWrite && (
                    <th scope="col">
                      <span class="visually-hidden">{t("book.edit")}</span>
                    </th>
                  )}
                  {chosen && (
                    <th scope="col">
                      <span class="visually-hidden">{t("book.gamesIn")}</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody {...pointing}>
                {entries.map((entry, index) => (
                  <tr class={entry.change ?? ""} data-uci={entry.uci}>
                    <td class="n">{index + 1}</td>
                    <th scope="row">
                      {entry.san !== null && entry.uci !== null ? (
                        <button type="button" class="move-button" aria-label={spoken(entry.san)} onClick={() => onMove(entry.uci ?? "")}>
                          {moveText(entry.san, settings.pieces)}
                        </button>
                      ) : (
                        <span class="problem">{t("book.noMove")}</span>
                      )}
                      {entry.recommended === true && <span class="mark good" title={t("explorer.good")} aria-label={t("explorer.good")} role="img">●</span>}
                      {entry.recommended === false && <span class="mark bad" title={t("explorer.bad")} aria-label={t("explorer.bad")} role="img">▲</span>}
                      {entry.annotation && <span class="nag">{entry.annotation}</span>}
                      {losing?.get(entry.uci ?? "") !== undefined && (
                        <span class="mark bad" role="img" title={tn("book.loses", losing.get(entry.uci ?? "") ?? 0)} aria-label={tn("book.loses", losing.get(entry.uci ?? "") ?? 0)}>
                          ⚠
                        </span>
                      )}
                      {entry.change && <span class="only">{t(`book.${entry.change}`)}</span>}
                    </th>
                    {has("weight") && <td class="n">{entry.weight === null ? "–" : number(entry.weight)}</td>}
                    {has("share") && <td class="n">{entry.share === null ? "–" : percent(entry.share, 1)}</td>}
                    {has("games") && <td class="n">{entry.games === null ? "–" : number(entry.games)}</td>}
                    {has("white") && <td>{entry.white === null ? "–" : <Bar white={entry.white} draws={entry.draws ?? 0} black={entry.black ?? 0} />}</td>}
                    {has("averageRating") && <td class="n">{entry.averageRating ?? "–"}</td>}
                    {has("performance") && <td class="n">{entry.performance ?? "–"}</td>}
                    {has("comment") && (
                      <td>
                        <bdi>{entry.comment ?? ""}</bdi>
                      </td>
                    )}
                    {has("learn") && <td><code>{entry.learn ?? ""}</code></td>}
                    {hasRaw && <td><code>{entry.raw}</code></td>}
                    {canWrite && (
                      <td>
                        {entry.uci !== null && entry.san !== null && (
                          <button
                            type="button"
                            class="link"
                            aria-label={t("book.editNamed", { move: entry.san })}
                            onClick={() => edit({ ...entry, uci: entry.uci ?? "", san: entry.san ?? "", isRemoved: entry.change === "removed" })}
                          >
                            {t("book.edit")}
                          </button>
                        )}
                      </td>
                    )}
                    {chosen && (
                      <td>
                        {entry.fen !== null && entry.san !== null && (
                          <a href={gamesHref([chosen.id], { q: positionTerm(entry.fen) })} aria-label={t("book.gamesOfNamed", { name: chosen.id, move: spoken(entry.san) })}>
                            {t("book.gamesOf")}
                          </a>
                        )}
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </TableBox>
        )}
        {has("raw") && (
          <label class="check sub">
            <input
              type="checkbox"
              checked={isRaw}
              onChange={(event) => {
                localStorage.setItem(RAW, event.currentTarget.checked ? "1" : "");
                showRaw(event.currentTarget.checked);
              }}
            />{" "}
            {t("book.showRaw")}
          </label>
        )}
        {chosen && (
          <p class="sub">
            <label>
              {t("book.gamesIn")}{" "}
              <select
                value={chosen.id}
                onChange={(event) => {
                  localStorage.setItem(GAMES_OF, event.currentTarget.value);
                  setGamesOf(event.currentTarget.value);
                }}
              >
                {databases.map((card) => (
                  <option value={card.id}>{card.id}</option>
                ))}
              </select>
            </label>{" "}
            <a href={gamesHref([chosen.id], { q: positionTerm(position.fen) })}>{t("explorer.games")}</a>
          </p>
        )}
        {databases.length > 0 && (
          <p class="sub">
            <label>
              {t("book.evals")}{" "}
              <select
                value={evaluated}
                onChange={(event) => {
                  localStorage.setItem(EVALUATED, event.currentTarget.value);
                  setEvaluated(event.currentTarget.value);
                }}
              >
                <option value="">{t("book.evalsNone")}</option>
                {databases.map((card) => (
                  <option value={card.id}>{card.id}</option>
                ))}
              </select>
            </label>{" "}
            <span role="status">{losing?.size === 0 && t("book.losesNone")}</span>
          </p>
        )}
        <p class="sub">{t(canWrite ? "book.editable" : "book.readOnly")}</p>
      </div>
    </section>
  );
}

/** The entries as they would be in the new book. */
function withChanges(entries: Entry[], changes: MoveChange[]): Entry[] {
  const changed = entries.map((entry): Entry => {
    const change = changes.find((known) => known.move === entry.uci);
    if (!change) return entry;
    if (change.remove) return { ...entry, change: "removed" };
    return { ...apply(entry, change), change: "changed" };
  });
  const added = changes.filter((change) => !change.remove && !entries.some((entry) => entry.uci === change.move));
  const all = [...changed, ...added.map((change): Entry => ({ ...apply(emptyEntry(change), change), change: "added" }))];
  if (changes.length === 0) return all;
  // The shares of the new weights.
  const sum = all.reduce((sum, entry) => sum + (entry.change === "removed" ? 0 : (entry.weight ?? 0)), 0);
  return all.map((entry) => {
    if (entry.weight === null) return entry;
    return { ...entry, share: entry.change === "removed" || sum === 0 ? null : entry.weight / sum };
  });
}

function apply(entry: Entry, change: MoveChange): Entry {
  const advice = { play: true, avoid: false, none: null };
  return {
    ...entry,
    weight: change.weight ?? entry.weight,
    annotation: change.annotation === undefined ? entry.annotation : change.annotation || null,
    recommended: change.advice === undefined ? entry.recommended : advice[change.advice],
    comment: change.comment === undefined ? entry.comment : change.comment || null,
  };
}

const emptyEntry = (change: MoveChange): Entry => ({
  uci: change.move, san: change.san, fen: null, weight: null, share: null, games: null, white: null, draws: null, black: null,
  averageRating: null, performance: null, recommended: null, annotation: null, comment: null, learn: null, raw: "",
});
