// What games lose in another format: all of a database, or those that fit a query. It shows the command that converts
// them; a server that may write does it, too.

import { useState } from "preact/hooks";
import { type KnownText, get } from "./api.ts";
import { Command, quoted, stem } from "./commands.tsx";
import { ChooseDatabase, type Report, useCanWrite, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { convertHref, gameHref, go, useAddress } from "./router.ts";
import { WriteForm } from "./write_file.tsx";
import { ErrorBox, FeatureName, Later, ServerText, Spinner, TableBox, title, useLoad } from "./ui.tsx";
import { bytesText, formatName, number, t, timeText } from "./translations.ts";

interface Formats {
  targets: { id: string; name: string; extension: string; isText: boolean }[];
  profiles: string[];
}

/** Size and time, from the first games. */
interface Estimate extends Report {
  records?: number;
  converted: number;
  written: number;
  bytes: number;
  /** That all of it takes. */
  seconds: number;
}

interface PreviewAnswer extends Estimate {
  isWhole: boolean;
  losses: { kind: string; label: string; count: number; games: number; first: number | null }[];
  problems: number;
  examples: { text: string; known?: KnownText | null; game: number | null }[];
}

const compared = async () => (await import("./game_parts.ts")).ConvertedGame;

export function View() {
  const { query } = useAddress();
  const databases = useDatabases();
  const formats = useLoad<Formats>((signal) => get("formats", {}, signal), []);
  const db = query.get("db") ?? databases?.[0]?.id ?? "";
  const to = query.get("to") ?? "";
  const profile = query.get("profile") ?? "";
  const where = query.get("q") ?? "";
  const deleted = query.get("deleted") === "1";
  const canWrite = useCanWrite();
  const [shown, compare] = useState("");
  const asked = db === "" || to === "" ? null : { db, to, profile, where, deleted };
  const sample = useReport<Estimate>("convert", asked && { ...asked, sample: true });
  const estimate = sample.answer?.isDone ? sample.answer : null;
  // First what is there at once.
  const { answer, error } = useReport<PreviewAnswer>("convert", estimate !== null || sample.error !== null ? asked : null);
  title(t("convert.title"));
  if (databases === null || formats.state === "loading") return <Spinner />;
  if (formats.state === "error") return <ErrorBox error={formats.error} />;
  const { targets, profiles } = formats.value;
  const target = targets.find((found) => found.id === to);
  const ids = db.split(",");
  const name = databases.find((found) => found.id === ids[0])?.name ?? db;
  const href = (changes: { db?: string; to?: string; profile?: string }) =>
    convertHref(changes.db ?? db, changes.to ?? to, changes.profile ?? profile, where, deleted);
  const newName = `${stem(name)}-${where === "" ? "new" : "games"}.${target?.extension ?? ""}`;
  const options = [profile && `--profile ${profile}`, where && `--where ${quoted(where)}`, deleted && "--include-deleted"];
  const command = (inputs: string[]) => ["tabia convert", ...inputs, "-o", quoted(newName), ...options.filter((option) => option)].join(" ");
  return (
    <section class="report">
      <header class="bar-line">
        <h1>{t("convert.title")}</h1>
        <span class="grow" />
        <ChooseDatabase databases={databases} value={db} hasAll onChange={(chosen) => go(href({ db: chosen }))} />
        <label class="choose">
          {t("convert.to")}{" "}
          <select value={to} onChange={(event) => go(href({ to: event.currentTarget.value, profile: "" }))}>
            <option value="">{t("convert.choose")}</option>
            {targets.map((found) => (
              <option value={found.id}>{formatName(found.name)}</option>
            ))}
          </select>
        </label>
        {target?.isText && (
          <label class="choose">
            {t("pgn.profile")}{" "}
            <select value={profile === "" ? profiles[0] : profile} onChange={(event) => go(href({ profile: event.currentTarget.value }))}>
              {profiles.map((found) => (
                <option value={found}>{found}</option>
              ))}
            </select>
          </label>
        )}
      </header>
      {where !== "" && (
        <p>
          {t("convert.query")} <code>{where}</code>{" "}
          <a href={convertHref(db, to, profile, "", deleted)}>{t("search.clear")}</a>
        </p>
      )}
      {to === "" && <p class="empty">{t("convert.hint")}</p>}
      {error !== null && <ErrorBox error={error} />}
      {/* A query that fits none of them estimates nothing. */}
      {error === null && !answer?.isDone && estimate && estimate.written > 0 && (
        <p role="status">
          {t("convert.estimate", {
            bytes: bytesText(estimate.bytes),
            seconds: timeText(estimate.seconds),
            n: estimate.converted,
            total: estimate.records ?? 0,
          })}
        </p>
      )}
      {to !== "" && error === null && !answer?.isDone && (
        <Spinner text={answer?.scanned ? t("health.running", { n: answer.scanned }) : undefined} />
      )}
      {answer?.isDone && answer.records !== undefined && (
        <>
          <p role="status" class={`state ${answer.losses.length === 0 && answer.written > 0 ? "ok" : ""}`}>
            {answer.written === 0
              ? t("convert.noGame")
              : answer.losses.length === 0
                ? `✓ ${t("convert.nothingLost")}`
                : t("convert.lost")}
          </p>
          <p>
            {answer.isWhole
              ? t("convert.whole", { n: answer.written, bytes: bytesText(answer.bytes) })
              : t("convert.part", { n: answer.converted, total: answer.records, bytes: bytesText(answer.bytes) })}{" "}
            <span class="sub">≈ {timeText(answer.seconds)}</span>
          </p>
          {answer.losses.length > 0 && (
            <TableBox label={t("convert.lost")} file="losses" class="panel-box">
              <table class="data">
                <thead>
                  <tr>
                    <th scope="col">{t("convert.kind")}</th>
                    <th scope="col" class="n">{t("convert.count")}</th>
                    <th scope="col" class="n">{t("card.games")}</th>
                    <th scope="col">{t("convert.first")}</th>
                  </tr>
                </thead>
                <tbody>
                  {answer.losses.map((loss) => (
                    <>
                    <tr>
                      <th scope="row">
                        <FeatureName kind={loss.kind} label={loss.label} />
                      </th>
                      <td class="n">{number(loss.count)}</td>
                      <td class="n">{loss.first === null ? "–" : number(loss.games)}</td>
                      <td>
                        {loss.first === null ? (
                          t("convert.database")
                        ) : (
                          <>
                            <a href={gameHref(ids[0] ?? db, loss.first)}>{t("convert.game", { n: loss.first })}</a>{" "}
                            <button
                              type="button"
                              class="link"
                              aria-expanded={shown === loss.kind}
                              aria-label={t("converted.compareNamed", { kind: loss.label })}
                              onClick={() => compare(shown === loss.kind ? "" : loss.kind)}
                            >
                              {t("converted.compare")}
                            </button>
                          </>
                        )}
                      </td>
                    </tr>
                    {shown === loss.kind && loss.first !== null && (
                      <tr>
                        <td colSpan={4}>
                          <Later load={compared} db={ids[0] ?? db} game={loss.first} to={to} name={target ? formatName(target.name) : to} profile={profile} />
                        </td>
                      </tr>
                    )}
                    </>
                  ))}
                </tbody>
              </table>
            </TableBox>
          )}
          {answer.problems > 0 && (
            <section>
              <h2>{t("health.found", { n: answer.problems })}</h2>
              <ul class="examples">
                {answer.examples.map((example) => (
                  <li>
                    {example.game !== null && <a href={gameHref(ids[0] ?? db, example.game)}>{t("health.game", { n: example.game })}</a>}{" "}
                    <ServerText text={example.text} known={example.known} />
                  </li>
                ))}
              </ul>
            </section>
          )}
          <Command ids={ids} make={command} />
          {canWrite && answer.written > 0 && (
            <section>
              <h2>{t("write.title")}</h2>
              <WriteForm method="POST" path="convert" request={{ db, to, profile, where, deleted }} name={newName} />
            </section>
          )}
        </>
      )}
    </section>
  );
}
