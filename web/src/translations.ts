// The texts of the page in its languages.

import { fetched } from "./fetched_texts.ts";
import de from "./lang/de.json?url";
import en from "./lang/en.json";
import es from "./lang/es.json?url";
import fr from "./lang/fr.json?url";
import ru from "./lang/ru.json?url";

export type Words = Record<keyof typeof en, string>;

/** The other languages are built as lists of their texts in the order of the English ones, see vite.config.mjs. */
const files: Record<string, string> = { de, ru, fr, es };

let words: Words = en;
let language = "en";

/** Loads a language; English if there is no such one. */
export async function load(wanted: string): Promise<void> {
  const file = files[wanted];
  const texts = file ? await fetched<string[]>(file) : null;
  words = texts ? (Object.fromEntries(Object.keys(en).map((key, index) => [key, texts[index]])) as Words) : en;
  language = file ? wanted : "en";
  document.documentElement.lang = language;
}

/** The language of the page. */
export const languageNow = () => language;

/** A text, with `{name}` replaced. */
export const t = (key: keyof typeof en, values: Record<string, string | number> = {}): string => filled(words[key], values);

const filled = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });

/** A text with a number `{n}`, in the form that the number asks for: singular | plural, or singular | few | many. */
export function tn(key: keyof typeof en, n: number, values: Record<string, string | number> = {}): string {
  const forms = words[key].split("|");
  const index = { one: 0, few: 1 }[new Intl.PluralRules(language).select(n) as string] ?? forms.length - 1;
  return filled(forms[Math.min(index, forms.length - 1)] ?? "", { ...values, n });
}

export function number(value: number): string {
  // Making a format takes much longer than using it, and lists have one in every row.
  if (numbers?.language !== language) numbers = { language, format: new Intl.NumberFormat(language) };
  return numbers.format.format(value);
}

let numbers: { language: string; format: Intl.NumberFormat } | undefined;

export function short(value: number): string {
  return value < 10_000
    ? number(value)
    : value.toLocaleString(language, { notation: "compact", maximumFractionDigits: 1 });
}

export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  const text = bytes.toLocaleString(language, { maximumFractionDigits: bytes < 10 && unit > 0 ? 1 : 0 });
  return `${text} ${units[unit] ?? ""}`;
}

/** A time that something takes, in seconds or whole minutes. */
export function timeText(seconds: number): string {
  const isLong = seconds >= 120;
  const value = Math.max(1, Math.round(isLong ? seconds / 60 : seconds));
  return value.toLocaleString(language, { style: "unit", unit: isLong ? "minute" : "second", unitDisplay: "short" });
}

/** A share in percent; small ones with a decimal. */
export function shareText(share: number): string {
  return share.toLocaleString(language, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 });
}

/** A share in percent; one that is not nothing is not shown as such. */
export function percent(share: number, digits = 0): string {
  if (digits === 0 && share > 0 && share < 0.005) return "<1 %";
  const value = (share * 100).toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${value} %`;
}

/** The name of a format, of which the last word is one of the language: `Scid 4 database`. */
export function formatName(name: string): string {
  const [, proper, kind, more = ""] = /^(.+) (database|book|archive|list|suite|games)( for \w+)?$/.exec(name) ?? [];
  return proper === undefined || language === "en" ? name : t(`format.${kind as "database"}`, { name: proper + more.replace(" for ", "/") });
}

/** A result as it is written in lists. */
export const resultText = (result: string) => result.replace("1/2-1/2", "½-½");

export function dateText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleDateString(language, { dateStyle: "medium" });
}

const FIGURINES: Record<string, string> = { K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘" };

/** A move as the reader wants to see it. */
export function moveText(san: string, pieces: "figurines" | "letters" | "english"): string {
  if (pieces === "english") return san;
  const letters = pieces === "letters" ? words["piece.letters"] : "";
  return san.replace(/[KQRBN]/g, (letter) =>
    pieces === "figurines" ? (FIGURINES[letter] ?? letter) : (letters["KQRBN".indexOf(letter)] ?? letter),
  );
}

/** A move in words, for screen readers. */
export function spoken(san: string): string {
  if (san.startsWith("O-O-O")) return t("say.castlesLong");
  if (san.startsWith("O-O")) return t("say.castlesShort");
  const parts: string[] = [];
  for (const c of san) {
    if ("KQRBN".includes(c)) parts.push(pieceName(c));
    else if (c === "x") parts.push(t("say.takes"));
    else if (c === "+") parts.push(t("say.check"));
    else if (c === "#") parts.push(t("say.mate"));
    else if (c === "=") parts.push(t("say.becomes"));
    else parts.push(c);
  }
  return parts.join(" ").replace(/([a-h]) ([1-8])/g, "$1$2");
}

export function pieceName(piece: string): string {
  const names: Record<string, keyof typeof en> = {
    K: "piece.king", Q: "piece.queen", R: "piece.rook", B: "piece.bishop", N: "piece.knight", P: "piece.pawn",
  };
  const key = names[piece.toUpperCase()];
  return key ? t(key) : "";
}
