// The form that names a new file and starts the job that writes it.

import { useState } from "preact/hooks";
import { startJob } from "./jobs.tsx";
import { ErrorBox, announce } from "./ui.tsx";
import { t } from "./translations.ts";

export function WriteForm(props: {
  method: "POST" | "PATCH";
  path: string;
  /** What is written, without name and `force`. */
  request: Record<string, unknown>;
  name: string;
  onStarted?: () => void;
}) {
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  return (
    <form
      class="write-form"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = event.currentTarget.elements;
        const name = (fields.namedItem("name") as HTMLInputElement).value.trim();
        const force = (fields.namedItem("force") as HTMLInputElement).checked;
        setError(null);
        setSending(true);
        startJob(props.method, props.path, { ...props.request, name, force }).then(
          (job) => {
            setSending(false);
            announce(t("write.started", { name: job.name ?? name }), true);
            props.onStarted?.();
          },
          (problem: unknown) => {
            setSending(false);
            setError(problem);
          },
        );
      }}
    >
      <label>
        {t("write.name")} <input name="name" key={props.name} defaultValue={props.name} required autoComplete="off" spellcheck={false} />
      </label>
      <label class="check">
        <input type="checkbox" name="force" /> {t("write.replace")}
      </label>
      <button type="submit" disabled={isSending}>
        {t("write.do")}
      </button>
      <p class="sub">{t("write.hint")}</p>
      {error !== null && <ErrorBox error={error} />}
    </form>
  );
}
