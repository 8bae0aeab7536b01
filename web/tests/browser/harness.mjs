// Starts `tabia serve` over databases made for the tests, and a browser that fails on everything unexpected.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
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

function many(count) {
  const first = ["Anand", "Carlsen", "Kramnik", "Polgar", "Short", "Topalov", "Ivanchuk", "Adams", "Leko", "Svidler"];
  const lines = ["1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1. d4 Nf6 2. c4 g6 3. Nc3 Bg7", "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6", "1. c4 e5 2. g3 Nf6"];
  const results = ["1-0", "1/2-1/2", "0-1"];
  let text = "";
  for (let i = 0; i < count; i++) {
    const white = first[i % first.length];
    const black = first[(i * 7 + 3) % first.length];
    const result = results[(i * 5 + (i >> 3)) % 3];
    text += `[Event "Open ${1 + (i % 40)}"]\n[Site "Town ${i % 13}"]\n[Date "${1980 + (i % 45)}.0${1 + (i % 9)}.1${i % 10}"]\n[Round "${1 + (i % 9)}"]\n[White "${white}, ${String.fromCharCode(65 + (i % 26))}"]\n[Black "${black}, ${String.fromCharCode(65 + ((i * 3) % 26))}"]\n[Result "${result}"]\n[WhiteElo "${2400 + ((i * 37) % 450)}"]\n[BlackElo "${2400 + ((i * 91) % 450)}"]\n[ECO "${"ABCDE"[i % 5]}${String(i % 100).padStart(2, "0")}"]\n\n${lines[i % lines.length]} ${result}\n\n`;
  }
  return text;
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
export async function serve(folder, ...args) {
  const state = mkdtempSync(join(tmpdir(), "tabia-state-"));
  const child = spawn(program, ["serve", folder, "--port", "0", "--json", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: state, XDG_CACHE_HOME: join(state, "cache") },
  });
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  const line = await new Promise((done, fail) => {
    createInterface(child.stdout).once("line", done);
    ended.then(() => fail(new Error(errors)));
  });
  const address = JSON.parse(line);
  const key = address.url.split("#k=")[1];
  const base = `http://127.0.0.1:${address.port}`;
  return {
    ...address,
    key,
    base,
    child,
    errors: () => errors,
    api: async (path) => {
      const response = await fetch(`${base}/api/v1/${path}`, { headers: { Authorization: `Bearer ${key}` } });
      return response.json();
    },
    stop: async () => {
      child.kill("SIGINT");
      const code = await ended;
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
  if (slowness > 1) {
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  }
  const problems = [];
  page.on("console", (message) => {
    // The card of the unreadable file: its answer is an error by design.
    if (message.location().url.endsWith("/db/nonsense.cbh")) return;
    // The picture that is dropped.
    if (message.location().url.includes("/drop/picture.png")) return;
    // An input that is being opened for another request, by design: the page asks again.
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
  await page.goto(`${server.base}/#k=${server.key}`);
  await page.waitForSelector(".shelf, .empty");
  if (path !== "/") await page.goto(`${server.base}${path}`);
  return {
    page,
    context,
    problems,
    close: async () => {
      await context.close();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  };
}
