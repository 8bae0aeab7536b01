// What one player played, or two next to each other: results by colour, opening, year, rating and speed, the first moves
// as trees, and frequent replies that the player has not faced.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "./api.ts";
import { ChooseDatabase, type Report, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { type Cluster, rangeText } from "./spellings.ts";
import { changeQuery, convertHref, explorerHref, gamesHref, go, playerHref, useAddress } from "./router.ts";
import { useSettings } from "./settings.ts";
import { Bar, ErrorBox, Spinner, TableBox, title, useLoad } from "./ui.tsx";
import { moveText, number, percent, t, tn } from "./translations.ts";

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

interface TreeMove extends Score {
  uci: string;
  san: string;
  /** The name of the opening that begins with the move. */
  opening: string | null;
  moves: TreeMove[];
}

interface Side extends Score {
  openings: OpeningScore[];
  years: (Score & { year: number })[];
  opponents: (Score & { from: number; to: number; expected: number | null })[];
  speeds: (Score & { speed: Speed })[];
  tree: TreeMove[];
}

type Speed = "ultraBullet" | "bullet" | "blitz" | "rapid" | "classical" | "correspondence";

interface Reply {
  line: string[];
  play: string[];
  uci: string;
  san: string;
  playerGames: number;
  games: number;
  share: number;
  white: number;
  draws: number;
  black: number;
}

interface UnfacedAnswer extends Report {
  white?: Reply[];
  black?: Reply[];
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
  const all = (databases ?? []).map((card) => card.id).join(",");
  const db = query.get("db") ?? all;
  const other = query.get("with") ?? "";
  const also = (query.get("also") ?? "").split("\n").filter((spelling) => spelling !== "");
  const reference = query.get("reference");
  const { answer, error } = useReport<PlayerAnswer>("player", name === "" || db === "" ? null : { db, name, also: also.join("\n") });
  const second = useReport<PlayerAnswer>("player", name === "" || db === "" || other === "" ? null : { db, name: other });
  title(name === "" ? t("player.title") : other === "" ? name : `${name} – ${other}`);
  if (databases === null) return <Spinner />;
  const href = (changes: { name?: string; db?: string; other?: string; reference?: string | null }) =>
    playerHref(changes.name ?? name, changes.db ?? db, changes.other ?? other, changes.reference === undefined ? reference : changes.reference);
  const waits = [answer, ...(other === "" ? [] : [second.answer])].find((found) => !found?.name);
  return (
    <section class="report player-view">
      <header class="bar-line">
        <h1>
          {name === "" ? t("player.title") : <bdi>{name}</bdi>}
          {other !== "" && (
            <>
              {" – "}
              <bdi>{other}</bdi>
            </>
          )}
        </h1>
        <span class="grow" />
        <ChooseName key={name} id="player-name" db={db} name={name} label={t("player.name")} onName={(found) => go(href({ name: found, reference: null }))} />
        <ChooseDatabase databases={databases} value={db} hasAll onChange={(chosen) => go(href({ db: chosen }))} />
      </header>
      {error !== null && <ErrorBox error={error} />}
      {second.error !== null && <ErrorBox error={second.error} />}
      {name === "" && <p class="empty">{t("player.choose")}</p>}
      {name !== "" && waits !== undefined && error === null && second.error === null && (
        <Spinner text={waits?.scanned ? t("health.running", { n: waits.scanned }) : undefined} />
      )}
      {answer?.name !== undefined && other === "" && (
        <>
          <Spellings key={`${db}\n${name}`} db={db} name={name} also={also} />
          <Sides answer={answer} names={[name, ...also]} db={db} />
          {answer.white.games + answer.black.games > 0 && (
            <Unfaced name={name} db={db} databases={databases} reference={reference} onReference={(chosen) => go(href({ reference: chosen }))} />
          )}
        </>
      )}
      {answer?.name !== undefined && second.answer?.name !== undefined && other !== "" && (
        <Pairings first={answer} second={second.answer} names={[name, other]} db={db} />
      )}
      {answer?.name !== undefined && (
        <section class="panel-box compare">
          <h2>{t("player.compare")}</h2>
          <p class="bar-line">
            <ChooseName key={`with ${other}`} id="with" db={db} name={other} label={t("player.compare")} onName={(found) => go(href({ other: found }))} />
            {other !== "" && <a href={href({ other: "" })}>{t("player.compareEnd")}</a>}
          </p>
        </section>
      )}
    </section>
  );
}

/** Names that begin like one that no game has. */
function Similar({ name, db }: { name: string; db: string }) {
  const q = name.split(/[\s,]/)[0] ?? "";
  const load = useLoad((signal) => get<{ names: { name: string; games: number }[] }>("suggest", { db, field: "player", q }, signal), [db, q]);
  const found = q !== "" && load.state === "done" ? load.value.names.filter((other) => other.name !== name).slice(0, 8) : [];
  return (
    <div class="empty">
      <p>{t("player.none")}</p>
      {found.length > 0 && <p>{t("player.similar")}</p>}
      {found.map((other) => (
        <p>
          <a href={playerHref(other.name, db)}>
            <bdi>{other.name}</bdi>
          </a>{" "}
          <small>{tn("n.games", other.games)}</small>
        </p>
      ))}
    </div>
  );
}

function ChooseName(props: { id: string; db: string; name: string; label: string; onName: (name: string) => void }) {
  const { id, db, name, label } = props;
  const [text, setText] = useState(name);
  const [names, setNames] = useState<{ name: string; games: number }[]>([]);
  const namesLike = async (q: string, signal?: AbortSignal) => (await get<{ names: typeof names }>("suggest", { db, field: "player", q }, signal)).names;
  useEffect(() => {
    if (db === "") return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      namesLike(text, controller.signal).then(setNames, () => setNames([]));
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
        if (wanted === "") return;
        // Asked anew: `names` can still be those of the text before.
        namesLike(wanted).then((found) => {
          const exact = found.find((other) => other.name.toLowerCase() === wanted.toLowerCase());
          props.onName((exact ?? found[0])?.name ?? wanted);
        }, () => props.onName(wanted));
      }}
    >
      <input
        id={id}
        list={`${id}-names`}
        aria-label={label}
        placeholder={t("player.name")}
        value={text}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={`${id}-names`}>
        {names.map((found) => (
          <option value={found.name}>{number(found.games)}</option>
        ))}
      </datalist>{" "}
      <button type="submit">{t("search.go")}</button>
    </form>
  );
}

