// Pairs of games that are the same, as `tabia dedupe` finds them; nothing is changed.

import { useState } from "preact/hooks";
import { ChooseDatabase, type Report, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { duplicatesHref, gameHref, go, useAddress } from "./router.ts";
import { get } from "./api.ts";
import { type GameJson, endsOfLine, makeTree, pathTo } from "./game_tree.ts";
import { useSettings } from "./settings.ts";
import { ErrorBox, Spinner, TableBox, copy, title, useLoad } from "./ui.tsx";
import { moveText, number, t } from "./translations.ts";

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
  const [isOpen, open] = useState(false);
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
      <TableBox label={t("duplicates.pair")}>
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
      </TableBox>
      <details onToggle={(event) => open(event.currentTarget.open)}>
        <summary>{t("tab.moves")}</summary>
        {isOpen && <Moves games={[kept, dropped]} />}
      </details>
    </article>
  );
}

/** The mainlines of both games; moves that the other one does not have at the same ply are marked. */
function Moves({ games }: { games: [Row, Row] }) {
  const { pieces } = useSettings();
  const load = useLoad(
    (signal) => Promise.all(games.map(({ db, game }) => get<GameJson>(`db/${encodeURIComponent(db)}/games/${game}`, {}, signal))),
    games.map(({ db, game }) => `${db}/${game}`),
  );
  if (load.state === "error") return <ErrorBox error={load.error} />;
  if (load.state === "loading") return <Spinner />;
  const lines = load.value.map((game) => {
    const tree = makeTree(game);
    return pathTo(tree, endsOfLine(tree, 0)[1]);
  });
  return (
    <>
      {lines.map((line, index) => (
        <p class="line">
          <b>
            {index === 0 ? t("duplicates.kept") : t("duplicates.dropped")}:
          </b>{" "}
          {line.map((node, ply) => {
            const isSame = lines[1 - index]?.[ply]?.san === node.san;
            const shown = moveText(node.san, pieces);
            return (
              <span>
                {node.ply % 2 === 1 ? `${Math.ceil(node.ply / 2)}.` : ply === 0 ? `${Math.ceil(node.ply / 2)}…` : ""}
                {isSame ? shown : <mark>{shown}</mark>}{" "}
              </span>
            );
          })}
        </p>
      ))}
    </>
  );
}
