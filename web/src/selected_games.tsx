// What can be done with the selected games of a list; loaded when there are some.

import { useState } from "preact/hooks";
import { get, getText, save } from "./api.ts";
import { copyCommand, quoted, stem } from "./commands.tsx";
import { useCanWrite } from "./database_choice_and_jobs.tsx";
import type { Picked, Selection } from "./selection.ts";
import { WriteForm } from "./write_file.tsx";
import { Dialog, ErrorBox, announce, copy, useLoad } from "./ui.tsx";
import { t, tn } from "./translations.ts";

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

/** One command for each database: the numbers are those of its games. */
function copyCommands(games: Picked): void {
  const parts = byDatabase(games);
  const command = (input: string, [db, numbers]: [string, string]) =>
    `tabia convert ${input} --games ${numbers} -o ${quoted(`${stem(db)}-selected.pgn`)}`;
  copyCommand(
    parts.map(([db]) => db),
    (inputs) => parts.map((part, index) => command(inputs[index] ?? "", part)).join(" && "),
  );
}

async function textOf(games: Picked): Promise<string> {
  const texts: string[] = [];
  for (const { db, game } of games.values()) texts.push((await getText(`db/${encodeURIComponent(db)}/games/${game}.pgn`)).trim());
  return `${texts.join("\n\n")}\n`;
}

/** The line below the list. */
export function SelectionBar({ selection }: { selection: Selection }) {
  const { games } = selection;
  const [isSaving, setSaving] = useState(false);
  return (
    <footer class="selection" aria-label={t("games.selection")}>
      <span>{t("games.selected", { n: games.size })}</span>
      <button type="button" onClick={() => setSaving(true)}>
        {t("book.save")}
      </button>
      <button type="button" onClick={() => copyCommands(games)}>
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