/** Other spellings of the name, found on request; those that are chosen are counted with it. */
function Spellings({ db, name, also }: { db: string; name: string; also: string[] }) {
  const [isAsked, ask] = useState(false);
  const [chosen, choose] = useState<string[] | null>(null);
  const { answer, error } = useReport<Report & { clusters: Cluster[] }>("spellings", isAsked ? { db, of: "player" } : null);
  const cluster = answer?.isDone ? answer.clusters.find((found) => found.spellings.some((spelling) => spelling.name === name)) : undefined;
  const others = cluster?.spellings.filter((spelling) => spelling.name !== name) ?? [];
  const marked = chosen ?? others.map((spelling) => spelling.name);
  if (also.length > 0) {
    return (
      <p class="sub">
        {t("player.counted")} <bdi>{also.join(" · ")}</bdi>{" "}
        <button type="button" class="link" onClick={() => changeQuery({ also: null })}>
          {t("player.apart")}
        </button>
      </p>
    );
  }
  if (!isAsked) {
    return (
      <p>
        <button type="button" class="link" onClick={() => ask(true)}>
          {t("player.spellingsFind")}
        </button>
      </p>
    );
  }
  if (error !== null) return <ErrorBox error={error} />;
  if (!answer?.isDone) return <Spinner text={answer?.scanned ? t("health.running", { n: answer.scanned }) : undefined} />;
  if (others.length === 0) return <p class="sub">{t("player.spellingsNone")}</p>;
  return (
    <form
      class="panel-box spellings"
      onSubmit={(event) => {
        event.preventDefault();
        changeQuery({ also: marked.join("\n") || null });
      }}
    >
      <fieldset>
        <legend>{t("player.spellings")}</legend>
        {others.map((spelling) => (
          <label class="check">
            <input
              type="checkbox"
              checked={marked.includes(spelling.name)}
              onChange={() => choose(marked.includes(spelling.name) ? marked.filter((found) => found !== spelling.name) : [...marked, spelling.name])}
            />{" "}
            <bdi>{spelling.name}</bdi>{" "}
            <span class="sub">{[tn("n.games", spelling.games), rangeText(spelling.years), rangeText(spelling.elo)].filter((part) => part !== "").join(", ")}</span>
          </label>
        ))}
      </fieldset>
      <button type="submit" disabled={marked.length === 0}>
        {t("player.together")}
      </button>
    </form>
  );
}

/** The term for games with one of these names. */
function termOf(field: string, names: string[]): string {
  const terms = names.map((name) => `${field}:${quote(`=${name}`)}`);
  return terms.length === 1 ? (terms[0] ?? "") : `(${terms.join(" OR ")})`;
}

