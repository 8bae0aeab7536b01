// The notation of a game: moves, variations, comments, and everything else that is attached to a move.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSettings } from "./settings.ts";
import { type Annotation, type Node, type Tree, clockText } from "./game_tree.ts";
import { medalNames } from "./medals.ts";
import { numberOf } from "./move_line.tsx";
import { nagElement } from "./nags.ts";
import { shapeGroups, shapesOf } from "./shapes.ts";
import { moveText, resultText, t, tn } from "./translations.ts";

/** The kind of moves that cannot be read, which are kept as they are. */
const UNREAD_MOVES = 0xffff;

/** Bytes as text, if they are one. */
function readable(digits: string): string {
  const bytes = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const shown = new TextDecoder().decode(bytes).trim();
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(shown) ? tn("unread.bytes", bytes.length) : shown;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** A comment or another annotation that is text; null for those that are drawn or shown elsewhere. */
function annotationElement(annotation: Annotation): HTMLElement | null {
  const element = document.createElement("span");
  const set = (name: string, content: string) => {
    element.className = name;
    element.textContent = content;
    return element;
  };
  switch (annotation.type) {
    case "comment": {
      element.className = "comment";
      const language = text(annotation["language"]);
      if (language !== "") {
        element.dataset["language"] = language;
        const chip = document.createElement("span");
        chip.className = "chip";
        chip.textContent = language;
        element.append(chip);
        if (/^[a-z]{2}$/.test(language.slice(0, 2).toLowerCase())) element.lang = language.slice(0, 2).toLowerCase();
      }
      const body = document.createElement("bdi");
      body.textContent = text(annotation["text"]);
      element.append(body);
      return element;
    }
    case "eval": {
      const mate = annotation["mate"];
      const value = annotation["centipawns"];
      const score =
        typeof mate === "number" ? `#${mate}` : typeof value === "number" ? (value > 0 ? "+" : "") + (value / 100).toFixed(2) : "";
      const depth = annotation["depth"];
      if (typeof depth === "number") element.title = t("depth", { n: depth });
      return set("eval", typeof depth === "number" ? `${score}/${depth}` : score);
    }
    case "clock": {
      // The clocks next to the players and the graph show these.
      if (annotation["kind"] === "remaining") return null;
      const seconds = annotation["seconds"];
      const kind = annotation["kind"];
      const label =
        kind === "elapsedMove" ? t("clock.move") : kind === "elapsedGame" ? t("clock.game") : t("clock.other");
      return set("fact", `${label} ${clockText(typeof seconds === "number" ? seconds : 0)}`);
    }
    case "nag":
    case "square":
    case "circle":
    case "disk":
    case "frame":
    case "arrow":
    case "letter":
      return null;
    case "medals":
      return set("fact", `${t("medals")}: ${medalNames(Number(annotation["bits"] ?? 0)).join(", ")}`);
    case "critical":
      return set("fact", t("critical"));
    case "variationColor":
      return null;
    case "webLink": {
      const caption = text(annotation["caption"]);
      const url = text(annotation["url"]);
      // The address as text: the page opens nothing elsewhere.
      return set("fact", caption === "" ? url : `${caption}: ${url}`);
    }
    case "media":
      return set("fact", `${t("media")} (${text(annotation["kind"])}): ${text(annotation["text"])}`);
    case "quotation": {
      const names = `${text(annotation["white"])} – ${text(annotation["black"])}`;
      const rest = [annotation["event"], annotation["site"], annotation["date"], annotation["result"]].map(text);
      return set("fact", [`${t("quotation")}: ${names}`, ...rest.filter((part) => part !== "" && part !== "?")].join(", "));
    }
    case "timeControl": {
      const stages = (annotation["stages"] as { start: number; increment: number; moves: number }[] | undefined) ?? [];
      const parts = stages
        .filter((stage) => stage.start > 0 || stage.increment > 0)
        .map((stage) => `${clockText(stage.start)}${stage.increment > 0 ? ` + ${stage.increment}s` : ""}${stage.moves > 0 && stage.moves < 1000 ? ` / ${stage.moves}` : ""}`);
      return parts.length > 0 ? set("fact", `${t("timeControl")}: ${parts.join(", ")}`) : null;
    }
    case "evalProfile":
      return null;
    case "training":
      return null;
    case "pawnStructure":
      return set("fact", t("pawnStructure"));
    case "piecePath":
      return set("fact", t("piecePath"));
    case "text":
      return null;
    case "foreign": {
      const bytes = text(annotation["bytes"]).length / 2;
      if (annotation["kind"] === UNREAD_MOVES) return set("fact", t("unread.moves", { text: readable(text(annotation["bytes"])) }));
      return set("fact dim", tn("foreign", bytes, { kind: `0x${Number(annotation["kind"] ?? 0).toString(16)}` }));
    }
    default:
      return set("fact dim", t("kept", { kind: annotation.type }));
  }
}

/** What the notation leaves to the graphs and to other parts of the view, for a comparison. */
function otherwiseDrawn(annotation: Annotation): HTMLElement | null {
  const texts: Record<string, () => string> = {
    clock: () => `${t("clock.other")} ${clockText(Number(annotation["seconds"] ?? 0))}`,
    evalProfile: () => t("graph.evals"),
    training: () => t("training"),
    variationColor: () => t("variationColor"),
    text: () => t("text"),
  };
  const shown = texts[annotation.type]?.();
  if (shown === undefined) return null;
  const element = document.createElement("span");
  element.className = "fact";
  element.textContent = shown;
  return element;
}

/** The arrows and marked squares of a position: their signs for the eye, the names of their kinds for screen readers. */
function shapesElement(annotations: Annotation[]): HTMLElement | null {
  const groups = shapeGroups(annotations);
  if (groups.length === 0) return null;
  const element = document.createElement("span");
  element.className = "fact shapes";
  for (const [index, { sign, kind, text }] of groups.entries()) {
    const [shown, spoken] = [document.createElement("span"), document.createElement("span")];
    shown.textContent = sign;
    shown.ariaHidden = "true";
    spoken.textContent = `${kind} `;
    spoken.className = "visually-hidden";
    element.append(index > 0 ? "; " : "", shown, spoken, ` ${text}`);
  }
  return element;
}

/** The languages of the comments, in the order of the game. */
function languagesOf(tree: Tree): string[] {
  const all = [...tree.annotations, ...tree.nodes.flatMap((node) => node.annotations)];
  const found = all.filter((annotation) => annotation.type === "comment").map((annotation) => text(annotation["language"]));
  return [...new Set(found)].filter((language) => language !== "");
}

const NONE: ReadonlySet<number> = new Set();
const NOTHING: ReadonlySet<Node | Annotation> = new Set();
/** Moves of a game that is laid out in stretches, and of a stretch. */
const [LONG, STRETCH] = [300, 80];

/** The whole notation. It is made once for a game; only the mark of the current move changes. */
export function Notation(props: {
  tree: Tree;
  node: number;
  onNode: (node: number) => void;
  result: string;
  /** The moves that a question hides; `onAnswer` shows them from that move on. */
  hidden?: ReadonlySet<number>;
  onAnswer?: (node: number) => void;
  /** Moves and annotations that another game lacks: they are marked, and the first one is scrolled to. */
  differing?: ReadonlySet<Node | Annotation>;
}) {
  const { tree, node, onNode, onAnswer, differing } = props;
  const hiddenNodes = props.hidden ?? NONE;
  const { pieces, language, arrows } = useSettings();
  const host = useRef<HTMLDivElement>(null);
  const current = useRef<HTMLElement | null>(null);
  const spans = useMemo(() => new Map<number, HTMLElement>(), [tree]);
  const languages = useMemo(() => languagesOf(tree), [tree]);
  const [hidden, hide] = useState<string[]>([]);
  useLayoutEffect(() => {
    spans.clear();
    host.current?.replaceChildren(notation(tree, spans, pieces, props.result, hiddenNodes, arrows, differing ?? NOTHING));
  }, [tree, pieces, language, hiddenNodes, arrows, differing]);
  useLayoutEffect(() => {
    for (const comment of host.current?.querySelectorAll<HTMLElement>("[data-language]") ?? []) {
      comment.hidden = hidden.includes(comment.dataset["language"] ?? "");
    }
  }, [hidden, tree, pieces, language, hiddenNodes, arrows]);
  useLayoutEffect(() => {
    const box = host.current;
    if (!box) return;
    const isFirst = current.current === null;
    current.current?.removeAttribute("aria-current");
    const span = spans.get(node);
    current.current = span ?? box;
    if (!span) {
      // It begins there; to set it would lay all moves out before they are needed.
      if (!isFirst) box.scrollTop = 0;
      return;
    }
    span.setAttribute("aria-current", "true");
    const place = span.getBoundingClientRect();
    const top = place.top - box.getBoundingClientRect().top + box.scrollTop;
    const bottom = top + place.height;
    if (top < box.scrollTop + 30) box.scrollTop = top - 60;
    else if (bottom > box.scrollTop + box.clientHeight - 30) box.scrollTop = bottom - box.clientHeight + 90;
  }, [node, tree, pieces, language, hiddenNodes, arrows]);
  useLayoutEffect(() => {
    const [box, first] = [host.current, host.current?.querySelector(".differs")];
    if (box && first) box.scrollTop += first.getBoundingClientRect().top - box.getBoundingClientRect().top - 60;
  }, [tree, pieces, language, arrows, differing]);
  return (
    <>
      {languages.length > 1 && (
        <p class="languages" role="group" aria-label={t("comments.languages")}>
          {languages.map((name) => (
            <button
              type="button"
              aria-pressed={!hidden.includes(name)}
              onClick={() => hide(hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name])}
            >
              {name}
            </button>
          ))}
        </p>
      )}
      <div
        class="notation"
        ref={host}
        role="region"
        aria-label={t("notation")}
        tabIndex={0}
        onClick={(event) => {
          const question = (event.target as Element).closest<HTMLElement>("[data-question]")?.dataset["question"];
          if (question !== undefined) onAnswer?.(Number(question));
          const id = (event.target as Element).closest<HTMLElement>("[data-node]")?.dataset["node"];
          if (id !== undefined) onNode(Number(id));
        }}
      />
    </>
  );
}

