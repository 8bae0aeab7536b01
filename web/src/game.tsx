// A game: board, notation, graphs, training, texts, tags.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type GameStart, type Rows, get, getText, momentOf, type PositionAnswer, positionQuery } from "./api.ts";
import { AsText, useAsText } from "./board_as_text.tsx";
import { BoardHost } from "./board_host.tsx";
import { play } from "./chess.ts";
import { Notation } from "./notation.tsx";
import { gameHref, gamesHref, go, playerHref, setQuery, useAddress } from "./router.ts";
import { current, useSettings } from "./settings.ts";
import {
  type GameJson, type Tree, clockText, clocks, endsOfLine, evaluations, hiddenMoves, isSame, lineOf, makeTree, nodeAtPly,
  nodeOfMoment, pathTo, placementAt, previewed, questionsOf,
} from "./game_tree.ts";
import { DeadEnd, ErrorBox, Graph, Later, ProblemLine, Spinner, announce, copy, copyFailed, isTyping, title, useLoad } from "./ui.tsx";
import { type TextInLanguage, languageCode, languageName, textsOf } from "./guiding_texts.ts";
import { shapesOf } from "./shapes.ts";
import { Training, askedAfter, judge, spokenQuestion } from "./training.tsx";
import { moveText, resultText, spoken, t } from "./translations.ts";

export function View() {
  const { path, query } = useAddress();
  const [, db = "", , number = "1"] = path;
  const load = useLoad<GameJson>(
    (signal) => get(`db/${encodeURIComponent(db)}/games/${encodeURIComponent(number)}`, {}, signal),
    [db, number],
  );
  // The game before stays until the next one is there.
  const last = useRef<GameJson | null>(null);
  const { game: shown } = previewed;
  if (!last.current && shown?.db === db && String(shown.game) === number) last.current = shown;
  if (load.state === "done" && !isSame(last.current, load.value)) last.current = load.value;
  const game = last.current;
  if (load.state === "error") {
    return (
      <DeadEnd error={load.error} name={db}>
        <a class="button" href={gamesHref((query.get("db") ?? db).split(","), listTerms(query))}>
          {t("game.list")}
        </a>
      </DeadEnd>
    );
  }
  if (!game) return <Spinner />;
  if (game.kind === "text") return <TextView key={`${game.db}/${game.game}`} game={game} query={query} />;
  return <Game key={`${game.db}/${game.game}/${game.fingerprint}`} game={game} query={query} />;
}

/** The parts of the view; the first one is shown unless the address names another one. */
const TABS = ["moves", "explorer", "book", "references", "tags", "raw", "pgn"] as const;

const references = async () => (await import("./game_parts.ts")).References;
const stored = async () => (await import("./game_parts.ts")).StoredRecord;
const explorer = async () => (await import("./explorer.tsx")).ExplorerTable;

const tag = (game: GameJson, name: string) => {
  const value = game.tags.find((tag) => tag.name === name)?.value ?? "";
  return value === "?" ? "" : value;
};

const players = (game: GameJson) => `${tag(game, "White") || "?"} – ${tag(game, "Black") || "?"}`;

/** The games before and after this one in the list that it was opened from, and its own place there, from 0. */
function useNeighbours(game: GameJson, query: URLSearchParams): [string | null, string | null, number | null] {
  const [found, set] = useState<[string | null, string | null, number | null]>([null, null, null]);
  const list = {
    db: query.get("db") ?? game.db,
    where: query.get("q") ?? "",
    sort: query.get("sort") ?? "",
    deleted: query.get("deleted") ?? "",
  };
  useEffect(() => {
    const controller = new AbortController();
    const run = async () => {
      const { row } = await get<{ row: number | null }>("row", { ...list, in: game.db, game: game.game }, controller.signal);
      if (row === null) return;
      set(([previous, next]) => [previous, next, row]);
      const from = Math.max(0, row - 1);
      const { rows } = await get<Rows>("games", { ...list, from, n: 3 }, controller.signal);
      const href = (index: number) => {
        const other = rows[index];
        return other ? gameHref(other[0], other[1], listQuery(query)) : null;
      };
      set([row > 0 ? href(0) : null, href(row > 0 ? 2 : 1), row]);
    };
    // Without neighbours the buttons stay disabled.
    run().catch(() => undefined);
    return () => controller.abort();
  }, [game.db, game.game, list.db, list.where, list.sort]);
  return found;
}

