// What of a game leads elsewhere: quoted games, links, files, and games of the same players, event and opening.

import { useEffect, useState } from "preact/hooks";
import { type Row, type Rows, get } from "./api.ts";
import { useDatabases } from "./database_choice_and_jobs.tsx";
import type { Annotation, GameJson, Tree } from "./game_tree.ts";
import { explorerHref, gameHref, gamesHref } from "./router.ts";
import { useSettings } from "./settings.ts";
import { copy } from "./ui.tsx";
import { moveText, t } from "./translations.ts";

const quote = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const textOf = (value: unknown) => (typeof value === "string" && value !== "?" ? value : "");

/** A move, or the start, that something belongs to. */
interface Found {
  node: number;
  name: string;
  annotation: Annotation;
}

const KINDS = ["quotation", "webLink", "media"];

function referencesOf(tree: Tree): Found[] {
  const found: Found[] = [];
  for (const node of tree.nodes) {
    const number = `${Math.ceil(node.ply / 2)}${node.ply % 2 === 1 ? "." : "…"}`;
    for (const annotation of node.annotations) {
      if (KINDS.includes(annotation.type)) found.push({ node: node.id, name: node.id === 0 ? t("move.first") : `${number} ${node.san}`, annotation });
    }
  }
  return found;
}

export function References(props: { game: GameJson; tree: Tree; onNode: (node: number) => void }) {
  const { game, tree } = props;
  const { pieces } = useSettings();
  const found = referencesOf(tree);
  const databases = useDatabases();
  return (
    <div class="panel-text">
      {found.length > 0 && <h2>{t("references.ofGame")}</h2>}
      <ul class="references">
        {found.map((reference) => (
          <li>
            <button type="button" class="link" onClick={() => props.onNode(reference.node)}>
              {reference.node === 0 ? reference.name : moveText(reference.name, pieces)}
            </button>{" "}
            {reference.annotation.type === "quotation" ? (
              <Quotation annotation={reference.annotation} databases={(databases ?? []).map((card) => card.id)} />
            ) : (
              <Elsewhere annotation={reference.annotation} />
            )}
          </li>
        ))}
      </ul>
      <h2>{t("references.others")}</h2>
      <Others game={game} />
    </div>
  );
}

/** A link, or a file: its name as text, since the page opens nothing elsewhere. */
function Elsewhere({ annotation }: { annotation: Annotation }) {
  const address = textOf(annotation["url"]);
  const caption = textOf(annotation["caption"]) || textOf(annotation["text"]);
  return (
    <>
      <bdi>{[annotation.type === "media" ? `${t("media")} (${textOf(annotation["kind"])}):` : "", caption, address].filter((part) => part !== "").join(" ")}</bdi>{" "}
      {address !== "" && (
        <button type="button" class="link" onClick={() => void copy(address)}>
          {t("references.copyAddress")}
        </button>
      )}
    </>
  );
}

/** A quoted game: what is stored of it, and the games of the databases that it can be. */
function Quotation({ annotation, databases }: { annotation: Annotation; databases: string[] }) {
  const { pieces } = useSettings();
  const part = (name: string) => textOf(annotation[name]);
  const surname = (name: string) => name.split(",")[0]?.trim() ?? "";
  const year = /^\d{4}/.exec(part("date"))?.[0];
  const players = [
    surname(part("white")) && `white:${quote(surname(part("white")))}`,
    surname(part("black")) && `black:${quote(surname(part("black")))}`,
  ].filter((term) => term !== "");
  const query = players.length === 0 ? "" : [...players, ...(year ? [`year:${year}`] : [])].join(" ");
  const rows = useRows(databases, query);
  const moves = Array.isArray(annotation["moves"]) ? (annotation["moves"] as (string | { san: string })[]) : [];
  const sans = moves.map((move) => (typeof move === "string" ? move : move.san));
  const about = [part("event"), part("site"), part("date"), part("result")].filter((text) => text !== "" && !/^\?+/.test(text));
  return (
    <>
      <bdi>
        {part("white").replace(/,(?=\S)/, ", ") || "?"} – {part("black").replace(/,(?=\S)/, ", ") || "?"}
      </bdi>{" "}
      <span class="sub">
        <bdi>{about.join(", ")}</bdi>
      </span>
      {sans.length > 0 && (
        <details>
          <summary>{t("tab.moves")}</summary>
          <p class="line">{sans.map((san, index) => `${index % 2 === 0 ? `${index / 2 + 1}.` : ""}${moveText(san, pieces)} `)}</p>
        </details>
      )}
      {rows !== null && (
        <span class="sub">
          {" "}
          {rows.length === 0 && t("references.notFound")}
          {rows.map((row) => (
            <a href={gameHref(row[0], row[1])}>
              <bdi>{row[0]}</bdi> {row[1]}
            </a>
          ))}
        </span>
      )}
    </>
  );
}

/** The first games that fit a query; null as long as they are not known. */
function useRows(databases: string[], query: string): Row[] | null {
  const [rows, setRows] = useState<Row[] | null>(null);
  const db = databases.slice(0, 64).join(",");
  useEffect(() => {
    setRows(null);
    if (query === "" || db === "") return;
    const controller = new AbortController();
    const run = async () => {
      for (;;) {
        const found = await get<Rows>("games", { db, where: query, n: 5 }, controller.signal);
        if (found.isDone || found.rows.length === 5) return setRows(found.rows);
        await new Promise((done) => setTimeout(done, 250));
        controller.signal.throwIfAborted();
      }
    };
    // A game that is not found has no link.
    run().catch(() => undefined);
    return () => controller.abort();
  }, [db, query]);
  return rows;
}

/** Games of the same players, event and opening. */
function Others({ game }: { game: GameJson }) {
  const tag = (name: string) => textOf(game.tags.find((found) => found.name === name)?.value);
  const [white, black, event] = [tag("White"), tag("Black"), tag("Event")];
  const eco = tag("ECO") || game.opening?.eco || "";
  const is = (field: string, name: string) => `${field}:${quote(`=${name}`)}`;
  const links: [name: string, query: string][] = [];
  if (white !== "") links.push([white, is("player", white)]);
  if (black !== "") links.push([black, is("player", black)]);
  if (white !== "" && black !== "") links.push([`${white} – ${black}`, `${is("player", white)} ${is("player", black)}`]);
  if (event !== "") links.push([event, is("event", event)]);
  const code = eco.slice(0, 3);
  // The name is that of the opening by position, which may have another code than the game states.
  const opening = game.opening?.eco?.slice(0, 3) === code ? game.opening.name : "";
  if (/^[A-E]\d\d/.test(eco)) links.push([`${code} ${opening}`.trim(), `eco:${code}`]);
  const first = game.moves.slice(0, 12).map((move) => move.uci);
  return (
    <ul class="references">
      {links.map(([name, query]) => (
        <li>
          <a href={gamesHref([game.db], { q: query })}>
            <bdi>{name}</bdi>
          </a>
        </li>
      ))}
      {first.length > 0 && (
        <li>
          <a href={explorerHref([game.db], { ...(game.fen ? { fen: game.fen } : {}), play: first.join(",") })}>{t("references.explorer")}</a>
        </li>
      )}
    </ul>
  );
}