function notation(
  tree: Tree,
  spans: Map<number, HTMLElement>,
  pieces: "figurines" | "letters" | "english",
  result: string,
  hidden: ReadonlySet<number>,
  hasShapes: boolean,
  differing: ReadonlySet<Node | Annotation>,
): DocumentFragment {
  const isMarked = (part: Node | Annotation) => differing.has(part);
  const fragment = document.createDocumentFragment();
  let stretch: Element | DocumentFragment = fragment;
  let stretchEnd = 0;
  /** What is far away of a long game is laid out when it comes into view. */
  const nextStretch = (): Element | DocumentFragment => {
    if (tree.nodes.length <= LONG) return fragment;
    const next = document.createElement("div");
    next.className = "stretch";
    fragment.append(next);
    stretchEnd = spans.size + STRETCH;
    return next;
  };
  stretch = nextStretch();
  let parent: Element | DocumentFragment = stretch;
  let depth = 0;
  let needsNumber = true;
  /** The move that was added last, with its number and its evaluation, which are on one line. */
  let whole: HTMLElement | null = null;
  const addAnnotations = (annotations: Annotation[], place: string | null) => {
    for (const annotation of annotations) {
      const isBefore = annotation.type === "comment" && annotation["place"] === "before";
      if (place !== null && isBefore !== (place === "before")) continue;
      const element = annotationElement(annotation) ?? (isMarked(annotation) ? otherwiseDrawn(annotation) : null);
      if (!element) continue;
      element.classList.toggle("differs", isMarked(annotation));
      // "Nf3, and" reads on; the comment after it begins with the comma.
      const before = parent.lastChild;
      if (annotation.type === "comment" && /^[.,;:!?)…]/.test(text(annotation["text"])) && before?.nodeValue === " ") before.remove();
      if (annotation.type === "eval" && place === "after" && whole) whole.append(" ", element);
      else parent.append(element, " ");
      // What is as short as an evaluation does not separate White's move from Black's.
      if (!element.classList.contains("eval")) needsNumber = true;
    }
    // They are drawn on the position after the move.
    const shapes = hasShapes && place !== "before" ? shapesElement(annotations) : null;
    if (shapes) {
      shapes.classList.toggle("differs", annotations.some((annotation) => shapesOf([annotation]).length > 0 && isMarked(annotation)));
      parent.append(shapes, " ");
      needsNumber = true;
    }
  };
  addAnnotations(tree.annotations, null);
  // The depth of the line whose rest a question hides.
  let hiddenDepth: number | null = null;
  for (const token of tree.tokens) {
    if (hiddenDepth !== null && !(token.kind === "close" && token.depth === hiddenDepth)) continue;
    hiddenDepth = null;
    if (token.kind === "open") {
      depth++;
      if (depth <= 8) {
        const line = document.createElement("span");
        line.className = `variation depth-${Math.min(depth, 3)}`;
        parent.append(line);
        parent = line;
      }
      parent.append(depth > 1 ? "(" : "");
      needsNumber = true;
      addAnnotations(token.annotations, null);
      continue;
    }
    if (token.kind === "close") {
      const last: ChildNode | null = parent.lastChild;
      // Several lines may end here.
      if (depth > 1 && last?.nodeValue === " ") last.remove();
      if (depth > 1 && last?.nodeValue === ") ") last.nodeValue = ")";
      const inner = last instanceof Element && depth > 1 ? last.lastChild : null;
      if (inner?.nodeValue === ") ") inner.nodeValue = ")";
      parent.append(depth > 1 ? ") " : "");
      if (depth <= 8 && parent instanceof Element) parent = parent.parentElement ?? fragment;
      depth--;
      // A line begins here in any case.
      if (depth === 0 && spans.size > stretchEnd) parent = stretch = nextStretch();
      needsNumber = true;
      continue;
    }
    const node = tree.nodes[token.node];
    if (!node) continue;
    if (hidden.has(node.id)) {
      hiddenDepth = depth;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "hidden-moves";
      button.dataset["question"] = String(node.id);
      button.textContent = t("training.hidden");
      parent.append(button, " ");
      continue;
    }
    addAnnotations(node.annotations, "before");
    const isWhite = node.ply % 2 === 1;
    const isNumbered = isWhite || needsNumber;
    whole = null;
    if (isNumbered || node.annotations.some(({ type }) => type === "eval")) {
      whole = document.createElement("span");
      whole.className = "no-break";
    }
    if (isNumbered) {
      const number = document.createElement("span");
      number.className = "number";
      number.textContent = isWhite ? `${numberOf(node)}.` : `${numberOf(node)}…`;
      whole?.append(number, " ");
    }
    needsNumber = false;
    const span = document.createElement("span");
    span.className = depth === 0 ? "move main" : "move";
    if (isMarked(node)) span.className += " differs";
    span.dataset["node"] = String(node.id);
    const shown = moveText(node.san, pieces);
    if (pieces === "figurines" && /^[♔♕♖♗♘]/u.test(shown)) {
      const figurine = document.createElement("span");
      figurine.className = "figurine";
      figurine.textContent = shown[0] ?? "";
      span.append(figurine, shown.slice(1));
    } else span.textContent = shown;
    for (const annotation of node.annotations) {
      if (annotation.type !== "nag") continue;
      const nag = Number(annotation["nag"]);
      const symbol = nagElement(nag);
      symbol.classList.toggle("differs", isMarked(annotation));
      span.append(...(nag <= 9 ? [] : [" "]), symbol);
    }
    spans.set(node.id, span);
    whole?.append(span);
    parent.append(whole ?? span, " ");
    addAnnotations(node.annotations, "after");
  }
  const end = document.createElement("span");
  end.className = "result";
  end.textContent = resultText(result);
  stretch.append(end);
  return fragment;
}
