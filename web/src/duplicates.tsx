// Pairs of games that are the same, as `tabia dedupe` finds them; nothing is changed.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { copyCommand } from "./commands.tsx";
import { ChooseDatabase, type Report, useDatabases, useReport } from "./database_choice_and_jobs.tsx";
import { duplicatesHref, gameHref, go, useAddress } from "./router.ts";
import { type Choice, CHOICES, type Decisions, decisionsOf, rowsOf, useDecisions } from "./decided_pairs.ts";
import { get } from "./api.ts";
import { type GameJson, endsOfLine, makeTree, pathTo } from "./game_tree.ts";
import { current, useSettings } from "./settings.ts";
import { ErrorBox, Later, Spinner, TableBox, announce, isTyping, saveCsv, title, useLoad } from "./ui.tsx";
import { WriteDecided } from "./write_file.tsx";
import { moveText, number, resultText, t, tn } from "./translations.ts";

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

const merged = async () => (await import("./game_parts.ts")).MergedGame;

export function View() {
  const { query } = useAddress();
  const databases = useDatabases();
  const db = query.get("db") ?? databases?.[0]?.id ?? "";
  const [shown, show] = useState(PAGE);
  const { answer, error } = useReport<DuplicatesAnswer>("duplicates", db === "" ? null : { db, n: Math.min(500, shown) });
  const decisions = useDecisions(db);
  const [active, setActive] = useState(0);
  const pairs = (answer?.isDone ? answer.pairs : []).filter((pair) => pair.kept !== null && pair.dropped !== null);
  const decide = (number: number, choice: Choice) => {
    const pair = pairs[number];
    if (!pair?.kept || !pair.dropped) return;
    decisions.put([{ kept: sideOf(pair.kept), dropped: sideOf(pair.dropped), choice }]);
    announce(t(`decide.${choice}`));
    if (number + 1 < pairs.length) setActive(number + 1);
  };
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || !current().singleKeys) return;
      if (document.querySelector("dialog[open]")) return;
      const choices: Record<string, Choice> = { 1: "left", 2: "right", 3: "merge", 0: "both" };
      const choice = choices[event.key];
      if (choice) decide(active, choice);
      else if (event.key === "u") decisions.undo?.();
      else if (event.key === "j") setActive(Math.min(pairs.length - 1, active + 1));
      else if (event.key === "k") setActive(Math.max(0, active - 1));
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  title(t("duplicates.title"));
  if (databases === null) return <Spinner />;
  const name = databases.find((card) => card.id === db.split(",")[0])?.name ?? db;
  return (
    <section class="report">
      <header class="bar-line">
        <h1>{t("duplicates.title")}</h1>
        <span class="grow" />
        <ChooseDatabase databases={databases} value={db} hasAll onChange={(chosen) => go(duplicatesHref(chosen))} />
        <button type="button" onClick={() => copyCommand(db.split(","), (inputs) => `tabia dedupe ${inputs.join(" ")} -o unique.pgn`)}>
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
          <DecisionBar db={db} pairs={pairs} total={answer.count} decisions={decisions} />
          {pairs.map((pair, number) => (
            <PairView
              pair={pair}
              isActive={number === active}
              decisions={decisions}
              onChoice={(choice) => decide(number, choice)}
              onFocus={() => setActive(number)}
            />
          ))}
          {answer.count > shown && shown < 500 && (
            <button type="button" onClick={() => show(shown + PAGE)}>
              {t("duplicates.more")}
            </button>
          )}
          <WriteUnique db={db} decisions={decisions} name={name} />
        </>
      )}
    </section>
  );
}

const sideOf = ({ db, game, white, black }: Row) => ({ db, game, white, black });

