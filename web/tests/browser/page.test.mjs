// Every view in both themes, with the keyboard, on a phone and in other languages; and the pictures of the guide.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, guide, makeLibrary, open, pictures, serveIn } from "./harness.mjs";
import { axeFindsNothing, browser, currentMove, moves, piece, rows, scenario, server, shelf } from "./scenarios.mjs";

describe("page", () => {
  const views = {
    shelf: "/",
    games: "/games?db=league.pgn",
    game: "/db/games.pgn/game/1?ply=3",
    explorer: "/explorer?src=league.ctg,league.bin,league.pgn",
    check: "/health?db=games.pgn",
    player: "/player/Carlsen,%20B?db=league.pgn",
    positions: "/search?db=league.pgn&q=sub%3A8%2F8%2F8%2F1B6%2F8%2F8%2F8%2F8",
    duplicates: "/duplicates?db=twice.pgn",
    convert: "/convert?db=games.pgn&to=si3",
    book: "/book/league.ctg?play=e2e4",
  };
  const ready = { shelf: ".card a", games: ".layer .row", game: ".notation .move", explorer: ".explorer-table tbody tr", check: ".state.bad",
    player: ".two .data tbody tr", positions: ".hits tbody tr", duplicates: ".pair", convert: ".command", book: ".book-view .move-button" };

  for (const [name, path] of Object.entries(views)) {
    for (const colorScheme of ["light", "dark"]) {
      test(`axe finds nothing in ${name}, ${colorScheme}`, () =>
        scenario(
          path,
          async (page) => {
            await page.locator(ready[name]).first().waitFor();
            await page.waitForTimeout(400);
            await axeFindsNothing(page);
            // The window itself never scrolls: with classic scrollbars it would have a second one.
            const rest = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
            assert.ok(rest <= 0, `${rest} pixels below the window`);
          },
          { colorScheme },
        ));
    }

    test(`${name} has no sideways scroll on a phone, a small one, and a tablet`, () =>
      scenario(
        path,
        async (page) => {
          await page.locator(ready[name]).first().waitFor();
          for (const width of [390, 320, 768]) {
            await page.setViewportSize({ width, height: 844 });
            await eventually(async () => {
              const [inner, scroll] = await page.evaluate(() => [innerWidth, document.querySelector("main").scrollWidth]);
              assert.ok(inner === width && scroll <= inner, `${scroll} in ${inner}`);
            }, 5000);
            if (width === 390) await page.screenshot({ path: join(pictures, `${name}-phone.png`) });
          }
        },
        // French texts are the longest of those in Latin letters.
        { viewport: { width: 390, height: 844 }, hasTouch: true, locale: "fr-FR" },
      ));

    test(`${name} in German has no English left`, () =>
      scenario(
        path,
        async (page) => {
          await page.locator(ready[name]).first().waitFor();
          await eventually(async () => assert.equal(await page.locator("html").getAttribute("lang"), "de"));
          await eventually(async () => assert.match(await page.locator(".top").innerHTML(), /Regal.*Einstellungen/s));
          await eventually(async () => assert.ok(!/\b(Settings|Games|Loading|Moves|Result|Score|Choose|Database)\b/.test(await page.locator("main").innerText())));
        },
        { locale: "de-DE" },
      ));
  }

  test("the languages have the same keys and values", () => {
    const folder = join(import.meta.dirname, "../../src/lang");
    const read = (file) => JSON.parse(readFileSync(join(folder, file), "utf8"));
    const english = read("en.json");
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
      const words = read(file);
      assert.deepEqual(Object.keys(words), Object.keys(english), file);
      for (const [key, value] of Object.entries(words)) {
        // The number of plural forms differs.
        const names = (text) => [...new Set(text.match(/\{\w+\}/g))].sort();
        assert.deepEqual(names(value), names(english[key]), `${file}: ${key}`);
      }
    }
  });

  test("settings change theme, board, pieces and language at once", () =>
    scenario("/db/games.pgn/game/1", async (page) => {
      await moves(page).first().waitFor();
      await page.getByRole("button", { name: "Settings" }).click();
      const select = (index) => page.locator("dialog select").nth(index);
      await select(1).selectOption("dark");
      await eventually(async () => assert.equal(await page.locator("html").getAttribute("data-theme"), "dark"));
      await select(2).selectOption("blue");
      await eventually(async () => assert.equal(await page.locator("html").getAttribute("data-colors"), "blue"));
      await select(4).selectOption("english");
      await page.locator(".notation .move", { hasText: "Nf3" }).first().waitFor();
      await select(0).selectOption("ru");
      await page.locator(".top", { hasText: "Полка" }).waitFor();
    }));

  test("pieces are drawn in three ways, and the choice is kept", () =>
    scenario("/db/games.pgn/game/1", async (page) => {
      const outline = () => page.locator("#piece-wN .body").getAttribute("d");
      const fill = () => page.locator("#piece-bN .body").evaluate((path) => getComputedStyle(path).fill);
      await moves(page).first().waitFor();
      const classic = await eventually(async () => {
        const path = await outline();
        assert.ok(path);
        return path;
      });
      await page.getByRole("button", { name: "Settings" }).click();
      const choose = (name) => page.locator("dialog select").nth(3).selectOption(name);
      await choose("angular");
      await eventually(async () => assert.notEqual(await outline(), classic));
      const angular = await outline();
      assert.ok(angular.length > 50, angular);
      const soft = await fill();
      await choose("contrast");
      await eventually(async () => assert.equal(await fill(), "rgb(0, 0, 0)"));
      assert.notEqual(soft, "rgb(0, 0, 0)");
      await page.reload();
      await moves(page).first().waitFor();
      await eventually(async () => assert.equal(await outline(), angular));
      await page.screenshot({ path: join(pictures, "test-contrast.png") });
      await page.getByRole("button", { name: "Settings" }).click();
      await choose("classic");
      await eventually(async () => assert.equal(await outline(), classic));
    }));

  test("help opens by key and closes by Escape", () =>
    scenario("/", async (page) => {
      await page.locator(".card").first().waitFor();
      await page.keyboard.press("?");
      await page.locator("dialog kbd").first().waitFor();
      await page.screenshot({ path: join(pictures, "help.png") });
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector("dialog") === null);
    }));

  test("single letters can be turned off", () =>
    scenario("/db/games.pgn/game/1", async (page) => {
      await moves(page).first().waitFor();
      await page.getByRole("button", { name: "Settings" }).click();
      await page.locator("dialog input[type=checkbox]").uncheck();
      await page.keyboard.press("Escape");
      await page.keyboard.press("f");
      await page.waitForTimeout(150);
      await eventually(async () => assert.equal(await page.locator(".squares [role=gridcell]").first().getAttribute("data-square"), "a8"));
    }));

  test("with the keyboard alone: find a game, read it to its end, copy its FEN", () =>
    scenario("/", async (page) => {
      await page.locator(".card h3 a", { hasText: "league.pgn" }).first().waitFor();
      const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
      for (let i = 0; i < 200 && (await focused()) !== "league.pgn"; i++) await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await rows(page).first().waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("white:carlsen black:anand");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => /of 3,000/.test(document.querySelector(".found")?.textContent ?? ""));
      await rows(page).first().waitFor();
      for (let i = 0; i < 60; i++) {
        if (await page.evaluate(() => document.activeElement?.classList.contains("list"))) break;
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await moves(page).first().waitFor();
      const count = await moves(page).count();
      for (let i = 0; i < count; i++) await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.equal(await currentMove(page).textContent(), await moves(page).last().textContent()));
      await page.keyboard.press("c");
      await page.waitForFunction(async () => /^[\w/]+ [wb] /.test(await navigator.clipboard.readText()));
    }));

  test("the board is read cell by cell", () =>
    scenario("/db/games.pgn/game/1", async (page) => {
      await moves(page).first().waitFor();
      await page.locator('.squares [tabindex="0"]').focus();
      const label = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
      await eventually(async () => assert.equal(await label(), "e1, white king"));
      await page.keyboard.press("ArrowUp");
      await eventually(async () => assert.equal(await label(), "e2, white pawn"));
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      await eventually(async () => assert.equal(await label(), "e4, empty"));
    }));

  test("moves are spoken once, in words", () =>
    scenario("/db/games.pgn/game/1?ply=3", async (page) => {
      await currentMove(page).waitFor();
      await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.equal(await page.locator("#live").textContent(), "2… knight c6"));
    }));

  const everyView = ["/", "/games?db=league.pgn", "/db/league.pgn/game/1", "/explorer?src=league.bin", "/book/league.bin", "/player/Anand,%20A?db=league.pgn", "/search?db=league.pgn", "/duplicates?db=twice.pgn", "/health?db=league.pgn", "/convert?db=league.pgn"];

  test("every view has the search, the theme and the help in its top bar", async () => {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
      for (const path of everyView) {
        await scenario(
          path,
          async (page) => {
            await page.locator("main section").first().waitFor();
            const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
            await page.getByRole("button", { name: "Light or dark" }).click();
            await eventually(async () => assert.equal(await theme(), "dark"));
            await page.getByRole("button", { name: "Light or dark" }).click();
            await eventually(async () => assert.equal(await theme(), "light"));
            await page.keyboard.press("/");
            await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.id), "search", path));
            const box = await page.locator("#search").boundingBox();
            assert.ok(box.width >= 200 && box.x >= 0 && box.x + box.width <= viewport.width, `${path}: ${JSON.stringify(box)}`);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), path);
            await page.keyboard.press("Escape");
            await page.getByRole("button", { name: "Help" }).click();
            await page.locator("dialog[open] kbd").first().waitFor();
          },
          { viewport },
        );
      }
    }
  });

  test("a search from another view goes through all databases, and one from the list stays in its databases", () =>
    scenario("/explorer?src=league.bin", async (page) => {
      await page.locator(".explorer-table").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("anan");
      // Names of all databases.
      await page.locator("[role=option]", { hasText: "Anand, A" }).waitFor();
      await page.locator("#search").fill("black:short");
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === "/games" && url.searchParams.get("q") === "black:short");
      const databases = new URL(page.url()).searchParams.get("db").split(",");
      for (const name of ["league.pgn", "twice.pgn", "packed.pgn.gz"]) assert.ok(databases.includes(name), String(databases));
      assert.ok(!databases.some((name) => /nonsense|\.bin|\.zip$/.test(name)), String(databases));
      await rows(page).first().waitFor();
      assert.equal(await page.locator("#search").inputValue(), "black:short");
      await page.goto(`${server.base}/games?db=twice.pgn`);
      await rows(page).first().waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("black:short");
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("db") === "twice.pgn" && url.searchParams.get("q") === "black:short");
    }));
});

