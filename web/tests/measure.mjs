// Times of the page in a browser, each with its limit: `TABIA=... npm run measure -- DATABASE [PLAYER [INDEXED]]`. INDEXED is a
// database with a saved index, for the steps of the explorer.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { launch, open, serve } from "./browser/harness.mjs";

const [database, player = "Carlsen", indexed] = process.argv.slice(2);
if (!database) throw new Error("name a database");
const name = encodeURIComponent(basename(database));
const results = [];
const note = (what, value, limit, unit = "ms") => {
  const shown = value < 10 ? value.toFixed(1) : Math.round(value);
  const target = limit === undefined ? "" : `${limit} ${unit}${value > limit ? ", missed" : ""}`;
  results.push(`| ${what} | ${shown} ${unit} | ${target} |`);
  console.error(results.at(-1));
};
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const both = (what, values, limit, ...unit) => {
  note(`${what}, median`, quantile(values, 0.5), undefined, ...unit);
  note(`${what}, 95 of 100`, quantile(values, 0.95), limit, ...unit);
};
const rounds = 5;

/** A game with a mainline and a variation at each of its moves; knights go and come back. */
function game(plies, variation) {
  const moves = (cycle, count) => Array.from({ length: count }, (_, i) => cycle[i % 4]);
  const main = moves(["Nf3", "Nf6", "Ng1", "Ng8"], plies);
  const others = [["Nc3", "Nc6", "Nb1", "Nb8"], ["Nc6", "Nc3", "Nb8", "Nb1"]];
  return main.map((move, ply) => `${move} ${variation > 0 ? `(${moves(others[ply % 2], variation).join(" ")})` : ""}`).join(" ");
}
const folder = mkdtempSync(join(tmpdir(), "tabia-measure-"));
const trees = [game(20, 0), game(100, 4), game(400, 49)];
writeFileSync(join(folder, "trees.pgn"), trees.map((moves, i) => `[White "Tree ${i}"]\n\n${moves}*\n\n`).join(""));

console.error(`load at the start: ${loadavg().map((load) => load.toFixed(1)).join(", ")}`);
const started = performance.now();
const server = await serve(database, ...(indexed ? [indexed] : []), join(folder, "trees.pgn"));
note("start to the printed address", performance.now() - started, 300);
// An error ends this process, and the server with it.
process.on("exit", () => server.child.kill("SIGINT"));
const browser = await launch();
const rows = ".layer .row:not([hidden]):not(.skeleton)";

/** Milliseconds of a number of requests to the server. */
async function requests(path, count) {
  const times = [];
  for (let i = 0; i < count; i++) {
    const from = performance.now();
    await (await fetch(`${server.base}/api/v1/${path(i)}`, { headers: { Authorization: `Bearer ${server.key}` } })).arrayBuffer();
    times.push(performance.now() - from);
  }
  return times;
}

const view = await open(browser, server, "/");
const { page } = view;
const helpers = `
  const frame = () => new Promise(requestAnimationFrame);
  const until = async (done) => {
    const end = performance.now() + 20_000;
    while (!done()) {
      if (performance.now() > end) throw new Error("never: " + done);
      await frame();
    }
    await frame();
  };`;
/** Runs a function in the page, with \`until\`. */
const inPage = (run, ...values) => page.evaluate(`(async () => { ${helpers} return (${run})(${values.map((value) => JSON.stringify(value)).join(", ")}); })()`);

const goTo = async (path) => {
  await page.goto(`${server.base}${path}`);
  return inPage(
    `async (rows) => {
      while (!document.querySelector(rows)) await frame();
      const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
      return { paint, rows: performance.now() };
    }`,
    rows,
  );
};
const first = [];
for (let i = 0; i < rounds; i++) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.clearBrowserCache");
  await session.detach();
  first.push(await goTo(`/games?db=${name}`));
}
note("first paint, cold cache, median of 5", quantile(first.map(({ paint }) => paint), 0.5), 500);
note("first rows, cold cache, median of 5", quantile(first.map(({ rows }) => rows), 0.5), 800);

