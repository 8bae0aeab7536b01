// The form that names a new file and starts the job that writes it.

import { useState } from "preact/hooks";
import { get } from "./api.ts";
import { useCanWrite } from "./database_choice_and_jobs.tsx";
import { startJob } from "./jobs.tsx";
import { ErrorBox, announce, useLoad } from "./ui.tsx";
import { formatName, t } from "./translations.ts";

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

/** The form that writes databases with what was decided, in a format that is chosen; nothing if the server does not write. */
export function WriteDecided(props: {
  title: string;
  hint: string;
  path: string;
  /** What is written, without name, format and `force`. */
  request: Record<string, unknown>;
  /** The name of the file without its extension. */
  name: string;
}) {
  const canWrite = useCanWrite();
  const formats = useLoad<{ targets: { id: string; name: string; extension: string }[] }>((signal) => get("formats", {}, signal), []);
  const [to, setTo] = useState("pgn");
  if (!canWrite || formats.state !== "done") return null;
  const target = formats.value.targets.find((found) => found.id === to);
  return (
    <section class="panel-box">
      <h2>{props.title}</h2>
      <p>
        <label class="choose">
          {t("convert.to")}{" "}
          <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
            {formats.value.targets.map((found) => (
              <option value={found.id}>{formatName(found.name)}</option>
            ))}
          </select>
        </label>
      </p>
      <p class="sub">{props.hint}</p>
      <WriteForm method="POST" path={props.path} request={{ ...props.request, to }} name={`${props.name}.${target?.extension ?? "pgn"}`} />
    </section>
  );
}
