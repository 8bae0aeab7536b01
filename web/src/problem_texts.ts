// What is wrong, in the language of the page. The server states it in English, with a code and values; the texts of the codes
// are loaded when the first problem is shown.

import { fetched } from "./fetched_texts.ts";
import de from "./lang/errors/de.json?url";
import en from "./lang/errors/en.json?url";
import es from "./lang/errors/es.json?url";
import fr from "./lang/errors/fr.json?url";
import ru from "./lang/errors/ru.json?url";
import { type KnownText, type ProblemJson } from "./api.ts";
import { languageNow, t, tn } from "./translations.ts";

type Texts = Record<string, string>;

const files: Record<string, string> = { de, en, ru, fr, es };

/** The texts in the language of the page; of English those that are plainer than what the server states. */
async function textsNow(): Promise<Texts | null> {
  const file = files[languageNow()];
  return file ? fetched<Texts>(file) : null;
}

export type Stated = Pick<ProblemJson, "detail" | "text" | "hint" | "hintText" | "code" | "values">;

const filled = (text: string, values: Record<string, string>) => text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** Texts whose first value is the name of a field of a format. */
const OF_FIELDS = ["cutField", "impossibleValue", "unplayable", "unreadable", "checksum"];

/** What a field of a format contains, for readers who do not know the format. */
function partOf(texts: Texts, field: string): string {
  // The name of a move is one already.
  if (/^[KQRBNPO\d]?[a-h\dx-]/.test(field) && /[\dO]/.test(field)) return field;
  return texts[`part.${field}`] ?? texts[`part.${field.replace(/_.*/, "")}`] ?? texts["part.other"] ?? field;
}

/** A text of the server in a language, if that has it. */
function known(texts: Texts, text: KnownText | null | undefined): string | undefined {
  const found = text ? texts[`text.${text.id}`] : undefined;
  if (!text || found === undefined) return undefined;
  const values = text.values.map((value, index) => {
    const [, bytes] = /^(\d+) bytes?$/.exec(value) ?? [];
    if (bytes !== undefined) return tn("unread.bytes", Number(bytes));
    return index === 0 && OF_FIELDS.includes(text.id) ? partOf(texts, value) : value;
  });
  return filled(found, Object.fromEntries(values.map((value, index) => [index + 1, value])));
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
  // The page shows the fields that the command lists.
  const hint = (problem.hint ?? "").replace("`tabia help search` lists all fields", "all fields are listed below");
  const english = { text: problem.detail, hint };
  // What the system calls a file that is not there helps nobody.
  if (problem.code === "fileIsMissing") english.text = [problem.values?.["file"], t("error.fileIsGone")].filter((part) => part).join(": ");
  try {
    const texts = await textsNow();
    if (!texts) return english;
    if (languageNow() === "en") {
      const [stated, plain] = [problem.values?.["detail"], known(texts, problem.text)];
      return stated && plain ? { ...english, text: english.text.replace(stated, () => plain) } : english;
    }
    return { text: problem.code === "fileIsMissing" ? english.text : translated(problem, texts), hint: texts[`${problem.code}.hint`] ?? known(texts, problem.hintText) ?? english.hint };
  } catch {
    // The server is gone, and the texts with it.
    return english;
  }
}

/** A text that the server states in English, in the language of the page: by its key, or a known one. */
export async function inLanguage(text: string | KnownText | null | undefined): Promise<string | null> {
  const texts = (await textsNow()) ?? {};
  return (typeof text === "string" ? texts[text] : known(texts, text)) ?? null;
}

/** The same in one line. */
export async function problemLine(problem: Stated): Promise<string> {
  const { text, hint } = await problemTexts(problem);
  return hint === "" ? text : `${text} – ${hint}`;
}
