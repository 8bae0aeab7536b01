// Writes the table of the files in dist, which the server contains, and checks their sizes.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join, relative } from "node:path";

const crate = join(import.meta.dirname, "../../crates/serve");
const dist = join(crate, "dist");
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

function files(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : [path];
    });
}

const packedSizes = new Map();
const scripts = new Map();
/** One reader has one language at a time, and the texts of its problems once there is one. */
const texts = {};
let css = 0;
const rows = files(dist).map((path) => {
  const bytes = readFileSync(path);
  const name = relative(dist, path).replaceAll("\\", "/");
  const extension = name.slice(name.lastIndexOf("."));
  const type = types[extension];
  if (!type) throw new Error(`${name}: no content type`);
  const packed = gzipSync(bytes, { level: 9 }).length;
  if (extension === ".js") {
    packedSizes.set(name, packed);
    scripts.set(name, bytes.toString());
  }
  if (extension === ".css") css += packed;
  if (extension === ".json") {
    const [, language] = /\/(?:problems-)?(\w\w)-/.exec(name);
    texts[language] = (texts[language] ?? 0) + packed;
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return `    Asset {
        path: "/${name}",
        content_type: "${type}",
        sha256: "${sha256}",
        is_immutable: ${name.startsWith("assets/")},
        bytes: include_bytes!("../../dist/${name}"),
    },`;
});
writeFileSync(
  join(crate, "src/assets/table.rs"),
  `//! The files of \`dist\`; made by \`npm run build\` in \`web\`.

use super::Asset;

#[rustfmt::skip]
pub(super) static ASSETS: &[Asset] = &[
${rows.join("\n")}
];
`,
);

/** The scripts that one needs before it runs, itself too. */
function needed(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, other] of (scripts.get(name) ?? "").matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g)) needed(`assets/${other}`, found);
  return found;
}
const sizeOf = (names) => [...names].reduce((sum, name) => sum + (packedSizes.get(name) ?? 0), 0);
const entry = [...scripts.keys()].find((name) => name.includes("/index-"));
const later = [...(scripts.get(entry) ?? "").matchAll(/import\(\s*["'`]\.\/([^"'`]+)["'`]\s*\)/g)].map(([, name]) => `assets/${name}`);
const language = Math.max(...Object.values(texts));
const views = later.map((name) => [sizeOf(needed(name, needed(entry))), name]);
views.sort(([a], [b]) => b - a);
const [first, largest] = views[0];
const all = sizeOf(scripts.keys());
const shelf = views.find(([, name]) => name.includes("/shelf-"))[0];
console.log(`script ${shelf} bytes for the shelf, ${first} for the largest view (${largest}), ${all} in all, texts of another language ${language}, style ${css} (gzip)`);
const limits = [
  [first, 45_000, "script of a first view"],
  [all, 90_000, "all scripts"],
  [css, 12_000, "style"],
  [language, 20_000, "texts of a language"],
];
for (const [bytes, limit, what] of limits) {
  if (bytes > limit) throw new Error(`${what}: ${bytes} bytes compressed, ${limit} allowed`);
}
