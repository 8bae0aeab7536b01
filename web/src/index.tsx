// The page of `tabia serve`.

import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Card, type Shelf, get, onGone, takeKey } from "./api.ts";
import { JobList, findJobs } from "./jobs.tsx";
import { addSprite, showSet } from "./pieces.ts";
import { bookHref, follow, gamesHref, healthHref, useAddress } from "./router.ts";
import { COLORS, LANGUAGES, SETS, type Settings, apply, change, current, useSettings } from "./settings.ts";
import { ShelfView } from "./inputs.tsx";
import { remember } from "./remembered.ts";
import { Dialog, ErrorBox, Later, Spinner, announce, isTyping, loadPart, useLoad } from "./ui.tsx";
import { load, t } from "./translations.ts";
import { GoneInputs, useWatched } from "./watched.tsx";

const NAMES: Record<string, string> = { en: "English", de: "Deutsch", ru: "Русский", fr: "Français", es: "Español" };

/** Views that are loaded when they are first shown. */
const later: Record<string, () => Promise<ComponentType>> = {
  games: async () => (await import("./games.tsx")).View,
  db: async () => (await import("./game.tsx")).View,
  explorer: async () => (await import("./explorer.tsx")).View,
  health: async () => (await import("./desk.ts")).Check,
  player: async () => (await import("./player.tsx")).View,
  search: async () => (await import("./positions.tsx")).View,
  duplicates: async () => (await import("./desk.ts")).Duplicates,
  convert: async () => (await import("./desk.ts")).Convert,
  book: async () => (await import("./book.tsx")).View,
};

function View() {
  const { path, query } = useAddress();
  const shown = path[0] === "db" || path[0] === "book" ? path[1] : (query.get("db") ?? query.get("src"));
  useEffect(() => {
    for (const id of (shown ?? "").split(",")) if (id !== "") remember(id, { opened: Date.now() });
  }, [shown]);
  useWatched((shown ?? "").split(","));
  const [name] = path;
  if (name === undefined) return <ShelfView />;
  if (!shown && name in CHOICES) return <Choice name={name} />;
  const view = later[name];
  if (view) return <Later key={name} load={view} />;
  return <p class="empty">{t("notFound")}</p>;
}

/** Views of one input, which an address that was typed may lack. */
const CHOICES: Record<string, (id: string) => string> = {
  games: (id) => gamesHref([id]),
  db: (id) => gamesHref([id]),
  health: healthHref,
  book: (id) => bookHref(id),
};

