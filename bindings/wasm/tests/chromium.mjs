// node tests/chromium.mjs: a database that is dropped on a page is opened there and in a worker.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import test from "node:test";

const folder = join(import.meta.dirname, "..");
const browser = process.env.CHROMIUM ?? "/usr/bin/chromium";
const types = { ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

const page = `<!doctype html><meta charset="utf-8"><script type="module" src="/page.mjs"></script>`;

// The events of a drop are those of a user; only the file comes from the server instead of the desktop.
const script = `
import { open } from "/tabia.mjs";

const answer = (body) => fetch("/answer", { method: "POST", body: JSON.stringify(body) });

async function opened(files) {
  const database = await open(files);
  const result = { length: database.length, header: database.headers(2, 1)[0], pgn: database.pgn(2), game: database.game(2) };
  database.close();
  return result;
}

const inWorker = (files) => new Promise((resolve, reject) => {
  const worker = new Worker("/worker.mjs", { type: "module" });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => reject(new Error(event.message));
  worker.postMessage(files);
});

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const files = [...event.dataTransfer.files];
  try {
    answer({ page: await opened(files), worker: await inWorker(files) });
  } catch (error) {
    answer({ error: String(error) });
  }
});

const bytes = await (await fetch("/tabia.cbv")).arrayBuffer();
const dataTransfer = new DataTransfer();
dataTransfer.items.add(new File([bytes], "tabia.cbv"));
document.documentElement.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
`;

const worker = `
import { open } from "/tabia.mjs";

onmessage = async ({ data: files }) => {
  const sizes = [];
  const { slice } = Blob.prototype;
  Blob.prototype.slice = function (start, end) {
    sizes.push(end - start);
    return slice.call(this, start, end);
  };
  Blob.prototype.arrayBuffer = () => Promise.reject(new Error("read as a whole"));
  try {
    const database = await open(files);
    postMessage({ length: database.length, header: database.headers(2, 1)[0], pgn: database.pgn(2), game: database.game(2), reads: sizes.length });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
`;

const files = {
  "/": [page, ".html"],
  "/page.mjs": [script, ".mjs"],
  "/worker.mjs": [worker, ".mjs"],
  "/tabia.mjs": [readFileSync(join(folder, "tabia.mjs")), ".mjs"],
  "/tabia.wasm": [readFileSync(join(folder, "tabia.wasm")), ".wasm"],
  "/tabia.cbv": [readFileSync(join(folder, "../../samples/tabia.cbv")), extname("tabia.cbv")],
};

/** What the page answers under a content security policy. */
async function answerUnder(policy) {
  let answered;
  const answer = new Promise((resolve) => {
    answered = resolve;
  });
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      let body = "";
      request.on("data", (part) => {
        body += part;
      });
      request.on("end", () => {
        response.end();
        answered(JSON.parse(body));
      });
      return;
    }
    const file = files[request.url];
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    const type = types[file[1]] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-security-policy": policy }).end(file[0]);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = mkdtempSync(join(tmpdir(), "tabia-chromium-"));
  const address = `http://127.0.0.1:${server.address().port}/`;
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
  const chromium = spawn(browser, [...options, `--user-data-dir=${profile}`, "--remote-debugging-port=0", address], {
    stdio: "ignore",
    detached: true,
  });
  const ended = new Promise((resolve) => chromium.on("exit", resolve));
  try {
    return await Promise.race([answer, ended.then(() => assert.fail("the browser has ended"))]);
  } finally {
    // Its processes as a group: those that outlive the first one write to the profile.
    try {
      process.kill(-chromium.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
    await ended;
    server.closeAllConnections();
    server.close();
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch (error) {
      // What the browser left is not what is tested.
      console.error(`${profile} is not removed: ${error.message}`);
    }
  }
}

test("a dropped CBV is opened on the page and in ranges in a worker", { timeout: 300_000 }, async () => {
  const { error, page: shown, worker: ranged } = await answerUnder("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
  assert.equal(error, undefined);
  assert.equal(shown.length, 9);
  assert.equal(shown.header.white, "Morphy, Paul");
  assert.match(shown.pgn, /\[White "Morphy, Paul"\]/);
  assert.equal(shown.game.tags.White, "Morphy, Paul");
  assert.equal(shown.game.moves.at(-1).san, "Rd8#");
  const { reads, ...same } = ranged;
  assert.deepEqual(same, shown);
  assert.ok(reads > 0);
});

test("without 'wasm-unsafe-eval' the policy refuses it", { timeout: 300_000 }, async () => {
  const { error } = await answerUnder("default-src 'self'; script-src 'self'");
  assert.match(error, /CompileError/);
});