/** The query, order and deleted records of the list in the address. */
function listTerms(query: URLSearchParams): Record<string, string> {
  const { db: _, ...terms } = listQuery(query);
  return terms;
}

/** What of the address belongs to the list. */
function listQuery(query: URLSearchParams): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["db", "q", "sort", "deleted"]) {
    const value = query.get(name);
    if (value) kept[name] = value;
  }
  return kept;
}

/** Moves tried on the board from a node of the game. */
interface Trial {
  from: number;
  ucis: string[];
  sans: string[];
}

/** With the questions that the moves up to a node answer. */
function answeredOn(tree: Tree, id: number, answered: ReadonlySet<number>): ReadonlySet<number> {
  const more = pathTo(tree, id).filter((node) => questionsOf(node).length > 0 && !answered.has(node.id));
  return more.length === 0 ? answered : new Set([...answered, ...more.map((node) => node.id)]);
}

/** The node that an address names: by its line and ply, in older addresses by its number. */
function nodeOfAddress(tree: Tree, query: URLSearchParams): number {
  const node = Number(query.get("node"));
  return query.has("node") && tree.nodes[node] ? node : nodeAtPly(tree, Number(query.get("ply") ?? "0"), query.get("line") ?? "");
}

function Game({ game, query }: { game: GameJson; query: URLSearchParams }) {
  const settings = useSettings();
  const tree = useMemo(() => makeTree(game), [game]);
  const first = useMemo(() => nodeOfAddress(tree, query), []);
  const [node, setNode] = useState(first);
  const [isFlipped, flip] = useState(query.get("flip") === "1");
  const [trial, setTrial] = useState<Trial | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [asText, toggleText] = useAsText();
  const [tab, setTab] = useState(() => TABS.find((known) => known === query.get("tab")) ?? "moves");
  const [previous, next, row] = useNeighbours(game, query);
  const [position, setPosition] = useState<PositionAnswer | null>(null);
  const address = useAddress();

  const placement = useMemo(() => {
    const base = placementAt(tree, node);
    return trial ? trial.ucis.reduce(play, base) : base;
  }, [tree, node, trial]);
  const path = useMemo(() => pathTo(tree, node).map((node) => node.uci), [tree, node]);
  const start: GameStart = { db: game.db, game: game.game, plies: pathTo(tree, node).filter((node) => node.depth === 0).length };
  const played = useMemo(() => [...path, ...(trial?.ucis ?? [])], [path, trial]);

  title(players(game));

  const [answered, setAnswered] = useState<ReadonlySet<number>>(() => answeredOn(tree, first, new Set()));
  const hidden = useMemo(() => hiddenMoves(tree, answered), [tree, answered]);
  const [reply, setReply] = useState("");
  // Counts when the question gets the focus.
  const [asked, setAsked] = useState(0);

  // Keys can come faster than the view is drawn.
  const latest = useRef({ node, trial, answered, hidden });
  latest.current = { node, trial, answered, hidden };
  const show = useCallback(
    (id: number, before = "") => {
      const answered = answeredOn(tree, id, latest.current.answered);
      const hidden = answered === latest.current.answered ? latest.current.hidden : hiddenMoves(tree, answered);
      latest.current = { node: id, trial: null, answered, hidden };
      setAnswered(answered);
      setTrial(null);
      setNode(id);
      setReply(before);
      setAsked(0);
      const target = tree.nodes[id];
      if (!target) return;
      const question = askedAfter(tree, id, hidden);
      const move = id === 0 ? "" : `${Math.ceil(target.ply / 2)}${target.ply % 2 === 1 ? "." : "…"} ${spoken(target.san)}`;
      const text = [before, move, question ? spokenQuestion(question) : ""].filter((part) => part !== "").join(" ");
      if (text !== "") announce(text);
      setQuery({ ply: id === 0 ? null : target.ply, line: lineOf(tree, id), node: null });
    },
    [tree],
  );

  /** Moves the focus to the question that the next move answers. */
  const ask = useCallback(() => {
    const question = askedAfter(tree, latest.current.node, latest.current.hidden);
    if (!question) return;
    setTab("moves");
    setAsked((count) => count + 1);
    announce(spokenQuestion(question));
  }, [tree]);
  const answer = useCallback(
    (id: number) => {
      show(id);
      setAsked(1);
    },
    [show],
  );

  // A game that a query has found opens where it fits, unless the address names another move.
  useEffect(() => {
    const where = query.get("q") ?? "";
    if (query.has("ply") || query.has("node")) return;
    const controller = new AbortController();
    momentOf(game.db, game.game, where, controller.signal).then(
      (moment) => {
        const { node, trial } = latest.current;
        if (moment && moment.ply > 0 && node === 0 && !trial) show(nodeOfMoment(tree, moment));
      },
      // Without it the game is at its start.
      () => undefined,
    );
    return () => controller.abort();
  }, []);

  // The address changed by the browser: back, a link to another ply.
  useEffect(() => {
    const id = nodeOfAddress(tree, address.query);
    if (id !== node) {
      setTrial(null);
      setNode(id);
      setAnswered(answeredOn(tree, id, answered));
    }
  }, [address]);

  // Legal moves of the position, for moving pieces; the server knows the rules.
  const line = positionQuery(game.fen ?? "", played, start);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      get<PositionAnswer>("position", line, controller.signal).then(setPosition, () => setPosition(null));
    }, 60);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [game, played]);

  const step = useCallback(
    (kind: "next" | "back" | "start" | "end" | "in" | "out") => {
      const { node, trial } = latest.current;
      if (trial) {
        const rest =
          kind === "back" && trial.ucis.length > 1
            ? { ...trial, ucis: trial.ucis.slice(0, -1), sans: trial.sans.slice(0, -1) }
            : null;
        latest.current.trial = rest;
        setTrial(rest);
        if (kind !== "next") return;
      }
      const at = tree.nodes[node];
      if (!at) return;
      const isHidden = (id: number) => latest.current.hidden.has(id);
      if (kind === "next" && at.next !== null) isHidden(at.next) ? ask() : show(at.next);
      if (kind === "back" && node !== 0) show(at.parent);
      if (kind === "start") show(0);
      if (kind === "end") {
        let last = endsOfLine(tree, node)[1];
        while (last !== node && isHidden(last)) last = tree.nodes[last]?.parent ?? node;
        if (last === node && at.next !== null) ask();
        else show(last);
      }
      if (kind === "in") {
        const following = at.next === null ? undefined : tree.nodes[at.next];
        const variation = at.variations[0] ?? following?.variations[0];
        if (variation !== undefined) isHidden(variation) ? ask() : show(variation);
      }
      if (kind === "out") {
        const [begin] = endsOfLine(tree, node);
        const owner = tree.nodes.find((other) => other.variations.includes(begin));
        if (owner) show(owner.id);
      }
    },
    [tree, show, ask],
  );

  useEffect(() => {
    if (!isPlaying) return;
    const next = tree.nodes[node]?.next ?? null;
    if (next === null || hidden.has(next)) {
      setPlaying(false);
      if (next !== null) ask();
      return;
    }
    const timer = setTimeout(() => step("next"), 1200);
    return () => clearTimeout(timer);
  }, [isPlaying, node]);

  const copyPgn = () => {
    // It has the answers: where it is shown, they are asked for.
    if (latest.current.hidden.size > 0) {
      setTab("pgn");
      announce(t("training.covered"));
      document.getElementById("panel")?.focus();
      return;
    }
    void getText(`db/${encodeURIComponent(game.db)}/games/${game.game}.pgn`).then(copy, copyFailed);
  };
  // Asked anew: `position` can still be that of the move before.
  const positionNow = () => get<PositionAnswer>("position", line);
  const copyFen = () => void positionNow().then((answer) => copy(answer.fen), copyFailed);
  const listHref = gamesHref((query.get("db") ?? game.db).split(","), {
    ...listTerms(query),
    ...(row === null ? {} : { at: String(row + 1) }),
  });

  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      const isLetter = event.key.length === 1 && event.key !== " ";
      if (isLetter && !current().singleKeys) return;
      const actions: Record<string, () => void> = {
        ArrowRight: () => step(event.shiftKey ? "in" : "next"),
        ArrowLeft: () => step(event.shiftKey ? "out" : "back"),
        ArrowUp: () => show(endsOfLine(tree, latest.current.node)[0]),
        ArrowDown: () => step("end"),
        Home: () => step("start"),
        End: () => step("end"),
        " ": () => setPlaying((playing) => !playing),
        f: () => flip((flipped) => !flipped),
        x: toggleText,
        e: () => setTab("explorer"),
        b: () => setTab("book"),
        g: typeNumber,
        n: () => next !== null && go(next),
        p: () => previous !== null && go(previous),
        c: copyFen,
        C: copyPgn,
        Escape: () => go(listHref),
      };
      if (event.key === " " && (event.target as HTMLElement).closest("button, a, summary")) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });

  useEffect(() => setQuery({ flip: isFlipped ? 1 : null }), [isFlipped]);
  useEffect(() => setQuery({ tab: tab === "moves" ? null : tab }), [tab]);

  const onMove = useCallback(
    (uci: string) => {
      const san = position?.legal.find((move) => move.uci === uci)?.san ?? uci;
      const question = trial ? undefined : askedAfter(tree, node, hidden);
      if (question) {
        const { isRight, reply } = judge(question, uci);
        if (isRight) {
          show(question.id, reply);
          return;
        }
        setReply(reply);
        announce(`${spoken(san)}: ${reply}`);
        return;
      }
      if (!trial) {
        const at = tree.nodes[node];
        const main = at?.next === null || !at ? undefined : tree.nodes[at.next];
        const known = main && [main, ...main.variations.map((id) => tree.nodes[id])].find((other) => other?.uci === uci);
        if (known) {
          show(known.id);
          return;
        }
      }
      announce(spoken(san));
      setTrial({ from: node, ucis: [...(trial?.ucis ?? []), uci], sans: [...(trial?.sans ?? []), san] });
    },
    [position, trial, node, tree, show, hidden],
  );

  const at = tree.nodes[node];
  const shapes = trial || !settings.arrows ? [] : shapesOf(at?.annotations ?? []);
  const evals = useMemo(() => evaluations(tree).filter((point) => !hidden.has(point.node)), [tree, hidden]);
  const times = useMemo(() => clocks(tree).filter((point) => !hidden.has(point.node)), [tree, hidden]);
  const nameOf = (ply: number) => `${Math.ceil(ply / 2)}${ply % 2 === 1 ? "." : "…"}`;
  const lastUci = trial ? trial.ucis[trial.ucis.length - 1] : at?.uci;
  const question = trial ? undefined : askedAfter(tree, node, hidden);
  const training = questionsOf(question ?? at);
  // What a part shows besides the board must not answer a question that is still open.
  const isCovered = ["explorer", "book"].includes(tab) ? question !== undefined : ["references", "raw", "pgn"].includes(tab) && hidden.size > 0;
  const uncover = () => {
    setAnswered(new Set(tree.nodes.map((node) => node.id)));
    document.getElementById("panel")?.focus();
  };
  const names: Record<(typeof TABS)[number], string> = {
    moves: t("tab.moves"), explorer: t("tab.explorer"), book: t("shelf.books"), references: t("tab.references"),
    tags: t("tab.tags"), raw: t("tab.raw"), pgn: "PGN",
  };

  return (
    <section class="game">
      <h1 class="visually-hidden">{players(game)}</h1>
      <div class="board-side">
        <Player game={game} color={isFlipped ? "White" : "Black"} times={times} ply={at?.ply ?? 0} />
        <BoardHost
          placement={placement}
          isFlipped={isFlipped}
          lastUci={lastUci ?? ""}
          shapes={shapes}
          position={position}
          onMove={onMove}
          onWheel={(down) => step(down ? "next" : "back")}
          steps={[trial !== null || node !== 0, !trial && at?.next != null]}
        />
        <Player game={game} color={isFlipped ? "Black" : "White"} times={times} ply={at?.ply ?? 0} />
        <Controls
          step={step}
          isPlaying={isPlaying}
          onPlay={() => setPlaying(!isPlaying)}
          onFlip={() => flip(!isFlipped)}
          onText={toggleText}
          asText={asText}
        />
        {trial && (
          <p class="trial" role="status">
            {t("trial")}{" "}
            <b>{trial.sans.map((san) => moveText(san, settings.pieces)).join(" ")}</b>{" "}
            <button type="button" onClick={() => setTrial(null)}>
              {t("trial.back")}
            </button>
          </p>
        )}
      </div>
      <div class="text-side">
        <header class="game-head">
          <p class="who">
            <PlayerName game={game} color="White" />
            {tag(game, "WhiteElo") && <small> {tag(game, "WhiteElo")}</small>} –{" "}
            <PlayerName game={game} color="Black" />
            {tag(game, "BlackElo") && <small> {tag(game, "BlackElo")}</small>}{" "}
            <b class="score">{resultText(game.result)}</b>
          </p>
          <p class="sub">
            <bdi>
              {[tag(game, "Event"), tag(game, "Site"), tag(game, "Round") && t("round", { n: tag(game, "Round") }), tag(game, "Date").replace(/(\.\?\?)+$/, "")]
                .filter((part) => part && part !== "????")
                .join(" · ")}
            </bdi>
          </p>
          {(game.opening || tag(game, "ECO")) && (
            <p class="sub">
              <b>{tag(game, "ECO")}</b> {/* The stored code can be that of another opening. */}
              {game.opening && (
                <>
                  {!tag(game, "ECO").startsWith(game.opening.eco) && (
                    <>
                      {tag(game, "ECO") && "· "}
                      <b>{game.opening.eco}</b>
                    </>
                  )}{" "}
                  {game.opening.name}
                </>
              )}
            </p>
          )}
          {game.deleted && <p class="sub warn">{t("game.deleted")}</p>}
          <Problems game={game} />
        </header>
        <nav class="game-nav" aria-label={t("game.nav")}>
          <a class="button" href={listHref}>
            {t("game.list")}
          </a>
          <LinkButton href={previous} text={t("game.previous")} />
          <GameNumber game={game} query={query} />
          <LinkButton href={next} text={t("game.next")} />
          <span class="copies">
            <button type="button" onClick={copyFen}>
              {t("copy.fen")}
            </button>
            <button type="button" onClick={copyPgn}>
              {t("copy.pgn")}
            </button>
          </span>
        </nav>
        {asText && <AsText placement={placement} shapes={shapes} positionNow={positionNow} onMove={onMove} />}
        <div class="tabs" role="tablist" aria-label={t("game.tabs")}>
          {TABS.map((id, index) => (
            <button
              type="button"
              role="tab"
              id={`tab-${id}`}
              aria-selected={tab === id}
              aria-controls="panel"
              tabIndex={tab === id ? 0 : -1}
              onClick={() => setTab(id)}
              onKeyDown={(event) => {
                const change = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
                if (change === 0) return;
                event.preventDefault();
                event.stopPropagation();
                const other = TABS[(index + change + TABS.length) % TABS.length];
                if (other) {
                  setTab(other);
                  document.getElementById(`tab-${other}`)?.focus();
                }
              }}
            >
              {names[id]}
            </button>
          ))}
        </div>
        <div class="panel" role="tabpanel" id="panel" tabIndex={-1} aria-labelledby={`tab-${tab}`}>
          {isCovered && (
            <div class="panel-text">
              <p>{t("training.covered")}</p>
              <button type="button" onClick={uncover}>
                {t("training.hidden")}
              </button>
            </div>
          )}
          {tab === "moves" && (
            <>
              {training.map((item) => (
                <Training
                  key={(question ?? at)?.id}
                  item={item}
                  reply={reply}
                  focus={asked}
                  {...(question ? { onAnswer: () => answer(question.id) } : {})}
                />
              ))}
              <Notation
                tree={tree}
                node={trial ? trial.from : node}
                onNode={show}
                result={game.result}
                hidden={hidden}
                onAnswer={answer}
              />
              {evals.length > 1 && (
                <Graph
                  label={t("graph.evals")}
                  points={evals.map((e) => ({ x: e.ply, y: e.pawns, text: e.text, name: nameOf(e.ply), node: e.node }))}
                  min={-5}
                  max={5}
                  zero={0}
                  current={node}
                  onPick={show}
                />
              )}
              {times.length > 3 && (
                <Graph
                  label={t("graph.clocks")}
                  points={times.map((c) => ({ x: c.ply, y: c.seconds, text: clockText(c.seconds), name: nameOf(c.ply), node: c.node }))}
                  min={0}
                  max={Math.max(...times.map((c) => c.seconds), 1)}
                  hasSides
                  current={node}
                  onPick={show}
                />
              )}
            </>
          )}
          {tab === "explorer" && !isCovered && <Later load={explorer} fen={game.fen ?? ""} line={played} sans={position?.line} start={start} src={null} where="" onMove={onMove} />}
          {tab === "book" && !isCovered && <Later load={explorer} onlyBooks fen={game.fen ?? ""} line={played} sans={position?.line} start={start} src={null} where="" onMove={onMove} />}
          {tab === "references" && !isCovered && <Later load={references} game={game} tree={tree} onNode={show} />}
          {tab === "tags" && <Tags game={game} />}
          {tab === "raw" && !isCovered && <Later load={stored} game={game} tree={tree} />}
          {tab === "pgn" && !isCovered && <Pgn game={game} />}
        </div>
      </div>
    </section>
  );
}

