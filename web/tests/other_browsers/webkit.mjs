// WebKit of the system (Debian's `webkit2gtk-driver`), driven by WebDriver. It needs a display, as that of `xvfb-run`.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

export const path = process.env.WEBKIT_DRIVER ?? "/usr/bin/WebKitWebDriver";
const browser = process.env.WEBKIT_BROWSER ?? "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const port = 20_000 + (process.pid % 20_000);

async function send(method, command, body) {
  const answer = await fetch(`http://127.0.0.1:${port}${command}`, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${command}: ${value?.error}: ${value?.message}`);
  return value;
}

/** Starts the browser with one tab. */
export async function launch() {
  const problems = [];
  const child = spawn(path, [`--port=${port}`], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" } });
  const read = (data) => {
    // The browser writes the messages of the console there.
    for (const line of String(data).split("\n")) if (/^CONSOLE .*\b(ERROR|WARN)/.test(line)) problems.push(line);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const ended = new Promise((done) => child.on("exit", done));
  const capabilities = {
    alwaysMatch: { "webkitgtk:browserOptions": { binary: browser, args: ["--automation", "--enable-write-console-messages-to-stdout=true"] } },
  };
  let session;
  for (let tries = 0; session === undefined; tries++) {
    session = await send("POST", "/session", { capabilities }).catch((error) => {
      if (tries > 100 || !/fetch failed/.test(error.message)) throw error;
      return new Promise((done) => setTimeout(done, 100));
    });
  }
  const at = `/session/${session.sessionId}`;
  const actions = (sources) => send("POST", `${at}/actions`, { actions: sources });
  await send("POST", `${at}/timeouts`, { script: 30_000, pageLoad: 30_000 });
  return {
    name: "webkit",
    problems,
    requests: [],
    goto: (url) => send("POST", `${at}/url`, { url }),
    evaluate: async (run, ...given) => {
      const script = `const done = arguments[arguments.length - 1]; (async () => JSON.stringify(await (${run})(...${JSON.stringify(given)})))().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const { value, error } = await send("POST", `${at}/execute/async`, { script, args: [] });
      if (error) throw new Error(error);
      return value === undefined || value === null ? undefined : JSON.parse(value);
    },
    resize: async (width, height) => {
      const rect = await send("GET", `${at}/window/rect`);
      const inner = await send("POST", `${at}/execute/sync`, { script: "return [innerWidth, innerHeight]", args: [] });
      await send("POST", `${at}/window/rect`, { x: 0, y: 0, width: width + rect.width - inner[0], height: height + rect.height - inner[1] });
    },
    press: (key) => {
      const down = [...key.modifiers, key.value].map((value) => ({ type: "keyDown", value }));
      const up = down.map(({ value }) => ({ type: "keyUp", value })).reverse();
      return actions([{ type: "key", id: "keyboard", actions: [...down, ...up] }]);
    },
    // It has no touch.
    pointer: (kind, x, y) =>
      actions([
        {
          type: "pointer",
          id: "mouse",
          parameters: { pointerType: "mouse" },
          actions: [{ type: "pointerMove", x: Math.round(x), y: Math.round(y) }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }],
        },
      ]),
    wheel: (x, y, deltaY) => actions([{ type: "wheel", id: "wheel", actions: [{ type: "scroll", x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY }] }]),
    screenshot: async (file) => writeFileSync(file, Buffer.from(await send("GET", `${at}/screenshot`), "base64")),
    close: async () => {
      await send("DELETE", at).catch(() => undefined);
      child.kill();
      await ended;
    },
  };
}