function Sides({ answer, names, db }: { answer: PlayerAnswer; names: string[]; db: string }) {
  const { white, black } = answer;
  if (white.games + black.games === 0) return <Similar name={names[0] ?? ""} db={db} />;
  return (
    <>
      <div class="two">
        <SidePanel heading={t("player.white")} side={white} field="white" names={names} db={db} />
        <SidePanel heading={t("player.black")} side={black} field="black" names={names} db={db} />
      </div>
      <Years answer={answer} />
    </>
  );
}

/** Two players: with each colour, next to the other colour of the other one. */
function Pairings(props: { first: PlayerAnswer; second: PlayerAnswer; names: [string, string]; db: string }) {
  const { first, second, names, db } = props;
  const between = `player:${quote(`=${names[0]}`)} player:${quote(`=${names[1]}`)}`;
  const heading = (name: string, key: "player.white" | "player.black") => `${name}: ${t(key)}`;
  const openings = (side: Side) => new Set(side.openings.map((opening) => opening.name));
  return (
    <>
      <p>
        <a href={gamesHref(db.split(","), { q: between })}>{t("player.between")}</a>
      </p>
      <div class="two">
        <SidePanel heading={heading(names[0], "player.white")} side={first.white} field="white" names={[names[0]]} db={db} shared={openings(second.black)} />
        <SidePanel heading={heading(names[1], "player.black")} side={second.black} field="black" names={[names[1]]} db={db} shared={openings(first.white)} />
        <SidePanel heading={heading(names[0], "player.black")} side={first.black} field="black" names={[names[0]]} db={db} shared={openings(second.white)} />
        <SidePanel heading={heading(names[1], "player.white")} side={second.white} field="white" names={[names[1]]} db={db} shared={openings(first.black)} />
      </div>
    </>
  );
}

function ResultBar({ found, isWide = false }: { found: Score; isWide?: boolean }) {
  const total = found.wins + found.draws + found.losses;
  const part = (value: number) => Math.round((value * 100) / Math.max(1, total));
  const label = t("player.bar", { wins: part(found.wins), draws: part(found.draws), losses: part(found.losses) });
  return <Bar white={found.wins} draws={found.draws} black={found.losses} label={label} isWide={isWide} />;
}

interface ScoreRow {
  head: ComponentChildren;
  found: Score;
  /** Further cells, as many as the table has further columns. */
  rest: (string | number)[];
}

