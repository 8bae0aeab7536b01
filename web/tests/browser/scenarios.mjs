// What the files of tests share: a server over databases made for them, a browser, and pages that fail on a message of
// the console, a report of the content security policy, a dialog, or a request to another origin.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before } from "node:test";
import { eventually, launch, makeShelf, open, serve } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export let shelf;
export let server;
export let browser;

before(async () => {
  shelf = makeShelf();
  server = await serve(shelf.folder);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  assert.equal(await server?.stop(), 0, "the server ends with 0");
  shelf?.remove();
});

/** Runs a scenario in a page of its own. */
export async function scenario(path, run, options) {
  const view = await open(browser, server, path, options);
  try {
    await run(view.page, view);
  } finally {
    await view.close();
  }
}

/** Runs a scenario with a server of its own. */
export async function onServer(input, path, run, { serverOptions = [], ...options } = {}) {
  const other = await serve(input, ...serverOptions);
  try {
    const view = await open(browser, other, path, options);
    try {
      await run(view.page, view, other);
    } finally {
      await view.close();
    }
  } finally {
    assert.equal(await other.stop(), 0);
  }
}

export const moves = (page) => page.locator(".notation .move");
export const currentMove = (page) => page.locator(".notation [aria-current]");
export const rows = (page) => page.locator(".layer .row:not([hidden])");
/** Waits until the server has answered with the legal moves of the position. */
export const canMove = (page) => page.locator('.squares[aria-readonly="false"]').waitFor();
export const piece = (page, square) => page.locator(`[data-square="${square}"]`).first().getAttribute("data-piece");

/** Runs axe with the rules of WCAG 2.2 AA. */
export async function axeFindsNothing(page) {
  await page.evaluate(axe);
  // A color that is fading in has not its contrast yet.
  await eventually(async () => {
    const { violations } = await page.evaluate(() =>
      globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }),
    );
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => `${n.html} ${n.failureSummary}`).join("; ").slice(0, 900)}`);
    assert.deepEqual(found, []);
  }, 5000);
}
