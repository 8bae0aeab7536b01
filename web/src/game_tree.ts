// The tree of a game as a list of nodes, made without recursion: variations can be nested deeply.

import type { Stated } from "./problem_texts.ts";
import { type Placement, START, parseFen, play } from "./chess.ts";

export interface Annotation {
  type: string;
  [key: string]: unknown;
}

interface MoveJson {
  ply: number;
  san: string;
  uci: string;
  annotations: Annotation[];
  variations: LineJson[];
}

interface LineJson {
  annotations: Annotation[];
  moves: MoveJson[];
}

export interface GameJson extends LineJson {
  game: number;
  kind: "game" | "text";
  deleted: boolean;
  tags: { name: string; value: string }[];
  chess960: boolean;
  fen: string | null;
  result: string;
  db: string;
  total: number;
  opening: { eco: string; name: string } | null;
  problemList: Stated[];
  fingerprint: string;
}

/** The game that the list shows next to it, which is there at once when it is opened. */
export const previewed: { game: GameJson | null } = { game: null };

/** Whether both are the same state of the same game. */
export const isSame = (a: GameJson | null, b: GameJson) => a?.db === b.db && a.game === b.game && a.fingerprint === b.fingerprint;

/** A move; node 0 is the start of the game. */
export interface Node {
  id: number;
  parent: number;
  ply: number;
  san: string;
  uci: string;
  annotations: Annotation[];
  /** The next move of the same line. */
  next: number | null;
  /** First moves of the alternatives to this move. */
  variations: number[];
  /** 0 for the mainline. */
  depth: number;
}

/** What the notation shows, in order. */
export type Token =
  | { kind: "move"; node: number }
  | { kind: "open"; annotations: Annotation[]; depth: number }
  | { kind: "close"; depth: number };

export interface Tree {
  nodes: Node[];
  tokens: Token[];
  start: Placement;
  annotations: Annotation[];
}

export function makeTree(game: GameJson): Tree {
  const root: Node = {
    id: 0,
    parent: 0,
    ply: (game.moves[0]?.ply ?? 1) - 1,
    san: "",
    uci: "",
    annotations: game.annotations,
    next: null,
    variations: [],
    depth: 0,
  };
  const nodes = [root];
  const tokens: Token[] = [];
  type Step =
    | { kind: "line"; line: LineJson; index: number; parent: number; depth: number; owner: number | null }
    | { kind: "close"; depth: number };
  const steps: Step[] = [{ kind: "line", line: game, index: 0, parent: 0, depth: 0, owner: null }];
  for (let step = steps.pop(); step; step = steps.pop()) {
    if (step.kind === "close") {
      tokens.push(step);
      continue;
    }
    const { line, depth, owner } = step;
    if (step.index === 0 && owner !== null) {
      tokens.push({ kind: "open", annotations: line.annotations, depth });
    }
    const move = line.moves[step.index];
    if (!move) continue;
    const node: Node = {
      id: nodes.length,
      parent: step.parent,
      ply: move.ply,
      san: move.san,
      uci: move.uci,
      annotations: move.annotations,
      next: null,
      variations: [],
      depth,
    };
    nodes.push(node);
    tokens.push({ kind: "move", node: node.id });
    if (step.index === 0 && owner !== null) nodes[owner]?.variations.push(node.id);
    else {
      const parent = nodes[step.parent];
      if (parent) parent.next = node.id;
    }
    steps.push({ kind: "line", line, index: step.index + 1, parent: node.id, depth, owner });
    for (const variation of move.variations.slice().reverse()) {
      steps.push({ kind: "close", depth: depth + 1 });
      steps.push({
        kind: "line",
        line: variation,
        index: 0,
        parent: step.parent,
        depth: depth + 1,
        owner: node.id,
      });
    }
  }
  const start = parseFen(game.fen ?? START);
  return { nodes, tokens, start, annotations: game.annotations };
}

/** The nodes from the first move to a node. */
export function pathTo(tree: Tree, id: number): Node[] {
  const path: Node[] = [];
  for (let node = tree.nodes[id]; node && node.id !== 0; node = tree.nodes[node.parent]) path.push(node);
  return path.reverse();
}

export function placementAt(tree: Tree, id: number): Placement {
  return pathTo(tree, id).reduce((placement, node) => play(placement, node.uci), tree.start);
}

/**
 * The node of a line after a ply; the last one if there are fewer. A line is the number of a variation among those of the
 * line that it belongs to, from 1, after the numbers of the lines around it: `2.1`; the mainline has none.
 */
export function nodeAtPly(tree: Tree, ply: number, line = ""): number {
  const after = (node: Node) => (node.next === null ? undefined : tree.nodes[node.next]);
  let node = tree.nodes[0];
  for (const number of line === "" ? [] : line.split(".")) {
    let left = Number(number);
    let owner = node;
    for (; owner && left > owner.variations.length; owner = after(owner)) left -= owner.variations.length;
    const first = tree.nodes[owner?.variations[left - 1] ?? 0];
    // What the game does not have is its mainline.
    node = first;
    if (!first || first.id === 0) break;
  }
  while (node && node.next !== null && node.ply < ply) node = tree.nodes[node.next];
  return node?.id ?? 0;
}

