// What the views share that ask for reports: the choice of databases, and jobs that are asked until they are done.

import { useEffect, useState } from "preact/hooks";
import { type Card, type Query, type Shelf, get } from "./api.ts";
import { useLoad } from "./ui.tsx";
import { t } from "./translations.ts";

export interface Report {
  isDone: boolean;
  scanned?: number;
}

/** The answer so far, asked again until it is complete; nothing is asked while `query` is null. */
export function useReport<T extends Report>(path: string, query: Query | null): { answer: T | null; error: unknown } {
  const [answer, setAnswer] = useState<T | null>(null);
  const [error, setError] = useState<unknown>(null);
  const key = query === null ? "" : JSON.stringify(query);
  useEffect(() => {
    setAnswer(null);
    setError(null);
    if (query === null) return;
    const controller = new AbortController();
    const run = async () => {
      for (;;) {
        const found = await get<T>(path, query, controller.signal);
        setAnswer(found);
        if (found.isDone) return;
        await new Promise((done) => setTimeout(done, 250));
        controller.signal.throwIfAborted();
      }
    };
    run().catch((problem: unknown) => {
      if (!controller.signal.aborted) setError(problem);
    });
    return () => controller.abort();
  }, [path, key]);
  return { answer, error };
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

export const percent = (share: number) => `${Math.round(share * 100)} %`;
