// Pairs of games that are the same, as `tabia dedupe` finds them; nothing is changed.

import { useState } from "preact/hooks";
import { ChooseDatabase, type Report, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { duplicatesHref, gameHref, go, useAddress } from "./router.ts";
import { ErrorBox, Spinner, copy, title } from "./ui.tsx";
import { number, t } from "./translations.ts";

interface Row {
  db: string;
  game: number;
  white: string;
  whiteElo: number | null;
  black: string;
  blackElo: number | null;
  result: string;
  event: string;
  site: string;
  round: string;
  date: string | null;
  eco: string | null;
  plies: number | null;
  annotator: string;
  flags: string;
}

interface Pair {
  group: number;
  kind: "exact" | "near" | "embedded";
  score: number;
  common: number;
  plies: [number, number];
  kept: Row | null;
  dropped: Row | null;
}

interface DuplicatesAnswer extends Report {
  count: number;
  kinds: Record<string, number>;
  pairs: Pair[];
  total: number;
}

type Field = "white" | "whiteElo" | "black" | "blackElo" | "result" | "event" | "site" | "round" | "date" | "eco" | "annotator" | "flags";

const FIELDS: [Field, () => string][] = [
  ["white", () => t("col.white")],
  ["whiteElo", () => t("col.elo")],
  ["black", () => t("col.black")],
  ["blackElo", () => t("col.elo")],
  ["result", () => t("col.result")],
  ["event", () => t("col.event")],
  ["site", () => t("col.site")],
  ["round", () => t("col.round")],
  ["date", () => t("col.date")],
  ["eco", () => "ECO"],
  ["annotator", () => t("col.annotator")],
  ["flags", () => "VCS"],
];

const PAGE = 50;

export function View() {
  const { query } = useAddress();
  const databases = useDatabases();
  const db = query.get("db") ?? databases?.[0]?.id ?? "";
  const [shown, show] = useState(PAGE);
  const { answer, error } = useReport<DuplicatesAnswer>("duplicates", db === "" ? null : { db, n: Math.min(500, shown) });
  title(t("duplicates.title"));
  if (databases === null) return <Spinner />;
  const names = db.split(",").map((id) => databases.find((card) => card.id === id)?.name ?? id);
  const command = `tabia dedupe ${names.map((name) => (/[^\w.-]/.test(name) ? `'${name}'` : name)).join(" ")} -o unique.pgn`;
  return (
    <section class="report">
      <header class="bar-line">
        <h1>{t("duplicates.title")}</h1>
        <span class="grow" />
        <ChooseDatabase databases={databases} value={db} hasAll onChange={(chosen) => go(duplicatesHref(chosen))} />
        <button type="button" onClick={() => void copy(command)}>
          {t("copy.command")}
        </button>
      </header>
      {error !== null && <ErrorBox error={error} />}
      {error === null && !answer?.isDone && (
        <Spinner text={answer?.scanned ? t("health.running", { n: answer.scanned }) : undefined} />
      )}
      {answer?.isDone && answer.count === 0 && <p class="state ok">✓ {t("duplicates.none", { n: answer.total })}</p>}
      {answer?.isDone && answer.count > 0 && (
        <>
          <p role="status">
            {t("duplicates.found", { n: answer.count, total: answer.total })}{" "}
            <span class="sub">
              {(["exact", "near", "embedded"] as const)
                .filter((kind) => answer.kinds[kind])
                .map((kind) => `${t(`duplicates.${kind}`)}: ${number(answer.kinds[kind] ?? 0)}`)
                .join(" · ")}
            </span>
          </p>
          <p class="sub">{t("duplicates.hint")}</p>
          {answer.pairs.map((pair) => (
            <PairView pair={pair} />
          ))}
          {answer.count > shown && shown < 500 && (
            <button type="button" onClick={() => show(shown + PAGE)}>
              {t("duplicates.more")}
            </button>
          )}
        </>
      )}
    </section>
  );
}

function PairView({ pair }: { pair: Pair }) {
  const { kept, dropped } = pair;
  if (!kept || !dropped) return null;
  const differ = FIELDS.filter(([field]) => kept[field] !== dropped[field]);
  // What differs is seen without scrolling.
  const fields = [...differ, ...FIELDS.filter((field) => !differ.includes(field))];
  const moves =
    pair.common === pair.plies[0] && pair.common === pair.plies[1]
      ? t("duplicates.sameMoves", { n: pair.common })
      : t("duplicates.common", { n: pair.common, a: pair.plies[0], b: pair.plies[1] });
  return (
    <article class="panel-box pair">
      <p>
        <span class="badge">{t(`duplicates.${pair.kind}`)}</span> {pair.score} % · {moves}
        {differ.length > 0 && ` · ${t("duplicates.differ", { fields: differ.map(([, name]) => name()).join(", ") })}`}
      </p>
      <div class="table-box" tabIndex={0} role="region" aria-label={t("duplicates.pair")}>
        <table class="data">
          <thead>
            <tr>
              <th scope="col">{t("duplicates.game")}</th>
              {fields.map(([, name]) => (
                <th scope="col">{name()}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[kept, dropped].map((row, index) => (
              <tr>
                <th scope="row">
                  <a href={gameHref(row.db, row.game)}>
                    <bdi>{row.db}</bdi> {number(row.game)}
                  </a>
                  <span class="sub"> {index === 0 ? t("duplicates.kept") : t("duplicates.dropped")}</span>
                </th>
                {fields.map(([field]) => (
                  <td>
                    {kept[field] === dropped[field] ? (
                      <bdi>{row[field] ?? ""}</bdi>
                    ) : (
                      <mark>
                        <bdi>{row[field] || "–"}</bdi>
                      </mark>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </article>
  );
}
