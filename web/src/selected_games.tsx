// The games that are selected in a list, and what can be done with them.

import { useState } from "preact/hooks";
import { type Row, get, getText, save } from "./api.ts";
import { useCanWrite } from "./database_choice_and_jobs.tsx";
import { WriteForm } from "./write_file.tsx";
import { Dialog, ErrorBox, announce, copy, useLoad } from "./ui.tsx";
import { t, tn } from "./translations.ts";

/** Games at most; a query has no limit. */
const MAX = 1000;

type Picked = ReadonlyMap<string, { db: string; game: number }>;

/** Kept while the page is open: other orders and queries show the same selection. */
const kept = new Map<string, Picked>();
const keyOf = (db: string, game: number) => `${db}\n${game}`;

export interface Selection {
  games: Picked;
  has: (row: Row) => boolean;
  toggle: (row: Row) => void;
  add: (rows: Row[]) => void;
  clear: () => void;
}

/** The selection of the list of these databases. */
export function useSelection(list: string): Selection {
  const [games, set] = useState<Picked>(() => kept.get(list) ?? new Map());
  const put = (next: Picked) => {
    kept.set(list, next);
    set(next);
    announce(t("games.selected", { n: next.size }), next.size === MAX);
  };
  const now = () => kept.get(list) ?? games;
  return {
    games,
    has: (row) => now().has(keyOf(row[0], row[1])),
    toggle: (row) => {
      const next = new Map(now());
      const key = keyOf(row[0], row[1]);
      if (!next.delete(key) && next.size < MAX) next.set(key, { db: row[0], game: row[1] });
      put(next);
    },
    add: (rows) => {
      const next = new Map(now());
      for (const row of rows) if (next.size < MAX) next.set(keyOf(row[0], row[1]), { db: row[0], game: row[1] });
      put(next);
    },
    clear: () => put(new Map()),
  };
}

/** Numbers as the command takes them: `1-3,7`. */
export function rangesOf(numbers: number[]): string {
  const parts: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = parts[parts.length - 1];
    if (last && last[1] + 1 === number) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(",");
}

function byDatabase(games: Picked): [string, string][] {
  const found = new Map<string, number[]>();
  for (const { db, game } of games.values()) found.set(db, [...(found.get(db) ?? []), game]);
  return [...found].map(([db, numbers]) => [db, rangesOf(numbers)]);
}

const quoted = (text: string) => (/[^\w.-]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text);
const stem = (name: string) => name.replace(/(\.\w+)+$/, "");

/** One command for each database: the numbers are those of its games. */
const commandOf = (games: Picked) =>
  byDatabase(games)
    .map(([db, numbers]) => `tabia convert ${quoted(db)} --games ${numbers} -o ${quoted(`${stem(db)}-selected.pgn`)}`)
    .join(" && ");

async function textOf(games: Picked): Promise<string> {
  const texts: string[] = [];
  for (const { db, game } of games.values()) texts.push((await getText(`db/${encodeURIComponent(db)}/games/${game}.pgn`)).trim());
  return `${texts.join("\n\n")}\n`;
}

/** The line below the list; nothing without selected games. */
export function SelectionBar({ selection }: { selection: Selection }) {
  const { games } = selection;
  const [isSaving, setSaving] = useState(false);
  if (games.size === 0) return null;
  return (
    <footer class="selection" aria-label={t("games.selection")}>
      <span>{t("games.selected", { n: games.size })}</span>
      <button type="button" onClick={() => setSaving(true)}>
        {t("book.save")}
      </button>
      <button type="button" onClick={() => void copy(commandOf(games))}>
        {t("copy.command")}
      </button>
      <button type="button" onClick={() => void textOf(games).then(copy, (error: unknown) => announce(String(error), true))}>
        {t("copy.pgn")}
      </button>
      <span class="grow" />
      <button type="button" onClick={selection.clear}>
        {t("games.selectNone")}
      </button>
      {isSaving && <SaveDialog games={games} onClose={() => setSaving(false)} />}
    </footer>
  );
}

interface Target {
  id: string;
  name: string;
  extension: string;
}

/** Saves the games as PGN in the browser or, if the server writes, as a file of any format. */
function SaveDialog({ games, onClose }: { games: Picked; onClose: () => void }) {
  const canWrite = useCanWrite();
  const formats = useLoad<{ targets: Target[] }>((signal) => (canWrite ? get("formats", {}, signal) : Promise.resolve({ targets: [] })), [canWrite]);
  const [to, setTo] = useState("pgn");
  const [error, setError] = useState<unknown>(null);
  const targets = formats.state === "done" ? formats.value.targets : [];
  const extension = targets.find((target) => target.id === to)?.extension ?? to;
  const download = () =>
    textOf(games).then((text) => {
      save(new Blob([text], { type: "application/x-chess-pgn" }), "games.pgn");
      onClose();
    }, setError);
  return (
    <Dialog title={`${t("book.save")} ${tn("n.games", games.size)}`} onClose={onClose}>
      <p>
        <button type="button" onClick={() => void download()}>
          {t("games.download")}
        </button>
      </p>
      {error !== null && <ErrorBox error={error} />}
      {canWrite && targets.length > 0 && (
        <section>
          <h3>{t("write.title")}</h3>
          <p>
            <label class="choose">
              {t("convert.to")}{" "}
              <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
                {targets.map((target) => (
                  <option value={target.id}>{target.name}</option>
                ))}
              </select>
            </label>
          </p>
          {byDatabase(games).map(([db, numbers]) => (
            <WriteForm
              method="POST"
              path="convert"
              request={{ db, to, games: numbers }}
              name={`${stem(db)}-selected.${extension}`}
              onStarted={onClose}
            />
          ))}
        </section>
      )}
    </Dialog>
  );
}