/** The line of a node, as `nodeAtPly` takes it. */
export function lineOf(tree: Tree, id: number): string {
  const owners = new Map(tree.nodes.flatMap((node) => node.variations.map((first) => [first, node] as const)));
  const firstOf = (id: number) => {
    let node = tree.nodes[id];
    while (node && node.id !== 0 && !owners.has(node.id)) node = tree.nodes[node.parent];
    return node?.id ?? 0;
  };
  const numbers: number[] = [];
  for (let first = firstOf(id); first !== 0; ) {
    const owner = owners.get(first);
    if (!owner) break;
    const around = firstOf(owner.id);
    let number = owner.variations.indexOf(first) + 1;
    for (let node = tree.nodes[around]; node && node.id !== owner.id; node = node.next === null ? undefined : tree.nodes[node.next]) {
      number += node.variations.length;
    }
    numbers.unshift(number);
    first = around;
  }
  return numbers.join(".");
}

/** The node at which a query fits: after so many plies of the mainline, or of a variation, which is counted from 1. */
export function nodeOfMoment(tree: Tree, { line, ply }: { line: number; ply: number }): number {
  let variation = 0;
  const begin = line === 0 ? -1 : tree.tokens.findIndex((token) => token.kind === "open" && ++variation === line);
  const first = tree.tokens.slice(begin + 1).find((token) => token.kind === "move");
  let node = line > 0 && first?.kind === "move" ? tree.nodes[first.node] : tree.nodes[0];
  const wanted = (tree.nodes[0]?.ply ?? 0) + ply;
  while (node && node.next !== null && node.ply < wanted) node = tree.nodes[node.next];
  return node?.id ?? 0;
}

/** The questions that a move answers. */
export const questionsOf = (node: Node | undefined) =>
  node && node.id !== 0 ? node.annotations.filter((annotation) => annotation.type === "training") : [];

/** The moves that a question hides which is not in `answered`: its answer, the moves that could replace it, and what follows them. */
export function hiddenMoves(tree: Tree, answered: ReadonlySet<number>): Set<number> {
  const hidden = new Set<number>();
  const replaced = new Map<number, number>();
  // A move comes after those that it follows or replaces.
  for (const node of tree.nodes) {
    for (const other of node.variations) replaced.set(other, node.id);
    const isAsked = questionsOf(node).length > 0 && !answered.has(node.id);
    const owner = replaced.get(node.id);
    if (isAsked || hidden.has(node.parent) || (owner !== undefined && hidden.has(owner))) hidden.add(node.id);
  }
  return hidden;
}

/** The first node of the line of a node, and the last. */
export function endsOfLine(tree: Tree, id: number): [number, number] {
  let first = tree.nodes[id];
  while (first && first.id !== 0) {
    const parent: Node | undefined = tree.nodes[first.parent];
    if (!parent || parent.next !== first.id) break;
    first = parent;
  }
  let last = tree.nodes[id];
  while (last && last.next !== null) last = tree.nodes[last.next];
  return [first?.id ?? 0, last?.id ?? 0];
}

/** The evaluation after each ply of the mainline, in pawns from White's side; mates count as ten pawns. */
export function evaluations(tree: Tree): { node: number; ply: number; pawns: number; text: string }[] {
  const found = [];
  for (let node = tree.nodes[0]; node; node = node.next === null ? undefined : tree.nodes[node.next]) {
    for (const annotation of node.annotations) {
      if (annotation.type !== "eval") continue;
      const mate = annotation["mate"];
      const centipawns = annotation["centipawns"];
      if (typeof mate === "number") {
        found.push({ node: node.id, ply: node.ply, pawns: mate >= 0 ? 10 : -10, text: `#${mate}` });
      } else if (typeof centipawns === "number") {
        const pawns = centipawns / 100;
        const text = (pawns > 0 ? "+" : "") + pawns.toFixed(2);
        found.push({ node: node.id, ply: node.ply, pawns, text });
      }
      break;
    }
  }
  return found;
}

/** The times on the clocks after each ply of the mainline, in seconds. */
export function clocks(tree: Tree): { node: number; ply: number; seconds: number }[] {
  const found = [];
  for (let node = tree.nodes[0]; node; node = node.next === null ? undefined : tree.nodes[node.next]) {
    const clock = node.annotations.find((a) => a.type === "clock" && a["kind"] === "remaining");
    const seconds = clock?.["seconds"];
    if (typeof seconds === "number") found.push({ node: node.id, ply: node.ply, seconds });
  }
  return found;
}

export function clockText(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  const two = (n: number) => String(n).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