function Problems({ game }: { game: GameJson }) {
  return (
    <>
      {game.problemList.map((problem) => (
        <p class="problem" role="note">
          <bdi>
            <ProblemLine problem={problem} />
          </bdi>
        </p>
      ))}
    </>
  );
}

function LinkButton({ href, text }: { href: string | null; text: string }) {
  return href === null ? (
    <span class="button off" aria-disabled="true">
      {text}
    </span>
  ) : (
    <a class="button" href={href}>
      {text}
    </a>
  );
}

/** The number of the game in its database; a click or the key `g` takes another one. */
function GameNumber({ game, query }: { game: GameJson; query: URLSearchParams }) {
  const [isTyped, type] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // Before the next key, which is a digit.
  useLayoutEffect(() => field.current?.select(), [isTyped]);
  if (!isTyped) {
    return (
      <button type="button" id={GOTO} class="link sub" title={t("games.goto")} onClick={() => type(true)}>
        {t("game.of", { n: game.game, total: game.total })}
      </button>
    );
  }
  return (
    <form
      class="goto"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = field.current?.value.trim() ?? "";
        if (Number(wanted) === game.game) type(false);
        else if (/^\d+$/.test(wanted) && Number(wanted) >= 1 && Number(wanted) <= game.total) go(gameHref(game.db, Number(wanted), listQuery(query)));
        else announce(t("games.notInList", { n: wanted }), true);
      }}
    >
      <input
        ref={field}
        inputMode="numeric"
        autoComplete="off"
        size={String(game.total).length + 1}
        defaultValue={String(game.game)}
        aria-label={t("games.goto")}
        onBlur={() => type(false)}
        onKeyDown={(event) => event.key === "Escape" && type(false)}
      />
    </form>
  );
}

