// What is wrong, in the language of the page. The server states it in English, with a code and values; the texts of the codes
// are loaded when the first problem is shown.

import { type KnownText, type ProblemJson } from "./api.ts";
import { languageNow } from "./translations.ts";

type Texts = Record<string, string>;

const loaders: Record<string, () => Promise<{ default: Texts }>> = {
  de: () => import("./lang/errors/de.json"),
  ru: () => import("./lang/errors/ru.json"),
  fr: () => import("./lang/errors/fr.json"),
  es: () => import("./lang/errors/es.json"),
};

export type Stated = Pick<ProblemJson, "detail" | "text" | "hint" | "hintText" | "code" | "values">;

const filled = (text: string, values: Record<string, string>) => text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** A text of the server in a language, if that has it. */
function known(texts: Texts, text: KnownText | null | undefined): string | undefined {
  const found = text ? texts[`text.${text.id}`] : undefined;
  return found === undefined ? undefined : filled(found, Object.fromEntries((text?.values ?? []).map((value, index) => [index + 1, value])));
}

function translated(problem: Stated, texts: Texts): string {
  const detail = known(texts, problem.text);
  const values: Record<string, string> = { ...problem.values, ...(detail === undefined ? {} : { detail, message: detail }) };
  const text = texts[problem.code ?? ""];
  if (text === undefined) return problem.detail;
  const places = ["game", "ply", "line", "offset"].flatMap((name) => {
    const place = texts[`at.${name}`];
    // A text that contains the value does not need its place.
    return values[name] === undefined || place === undefined || text.includes(`{${name}}`) ? [] : [filled(place, { n: values[name] })];
  });
  const at = [values["file"], places.join(", ")].filter((part) => part).join(": ");
  return at === "" ? filled(text, values) : `${at}: ${filled(text, values)}`;
}

/** The text of a problem and what to do about it; in English if its code has no text in the language. */
export async function problemTexts(problem: Stated): Promise<{ text: string; hint: string }> {
  const english = { text: problem.detail, hint: problem.hint ?? "" };
  const loader = loaders[languageNow()];
  if (!loader) return english;
  try {
    const texts = (await loader()).default;
    return { text: translated(problem, texts), hint: texts[`${problem.code}.hint`] ?? known(texts, problem.hintText) ?? english.hint };
  } catch {
    // The server is gone, and the texts with it.
    return english;
  }
}

/** A text that the server states in English, in the language of the page: of a feature by its key, or a known one. */
export async function inLanguage(text: string | KnownText | null | undefined): Promise<string | null> {
  const texts = (await loaders[languageNow()]?.())?.default ?? {};
  return (typeof text === "string" ? texts[`feature.${text}`] : known(texts, text)) ?? null;
}

/** The same in one line. */
export async function problemLine(problem: Stated): Promise<string> {
  const { text, hint } = await problemTexts(problem);
  return hint === "" ? text : `${text} – ${hint}`;
}
