// A walk through the ten views in browsers other than Chromium, which fails on any message of the console, report of the
// content security policy, or request to another origin. A browser that is not installed is skipped, and stated.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, makeShelf, pictures, run, serve } from "../browser/harness.mjs";
import * as firefox from "./firefox.mjs";
import * as webkit from "./webkit.mjs";

// The keys of WebDriver.
const KEYS = { Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004", ArrowLeft: "\uE012", ArrowUp: "\uE013", ArrowRight: "\uE014", ArrowDown: "\uE015", End: "\uE010", Home: "\uE011", Shift: "\uE008", Control: "\uE009" };

const shelf = makeShelf();
let server;
before(async () => {
  run("book", "build", shelf.path("league.pgn"), "-o", shelf.path("league.bin"), "--force");
  server = await serve(shelf.folder);
});
after(async () => {
  assert.equal(await server?.stop(), 0);
  shelf.remove();
});

/** What the walk does with a tab. */
function handsOf(tab) {
  const press = (...names) => {
    const keys = names.map((name) => KEYS[name] ?? name);
    return tab.press({ modifiers: keys.slice(0, -1), value: keys[keys.length - 1] });
  };
  /** The text of the elements, as soon as there are any. */
  const texts = (selector) => tab.evaluate((s) => [...document.querySelectorAll(s)].filter((e) => e.getClientRects().length > 0).map((e) => e.textContent), selector);
  const seen = (selector, pattern = /(?:)/, limit = 20_000) =>
    eventually(async () => {
      const found = await texts(selector);
      assert.ok(found.some((text) => pattern.test(text)), `${tab.name}: ${selector} ${pattern} in ${JSON.stringify(found).slice(0, 400)}`);
    }, limit);
  /** The middle of an element that is shown, scrolled to. */
  const middle = (selector, text = "") =>
    eventually(async () => {
      const found = await tab.evaluate((s, wanted) => {
        const element = [...document.querySelectorAll(s)].find((e) => e.getClientRects().length > 0 && e.textContent.includes(wanted));
        if (!element) return null;
        element.scrollIntoView({ block: "nearest" });
        const { left, top, width, height } = element.getBoundingClientRect();
        return [left + width / 2, top + height / 2];
      }, selector, text);
      assert.ok(found, `${tab.name}: no ${selector} ${text}`);
      return found;
    });
  const click = async (selector, text, kind = "mouse") => tab.pointer(kind, ...(await middle(selector, text)));
  const wheel = async (selector, delta) => tab.wheel(...(await middle(selector)), delta);
  const show = async (path) => {
    await tab.goto(`${server.base}${path}`);
  };
  const type = async (text) => {
    for (const c of text) await press(c);
  };
  const attribute = (selector, name) => tab.evaluate((s, n) => document.querySelector(s)?.getAttribute(n) ?? null, selector, name);
  /** Nothing is wider than the window, which does not scroll itself. */
  const fits = async () => {
    const found = await tab.evaluate(() => {
      const { scrollWidth, scrollHeight, clientWidth } = document.documentElement;
      return { scrollWidth, scrollHeight, clientWidth, innerWidth, innerHeight, href: location.href };
    });
    const isRight = found.scrollWidth <= found.innerWidth && found.scrollHeight <= found.innerHeight && found.clientWidth === found.innerWidth;
    assert.ok(isRight, `${tab.name}: ${JSON.stringify(found)}`);
  };
  return { press, texts, seen, click, wheel, show, type, attribute, fits };
}

/** Each view: its address, and what is seen when it is there. */
const VIEWS = [
  ["shelf", "/", ".card h3", /league\.pgn/],
  ["games", "/games?db=league.pgn", ".layer .row", /Anand/],
  ["game", "/db/games.pgn/game/1?ply=5", ".notation .move", /Nf6|♘f6|♞f6|f6/],
  ["explorer", "/explorer?src=league.pgn,league.ctg", ".explorer-table tbody th", /e4/],
  ["player", "/player/Carlsen,%20B?db=league.pgn", "main h1, main h2", /Carlsen/],
  ["positions", "/search?db=league.pgn&q=sub%3A8%2F8%2F8%2F8%2F8%2F8%2F8%2F4K3%20ply%3A2", "main table td", /1980|1-0|½/],
  ["book", "/book/league.ctg", "main table th", /e4/],
  ["duplicates", "/duplicates?db=twice.pgn", "main", /Londres/],
  ["health", "/health?db=games.pgn", "main table", /./],
  ["convert", "/convert?db=games.pgn&to=si3", "main table", /./],
];

/** Why a browser is not walked through; false if it is. */
function whySkipped(browser) {
  if (!existsSync(browser.path)) return `${browser.path} is not installed`;
  const hasDisplay = process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  return browser === webkit && !hasDisplay && "there is no display: try xvfb-run";
}

for (const browser of [firefox, webkit]) {
  const name = browser === firefox ? "firefox" : "webkit";
  describe(name, { skip: whySkipped(browser) }, () => {
    let tab;
    let hands;
    before(async () => {
      tab = await browser.launch();
      hands = handsOf(tab);
      await tab.resize(1280, 800);
      await tab.goto(`${server.base}/#k=${server.key}`);
      await hands.seen(".card h3", /league\.pgn/);
    });
    after(async () => {
      await tab?.close();
      const foreign = (tab?.requests ?? []).filter((url) => !url.startsWith(server.base) && !/^(?:data|blob|about):/.test(url));
      assert.deepEqual(foreign, []);
    });
    /** A step of the walk; what the browser reports meanwhile fails it. */
    const step = (title, run) =>
      test(title, async () => {
        tab.problems.length = 0;
        await run(hands);
        assert.deepEqual(tab.problems.filter((text) => !/503/.test(text)), []);
      });

    step("the list scrolls by wheel and keys, sorts, and is searched", async ({ show, seen, wheel, press, click, type, texts }) => {
      await show("/games?db=league.pgn");
      await seen(".layer .row", /Anand/);
      await wheel(".layer .row", 2400);
      await seen(".layer .row", /^(?:9\d|1\d\d)/);
      await wheel(".layer .row", -9000);
      await seen(".layer .row", /^1\D/);
      await tab.evaluate(() => document.querySelector('[role="grid"]').focus());
      await press("End");
      await seen(".layer .row", /3,?000/);
      // Anywhere in the header of the column.
      await click(".header .c-date");
      await eventually(async () => assert.match(await tab.evaluate(() => location.search), /sort=-?date/));
      await click("#search");
      await type("result:1-0");
      await press("Escape");
      await click(".search button[type=submit]");
      await seen(".found", /of 3,000/);
      assert.ok((await texts(".layer .row")).length > 5);
    });

    step("a game opens with Enter, and its moves are played with the keys", async ({ show, seen, texts, press, attribute, click, wheel }) => {
      await show("/games?db=league.pgn");
      await seen(".layer .row", /Anand/);
      await tab.evaluate(() => document.querySelector('[role="grid"]').focus());
      await press("ArrowDown");
      await press("Enter");
      await seen(".notation .move");
      await press("ArrowRight");
      await seen(".notation [aria-current]", /\S/);
      await seen("#live", /\S/);
      await press("f");
      await eventually(async () => assert.match(await tab.evaluate(() => location.search), /flip=1/));
      await press("End");
      await seen(".notation [aria-current]", /\S/);
      await press("Home");
      await eventually(async () => assert.deepEqual(await texts(".notation [aria-current]"), []));
      // A turn of the wheel while the page is still busy is none.
      await eventually(async () => {
        await wheel(".squares", 100);
        assert.equal((await texts(".notation [aria-current]")).length, 1);
      });
      // A move by two clicks.
      await show("/db/games.pgn/game/1");
      await eventually(async () => assert.equal(await attribute(".squares", "aria-readonly"), "false"));
      await click('[data-square="d2"]');
      await click('[data-square="d4"]');
      await seen(".trial", /d4/);
      // The same with the keyboard: the board is one stop, and its cells are reached with the arrows.
      await press("Escape");
      await show("/db/games.pgn/game/1");
      await eventually(async () => assert.equal(await attribute(".squares", "aria-readonly"), "false"));
      await tab.evaluate(() => document.querySelector('.squares [tabindex="0"]').focus());
      for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) await press(key);
      await eventually(async () => assert.match(await tab.evaluate(() => document.activeElement.getAttribute("aria-label") ?? ""), /^[a-h][1-8]/));
      await press("x");
      await seen("main", /White|king/);
    });

    step("the explorer follows its moves, and the position search finds what is put on its board", async ({ show, seen, click }) => {
      await show("/explorer?src=league.pgn,league.ctg");
      await seen(".explorer-table tbody th", /e4/);
      await click(".move-button", "e4");
      await seen(".line", /e4/);
      await seen(".explorer-table tbody th", /c5/);
      await show("/search?db=league.pgn");
      await click(".tools button:nth-child(6)");
      await click(".edit-board button:nth-child(37)");
      await eventually(async () => assert.match(await tab.evaluate(() => document.querySelector("#position-query").value), /sub:/));
      await click('.ask button[type="submit"]');
      await seen(".hits tbody tr", /./);
    });

    step("duplicates are decided with a key", async ({ show, seen, press }) => {
      await show("/duplicates?db=twice.pgn");
      await seen("main", /Londres/);
      await press("1");
      await eventually(async () => assert.ok((await tab.evaluate(() => document.querySelectorAll('main [aria-pressed="true"]').length)) > 0));
      await press("u");
    });

    for (const [theme, width, height] of [["light", 1280, 800], ["dark", 1280, 800], ["dark", 390, 844]]) {
      step(`the ten views fit the window, ${theme}, ${width} pixels`, async ({ show, seen, fits, attribute, press, click }) => {
        await tab.resize(width, height);
        await show("/");
        await seen(".card h3", /league\.pgn/);
        const isDark = () => tab.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0]) < 128);
        if ((await isDark()) !== (theme === "dark")) await press("d");
        await eventually(async () => assert.equal(await isDark(), theme === "dark"));
        for (const [view, path, selector, pattern] of VIEWS) {
          await show(path);
          await seen(selector, pattern);
          await fits();
          await tab.screenshot(join(pictures, `${name}-${view}-${theme}-${width}.png`));
        }
        if (width > 400) return;
        // With a finger.
        await show("/games?db=league.pgn");
        await seen(".layer .row", /Anand/);
        await click(".layer .row", "Anand", "touch");
        await seen(".notation .move");
        await click('.controls button:nth-child(4)', "", "touch");
        await seen(".notation [aria-current]", /\S/);
        await show("/db/games.pgn/game/1");
        await eventually(async () => assert.equal(await attribute(".squares", "aria-readonly"), "false"));
        await click('[data-square="d2"]', "", "touch");
        await click('[data-square="d4"]', "", "touch");
        await seen(".trial", /d4/);
      });
    }
  });
}
