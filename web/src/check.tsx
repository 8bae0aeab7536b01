// What is wrong with an input: the problems that `tabia check` reports, by kind.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type HealthAnswer, type InputInfo, get, save } from "./api.ts";
import { useReport } from "./database_choice_and_jobs.tsx";
import { Further } from "./input_repair_and_names.tsx";
import { explorerHref, gameHref, gamesHref, useAddress } from "./router.ts";
import { DeadEnd, ErrorBox, FeatureName, ProblemLine, ServerText, Spinner, title, useLoad } from "./ui.tsx";
import { remember } from "./remembered.ts";
import { formatName as nameOfFormat, number, t } from "./translations.ts";

/** The name of a format; the version where it is not already in it. */
function formatText({ format, formatName, version }: InputInfo): string {
  const [name, more] = [nameOfFormat(formatName ?? ""), version ?? ""];
  const isKnown = name.toLowerCase().includes(more.toLowerCase()) || more.toLowerCase() === format?.toLowerCase();
  return isKnown ? name : `${name} ${more}`;
}

export function View() {
  const { query } = useAddress();
  const db = query.get("db") ?? "";
  const info = useLoad<InputInfo>((signal) => get(`db/${encodeURIComponent(db)}`, {}, signal), [db]);
  const { answer: health, error } = useReport<HealthAnswer>(`db/${encodeURIComponent(db)}/health`, {});
  title(`${t("health.title")}: ${db}`);
  const card = info.state === "done" ? info.value : null;
  const fingerprint = card?.fingerprint;
  useEffect(() => {
    if (fingerprint !== undefined && health?.isDone && !health.error) remember(db, { checked: { fingerprint, problems: health.problems } });
  }, [db, fingerprint, health]);
  if (info.state === "error") return <DeadEnd error={info.error} name={db} />;
  const known = Object.keys(COUNT_NAMES);
  const counts = Object.entries(health?.counts ?? {}).filter(([, value]) => typeof value === "number") as [string, number][];
  counts.sort(([a], [b]) => known.indexOf(a) - known.indexOf(b));
  const contents = (health?.counts?.["annotations"] as { kind: string; label: string; count: number }[] | undefined) ?? [];
  // Texts are counted as such; their parts say nothing more.
  const annotations = contents.filter(({ kind }) => kind !== "guidingTexts");
  return (
    <section class="health">
      <header class="bar-line">
        <h1>
          {t("health.title")}: <bdi>{card?.name ?? db}</bdi>
        </h1>
        {card && (
          <a class="button" href={card.kind === "book" ? explorerHref([db]) : gamesHref([db])}>
            {t("open")}
          </a>
        )}
        {health?.isDone && (
          <button
            type="button"
            onClick={() => save(new Blob([JSON.stringify(health, null, 2), "\n"], { type: "application/json" }), `${db}.check.json`)}
          >
            {t("save.json")}
          </button>
        )}
      </header>
      {card && (
        <table class="tags facts">
          <caption class="visually-hidden">{t("health.properties")}</caption>
          <tbody>
            <Fact name={t("health.format")} value={formatText(card)} />
            <Fact name={t("health.encoding")} value={card.encoding?.replace(/,? (or|else) /, " / ") ?? ""} />
            <Fact name={t("health.titleField")} value={card.title ?? ""} />
            <Fact name={t("health.folder")} value={card.folder} />
          </tbody>
        </table>
      )}
      {error !== null && <ErrorBox error={error} />}
      {health === null && error === null && <Spinner />}
      {health && (
        <>
          <p role="status" class={`state ${health.isDone ? (health.problems === 0 && !health.error ? "ok" : "bad") : ""}`}>
            {!health.isDone
              ? t("health.running", { n: health.games })
              : health.problem
                ? <ProblemLine problem={health.problem} />
                : health.problems === 0
                  ? `✓ ${t("health.ok")}`
                  : t("health.found", { n: health.problems })}
          </p>
          {health.kinds.length > 0 && (
            <ol class="kinds">
              {health.kinds.map((kind) => (
                <li>
                  {/* What differs between the problems of a kind is in the examples; a single problem is its own title. */}
                  {kind.count === 1 ? (
                    <>
                      <b>1 ×</b> {kind.examples.map((example) => <Example db={db} example={example} />)}
                    </>
                  ) : (
                    <details open={health.kinds.length <= 3}>
                      <summary>
                        <b>{number(kind.count)} ×</b> <ServerText text={kind.kind} known={kind.known} />
                      </summary>
                      <ul>
                        {kind.examples.map((example) => (
                          <li>
                            <Example db={db} example={example} />
                          </li>
                        ))}
                        {kind.count > kind.examples.length && <li>{t("health.more", { n: kind.count - kind.examples.length })}</li>}
                      </ul>
                    </details>
                  )}
                </li>
              ))}
            </ol>
          )}
          {card?.kind === "database" && health.isDone && <Further key={db} db={db} name={card.name} />}
          {counts.length > 0 && (
            <section class="panel-box">
              <h2>{t("health.read")}</h2>
              <dl class="counts">
                {counts.map(([name, value]) => (
                  <Count name={COUNT_NAMES[name] ? t(COUNT_NAMES[name]) : name} value={value} />
                ))}
                {annotations.map(({ kind, label, count }) => (
                  <Count name={<FeatureName kind={kind} label={label} />} value={count} />
                ))}
              </dl>
            </section>
          )}
        </>
      )}
    </section>
  );
}

type ExampleJson = HealthAnswer["kinds"][number]["examples"][number];

function Example({ db, example }: { db: string; example: ExampleJson }) {
  return (
    <>
      {example.game !== null && (
        <a href={gameHref(db, example.game, example.ply !== null ? { ply: String(example.ply) } : {})}>{t("health.game", { n: example.game })}</a>
      )}{" "}
      <ServerText text={example.text} known={example.known} />
      {placeOf(example)}
    </>
  );
}

/** Where something is: the file of an input of several, and the place in it. */
function placeOf({ file, line, offset }: ExampleJson): string {
  const places = [file, line !== null && t("health.line", { n: line }), offset !== null && `0x${offset.toString(16)}`];
  const known = places.filter((place) => place);
  return known.length > 0 ? ` (${known.join(", ")})` : "";
}

const COUNT_NAMES: Record<string, Parameters<typeof t>[0]> = {
  games: "count.games",
  texts: "count.texts",
  deleted: "count.deleted",
  plies: "count.plies",
  variations: "count.variations",
  positions: "count.positions",
  moves: "count.moves",
};

function Count({ name, value }: { name: ComponentChildren; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{number(value)}</dd>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value.trim() === "") return null;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <bdi>{value}</bdi>
      </td>
    </tr>
  );
}