function Choice({ name }: { name: string }) {
  const shelf = useLoad<Shelf>((signal) => get("shelf", {}, signal), []);
  if (shelf.state === "error") return <ErrorBox error={shelf.error} />;
  if (shelf.state === "loading") return <Spinner />;
  const href = CHOICES[name] as (id: string) => string;
  const isOffered = ({ kind, error }: Card) => !error && (name !== "book" && kind === "database" || /book|health/.test(name) && kind === "book");
  return (
    <section class="report">
      <h1>{t("choose.one")}</h1>
      <ul>
        {shelf.value.inputs.filter(isOffered).map(({ id }) => (
          <li>
            <a href={href(id)}>
              <bdi>{id}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function App() {
  const settings = useSettings();
  const [language, setLanguage] = useState("");
  const [dialog, open] = useState<"help" | "settings" | null>(null);
  const [isGone, setGone] = useState(false);
  const [changes, setChanges] = useState(0);
  useEffect(() => onGone(setGone), []);
  useEffect(() => void findJobs(), []);
  useEffect(() => void showSet(settings.set), [settings.set]);
  useEffect(() => {
    load(settings.language).then(
      () => setLanguage(settings.language),
      () => setLanguage("en"),
    );
  }, [settings.language]);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!current().singleKeys || document.querySelector("dialog[open]")) return;
      if (event.key === "?") open("help");
      else if (event.key === "d") {
        const dark = matchMedia("(prefers-color-scheme: dark)").matches;
        const isDark = current().theme === "dark" || (current().theme === "system" && dark);
        change({ theme: isDark ? "light" : "dark" });
      } else if (event.key === "a") change({ arrows: !current().arrows });
      else if (event.key === "/") {
        document.getElementById("search")?.focus();
        event.preventDefault();
      }
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  if (language === "") return null;
  return (
    <div class="app" onClick={follow}>
      <a class="skip" href="#main">
        {t("skip")}
      </a>
      <header class="top">
        <a href="/" class="brand">
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M0 0h10v10H0zM10 10h10v10H10z" />
          </svg>
          tabia
        </a>
        <nav aria-label={t("nav")}>
          <a href="/">{t("shelf.title")}</a>
          <a href="/explorer">{t("explorer.title")}</a>
          <a href="/player/">{t("player.title")}</a>
          <a href="/search">{t("positions.title")}</a>
        </nav>
        <span class="grow" />
        <button type="button" onClick={() => open("settings")}>
          {t("settings")}
        </button>
        <button type="button" onClick={() => open("help")} aria-label={t("help")}>
          ?
        </button>
      </header>
      {isGone && (
        <p class="gone" role="alert">
          {t("gone")}
        </p>
      )}
      <GoneInputs
        onChange={(name) => {
          // The others have what the reader has entered.
          if (!/^\/(games|db|explorer|book)\b/.test(location.pathname)) return;
          announce(t("changed", { name }), true);
          setChanges((count) => count + 1);
        }}
      />
      <JobList />
      <main id="main" tabIndex={-1} key={`${language} ${changes}`}>
        <View />
      </main>
      <div id="live" role="status" aria-live="polite" />
      {dialog === "help" && <Help onClose={() => open(null)} />}
      {dialog === "settings" && <SettingsDialog settings={settings} onClose={() => open(null)} />}
    </div>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  const keys = [
    ["← →", t("key.move")],
    ["Shift ← →", t("key.variation")],
    ["↑ ↓", t("key.line")],
    ["Home End", t("key.ends")],
    [t("key.spaceName"), t("key.play")],
    ["f", t("key.flip")],
    ["x", t("key.text")],
    ["a", t("key.arrows")],
    ["e", t("key.explorer")],
    ["b", t("key.book")],
    ["n p", t("key.neighbours")],
    [`${t("key.spaceName")} Shift ↑ ↓`, t("key.select")],
    ["g", t("key.goto")],
    ["/", t("key.search")],
    ["Enter Esc", t("key.open")],
    ["c", t("key.fen")],
    ["Shift c", t("key.pgn")],
    ["d", t("key.dark")],
    ["?", t("key.help")],
  ];
  return (
    <Dialog title={t("help.title")} onClose={onClose}>
      <table class="keys">
        <tbody>
          {keys.map(([key, text]) => (
            <tr>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>{t("help.draw")}</p>
    </Dialog>
  );
}

function SettingsDialog({ settings, onClose }: { settings: Settings; onClose: () => void }) {
  type Key = Parameters<typeof t>[0];
  const choice = (name: keyof Settings, label: Key, values: string[], text: (value: string) => string | undefined) => (
    <p>
      <label>
        {t(label)}{" "}
        <select value={String(settings[name])} onChange={(event) => change({ [name]: event.currentTarget.value })}>
          {values.map((value) => (
            <option value={value} lang={name === "language" ? value : undefined}>
              {text(value)}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
  return (
    <Dialog title={t("settings")} onClose={onClose}>
      <div class="settings">
        {choice("language", "settings.language", LANGUAGES, (name) => NAMES[name])}
        {choice("theme", "settings.theme", ["system", "light", "dark"], (name) => t(`theme.${name}` as Key))}
        {choice("colors", "settings.board", COLORS, (name) => t(`colors.${name}` as Key))}
        {choice("set", "settings.set", SETS, (name) => t(`set.${name}` as Key))}
        {choice("pieces", "settings.pieces", ["figurines", "letters", "english"], (name) => t(`pieces.${name}` as Key))}
        <p>
          <label class="check">
            <input type="checkbox" checked={settings.singleKeys} onChange={() => change({ singleKeys: !settings.singleKeys })} />{" "}
            {t("settings.keys")}
          </label>
        </p>
      </div>
    </Dialog>
  );
}

takeKey();
apply();
addSprite();
const root = document.getElementById("app");
if (root) render(<App />, root);
// The other views once the first one is there, so that they open at once.
setTimeout(() => {
  for (const view of Object.values(later)) loadPart(view).catch(() => undefined);
}, 1500);
