// What the views share that ask for reports: the choice of databases, and jobs that are asked until they are done.

import { useEffect, useState } from "preact/hooks";
import { type Card, type Query, type Shelf, get } from "./api.ts";
import { useLoad } from "./ui.tsx";
import { t } from "./translations.ts";

export interface Report {
  isDone: boolean;
  scanned?: number;
}

/**
 * The answer so far, asked again until it is complete or `isStopped`; nothing is asked while `query` is null. What
 * answered an earlier query, or the same one in another `state`, is never given with a new one.
 */
export function useReport<T extends Report>(path: string, query: Query | null, isStopped = false, state = 0): { answer: T | null; error: unknown } {
  const key = query === null ? "" : `${path}${JSON.stringify(query)}${state}`;
  const [found, set] = useState<{ key: string; answer: T | null; error: unknown }>({ key, answer: null, error: null });
  useEffect(() => {
    if (query === null || isStopped) return;
    const controller = new AbortController();
    const run = async () => {
      for (;;) {
        const answer = await get<T>(path, query, controller.signal);
        controller.signal.throwIfAborted();
        set({ key, answer, error: null });
        if (answer.isDone) return;
        await new Promise((done) => setTimeout(done, 250));
      }
    };
    run().catch((error: unknown) => {
      if (!controller.signal.aborted) set({ key, answer: null, error });
    });
    return () => controller.abort();
  }, [key, isStopped]);
  return found.key === key ? found : { answer: null, error: null };
}

/** Whether the server writes new files. */
export function useCanWrite(): boolean {
  const shelf = useLoad<Shelf>((signal) => get("shelf", {}, signal), []);
  return shelf.state === "done" && shelf.value.canWrite;
}

/** The databases of the shelf that can be used. */
export function useDatabases(): Card[] | null {
  const shelf = useLoad<Shelf>((signal) => get("shelf", {}, signal), []);
  if (shelf.state !== "done") return shelf.state === "error" ? [] : null;
  return shelf.value.inputs.filter((input) => input.kind === "database" && !input.error);
}

/** A choice of one database, or of all. */
export function ChooseDatabase(props: { databases: Card[]; value: string; hasAll?: boolean; onChange: (db: string) => void }) {
  const all = props.databases.map((card) => card.id).join(",");
  const isKnown = props.databases.some((card) => card.id === props.value) || props.value === all;
  return (
    <label class="choose">
      {t("choose.database")}{" "}
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.hasAll && props.databases.length > 1 && <option value={all}>{t("choose.all")}</option>}
        {!isKnown && props.value !== "" && <option value={props.value}>{props.value}</option>}
        {props.databases.map((card) => (
          <option value={card.id}>{card.id}</option>
        ))}
      </select>
    </label>
  );
}
