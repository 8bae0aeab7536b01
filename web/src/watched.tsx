// Inputs whose files change or are gone while they are shown.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { ApiError, get } from "./api.ts";
import type { Stated } from "./problem_texts.ts";
import { ProblemLine } from "./ui.tsx";
import { t } from "./translations.ts";

interface InputState {
  id: string;
  name: string;
  fingerprint: string;
  problem: Stated | null;
}

const PAUSE = 2000;
const watched = new Set<string[]>();

/** Looks at the files of inputs as long as something shows them. */
export function useWatched(ids: string[]): void {
  useLayoutEffect(() => {
    watched.add(ids);
    return () => {
      watched.delete(ids);
    };
  }, [ids.join()]);
}

/** The inputs that cannot be read any more; `onChange` when the files of others have changed. */
export function GoneInputs({ onChange }: { onChange: (names: string) => void }) {
  const [gone, setGone] = useState<InputState[]>([]);
  useEffect(() => {
    const known = new Map<string, string>();
    const look = async () => {
      const ids = [...new Set([...watched].flat())].filter((id) => id !== "");
      if (document.hidden) return;
      const { inputs } = ids.length > 0 ? await get<{ inputs: InputState[] }>("state", { db: ids.join() }, undefined, "no-store") : { inputs: [] };
      setGone(inputs.filter((input) => input.problem));
      // What is shown again later is read again then.
      for (const id of known.keys()) if (!ids.includes(id)) known.delete(id);
      const changed = [];
      for (const { id, name, fingerprint, problem } of inputs) {
        if (problem) continue;
        if ((known.get(id) ?? fingerprint) !== fingerprint) changed.push(name);
        known.set(id, fingerprint);
      }
      if (changed.length > 0) onChange(changed.join(", "));
    };
    let timer = 0;
    const again = () => {
      timer = setTimeout(run, PAUSE);
    };
    // Without the key there is nothing to look at.
    const run = () => void look().then(again, (error: unknown) => error instanceof ApiError || again());
    run();
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      {gone.map((input) => (
        <p class="gone" role="alert" key={input.id}>
          {t("goneInput")} <ProblemLine problem={input.problem as Stated} />
        </p>
      ))}
    </>
  );
}