const GOTO = "goto";

const typeNumber = () => document.getElementById(GOTO)?.click();

/** The name of a player, with a link to what else is known of the player. */
function PlayerName({ game, color }: { game: GameJson; color: "White" | "Black" }) {
  const name = tag(game, color);
  return name === "" ? <>?</> : (
    <a href={playerHref(name, game.db)}>
      <bdi>{name}</bdi>
    </a>
  );
}

function Player(props: {
  game: GameJson;
  color: "White" | "Black";
  times: ReturnType<typeof clocks>;
  ply: number;
}) {
  const { game, color } = props;
  const parity = color === "White" ? 1 : 0;
  const time = props.times.filter((c) => c.ply % 2 === parity && c.ply <= props.ply).pop();
  return (
    <p class="player">
      <span class={`disc ${color.toLowerCase()}`} aria-hidden="true" />
      <bdi>{tag(game, color) || "?"}</bdi>
      <small>{tag(game, `${color}Elo`)}</small>
      {time && <span class="clock">{clockText(time.seconds)}</span>}
    </p>
  );
}

function Controls(props: {
  step: (kind: "next" | "back" | "start" | "end") => void;
  isPlaying: boolean;
  onPlay: () => void;
  onFlip: () => void;
  onText: () => void;
  asText: boolean;
}) {
  const from = useRef(0);
  return (
    <div
      class="controls"
      role="group"
      aria-label={t("controls")}
      onTouchStart={(event) => (from.current = event.touches[0]?.clientX ?? 0)}
      onTouchEnd={(event) => {
        // As far as a button is wide; a finger that moves that far clicks nothing.
        const way = (event.changedTouches[0]?.clientX ?? 0) - from.current;
        if (Math.abs(way) >= 44) props.step(way < 0 ? "next" : "back");
      }}
    >
      <button type="button" aria-label={t("move.first")} onClick={() => props.step("start")}>«</button>
      <button type="button" aria-label={t("move.back")} onClick={() => props.step("back")}>‹</button>
      <button type="button" aria-label={t(props.isPlaying ? "move.pause" : "move.play")} onClick={props.onPlay}>
        {props.isPlaying ? "❚❚" : "▶"}
      </button>
      <button type="button" aria-label={t("move.next")} onClick={() => props.step("next")}>›</button>
      <button type="button" aria-label={t("move.last")} onClick={() => props.step("end")}>»</button>
      <button type="button" aria-label={t("move.flip")} onClick={props.onFlip}>⇅</button>
      <button type="button" aria-label={t("move.text")} aria-pressed={props.asText} onClick={props.onText}>Aa</button>
    </div>
  );
}

