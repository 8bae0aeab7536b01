// Firefox of the system, driven by WebDriver BiDi: what `playwright-core` does with a Firefox of its own.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const path = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

/** Milliseconds until a command has failed. */
const PATIENCE = 30_000;

/** One connection: commands with their answers, and events. */
class Connection {
  #socket;
  #next = 1;
  #waiting = new Map();

  static async open(url, onEvent) {
    const connection = new Connection();
    const socket = new WebSocket(url);
    connection.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      const waiting = connection.#waiting.get(message.id);
      if (!waiting) return onEvent(message);
      connection.#waiting.delete(message.id);
      if (message.type === "error") waiting.fail(new Error(`${waiting.method}: ${message.error}: ${message.message}`));
      else waiting.done(message.result);
    });
    await new Promise((done, fail) => {
      socket.addEventListener("open", done);
      socket.addEventListener("error", () => fail(new Error(`${url} does not answer`)));
    });
    return connection;
  }

  send(method, params = {}) {
    const id = this.#next++;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${method}: no answer`)), PATIENCE);
      const end = (call) => (value) => {
        clearTimeout(timer);
        call(value);
      };
      this.#waiting.set(id, { method, done: end(done), fail: end(fail) });
    });
  }

  close() {
    this.#socket.close();
  }
}

/** Starts the browser with one tab. */
export async function launch() {
  const profile = mkdtempSync(join(tmpdir(), "tabia-firefox-"));
  writeFileSync(
    join(profile, "user.js"),
    [
      'user_pref("app.update.enabled", false);',
      'user_pref("browser.shell.checkDefaultBrowser", false);',
      'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
      'user_pref("layout.css.prefers-color-scheme.content-override", 1);',
      'user_pref("intl.accept_languages", "en-GB, en");',
      'user_pref("toolkit.telemetry.enabled", false);',
    ].join("\n"),
  );
  const child = spawn(path, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, MOZ_CRASHREPORTER_DISABLE: "1" },
  });
  const ended = new Promise((done) => child.on("exit", done));
  const url = await new Promise((done, fail) => {
    createInterface(child.stderr).on("line", (line) => {
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line);
      if (found) done(found[1]);
    });
    ended.then((code) => fail(new Error(`${path} ended with ${code}`)));
    setTimeout(() => fail(new Error(`${path} does not start`)), 2 * PATIENCE);
  });
  const problems = [];
  const requests = [];
  const connection = await Connection.open(`${url}/session`, ({ method, params }) => {
    if (method === "log.entryAdded" && ["error", "warn"].includes(params.level)) problems.push(`${params.level}: ${params.text}`);
    if (method === "network.beforeRequestSent") requests.push(params.request.url);
  });
  await connection.send("session.new", { capabilities: {} });
  await connection.send("session.subscribe", { events: ["log.entryAdded", "network.beforeRequestSent"] });
  await connection.send("script.addPreloadScript", {
    functionDeclaration: `() => addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective + " " + event.blockedURI))`,
  });
  const { contexts } = await connection.send("browsingContext.getTree", { maxDepth: 0 });
  const { context } = contexts[0];
  const actions = (sources) => connection.send("input.performActions", { context, actions: sources });
  return {
    name: "firefox",
    problems,
    requests,
    goto: (url) => connection.send("browsingContext.navigate", { context, url, wait: "complete" }),
    /** Runs a function in the page; what it returns has to be JSON. */
    evaluate: async (run, ...given) => {
      const expression = `(async () => JSON.stringify(await (${run})(...${JSON.stringify(given)})))()`;
      const found = await connection.send("script.evaluate", { expression, target: { context }, awaitPromise: true });
      if (found.type === "exception") throw new Error(found.exceptionDetails.text);
      return found.result.value === undefined ? undefined : JSON.parse(found.result.value);
    },
    resize: (width, height) => connection.send("browsingContext.setViewport", { context, viewport: { width, height } }),
    press: (key) => {
      const down = [...key.modifiers, key.value].map((value) => ({ type: "keyDown", value }));
      const up = down.map(({ value }) => ({ type: "keyUp", value })).reverse();
      return actions([{ type: "key", id: "keyboard", actions: [...down, ...up] }]);
    },
    pointer: (kind, x, y) =>
      actions([
        {
          type: "pointer",
          id: kind,
          parameters: { pointerType: kind },
          actions: [{ type: "pointerMove", x, y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }],
        },
      ]),
    wheel: (x, y, deltaY) => actions([{ type: "wheel", id: "wheel", actions: [{ type: "scroll", x, y, deltaX: 0, deltaY }] }]),
    screenshot: async (file) => {
      const { data } = await connection.send("browsingContext.captureScreenshot", { context, origin: "viewport" });
      writeFileSync(file, Buffer.from(data, "base64"));
    },
    close: async () => {
      await connection.send("browser.close").catch(() => undefined);
      connection.close();
      const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(timer);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