const jump = `
  async (selector, kinds) => {
    const list = document.querySelector(".list");
    const first = () => document.querySelector(selector)?.dataset.index;
    const isWhole = () => first() !== undefined && !document.querySelector(".layer .row.skeleton:not([hidden])");
    const times = [];
    for (let i = 0; i < kinds.length; i++) {
      const before = first();
      const from = performance.now();
      if (kinds[i] === "thumb") list.scrollTop = (list.scrollHeight - list.clientHeight) * (((i + 1) * 0.37) % 1);
      else list.dispatchEvent(new KeyboardEvent("keydown", { key: kinds[i] }));
      // Other rows than before, and all of them.
      await until(() => first() !== before && isWhole());
      times.push(performance.now() - from);
      for (let pause = 0; pause < 6; pause++) await frame();
    }
    return times;
  }`;
both("jump by the thumb", await inPage(jump, rows, Array(40).fill("thumb")), 60);
both("jump by End and Home", await inPage(jump, rows, Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? "End" : "Home"))), 60);

await page.evaluate(() => {
  const seen = { frames: [], blank: 0 };
  globalThis.seen_ = seen;
  let last = performance.now();
  let blankSince = 0;
  const frame = (now) => {
    seen.frames.push(now - last);
    last = now;
    const isBlank = document.querySelector(".layer .row.skeleton:not([hidden])") !== null;
    if (!isBlank) blankSince = 0;
    else {
      blankSince ||= now;
      seen.blank = Math.max(seen.blank, now - blankSince);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
});
await page.locator(".list").hover();
for (let i = 0; i < 240; i++) {
  await page.mouse.wheel(0, 300);
  await page.waitForTimeout(16);
}
const { frames, blank } = await page.evaluate(() => globalThis.seen_);
both("wheel: frame", frames, 33);
note("wheel: longest time with a blank row", blank, 100);

const whole = async (path) => {
  const from = performance.now();
  for (;;) {
    const answer = await server.api(path);
    if (answer.isDone) return performance.now() - from;
    if (answer.status) await new Promise((done) => setTimeout(done, 100));
  }
};
note("sort by name, first time", await whole(`games?db=${name}&sort=white&n=50`), 3000);
note("sort by name, again", quantile(await requests(() => `games?db=${name}&sort=white&n=50&from=1000`, 10), 0.5), 60);
note("filter by player, first time", await whole(`games?db=${name}&where=player:${player}&n=50`), 1000);
note("filter by player, later windows", quantile(await requests((i) => `games?db=${name}&where=player:${player}&n=50&from=${i}`, 10), 0.5), 60);
note("100 rows anywhere, server, 95 of 100", quantile(await requests((i) => `games?db=${name}&n=100&from=${i * 9973}`, 100), 0.95));

// Games of 20 (which loads the script), 500 and 20,000 moves, from the key to the last move.
for (const [index, count] of [20, 500, 20_000].entries()) {
  const times = [];
  for (let i = 0; i < (index === 0 ? 1 : rounds); i++) {
    await page.goto(`${server.base}/games?db=trees.pgn&at=${index + 1}`);
    await page.locator(`${rows}[data-index="${index}"].active`).waitFor();
    await page.waitForTimeout(500);
    times.push(
      await inPage(
        `async (count) => {
          const from = performance.now();
          document.querySelector(".list").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
          await until(() => document.querySelectorAll(".notation .move").length === count);
          return performance.now() - from;
        }`,
        count,
      ),
    );
  }
  if (index > 0) note(`open a game of ${count} moves, median of 5`, quantile(times, 0.5), index === 1 ? 50 : 400);
}

// Keys of the game and of the list, as the browser reports them.
const pressed = [];
for (const [path, ready, keys] of [
  [`/db/${name}/game/1?ply=1`, ".notation .move", [...Array(20).fill("ArrowRight"), "ArrowLeft", "f", "f", "x", "x", "a", "a", "d", "d", "e", "b", "End", "Home", "c", "n", "p"]],
  [`/games?db=${name}&at=500`, rows, [...Array(10).fill("ArrowDown"), "ArrowUp", "PageDown", "PageUp", "End", "Home", " ", " "]],
  ["/db/trees.pgn/game/3", ".notation .move", [...Array(10).fill("ArrowRight"), "End", "Home", "f", "x"]],
]) {
  await page.goto(`${server.base}${path}`);
  await page.locator(ready).first().waitFor();
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    globalThis.keys_ = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId) globalThis.keys_.set(interactionId, Math.max(globalThis.keys_.get(interactionId) ?? 0, duration));
      }
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });
  if (path.startsWith("/games")) await page.locator(".list").focus();
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(120);
  }
  pressed.push(...(await page.evaluate(() => [...globalThis.keys_.values()])));
}
both("any key to the next paint", pressed, 100);