/** How far the decisions are, and what is done with all of them. */
function DecisionBar(props: { db: string; pairs: Pair[]; total: number; decisions: Decisions }) {
  const { pairs, decisions } = props;
  const isOpen = (pair: Pair) => pair.kept !== null && pair.dropped !== null && decisions.of(pair.kept, pair.dropped) === null;
  const load = async (file: File | undefined) => {
    const found = file ? decisionsOf(await file.text()) : null;
    if (found === null) announce(t("decide.notLoaded"), true);
    else {
      decisions.put(found);
      announce(t("decide.loaded", { n: found.length }), true);
    }
  };
  return (
    <div class="changes-bar decision-bar" role="group" aria-label={t("decide.save")}>
      <span role="status">{t("decide.progress", { n: decisions.all.length, total: props.total })}</span>
      <progress aria-label={t("decide.progress", { n: decisions.all.length, total: props.total })} value={decisions.all.length} max={Math.max(1, props.total)} />
      <button type="button" disabled={decisions.undo === null} onClick={() => decisions.undo?.()}>
        {t("book.undo")}
      </button>
      <button
        type="button"
        disabled={!pairs.some(isOpen)}
        onClick={() =>
          decisions.put(pairs.filter(isOpen).flatMap(({ kept, dropped }) => (kept && dropped ? [{ kept: sideOf(kept), dropped: sideOf(dropped), choice: "left" as const }] : [])))
        }
      >
        {t("decide.rest")}
      </button>
      <button type="button" disabled={decisions.all.length === 0} onClick={() => saveCsv(rowsOf(decisions.all), `${props.db} decisions`)}>
        {t("decide.save")}
      </button>
      <label class="button">
        {t("decide.load")}
        <input
          type="file"
          class="visually-hidden"
          accept=".csv,text/csv"
          onChange={(event) => {
            const input = event.currentTarget;
            void load(input.files?.[0]).then(() => {
              input.value = "";
            });
          }}
        />
      </label>
      <p class="sub">{t("decide.keys")}</p>
    </div>
  );
}

/** Writes the databases without the games that are dropped. */
function WriteUnique({ db, decisions, name }: { db: string; decisions: Decisions; name: string }) {
  if (decisions.all.length === 0) return null;
  const numberOf = ({ db, game }: { db: string; game: number }) => ({ db, game });
  const all = decisions.all.map(({ kept, dropped, choice }) => ({ kept: numberOf(kept), dropped: numberOf(dropped), choice }));
  return (
    <WriteDecided
      title={t("decide.write")}
      hint={t("decide.writeHint")}
      path="dedupe"
      request={{ db, decisions: all }}
      name={`${name.replace(/(\.\w+)+$/, "")}-unique`}
    />
  );
}

interface PairProps {
  pair: Pair;
  isActive: boolean;
  decisions: Decisions;
  onChoice: (choice: Choice) => void;
  onFocus: () => void;
}

const valueOf = (row: NonNullable<Pair["kept"]>, field: Field) => (field === "result" ? resultText(row.result) : (row[field] ?? ""));

function PairView({ pair, isActive, decisions, onChoice, onFocus }: PairProps) {
  const { kept, dropped } = pair;
  const [isOpen, open] = useState(false);
  const [isMerged, showMerged] = useState(false);
  const host = useRef<HTMLElement>(null);
  const wasActive = useRef(isActive);
  useEffect(() => {
    if (isActive && !wasActive.current) host.current?.scrollIntoView({ block: "nearest" });
    wasActive.current = isActive;
  }, [isActive]);
  if (!kept || !dropped) return null;
  const choice = decisions.of(kept, dropped);
  const differ = FIELDS.filter(([field]) => kept[field] !== dropped[field]);
  // What differs is seen without scrolling.
  const same = FIELDS.filter((field) => !differ.includes(field) && (kept[field[0]] ?? "") !== "");
  const fields = [...differ, ...same];
  const moves =
    pair.common === pair.plies[0] && pair.common === pair.plies[1]
      ? tn("duplicates.sameMoves", pair.common)
      : tn("duplicates.common", pair.common, { a: pair.plies[0], b: pair.plies[1] });
  return (
    <article ref={host} class={`panel-box pair${isActive ? " active" : ""}`} onFocusIn={onFocus} aria-current={isActive}>
      <p>
        <span class="badge">{t(`duplicates.${pair.kind}`)}</span> {pair.score} % · {moves}
        {differ.length > 0 && ` · ${t("duplicates.differ", { fields: differ.map(([, name]) => name()).join(", ") })}`}
      </p>
      <TableBox label={t("duplicates.pair")}>
        <table class="data reflow" style={{ "--rows": fields.length + 1 }}>
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
                      <bdi>{valueOf(row, field)}</bdi>
                    ) : (
                      <mark>
                        <bdi>{valueOf(row, field) || "–"}</bdi>
                      </mark>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      <p class="choice" role="group" aria-label={t("duplicates.pair")}>
        {CHOICES.map((found) => (
          <button type="button" aria-pressed={choice === found} onClick={() => (choice === found ? decisions.remove(kept, dropped) : onChoice(found))}>
            {t(`decide.${found}`)}
          </button>
        ))}
      </p>
      <details onToggle={(event) => open(event.currentTarget.open)}>
        <summary>{t("tab.moves")}</summary>
        {isOpen && <Moves games={[kept, dropped]} />}
      </details>
      <details onToggle={(event) => showMerged(event.currentTarget.open)}>
        <summary>{t("decide.merged")}</summary>
        {isMerged && <Later load={merged} kept={kept} dropped={dropped} />}
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
