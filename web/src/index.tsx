// The page of `tabia serve`.

import { type ComponentType, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Card, type Shelf, get, onGone, takeKey } from "./api.ts";
import { JobList, findJobs } from "./jobs.tsx";
import { addSprite, showSet } from "./pieces.ts";
import { bookHref, follow, gamesHref, healthHref, useAddress } from "./router.ts";
import { SearchBox } from "./search_box.tsx";
import { apply, change, current, useSettings } from "./settings.ts";
import { remember } from "./remembered.ts";
import { ErrorBox, Later, Spinner, announce, isTyping, loadPart, title, useLoad } from "./ui.tsx";
import { load, t } from "./translations.ts";
import { GoneInputs, useWatched } from "./watched.tsx";

/** Views that are loaded when they are first shown. */
const later: Record<string, () => Promise<ComponentType>> = {
  "": async () => (await import("./inputs.tsx")).ShelfView,
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

const dialogs: Record<"help" | "settings", () => Promise<ComponentType<{ onClose: () => void }>>> = {
  help: async () => (await import("./help_and_settings.tsx")).Help,
  settings: async () => (await import("./help_and_settings.tsx")).SettingsDialog,
};

/** The other theme than the one that is shown. */
function switchTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const isDark = current().theme === "dark" || (current().theme === "system" && dark);
  change({ theme: isDark ? "light" : "dark" });
}

function View() {
  const { path, query } = useAddress();
  const shown = path[0] === "db" || path[0] === "book" ? path[1] : (query.get("db") ?? query.get("src"));
  useEffect(() => {
    for (const id of (shown ?? "").split(",")) if (id !== "") remember(id, { opened: Date.now() });
  }, [shown]);
  useWatched((shown ?? "").split(","));
  const [name = ""] = path;
  if (!shown && name in CHOICES) return <Choice name={name} />;
  const view = later[name];
  if (view) return <Later key={name} load={view} />;
  return <NotFound />;
}

/** What is shown at an address of no view. */
function NotFound() {
  title(t("notFound"));
  return (
    <div class="empty">
      <h1>{t("notFound")}</h1>
      <p>
        <bdi>
          <code>{`/${useAddress().path.join("/")}`}</code>
        </bdi>
      </p>
      <p>{t("notFound.hint")}</p>
      <a class="button" href="/">
        {t("shelf.title")}
      </a>
    </div>
  );
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
      else if (event.key === "d") switchTheme();
      else if (event.key === "a") change({ arrows: !current().arrows });
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
        <SearchBox />
        <span class="buttons">
          <button type="button" class="icon" aria-label={t("theme.switch")} title={t("theme.switch")} onClick={switchTheme}>
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 1.5v11a5.5 5.5 0 0 0 0-11z" fill-rule="evenodd" />
            </svg>
          </button>
          <button type="button" class="icon" aria-label={t("settings")} title={t("settings")} onClick={() => open("settings")}>
            ⚙
          </button>
          <button type="button" class="icon" aria-label={t("help")} title={t("help")} onClick={() => open("help")}>
            ?
          </button>
        </span>
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
      {dialog && <Later key={dialog} load={dialogs[dialog]} onClose={() => open(null)} />}
    </div>
  );
}

takeKey();
apply();
addSprite();
const root = document.getElementById("app");
if (root) render(<App />, root);
// The other views once the first one is there, so that they open at once.
setTimeout(() => {
  for (const part of [...Object.values(later), ...Object.values(dialogs)]) loadPart(part as () => Promise<ComponentType>).catch(() => undefined);
}, 1500);