const lines = ["", "e2e4", "e2e4,c7c5", "e2e4,c7c5,g1f3", "e2e4,c7c5,g1f3,d7d6", "e2e4,c7c5,g1f3,d7d6,d2d4", "d2d4", "d2d4,g8f6", "d2d4,g8f6,c2c4"];
const explore = async (source, line) => {
  const from = performance.now();
  let firstNumbers = 0;
  for (;;) {
    const answer = await server.api(`explorer?src=${source}&play=${line}`);
    if (firstNumbers === 0 && answer.sources?.[0]?.games > 0) firstNumbers = performance.now() - from;
    if (answer.sources?.every((found) => found.isDone || found.error)) return { firstNumbers, time: performance.now() - from, isIndexed: answer.sources[0].indexed };
    await new Promise((done) => setTimeout(done, 20));
  }
};
const unindexed = await explore(name, "e2e4");
if (!unindexed.isIndexed) {
  note("explorer without an index, 1.e4, first numbers", unindexed.firstNumbers, 500);
  note("explorer without an index, 1.e4, all games", unindexed.time, 25_000);
}

/** Processor time of the server, in milliseconds. */
const worker = () => {
  const tasks = readdirSync(`/proc/${server.child.pid}/task`);
  const children = tasks.flatMap((task) => readFileSync(`/proc/${server.child.pid}/task/${task}/children`, "utf8").split(" "));
  return children.find((child) => child !== "") ?? server.child.pid;
};
const processorTime = () => {
  const fields = readFileSync(`/proc/${worker()}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
if (!unindexed.isIndexed) {
  await page.goto(`${server.base}/explorer?src=${name}&play=d2d4`);
  await page.locator(".scan button", { hasText: "Stop" }).click();
  await page.waitForTimeout(3000);
  const before = processorTime();
  await page.waitForTimeout(1000);
  note("explorer, processor time in the fourth second after Stop", processorTime() - before, 100);
}

if (indexed) {
  const source = encodeURIComponent(basename(indexed));
  await server.api(`db/${source}`);
  // Positions that were not asked before: moves of random games, and the usual beginnings.
  const positions = lines.slice();
  for (let i = 0; i < 30; i++) {
    const { moves: all } = await server.api(`db/${source}/games/${1 + i * 3571}`);
    const moves = all.map((move) => move.uci);
    for (const length of [4, 8, 12, 20]) if (moves.length > length) positions.push(moves.slice(0, length).join(","));
  }
  const times = [];
  for (const line of new Set(positions)) {
    const found = await explore(source, line);
    if (!found.isIndexed) throw new Error(`${indexed} has no index`);
    times.push(found.time);
  }
  both(`explorer step with an index, server, ${times.length} positions`, times, 20);
  await page.goto(`${server.base}/explorer?src=${source}`);
  await page.locator(".explorer-table tbody .move-button").first().waitFor();
  await page.waitForTimeout(500);
  const painted = await inPage(
    `async () => {
      const times = [];
      for (let i = 0; i < 30; i++) {
        const buttons = [...document.querySelectorAll(".explorer-table tbody .move-button")];
        const shown = () => document.querySelector(".explorer-table")?.textContent;
        const before = shown();
        const from = performance.now();
        if (i % 10 === 9) dispatchEvent(new KeyboardEvent("keydown", { key: "Home" }));
        else buttons[i % Math.min(3, buttons.length)].click();
        await until(() => shown() !== before);
        times.push(performance.now() - from);
        for (let pause = 0; pause < 12; pause++) await frame();
      }
      return times;
    }`,
  );
  both("explorer step with an index, to the paint", painted, 60);
}

const status = readFileSync(`/proc/${worker()}/status`, "utf8");
note("memory of the server beyond maps", Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024, 300, "MB");
await view.close();
await browser.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });
console.log(`Load: ${loadavg().map((load) => load.toFixed(1)).join(", ")}\n\n| what | measured | target |\n|---|--:|--:|\n${results.join("\n")}`);
