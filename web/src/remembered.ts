// What the browser remembers of the inputs: when they were opened, and how their check ended.

const MAX = 200;

interface Remembered {
  /** Milliseconds since 1970. */
  opened?: number;
  /** The state of the files that was checked, and the problems of it. */
  checked?: { fingerprint: string; problems: number };
}

const KEY = "tabia.inputs";

export function remembered(): Record<string, Remembered> {
  try {
    return (JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, Remembered> | null) ?? {};
  } catch {
    return {};
  }
}

export function remember(id: string, what: Remembered): void {
  const { [id]: old, ...others } = remembered();
  const entries = [[id, { ...old, ...what }] as const, ...Object.entries(others)];
  localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(entries.slice(0, MAX))));
}