function Tags({ game }: { game: GameJson }) {
  return (
    <table class="tags">
      <caption class="visually-hidden">{t("tab.tags")}</caption>
      <tbody>
        {game.tags.map((tag) => (
          <tr>
            <th scope="row">
              <bdi>{tag.name}</bdi>
            </th>
            <td>
              <bdi>{tag.value}</bdi>
            </td>
          </tr>
        ))}
        {game.fen !== null && (
          <tr>
            <th scope="row">FEN</th>
            <td>{game.fen}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Pgn({ game }: { game: GameJson }) {
  const [profile, setProfile] = useState("standard");
  const load = useLoad<string>(
    () => getText(`db/${encodeURIComponent(game.db)}/games/${game.game}.pgn`, { profile }),
    [game, profile],
  );
  return (
    <>
      <p class="toolbar">
        <label>
          {t("pgn.profile")}{" "}
          <select value={profile} onChange={(event) => setProfile(event.currentTarget.value)}>
            {["standard", "full", "lichess", "chessbase", "seven"].map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
      </p>
      {load.state === "done" ? (
        <pre class="pgn" tabIndex={0}>
          {load.value.trim()}
        </pre>
      ) : load.state === "error" ? (
        <ErrorBox error={load.error} />
      ) : (
        <Spinner />
      )}
    </>
  );
}

/** About the height of HTML, which nobody but its frame may look into. */
function heightOf(html: string): string {
  const letters = html.replace(/<style[\s\S]*?<\/style>|<[^>]*>/gi, "").length;
  const lines = letters / 110 + html.split(/<(?:p|br|div|li|tr|h\d)\b/i).length;
  return /<(?:img|table)/i.test(html) ? "70vh" : `clamp(4em, ${Math.ceil(lines) * 1.5 + 2}em, 70vh)`;
}

/** A guiding text. HTML of others is shown in a frame that can do nothing. */
function TextView({ game, query }: { game: GameJson; query: URLSearchParams }) {
  const [previous, next] = useNeighbours(game, query);
  const texts = textsOf(game);
  const titles = game.annotations.filter((part) => part.type === "text" && part["kind"] === "title");
  const heading = texts[0]?.title || String(titles[0]?.["text"] ?? tag(game, "White"));
  title(heading);
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const isOn = current().singleKeys;
      if (event.key === "n" && next && isOn) go(next);
      if (event.key === "p" && previous && isOn) go(previous);
      if (event.key === "g" && isOn) {
        event.preventDefault();
        typeNumber();
      }
      if (event.key === "Escape") go(gamesHref([game.db]));
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  return (
    <section class="text-view">
      <nav class="game-nav" aria-label={t("game.nav")}>
        <a class="button" href={gamesHref([query.get("db") ?? game.db])}>
          {t("game.list")}
        </a>
        <LinkButton href={previous} text={t("game.previous")} />
        <GameNumber game={game} query={query} />
        <LinkButton href={next} text={t("game.next")} />
      </nav>
      <h1>
        <bdi>{heading || t("text")}</bdi>
      </h1>
      <Problems game={game} />
      {texts.map((text, index) =>
        texts.length === 1 ? (
          <TextBodies text={text} heading={heading} />
        ) : (
          <details class="in-language" open={index === 0}>
            <summary>
              <h2>
                {languageName(text.language)}
                {text.title !== "" && text.title !== heading && (
                  <small lang={languageCode(text.language)}>
                    {" "}
                    <bdi>{text.title}</bdi>
                  </small>
                )}
              </h2>
            </summary>
            <TextBodies text={text} heading={text.title || heading} />
          </details>
        ),
      )}
      {game.annotations
        .filter((part) => part.type === "text" && part["kind"] === "file")
        .map((part) => (
          <p class="sub">
            {t("text.file")} <bdi>{String(part["text"])}</bdi>
          </p>
        ))}
    </section>
  );
}

/** What is written in one language. */
function TextBodies({ text, heading }: { text: TextInLanguage; heading: string }) {
  return (
    <div lang={languageCode(text.language)}>
      {text.bodies.map((part) =>
        part["kind"] === "html" ? (
          <iframe title={heading || t("text")} sandbox="" srcdoc={String(part["text"])} style={{ height: heightOf(String(part["text"])) }} />
        ) : (
          <pre class="plain" tabIndex={0}>{String(part["text"])}</pre>
        ),
      )}
    </div>
  );
}
