// What the reader has chosen, kept in this browser.

import { useEffect, useState } from "preact/hooks";

export interface Settings {
  theme: "system" | "light" | "dark";
  language: string;
  colors: string;
  /** Piece letters of notation: those of the language, English ones, or figurines. */
  pieces: "figurines" | "letters" | "english";
  /** How pieces are drawn. */
  set: string;
  arrows: boolean;
  singleKeys: boolean;
}

const NAME = "tabia.settings";
export const LANGUAGES = ["en", "de", "ru", "fr", "es"];
export const SETS = ["classic", "angular", "contrast"];
export const COLORS = ["brown", "green", "blue", "grey", "contrast"];

const standard: Settings = {
  theme: "system",
  language: LANGUAGES.find((language) => navigator.language.startsWith(language)) ?? "en",
  colors: "brown",
  pieces: "figurines",
  set: "classic",
  arrows: true,
  singleKeys: true,
};

function read(): Settings {
  try {
    return { ...standard, ...(JSON.parse(localStorage.getItem(NAME) ?? "{}") as Partial<Settings>) };
  } catch {
    return standard;
  }
}

let settings = read();
const listeners = new Set<() => void>();

export const current = (): Settings => settings;

export function change(changes: Partial<Settings>): void {
  settings = { ...settings, ...changes };
  localStorage.setItem(NAME, JSON.stringify(settings));
  apply();
  for (const listener of listeners) listener();
}

export function apply(): void {
  const root = document.documentElement;
  if (settings.theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = settings.theme;
  root.dataset["colors"] = COLORS.includes(settings.colors) ? settings.colors : "brown";
}

export function useSettings(): Settings {
  const [found, set] = useState(settings);
  useEffect(() => {
    const update = () => set(settings);
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  return found;
}
