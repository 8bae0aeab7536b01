// What else is known of the state of a database, each found when it is asked for: what a repair would save, names in several
// spellings, names in other character sets.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { KnownText } from "./api.ts";
import { Command, quoted, stem } from "./commands.tsx";
import { type Report, useReport } from "./database_choice_and_jobs.tsx";
import { gameHref } from "./router.ts";
import { SpellingChoice } from "./spelling_choice.tsx";
import type { Cluster } from "./spellings.ts";
import { ErrorBox, ServerText, Spinner, TableBox } from "./ui.tsx";
import { bytesText, number, t } from "./translations.ts";

/** Asks for a report once its button was pressed. */
function OnRequest<T extends Report>(props: {
  title: string;
  hint: string;
  path: string;
  query: Record<string, string>;
  children: (answer: T) => ComponentChildren;
}) {
  const [isAsked, ask] = useState(false);
  const { answer, error } = useReport<T>(props.path, isAsked ? props.query : null);
  return (
    <section class="panel-box on-request">
      <header class="bar-line">
        <h2>{props.title}</h2>
        {!isAsked && (
          <button type="button" onClick={() => ask(true)} aria-label={`${t("find")}: ${props.title}`}>
            {t("find")}
          </button>
        )}
      </header>
      {!isAsked && <p class="sub">{props.hint}</p>}
      {error !== null && <ErrorBox error={error} />}
      {isAsked && error === null && !answer?.isDone && <Spinner text={answer?.scanned ? t("health.running", { n: answer.scanned }) : undefined} />}
      {answer?.isDone && props.children(answer)}
    </section>
  );
}

interface RepairAnswer extends Report {
  extension: string;
  whole: number;
  damaged: number;
  lost: number;
  bytes: number;
  problems: string[];
  records: { game: number; outcome: "damaged" | "lost"; savedAs: number | null; reasons: string[]; known: (KnownText | null)[] }[];
}

interface SpellingsAnswer extends Report {
  count: number;
  clusters: Cluster[];
}

interface CharsetsAnswer extends Report {
  encoding: string;
  names: string[];
  charsets: { name: string; names: (string | null)[] }[];
}

interface Listed {
  count: number;
  games: { game: number; value: string; why: "noDay" | "early" | "late" | "mate" | "stalemate" }[];
}

interface UnlikelyAnswer extends Report {
  dates: Listed;
  results: Listed;
}

export function Further({ db, name }: { db: string; name: string }) {
  const path = `db/${encodeURIComponent(db)}`;
  return (
    <div class="two">
      <OnRequest<RepairAnswer> title={t("repair.title")} hint={t("repair.hint")} path={`${path}/repair`} query={{}}>
        {(answer) => <Repair answer={answer} db={db} name={name} />}
      </OnRequest>
      <OnRequest<UnlikelyAnswer> title={t("unlikely.title")} hint={t("unlikely.hint")} path={`${path}/unlikely`} query={{}}>
        {(answer) => (
          <>
            <Unlikely heading={t("col.date")} listed={answer.dates} db={db} />
            <Unlikely heading={t("col.result")} listed={answer.results} db={db} />
          </>
        )}
      </OnRequest>
      <OnRequest<SpellingsAnswer> title={t("spellings.title")} hint={t("spellings.hint")} path="spellings" query={{ db }}>
        {(answer) => <Spellings answer={answer} db={db} name={name} />}
      </OnRequest>
      <OnRequest<CharsetsAnswer> title={t("charsets.title")} hint={t("charsets.hint")} path={`${path}/charsets`} query={{}}>
        {(answer) => <Charsets answer={answer} />}
      </OnRequest>
    </div>
  );
}

