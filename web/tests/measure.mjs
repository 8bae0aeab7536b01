// Times of the page in a browser: `TABIA=... npm run measure -- DATABASE [PLAYER]`.
import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { launch, open, serve } from "./browser/harness.mjs";

const [database, player = "Carlsen"] = process.argv.slice(2);
if (!database) throw new Error("name a database");
const id = basename(database);
const name = encodeURIComponent(id);
const results = [];
const note = (what, value, unit = "ms") => results.push([what, `${Math.round(value)} ${unit}`]);
const quantile = (values, share) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const rounds = 5;

const started = performance.now();
const server = await serve(database);
note("start to address", performance.now() - started);
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
const goTo = async (path) => {
  await page.goto(`${server.base}${path}`);
  return page.evaluate(
    (rows) =>
      new Promise((done) => {
        const look = () => {
          if (!document.querySelector(rows)) return requestAnimationFrame(look);
          const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
          done({ paint, rows: performance.now() });
        };
        look();
      }),
    rows,
  );
};
const first = [];
for (let i = 0; i < rounds; i++) first.push(await goTo(`/games?db=${name}`));
note("first paint, median", quantile(first.map(({ paint }) => paint), 0.5));
note("first rows, median", quantile(first.map(({ rows }) => rows), 0.5));

const jumps = await page.evaluate(
  async (selector) => {
    const list = document.querySelector(".list");
    const times = [];
    for (let i = 0; i < 20; i++) {
      const first = () => document.querySelector(selector)?.dataset.index;
      const before = first();
      const from = performance.now();
      list.scrollTop = (list.scrollHeight - list.clientHeight) * (((i + 1) * 0.37) % 1);
      // Other rows than before, and all of them.
      while (first() === before || first() === undefined || document.querySelector(".layer .row.skeleton:not([hidden])")) {
        await new Promise(requestAnimationFrame);
      }
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - from);
    }
    return times;
  },
  rows,
);
note("jump anywhere, median", quantile(jumps, 0.5));
note("jump anywhere, 95 of 100", quantile(jumps, 0.95));

await page.evaluate(() => {
  globalThis.frames_ = [];
  let last = performance.now();
  const frame = (now) => {
    globalThis.frames_.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
});
await page.locator(".list").hover();
for (let i = 0; i < 120; i++) {
  await page.mouse.wheel(0, 300);
  await page.waitForTimeout(16);
}
const frames = await page.evaluate(() => globalThis.frames_);
note("wheel: frame, median", quantile(frames, 0.5));
note("wheel: frame, 95 of 100", quantile(frames, 0.95));

const whole = async (path) => {
  const from = performance.now();
  for (;;) {
    const answer = await server.api(path);
    if (answer.isDone) return performance.now() - from;
    if (answer.status) await new Promise((done) => setTimeout(done, 100));
  }
};
note("sort by name, first time", await whole(`games?db=${name}&sort=white&n=50`));
note("sort by name, again", quantile(await requests(() => `games?db=${name}&sort=white&n=50&from=1000`, 10), 0.5));
note("filter by player, first time", await whole(`games?db=${name}&where=player:${player}&n=50`));
note("filter by player, later windows", quantile(await requests((i) => `games?db=${name}&where=player:${player}&n=50&from=${i}`, 10), 0.5));
note("rows anywhere, server, 95 of 100", quantile(await requests((i) => `games?db=${name}&n=100&from=${i * 9973}`, 100), 0.95));

const lines = ["", "e2e4", "e2e4,c7c5", "e2e4,c7c5,g1f3", "e2e4,c7c5,g1f3,d7d6", "e2e4,c7c5,g1f3,d7d6,d2d4", "d2d4", "d2d4,g8f6", "d2d4,g8f6,c2c4"];
const explore = async (line) => {
  const from = performance.now();
  for (;;) {
    const answer = await server.api(`explorer?src=${name}&play=${line}`);
    if (answer.sources?.every((source) => source.isDone || source.error)) return [performance.now() - from, answer.sources[0].indexed];
    await new Promise((done) => setTimeout(done, 20));
  }
};
const [whole1e4, isIndexed] = await explore("e2e4");
if (isIndexed) {
  const firstTime = [];
  for (const line of lines) firstTime.push((await explore(line))[0]);
  note("explorer step with an index, server, median", quantile(firstTime.slice(), 0.5));
  note("explorer step with an index, server, slowest", Math.max(...firstTime));
  const again = [];
  for (const line of lines) again.push((await explore(line))[0]);
  note("explorer step with an index, server, again, median", quantile(again, 0.5));
} else note("explorer without an index, 1.e4, whole", whole1e4);

const tasks = readdirSync(`/proc/${server.child.pid}/task`);
const children = tasks.flatMap((task) => readFileSync(`/proc/${server.child.pid}/task/${task}/children`, "utf8").split(" "));
const worker = children.find((child) => child !== "") ?? server.child.pid;
const status = readFileSync(`/proc/${worker}/status`, "utf8");
note("memory of the server beyond maps", Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024, "MB");
await view.close();
await browser.close();
await server.stop();
for (const [what, value] of results) console.log(`${what}: ${value}`);
