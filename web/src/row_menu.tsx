// The menu of a row of the list of games.

import { useLayoutEffect, useRef } from "preact/hooks";
import { type PositionAnswer, type Row, get, getText, momentOf, positionQuery } from "./api.ts";
import { type GameJson, type Tree, hiddenMoves, makeTree, nodeAtPly, nodeOfMoment, pathTo } from "./game_tree.ts";
import { explorerHref, go } from "./router.ts";
import { announce, announceError, copy, copyFailed } from "./ui.tsx";
import { t } from "./translations.ts";

/** A game of the list with the position that stands for it. */
export interface Shown {
  game: GameJson;
  tree: Tree;
  /** After the first ten moves. */
  node: number;
  /** Where the query fits, else the same. */
  shown: number;
  /** Whether the game has questions, whose answers are hidden. */
  asks: boolean;
}

export async function shownGame(row: Row, where: string, signal: AbortSignal): Promise<Shown> {
  const [game, moment] = await Promise.all([
    get<GameJson>(`db/${encodeURIComponent(row[0])}/games/${row[1]}`, {}, signal),
    momentOf(row[0], row[1], where, signal),
  ]);
  const tree = makeTree(game);
  const hidden = hiddenMoves(tree, new Set());
  const visible = (node: number) => {
    while (hidden.has(node)) node = tree.nodes[node]?.parent ?? 0;
    return node;
  };
  const node = visible(nodeAtPly(tree, (tree.nodes[0]?.ply ?? 0) + 20));
  return { game, tree, node, shown: moment ? visible(nodeOfMoment(tree, moment)) : node, asks: hidden.size > 0 };
}

const movesTo = ({ tree, shown }: Shown) => pathTo(tree, shown).map((node) => node.uci);

/** The explorer with the position that is shown. */
export const explorerOf = (found: Shown) =>
  explorerHref([found.game.db], { ...(found.game.fen ? { fen: found.game.fen } : {}), play: movesTo(found).join(",") });

/** Copies the FEN of the position that is shown. */
export function copyFen(found: Shown): void {
  const { game, tree, shown } = found;
  const start = { db: game.db, game: game.game, plies: pathTo(tree, shown).filter((node) => node.depth === 0).length };
  get<PositionAnswer>("position", positionQuery(game.fen ?? "", movesTo(found), start)).then(({ fen }) => copy(fen), copyFailed);
}

/** The copy has the answers of questions: the game asks for them first. */
export function copyPgn({ game, asks }: Shown): void {
  if (asks) announce(t("training.covered"), true);
  else void getText(`db/${encodeURIComponent(game.db)}/games/${game.game}.pgn`).then(copy, copyFailed);
}

export interface OpenMenu {
  row: Row;
  x: number;
  y: number;
}

export function RowMenu({ menu, href, where, onClose }: { menu: OpenMenu; href: string; where: string; onClose: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const { row, x, y } = menu;
  // Before the next key, which is for the menu.
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    // All of it is in the window.
    element.style.left = `${Math.max(0, Math.min(x, innerWidth - element.offsetWidth - 8))}px`;
    element.style.top = `${Math.max(0, Math.min(y, innerHeight - element.offsetHeight - 8))}px`;
    element.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: Event) => {
      if (event.type === "blur" || !element.contains(event.target as Node)) onClose();
    };
    const kinds = ["pointerdown", "wheel", "resize", "blur"];
    for (const kind of kinds) addEventListener(kind, outside);
    return () => {
      for (const kind of kinds) removeEventListener(kind, outside);
    };
  }, [menu]);
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(ref.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const now = items.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 };
    const next = steps[event.key];
    if (next !== undefined) items.at(next % items.length)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (event.key === "Enter" || event.key === " ") (document.activeElement as HTMLElement).click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const item = (text: string, act: (found: Shown) => void) => (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      onClick={() => {
        onClose();
        shownGame(row, where, new AbortController().signal).then(act, announceError);
      }}
    >
      {text}
    </button>
  );
  return (
    <div class="menu-body row-actions" role="menu" aria-label={t("games.menu", { n: row[1] })} ref={ref} onKeyDown={onKeyDown} onContextMenu={(event) => event.preventDefault()}>
      <a role="menuitem" tabIndex={-1} href={href}>
        {t("open")}
      </a>
      {/* A text has no moves. */}
      {row[6] !== null && (
        <>
          {item(t("copy.pgn"), copyPgn)}
          {item(t("copy.fen"), copyFen)}
          {item(t("card.explore"), (found) => go(explorerOf(found)))}
        </>
      )}
    </div>
  );
}
