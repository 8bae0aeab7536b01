// Files that are opened from the page: chosen with a button, or dropped on the shelf.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Card, GoneError, get, put } from "./api.ts";
import { problemLine } from "./problem_texts.ts";
import { announce } from "./ui.tsx";
import { bytesText, t } from "./translations.ts";

interface Dropped {
  inputs: Card[];
  problems: string[];
}

interface State {
  /** The file that is sent now. */
  sending: string | null;
  problems: string[];
}

/** Sends files of one choice; they may be the files of one database. */
async function send(files: File[], show: (name: string) => void): Promise<Dropped> {
  const { space } = await get<{ space: number }>("drop");
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (bytes > space) {
    throw new Error(t("drop.tooLarge", { bytes: bytesText(bytes), space: bytesText(space) }));
  }
  const set = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  let answer: Dropped = { inputs: [], problems: [] };
  for (const [index, file] of files.entries()) {
    show(file.name);
    const more = index + 1 < files.length;
    answer = await put<Dropped>(`drop/${encodeURIComponent(file.name)}`, { set, more }, file);
  }
  return answer;
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

export function DropZone({ onOpened }: { onOpened: () => void }) {
  const [state, setState] = useState<State>({ sending: null, problems: [] });
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const isSending = useRef(false);

  const open = async (files: File[], folders: number) => {
    if (isSending.current) return;
    const problems = folders > 0 ? [t("drop.folder")] : [];
    setState({ sending: null, problems });
    if (files.length === 0) return;
    isSending.current = true;
    try {
      const answer = await send(files, (name) => setState({ sending: name, problems }));
      problems.push(...answer.problems);
      const names = answer.inputs.filter((card) => card.container === null).map((card) => card.name);
      announce(t("drop.done", { name: names.join(", ") }), true);
      onOpened();
    } catch (error) {
      if (error instanceof ApiError) problems.push(await problemLine(error.problem));
      else if (!(error instanceof GoneError)) problems.push(error instanceof Error ? error.message : String(error));
    }
    isSending.current = false;
    setState({ sending: null, problems });
  };
  const handler = useRef(open);
  handler.current = open;

  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const items = Array.from(event.dataTransfer?.items ?? []);
      const isFolder = items.map((item) => item.webkitGetAsEntry()?.isDirectory ?? false);
      const files = Array.from(event.dataTransfer?.files ?? []);
      const plain = files.filter((_, index) => !isFolder[index]);
      void handler.current(plain, files.length - plain.length);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);

  return (
    <section class={`drop-zone${isOver ? " over" : ""}`} aria-label={t("drop.label")}>
      <button type="button" aria-disabled={state.sending !== null} onClick={() => input.current?.click()}>
        {t("drop.open")}
      </button>
      <p role="status">{state.sending === null ? t("drop.hint") : t("drop.sending", { name: state.sending })}</p>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const files = Array.from(event.currentTarget.files ?? []);
          event.currentTarget.value = "";
          void open(files, 0);
        }}
      />
      {state.problems.length > 0 && (
        <div role="alert">
          {state.problems.map((problem) => (
            <p class="problem">
              <bdi>{problem}</bdi>
            </p>
          ))}
        </div>
      )}
    </section>
  );
}