/** Games, results and score by something. */
function ScoreTable(props: { label: string; head: string; columns: { name: string; hint?: string }[]; rows: ScoreRow[]; file: string }) {
  return (
    <TableBox label={props.label} file={props.file}>
      <table class="data">
        <thead>
          <tr>
            <th scope="col">{props.head}</th>
            <th scope="col" class="n">{t("card.games")}</th>
            <th scope="col">{t("player.results")}</th>
            <th scope="col" class="n">{t("player.points")}</th>
            {props.columns.map(({ name, hint }) => (
              <th scope="col" class="n" title={hint}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(({ head, found, rest }) => (
            <tr>
              <th scope="row">{head}</th>
              <td class="n">{number(found.games)}</td>
              <td>
                <ResultBar found={found} />
              </td>
              <td class="n">{percent(score(found))}</td>
              {rest.map((cell) => (
                <td class="n">{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

const expectedText = (expected: number | null) => (expected === null ? "–" : percent(expected));

interface PanelProps {
  heading: string;
  side: Side;
  field: "white" | "black";
  /** The spellings of the player. */
  names: string[];
  db: string;
  /** Openings that the opponent plays, too. */
  shared?: Set<string>;
}

function SidePanel(props: PanelProps) {
  const { side, field, names, db, shared } = props;
  const who = termOf(field, names);
  const name = names[0] ?? "";
  const databases = db.split(",");
  const expected = { name: t("player.expected"), hint: t("player.expectedHint") };
  return (
    <section class="panel-box">
      <header class="bar-line">
        <h2>
          <bdi>{props.heading}</bdi>
        </h2>
        {side.games > 0 && <span class="sub">{t("player.score", { n: side.games, score: percent(score(side)) })}</span>}
      </header>
      {side.games === 0 && <p class="sub">{t("player.none")}</p>}
      {side.games > 0 && (
        <>
          <ResultBar found={side} isWide />
          <p class="actions">
            <a href={gamesHref(databases, { q: who })}>{t("card.games")}</a>{" "}
            <a href={explorerHref(databases.slice(0, 6), { q: who })}>{t("card.explore")}</a>{" "}
            <a href={convertHref(db, "", "", who)}>{t("convert.title")}</a>
          </p>
        </>
      )}
      {side.openings.length > 0 && (
        <ScoreTable
          label={`${props.heading}: ${t("player.openings")}`}
          file={`${name} ${field} openings`}
          head={t("player.opening")}
          columns={[expected, { name: t("player.opponents") }, { name: t("explorer.year") }]}
          rows={side.openings.map((opening) => ({
            head: (
              <>
                <span class="eco">{opening.eco}</span>{" "}
                {opening.name === "" ? (
                  t("player.noOpening")
                ) : (
                  <a href={gamesHref(databases, { q: `${who} opening:${quote(`=${opening.name}`)}` })}>{opening.name}</a>
                )}
                {opening.name !== "" && shared?.has(opening.name) && (
                  <span class="mark good" role="img" title={t("player.both")} aria-label={t("player.both")}>
                    ●
                  </span>
                )}
              </>
            ),
            found: opening,
            rest: [expectedText(opening.expected), opening.averageOpponent ?? "–", opening.last?.slice(0, 4) ?? "–"],
          }))}
        />
      )}
      {side.tree.length > 0 && (
        <details class="line-tree">
          <summary>{t("player.tree")}</summary>
          <p class="sub">{t("player.treeHint")}</p>
          <TreeMoves moves={side.tree} line={[]} who={who} databases={databases} />
        </details>
      )}
      {side.opponents.length > 0 && (
        <details class="opponents">
          <summary>{t("player.byRating")}</summary>
          <ScoreTable
            label={`${props.heading}: ${t("player.byRating")}`}
            file={`${name} ${field} ratings`}
            head={t("col.elo")}
            columns={[expected]}
            rows={side.opponents.map((group) => ({
              head: `${group.from}–${group.to}`,
              found: group,
              rest: [expectedText(group.expected)],
            }))}
          />
        </details>
      )}
      {side.speeds.length > 0 && (
        <details class="speeds">
          <summary>{t("player.bySpeed")}</summary>
          <ScoreTable
            label={`${props.heading}: ${t("player.bySpeed")}`}
            file={`${name} ${field} speeds`}
            head={t("player.speed")}
            columns={[]}
            rows={side.speeds.map((group) => ({ head: t(`speed.${group.speed}`), found: group, rest: [] }))}
          />
        </details>
      )}
    </section>
  );
}

/** The moves after a line, each of which opens what comes after it. */
function TreeMoves(props: { moves: TreeMove[]; line: string[]; who: string; databases: string[] }) {
  return (
    <ul>
      {props.moves.map((move) => (
        <TreeNode key={move.uci} {...props} move={move} isOnly={props.moves.length === 1} />
      ))}
    </ul>
  );
}

function TreeNode(props: { move: TreeMove; isOnly: boolean; line: string[]; who: string; databases: string[] }) {
  const { move, who, databases } = props;
  const { pieces } = useSettings();
  // What has one continuation only is opened with the move before it.
  const [isOpen, open] = useState(props.isOnly && props.line.length > 0);
  const ply = props.line.length;
  const line = [...props.line, move.uci];
  const label = `${ply % 2 === 0 ? `${number(ply / 2 + 1)}.` : `${number((ply + 1) / 2)}…`} ${moveText(move.san, pieces)}`;
  const texts = (
    <>
      <b>{label}</b> <span class="n">{number(move.games)}</span> <ResultBar found={move} />{" "}
      <span class="n">{percent(score(move))}</span> {move.opening !== null && <span class="sub">{move.opening}</span>}
    </>
  );
  const link = (
    <a class="to-explorer" href={explorerHref(databases.slice(0, 6), { q: who, play: line.join(",") })}>
      {t("card.explore")}
    </a>
  );
  if (move.moves.length === 0) {
    return (
      <li class="leaf">
        {texts} {link}
      </li>
    );
  }
  return (
    <li>
      <details open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
        <summary>{texts}</summary>
        {isOpen && (
          <>
            {link}
            <TreeMoves moves={move.moves} line={line} who={who} databases={databases} />
          </>
        )}
      </details>
    </li>
  );
}

/** Replies that are frequent in other games, and that the player has not faced. */
function Unfaced(props: {
  name: string;
  db: string;
  databases: { id: string; name: string }[];
  reference: string | null;
  onReference: (db: string) => void;
}) {
  const { name, db, databases, reference } = props;
  const { pieces } = useSettings();
  const all = databases.map((card) => card.id).join(",");
  const { answer, error } = useReport<UnfacedAnswer>("player/unfaced", reference === null ? null : { db, name, reference });
  const table = (heading: string, replies: Reply[], field: string) => (
    <section>
      <h3>{heading}</h3>
      {replies.length === 0 ? (
        <p class="sub">{t("player.unfacedNone")}</p>
      ) : (
        <TableBox label={`${heading}: ${t("player.unfaced")}`} file={`${name} ${field} unfaced`}>
          <table class="data">
            <thead>
              <tr>
                <th scope="col">{t("player.line")}</th>
                <th scope="col">{t("player.reply")}</th>
                <th scope="col" class="n">{t("player.own")}</th>
                <th scope="col" class="n">{t("book.share")}</th>
                <th scope="col" class="n">{t("card.games")}</th>
                <th scope="col">{t("col.result")}</th>
              </tr>
            </thead>
            <tbody>
              {replies.map((reply) => (
                <tr>
                  <td>
                    {reply.line.map((san, ply) => `${ply % 2 === 0 ? `${ply / 2 + 1}.` : ""}${moveText(san, pieces)}`).join(" ")}
                  </td>
                  <th scope="row">
                    <a href={explorerHref((reference ?? db).split(",").slice(0, 6), { play: [...reply.play, reply.uci].join(",") })}>
                      {reply.line.length % 2 === 0 ? `${reply.line.length / 2 + 1}.` : `${(reply.line.length + 1) / 2}…`}
                      {moveText(reply.san, pieces)}
                    </a>
                  </th>
                  <td class="n">{number(reply.playerGames)}</td>
                  <td class="n">{percent(reply.share)}</td>
                  <td class="n">{number(reply.games)}</td>
                  <td>
                    <Bar white={reply.white} draws={reply.draws} black={reply.black} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </section>
  );
  return (
    <section class="panel-box unfaced">
      <header class="bar-line">
        <h2>{t("player.unfaced")}</h2>
        <label class="choose">
          {t("player.reference")}{" "}
          <select value={reference ?? ""} onChange={(event) => props.onReference(event.currentTarget.value)}>
            {reference === null && <option value="">{t("player.unfacedChoose")}</option>}
            {databases.length > 1 && <option value={all}>{t("choose.all")}</option>}
            {databases.map((card) => (
              <option value={card.id}>{card.id}</option>
            ))}
          </select>
        </label>
      </header>
      <p class="sub">{t("player.unfacedHint")}</p>
      {error !== null && <ErrorBox error={error} />}
      {reference !== null && error === null && !answer?.isDone && (
        <Spinner text={answer?.scanned ? t("health.running", { n: answer.scanned }) : undefined} />
      )}
      {answer?.isDone && (
        <div class="two">
          {table(t("player.white"), answer.white ?? [], "white")}
          {table(t("player.black"), answer.black ?? [], "black")}
        </div>
      )}
    </section>
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
  // Years without games have their space, and a single year does not fill all of it.
  const last = rows[rows.length - 1]?.year ?? 0;
  const first = rows[0]?.year ?? 0;
  const width = 1000 / (last - first + 1);
  const share = { width: `${Math.min(100, ((last - first + 1) * 100) / 12)}%` };
  const bars = rows.map((row) => {
    const height = (row.sum.games / most) * 96;
    return { x: (row.year - first + 0.1) * width, y: 100 - height, height, part: score(row.sum) };
  });
  return (
    <section class="panel-box">
      <h2>{t("player.years")}</h2>
      <svg class="years" style={share} viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
        {bars.map((bar) => (
          <>
            <rect class="rest" x={bar.x} y={bar.y} width={width * 0.8} height={bar.height} />
            <rect class="won" x={bar.x} y={100 - bar.height * bar.part} width={width * 0.8} height={bar.height * bar.part} />
          </>
        ))}
      </svg>
      <p class="ends" style={share} aria-hidden="true">
        <span>{first}</span>
        {last > first && <span>{last}</span>}
      </p>
      <p class="sub">{t("player.yearsHint")}</p>
      <details>
        <summary>{t("graph.table")}</summary>
        <ScoreTable
          label={t("player.years")}
          file={`${answer.name ?? ""} years`}
          head={t("player.year")}
          columns={[{ name: t("col.elo") }]}
          rows={rows.map((row) => ({ head: String(row.year), found: row.sum, rest: [row.rating ?? "–"] }))}
        />
      </details>
    </section>
  );
}
