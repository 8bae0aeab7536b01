// Inputs whose files change or are gone while they are shown.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { ApiError, get } from "./api.ts";
import type { Stated } from "./problem_texts.ts";
import { useAddress } from "./router.ts";
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
/** Looks at once: what is there when a view opens is what it shows. */
let lookNow: () => void = () => undefined;

/** Looks at the files of inputs as long as something shows them. */
export function useWatched(ids: string[]): void {
  useLayoutEffect(() => {
    watched.add(ids);
    lookNow();
    return () => {
      watched.delete(ids);
    };
  }, [ids.join()]);
}

/** The inputs that cannot be read any more; `onChange` when the files of others have changed. */
export function GoneInputs({ onChange }: { onChange: (names: string) => void }) {
  const [gone, setGone] = useState<{ view: string; inputs: InputState[] }>({ view: "", inputs: [] });
  useAddress();
  useEffect(() => {
    const known = new Map<string, string>();
    let view = "";
    const look = async () => {
      const ids = [...new Set([...watched].flat())].filter((id) => id !== "");
      // Another view is read after what was noticed before, and states itself what it cannot read.
      if (view !== location.pathname) known.clear();
      view = location.pathname;
      if (document.hidden) return;
      const { inputs } = ids.length > 0 ? await get<{ inputs: InputState[] }>("state", { db: ids.join() }, undefined, "no-store") : { inputs: [] };
      setGone({ view, inputs: inputs.filter((input) => input.problem && known.has(input.id)) });
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
      clearTimeout(timer);
      timer = setTimeout(run, PAUSE);
    };
    const run = () =>
      void look().then(again, (error: unknown) => {
        // Without the key there is nothing to look at.
        if (error instanceof ApiError) lookNow = () => undefined;
        else again();
      });
    lookNow = () => {
      clearTimeout(timer);
      timer = setTimeout(run);
    };
    lookNow();
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      {(gone.view === location.pathname ? gone.inputs : []).map((input) => (
        <p class="gone" role="alert" key={input.id}>
          {t("goneInput")} <ProblemLine problem={input.problem as Stated} />
        </p>
      ))}
    </>
  );
}
