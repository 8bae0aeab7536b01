// What the games of a database lose in another format. The page writes nothing: it shows the command that does.

import { get } from "./api.ts";
import { ChooseDatabase, type Report, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { convertHref, gameHref, go, useAddress } from "./router.ts";
import { ErrorBox, Spinner, copy, title, useLoad } from "./ui.tsx";
import { bytesText, number, t } from "./translations.ts";

interface Formats {
  targets: { id: string; name: string; extension: string; isText: boolean }[];
  profiles: string[];
}

interface PreviewAnswer extends Report {
  records?: number;
  converted: number;
  isWhole: boolean;
  written: number;
  bytes: number;
  losses: { kind: string; label: string; count: number; games: number; first: number | null }[];
  problems: number;
  examples: { text: string; game: number | null }[];
}

export function View() {
  const { query } = useAddress();
  const databases = useDatabases();
  const formats = useLoad<Formats>((signal) => get("formats", {}, signal), []);
  const db = query.get("db") ?? databases?.[0]?.id ?? "";
  const to = query.get("to") ?? "";
  const profile = query.get("profile") ?? "";
  const { answer, error } = useReport<PreviewAnswer>("convert", db === "" || to === "" ? null : { db, to, profile });
  title(t("convert.title"));
  if (databases === null || formats.state === "loading") return <Spinner />;
  if (formats.state === "error") return <ErrorBox error={formats.error} />;
  const { targets, profiles } = formats.value;
  const target = targets.find((found) => found.id === to);
  const card = databases.find((found) => found.id === db);
  const name = card?.name ?? db;
  const quoted = (text: string) => (/[^\w.-]/.test(text) ? `'${text}'` : text);
  const base = name.replace(/(\.\w+)+$/, "");
  const command = `tabia convert ${quoted(name)} -o ${quoted(`${base}-new.${target?.extension ?? ""}`)}${profile ? ` --profile ${profile}` : ""}`;
  return (
    <section class="report">
      <header class="bar-line">
        <h1>{t("convert.title")}</h1>
        <span class="grow" />
        <ChooseDatabase databases={databases} value={db} onChange={(chosen) => go(convertHref(chosen, to, profile))} />
        <label class="choose">
          {t("convert.to")}{" "}
          <select value={to} onChange={(event) => go(convertHref(db, event.currentTarget.value, ""))}>
            <option value="">{t("convert.choose")}</option>
            {targets.map((found) => (
              <option value={found.id}>{found.name}</option>
            ))}
          </select>
        </label>
        {target?.isText && (
          <label class="choose">
            {t("pgn.profile")}{" "}
            <select value={profile === "" ? "full" : profile} onChange={(event) => go(convertHref(db, to, event.currentTarget.value))}>
              {profiles.map((found) => (
                <option value={found}>{found}</option>
              ))}
            </select>
          </label>
        )}
      </header>
      {to === "" && <p class="empty">{t("convert.hint")}</p>}
      {error !== null && <ErrorBox error={error} />}
      {to !== "" && error === null && !answer?.isDone && (
        <Spinner text={answer?.scanned ? t("health.running", { n: answer.scanned }) : undefined} />
      )}
      {answer?.isDone && answer.records !== undefined && (
        <>
          <p role="status" class={`state ${answer.losses.length === 0 ? "ok" : ""}`}>
            {answer.losses.length === 0 ? `✓ ${t("convert.nothingLost")}` : t("convert.lost")}
          </p>
          <p>
            {answer.isWhole
              ? t("convert.whole", { n: answer.written, bytes: bytesText(answer.bytes) })
              : t("convert.part", { n: answer.converted, total: answer.records, bytes: bytesText(answer.bytes) })}
          </p>
          {answer.losses.length > 0 && (
            <div class="table-box" tabIndex={0} role="region" aria-label={t("convert.lost")}>
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
                    <tr>
                      <th scope="row" lang="en">{loss.label}</th>
                      <td class="n">{number(loss.count)}</td>
                      <td class="n">{loss.first === null ? "–" : number(loss.games)}</td>
                      <td>
                        {loss.first === null ? (
                          t("convert.database")
                        ) : (
                          <a href={gameHref(db, loss.first)}>{t("convert.game", { n: loss.first })}</a>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {answer.problems > 0 && (
            <section>
              <h2>{t("health.found", { n: answer.problems })}</h2>
              <ul class="examples">
                {answer.examples.map((example) => (
                  <li>
                    {example.game !== null && <a href={gameHref(db, example.game)}>{t("health.game", { n: example.game })}</a>}{" "}
                    <bdi lang="en">{example.text}</bdi>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <p class="command">
            <code>{command}</code>{" "}
            <button type="button" onClick={() => void copy(command)}>
              {t("copy.command")}
            </button>
          </p>
        </>
      )}
    </section>
  );
}
