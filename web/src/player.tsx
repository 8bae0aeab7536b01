// What one player played: results by colour, opening and year.

import { useEffect, useState } from "preact/hooks";
import { get } from "./api.ts";
import { ChooseDatabase, type Report, percent, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { convertHref, explorerHref, gamesHref, go, playerHref, useAddress } from "./router.ts";
import { Bar, ErrorBox, Spinner, title } from "./ui.tsx";
import { number, t } from "./translations.ts";

interface Score {
  games: number;
  wins: number;
  draws: number;
  losses: number;
}

interface OpeningScore extends Score {
  eco: string;
  name: string;
  averageOpponent: number | null;
  expected: number | null;
  last: string | null;
}

interface Side extends Score {
  openings: OpeningScore[];
  years: (Score & { year: number })[];
  opponents: (Score & { from: number; to: number; expected: number | null })[];
}

interface PlayerAnswer extends Report {
  name?: string;
  white: Side;
  black: Side;
  ratings: [year: number, rating: number][];
}

const quote = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const score = (found: Score) => (found.wins + found.draws / 2) / Math.max(1, found.wins + found.draws + found.losses);

export function View() {
  const { path, query } = useAddress();
  const databases = useDatabases();
  const name = path[1] ?? "";
  const db = query.get("db") ?? (databases ?? []).map((card) => card.id).join(",");
  const { answer, error } = useReport<PlayerAnswer>("player", name === "" || db === "" ? null : { db, name });
  title(name === "" ? t("player.title") : name);
  if (databases === null) return <Spinner />;
  return (
    <section class="report player-view">
      <header class="bar-line">
        <h1>{name === "" ? t("player.title") : <bdi>{name}</bdi>}</h1>
        <span class="grow" />
        <ChooseName key={name} db={db} name={name} />
        <ChooseDatabase databases={databases} value={db} hasAll onChange={(chosen) => go(playerHref(name, chosen))} />
      </header>
      {error !== null && <ErrorBox error={error} />}
      {name === "" && <p class="empty">{t("player.choose")}</p>}
      {name !== "" && !answer?.name && error === null && (
        <Spinner text={answer?.scanned ? t("health.running", { n: answer.scanned }) : undefined} />
      )}
      {answer?.name !== undefined && <Sides answer={answer} name={name} db={db} />}
    </section>
  );
}

function ChooseName({ db, name }: { db: string; name: string }) {
  const [text, setText] = useState(name);
  const [names, setNames] = useState<{ name: string; games: number }[]>([]);
  useEffect(() => {
    if (db === "") return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      get<{ names: typeof names }>("suggest", { db, field: "player", q: text }, controller.signal)
        .then((found) => setNames(found.names))
        .catch(() => setNames([]));
    }, 120);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [db, text]);
  return (
    <form
      class="choose-name"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text.trim();
        const exact = names.find((found) => found.name.toLowerCase() === wanted.toLowerCase());
        const chosen = exact?.name ?? names[0]?.name ?? wanted;
        if (chosen !== "") go(playerHref(chosen, db));
      }}
    >
      <input
        id="search"
        list="player-names"
        aria-label={t("player.name")}
        placeholder={t("player.name")}
        value={text}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id="player-names">
        {names.map((found) => (
          <option value={found.name}>{number(found.games)}</option>
        ))}
      </datalist>{" "}
      <button type="submit">{t("search.go")}</button>
    </form>
  );
}

function Sides({ answer, name, db }: { answer: PlayerAnswer; name: string; db: string }) {
  const { white, black } = answer;
  if (white.games + black.games === 0) return <p class="empty">{t("player.none")}</p>;
  return (
    <>
      <div class="two">
        <SidePanel heading={t("player.white")} side={white} field="white" name={name} db={db} />
        <SidePanel heading={t("player.black")} side={black} field="black" name={name} db={db} />
      </div>
      <Years answer={answer} />
    </>
  );
}

function ResultBar({ found }: { found: Score }) {
  const total = found.wins + found.draws + found.losses;
  const part = (value: number) => Math.round((value * 100) / Math.max(1, total));
  const label = t("player.bar", { wins: part(found.wins), draws: part(found.draws), losses: part(found.losses) });
  return <Bar white={found.wins} draws={found.draws} black={found.losses} label={label} />;
}

