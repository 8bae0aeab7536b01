import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const source = join(import.meta.dirname, "src");
const languages = join(source, "lang");
const english = JSON.parse(readFileSync(join(languages, "en.json"), "utf8"));
const keys = Object.keys(english);

/** The keys of texts are for those who read the source: in the script each has two letters, unless its end is computed. */
function shortKeys() {
  const files = readdirSync(source).filter((name) => /\.tsx?$/.test(name));
  const code = files.map((name) => readFileSync(join(source, name), "utf8")).join("\n");
  const computed = [...code.matchAll(/`([a-z]+\.)\$\{/g)].map(([, start]) => start);
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const isKept = (key) => !/^[a-z]+(\.\w+)+$/.test(key) || computed.some((start) => key.startsWith(start));
  return new Map(keys.filter((key) => !isKept(key)).map((key, n) => [key, letters[Math.floor(n / 52)] + letters[n % 52]]));
}

const shorterKeys = {
  name: "shorter-keys",
  enforce: "pre",
  load(id) {
    if (!/[\\/]lang[\\/]en\.json$/.test(id)) return null;
    const short = shortKeys();
    const texts = keys.map((key) => [short.get(key) ?? key, english[key]]);
    if (new Set(texts.map(([key]) => key)).size < keys.length) throw new Error("two texts have the same key");
    return { code: `export default ${JSON.stringify(Object.fromEntries(texts))}`, moduleType: "js" };
  },
  transform(code, id) {
    if (!/[\\/]src[\\/]\w+\.tsx?$/.test(id)) return null;
    const short = shortKeys();
    return { code: code.replace(/"([a-z]+(?:\.\w+)+)"/g, (whole, key) => (short.has(key) ? `"${short.get(key)}"` : whole)), map: null };
  },
};

/** The languages besides English as lists of their texts, in the order of the keys of English, which are loaded anyway. */
const listedLanguages = {
  name: "listed-languages",
  enforce: "pre",
  load(id) {
    const [, name] = /[\\/]lang[\\/](de|ru|fr|es)\.json$/.exec(id) ?? [];
    if (!name) return null;
    const words = JSON.parse(readFileSync(join(languages, `${name}.json`), "utf8"));
    return { code: `export default ${JSON.stringify(keys.map((key) => words[key]))}`, moduleType: "js" };
  },
};

// One script for the first view, one for each further language. Names contain a hash of the contents, so that they
// are cached for ever; nothing is inlined, which the content security policy would block.
export default defineConfig({
  plugins: [listedLanguages, shorterKeys],
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
            { name: "index", test: /preload-helper|[\\/]preact[\\/]|[\\/]src[\\/](index|inputs|drop_zone|jobs|ui|api|translations|router|settings|remembered|problem_texts|pieces|watched|lang[\\/]en)\.(tsx?|json)$/ },
            { name: "board", test: /[\\/]src[\\/](board|board_host|chess|notation|game_tree)\.tsx?$/ },
            { name: "desk", test: /[\\/]src[\\/](convert|converted_game|duplicates|decided_pairs|check|input_repair_and_names|spelling_choice)\.tsx?$/ },
            { name: "game_tabs", test: /[\\/]src[\\/](game_references|stored_record)\.tsx$/ },
            { name: "forms", test: /[\\/]src[\\/](database_choice_and_jobs|write_file|spellings)\.tsx?$/ },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
