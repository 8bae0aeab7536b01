// What is wrong, in the language of the page. The server states it in English, with a code and values; the texts of the codes
// are loaded when the first problem is shown.

import { type ProblemJson } from "./api.ts";
import { languageNow } from "./translations.ts";

type Texts = Record<string, string>;

const loaders: Record<string, () => Promise<{ default: Texts }>> = {
  de: () => import("./lang/errors/de.json"),
  ru: () => import("./lang/errors/ru.json"),
  fr: () => import("./lang/errors/fr.json"),
  es: () => import("./lang/errors/es.json"),
};

export type Stated = Pick<ProblemJson, "detail" | "hint" | "code" | "values">;

function translated(problem: Stated, texts: Texts): string {
  const values = problem.values ?? {};
  const filled = (text: string, all: Record<string, string>) => text.replace(/\{(\w+)\}/g, (whole, name: string) => all[name] ?? whole);
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
    return { text: translated(problem, texts), hint: texts[`${problem.code}.hint`] ?? english.hint };
  } catch {
    // The server is gone, and the texts with it.
    return english;
  }
}

/** The name of what games can contain; none in English, which the server states. */
export async function featureName(kind: string): Promise<string | null> {
  const loader = loaders[languageNow()];
  return (loader && (await loader()).default[`feature.${kind}`]) ?? null;
}

/** The same in one line. */
export async function problemLine(problem: Stated): Promise<string> {
  const { text, hint } = await problemTexts(problem);
  return hint === "" ? text : `${text} – ${hint}`;
}