describe("pictures of the guide", () => {
  let library;
  let tidy;
  before(async () => {
    library = makeLibrary();
    tidy = await serveIn(library.parent, "Chess");
  });
  after(async () => {
    assert.equal(await tidy?.stop(), 0);
    library?.remove();
  });
  const q = encodeURIComponent;
  // The address, what shows that the view is complete, and how often it has to be there.
  const views = {
    shelf: ["/", ".card .sub:not(.file)", 4],
    games: ["/games?db=masters.si5&at=9", ".preview .line", 1],
    game: ["/db/tabia.cbh/game/2?ply=31", ".notation .move", 33],
    explorer: ["/explorer?src=masters.si5,masters.ctg,masters.bin&play=e2e4,c7c5", ".top-games tbody tr", 15],
    player: [`/player/${q("Carlsen, Magnus")}?db=masters.si5`, ".two .data tbody tr", 12],
    positions: [`/search?db=masters.si5&q=${q("sub:8/8/8/8/2B1P3/5N2/8/8 ply:..12")}`, ".hits tbody tr", 12],
    duplicates: ["/duplicates?db=twice.pgn", ".pair", 1],
    convert: ["/convert?db=tabia.cbh&to=si5", ".data tbody tr", 3],
    book: ["/book/masters.ctg?play=e2e4", ".book-view .move-button", 4],
    check: ["/health?db=tabia.cbh", ".counts > div", 6],
  };
  for (const [name, [path, selector, count]] of Object.entries(views)) {
    for (const [kind, options] of [
      ["", {}],
      ["-dark", { colorScheme: "dark" }],
      ["-phone", { viewport: { width: 390, height: 844 }, hasTouch: true }],
      ["-phone-dark", { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" }],
    ]) {
      test(`${name}${kind}`, async () => {
        const view = await open(browser, tidy, path, options);
        try {
          const { page } = view;
          await page.locator(selector).nth(count - 1).waitFor({ state: "attached" });
          if (name === "player") await page.locator(".line-tree summary").first().click();
          await page.waitForFunction(() => !document.querySelector(".skeleton:not([hidden]), .spinner"));
          // Fonts, pictures and the last frame.
          await page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))));
          const to = kind === "" ? join(guide, `${name}.png`) : join(pictures, `guide-${name}${kind}.png`);
          await page.screenshot({ path: to });
        } finally {
          await view.close();
        }
      });
    }
  }
});
