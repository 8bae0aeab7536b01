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

let script = 0;
let first = 0;
let css = 0;
const rows = files(dist).map((path) => {
  const bytes = readFileSync(path);
  const name = relative(dist, path).replaceAll("\\", "/");
  const extension = name.slice(name.lastIndexOf("."));
  const type = types[extension];
  if (!type) throw new Error(`${name}: no content type`);
  const packed = gzipSync(bytes, { level: 9 }).length;
  if (extension === ".js") {
    script += packed;
    if (name.includes("/index-")) first += packed;
  }
  if (extension === ".css") css += packed;
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
console.log(`script ${first} bytes for the first view, ${script} in all, style ${css} (gzip)`);
const limits = [
  [first, 45_000, "script of the first view"],
  [script, 90_000, "all scripts"],
  [css, 12_000, "style"],
];
for (const [bytes, limit, what] of limits) {
  if (bytes > limit) throw new Error(`${what}: ${bytes} bytes compressed, ${limit} allowed`);
}