function Repair({ answer, db, name }: { answer: RepairAnswer; db: string; name: string }) {
  const isWhole = answer.damaged === 0 && answer.lost === 0 && answer.problems.length === 0;
  return (
    <>
      <p class={`state ${isWhole ? "ok" : "bad"}`} role="status">
        {isWhole ? `✓ ${t("repair.none")}` : t("repair.counts", { whole: answer.whole, damaged: answer.damaged, lost: answer.lost })}{" "}
        <span class="sub">{bytesText(answer.bytes)}</span>
      </p>
      {answer.problems.map((problem) => (
        <p class="problem">
          <bdi>{problem}</bdi>
        </p>
      ))}
      {answer.records.length > 0 && (
        <TableBox label={t("repair.title")} file="repair">
          <table class="data">
            <thead>
              <tr>
                <th scope="col">{t("duplicates.game")}</th>
                <th scope="col">{t("col.result")}</th>
                <th scope="col">{t("repair.reason")}</th>
              </tr>
            </thead>
            <tbody>
              {answer.records.map((record) => (
                <tr>
                  <th scope="row">
                    <a href={gameHref(db, record.game)}>{number(record.game)}</a>
                  </th>
                  <td>{t(record.outcome === "lost" ? "repair.lost" : "repair.damaged")}</td>
                  <td>
                    {record.reasons.map((text, index) => (
                      <>
                        {index > 0 && "; "}
                        <ServerText text={text} known={record.known[index]} />
                      </>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
      {!isWhole && <Command ids={[db]} make={([input]) => `tabia repair ${input} -o ${quoted(`${stem(name)}-repaired.${answer.extension}`)}`} />}
    </>
  );
}

/** Dates or results that cannot be right, with the games that have them. */
function Unlikely({ heading, listed, db }: { heading: string; listed: Listed; db: string }) {
  if (listed.count === 0) {
    return (
      <p class="state ok">
        ✓ {heading}: {t("unlikely.none")}
      </p>
    );
  }
  return (
    <>
      <p class="state bad" role="status">
        {heading}: {number(listed.count)}
        {listed.games.length < listed.count && ` (${t("positions.first", { n: listed.games.length })})`}
      </p>
      <TableBox label={heading} file="unlikely">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">{t("duplicates.game")}</th>
              <th scope="col">{heading}</th>
              <th scope="col">{t("repair.reason")}</th>
            </tr>
          </thead>
          <tbody>
            {listed.games.map(({ game, value, why }) => (
              <tr>
                <th scope="row">
                  <a href={gameHref(db, game)}>{number(game)}</a>
                </th>
                <td>{value}</td>
                <td>{t(`unlikely.${why}`)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </>
  );
}

function Spellings({ answer, db, name }: { answer: SpellingsAnswer; db: string; name: string }) {
  if (answer.count === 0) return <p class="state ok">✓ {t("spellings.none")}</p>;
  return (
    <>
      <p role="status">
        {t("spellings.found", { n: answer.count })}
        {answer.clusters.length < answer.count && ` (${t("positions.first", { n: answer.clusters.length })})`}
      </p>
      <SpellingChoice clusters={answer.clusters} db={db} name={name} />
    </>
  );
}

function Charsets({ answer }: { answer: CharsetsAnswer }) {
  if (answer.names.length === 0) return <p class="state ok">✓ {t("charsets.none")}</p>;
  // Those that show the same names are one column.
  const columns: { names: (string | null)[]; charsets: string[] }[] = [];
  for (const charset of answer.charsets) {
    const same = columns.find((column) => column.names.join("\n") === charset.names.join("\n"));
    if (same) same.charsets.push(charset.name);
    else columns.push({ names: charset.names, charsets: [charset.name] });
  }
  const others = columns.filter((column) => column.names.join("\n") !== answer.names.join("\n"));
  return (
    <TableBox label={t("charsets.title")} file="charsets">
      <table class="data charsets">
        <thead>
          <tr>
            <th scope="col">
              {t("charsets.now")} ({answer.encoding})
            </th>
            {others.map((column) => (
              <th scope="col">{column.charsets.join(", ")}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.names.map((name, index) => (
            <tr>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              {others.map((column) => (
                <td>
                  <bdi>{column.names[index] ?? "–"}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}
