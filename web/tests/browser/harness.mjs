// Starts `tabia serve` over databases made for the tests, and a browser that fails on everything unexpected.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const root = resolve(import.meta.dirname, "../../..");
const program =
  process.env.TABIA ??
  ["release", "debug"].map((kind) => join(root, "target", kind, "tabia")).find((path) => existsSync(path));
export const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** How many times slower than this machine the browser runs: a test that passes only on a fast one is wrong. */
const slowness = Number(process.env.TABIA_SLOW_BROWSER ?? "1");
export const pictures = join(root, "web/out");
mkdirSync(pictures, { recursive: true });

/** Where the pictures of the guide are; `TABIA_UPDATE=1` renews them. */
export const guide = process.env.TABIA_UPDATE === "1" ? join(root, "docs/images") : pictures;

/** Names, comments and texts that would do something if they were HTML. */
export const hostile = {
  white: "<img src=x onerror=alert(1)>",
  black: '"><script>document.title="owned"</script>',
  event: "javascript:alert(1)",
  comment: "<script>fetch('http://evil.example/')</script><b>bold</b>",
};

/**
 * Runs the checks again until they hold; throws what they throw after `limit` milliseconds.
 *
 * The page draws after the browser has reported an event, so what it shows is read with this and never at once.
 */
export async function eventually(checks, limit = 20_000) {
  const end = Date.now() + limit;
  for (let pause = 10; ; pause = Math.min(2 * pause, 250)) {
    try {
      return await checks();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((done) => setTimeout(done, pause));
  }
}

export function run(...args) {
  return runIn(undefined, ...args);
}

function runIn(cwd, ...args) {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const games = `[Event "${hostile.event}"]
[Site "Tel Aviv"]
[Date "2024.02.29"]
[Round "1.1"]
[White "${hostile.white}"]
[Black "${hostile.black.replaceAll('"', "'")}"]
[Result "1-0"]
[WhiteElo "2700"]
[BlackElo "2650"]
[ECO "C65"]
[Annotator "Нимцович, Арон"]

{${hostile.comment}} 1. e4 $1 {[%csl Ga1,Re4][%cal Ge2e4,Rd8h4] [%eval 0.31] [%clk 1:59:58]} e5 {[%eval 0.25] [%clk 1:59:30]}
2. Nf3 {[%eval 0.35] [%clk 1:58:10]} (2. f4 $5 exf4 (2... d5 {Falkbeer} 3. exd5 (3. Nf3 dxe4) 3... e4) 3. Bc4 {the bishop's gambit})
2... Nc6 {[%eval 0.2] [%clk 1:57:00]} 3. Bb5 Nf6 $6 {[%eval 0.9] [%clk 1:50:00]} 4. O-O {[%eval 1.1] [%clk 1:49:00]} Nxe4
{[%eval -0.4] [%clk 1:30:20]} 5. Re1 {[%eval #5] [%clk 1:20:00]} Nd6 {[%clk 1:10:00]} 6. Nxe5 Be7 7. Bf1 Nxe5 8. Rxe5 O-O 9. d4 1-0

[Event "Wch"]
[Site "Москва"]
[Date "1960.03.15"]
[Round "1"]
[White "Таль, Михаил"]
[Black "Ботвинник, Михаил"]
[Result "1-0"]
[ECO "C18"]

1. e4 e6 2. d4 d5 3. Nc3 Bb4 4. e5 c5 5. a3 Bxc3+ 6. bxc3 Qc7 7. Qg4 f5 8. Qg3 Ne7 9. Qxg7 Rg8 10. Qxh7 cxd4 1-0

[Event "Liga"]
[Site "תל אביב"]
[Date "2001.??.??"]
[Round "?"]
[White "כהן, דוד"]
[Black "Müller, Jürgen"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. Rc1 c6 8. Bd3 dxc4 9. Bxc4 Nd5 1/2-1/2

[Event "Endgame"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "Promotion"]
[Black "En passant"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/P6p/8/8/1p6/8/2P4P/R3K3 w Q - 0 1"]

1. c4 bxc3 2. O-O-O Kf7 3. a8=N *

[Event "Broken"]
[White "No move"]
[Black "Like this"]
[Result "0-1"]

1. e4 e5 2. Ke3 Qh4 0-1

[Event "Empty"]
[White "A"]
[Black "B"]
[Result "*"]

*
`;

/** Openings as often as they are played, about, with the score of White in percent. */
const OPENINGS = [
  [14, "C65", 54, "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4"],
  [9, "C78", 56, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O b5 6. Bb3"],
  [7, "C54", 53, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3"],
  [13, "B90", 51, "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"],
  [6, "B33", 52, "1. e4 c5 2. Nf3 Nc6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 e5"],
  [6, "C11", 55, "1. e4 e6 2. d4 d5 3. Nc3 Nf6 4. Bg5"],
  [5, "B18", 54, "1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Bf5"],
  [12, "D37", 57, "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7"],
  [8, "D15", 55, "1. d4 d5 2. c4 c6 3. Nf3 Nf6 4. Nc3 a6"],
  [8, "E60", 56, "1. d4 Nf6 2. c4 g6 3. Nc3 Bg7 4. e4 d6"],
  [7, "E32", 54, "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. Qc2"],
  [3, "A20", 53, "1. c4 e5 2. g3 Nf6 3. Bg2 d5"],
  [2, "A07", 52, "1. Nf3 d5 2. g3 Nf6 3. Bg2"],
];

const SURNAMES = ["Anand", "Carlsen", "Kramnik", "Polgar", "Short", "Topalov", "Ivanchuk", "Adams", "Leko", "Svidler"];
const WHOLE_NAMES = [
  "Anand, Viswanathan", "Carlsen, Magnus", "Kramnik, Vladimir", "Polgar, Judit", "Short, Nigel D", "Topalov, Veselin",
  "Ivanchuk, Vassily", "Adams, Michael", "Leko, Peter", "Svidler, Peter",
];

/** Games between ten players, or between players with ten surnames and many initials. */
function many(count, hasWholeNames = false) {
  // The same numbers each time.
  let seed = 7;
  const random = (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const sum = OPENINGS.reduce((all, [weight]) => all + weight, 0);
  let text = "";
  for (let i = 0; i < count; i++) {
    const [one, other] = [i % SURNAMES.length, (i * 7 + 3) % SURNAMES.length];
    const initial = (number) => String.fromCharCode(65 + (number % 26));
    const white = hasWholeNames ? WHOLE_NAMES[one] : `${SURNAMES[one]}, ${initial(i)}`;
    const black = hasWholeNames ? WHOLE_NAMES[(one + 1 + random(9)) % 10] : `${SURNAMES[other]}, ${initial(i * 3)}`;
    let left = random(sum);
    const [, eco, score, line] = OPENINGS.find(([weight]) => (left -= weight) < 0);
    const result = random(100) < 46 ? "1/2-1/2" : random(100) < score + (score - 50) ? "1-0" : "0-1";
    text += `[Event "Open ${1 + (i % 40)}"]\n[Site "Town ${i % 13}"]\n[Date "${1980 + (i % 45)}.0${1 + (i % 9)}.1${i % 10}"]\n[Round "${1 + (i % 9)}"]\n[White "${white}"]\n[Black "${black}"]\n[Result "${result}"]\n[WhiteElo "${2400 + ((i * 37) % 450)}"]\n[BlackElo "${2400 + ((i * 91) % 450)}"]\n[ECO "${eco}"]\n\n${line} ${result}\n\n`;
  }
  return text;
}

/** Inputs without anything hostile, for the pictures of the guide. */
export function makeLibrary() {
  const parent = mkdtempSync(join(tmpdir(), "tabia-"));
  const folder = join(parent, "Chess");
  mkdirSync(folder);
  const path = (name) => join(folder, name);
  for (const name of readdirSync(join(root, "samples"))) {
    if (!name.endsWith(".md")) cpSync(join(root, "samples", name), path(name), { recursive: true });
  }
  writeFileSync(path("masters.pgn"), many(4000, true));
  for (const args of [["convert", "masters.pgn", "-o", "masters.si5"], ["book", "build", "masters.pgn", "-o", "masters.ctg"], ["book", "build", "masters.pgn", "-o", "masters.bin"]]) {
    runIn(folder, ...args);
  }
  rmSync(path("masters.pgn"));
  runIn(folder, "index", "masters.si5");
  const again = (site, round) =>
    `[Event "Candidates"]\n[Site "${site}"]\n[Date "1994.01.12"]\n[Round "${round}"]\n[White "Adams, Michael"]\n[Black "Gelfand, Boris"]\n[Result "0-1"]\n[WhiteElo "2640"]\n[BlackElo "2685"]\n\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bc4 e6 7. Bb3 b5 8. O-O Be7 9. Qf3 Qc7 0-1\n\n`;
  writeFileSync(path("twice.pgn"), again("Wijk aan Zee", "3.1") + again("Wijk aan Zee NED", "3"));
  return { parent, folder, path, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

/** A folder with every format that can be written. */
export function makeShelf() {
  const folder = mkdtempSync(join(tmpdir(), "tabia-page-"));
  const path = (name) => join(folder, name);
  writeFileSync(path("games.pgn"), games);
  writeFileSync(path("league.pgn"), many(3000));
  run("index", path("league.pgn"));
  const game = (site) =>
    `[Event "Match"]\n[Site "${site}"]\n[Date "1999.05.01"]\n[Round "3"]\n[White "Adams, Michael"]\n[Black "Short, Nigel"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 1-0\n\n`;
  writeFileSync(path("twice.pgn"), game("London") + game("Londres"));
  const made = { games: [], books: [] };
  for (const ending of ["cbh", "si3", "si4", "si5", "sci"]) {
    const name = `games-${ending}.${ending}`;
    try {
      run("convert", path("games.pgn"), "-o", path(name));
    } catch (error) {
      // 3: done, with problems or losses; the broken game is one.
      if (error.status !== 3) {
        if (error.status === 2) continue;
        throw error;
      }
    }
    made.games.push(name);
  }
  for (const ending of ["bin", "abk", "ctg", "kob"]) {
    const name = `league.${ending}`;
    try {
      run("book", "build", path("league.pgn"), "-o", path(name));
    } catch (error) {
      if (error.status !== 3) throw error;
    }
    made.books.push(name);
  }
  run("convert", path("league.pgn"), "-o", path("packed.pgn.gz"));
  run("archive", "create", path("all.zip"), path("league.pgn"));
  writeFileSync(path("nonsense.cbh"), "this is no database");
  return { folder, path, made, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts the server; `stop` ends it as ^C does and returns the exit code. */
export const serve = (folder, ...args) => serveIn(undefined, folder, ...args);

/** As `serve`, started in another folder. */
export async function serveIn(cwd, folder, ...args) {
  const state = mkdtempSync(join(tmpdir(), "tabia-state-"));
  let errors = "";
  const start = async (port) => {
    const child = spawn(program, ["serve", folder, "--port", port, "--json", ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, XDG_STATE_HOME: state, XDG_CACHE_HOME: join(state, "cache") },
    });
    child.stderr.on("data", (data) => {
      errors += data;
    });
    const ended = new Promise((done) => child.on("exit", (code) => done(code)));
    const line = await new Promise((done, fail) => {
      createInterface(child.stdout).once("line", done);
      ended.then(() => fail(new Error(errors)));
    });
    return { child, ended, address: JSON.parse(line) };
  };
  let running = await start("0");
  const { address } = running;
  const key = address.url.split("#k=")[1];
  const base = `http://127.0.0.1:${address.port}`;
  return {
    ...address,
    key,
    base,
    child: running.child,
    errors: () => errors,
    api: async (path) => {
      const response = await fetch(`${base}/api/v1/${path}`, { headers: { Authorization: `Bearer ${key}` } });
      return response.json();
    },
    /** Ends the server and starts another one at the same address, with the same key. */
    restart: async () => {
      running.child.kill("SIGINT");
      await running.ended;
      running = await start(String(address.port));
    },
    stop: async () => {
      running.child.kill("SIGINT");
      const code = await running.ended;
      rmSync(state, { recursive: true, force: true });
      return code;
    },
  };
}

export async function launch() {
  return chromium.launch({
    executablePath: browserPath,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync",
    ],
  });
}

/** Shows the page as `npm run build` made it, with the headers of the server: `TABIA_DIST=1` tests it before it is compiled in. */
async function serveBuilt(context, server) {
  const dist = join(root, "crates/serve/dist");
  const types = { js: "text/javascript", css: "text/css", json: "application/json", svg: "image/svg+xml" };
  await context.route(`${server.base}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const asset = /^\/assets\/[^/]+\.(js|css|json|svg)$/.exec(pathname);
    if (asset) return route.fulfill({ path: join(dist, pathname), contentType: types[asset[1]] });
    if (route.request().resourceType() !== "document") return route.continue();
    const answer = await route.fetch();
    const headers = answer.headers();
    delete headers["content-encoding"];
    delete headers["content-length"];
    return route.fulfill({ status: answer.status(), headers, body: readFileSync(join(dist, "index.html"), "utf8") });
  });
}

/** An answer that a test makes may come when the test does not make answers any more, or the page is closed: then it is not wanted. */
function ignoreLateAnswers(page) {
  const route = page.route.bind(page);
  page.route = (pattern, handler, options) =>
    route(
      pattern,
      async (...asked) => {
        try {
          await handler(...asked);
        } catch (error) {
          if (!/already handled|been closed|disposed/.test(error.message)) throw error;
        }
      },
      options,
    );
}

/** A page that notes every message of the console, every report of the policy, and every request elsewhere. */
export async function open(browser, server, path = "/", options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    colorScheme: "light",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const page = await context.newPage();
  ignoreLateAnswers(page);
  if (slowness > 1) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  }
  if (process.env.TABIA_DIST === "1") await serveBuilt(context, server);
  const problems = [];
  page.on("console", (message) => {
    // The card of the unreadable file: its answer is an error by design.
    if (message.location().url.endsWith("/db/nonsense.cbh")) return;
    // The picture that is dropped.
    if (message.location().url.includes("/drop/picture.png")) return;
    // More is asked than the server does at a time, by design: the page asks again.
    if (message.text().includes("status of 503")) return;
    if (["error", "warning"].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.stack}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.base) && !url.startsWith("data:") && !url.startsWith("blob:") && url !== "about:srcdoc") {
      problems.push(`request to ${url}`);
    }
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  await page.goto(`${server.base}${path}#k=${server.key}`);
  if (path === "/") await page.waitForSelector(".shelf, .empty");
  return {
    page,
    context,
    problems,
    close: async () => {
      // An answer that a scenario makes may still be on its way.
      if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  };
}
