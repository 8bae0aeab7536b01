// Training questions: shown before the move that answers them, which is hidden until it is found or shown.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Annotation, type Node, type Tree, questionsOf } from "./game_tree.ts";
import { NUMBERED, languageCode, languageName } from "./guiding_texts.ts";
import { current } from "./settings.ts";
import { languageNow, t, tn } from "./translations.ts";

interface TextJson {
  text: string;
  /** ChessBase's number. */
  language: number;
}

/** A text of another language than the numbered ones is for readers of all. */
const texts = (value: unknown) => (Array.isArray(value) ? (value as TextJson[]).filter((part) => part.text !== "") : []);

/** Texts in one language: that of the page, else English, else the first; and those that are for all. */
function chosen(all: TextJson[]): TextJson[] {
  const isIn = (number: number | undefined) => (part: TextJson) => part.language === number;
  const own = all.filter((part) => part.language in NUMBERED);
  const languages = [NUMBERED.indexOf(current().language), 0, own[0]?.language];
  const language = languages.find((number) => own.some(isIn(number)));
  return all.filter((part) => !own.includes(part) || isIn(language)(part));
}

const joined = (value: unknown) => chosen(texts(value)).map((part) => part.text).join(" / ");

/** The points of an answer and what is said to it. */
const withPoints = (points: number, text: string) => [tn("training.points", points), text].filter((part) => part !== "").join(" – ");

interface Solution {
  from: string;
  to: string;
  points: number;
  comments: TextJson[];
}

const solutionsOf = (item: Annotation) => (Array.isArray(item["solutions"]) ? (item["solutions"] as Solution[]) : []);

/** The move after a node whose question is asked there; undefined if there is none. */
export function askedAfter(tree: Tree, id: number, hidden: ReadonlySet<number>): Node | undefined {
  const next = tree.nodes[tree.nodes[id]?.next ?? -1];
  if (!next) return undefined;
  const moves = hidden.has(next.id) ? [next] : next.variations.map((other) => tree.nodes[other]);
  return moves.find((move) => move !== undefined && hidden.has(move.id));
}

/** The text of a question, for screen readers. */
export const spokenQuestion = (node: Node) =>
  [t("training"), ...questionsOf(node).map((item) => joined(item["question"]))].filter((part) => part !== "").join(": ");

/** Whether a move answers the question of `node`, and what the question says to a wrong one. */
export function judge(node: Node, uci: string): { isRight: boolean; reply: string } {
  const items = questionsOf(node);
  const accepted = items.flatMap(solutionsOf).map((solution) => solution.from + solution.to);
  const isRight = uci === node.uci || accepted.includes(uci.slice(0, 4));
  const reply = items.map((item) => joined(item["wrong"])).find((text) => text !== "");
  return { isRight, reply: isRight ? t("training.right") : (reply ?? t("training.wrong")) };
}

/** A question; hints appear when asked for, in their order. `onAnswer` shows the moves; absent if they are shown. */
export function Training(props: { item: Annotation; reply: string; onAnswer?: () => void; focus: number }) {
  const { item, onAnswer } = props;
  const [shown, show] = useState(0);
  const section = useRef<HTMLElement>(null);
  const isAsked = onAnswer !== undefined;
  // At once: the next key may already be on its way.
  useLayoutEffect(() => {
    if (props.focus === 0) return;
    const target = isAsked ? section.current?.querySelector("button") : section.current;
    target?.focus();
  }, [props.focus, isAsked]);
  const hints = [joined(item["firstHelp"]), joined(item["secondHelp"])].filter((hint) => hint !== "");
  const solutions = solutionsOf(item);
  const choices = Array.isArray(item["choices"])
    ? (item["choices"] as { points: number; answer: TextJson[]; reply: TextJson[] }[])
    : [];
  const points = Number(item["points"]);
  const parts = [item["question"], item["firstHelp"], item["secondHelp"], item["wrong"], ...solutions.map((solution) => solution.comments)];
  const lists = [...parts, ...choices.flatMap((choice) => [choice.answer, choice.reply])].map(texts);
  const others = lists.flatMap((list) => list.filter((part) => !chosen(list).includes(part)));
  return (
    <section class="training" aria-label={t("training")} ref={section} tabIndex={-1}>
      <h2>
        {t("training")}
        {points > 0 && <small> {tn("training.points", points)}</small>}
      </h2>
      {chosen(texts(item["question"])).map((question) => (
        <p>
          <bdi>{question.text}</bdi>
        </p>
      ))}
      {isAsked && choices.map((choice) => <p>• {joined(choice.answer)}</p>)}
      {hints.slice(0, isAsked ? shown : hints.length).map((hint) => (
        <p class="hint">
          <bdi>{hint}</bdi>
        </p>
      ))}
      {props.reply !== "" && (
        <p class="reply">
          <bdi>{props.reply}</bdi>
        </p>
      )}
      {!isAsked && (
        <ul>
          {solutions.map((solution) => (
            <li>
              <b>
                {solution.from}–{solution.to}
              </b>
              : {withPoints(solution.points, joined(solution.comments))}
            </li>
          ))}
          {choices.map((choice) => (
            <li>
              {joined(choice.answer)}: {withPoints(choice.points, joined(choice.reply))}
            </li>
          ))}
        </ul>
      )}
      {!isAsked && others.length > 0 && (
        <details>
          <summary>{t("comments.languages")}</summary>
          {others.map((part) => (
            <p lang={languageCode(part.language)}>
              <span class="chip" lang={languageNow()}>{languageName(part.language)}</span>
              <bdi>{part.text}</bdi>
            </p>
          ))}
        </details>
      )}
      {isAsked && (
        <p class="training-buttons">
          {shown < hints.length && (
            <button
              type="button"
              onClick={(event) => {
                show(shown + 1);
                // After the last hint this button is gone, and the focus would be with it.
                if (shown + 1 === hints.length) (event.currentTarget.nextElementSibling as HTMLElement).focus();
              }}
            >
              {t("training.hint")}
            </button>
          )}
          <button type="button" onClick={onAnswer}>
            {t("training.answer")}
          </button>
        </p>
      )}
    </section>
  );
}