function SidePanel(props: { heading: string; side: Side; field: "white" | "black"; name: string; db: string }) {
  const { side, field, name, db } = props;
  const who = `${field}:${quote(`=${name}`)}`;
  const databases = db.split(",");
  return (
    <section class="panel-box">
      <header class="bar-line">
        <h2>{props.heading}</h2>
        {side.games > 0 && <span class="sub">{t("player.score", { n: side.games, score: percent(score(side)) })}</span>}
      </header>
      {side.games === 0 && <p class="sub">{t("player.none")}</p>}
      {side.games > 0 && (
        <>
          <ResultBar found={side} />
          <p class="actions">
            <a href={gamesHref(databases, { q: who })}>{t("card.games")}</a>{" "}
            <a href={explorerHref(databases.slice(0, 6), { q: who })}>{t("card.explore")}</a>{" "}
            <a href={convertHref(db, "", "", who)}>{t("convert.title")}</a>
          </p>
        </>
      )}
      {side.openings.length > 0 && (
        <div class="table-box" tabIndex={0} role="region" aria-label={`${props.heading}: ${t("player.openings")}`}>
          <table class="data">
            <thead>
              <tr>
                <th scope="col">{t("player.opening")}</th>
                <th scope="col" class="n">{t("card.games")}</th>
                <th scope="col">{t("player.results")}</th>
                <th scope="col" class="n">{t("player.points")}</th>
                <th scope="col" class="n" title={t("player.expectedHint")}>{t("player.expected")}</th>
                <th scope="col" class="n">{t("player.opponents")}</th>
                <th scope="col" class="n">{t("explorer.year")}</th>
              </tr>
            </thead>
            <tbody>
              {side.openings.map((opening) => (
                <tr>
                  <th scope="row">
                    <span class="eco">{opening.eco}</span>{" "}
                    {opening.name === "" ? (
                      t("player.noOpening")
                    ) : (
                      <a href={gamesHref(databases, { q: `${who} opening:${quote(opening.name)}` })}>{opening.name}</a>
                    )}
                  </th>
                  <td class="n">{number(opening.games)}</td>
                  <td>
                    <ResultBar found={opening} />
                  </td>
                  <td class="n">{percent(score(opening))}</td>
                  <td class="n">{opening.expected === null ? "–" : percent(opening.expected)}</td>
                  <td class="n">{opening.averageOpponent ?? "–"}</td>
                  <td class="n">{opening.last?.slice(0, 4) ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {side.opponents.length > 0 && <Opponents heading={props.heading} side={side} />}
    </section>
  );
}

/** Games and score by the rating of the opponents. */
function Opponents({ heading, side }: { heading: string; side: Side }) {
  return (
    <details class="opponents">
      <summary>{t("player.byRating")}</summary>
      <div class="table-box" tabIndex={0} role="region" aria-label={`${heading}: ${t("player.byRating")}`}>
        <table class="data">
          <thead>
            <tr>
              <th scope="col">{t("col.elo")}</th>
              <th scope="col" class="n">{t("card.games")}</th>
              <th scope="col">{t("player.results")}</th>
              <th scope="col" class="n">{t("player.points")}</th>
              <th scope="col" class="n" title={t("player.expectedHint")}>{t("player.expected")}</th>
            </tr>
          </thead>
          <tbody>
            {side.opponents.map((group) => (
              <tr>
                <th scope="row">
                  {group.from}–{group.to}
                </th>
                <td class="n">{number(group.games)}</td>
                <td>
                  <ResultBar found={group} />
                </td>
                <td class="n">{percent(score(group))}</td>
                <td class="n">{group.expected === null ? "–" : percent(group.expected)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** Games and score by year, with a graph of the games. */
function Years({ answer }: { answer: PlayerAnswer }) {
  const years = new Map<number, { white: Score | null; black: Score | null }>();
  for (const side of ["white", "black"] as const) {
    for (const found of answer[side].years) {
      const both = years.get(found.year) ?? { white: null, black: null };
      both[side] = found;
      years.set(found.year, both);
    }
  }
  const rows = [...years.entries()].sort(([a], [b]) => a - b).map(([year, both]) => {
    const sum = [both.white, both.black].reduce<Score>(
      (all, found) => ({
        games: all.games + (found?.games ?? 0),
        wins: all.wins + (found?.wins ?? 0),
        draws: all.draws + (found?.draws ?? 0),
        losses: all.losses + (found?.losses ?? 0),
      }),
      { games: 0, wins: 0, draws: 0, losses: 0 },
    );
    return { year, sum, rating: answer.ratings.find(([found]) => found === year)?.[1] ?? null };
  });
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map((row) => row.sum.games));
  const width = 1000 / rows.length;
  const bars = rows.map((row, index) => {
    const height = (row.sum.games / most) * 96;
    return { x: index * width + width * 0.1, y: 100 - height, height, part: score(row.sum) };
  });
  return (
    <section class="panel-box">
      <h2>{t("player.years")}</h2>
      <svg class="years" viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        {bars.map((bar) => (
          <>
            <rect class="rest" x={bar.x} y={bar.y} width={width * 0.8} height={bar.height} />
            <rect class="won" x={bar.x} y={100 - bar.height * bar.part} width={width * 0.8} height={bar.height * bar.part} />
          </>
        ))}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{rows[0]?.year}</span>
        <span>{rows.length > 1 ? rows[rows.length - 1]?.year : ""}</span>
      </p>
      <p class="sub">{t("player.yearsHint")}</p>
      <details>
        <summary>{t("graph.table")}</summary>
        <table class="data">
          <thead>
            <tr>
              <th scope="col">{t("player.year")}</th>
              <th scope="col" class="n">{t("card.games")}</th>
              <th scope="col">{t("player.results")}</th>
              <th scope="col" class="n">{t("player.points")}</th>
              <th scope="col" class="n">{t("col.elo")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">{row.year}</th>
                <td class="n">{number(row.sum.games)}</td>
                <td>
                  <ResultBar found={row.sum} />
                </td>
                <td class="n">{percent(score(row.sum))}</td>
                <td class="n">{row.rating ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
