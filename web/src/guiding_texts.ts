// Texts of databases, which can be written in several languages.

import type { Annotation, GameJson } from "./game_tree.ts";
import { languageNow } from "./translations.ts";

/** ChessBase's languages, by their numbers. */
export const NUMBERED = ["en", "de", "fr", "es", "it", "nl", "pt"];

/** The code of a language with a number of ChessBase; empty if the number is of none. */
export const languageCode = (language: unknown) => NUMBERED[Number(language)] ?? "";

/** The name of a language in the language of the page; its number if it is not known. */
export function languageName(language: unknown): string {
  const code = languageCode(language);
  if (code === "") return String(language ?? "");
  const name = new Intl.DisplayNames(languageNow(), { type: "language" }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(languageNow()) + name.slice(1);
}

/** Whether HTML shows nothing: that of a language in which the text was never written. */
const isEmpty = (html: string) => !/<(?:img|hr|table)/i.test(html) && html.replace(/<(style|title|head)[\s\S]*?<\/\1>|<[^>]*>|&nbsp;/gi, "").trim() === "";

/** A text in one language. */
export interface TextInLanguage {
  language: unknown;
  title: string;
  bodies: Annotation[];
}

/** The text in each language in which it is written; first in that of the page, else in English. */
export function textsOf(game: GameJson): TextInLanguage[] {
  const parts = game.annotations.filter((annotation) => annotation.type === "text");
  const bodies = parts.filter(({ kind, text }) => kind === "plain" || (kind === "html" && !isEmpty(String(text))));
  const languages = [...new Set(bodies.map((part) => part["language"]))];
  const titleIn = (language: unknown) => String(parts.find((part) => part["kind"] === "title" && part["language"] === language)?.["text"] ?? "");
  const found = languages.map((language) => ({
    language,
    title: titleIn(language),
    bodies: bodies.filter((part) => part["language"] === language),
  }));
  const rank = ({ language }: TextInLanguage) => [languageNow(), "en"].indexOf(languageCode(language)) >>> 0;
  return found.sort((a, b) => rank(a) - rank(b));
}

/** The beginning of a text without its markup. */
export function excerpt({ bodies }: TextInLanguage): string {
  const words = bodies.map(({ kind, text }) => {
    if (kind === "plain") return String(text);
    const written = String(text).replace(/<(style|script|title)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi, "").replace(/<(br|p|div|li|tr|h\d)\b/gi, " <$1");
    // Without tags there is nothing that could run or be loaded; what is left to read is `&amp;` and the like.
    return new DOMParser().parseFromString(written.replace(/<[^>]*>|[<>]/g, ""), "text/html").body.textContent;
  });
  const all = words.join(" ").replace(/\s+/g, " ").trim();
  return all.length > 700 ? `${all.slice(0, 700).replace(/\s\S*$/, "")} …` : all;
}
