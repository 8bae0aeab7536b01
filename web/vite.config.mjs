import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const source = join(import.meta.dirname, "src");
const languages = join(source, "lang");
const english = JSON.parse(readFileSync(join(languages, "en.json"), "utf8"));
const keys = Object.keys(english);

const NAMES = ["de", "ru", "fr", "es"];
const translations = NAMES.map((name) => JSON.parse(readFileSync(join(languages, `${name}.json`), "utf8")));

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * The keys of texts are for those who read the source: in the script each has two letters, unless its end is computed.
 * Keys whose texts are the same in every language have the same letters, so that the text is there once.
 */
function shortKeys() {
  const files = readdirSync(source).filter((name) => /\.tsx?$/.test(name));
  const code = files.map((name) => readFileSync(join(source, name), "utf8")).join("\n");
  const computed = [...code.matchAll(/`([a-z]+\.)\$\{/g)].map(([, start]) => start);
  const isKept = (key) => !/^[a-z]+(\.\w+)+$/.test(key) || computed.some((start) => key.startsWith(start));
  const short = new Map();
  const byTexts = new Map();
  for (const key of keys.filter((key) => !isKept(key))) {
    const texts = JSON.stringify([english, ...translations].map((words) => words[key]));
    const n = byTexts.size;
    if (!byTexts.has(texts)) byTexts.set(texts, LETTERS[Math.floor(n / 52)] + LETTERS[n % 52]);
    short.set(key, byTexts.get(texts));
  }
  return short;
}

/** The texts of a language by the keys of the script: first those with short keys, in the order of these. */
function shortTexts(words) {
  const short = shortKeys();
  const texts = Object.fromEntries(keys.map((key) => [short.get(key) ?? key, words[key]]));
  const order = [...new Set(short.values()), ...keys.filter((key) => !short.has(key))];
  return Object.fromEntries(order.map((key) => [key, texts[key]]));
}

/** A list of texts as script; no text contains a line break. */
const asList = (texts) => `${JSON.stringify(texts.join("\n"))}.split("\\n")`;

const shorterKeys = {
  name: "shorter-keys",
  enforce: "pre",
  load(id) {
    if (!/[\\/]lang[\\/]en\.json$/.test(id)) return null;
    const short = shortKeys();
    if (keys.some((key) => !short.has(key) && [...short.values()].includes(key))) throw new Error("two texts have the same key");
    const texts = shortTexts(english);
    const kept = keys.filter((key) => !short.has(key));
    // Short keys are counted, and not written.
    const code = `const letters = "${LETTERS}", kept = ${asList(kept)};
      const first = ${Object.keys(texts).length - kept.length};
      const keyOf = (n) => (n < first ? letters[(n / 52) | 0] + letters[n % 52] : kept[n - first]);
      export default Object.fromEntries(${asList(Object.values(texts))}.map((text, n) => [keyOf(n), text]));`;
    return { code, moduleType: "js" };
  },
  transform(code, id) {
    if (!/[\\/]src[\\/]\w+\.tsx?$/.test(id)) return null;
    const short = shortKeys();
    return { code: code.replace(/"([a-z]+(?:\.\w+)+)"/g, (whole, key) => (short.has(key) ? `"${short.get(key)}"` : whole)), map: null };
  },
};

/**
 * The texts besides those of English are data, which are fetched when they are needed: languages as lists in the order of
 * the keys of English, which are loaded anyway, and the texts of problems by their keys.
 */
const fetchedTexts = {
  name: "fetched-texts",
  enforce: "pre",
  load(id) {
    const [, problems, name] = /[\\/]lang[\\/](errors[\\/])?(\w\w)\.json\?url$/.exec(id) ?? [];
    const words = problems ? {} : translations[NAMES.indexOf(name)];
    if (!name || !words) return null;
    const texts = problems ? JSON.parse(readFileSync(join(languages, "errors", `${name}.json`), "utf8")) : Object.values(shortTexts(words));
    const file = this.emitFile({ type: "asset", name: `${problems ? "problems-" : ""}${name}.json`, source: JSON.stringify(texts) });
    return { code: `export default import.meta.ROLLUP_FILE_URL_${file}`, moduleType: "js" };
  },
};

// One script for what every view needs, one for each group of views. Names contain a hash of the contents, so that they
// are cached for ever; nothing is inlined, which the content security policy would block.
export default defineConfig({
  plugins: [fetchedTexts, shorterKeys],
  base: "/",
  build: {
    target: "es2022",
    outDir: "../crates/serve/dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    sourcemap: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // What is needed together is smaller in one file.
            { name: "index", test: /preload-helper|rolldown-runtime|[\\/]preact[\\/]|[\\/]src[\\/](index|search_box|jobs|ui|api|translations|fetched_texts|router|settings|remembered|problem_texts|pieces|watched|commands|lang[\\/](errors[\\/])?\w\w)\.(tsx?|json)(\?url)?$/ },
            { name: "board", test: /[\\/]src[\\/](board|board_host|board_as_text|line_controls|query_terms|chess|medals|move_line|guiding_texts|shapes|game_tree|stored_evaluations)\.tsx?$/ },
            { name: "game_parts", test: /[\\/]src[\\/](game_parts|converted_game|merged_game|game_references|stored_record|book_edit|selected_games)\.tsx?$/ },
            { name: "notation", test: /[\\/]src[\\/](notation|nags)\.tsx?$/ },
            { name: "forms", test: /[\\/]src[\\/](database_choice_and_jobs|write_file|spellings)\.tsx?$/ },
            // Views that have much in common compress to less in one file.
            { name: "shelf", test: /[\\/]src[\\/](inputs|drop_zone|help_and_settings)\.tsx?$/ },
            { name: "game", test: /[\\/]src[\\/](game|training)\.tsx?$/ },
            { name: "book", test: /[\\/]src[\\/](explorer|book|book_changes)\.tsx?$/ },
            { name: "search", test: /[\\/]src[\\/](player|positions)\.tsx?$/ },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
