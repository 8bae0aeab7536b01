// The page in a real browser. Every scenario fails on a message of the console, a report of the content security
// policy, a dialog, or a request to another origin.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createRequire } from "node:module";
import { eventually, guide, hostile, launch, makeLibrary, makeShelf, open, pictures, run, serve, serveIn } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let shelf;
let server;
let browser;

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
async function scenario(path, run, options) {
  const view = await open(browser, server, path, options);
  try {
    await run(view.page, view);
  } finally {
    await view.close();
  }
}

/** Runs a scenario with a server of its own. */
async function onServer(input, path, run, { serverOptions = [], ...options } = {}) {
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

const moves = (page) => page.locator(".notation .move");
const currentMove = (page) => page.locator(".notation [aria-current]");
const rows = (page) => page.locator(".layer .row:not([hidden])");
/** Waits until the server has answered with the legal moves of the position. */
const canMove = (page) => page.locator('.squares[aria-readonly="false"]').waitFor();
const piece = (page, square) => page.locator(`[data-square="${square}"]`).first().getAttribute("data-piece");

/** Runs axe with the rules of WCAG 2.2 AA. */
async function axeFindsNothing(page) {
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

describe("shelf", () => {
  test("shows every input with its numbers", () =>
    scenario("/", async (page) => {
      await page.waitForFunction(() => ![...document.querySelectorAll(".count")].some((e) => e.textContent === "…"));
      await eventually(async () => {
        const names = await page.locator(".card h3").allTextContents();
        for (const name of ["games.pgn", "league.pgn", "all.zip", "packed.pgn.gz", "nonsense.cbh", ...shelf.made.games]) {
          assert.ok(names.includes(name), `${name} in ${names}`);
        }
      });
      await eventually(async () => assert.match(await page.locator(".total").textContent(), /3,000|9,0\d\d/));
      await page.screenshot({ path: join(pictures, "test-shelf.png") });
    }));

  test("the totals are marked as long as inputs are opened", async () => {
    const view = await open(browser, server);
    try {
      const { page } = view;
      let answer;
      const held = new Promise((done) => {
        answer = done;
      });
      await page.route("**/api/v1/db/league.pgn", async (route) => {
        await held;
        await route.continue();
      });
      await page.reload();
      await eventually(async () => assert.match(await page.locator(".total").textContent(), /games so far; still to be opened: [1-9]/));
      answer();
      await eventually(async () => assert.doesNotMatch(await page.locator(".total").textContent(), /so far/));
    } finally {
      await view.close();
    }
  });

  test("a card shows the share of annotated games and the path of its file, and the order is kept", () =>
    scenario("/", async (page) => {
      const card = page.locator(".card", { hasText: "games-si4.si4" });
      await card.filter({ hasText: /\d+ % annotated|\d+% annotated/ }).waitFor();
      await card.locator(".more summary").click();
      await eventually(async () => assert.equal(await card.locator(".path bdi").textContent(), shelf.path("games-si4.si4")));
      await card.getByRole("button", { name: "Copy the path" }).click();
      await page.waitForFunction(async () => (await navigator.clipboard.readText()).endsWith("games-si4.si4"));
      await axeFindsNothing(page);
      await page.locator(".bar-line select").selectOption("games");
      await page.reload();
      await eventually(async () => assert.equal(await page.locator(".bar-line select").inputValue(), "games"));
    }));

  test("an input that cannot be opened states why", () =>
    scenario("/", async (page) => {
      const card = page.locator(".card.failed", { hasText: "nonsense.cbh" });
      await card.waitFor();
      await eventually(async () => assert.match(await card.textContent(), /19 bytes/));
    }));

  test("a problem is stated in the language of the page", async () => {
    const view = await open(browser, server);
    try {
      await view.page.evaluate(() => localStorage.setItem("tabia.settings", JSON.stringify({ language: "de" })));
      await view.page.goto(`${server.base}/db/league.pgn/game/99999`);
      await eventually(async () => assert.equal(await view.page.locator(".error").innerText(), "Es gibt keine Partie 99999; die letzte ist 3000."));
    } finally {
      view.problems.splice(0);
      await view.close();
    }
  });

  test("an archive is opened with its password, which is in no address", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tabia-password-"));
    try {
      cpSync(shelf.path("twice.pgn"), join(folder, "twice.pgn"));
      run("archive", "create", join(folder, "secret.cbz"), join(folder, "twice.pgn"), "--password", "geheim");
      await onServer(join(folder, "secret.cbz"), "/", async (page, view) => {
        const addresses = [];
        page.on("request", (request) => addresses.push(request.url()));
        const field = page.getByLabel("Password");
        await field.fill("falsch");
        await page.getByRole("button", { name: "Open", exact: true }).click();
        await page.locator(".password .error", { hasText: "password is missing or wrong" }).waitFor();
        assert.equal(await field.inputValue(), "");
        await axeFindsNothing(page);
        await field.fill("geheim");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "twice.pgn" }).waitFor();
        await page.locator(".count", { hasText: "2 games" }).waitFor();
        assert.equal(await field.count(), 0);
        assert.ok(addresses.length > 0 && addresses.every((address) => !/geheim|falsch/.test(address)), String(addresses));
        // The answer to the wrong password.
        view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 422/.test(note)));
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("orders by size", () =>
    scenario("/", async (page) => {
      await page.waitForFunction(() => ![...document.querySelectorAll(".count")].some((e) => e.textContent === "…"));
      await page.selectOption(".bar-line select", "games");
      await page.waitForFunction(() => document.querySelector(".card h3")?.textContent !== "games-cbh.cbh");
      await eventually(async () => {
        const first = await page.locator(".card h3").first().textContent();
        assert.ok(["league.pgn", "packed.pgn.gz"].includes(first), first);
      });
    }));

  test("a filter finds files by name and format; it is in the address", () =>
    scenario("/", async (page) => {
      const names = () => page.locator(".card h3").allTextContents();
      const all = (await eventually(async () => {
        const found = await names();
        assert.ok(found.length > 10, String(found));
        return found;
      })).length;
      await page.locator("#shelf-filter").pressSequentially("LEAGUE poly");
      // A word of the name and one of name or format.
      await eventually(async () => assert.deepEqual(await names(), ["league.bin"]));
      assert.equal(await page.locator("search [role=status]").textContent(), `1 of ${all}`);
      await page.waitForURL(/\?q=LEAGUE\+poly$/);
      await axeFindsNothing(page);
      await page.reload();
      await eventually(async () => assert.deepEqual(await names(), ["league.bin"]));
      assert.equal(await page.locator("#shelf-filter").inputValue(), "LEAGUE poly");
      await page.locator("#shelf-filter").fill("SCID games");
      await eventually(async () => assert.ok((await names()).every((name) => /^games-s[ci]/.test(name)), String(await names())));
      await page.locator("#shelf-filter").fill("no such file");
      await page.getByText("Neither name nor format of a file contains “no such file”.").waitFor();
      await axeFindsNothing(page);
      await page.getByRole("button", { name: "Show all" }).focus();
      await page.keyboard.press("Enter");
      await eventually(async () => assert.equal((await names()).length, all));
      await page.waitForURL((url) => url.search === "");
      // Back from a view, the filter is as it was.
      await page.locator("#shelf-filter").fill("twice");
      await page.waitForURL(/q=twice/);
      await page.locator(".card h3 a").click();
      await page.locator(".layer .row").first().waitFor();
      await page.goBack();
      await eventually(async () => assert.deepEqual(await names(), ["twice.pgn"]));
    }));

  test("the members of an archive are far enough from each other for a finger", async () => {
    const file = shelf.path("two.zip");
    run("archive", "create", file, shelf.path("twice.pgn"), shelf.path("games.pgn"));
    try {
      await onServer(file, "/", async (page) => {
        await page.locator(".members a").nth(1).waitFor();
        await axeFindsNothing(page);
      });
    } finally {
      rmSync(file);
    }
  });

  test("a member of an archive opens", () =>
    scenario("/", async (page) => {
      await page.locator(".members a").first().click();
      await page.waitForSelector(".layer .row");
      await eventually(async () => assert.match(await page.locator(".found").textContent(), /3,000 games/));
    }));

  test("the key leaves the address and is kept", () =>
    scenario("/", async (page) => {
      assert.ok(!page.url().includes("k="));
      await eventually(async () => assert.match(await page.evaluate(() => localStorage.getItem("tabia.key")), /^[0-9a-f]{32}$/));
    }));
});

describe("dropped files", () => {
  /** A server over one database, so that what is dropped is on no other shelf. */
  const onShelf = (run, options) => () =>
    onServer(
      shelf.path("twice.pgn"),
      "/",
      async (page, view) => {
        page.on("filechooser", () => {});
        await page.locator(".drop-zone button").waitFor();
        await run(page, view);
      },
      options,
    );
  const chooseWithKeyboard = async (page, files) => {
    // The browser may not yet report the dialog when the key is pressed: it is pressed again.
    const chooser = await eventually(async () => {
      await page.locator(".drop-zone button").focus();
      const opened = page.waitForEvent("filechooser", { timeout: 3000 });
      const [found] = await Promise.all([opened, page.keyboard.press("Enter")]);
      return found;
    });
    await chooser.setFiles(files);
  };
  const picture = { name: "picture.png", mimeType: "image/png", buffer: Buffer.from("\x89PNG\r\n\x1a\n", "latin1") };
  const card = (page, name) => page.locator(".card", { hasText: name });

  test("the button opens a file with the keyboard", onShelf(async (page) => {
    await chooseWithKeyboard(page, shelf.path("league.pgn"));
    await eventually(async () => assert.match(await card(page, "league.pgn").textContent(), /3,000 games.*dropped here/s));
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Open files…"));
    await page.screenshot({ path: join(pictures, "drop.png") });
    await card(page, "league.pgn").locator("h3 a").click();
    await eventually(async () => assert.match(await page.locator(".found").textContent(), /3,000 games/));
    await rows(page).nth(1).click();
    await moves(page).first().waitFor();
  }));

  test("the files of a database are opened together", onShelf(async (page) => {
    const files = readdirSync(shelf.folder).filter((name) => name.startsWith("games-cbh."));
    assert.ok(files.length > 3, String(files));
    await chooseWithKeyboard(page, files.map((name) => shelf.path(name)));
    await eventually(async () => assert.match(await card(page, "games-cbh.cbh").textContent(), /6 games/));
    await eventually(async () => assert.equal(await page.locator(".drop-zone .problem").count(), 0));
  }));

  test("a file is dropped on the shelf", onShelf(async (page) => {
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['[White "Dropped"]\n\n1. e4 *\n'], "dropped.pgn"));
      return transfer;
    });
    await page.dispatchEvent(".drop-zone", "dragover", { dataTransfer: data });
    await page.locator(".drop-zone.over").waitFor();
    await page.dispatchEvent(".shelf h1", "drop", { dataTransfer: data });
    await card(page, "dropped.pgn").waitFor();
    await eventually(async () => assert.equal(await page.locator(".drop-zone.over").count(), 0));
  }));

  test("a file that cannot be opened, and one that is too large, are explained", onShelf(async (page) => {
    await chooseWithKeyboard(page, picture);
    await eventually(async () => assert.match(await page.locator(".drop-zone .problem").textContent(), /picture.png/));
    await eventually(async () => assert.equal(await page.locator(".card").count(), 1));
    await chooseWithKeyboard(page, shelf.path("nonsense.cbh"));
    await eventually(async () => assert.match(await card(page, "nonsense.cbh").textContent(), /19 bytes/));
    await page.route("**/api/v1/drop", (route) => route.fulfill({ json: { space: 10 } }));
    await chooseWithKeyboard(page, shelf.path("league.pgn"));
    await eventually(async () => assert.match(await page.locator(".drop-zone .problem").textContent(), /10 B are left/));
  }));

  for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["dark", 390]]) {
    test(`axe finds nothing in dropped files, ${colorScheme}, ${width} pixels`, onShelf(async (page) => {
      await chooseWithKeyboard(page, picture);
      await page.locator(".drop-zone .problem").waitFor();
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, `drop-${colorScheme}-${width}.png`) });
    }, { colorScheme, viewport: { width, height: 800 } }));
  }
});

test("without the key one sentence names where to find it", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.base);
  await page.waitForSelector(".error");
  await eventually(async () => assert.match(await page.locator(".error").textContent(), /key/));
  await context.close();
});

test("a page of another origin gets no answer", async () => {
  const foreign = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>foreign</title>");
  });
  await new Promise((done) => foreign.listen(0, "127.0.0.1", done));
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const statuses = [];
    page.on("response", (response) => {
      if (response.url().startsWith(server.base)) statuses.push(response.status());
    });
    // By its name the same machine is another site.
    await page.goto(`http://localhost:${foreign.address().port}`);
    const found = await page.evaluate(async (base) => {
      const image = (path) =>
        new Promise((done) => {
          const element = new Image();
          element.onload = () => done("loaded");
          element.onerror = () => done("refused");
          element.src = `${base}${path}`;
        });
      const ask = (path, options) => fetch(`${base}${path}`, options).then((answer) => `${answer.type} ${answer.status}`, () => "refused");
      return {
        image: await image("/masters"),
        read: await ask("/masters", {}),
        data: await ask("/api/v1/shelf", { headers: { Authorization: "Bearer 00000000000000000000000000000000" } }),
        blind: await ask("/api/v1/shelf", { mode: "no-cors" }),
        sent: await ask("/api/v1/jobs", { mode: "no-cors", method: "POST", body: '{"kind":"index","db":"league.pgn"}' }),
      };
    }, server.base);
    assert.deepEqual([found.image, found.read, found.data], ["refused", "refused", "refused"]);
    for (const answer of [found.blind, found.sent]) assert.ok(["refused", "opaque 0"].includes(answer), answer);
    assert.ok(statuses.every((status) => status === 403), String(statuses));
    // A form needs no answer to do harm.
    const answered = page.waitForResponse((response) => response.request().method() === "POST" && response.url().startsWith(server.base));
    await page.evaluate((base) => {
      document.body.innerHTML = `<form method="post" action="${base}/api/v1/jobs" enctype="text/plain"><input name='{"kind":"index","db":"league.pgn","x":"' value='"}'></form>`;
      document.querySelector("form").submit();
    }, server.base);
    assert.equal((await answered).status(), 403);
    const jobs = await server.api("jobs");
    assert.deepEqual(jobs.jobs ?? jobs, []);
  } finally {
    await context.close();
    await new Promise((done) => foreign.close(done));
  }
});

describe("games", () => {
  test("the header is the first row of the list for screen readers, and states the order", () =>
    scenario("/games?db=league.pgn&sort=-date", async (page) => {
      const grid = page.getByRole("grid");
      assert.equal(await grid.getAttribute("aria-owns"), "list-header");
      assert.equal(await page.locator("#list-header").getAttribute("aria-rowindex"), "1");
      const date = page.getByRole("columnheader", { name: "Date", exact: true });
      await eventually(async () => assert.equal(await date.getAttribute("aria-sort"), "descending"));
      const white = page.getByRole("columnheader", { name: "White", exact: true });
      assert.equal(await white.getAttribute("aria-sort"), null);
    }));

  for (const name of ["games.pgn", "games-cbh.cbh", "games-si3.si3", "games-si4.si4", "games-si5.si5", "games-sci.sci"]) {
    test(`${name} is listed and read`, () =>
      scenario(`/games?db=${name}`, async (page) => {
        await rows(page).nth(5).waitFor();
        await eventually(async () => assert.equal(await rows(page).count(), 6));
        await rows(page).nth(1).click();
        await moves(page).first().waitFor();
        await eventually(async () => assert.match(await page.locator(".who").textContent(), /Таль, Михаил/));
        await eventually(async () => assert.equal(await moves(page).count(), 20));
      }));
  }

  test("hostile names and comments are text", () =>
    scenario("/games?db=games.pgn", async (page) => {
      await rows(page).first().waitFor();
      await eventually(async () => assert.ok((await rows(page).first().textContent()).includes(hostile.white)));
      await rows(page).first().click();
      await moves(page).first().waitFor();
      await eventually(async () => assert.ok((await page.locator(".notation").textContent()).includes(hostile.comment)));
      await eventually(async () => assert.equal(await page.locator(".notation script, .notation b, main img").count(), 0));
      await eventually(async () => assert.notEqual(await page.title(), "owned"));
    }));

  test("scrolls to the end and back by keys", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      await page.locator(".list").focus();
      await page.keyboard.press("End");
      await page.waitForFunction(() => document.querySelector(".row.active")?.textContent?.startsWith("3,000"));
      await page.keyboard.press("Home");
      await page.waitForFunction(() => document.querySelector(".row.active")?.textContent?.startsWith("1Anand"));
      await page.keyboard.press("PageDown");
      await page.keyboard.press("ArrowDown");
      await eventually(async () => {
        const index = Number(await page.locator(".row.active").getAttribute("aria-rowindex"));
        assert.ok(index > 15, String(index));
      });
    }));

  test("scrolls by wheel without blank rows", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      await page.mouse.move(400, 500);
      for (let i = 0; i < 20; i++) {
        await page.mouse.wheel(0, 700);
        await page.waitForTimeout(30);
      }
      await page.waitForFunction(() => document.querySelectorAll(".layer .skeleton:not([hidden])").length === 0);
      await eventually(async () => assert.ok(Number(await rows(page).first().getAttribute("data-index")) > 300));
    }));

  test("goes to a game by its number, and the address keeps it", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press("g");
      await page.keyboard.type("1234");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector(".row.active")?.textContent?.startsWith("1,234"));
      await page.waitForURL(/at=1234/);
      await page.reload();
      await page.waitForFunction(() => document.querySelector(".row.active")?.textContent?.startsWith("1,234"));
    }));

  test("filters, counts, and the address holds the query", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("white:carlsen result:1-0");
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=white/);
      await page.waitForFunction(() => /of 3,000/.test(document.querySelector(".found")?.textContent ?? ""));
      await eventually(async () => {
        for (const text of await rows(page).allTextContents()) assert.match(text, /Carlsen.*1-0/);
      });
      await page.goBack();
      await page.waitForFunction(() => /^3,000 games/.test(document.querySelector(".found")?.textContent ?? ""));
    }));

  test("a query without games offers what to leave out", () =>
    scenario("/games?db=league.pgn&q=white%3Aanand+black%3Anoone", async (page) => {
      await page.locator(".empty a").first().waitFor();
      await eventually(async () => assert.match(await page.locator(".empty").textContent(), /without black:noone/));
    }));

  test("an unknown field lists the known ones", async () => {
    const view = await open(browser, server, "/games?db=league.pgn&q=colour%3Ax");
    await view.page.waitForSelector(".error");
    await eventually(async () => assert.match(await view.page.locator(".error").textContent(), /common fields: `player`/));
    await eventually(async () => assert.equal(await view.page.locator("#search").getAttribute("aria-invalid"), "true"));
    view.problems.length = 0;
    await view.close();
  });

  test("sorts by a column, back, and by two", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      await page.locator(".header .c-white button").click();
      await page.waitForURL(/sort=white/);
      await page.waitForFunction(() => document.querySelector(".layer .row .c-white")?.textContent?.startsWith("Adams"));
      await page.locator(".header .c-white button").click();
      await page.waitForURL(/sort=-white/);
      await page.waitForFunction(() => document.querySelector(".layer .row .c-white")?.textContent?.startsWith("Topalov"));
      await page.locator(".header .c-date button").click({ modifiers: ["Shift"] });
      await page.waitForURL(/sort=-white%2Cdate/);
    }));

  test("the preview shows the game of the row", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).nth(1).hover();
      await page.waitForFunction(() => document.querySelector(".preview h2")?.textContent?.includes("Carlsen, B"));
      await page.waitForSelector(".preview .line");
      await page.screenshot({ path: join(pictures, "test-games.png") });
    }));

  test("the first row is chosen, or the one of the address, also if rows come later than the first answer", async () => {
    for (const [at, index] of [["", "0"], ["&at=60", "59"]]) {
      await scenario("/", async (page) => {
        let asked = 0;
        await page.route("**/api/v1/games?**", async (route) => {
          const response = await route.fetch();
          const early = { isDone: false, count: 0, rows: [] };
          await route.fulfill({ response, json: { ...(await response.json()), ...(asked++ === 0 ? early : {}) } });
        });
        await page.goto(`${server.base}/games?db=league.pgn&q=white:carlsen${at}`);
        await page.locator(`.layer .row.active[data-index="${index}"]`).waitFor();
        await page.locator(".preview .line").waitFor();
      });
    }
  });

  test("the preview says how many moves follow, and copies the whole game", () =>
    scenario("/games?db=games.pgn&at=1", async (page) => {
      await page.locator(".preview .line").waitFor();
      assert.ok(!/more moves/.test(await page.locator(".preview").innerText()), "all is shown of a short game");
      await page.goto(`${server.base}/games?db=games.pgn&at=2`);
      await eventually(async () => assert.match(await page.locator(".preview .line").innerText(), /10\..xh7 cxd4$/u));
      await page.locator(".preview button", { hasText: "Copy whole game" }).click();
      await eventually(async () => {
        const text = await page.evaluate(() => navigator.clipboard.readText());
        assert.match(text, /\[White "Таль, Михаил"\]/);
        assert.match(text, /10\. Qxh7 cxd4 1-0/);
      });
    }));

  test("the preview of a long game says how much is left", async () => {
    const own = shelf.path("long.pgn");
    const line = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3";
    writeFileSync(own, `[White "A"]\n\n${line} *\n\n`);
    try {
      await onServer(own, "/games?db=long.pgn", async (page) => {
        await eventually(async () => assert.match(await page.locator(".preview .line").innerText(), /10\.d4 .bd7 … 3 more moves$/u));
      });
    } finally {
      rmSync(own);
    }
  });

  test("games that cannot be read to their end are named", () =>
    scenario("/games?db=games.pgn&q=takes%3AK", async (page) => {
      const note = page.locator(".unread");
      await eventually(async () => assert.match(await note.textContent(), /may be missing here: 1 game 5/));
      assert.match(await note.locator("a").getAttribute("title"), /illegal/);
      await note.locator("a").click();
      await page.locator(".problem").waitFor();
    }));

  test("a phone shows ratings, opening and date of each game in two lines", () =>
    scenario(
      "/games?db=games.pgn",
      async (page) => {
        const row = page.locator('.layer .row[data-index="0"]');
        for (const [cell, text] of [["whiteElo", "2700"], ["blackElo", "2650"], ["eco", "C65"], ["date", "2024.02.29"], ["result", "1-0"]]) {
          const found = row.locator(`.c-${cell}`);
          assert.equal(await found.innerText(), text);
          assert.ok(await found.evaluate((element) => element.scrollWidth <= element.clientWidth), `${cell} is cut`);
        }
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ));

  test("a phone sorts by a choice, since it has no names of columns", () =>
    scenario(
      "/games?db=league.pgn",
      async (page) => {
        await rows(page).first().waitFor();
        const order = page.getByLabel("Order");
        await order.selectOption({ label: "▾ Elo White" });
        await page.waitForURL(/sort=-whiteElo/);
        await eventually(async () => assert.equal(await rows(page).first().locator(".c-whiteElo").textContent(), "2849"));
        await eventually(async () => assert.equal(await order.inputValue(), "-whiteElo"));
        const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
        assert.ok(scroll <= inner, `${scroll} in ${inner}`);
        await axeFindsNothing(page);
        await page.screenshot({ path: join(pictures, "sort-phone.png") });
        // What a wide window has next to the search box is in the menu.
        await page.locator(".menu summary").click();
        await page.getByRole("link", { name: "Conversion" }).waitFor();
        await page.getByLabel("deleted too").check();
        await page.waitForURL(/deleted=1/);
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ));

  test("several databases are one list", () =>
    scenario("/games?db=games.pgn,league.pgn", async (page) => {
      await rows(page).first().waitFor();
      await eventually(async () => assert.match(await page.locator(".found").textContent(), /3,006/));
      await eventually(async () => assert.ok((await rows(page).first().textContent()).includes("games.pgn")));
    }));

  test("names and fields are suggested, and chosen with the keyboard", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      const box = page.locator("#search");
      const options = page.locator("#suggestions [role=option]");
      const chosen = page.locator('#suggestions [aria-selected="true"]');
      await page.keyboard.press("/");
      await page.keyboard.type("whi");
      await eventually(async () => assert.match(await options.first().textContent(), /^white:/));
      await page.keyboard.press("ArrowDown");
      await eventually(async () => {
        const id = await box.getAttribute("aria-activedescendant");
        assert.equal(await chosen.getAttribute("id"), id);
      });
      await page.keyboard.press("Enter");
      await eventually(async () => assert.equal(await box.inputValue(), "white:"));
      await page.keyboard.type("carls");
      await eventually(async () => {
        const names = await options.locator("bdi").allTextContents();
        assert.ok(names.length > 2 && names.every((name) => name.startsWith("Carlsen, ")), String(names));
      });
      await eventually(async () => assert.match(await page.locator("#live").textContent(), /suggestions/));
      await page.screenshot({ path: join(pictures, "suggestions.png") });
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      await eventually(async () => assert.equal(await chosen.count(), 0));
      await page.keyboard.press("ArrowDown");
      await eventually(async () => assert.equal(await chosen.count(), 1));
      const name = await chosen.locator("bdi").textContent();
      await page.keyboard.press("Enter");
      await eventually(async () => assert.equal(await box.inputValue(), `white:"=${name}" `));
      await eventually(async () => assert.equal(await box.getAttribute("aria-expanded"), "false"));
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=white/);
      await eventually(async () => {
        const whites = await page.locator(".layer .row:not([hidden]) .c-white").allTextContents();
        assert.ok(whites.length > 0 && whites.every((white) => white === name), String(whites));
      });
    }));

  test("a suggestion is chosen with the pointer, in the middle of a query; Escape closes the list", () =>
    scenario("/games?db=league.pgn&q=result%3A1-0", async (page) => {
      await rows(page).first().waitFor();
      const box = page.locator("#search");
      await box.focus();
      await page.keyboard.press("Home");
      await page.keyboard.type("event:op ");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.type("en");
      const options = page.locator("#suggestions [role=option]");
      await options.first().waitFor();
      await page.keyboard.press("Escape");
      await eventually(async () => assert.equal(await options.count(), 0));
      await eventually(async () => assert.equal(await box.inputValue(), "event:open result:1-0"));
      await page.keyboard.press("ArrowDown");
      await options.first().waitFor();
      const name = await options.first().locator("bdi").textContent();
      await options.first().click();
      await eventually(async () => assert.equal(await box.inputValue(), `event:"=${name}" result:1-0`));
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=event/);
      await eventually(async () => assert.match(await page.locator(".found").textContent(), /of 3,000/));
    }));

  test("the last queries are suggested in an empty search box", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      const box = page.locator("#search");
      for (const query of ["white:leko", "white:adams"]) {
        await box.fill(query);
        await page.keyboard.press("Enter");
        await page.waitForURL(new RegExp(query.replace(":", "%3A")));
        await rows(page).first().waitFor();
      }
      await box.fill("");
      await page.keyboard.press("ArrowDown");
      const options = page.locator("#suggestions [role=option] bdi");
      await eventually(async () => assert.deepEqual(await options.allTextContents(), ["white:adams", "white:leko"]));
      await options.nth(1).click();
      await eventually(async () => assert.equal(await box.inputValue(), "white:leko"));
    }));

  for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["dark", 390]]) {
    test(`axe finds nothing in suggestions, ${colorScheme}, ${width} pixels`, () =>
      scenario(
        "/games?db=league.pgn",
        async (page) => {
          await rows(page).first().waitFor();
          await page.locator("#search").pressSequentially("player:ad");
          await page.locator("#suggestions [role=option]").nth(2).waitFor();
          await page.keyboard.press("ArrowDown");
          await axeFindsNothing(page);
          await page.screenshot({ path: join(pictures, `suggestions-${colorScheme}-${width}.png`) });
        },
        { colorScheme, viewport: { width, height: 800 } },
      ));
  }

  test("hostile names are suggested as text", () =>
    scenario("/games?db=games.pgn", async (page) => {
      await rows(page).first().waitFor();
      await page.locator("#search").fill("player:img");
      await eventually(async () => assert.equal(await page.locator("#suggestions bdi").first().textContent(), hostile.white));
    }));

  test("the list is saved as CSV, as a command, and without a column", () =>
    scenario("/games?db=league.pgn&q=white:carlsen&sort=-date", async (page) => {
      await rows(page).first().waitFor();
      await page.waitForFunction(() => /of 3,000/.test(document.querySelector(".found")?.textContent ?? ""));
      await page.locator(".menu > summary").click();
      const started = page.waitForEvent("download");
      await page.locator(".menu-body").getByRole("button", { name: "Save as CSV" }).click();
      const lines = readFileSync(await (await started).path(), "utf8").trimEnd().split("\r\n");
      assert.equal(lines.length, 301);
      assert.ok(lines.slice(1).every((line) => line.includes('"Carlsen, ')), lines[1]);
      assert.ok(lines[1].includes("2021") && lines[300].includes("1981"), `${lines[1]} ${lines[300]}`);
      await page.locator(".menu-body").getByRole("button", { name: "Copy command" }).click();
      const command = `tabia ls ${shelf.path("league.pgn")} --where 'white:carlsen' --sort=-date --csv`;
      await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, command);
      await page.locator(".menu-body label", { hasText: "Event" }).locator("input").uncheck();
      await eventually(async () => assert.equal(await page.locator(".header .c-event").count(), 0));
      await page.reload();
      await rows(page).first().waitFor();
      await eventually(async () => assert.equal(await page.locator(".header .c-event, .layer .c-event").count(), 0));
    }));

  test("commands name the member of an archive after the archive", async () => {
    const clipboardIs = (page, command) => page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, command);
    const copied = (page) => page.getByRole("button", { name: "Copy command" }).first().click();
    await scenario("/games?db=all.zip~league.pgn", async (page) => {
      await page.waitForFunction(() => /3,000/.test(document.querySelector(".found")?.textContent ?? ""));
      await page.locator(".toolbar summary").click();
      await copied(page);
      await clipboardIs(page, `tabia ls '${shelf.path("all.zip:league.pgn")}' --csv`);
    });
    await scenario("/convert?db=all.zip~league.pgn&to=si4", async (page) => {
      await copied(page);
      await clipboardIs(page, `tabia convert '${shelf.path("all.zip:league.pgn")}' -o league-new.si4`);
    });
  });

  test("parts of a query are removed one by one", () =>
    scenario(`/games?db=league.pgn&q=${encodeURIComponent('white:carlsen "Open 3" date:1990..')}&sort=-date`, async (page) => {
      const chips = page.locator(".chips li");
      await eventually(async () => assert.deepEqual(await chips.locator("bdi").allTextContents(), ["white:carlsen", '"Open 3"', "date:1990.."]));
      await axeFindsNothing(page);
      await page.getByRole("link", { name: 'Remove "Open 3"' }).focus();
      await page.keyboard.press("Enter");
      await eventually(async () => assert.equal(new URL(page.url()).searchParams.get("q"), "white:carlsen date:1990.."));
      assert.equal(new URL(page.url()).searchParams.get("sort"), "-date");
      await eventually(async () => assert.equal(await chips.count(), 2));
      // Without its left side an alternative means something else.
      await page.goto(`${server.base}/games?db=league.pgn&q=${encodeURIComponent("carlsen OR (anand date:1990..)")}`);
      await eventually(async () => assert.deepEqual(await chips.locator("bdi").allTextContents(), ["carlsen OR (anand date:1990..)"]));
    }));

  test("on paper the list has more rows than the window", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      const all = await rows(page).count();
      assert.ok(all >= 100, String(all));
      assert.ok((await rows(page).nth(all - 1).boundingBox()).y > 2000);
      await page.emulateMedia({ media: "screen" });
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await eventually(async () => assert.ok((await rows(page).count()) < 60));
    }));

  test("guiding texts are not counted as games", async () => {
    const library = makeLibrary();
    try {
      await onServer(library.path("tabia.cbh"), "/games?db=tabia.cbh", async (page) => {
        await page.locator(".found", { hasText: "7 of 8 games, 1 text" }).waitFor();
        await page.goto(`${page.url()}&q=white%3Aanderssen`);
        await page.locator(".found", { hasText: /^2 of 8 games$/ }).waitFor();
      });
    } finally {
      library.remove();
    }
  });

  test("games are selected with the keyboard and the pointer, copied and saved", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      const selected = page.locator('.layer [aria-selected="true"]');
      await page.locator(".list").focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Space");
      await eventually(async () => assert.equal(await selected.count(), 1));
      await page.keyboard.press("Shift+ArrowDown");
      await page.keyboard.press("Shift+ArrowDown");
      await eventually(async () => assert.equal(await selected.count(), 3));
      await rows(page).nth(6).locator(".pick").click();
      await page.locator(".selection", { hasText: "Selected: 4" }).waitFor();
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "selected.png") });
      await page.locator(".selection").getByRole("button", { name: "Copy command" }).click();
      const command = `tabia convert ${shelf.path("league.pgn")} --games 2-4,7 -o league-selected.pgn`;
      await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, command);
      await page.getByRole("button", { name: "Save as…" }).click();
      const started = page.waitForEvent("download");
      await page.locator("dialog").getByRole("button", { name: "Save as PGN" }).click();
      const text = readFileSync(await (await started).path(), "utf8");
      assert.equal(text.match(/^\[White /gm).length, 4);
      // A range with the pointer; another order keeps the selection.
      await rows(page).nth(9).click({ modifiers: ["Shift"] });
      await page.locator(".selection", { hasText: "Selected: 7" }).waitFor();
      await page.locator(".header button", { hasText: "Date" }).click();
      await page.waitForURL(/sort=date/);
      await page.locator(".selection", { hasText: "Selected: 7" }).waitFor();
      await page.getByRole("button", { name: "Select none" }).click();
      await eventually(async () => assert.equal(await page.locator(".selection").count(), 0));
    }));

  test("columns are moved and made wider by dragging, with the keyboard and in the menu, and stay so", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await rows(page).first().waitFor();
      const header = async () => (await page.locator(".header .cell").allTextContents()).filter((name) => name !== "").join(" ").replace(/ [▴▾]/g, "");
      await eventually(async () => assert.match(await header(), /^# White Elo Black Elo Result/));
      const date = page.locator(".header .c-date button");
      await date.focus();
      for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowLeft");
      await eventually(async () => assert.match(await header(), /Date .*Event/));
      await eventually(async () => assert.ok(await date.evaluate((button) => button === document.activeElement)));
      await page.locator(".header .c-eco").dragTo(page.locator(".header .c-white"));
      await eventually(async () => assert.match(await header(), /^# ECO White/));
      await eventually(async () => assert.equal(await rows(page).first().locator(".cell").nth(2).textContent(), await rows(page).first().locator(".c-eco").textContent()));
      const width = (id) => page.locator(`.header .c-${id}`).evaluate((cell) => cell.offsetWidth);
      const before = await width("event");
      const edge = await page.locator(".header .c-event .edge").boundingBox();
      await page.mouse.move(edge.x + 3, edge.y + 10);
      await page.mouse.down();
      await page.mouse.move(edge.x + 63, edge.y + 10, { steps: 4 });
      await page.mouse.up();
      await eventually(async () => assert.ok(Math.abs((await width("event")) - before - 60) < 4, `${before} ${await width("event")}`));
      await date.focus();
      const narrow = await width("date");
      await page.keyboard.press("+");
      await eventually(async () => assert.equal(await width("date"), narrow + 12));
      await page.locator(".menu > summary").click();
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "columns.png") });
      await page.getByRole("button", { name: "Result earlier" }).click();
      await eventually(async () => assert.match(await header(), /Result Elo Moves|Result Elo/));
      const changed = await header();
      const kept = await width("event");
      await page.reload();
      await rows(page).first().waitFor();
      await eventually(async () => assert.equal(await header(), changed));
      await eventually(async () => assert.ok(Math.abs((await width("event")) - kept) < 2));
      await page.locator(".menu > summary").click();
      await page.getByRole("button", { name: "As at first" }).click();
      await eventually(async () => assert.match(await header(), /^# White Elo Black Elo Result/));
    }));

  test("openings and medals are columns on request, and in the CSV", async () => {
    const own = shelf.path("medals.pgn");
    writeFileSync(own, '[White "A"]\n[Black "B"]\n\n1. e4 c5 2. Nf3 d6 {[%mdl 5]} 3. d4 {[%mdl 8]} *\n\n[White "C"]\n[Black "D"]\n\n1. d4 d5 2. c4 *\n\n');
    try {
      await onServer(own, "/games?db=medals.pgn", async (page) => {
        await rows(page).first().waitFor();
        const cell = (row, column) => rows(page).nth(row).locator(`.c-${column}`);
        assert.equal(await page.locator(".header .c-opening, .header .c-medals").count(), 0);
        await page.locator(".menu > summary").click();
        const choose = (name) => page.locator(".menu-body label", { hasText: name }).locator("input");
        await choose("Opening").check();
        await choose("Medals").check();
        await eventually(async () => {
          assert.match(await cell(0, "opening").textContent(), /^Sicilian/);
          assert.match(await cell(1, "opening").textContent(), /^Queen's Gambit/);
          assert.equal(await cell(0, "medals").textContent(), "best game, model game, novelty");
          assert.equal(await cell(1, "medals").textContent(), "");
        });
        const started = page.waitForEvent("download");
        await page.locator(".menu-body").getByRole("button", { name: "Save as CSV" }).click();
        const lines = readFileSync(await (await started).path(), "utf8").trimEnd().split("\r\n");
        assert.match(lines[0], /,ECO,Opening,Event,/);
        assert.match(lines[1], /Sicilian.*"best game, model game, novelty"/);
        await axeFindsNothing(page);
        await page.reload();
        await eventually(async () => assert.match(await cell(0, "opening").textContent(), /^Sicilian/));
        await page.locator(".menu > summary").click();
        await choose("Opening").uncheck();
        await eventually(async () => assert.equal(await page.locator(".header .c-opening").count(), 0));
        // A wide window has space for the opening unless it was hidden.
        await page.getByRole("button", { name: "As at first" }).click();
        await page.setViewportSize({ width: 1700, height: 900 });
        await eventually(async () => assert.equal(await page.locator(".header .c-opening").count(), 1));
        await eventually(async () => assert.match(await cell(0, "opening").textContent(), /^Sicilian/));
        assert.equal(await page.locator(".header .c-medals").count(), 0);
      });
    } finally {
      rmSync(own);
    }
  });

  test("an unknown field of a query shows what was meant and the fields that there are", () =>
    scenario("/games?db=league.pgn&q=" + encodeURIComponent("result:1-0 plaier:carlsen"), async (page, view) => {
      await page.locator(".error", { hasText: "did you mean `player`" }).waitFor();
      const fields = page.locator(".fields.known li");
      await fields.nth(20).waitFor();
      await fields.getByRole("link", { name: "player:", exact: true }).click();
      await rows(page).first().waitFor();
      assert.equal(await page.locator("#search").inputValue(), "result:1-0 player:carlsen");
      assert.equal(await fields.count(), 0);
      // A value that a field does not take is another error.
      await page.goto(page.url().replace(/q=.*/, "q=elo%3Ahigh"));
      await page.locator(".error").waitFor();
      assert.equal(await fields.count(), 0);
      view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 400/.test(note)));
    }));

  test("the other views that take a query show the fields that there are, too", async () => {
    const player = { name: "player:", exact: true };
    const wrong = (terms) => encodeURIComponent(terms);
    for (const [path, parameter, fixed] of [
      [`/explorer?src=league.pgn&q=${wrong("result:1-0 plaier:carlsen")}`, "q", "result:1-0 player:carlsen"],
      // The column of the filter of one source is that of this filter alone.
      [`/explorer?src=league.bin,league.pgn&q=result%3A1-0&q.league.pgn=${wrong("-plaier:short")}`, "q.league.pgn", "-player:short"],
      [`/search?db=league.pgn&q=${wrong("ply:2 plaier:carlsen")}`, "q", "ply:2 player:carlsen"],
      [`/convert?db=league.pgn&to=pgn&q=${wrong("plaier:carlsen")}`, "q", "player:carlsen"],
    ]) {
      await scenario(path, async (page, view) => {
        await page.locator(".error", { hasText: "did you mean `player`" }).waitFor();
        // The answer that is an error by design; what comes after it is none.
        view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 400/.test(note)));
        await axeFindsNothing(page);
        await page.locator(".fields.known").getByRole("link", player).click();
        await page.locator(".error").waitFor({ state: "detached" });
        await eventually(() => assert.equal(new URL(page.url()).searchParams.get(parameter), fixed));
        const field = { "/explorer": "#explorer-filter", "/search": "#position-query" }[/^\/\w+/.exec(path)[0]];
        if (parameter === "q" && field) await eventually(async () => assert.equal(await page.locator(field).inputValue(), fixed));
      });
    }
  });

  test("the help of the search lists its fields", () =>
    scenario("/games?db=league.pgn", async (page) => {
      await page.locator(".search button[aria-expanded]").click();
      await page.locator(".fields li").nth(20).waitFor();
      await page.locator(".fields button", { hasText: "player:" }).first().click();
      await eventually(async () => assert.equal(await page.locator("#search").inputValue(), "player:"));
    }));

  test("the menu of a row opens by keyboard, mouse and finger, and does what it says", async () => {
    const items = (page) => page.locator("[role=menu] [role=menuitem]");
    await scenario("/games?db=league.pgn&q=eco%3AC54", async (page) => {
      await rows(page).first().waitFor();
      const list = page.locator(".list");
      await list.focus();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Shift+F10");
      await eventually(async () => assert.deepEqual(await items(page).allTextContents(), ["Open", "Copy PGN", "Copy FEN", "Explorer"]));
      await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.textContent), "Open"));
      await axeFindsNothing(page);
      await page.keyboard.press("Escape");
      await items(page).first().waitFor({ state: "detached" });
      assert.equal(await page.evaluate(() => document.activeElement.className), "list");
      // The position after the last of these moves: the games have no ten.
      const fen = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2PP1N2/PP3PPP/RNBQK2R b KQkq - 0 5";
      await page.keyboard.press("ContextMenu");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, fen);
      // The same next to the board.
      await page.evaluate(() => navigator.clipboard.writeText(""));
      await page.locator(".preview").getByRole("button", { name: "Copy FEN" }).click();
      await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, fen);
      const row = rows(page).nth(4);
      await row.click({ button: "right" });
      await items(page).filter({ hasText: "Copy PGN" }).click();
      const white = await row.locator(".c-white").textContent();
      await page.waitForFunction(async (name) => (await navigator.clipboard.readText()).includes(`[White "${name}"]`), white);
      await row.click({ button: "right" });
      await page.locator(".found").click();
      await items(page).first().waitFor({ state: "detached" });
      await row.hover();
      await row.locator(".row-menu").click();
      await page.screenshot({ path: join(pictures, "row-menu.png") });
      await items(page).filter({ hasText: "Explorer" }).click();
      await page.waitForURL((url) => url.pathname === "/explorer" && url.searchParams.get("play") === "e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,c2c3,g8f6,d2d3");
    });
    await scenario(
      "/games?db=league.pgn",
      async (page) => {
        const row = rows(page).nth(2);
        await row.locator(".row-menu").tap();
        await items(page).first().waitFor();
        for (const item of await items(page).all()) assert.ok((await item.boundingBox()).height >= 44);
        const box = await page.locator("[role=menu]").boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
        await axeFindsNothing(page);
        await page.screenshot({ path: join(pictures, "row-menu-phone.png") });
        await items(page).filter({ hasText: "Open" }).tap();
        await page.waitForURL(/\/db\/league\.pgn\/game\/3/);
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    );
  });

  test("the fields of the search are described in the language of the page", () =>
    scenario(
      "/games?db=league.pgn",
      async (page) => {
        await page.locator(".search button[aria-expanded]").click();
        await page.locator(".fields li", { hasText: "Weiß oder Schwarz" }).waitFor();
        await eventually(async () => assert.equal(await page.locator(".search .fields [lang=en]").count(), 0));
        await page.locator(".search button[aria-expanded]").click();
        await page.locator("#search").pressSequentially("elod");
        await page.locator("[role=option]", { hasText: "Wertung von Weiß minus die von Schwarz" }).waitFor();
      },
      { locale: "de-DE" },
    ));
});

describe("game", () => {
  const path = "/db/games.pgn/game/1";

  test("is read to its end with the keys", () =>
    scenario(path, async (page) => {
      await moves(page).first().waitFor();
      for (let i = 0; i < 17; i++) await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.equal(await currentMove(page).textContent(), "d4"));
      await eventually(async () => assert.equal(await piece(page, "g8"), "k"));
      await eventually(async () => assert.equal(await piece(page, "f8"), "r"));
      await page.keyboard.press("Home");
      await eventually(async () => assert.equal(await currentMove(page).count(), 0));
      await page.keyboard.press("End");
      await eventually(async () => assert.equal(await currentMove(page).textContent(), "d4"));
    }));

  test("the wheel over the board plays moves, and scrolls the page where there are none", () =>
    scenario(path, async (page) => {
      await moves(page).first().waitFor();
      await page.evaluate(() => {
        window.left = [];
        addEventListener("wheel", (event) => window.left.push(!event.defaultPrevented));
      });
      await page.locator(".squares").hover();
      const turn = async (delta) => {
        const before = await page.evaluate(() => window.left.length);
        await page.mouse.wheel(0, delta);
        await page.waitForFunction((count) => window.left.length > count, before);
        return page.evaluate(() => window.left.at(-1));
      };
      assert.equal(await turn(-100), true, "there is no move before the first");
      assert.equal(await turn(100), false);
      await eventually(async () => assert.match(await currentMove(page).textContent(), /e4/));
      await page.keyboard.press("End");
      await eventually(async () => assert.match(await currentMove(page).textContent(), /d4/));
      assert.equal(await turn(100), true, "there is no move after the last");
      assert.equal(await turn(-100), false);
    }));

  test("goes into a variation and out of it", () =>
    scenario(`${path}?ply=2`, async (page) => {
      await currentMove(page).waitFor();
      await page.keyboard.press("Shift+ArrowRight");
      await eventually(async () => assert.match(await currentMove(page).textContent(), /^f4/));
      await page.waitForURL(/ply=3&line=1$/);
      await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.match(await currentMove(page).textContent(), /exf4/));
      await page.keyboard.press("Shift+ArrowLeft");
      await eventually(async () => assert.match(await currentMove(page).textContent(), /f3/));
    }));

  test("the address keeps ply, side and tab through a reload", () =>
    scenario(path, async (page) => {
      await moves(page).first().waitFor();
      for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
      await page.keyboard.press("f");
      await page.waitForURL(/ply=5.*flip=1|flip=1.*ply=5/);
      await page.reload();
      await currentMove(page).waitFor();
      await eventually(async () => assert.match(await currentMove(page).textContent(), /b5/));
      await eventually(async () => assert.equal(await page.locator(".squares [role=gridcell]").first().getAttribute("data-square"), "h1"));
    }));

  test("arrows and squares are drawn, and can be hidden", () =>
    scenario(`${path}?ply=1`, async (page) => {
      await page.locator(".marks .arrow").nth(1).waitFor();
      await eventually(async () => assert.equal(await page.locator(".filled-g").count(), 1));
      await eventually(async () => assert.equal(await page.locator(".filled-r").count(), 1));
      // The colour is painted over that of the square.
      for (const filled of [".filled-g", ".filled-r"]) {
        const image = await page.locator(filled).evaluate((square) => getComputedStyle(square).backgroundImage);
        assert.match(image, /linear-gradient/);
      }
      await page.screenshot({ path: join(pictures, "test-game.png") });
      await page.keyboard.press("a");
      await page.waitForFunction(() => document.querySelectorAll(".marks .arrow").length === 0);
    }));

  test("arrows and squares are in the notation and in the position as text, in words", () =>
    scenario(`${path}?ply=1&view=text`, async (page) => {
      const shapes = page.locator(".notation .shapes");
      await eventually(async () => assert.equal(await shapes.textContent(), "■square  green a1; ■square  red e4; →arrow  green e2–e4; →arrow  red h4–d8".replace("h4–d8", "d8–h4")));
      // The signs are for the eye, the words for screen readers.
      await eventually(async () => assert.equal(await shapes.locator("[aria-hidden]").allTextContents().then((signs) => signs.join("")), "■■→→"));
      await eventually(async () => assert.match(await page.locator(".as-text").innerText(), /■ square: green a1\s+■ square: red e4\s+→ arrow: green e2–e4\s+→ arrow: red d8–h4/));
      await axeFindsNothing(page);
      await page.locator(".squares").hover();
      await page.keyboard.press("a");
      await eventually(async () => assert.equal(await shapes.count(), 0));
      await eventually(async () => assert.doesNotMatch(await page.locator(".as-text").innerText(), /arrow/));
    }));

  test("a number, its move and its evaluation are on one line", () =>
    scenario(
      path,
      async (page) => {
        await moves(page).first().waitFor();
        const apart = await page.locator(".notation .number").evaluateAll((numbers) =>
          numbers.filter((number) => {
            const whole = [...number.parentElement.querySelectorAll(".move, .eval")];
            return whole.some((part) => Math.abs(number.getBoundingClientRect().bottom - part.getBoundingClientRect().bottom) > 8);
          }).length,
        );
        assert.equal(apart, 0);
        assert.ok((await page.locator(".notation .no-break > .eval").count()) >= 8);
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ));

  test("the clocks of the players are two lines with a legend", () =>
    scenario(`${path}?ply=4`, async (page) => {
      const graph = page.locator(".graph").nth(1);
      await eventually(async () => assert.match(await graph.locator("figcaption").innerText(), /White 1:58:10\s+Black 1:57:00/));
      const lines = graph.locator("polyline");
      await eventually(async () => assert.equal(await lines.count(), 2));
      // Not by the colour alone.
      assert.deepEqual(await lines.evaluateAll((all) => all.map((line) => getComputedStyle(line).strokeDasharray !== "none")), [false, true]);
      const points = await lines.evaluateAll((all) => all.map((line) => line.getAttribute("points").split(" ").length));
      assert.deepEqual(points, [4, 5]);
    }));

  test("evaluations and clocks are graphs with tables", () =>
    scenario(`${path}?ply=5`, async (page) => {
      await eventually(async () => assert.equal(await page.locator(".graph").count(), 2));
      await page.locator(".graph summary").first().click();
      await eventually(async () => assert.match(await page.locator(".values").first().textContent(), /1\. \+0\.31/));
      await page.locator(".graph svg").first().click({ position: { x: 500, y: 30 } });
      await eventually(async () => assert.ok(!(await currentMove(page).textContent()).includes("b5")));
    }));

  test("each row and each column of a board has its coordinate, also in the corner", async () => {
    const coordinates = (squares) =>
      squares.map((square) => [getComputedStyle(square, "::before").content, getComputedStyle(square, "::after").content].join(" ").replaceAll('"', ""));
    await scenario(path, async (page) => {
      await moves(page).first().waitFor();
      for (const corner of ["1 a", "8 h"]) {
        await eventually(async () => assert.equal((await page.locator(".squares [role=gridcell]").evaluateAll(coordinates))[56], corner));
        await page.keyboard.press("f");
      }
    });
    await scenario("/search?db=games.pgn", async (page) => {
      await page.locator(".edit-board").waitFor();
      const found = await page.locator(".edit-board button").evaluateAll(coordinates);
      assert.deepEqual([found[0], found[1], found[56], found[63]], ["8 none", "none none", "1 a", "none h"]);
    });
  });

  test("the stored code of another opening than that of the moves is next to it", async () => {
    const file = shelf.path("codes.pgn");
    const game = (eco) => `[White "A"]\n[Black "B"]\n${eco}\n\n1. e4 c5 2. Nf3 e6 3. d4 cxd4 4. Nxd4 a6 5. c4 *\n\n`;
    writeFileSync(file, game('[ECO "A31"]') + game('[ECO "B41"]') + game('[Event "no code"]'));
    try {
      await onServer(file, "/db/codes.pgn/game/1", async (page, _, other) => {
        for (const [number, start] of [[1, "A31 · B41 Sicilian Defense"], [2, "B41 Sicilian Defense"], [3, "B41 Sicilian Defense"]]) {
          await page.goto(`${other.base}/db/codes.pgn/game/${number}`);
          await eventually(async () => assert.ok((await page.locator(".game-head .sub", { hasText: "Sicilian" }).innerText()).trim().startsWith(start)));
        }
      });
    } finally {
      rmSync(file);
    }
  });

  test("the square of a king in check is as large as the others", () =>
    scenario("/db/games.pgn/game/2?ply=10", async (page) => {
      await page.locator(".squares .check").waitFor();
      const size = async (selector) => {
        const { width, height } = await page.locator(selector).first().boundingBox();
        return [Math.round(width), Math.round(height)];
      };
      await eventually(async () => assert.deepEqual(await size(".squares .check"), await size('[data-square="a1"]')));
    }));

  test("castling, en passant and promotion are replayed", () =>
    scenario("/db/games.pgn/game/4", async (page) => {
      await moves(page).first().waitFor();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.equal(await piece(page, "c4"), ""));
      await eventually(async () => assert.equal(await piece(page, "c3"), "p"));
      await page.keyboard.press("ArrowRight");
      await eventually(async () => assert.equal(await piece(page, "c1"), "K"));
      await eventually(async () => assert.equal(await piece(page, "d1"), "R"));
      await page.keyboard.press("End");
      await eventually(async () => assert.equal(await piece(page, "a8"), "N"));
    }));

  test("a broken game shows what could be read and what is wrong", () =>
    scenario("/db/games.pgn/game/5", async (page) => {
      await page.locator(".problem").waitFor();
      await eventually(async () => assert.match(await page.locator(".problem").textContent(), /Ke3/));
      await eventually(async () => assert.equal(await moves(page).count(), 2));
    }));

  test("on a phone the moves come right below the board", () =>
    scenario(
      path,
      async (page) => {
        const top = async (selector) => (await page.locator(selector).first().boundingBox()).y;
        await moves(page).first().waitFor();
        assert.ok((await top(".notation")) < (await top(".game-head")));
        assert.ok((await top(".tabs")) < 844);
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ));

  test("a comment that begins with a comma follows its move at once, and moves of other games of chess are shown", async () => {
    const own = shelf.path("comma.pgn");
    writeFileSync(own, '[White "A"]\n\n1. e4 {, the king\'s pawn} e5 {a reply} *\n\n[White "B"]\n[Variant "Atomic"]\n\n1. Nf3 f6 2. Nd4 *\n\n');
    try {
      await onServer(own, "/db/comma.pgn/game/1", async (page) => {
        await eventually(async () => assert.match(await page.locator(".notation").innerText(), /e4, the king's pawn 1… e5 a reply/));
        await page.goto(page.url().replace("game/1", "game/2"));
        await eventually(async () => assert.match(await page.locator(".notation").innerText(), /cannot be played here: 1\. Nf3 f6 2\. Nd4/));
      });
    } finally {
      rmSync(own);
    }
  });

  test("a game without moves is shown", () =>
    scenario("/db/games.pgn/game/6", async (page) => {
      await page.locator(".notation .result").waitFor();
      await eventually(async () => assert.equal(await moves(page).count(), 0));
    }));

  test("a pawn becomes the piece that is chosen, with the pointer and with the keyboard", async () => {
    const fen = "6k1/P7/8/8/8/8/2p3p1/1N2K3 w - - 0 1";
    const start = `/explorer?src=league.bin&fen=${encodeURIComponent(fen)}`;
    await scenario(start, async (page, view) => {
      await canMove(page);
      const choice = page.getByRole("group", { name: "a8 becomes" });
      await page.locator('[data-square="a7"]').click();
      await page.locator('[data-square="a8"]').click();
      await eventually(async () => assert.deepEqual(await choice.getByRole("button").evaluateAll((all) => all.map((button) => button.ariaLabel)), ["queen", "rook", "bishop", "knight"]));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "promotion.png") });
      // Escape leaves the pawn where it is, and the letters of the page do nothing meanwhile.
      await page.keyboard.press("f");
      await page.keyboard.press("Escape");
      await eventually(async () => assert.equal(await choice.count(), 0));
      assert.equal(await piece(page, "a7"), "P");
      await page.locator('[data-square="a7"]').dragTo(page.locator('[data-square="a8"]'));
      await choice.getByRole("button", { name: "rook" }).click();
      await eventually(async () => assert.equal(await piece(page, "a8"), "R"));
      await page.waitForURL(/a7a8r/);
      await page.goto(`${server.base}${start.replace("%20w%20", "%20b%20")}`);
      await canMove(page);
      await page.locator('[data-square="c2"]').focus();
      await page.keyboard.press("Enter");
      await page.locator('[data-square="b1"]').focus();
      await page.keyboard.press("Enter");
      await page.getByRole("group", { name: "b1 becomes" }).waitFor();
      for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await eventually(async () => assert.equal(await piece(page, "b1"), "n"));
      view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 400/.test(note)));
    });
  });

  test("the names of the players lead to what else they played", () =>
    scenario("/db/league.pgn/game/3", async (page) => {
      const name = page.locator(".who a").first();
      const text = await name.innerText();
      await name.click();
      await page.waitForURL(/\/player\/.*db=league/);
      await page.locator("h1", { hasText: text }).waitFor();
    }));

  test("a swipe over the buttons below the board steps through the game", () =>
    scenario(
      path,
      async (page) => {
        await moves(page).first().waitFor();
        const session = await page.context().newCDPSession(page);
        const { x, y, width } = await page.locator(".controls").boundingBox();
        const swipe = async (from, to) => {
          const touch = (type, at) => session.send("Input.dispatchTouchEvent", { type, touchPoints: at === null ? [] : [{ x: x + width * at, y: y + 20 }] });
          await touch("touchStart", from);
          await touch("touchMove", to);
          await touch("touchEnd", null);
        };
        await page.locator(".controls").scrollIntoViewIfNeeded();
        await swipe(0.8, 0.3);
        await eventually(async () => assert.match(await currentMove(page).textContent(), /^e4/));
        await swipe(0.8, 0.3);
        await eventually(async () => assert.match(await currentMove(page).textContent(), /^e5/));
        await swipe(0.2, 0.7);
        await eventually(async () => assert.match(await currentMove(page).textContent(), /^e4/));
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ));

  test("a tried move is a line of its own and goes away", () =>
    scenario(path, async (page) => {
      await canMove(page);
      await page.locator('[data-square="d2"]').click();
      await page.locator('[data-square="d4"].target').waitFor();
      await page.locator('[data-square="d4"]').click();
      await page.locator(".trial").waitFor();
      await eventually(async () => assert.match(await page.locator(".trial").textContent(), /d4/));
      await page.keyboard.press("ArrowLeft");
      await page.waitForFunction(() => document.querySelector(".trial") === null);
    }));

  test("a move of the game tried on the board follows the game", () =>
    scenario(path, async (page) => {
      await canMove(page);
      await page.locator('[data-square="e2"]').dragTo(page.locator('[data-square="e4"]'));
      await currentMove(page).waitFor();
      await eventually(async () => assert.match(await currentMove(page).textContent(), /^e4/));
    }));

  test("the position is text, and moves can be typed", () =>
    scenario(path, async (page) => {
      await moves(page).first().waitFor();
      await page.keyboard.press("x");
      await eventually(async () => assert.match(await page.locator(".as-text").textContent(), /king e1/));
      await canMove(page);
      await page.fill(".as-text input", "e4");
      await page.keyboard.press("Enter");
      await currentMove(page).waitFor();
      await page.fill(".as-text input", "Qh9");
      await page.keyboard.press("Enter");
      await eventually(async () => assert.match(await page.locator(".as-text [role=alert]").textContent(), /not a legal move/));
    }));

  test("numbers of millions of games are whole", () =>
    scenario("/", async (page, view) => {
      await page.route("**/api/v1/games?*", async (route) => {
        const json = await (await route.fetch()).json();
        const rows = json.rows?.map(([db, game, ...others]) => [db, game + 11_961_285, ...others]);
        await route.fulfill({ json: { ...json, rows, total: 11_964_285, count: 11_964_285 } });
      });
      await page.goto(`${server.base}/games?db=league.pgn`);
      const numbers = page.locator(".layer .row:not([hidden]):not(.skeleton) .c-game");
      await eventually(async () => assert.equal(await numbers.first().textContent(), "11,961,286"));
      await eventually(async () => assert.deepEqual(await numbers.evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length), 0), 5000);
      await page.unroute("**/api/v1/games?*");
      // There is no such game for the preview.
      await page.waitForTimeout(300);
      view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 404/.test(note)));
    }));

  test("the game next to the list opens before the server answers, and a changed one is replaced", () =>
    scenario("/games?db=league.pgn&at=3", async (page) => {
      await page.locator(".preview .line").waitFor();
      let answer = () => {};
      const isAsked = new Promise((asked) => {
        void page.route("**/api/v1/db/league.pgn/games/3", async (route) => {
          asked();
          await new Promise((done) => (answer = done));
          const json = await (await route.fetch()).json();
          json.fingerprint = "another";
          json.tags = json.tags.map((tag) => (tag.name === "White" ? { ...tag, value: "Changed, A" } : tag));
          await route.fulfill({ json });
        });
      });
      await page.locator(".list").focus();
      await page.keyboard.press("Enter");
      await isAsked;
      await moves(page).first().waitFor({ timeout: 5000 });
      assert.doesNotMatch(await page.locator(".who").textContent(), /Changed/);
      answer();
      await page.locator(".who", { hasText: "Changed, A" }).waitFor();
      await page.unroute("**/api/v1/db/league.pgn/games/3");
    }));

  test("next and previous game, back to the list", () =>
    scenario("/games?db=league.pgn&q=white%3Acarlsen", async (page) => {
      await rows(page).nth(1).click();
      await moves(page).first().waitFor();
      const first = await page.locator(".game-nav .sub").textContent();
      await page.locator(".game-nav a", { hasText: "Next" }).waitFor();
      await page.keyboard.press("n");
      await page.waitForFunction((text) => document.querySelector(".game-nav .sub")?.textContent !== text, first);
      await page.locator(".game-nav a", { hasText: "Previous" }).waitFor();
      await page.keyboard.press("p");
      await page.waitForFunction((text) => document.querySelector(".game-nav .sub")?.textContent === text, first);
      await page.keyboard.press("Escape");
      await page.waitForURL(/games\?db=league.pgn&q=white/);
    }));

  test("back to the list is back to the row of the game, with the focus on the list", () =>
    scenario("/games?db=league.pgn&at=500", async (page) => {
      const active = page.locator(".layer .row.active");
      await eventually(async () => assert.equal(await active.getAttribute("aria-rowindex"), "501"));
      await page.keyboard.press("Enter");
      await moves(page).first().waitFor();
      await page.locator(".game-nav a", { hasText: "Next" }).waitFor();
      await page.keyboard.press("n");
      await page.waitForURL(/game\/501/);
      await page.locator('.game-nav a[href*="at=501"]').waitFor();
      await page.keyboard.press("Escape");
      await eventually(async () => assert.equal(await active.getAttribute("aria-rowindex"), "502"));
      await page.keyboard.press("ArrowDown");
      await eventually(async () => assert.equal(await active.getAttribute("aria-rowindex"), "503"));
    }));

  test("the tab of books has books only", () =>
    scenario(path, async (page) => {
      await moves(page).first().waitFor();
      await page.keyboard.press("b");
      await page.locator(".panel .explorer-table tbody tr").nth(1).waitFor();
      await eventually(async () => assert.match(page.url(), /tab=book/));
      const names = await page.locator(".panel .chip bdi").allTextContents();
      assert.ok(names.length > 0 && names.every((name) => /\.(bin|abk|ctg|kob)$/.test(name)), String(names));
    }));

  test("references lead to other games and are found with the keyboard", () =>
    scenario("/db/league.pgn/game/2?tab=references", async (page) => {
      const links = page.locator(".references a");
      await eventually(async () => assert.deepEqual((await links.allTextContents()).slice(0, 4), ["Carlsen, B", "Anand, D", "Carlsen, B – Anand, D", "Open 2"]));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "references.png") });
      await page.locator("#tab-references").focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowLeft");
      await links.nth(3).click();
      await page.waitForFunction(() => /^75 of 3,000/.test(document.querySelector(".found")?.textContent ?? ""));
    }));

  test("a quoted game is a link to the game of a database on the shelf", async () => {
    const library = makeLibrary();
    try {
      await onServer(library.folder, "/db/tabia.cbh/game/1", async (page, _, other) => {
        const total = (await other.api("games?db=tabia.cbh&n=1")).total;
        for (let game = 1; game <= total; game++) {
          const found = await other.api(`db/tabia.cbh/games/${game}`);
          if (!JSON.stringify(found).includes('"quotation"')) continue;
          await page.goto(`${other.base}/db/tabia.cbh/game/${game}?tab=references`);
          await page.locator(".references li button").first().waitFor();
          await axeFindsNothing(page);
          await page.screenshot({ path: join(pictures, "quotation.png") });
          return;
        }
      });
    } finally {
      library.remove();
    }
  });

  test("a game as it is stored: fields and bytes", () =>
    scenario("/db/games.pgn/game/2?tab=raw", async (page) => {
      await page.locator(".bytes").waitFor();
      await eventually(async () => assert.match(await page.locator(".bytes").textContent(), /5b 45 76 65 6e 74 20 22 57 63 68 22 5d 0a 5b 53 {2}\[Event "Wch"\]·\[S/));
      await eventually(async () => assert.match(await page.locator(".panel-text .facts").textContent(), /Таль, Михаил.*1960\.03\.15/));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "stored.png") });
      for (const [path, parts] of [
        ["games-si4.si4", [/Index entry.*47 bytes of games-si4\.si4 from 182$/, /Game.*games-si4\.sg4 from 0$/]],
        ["games-sci.sci", [/Index entry.*56 bytes of games-sci\.sci from 128$/, /Game.*games-sci\.scg from/]],
        ["games-cbh.cbh", [/Index entry.*46 bytes of games-cbh\.cbh from 46$/, /Extended entry.*games-cbh\.cbj from/, /Moves.*games-cbh\.cbg from/, /Annotations.*games-cbh\.cba from/]],
      ]) {
        await page.goto(`${server.base}/db/${path}/game/1?tab=raw`);
        await page.locator(".panel-text .bytes").first().waitFor();
        for (const [index, expected] of parts.entries()) {
          const section = page.locator(".panel-text section").nth(index);
          await eventually(async () => assert.match(`${await section.locator("h2").textContent()}: ${await section.locator("p").first().textContent()}`, expected));
        }
      }
      await axeFindsNothing(page);
    }));

  test("tags, PGN and its profiles", () =>
    scenario(`${path}?tab=tags`, async (page) => {
      await page.locator(".tags").waitFor();
      await eventually(async () => assert.match(await page.locator(".tags").textContent(), /Нимцович/));
      await page.locator("#tab-pgn").click();
      await page.locator(".pgn").waitFor();
      await page.selectOption(".panel select", "seven");
      await page.waitForFunction(() => !document.querySelector(".pgn")?.textContent?.includes("Annotator"));
    }));

  test("FEN and PGN are copied", () =>
    scenario(`${path}?ply=1`, async (page) => {
      await currentMove(page).waitFor();
      await page.keyboard.press("c");
      await page.waitForSelector("#live.toast");
      await eventually(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^rnbqkbnr\/pppppppp\/8\/8\/4P3/));
      await page.keyboard.press("Shift+C");
      await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes("[Event"));
    }));

  test("the explorer tab follows the moves", () =>
    scenario("/db/league.pgn/game/1?tab=explorer", async (page) => {
      await page.locator(".explorer-table tbody tr").first().waitFor();
      await page.locator(".move-button", { hasText: "e4" }).click();
      await page.waitForFunction(() => document.querySelector(".move-button")?.textContent !== "e4");
    }));

  test("the explorer tab shows the database of the game first, whatever was chosen before", () =>
    scenario("/explorer?src=league.bin", async (page) => {
      await page.locator(".sources select").selectOption("league.ctg");
      await eventually(async () => assert.equal(await page.locator(".sources .chip").count(), 2));
      await page.goto(`${server.base}/db/games.pgn/game/1?tab=explorer`);
      await eventually(async () => assert.deepEqual(await page.locator(".sources .chip bdi").allTextContents(), ["games.pgn", "league.bin", "league.ctg"]));
      await page.goto(`${server.base}/db/twice.pgn/game/1?tab=explorer`);
      await eventually(async () => assert.deepEqual(await page.locator(".sources .chip bdi").allTextContents(), ["twice.pgn", "league.bin", "league.ctg"]));
    }));

  test("on paper a game is whole, without what only a screen needs", () =>
    scenario(path, async (page) => {
      await moves(page).first().waitFor();
      await page.emulateMedia({ media: "print" });
      const cut = await page.evaluate(() => {
        const isCut = (element) => !element.matches(".visually-hidden") && element.scrollHeight > element.clientHeight + 1 && getComputedStyle(element).overflowY !== "visible";
        return [...document.querySelectorAll("html, body, .app, main, main *")].filter(isCut).map((element) => element.className);
      });
      assert.deepEqual(cut, []);
      for (const selector of [".top", ".controls", ".tabs", ".game-nav"]) assert.equal(await page.locator(selector).isVisible(), false, selector);
      assert.ok(await page.locator(".squares").isVisible());
      const [notation, app] = await Promise.all([page.locator(".notation").boundingBox(), page.locator(".app").boundingBox()]);
      assert.ok(notation.y + notation.height <= app.y + app.height + 1);
    }));

  test("on a phone on its side the board is whole, with its buttons, and the rest scrolls as one", () =>
    scenario(
      path,
      async (page) => {
        await moves(page).first().waitFor();
        const bottom = await page.locator(".controls").evaluate((element) => element.getBoundingClientRect().bottom);
        assert.ok(bottom <= 390, String(bottom));
        const scrolled = await page.evaluate(() =>
          [...document.querySelectorAll("main, main *")].filter((element) => element.scrollHeight > element.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(element).overflowY)).map((element) => element.className),
        );
        assert.deepEqual(scrolled, ["text-side"]);
      },
      { viewport: { width: 844, height: 390 } },
    ));

  test("unknown games and databases are errors with words", async () => {
    for (const bad of ["/db/games.pgn/game/99", "/db/absent.pgn/game/1"]) {
      const view = await open(browser, server, bad);
      await view.page.waitForSelector(".error");
      await eventually(async () => assert.match(await view.page.locator(".error").textContent(), /no game 99|no input has the id/));
      view.problems.length = 0;
      await view.close();
    }
  });

  test("right-to-left names do not disturb the line", () =>
    scenario("/db/games.pgn/game/3", async (page) => {
      await moves(page).first().waitFor();
      await eventually(async () => assert.ok((await page.locator(".who bdi").count()) >= 2));
      await eventually(async () => assert.match(await page.locator(".who").textContent(), /כהן/));
    }));

  test("a variation is in the address by its line, and old addresses with the number of a move are read", () =>
    scenario(`${path}?ply=4&line=1.1`, async (page) => {
      const shown = async (text) => eventually(async () => assert.equal(await currentMove(page).textContent(), text));
      // The second move of the Falkbeer is in a variation of the first one.
      await shown("d5");
      await page.keyboard.press("ArrowRight");
      await shown("exd5");
      await page.waitForURL(/ply=5&line=1\.1$/);
      await page.reload();
      await shown("exd5");
      await page.keyboard.press("Shift+ArrowRight");
      await page.waitForURL(/ply=5&line=1\.1\.1$/);
      await shown("♘f3");
      await page.keyboard.press("End");
      await page.waitForURL(/ply=6&line=1\.1\.1$/);
      await page.keyboard.press("Home");
      await page.waitForURL((url) => url.search === "");
      // What the game does not have is its mainline.
      await page.goto(`${server.base}${path}?ply=3&line=7.2`);
      await shown("♘f3");
      // Node 4 is the first move of the first variation.
      await page.goto(`${server.base}${path}?node=4`);
      await shown("f4!?");
      await page.keyboard.press("ArrowRight");
      await page.waitForURL(/\?ply=4&line=1$/);
    }));
});

describe("explorer", () => {
  test("shows several sources next to each other", () =>
    scenario("/explorer?src=league.ctg,league.bin,league.pgn", async (page) => {
      await page.locator(".explorer-table tbody tr").nth(2).waitFor();
      await page.waitForFunction(() => document.querySelectorAll(".top-games tbody tr").length === 15);
      await eventually(async () => assert.equal(await page.locator(".explorer-table thead th[colspan]").count() >= 2, true));
      await eventually(async () => assert.match(await page.locator(".explorer-table .sum").textContent(), /3,000/));
      await page.screenshot({ path: join(pictures, "test-explorer.png") });
    }));

  for (const name of ["league.bin", "league.abk", "league.ctg", "league_0.kob"]) {
    test(`${name} answers`, () =>
      scenario(`/explorer?src=${name}`, async (page) => {
        await page.locator(".move-button", { hasText: "e4" }).waitFor();
      }));
  }

  test("moves by click, back, forward, and the address keeps the line", () =>
    scenario("/explorer?src=league.ctg", async (page) => {
      await page.locator(".move-button", { hasText: "e4" }).click();
      await page.waitForURL(/play=e2e4/);
      await page.locator(".opening b").waitFor();
      await page.keyboard.press("ArrowLeft");
      await page.waitForFunction(() => document.querySelector('[data-square="e2"]')?.getAttribute("data-piece") === "P");
      await page.keyboard.press("ArrowRight");
      await page.waitForURL(/play=e2e4/);
      await page.reload();
      await page.waitForFunction(() => document.querySelector('[data-square="e4"]')?.getAttribute("data-piece") === "P");
    }));

  for (const path of ["/explorer?src=league.ctg", "/book/league.ctg", "/db/league.pgn/game/1?tab=explorer"]) {
    test(`the move of the row with the pointer or the focus is an arrow on the board: ${path}`, () =>
      scenario(path, async (page) => {
        const button = (san) => page.getByRole("button", { name: san, exact: true });
        const arrows = async (...expected) => {
          const squares = (element) =>
            element.getAttribute("points").split(" ").filter((_, index) => index === 0 || index === 3).map((point) => {
              const [x, y] = point.split(",");
              return "abcdefgh"[Math.floor(x)] + (8 - Math.floor(y));
            }).join("");
          await eventually(async () => {
            const found = await page.locator(".marks .pointed").all();
            assert.deepEqual(await Promise.all(found.map((arrow) => arrow.evaluate(squares))), expected);
          }, 5000);
        };
        await button("e4").waitFor();
        await arrows();
        await button("d4").hover();
        await arrows("d2d4");
        await button("e4").hover();
        await arrows("e2e4");
        await page.mouse.move(2, 2);
        await arrows();
        await button("e4").focus();
        await arrows("e2e4");
        await page.keyboard.press("Enter");
        // The focus is on the first move of the next position.
        await button("c5").waitFor();
        await button("c5").focus();
        await arrows("c7c5");
        await page.evaluate(() => document.activeElement.blur());
        await arrows();
      }));
  }

  test("with more contrast the parts of a bar differ by more than their shade", () =>
    scenario(
      "/explorer?src=league.pgn",
      async (page) => {
        await page.locator(".sum .part-b").waitFor();
        const edges = await page.locator(".sum .bar > *").evaluateAll((parts) =>
          parts.map((part) => {
            const { borderBottomWidth, borderBottomColor, borderImageSource } = getComputedStyle(part);
            return [borderBottomWidth, borderBottomColor, borderImageSource.split("(")[0]].join(" ");
          }),
        );
        assert.equal(new Set(edges).size, 3, String(edges));
        assert.ok(edges.every((edge) => edge.startsWith("4px")), String(edges));
        await page.locator(".sum .bar").screenshot({ path: join(pictures, "contrast-bar.png") });
      },
      { contrast: "more" },
    ));

  test("sources are added and removed", () =>
    scenario("/explorer?src=league.ctg", async (page) => {
      await page.locator(".explorer-table tbody tr").first().waitFor();
      await page.selectOption(".sources select", "league.bin");
      await page.waitForURL(/src=league.ctg%2Cleague.bin/);
      await page.locator(".sources .chip button").first().click();
      await page.waitForURL(/src=league.bin/);
    }));

  test("a position that cannot be read is stated, and the view stays", async () => {
    const refused = (view) => view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 400/.test(note)));
    await scenario("/explorer?src=league.bin&fen=nonsense", async (page, view) => {
      await page.locator(".error", { hasText: "fen" }).waitFor();
      assert.equal(await page.locator(".fen-form input").inputValue(), "nonsense");
      assert.equal(await page.locator(".squares [data-piece]:not([data-piece=''])").count(), 0, "the board is empty");
      await page.locator(".fen-form input").fill("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
      await page.locator(".fen-form button").click();
      await eventually(async () => assert.equal(await piece(page, "e2"), "P"));
      await page.locator(".error").waitFor({ state: "detached" });
      // In the field: the position before stays on the board.
      await page.locator(".fen-form input").fill("4k3/8/8 w");
      await page.locator(".fen-form button").click();
      await page.locator(".error", { hasText: "fen" }).waitFor();
      assert.equal(await piece(page, "e2"), "P");
      assert.equal(await page.locator(".fen-form input").inputValue(), "4k3/8/8 w");
      refused(view);
    });
    await scenario("/book/league.bin?fen=nonsense", async (page, view) => {
      await page.locator(".error", { hasText: "fen" }).waitFor();
      await page.locator("main a", { hasText: "league.bin" }).click();
      await page.locator(".book-view .move-button").first().waitFor();
      refused(view);
    });
  });

  test("addresses without an input lead to a choice", async () => {
    for (const [path, wanted, heading] of [
      ["/health", "league.pgn", "league.pgn"],
      ["/health", "league.bin", "league.bin"],
      ["/book/", "league.bin", "league.bin"],
      ["/games", "league.pgn", ""],
    ]) {
      await scenario(path, async (page) => {
        await page.getByRole("heading", { name: "Choose what to show" }).waitFor();
        if (path === "/book/") assert.equal(await page.locator("main a", { hasText: "league.pgn" }).count(), 0, "books only");
        await page.locator("main").getByRole("link", { name: wanted, exact: true }).click();
        if (heading === "") await rows(page).first().waitFor();
        else await page.locator("main h1", { hasText: heading }).waitFor();
      });
    }
  });

  test("a position that no source has", () =>
    scenario("/explorer?src=league.bin&fen=8%2F8%2F8%2F8%2F8%2F4k3%2F8%2F4K2R+w+-+-+0+1", async (page) => {
      await page.locator(".explorer .empty").waitFor();
    }));

  for (const name of ["league.pgn", "all.zip~league.pgn"]) {
    test(`the games of a move are a list, ${name}`, () =>
      scenario(`/explorer?src=${name}&play=e2e4`, async (page) => {
        const link = page.getByRole("link", { name: /^Games with c5: / });
        await link.waitFor();
        // Counts grow while the games are read.
        await page.locator(".explorer-foot").waitFor();
        const count = (await link.textContent()).trim();
        await link.click();
        await page.waitForURL(/move%3Ac7c5/);
        await eventually(async () => {
          const found = await page.locator(".found").textContent();
          assert.ok(found.startsWith(`${count} of 3,000`), `${found}: ${count}`);
        });
      }));
  }

  test("a query chooses the games that count, and the sum is first", () =>
    scenario("/explorer?src=league.pgn", async (page) => {
      const sum = page.locator(".explorer-table tbody tr").first();
      await eventually(async () => assert.match(await sum.textContent(), /^All3,000/));
      await page.fill(".explorer-filter input", "white:carlsen");
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=white/);
      await eventually(async () => assert.match(await sum.textContent(), /^All300/));
      await page.locator(".move-button", { hasText: "e4" }).click();
      await page.waitForURL(/play=e2e4/);
      await eventually(async () => assert.ok(page.url().includes("q=white")));
      await page.getByRole("button", { name: "Show all games" }).click();
      await eventually(async () => assert.ok(!page.url().includes("q=white") && page.url().includes("play=e2e4")));
    }));

  test("one source has a filter of its own, and the address keeps it", () =>
    scenario("/explorer?src=league.pgn,packed.pgn.gz", async (page) => {
      await page.locator(".explorer-table tbody tr").nth(3).waitFor();
      const sums = async () => (await page.locator(".sum td.n").allTextContents()).filter((text) => text !== "").slice(0, 2);
      await eventually(async () => assert.deepEqual(await sums(), ["3,000", "3,000"]));
      await page.getByRole("button", { name: "Filter of packed.pgn.gz" }).focus();
      await page.keyboard.press("Enter");
      await page.keyboard.type("white:carlsen");
      await axeFindsNothing(page);
      await page.keyboard.press("Enter");
      await eventually(async () => assert.deepEqual(await sums(), ["3,000", "300"]));
      await page.screenshot({ path: join(pictures, "own-filter.png") });
      await page.reload();
      await eventually(async () => assert.deepEqual(await sums(), ["3,000", "300"]));
      const href = await page.locator(".explorer-table tbody tr").nth(1).locator("a").nth(1).getAttribute("href");
      assert.match(decodeURIComponent(href), /packed\.pgn\.gz.*white:carlsen/);
    }));

  test("moves that were first played after a year are marked", async () => {
    const path = shelf.path("years.pgn");
    const game = (year, moves) => `[White "A"]\n[Black "B"]\n[Date "${year}.??.??"]\n\n${moves} *\n\n`;
    writeFileSync(path, game(1990, "1. e4") + game(2021, "1. e4") + game(2022, "1. g4"));
    try {
      await onServer(path, "/explorer?src=years.pgn", async (page) => {
        await page.locator(".explorer-table tbody tr").nth(2).waitFor();
        await page.locator(".explorer-foot input").fill("2020");
        await page.locator(".explorer-foot input").press("Enter");
        await eventually(async () => assert.equal(await page.locator(".mark.new").count(), 1));
        await eventually(async () => assert.equal(await page.locator("tr", { hasText: "g4" }).locator(".mark.new").getAttribute("aria-label"), "first played in 2022"));
        await axeFindsNothing(page);
        await page.screenshot({ path: join(pictures, "novelty.png") });
      });
    } finally {
      rmSync(path);
    }
  });

  test("a table is saved as CSV", () =>
    scenario("/explorer?src=league.pgn", async (page) => {
      const button = page.getByRole("button", { name: "Save as CSV: Moves of the position" });
      await button.waitFor();
      const started = page.waitForEvent("download");
      await button.click();
      const file = await started;
      assert.equal(file.suggestedFilename(), "explorer.csv");
      const text = readFileSync(await file.path(), "utf8");
      assert.match(text, /^\ufeffMove,league\.pgn.*\r\nAll,,"3,000",.*White \d+ %/);
      assert.match(text, /\r\ne4,/);
    }));

  test("a game of the list opens at the position", () =>
    scenario("/explorer?src=league.pgn&play=e2e4", async (page) => {
      await page.locator(".top-games a").first().click();
      await currentMove(page).waitFor();
      await eventually(async () => assert.equal(await currentMove(page).textContent(), "e4"));
    }));

  test("each of several sources has the share of a move", () =>
    scenario("/explorer?src=league.ctg,league.pgn,games.pgn", async (page) => {
      const row = page.locator(".explorer-table tbody tr", { has: page.locator(".move-button", { hasText: /^e4$/ }) });
      await eventually(async () => assert.equal(await row.locator("td.share").count(), 3));
      const [book, database, own] = await row.locator("td.share").allTextContents();
      assert.equal(book, database, "the book was made of the database");
      assert.match(database, /^6\d %$/);
      assert.notEqual(own, database);
    }));

  test("a transposition names the other moves that lead to it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tabia-orders-"));
    const game = (moves) => `[White "A"]\n[Black "B"]\n[Result "*"]\n\n${moves} *\n\n`;
    const orders = join(folder, "orders.pgn");
    writeFileSync(orders, game("1. d4 Nf6 2. c4 e6 3. Nf3 d5") + game("1. d4 d5 2. c4 e6 3. Nf3 Nf6") + game("1. Nf3 d5 2. d4 Nf6 3. c4 e6"));
    run("index", orders);
    try {
      await onServer(folder, "/explorer?src=orders.pgn&play=d2d4,g8f6,c2c4,e7e6,g1f3", async (page) => {
        const other = page.locator(".explorer-table tbody tr[data-uci=d7d5] .other-order");
        // The first move that is another one than on the board.
        await eventually(async () => assert.equal(await other.textContent(), "also by 1…d5 …"));
        assert.equal(await other.getAttribute("title"), "also by 1.d4 d5 2.c4 e6 3.♘f3 ♘f6");
        await axeFindsNothing(page);
        await other.click();
        await page.waitForURL(/\/db\/orders\.pgn\/game\/2\?ply=6/);
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("the board is read as text and moves are typed", () =>
    scenario("/explorer?src=league.pgn", async (page) => {
      await page.locator(".explorer-table tbody .move-button").first().waitFor();
      await page.keyboard.press("x");
      await page.locator(".as-text", { hasText: "king e1, queen d1" }).waitFor();
      await page.waitForURL(/view=text/);
      const field = page.locator(".as-text input");
      await field.fill("d4");
      await field.press("Enter");
      await page.waitForURL(/play=d2d4/);
      await page.locator(".as-text", { hasText: "Black to move" }).waitFor();
      await field.fill("Ke2");
      await field.press("Enter");
      await page.locator(".as-text [role=alert]", { hasText: "Ke2" }).waitFor();
      await axeFindsNothing(page);
      await page.reload();
      await page.locator(".as-text", { hasText: "g2 h2 d4" }).waitFor();
      await page.getByRole("button", { name: "Position as text" }).click();
      await page.locator(".as-text").waitFor({ state: "detached" });
    }));
});

describe("check", () => {
  test("a database without problems", () =>
    scenario("/health?db=league.pgn", async (page) => {
      await page.locator(".state.ok").waitFor();
      await page.locator("h2", { hasText: "What was read" }).waitFor();
    }));

  test("in German no text of the server is English: problems, queries, losses, spellings", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tabia-german-"));
    const game = (white, rest) => `[White "${white}"]\n[Black "Short, Nigel"]\n[Date "1999.05.01"]\n\n${rest}\n\n`;
    writeFileSync(
      join(folder, "damaged.pgn"),
      game("Adams, Michael", "1. e4 e5 2. Ke3 *") + game("Adams, M.", "1. e4 e5 2. Ke3 {here} (2. Nf3 (2. d4 *") + game("ADAMS, Michael", "1. e4 e9 $1 *") + game("Adams, Michael", "1. e4 {never closed"),
    );
    writeFileSync(join(folder, "short.cbh"), "this is no database");
    writeFileSync(join(folder, "empty.bin"), "");
    writeFileSync(join(folder, "short.si5"), "");
    try {
      await onServer(folder, "/", async (page, view, other) => {
        await page.evaluate(() => localStorage.setItem("tabia.settings", JSON.stringify({ language: "de" })));
        const isGerman = async (path, wanted) => {
          await page.goto(`${other.base}${path}`);
          await eventually(async () => assert.match(await page.locator("main").innerText(), wanted), 10_000);
          const english = await page.evaluate(() => {
            // What each field asks is in English, and so marked.
            for (const list of document.querySelectorAll(".fields")) list.remove();
            return [...document.querySelectorAll('main [lang="en"]')].map((element) => element.textContent);
          });
          assert.deepEqual(english.filter((text) => text !== ""), [], path);
          assert.doesNotMatch(await page.locator("main").innerText(), /\b(the|is|are|not|has|with|this|cannot|did|you|file|move|query)\b/, path);
        };
        await isGerman("/", /So beginnt weder eine Datenbank|Bytes, der Kopf allein hat/);
        await isGerman("/health?db=damaged.pgn", /Ke3 ist ein unzulässiger Zug\.[^]*Der Kommentar hat kein Ende\./);
        await isGerman("/db/damaged.pgn/game/1", /Ke3 ist ein unzulässiger Zug\./);
        await isGerman("/convert?db=damaged.pgn&to=si4", /Ke3 ist ein unzulässiger Zug\./);
        for (const [query, text] of [
          ["plaier:carlsen", "„plaier“ ist kein Feld."], ["elo:high", "Ein Beispiel: elo:>=2700"], ["elo>2700", "fehlt ein Doppelpunkt"],
          ["white:", "„white:“ hat keinen Wert."], ["white: carlsen", "ein Leerzeichen beendet"], ["(white:a", "nicht geschlossen"],
          ["a OR", "Nach diesem OR"], ["OR a", "Vor diesem OR"], ["-sort:date", "nicht verneint"], ["sort:foo", "Möglich sind"],
          ["date:2020..2010", "Gemeint ist vielleicht: date:2010..2020"], ["result:2-0", "passt hier nicht"], ["white:/kar", "Schrägstrich"],
          ['line:"e4 Ke3"', "in dieser Stellung nicht möglich"], ["fen:xyz", "keine FEN"], ["a -> b", "Vor diesem Schritt"], ["()", "steht nichts"],
        ]) {
          const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
          await isGerman(`/games?db=damaged.pgn&q=${encodeURIComponent(query)}`, new RegExp(escaped));
        }
        view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 4(00|22)/.test(note)));
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("problems by kind lead to their games", () =>
    scenario("/health?db=games.pgn", async (page) => {
      await page.locator(".state.bad").waitFor();
      const started = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save as JSON" }).click();
      const report = JSON.parse(readFileSync(await (await started).path(), "utf8"));
      assert.ok(report.problems > 0 && report.kinds.length > 0);
      await page.screenshot({ path: join(pictures, "test-check.png") });
      await page.locator(".kinds a", { hasText: "Game 5" }).click();
      await page.locator(".problem").waitFor();
    }));

  test("a kind of problems has a title without what differs, and the number of its problems", async () => {
    const path = shelf.path("wrong.pgn");
    const game = (moves) => `[White "A"]\n[Black "B"]\n[Result "*"]\n\n${moves} *\n\n`;
    writeFileSync(path, ["1. e4 e5 2. Ke3", "1. d4 d5 2. Ne5", "1. c4 Qd5", "1. e4 {open"].map(game).join(""));
    try {
      await onServer(path, "/health?db=wrong.pgn", async (page) => {
        await page.locator(".state.bad").waitFor();
        const kinds = page.locator(".kinds > li");
        await eventually(async () => assert.equal(await kinds.first().locator("summary").innerText(), "3 × `…` is an illegal move"));
        await eventually(async () => assert.match(await kinds.first().locator("li").nth(2).innerText(), /^Game 3: `Qd5` is an illegal move/));
        // A single problem is its own title.
        await eventually(async () => assert.match(await kinds.nth(1).innerText(), /^1 × Game 4: the comment is not closed \(line \d+/));
        const counts = await kinds.evaluateAll((all) => all.map((kind) => Number.parseInt(kind.querySelector("b").textContent, 10)));
        await eventually(async () => assert.equal(await page.locator(".state.bad").innerText(), `Problems: ${counts.reduce((a, b) => a + b)}`));
        await axeFindsNothing(page);
      });
    } finally {
      rmSync(path);
    }
  });

  for (const [locale, symbols, checked] of [["en-GB", "symbols such as ! and ?", "Comments"], ["de-DE", "Zeichen wie ! und ?", "Kommentare"]]) {
    test(`what was read and what is lost is in words, ${locale}`, () =>
      scenario(
        "/health?db=games.pgn",
        async (page) => {
          await eventually(async () => {
            const words = await page.locator(".counts").innerText();
            assert.match(words.toLowerCase(), new RegExp(symbols.replaceAll("?", "\\?").toLowerCase()));
            assert.match(words.toLowerCase(), new RegExp(checked.toLowerCase()));
            assert.ok(!/nags|evals/i.test(words), words);
          });
          await page.goto(`${server.base}/convert?db=games.pgn&to=si3`);
          await page.locator(".data tbody th").first().waitFor();
          await eventually(async () => assert.doesNotMatch(await page.locator(".data").innerText(), /\bNAGs?\b/i));
          await eventually(async () => assert.equal(await page.locator(".data tbody th [lang=en]").count(), locale === "en-GB" ? await page.locator(".data tbody th").count() : 0));
        },
        { locale },
      ));
  }

  test("repair, spellings and character sets are found on request", () =>
    scenario("/health?db=games.pgn", async (page) => {
      await page.locator(".on-request").nth(2).waitFor();
      for (const button of await page.getByRole("button", { name: /^Find: / }).all()) await button.focus();
      for (let left = 4; left > 0; left--) {
        await page.getByRole("button", { name: /^Find: / }).first().click();
        await eventually(async () => assert.equal(await page.getByRole("button", { name: /^Find: / }).count(), left - 1));
      }
      await page.locator(".on-request", { hasText: /whole: \d+, damaged: 1/ }).waitFor();
      await page.locator(".charsets", { hasText: "Müller, Jürgen" }).waitFor();
      await page.locator(".charsets", { hasText: "MÃ¼ller" }).waitFor();
      await page.locator(".on-request", { hasText: /Each name has one spelling|Names with several/ }).waitFor();
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "further.png"), fullPage: true });
    }));

  test("the command of names gives those that were chosen", async () => {
    const path = shelf.path("names.pgn");
    const game = (white) => `[White "${white}"]\n[Black "Tal, Mihail"]\n[Result "*"]\n\n1. e4 *\n\n`;
    writeFileSync(path, game("Kasparov, Garry").repeat(3) + game("Kasparov, G.") + game("Carlsen, Magnus").repeat(3) + game("Carlsen,M"));
    try {
      await onServer(path, "/health?db=names.pgn", async (page) => {
        await page.getByRole("button", { name: "Find: Names in several spellings" }).click();
        const command = page.locator(".command", { hasText: "tabia names" }).locator("code");
        await eventually(async () => assert.equal(await command.textContent(), `tabia names ${path} --tsv > names.tsv`));
        await page.getByRole("checkbox", { name: "Kasparov, G." }).check();
        const rows = "kind\tname\tproposal\nplayer\tKasparov, G.\tKasparov, Garry\nEND";
        await eventually(async () => assert.equal(await command.textContent(), `tabia names ${path} --apply - -o renamed-names.pgn <<'END'\n${rows}`));
        await axeFindsNothing(page);
        await page.screenshot({ path: join(pictures, "names-command.png"), fullPage: true });
      });
    } finally {
      rmSync(path);
    }
  });

  test("a book, and its card states that it was checked", () =>
    scenario("/health?db=league.ctg", async (page) => {
      await page.locator(".state.ok").waitFor();
      await eventually(async () => assert.match(await page.evaluate(() => localStorage.getItem("tabia.inputs")), /league\.ctg.*checked/));
      await page.locator(".brand").click();
      await page.locator(".card", { hasText: "league.ctg" }).filter({ hasText: "✓ checked" }).waitFor();
    }));

  test("dates and results that cannot be right are lists of their own", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tabia-unlikely-"));
    const game = (date, result, moves) => `[White "A"]\n[Black "B"]\n[Date "${date}"]\n[Result "${result}"]\n\n${moves} ${result}\n\n`;
    const mate = "1. f3 e5 2. g4 Qh4#";
    writeFileSync(
      join(folder, "dates.pgn"),
      game("2001.01.01", "1-0", "1. e4") + game("1066.10.14", "0-1", mate) + game("2099.??.??", "1-0", mate) + game("????.??.??", "1/2-1/2", "1. e4 e5"),
    );
    try {
      await onServer(folder, "/health?db=dates.pgn", async (page) => {
        const panel = page.locator(".on-request", { hasText: "Dates and results" });
        await panel.getByRole("button").click();
        const cells = async (index) => (await panel.locator("table").nth(index).locator("tbody tr").allInnerTexts()).map((text) => text.split(/\s*\t\s*/));
        await eventually(async () =>
          assert.deepEqual(await cells(0), [
            ["2", "1066.10.14", "before the oldest known game"],
            ["3", "2099.??.??", "later than the file"],
          ]),
        );
        assert.deepEqual(await cells(1), [["3", "1-0", "the game ends in mate"]]);
        await axeFindsNothing(page);
        await panel.locator("table a").first().click();
        await page.waitForURL(/\/db\/dates\.pgn\/game\/2/);
        await page.goto(page.url().replace(/\/db\/.*/, "/health?db=dates.pgn"));
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("explorer with a saved index", () => {
  test("states whether an index answered, with the same numbers", () =>
    scenario("/explorer?src=all.zip~league.pgn,league.pgn,packed.pgn.gz&play=e2e4", async (page) => {
      await page.waitForFunction(() => document.querySelectorAll("p.scan").length === 3 && !document.querySelector("p.scan[role=status]"));
      await eventually(async () => {
        const notes = (await page.locator("p.scan").allTextContents()).join("\n");
        assert.match(notes, /league\.pgn: from its saved index/);
        assert.match(notes, /league\.pgn: read from start to end\n/);
        assert.match(notes, /packed\.pgn\.gz: read from start to end; a saved index/);
        const cells = await page.locator(".explorer-table .sum td.n").allTextContents();
        assert.ok(cells[0]);
        assert.equal(cells[0], cells[1]);
        assert.equal(cells[0], cells[2]);
      });
    }));
});

describe("jobs", () => {
  /** A server over one database without an index. */
  const onDatabase = (name, path, run, options) => async () => {
    const file = shelf.path(name);
    writeFileSync(file, Array.from({ length: 50 }, (_, i) => `[White "A ${i}"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 *\n\n`).join(""));
    await onServer(file, path, run, options);
  };

  test(
    "an index is built from the shelf with the keyboard, next to no database",
    onDatabase("to-index.pgn", "/", async (page) => {
      const button = page.getByRole("button", { name: "Build index of to-index.pgn" });
      await button.focus();
      await page.keyboard.press("Enter");
      await page.locator(".jobs li.done", { hasText: "Index of to-index.pgn" }).waitFor();
      await page.locator(".card", { hasText: "indexed" }).waitFor();
      await eventually(async () => assert.equal(await button.count(), 0));
      assert.ok(!readdirSync(shelf.folder).includes("to-index.pgn.tidx"));
      await page.reload();
      await page.locator(".card", { hasText: "indexed" }).waitFor();
      await page.locator(".jobs li.done").waitFor();
      await axeFindsNothing(page);
      await page.getByRole("button", { name: "Close: Index of to-index.pgn" }).click();
      await eventually(async () => assert.equal(await page.locator(".jobs").count(), 0));
    }),
  );

  test(
    "an index is built from the explorer, on a phone, and answers at once",
    onDatabase(
      "phone-index.pgn",
      "/explorer?src=phone-index.pgn",
      async (page) => {
        await page.getByRole("button", { name: "Build index of phone-index.pgn" }).click();
        await page.locator("p.scan", { hasText: "from its saved index" }).waitFor();
        await eventually(async () => {
          const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
          assert.ok(scroll <= inner, `${scroll} in ${inner}`);
        });
        await page.screenshot({ path: join(pictures, "jobs-phone.png") });
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true },
    ),
  );

  test(
    "those of a server that was started again are not those of the one before",
    onDatabase("restarted.pgn", "/", async (page, view, other) => {
      await page.getByRole("button", { name: "Build index of restarted.pgn" }).click();
      await page.locator(".jobs li.done").waitFor();
      const [{ id }] = (await other.api("jobs")).jobs;
      await other.restart();
      await eventually(async () => assert.equal(await page.locator(".jobs").count(), 0));
      // The index is still there, and so is what the card states of it.
      await page.locator(".card", { hasText: "indexed" }).waitFor();
      rmSync(shelf.path("restarted.pgn"));
      writeFileSync(shelf.path("restarted.pgn"), "[White \"C\"]\n\n1. d4 *\n\n");
      await page.reload();
      await page.getByRole("button", { name: "Build index of restarted.pgn" }).click();
      await page.locator(".jobs li.done").waitFor();
      assert.notEqual((await other.api("jobs")).jobs[0].id, id);
      view.problems.splice(0);
    }),
  );

  test(
    "numbers have their plural",
    onDatabase("plural.pgn", "/", async (page) => {
      await eventually(async () => assert.match(await page.locator(".total").textContent(), /^1 database, 0 books, 50 games/));
    }),
  );
});

describe("new files", () => {
  const out = () => shelf.path("new-files");
  let writing;
  before(async () => {
    mkdirSync(out());
    writing = await serve(shelf.folder, "--write", "--out", out());
  });
  after(async () => {
    assert.equal(await writing?.stop(), 0);
    rmSync(out(), { recursive: true, force: true });
  });
  const onWriting = (path, run, options) => async () => {
    const view = await open(browser, writing, path, options);
    try {
      await run(view.page, view);
    } finally {
      await view.close();
    }
  };
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const fits = (page) =>
    eventually(async () => {
      const wide = () => [document.documentElement, document.querySelector("main")].map((element) => element.scrollWidth);
      const [inner, ...widths] = await page.evaluate(`[innerWidth, ...(${wide})()]`);
      for (const width of widths) assert.ok(width <= inner, `${width} in ${inner}`);
    });

  test(
    "the games that fit a query are written, downloaded and opened",
    onWriting("/games?db=league.pgn&q=white:carlsen", async (page, view) => {
      await page.waitForFunction(() => /of 3,000/.test(document.querySelector(".found")?.textContent ?? ""));
      await page.locator(".toolbar a", { hasText: "Conversion" }).click();
      await page.locator("code", { hasText: "white:carlsen" }).first().waitFor();
      await page.locator("select").nth(1).selectOption("pgn");
      await page.locator(".write-form").waitFor();
      await page.fill(".write-form input[name=name]", "carlsen.pgn");
      await page.getByRole("button", { name: "Write file" }).click();
      const job = page.locator(".jobs li.done", { hasText: "File carlsen.pgn" });
      await job.waitFor();
      const text = readFileSync(join(out(), "carlsen.pgn"), "utf8");
      assert.ok(text.includes('[White "Carlsen') && !text.includes('[White "Anand'));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "write.png") });
      const download = page.waitForEvent("download");
      await job.getByRole("button", { name: /Download carlsen.pgn/ }).click();
      const file = await download;
      assert.equal(file.suggestedFilename(), "carlsen.pgn");
      assert.equal(readFileSync(await file.path(), "utf8"), text);
      await job.getByRole("link", { name: "Open carlsen.pgn" }).click();
      await rows(page).first().waitFor();
      await eventually(async () => assert.match(await page.locator(".found").textContent(), /^300 games/));

      // The name is taken now.
      await page.goto(`${writing.base}/convert?db=league.pgn&to=pgn&q=white:carlsen`);
      await page.locator(".write-form").waitFor();
      await page.fill(".write-form input[name=name]", "carlsen.pgn");
      await page.getByRole("button", { name: "Write file" }).click();
      await page.locator(".write-form .error", { hasText: "exists already" }).waitFor();
      await page.locator(".write-form input[name=force]").check();
      await page.getByRole("button", { name: "Write file" }).click();
      await eventually(async () => assert.equal(await page.locator(".jobs li.done", { hasText: "File carlsen.pgn" }).count(), 2));
      // The browser notes every answer that is an error; this one is by design.
      const notes = view.problems.splice(0).filter((note) => !/status of 409/.test(note));
      assert.deepEqual(notes, []);
    }),
  );

  test(
    "a database is written without the games that were decided to be dropped",
    onWriting("/duplicates?db=twice.pgn", async (page) => {
      await page.locator(".pair.active").waitFor();
      await page.keyboard.press("1");
      await page.locator(".write-form").waitFor();
      await axeFindsNothing(page);
      await page.fill(".write-form input[name=name]", "once.pgn");
      await page.getByRole("button", { name: "Write file" }).click();
      await page.locator(".jobs li.done", { hasText: "File once.pgn" }).waitFor();
      const { total } = await writing.api("games?db=once.pgn");
      assert.equal(total, 1);
    }),
  );

  test(
    "names are chosen, looked at and written in one spelling, with the keyboard",
    async () => {
      const game = (white) => `[White "${white}"]\n[Black "Short, Nigel"]\n[Date "2001.01.01"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n`;
      const path = shelf.path("names.pgn");
      writeFileSync(path, game("Kasparov, Garry") + game("Kasparov, Garry") + game("Kasparov, G."));
      mkdirSync(shelf.path("names-out"));
      try {
        await onServer(
          path,
          "/health?db=names.pgn",
          async (page, _, other) => {
            await page.getByRole("button", { name: "Find: Names in several spellings" }).focus();
            await page.keyboard.press("Enter");
            const box = page.getByRole("checkbox", { name: "Kasparov, G." });
            await box.waitFor();
            await box.focus();
            await page.keyboard.press("Space");
            const preview = page.locator(".renamed", { hasText: "Games that change: 1" });
            await preview.locator("tr", { hasText: "3White Kasparov, G. → Kasparov, Garry" }).waitFor();
            await axeFindsNothing(page);
            await page.screenshot({ path: join(pictures, "names.png"), fullPage: true });
            // The other spelling is kept: more games change.
            await page.getByRole("combobox", { name: "Name to keep instead of Kasparov, Garry" }).selectOption("Kasparov, G.");
            await eventually(async () => assert.equal(await page.locator(".renamed").count(), 0));
            await page.getByRole("button", { name: "Choose all" }).click();
            await page.locator(".renamed", { hasText: "Games that change: 2" }).waitFor();
            await page.getByRole("combobox", { name: "Name to keep instead of Kasparov, Garry" }).selectOption("Kasparov, Garry");
            await page.locator(".renamed", { hasText: "Games that change: 1" }).waitFor();
            await page.locator(".write-form input[name=name]").focus();
            await page.keyboard.press("Control+A");
            await page.keyboard.type("one-name.pgn");
            await page.keyboard.press("Enter");
            await page.locator(".jobs li.done", { hasText: "File one-name.pgn" }).waitFor();
            const { rows: written } = await other.api("games?db=one-name.pgn");
            assert.deepEqual(written.map((row) => row[2]), ["Kasparov, Garry", "Kasparov, Garry", "Kasparov, Garry"]);
            assert.ok(readFileSync(path, "utf8").includes("Kasparov, G."));
            await page.getByRole("button", { name: "Choose none" }).click();
            await eventually(async () => assert.equal(await page.locator(".write-form").count(), 0));
          },
          { serverOptions: ["--write", "--out", shelf.path("names-out")] },
        );
        await onServer(path, "/health?db=names.pgn", async (page) => {
          await page.getByRole("button", { name: "Find: Names in several spellings" }).click();
          await page.getByRole("checkbox", { name: "Kasparov, G." }).check();
          // A command, nothing that writes.
          await page.locator(".command", { hasText: "--apply" }).waitFor();
          assert.equal(await page.locator(".write-form, .renamed").count(), 0);
        });
      } finally {
        rmSync(path);
        rmSync(shelf.path("names-out"), { recursive: true });
      }
    },
  );

  test(
    "selected games are written in any format",
    onWriting("/games?db=league.pgn", async (page) => {
      await rows(page).nth(5).waitFor();
      await rows(page).nth(1).locator(".pick").click();
      await rows(page).nth(4).locator(".pick").click();
      await page.getByRole("button", { name: "Save as…" }).click();
      await page.locator("dialog select").selectOption("si4");
      await axeFindsNothing(page);
      await page.getByRole("button", { name: "Write file" }).click();
      const job = page.locator(".jobs li.done", { hasText: "File league-selected.si4" });
      await job.waitFor();
      const { rows: found } = await writing.api("games?db=league.pgn&n=10");
      const { rows: written } = await writing.api("games?db=league-selected.si4");
      assert.deepEqual(written.map((row) => [row[2], row[4]]), [1, 4].map((index) => [found[index][2], found[index][4]]));
    }),
  );

  test(
    "a move of a book is changed, undone, and saved in a new book, with the keyboard",
    onWriting("/book/league.bin", async (page) => {
      const edit = page.getByRole("button", { name: "Edit e4" });
      await edit.focus();
      await page.keyboard.press("Enter");
      await page.locator("dialog input[name=weight]").waitFor();
      await page.locator("dialog input[name=weight]").focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("777");
      await page.keyboard.press("Enter");
      const row = page.locator("tr.changed", { hasText: "777" });
      await row.waitFor();
      await page.locator(".changes-bar", { hasText: "1 change" }).waitFor();
      await page.keyboard.press("ControlOrMeta+z");
      await eventually(async () => assert.equal(await row.count(), 0));
      await page.keyboard.press("ControlOrMeta+y");
      await row.waitFor();
      await page.getByRole("button", { name: "Add a move" }).click();
      await page.locator("dialog select").selectOption("b1c3");
      await page.locator("dialog input[name=weight]").fill("5");
      await axeFindsNothing(page);
      await page.getByRole("button", { name: "Apply" }).click();
      await page.locator("tr.added", { hasText: "added" }).waitFor();
      // What is not saved is there after a reload.
      await page.reload();
      await page.locator(".changes-bar", { hasText: "2 changes" }).waitFor();
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "book-edit.png") });
      await page.getByRole("button", { name: "Save as…" }).click();
      await page.locator("dialog .change-list li").nth(1).waitFor();
      // What another format cannot hold is shown before anything is written.
      await page.locator("dialog .edit-preview", { hasText: "Nothing is lost" }).waitFor();
      await page.locator("dialog select").selectOption({ label: await page.locator("dialog option", { hasText: "ChessBase" }).textContent() });
      await page.locator("dialog .edit-preview", { hasText: "This is lost" }).waitFor();
      await eventually(async () => assert.match(await page.locator("dialog input[name=name]").inputValue(), /\.ctg$/));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "book-save.png") });
      await page.locator("dialog select").selectOption("polyglot");
      await page.locator("dialog .edit-preview", { hasText: "Nothing is lost" }).waitFor();
      await page.locator("dialog input[name=name]").fill("mine.bin");
      await page.locator("dialog input[name=name]").press("Enter");
      const job = page.locator(".jobs li.done", { hasText: "File mine.bin" });
      await job.waitFor();
      await job.getByRole("link", { name: "Open mine.bin" }).click();
      await page.locator("h1", { hasText: "mine.bin" }).waitFor();
      await eventually(async () => assert.match(await page.locator("tbody").textContent(), /777.*|.*777/));
      assert.ok(existsSync(join(out(), "mine.bin")));
      const { entries } = await writing.api("book/mine.bin");
      assert.deepEqual(entries.find((entry) => entry.uci === "e2e4").weight, 777);
      assert.deepEqual(entries.find((entry) => entry.uci === "b1c3").weight, 5);
    }),
  );

  test(
    "a mark of a book is changed on a phone",
    onWriting(
      "/book/league.ctg",
      async (page) => {
        await page.getByRole("button", { name: "Edit d4" }).click();
        await page.locator("dialog select[name=advice]").selectOption("avoid");
        await page.locator("dialog select[name=annotation]").selectOption("?!");
        await page.screenshot({ path: join(pictures, "book-dialog-phone.png") });
        await page.getByRole("button", { name: "Apply" }).click();
        await page.locator("tr.changed .mark.bad").waitFor();
        await fits(page);
        await page.screenshot({ path: join(pictures, "book-edit-phone.png"), fullPage: true });
        await page.getByRole("button", { name: "Save as…" }).click();
        await page.locator("dialog .write-form").waitFor();
        await page.screenshot({ path: join(pictures, "book-save-phone.png") });
        await page.getByRole("button", { name: "Write file" }).click();
        await page.locator(".jobs li.done", { hasText: "File league-new.ctg" }).waitFor();
        const { entries } = await writing.api("book/league-new.ctg");
        const entry = entries.find(({ uci }) => uci === "d2d4");
        assert.deepEqual([entry.recommended, entry.annotation], [false, "?!"]);
      },
      phone,
    ),
  );

  test(
    "the form fits a phone",
    onWriting(
      "/convert?db=games.pgn&to=si4",
      async (page) => {
        await page.locator(".write-form").waitFor();
        await fits(page);
        await axeFindsNothing(page);
        await page.screenshot({ path: join(pictures, "write-phone.png"), fullPage: true });
      },
      phone,
    ),
  );

  test("a server that only reads offers none of it", () =>
    scenario("/convert?db=games.pgn&to=si4", async (page) => {
      await page.locator(".command").waitFor();
      await eventually(async () => assert.equal(await page.locator(".write-form").count(), 0));
      await page.goto(`${server.base}/book/league.bin`);
      await page.locator("tbody tr").first().waitFor();
      await eventually(async () => assert.match(await page.locator("main").textContent(), /changes copies of books/));
      assert.equal(await page.locator(".changes-bar").count(), 0);
    }));
});

describe("players", () => {
  test("a player is found by the start of the name", () =>
    scenario("/player/?db=league.pgn", async (page) => {
      await page.locator(".empty").waitFor();
      await page.fill("#player-name", "carl");
      await page.waitForFunction(() => (document.querySelector("#player-name-names option")?.value ?? "").startsWith("Carlsen"));
      await page.keyboard.press("Enter");
      await page.waitForURL(/player\/Carlsen/);
      await page.locator(".two .data tbody tr").first().waitFor();
      await eventually(async () => assert.match(await page.locator("h1").textContent(), /Carlsen/));
      await page.screenshot({ path: join(pictures, "test-player.png") });
    }));

  test("the graph of years has the space of years without games", async () => {
    const file = shelf.path("years.pgn");
    writeFileSync(file, [1990, 1991, 2009].map((year) => `[White "A"]\n[Black "B"]\n[Date "${year}.01.01"]\n[Result "1-0"]\n\n1. e4 1-0\n\n`).join(""));
    try {
      await onServer(file, "/player/A?db=years.pgn", async (page) => {
        const bars = page.locator(".years .rest");
        await eventually(async () => assert.equal(await bars.count(), 3));
        assert.deepEqual(await bars.evaluateAll((all) => all.map((bar) => Math.floor(bar.getAttribute("x") / 50))), [0, 1, 19]);
        await eventually(async () => assert.equal((await page.locator(".ends").innerText()).replace(/\s+/g, " "), "1990 2009"));
      });
    } finally {
      rmSync(file);
    }
  });

  test("an opening of the player is a list of games", () =>
    scenario("/player/Carlsen,%20B?db=league.pgn", async (page) => {
      const link = page.locator(".two .data tbody a").first();
      await link.waitFor();
      const wanted = await page.locator(".two .data tbody tr td.n").first().textContent();
      await link.click();
      await page.waitForFunction((n) => (document.querySelector(".found")?.textContent ?? "").startsWith(`${n} of`), wanted);
      await page.goBack();
      await page.locator(".two .data").first().waitFor();
    }));

  test("results by the rating of the opponents add up, and the games lead to a conversion", () =>
    scenario("/player/Carlsen,%20B?db=league.pgn", async (page) => {
      const panel = page.locator(".two .panel-box").first();
      await panel.locator(".opponents summary").click();
      await panel.locator(".opponents tbody tr").first().waitFor();
      const { white } = await server.api("player?db=league.pgn&name=Carlsen,%20B");
      const sum = white.opponents.reduce((all, group) => all + group.games, 0);
      assert.equal(sum, white.games);
      await eventually(async () => assert.equal(await panel.locator(".opponents tbody tr").count(), white.opponents.length));
      await panel.locator(".actions a", { hasText: "Conversion" }).click();
      await page.locator("code", { hasText: 'white:"=Carlsen, B"' }).waitFor();
    }));

  test("the first moves are a tree of twelve half-moves, with the keyboard", () =>
    scenario("/player/Carlsen,%20B?db=league.pgn", async (page) => {
      const { white } = await server.api("player?db=league.pgn&name=Carlsen,%20B");
      assert.equal(white.tree.reduce((all, move) => all + move.games, 0), white.games);
      const depth = (moves) => Math.max(0, ...moves.map((move) => 1 + depth(move.moves)));
      assert.ok(depth(white.tree) > 6 && depth(white.tree) <= 12);
      const tree = page.locator(".line-tree").first();
      await tree.locator("summary").first().focus();
      await page.keyboard.press("Enter");
      const first = tree.locator("li > details > summary").first();
      await eventually(async () => assert.match(await first.textContent(), new RegExp(`^1\\.\\s*\\S+\\s*${white.tree[0].games}`)));
      await first.focus();
      await page.keyboard.press("Enter");
      await tree.locator("li li").first().waitFor();
      await tree.locator("a.to-explorer").first().click();
      await page.waitForURL(/explorer.*play=/);
      await eventually(async () => assert.match(await page.locator(".explorer-table .sum").textContent(), new RegExp(`^All${white.tree[0].games}`)));
    }));

  test("replies that the player has not faced come from the reference, and the address keeps it", () =>
    scenario("/player/Carlsen,%20B?db=league.pgn", async (page) => {
      await page.locator(".unfaced select").selectOption("league.pgn");
      await page.waitForURL(/reference=league/);
      await page.locator(".unfaced h3").nth(1).waitFor();
      const found = await server.api("player/unfaced?db=league.pgn&name=Carlsen,%20B&reference=league.pgn");
      await eventually(async () => assert.equal(await page.locator(".unfaced tbody tr").count(), found.white.length + found.black.length));
      // None of them is in a game of the player.
      for (const reply of found.white.slice(0, 5)) {
        assert.ok(reply.share >= 0.05);
        const query = encodeURIComponent(`white:"=Carlsen, B"`);
        const line = [...reply.play, reply.uci].join(",");
        await eventually(async () => {
          const { sources } = await server.api(`explorer?src=league.pgn&where=${query}&play=${line}`);
          assert.ok(sources[0].isDone);
          assert.equal(sources[0].games, 0, line);
        });
      }
      await page.reload();
      await page.locator(".unfaced h3").nth(1).waitFor();
    }));

  test("two players are next to each other, colour against colour", () =>
    scenario("/player/Carlsen,%20B?db=league.pgn", async (page) => {
      await page.locator("#with").fill("anand");
      await page.waitForFunction(() => (document.querySelector("#with-names option")?.value ?? "").startsWith("Anand"));
      await page.locator("#with").press("Enter");
      await page.waitForURL(/with=Anand/);
      await page.locator(".two .panel-box").nth(3).waitFor();
      const headings = await page.locator(".two h2").allTextContents();
      assert.match(headings.join(" | "), /^Carlsen, B: With White \| Anand, \w: With Black \| Carlsen, B: With Black \| Anand, \w: With White$/);
      await axeFindsNothing(page);
      await page.getByRole("link", { name: "One player only" }).click();
      await eventually(async () => assert.equal(await page.locator(".two h2").count(), 2));
    }));

  test("Enter right after typing opens the player that was typed", () =>
    scenario("/player/?db=league.pgn", async (page) => {
      await page.locator("#player-name-names option").first().waitFor({ state: "attached" });
      await page.route("**/suggest?**", async (route) => {
        await new Promise((done) => setTimeout(done, 300));
        await route.continue();
      });
      await page.locator("#player-name").fill("Short, B");
      await page.locator("#player-name").press("Enter");
      await page.locator("h1", { hasText: "Short, B" }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/player/Short%2C%20B");
    }));

  test("spellings of a player are counted together only on request", async () => {
    const path = shelf.path("spellings.pgn");
    const game = (white) => `[White "${white}"]\n[Black "Short, Nigel"]\n[Date "2001.01.01"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n`;
    writeFileSync(path, game("Kasparov, Garry") + game("Kasparov, Garry") + game("Kasparov, G."));
    try {
      await onServer(path, "/player/Kasparov,%20Garry?db=spellings.pgn", async (page) => {
        await page.locator(".panel-box", { hasText: "Games: 2" }).first().waitFor();
        await page.getByRole("button", { name: "Find other spellings" }).click();
        await page.locator(".spellings", { hasText: "Kasparov, G." }).waitFor();
        await axeFindsNothing(page);
        await page.getByRole("button", { name: "Count together" }).click();
        await page.locator(".panel-box", { hasText: "Games: 3" }).first().waitFor();
        await page.reload();
        await page.locator(".panel-box", { hasText: "Games: 3" }).first().waitFor();
        await page.screenshot({ path: join(pictures, "player-spellings.png") });
        await page.locator(".panel-box .actions a").first().click();
        await eventually(async () => assert.match(await page.locator(".found").textContent(), /^3 games/));
        await page.goBack();
        await page.getByRole("button", { name: "Count alone" }).click();
        await page.locator(".panel-box", { hasText: "Games: 2" }).first().waitFor();
      });
    } finally {
      rmSync(path);
    }
  });

  test("a player without games, and names that begin alike", () =>
    scenario("/player/Unknown?db=league.pgn", async (page) => {
      await page.locator(".report .empty").waitFor();
      await page.goto(`${server.base}/player/Carlsen,%20Nobody?db=league.pgn`);
      await page.locator(".empty a").first().waitFor();
      assert.match(await page.locator(".empty a").first().innerText(), /^Carlsen, [A-Z]$/);
      await page.locator(".empty a").first().click();
      await page.locator(".two .data tbody tr").first().waitFor();
    }));
});

describe("positions", () => {
  test("a position is built, found, and opens at its ply", () =>
    scenario("/search?db=league.pgn", async (page) => {
      await page.locator(".edit-board button").first().waitFor();
      await page.locator('.tools [aria-label="white bishop"]').click();
      await page.locator('.edit-board [aria-label^="b5:"]').click();
      await eventually(async () => assert.equal(await page.locator("#position-query").inputValue(), "sub:8/8/8/1B6/8/8/8/8"));
      await page.fill('.fields-grid input[placeholder="20..80"]', "..10");
      await page.keyboard.press("Tab");
      await page.locator("button.primary").click();
      await page.waitForURL(/q=sub/);
      await page.locator(".hits tbody tr").nth(20).waitFor();
      await page.screenshot({ path: join(pictures, "test-positions.png") });
      await page.locator(".hits a").first().click();
      await currentMove(page).waitFor();
      await eventually(async () => assert.equal(await piece(page, "b5"), "B"));
    }));

  test("a game of a list of hits opens where the query fits, the next one too, and one from a position of its own", async () => {
    const q = encodeURIComponent("white:carlsen sub:8/8/8/1B6/8/8/8/8 move:a6");
    await scenario(`/games?db=league.pgn&q=${q}`, async (page) => {
      // The small board shows it first.
      await eventually(async () => assert.equal(await page.locator('.preview [data-square="b5"]').getAttribute("data-piece"), "B"));
      await rows(page).first().dblclick();
      await page.locator(".notation").waitFor();
      await eventually(async () => assert.equal(await piece(page, "b5"), "B"));
      await page.waitForURL(/ply=\d+/);
      await page.locator(".game-nav a", { hasText: "Next" }).waitFor();
      const first = page.url();
      await page.keyboard.press("n");
      await page.waitForURL((url) => String(url).split("?")[0] !== first.split("?")[0]);
      await eventually(async () => assert.equal(await piece(page, "b5"), "B"));
      // Another move of the address counts more.
      await page.goto(first.replace(/ply=\d+/, "ply=1"));
      await eventually(async () => assert.equal(await piece(page, "e4"), "P"));
    });
    await scenario("/db/games.pgn/game/4?q=" + encodeURIComponent("sub:8/8/8/8/8/2p5/8/8"), async (page) => {
      await currentMove(page).waitFor();
      await eventually(async () => assert.equal(await piece(page, "c3"), "p"));
    });
    await scenario("/explorer?src=league.pgn&fen=" + encodeURIComponent("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"), async (page) => {
      await page.locator(".top-games a").first().click();
      await eventually(async () => assert.equal(await currentMove(page).textContent(), "e4"));
    });
  });

  test("a search without an index states how far it is, is stopped, and offers the index", () =>
    scenario("/search?db=packed.pgn.gz", async (page) => {
      let asked = 0;
      const hit = { db: "packed.pgn.gz", game: 7, white: "Anand, A", whiteElo: null, black: "Leko, B", blackElo: null, result: "1-0", event: "", date: null, ply: 4, san: "Nf6" };
      await page.route("**/api/v1/search?**", (route) => {
        asked++;
        return route.fulfill({ json: { isDone: false, scanned: 320, total: 3000, unindexed: ["packed.pgn.gz"], hits: [hit], isLimited: false, next: 1, leftOut: [] } });
      });
      await page.locator("#position-query").fill("sub:8/8/8/8/4P3/8/8/8");
      await page.locator("button.primary").click();
      const found = page.locator(".found");
      await found.filter({ hasText: "packed.pgn.gz: reading 320 of 3,000 games" }).waitFor();
      await page.getByRole("button", { name: "Build index of packed.pgn.gz" }).waitFor();
      await axeFindsNothing(page);
      await found.getByRole("button", { name: "Stop" }).click();
      await found.filter({ hasText: "stopped" }).waitFor();
      const before = asked;
      await page.waitForTimeout(700);
      assert.ok(asked <= before + 1, `asked ${asked - before} times more`);
      // What was found stays, and another search is not stopped.
      await page.locator(".hits a", { hasText: "Anand, A" }).waitFor();
      await page.unroute("**/api/v1/search?**");
      await page.locator("#position-query").fill("sub:8/8/8/8/3P4/8/8/8");
      await page.locator("button.primary").click();
      await found.filter({ hasText: "The first 500 games" }).waitFor();
      await page.locator(".scan", { hasText: "a saved index makes it faster" }).waitFor();
    }));

  test("the board is one stop of the Tab key, and its squares are reached with the arrows", () =>
    scenario("/search?db=games.pgn", async (page) => {
      await page.locator(".edit-board button").first().waitFor();
      assert.equal(await page.locator('.edit-board [tabindex="0"]').count(), 1);
      await page.locator(".tools button").last().focus();
      await page.keyboard.press("Tab");
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label")?.slice(0, 2));
      for (const [key, square] of [["", "a1"], ["ArrowLeft", "a1"], ["ArrowDown", "a1"], ["ArrowUp", "a2"], ["ArrowRight", "b2"]]) {
        if (key) await page.keyboard.press(key);
        await eventually(async () => assert.equal(await focused(), square, key));
      }
      await page.keyboard.press("Enter");
      await page.locator('.edit-board [aria-label="b2: white pawn"]').waitFor();
      await page.keyboard.press("Tab");
      assert.notEqual(await page.evaluate(() => document.activeElement?.closest(".edit-board")), true);
      await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement?.tagName), "INPUT"));
    }));

  test("numbers of pieces, from and to, are part of the query", () =>
    scenario("/search?db=games.pgn", async (page) => {
      await page.locator(".piece-counts summary").click();
      await page.getByLabel("white pawn, at most").fill("4");
      await page.getByLabel("white rook, at least").fill("1");
      await page.getByLabel("white rook, at most").fill("1");
      await page.keyboard.press("Tab");
      await eventually(async () => assert.equal(await page.locator("#position-query").inputValue(), "count:P<=4 count:R=1"));
      await axeFindsNothing(page);
      await page.getByRole("button", { name: "Find games" }).click();
      await eventually(async () => assert.match(await page.locator(".hits").textContent(), /Promotion/));
      await page.screenshot({ path: join(pictures, "piece-counts.png") });
      // The fields follow the query.
      await page.locator("#position-query").fill("count:R>=2");
      await eventually(async () => assert.equal(await page.getByLabel("white rook, at least").inputValue(), "2"));
      await eventually(async () => assert.equal(await page.getByLabel("white pawn, at most").inputValue(), ""));
    }));

  test("an edited query changes the board", () =>
    scenario("/search?db=league.pgn", async (page) => {
      await page.fill("#position-query", "sub:8/8/8/8/4N3/8/8/_7 move:Nc3");
      await page.locator('.edit-board [aria-label="e4: white knight"]').waitFor();
      await page.locator('.edit-board [aria-label="a1: must be empty"]').waitFor();
      await eventually(async () => assert.equal(await page.locator('.fields-grid input[placeholder="Bxh7+"]').inputValue(), "Nc3"));
    }));

  test("a wrong query states what is wrong", async () => {
    const view = await open(browser, server, "/search?db=league.pgn&q=sub%3Ax");
    await view.page.waitForSelector(".error");
    view.problems.length = 0;
    await view.close();
  });
});

describe("duplicates", () => {
  test("pairs show what differs", () =>
    scenario("/duplicates?db=twice.pgn", async (page) => {
      await page.locator(".pair").first().waitFor();
      await eventually(async () => assert.equal(await page.locator(".pair").count(), 1));
      await eventually(async () => assert.match(await page.locator(".pair").first().textContent(), /different: Site/));
      await eventually(async () => assert.equal(await page.locator(".pair mark").count(), 2));
      await page.locator(".pair summary", { hasText: "Moves" }).click();
      await eventually(async () => assert.match((await page.locator(".pair .line").allTextContents()).join(" "), /1\.e4 e5 .*1\.e4 e5 /));
      await eventually(async () => assert.equal(await page.locator(".pair .line mark").count(), 0));
      await page.screenshot({ path: join(pictures, "test-duplicates.png") });
    }));

  test("pairs are decided by keys, undone, saved and loaded again", () =>
    scenario("/duplicates?db=twice.pgn", async (page) => {
      await page.locator(".pair.active").waitFor();
      const pressed = page.locator('.pair [aria-pressed="true"]');
      await page.keyboard.press("3");
      await eventually(async () => assert.equal(await pressed.textContent(), "Merge"));
      await page.locator(".decision-bar", { hasText: "Decided: 1 of 1" }).waitFor();
      await page.keyboard.press("u");
      await eventually(async () => assert.equal(await pressed.count(), 0));
      await page.keyboard.press("2");
      await eventually(async () => assert.equal(await pressed.textContent(), "Keep second"));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "decided.png") });
      const started = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save decisions" }).click();
      const file = await (await started).path();
      const text = readFileSync(file, "utf8");
      assert.match(text, /choice,kept,keptGame.*\r\nright,twice\.pgn,\d,"Adams, Michael"/);
      await pressed.click();
      await eventually(async () => assert.equal(await pressed.count(), 0));
      await page.locator('.decision-bar input[type="file"]').setInputFiles({ name: "decisions.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
      await eventually(async () => assert.equal(await pressed.textContent(), "Keep second"));
      await page.locator('.decision-bar input[type="file"]').setInputFiles({ name: "other.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
      await page.locator("#live", { hasText: "contains no decisions" }).waitFor();
      // Decisions are there after a reload.
      await page.reload();
      await eventually(async () => assert.equal(await pressed.textContent(), "Keep second"));
      await page.locator(".pair summary", { hasText: "Merged game" }).click();
      await eventually(async () => assert.match(await page.locator(".pair .notation").textContent(), /1\. e4 e5/));
    }));

  test("none", () =>
    scenario("/duplicates?db=games.pgn", async (page) => {
      await page.locator(".state.ok").waitFor();
    }));
});

describe("conversion", () => {
  test("states what is lost and copies the command", () =>
    scenario("/convert?db=games.pgn", async (page) => {
      await page.locator(".empty").waitFor();
      const value = await page.locator(".choose select").nth(1).locator("option", { hasText: "Scid 3" }).first().getAttribute("value");
      await page.locator(".choose select").nth(1).selectOption(value);
      await page.locator(".data tbody tr").first().waitFor();
      await page.screenshot({ path: join(pictures, "test-convert.png") });
      await page.locator(".command button").click();
      const start = `tabia convert ${shelf.path("games.pgn")} -o games-new.`;
      await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()).startsWith(wanted), start);
    }));

  test("the profile that is shown is the one of the losses and of the command", () =>
    scenario("/convert?db=games.pgn&to=pgn", async (page) => {
      const profile = page.locator(".choose select").nth(2);
      const lost = page.locator(".data tbody tr");
      await page.locator(".command").waitFor();
      const atFirst = await lost.allTextContents();
      assert.equal(await profile.inputValue(), "standard");
      await profile.selectOption("seven");
      await page.locator(".command", { hasText: "--profile seven" }).waitFor();
      assert.notDeepEqual(await lost.allTextContents(), atFirst);
      await profile.selectOption("standard");
      await page.locator(".command", { hasText: "--profile standard" }).waitFor();
      assert.deepEqual(await lost.allTextContents(), atFirst);
    }));

  test("the first game with a loss is next to what is kept of it", () =>
    scenario("/convert?db=games.pgn&to=si3", async (page) => {
      await page.locator(".data tbody tr").first().waitFor();
      await page.locator(".data button", { hasText: "Compare" }).first().focus();
      await page.keyboard.press("Enter");
      await eventually(async () => assert.equal(await page.locator(".compared .notation").count(), 2));
      await eventually(async () => assert.match((await page.locator(".compared .notation").allTextContents()).join("|"), /e4.*\|.*e4/));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "compared.png"), fullPage: true });
    }));

  test("nothing is lost in PGN", () =>
    scenario("/convert?db=league.pgn&to=pgn", async (page) => {
      await page.locator(".state.ok").waitFor();
      await eventually(async () => assert.match(await page.locator("main").innerText(), /kB ≈ [1-9]\d* s/));
    }));

  test("size and time are estimated from a sample before the losses are counted", async () => {
    const view = await open(browser, server);
    try {
      const { page } = view;
      let go;
      const held = new Promise((done) => {
        go = done;
      });
      await page.route(/\/api\/v1\/convert\?/, async (route) => {
        if (!route.request().url().includes("sample=1")) await held;
        await route.continue();
      });
      await page.goto(`${server.base}/convert?db=league.pgn&to=si4`);
      const estimate = page.getByText(/^About [\d.]+ kB and 1 sec, by 200 of 3,000 records\.$/);
      await estimate.waitFor();
      const about = Number(/[\d.]+/.exec(await estimate.textContent())[0]);
      assert.equal(await page.locator(".command").count(), 0);
      go();
      await page.locator(".command").waitFor();
      assert.equal(await estimate.count(), 0);
      const whole = Number(/([\d.]+) kB/.exec(await page.locator(".report").textContent())[1]);
      // Names of players come again and again, so that the first games take more.
      assert.ok(about > whole / 2 && about < whole * 2, `${about} ${whole}`);
    } finally {
      await view.close();
    }
  });

  test("an index that is offered states what it takes", () =>
    scenario("/", async (page) => {
      const card = page.locator(".card", { hasText: "games-si4.si4" });
      await eventually(async () => assert.match(await card.locator(".count").textContent(), /Build index \(about \d+ B, 1 sec\)/));
    }));
});

describe("book", () => {
  test("the board of a book steps and turns by buttons and keys, and the address keeps its side", () =>
    scenario("/book/league.ctg", async (page) => {
      await page.locator(".book-view .move-button").first().waitFor();
      const firstSquare = () => page.locator(".squares [data-square]").first().getAttribute("data-square");
      assert.equal(await firstSquare(), "a8");
      await page.getByRole("button", { name: "Flip the board" }).click();
      await page.waitForURL(/flip=1/);
      await page.getByRole("button", { name: "Next move" }).click();
      await page.waitForURL(/play=/);
      await eventually(async () => assert.equal(await firstSquare(), "h1"));
      await page.reload();
      await page.locator(".book-view .move-button").first().waitFor();
      assert.equal(await firstSquare(), "h1");
      await page.keyboard.press("f");
      await eventually(async () => assert.equal(await firstSquare(), "a8"));
      await page.keyboard.press("c");
      await page.waitForFunction(async () => / b KQkq /.test(await navigator.clipboard.readText()));
      await page.keyboard.press("ArrowLeft");
      await page.waitForURL((url) => !url.search.includes("play="));
    }));

  for (const name of ["league.bin", "league.abk", "league.ctg", "league_0.kob"]) {
    test(`${name} shows its entries`, () =>
      scenario(`/book/${name}`, async (page) => {
        await page.locator(".book-view .move-button", { hasText: "e4" }).click();
        await page.waitForURL(/play=e2e4/);
        await page.locator(".book-view .move-button", { hasText: "c5" }).waitFor();
        if (name === "league.ctg") await page.screenshot({ path: join(pictures, "test-book.png") });
        await page.keyboard.press("ArrowLeft");
        await page.waitForFunction(() => !location.search.includes("play"));
      }));
  }

  test("moves that lose by stored evaluations are marked", async () => {
    const folder = shelf.path("evaluated");
    mkdirSync(folder);
    try {
      writeFileSync(join(folder, "evals.pgn"), '[White "A"]\n[Black "B"]\n\n1. e4 {[%eval 0.3]} e5 2. Qh5 {[%eval -2.1]} 1-0\n\n[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 {[%eval 0.3]} 1-0\n\n');
      run("book", "build", join(folder, "evals.pgn"), "-o", join(folder, "small.bin"), "--min-games", "1");
      await onServer(folder, "/book/small.bin?play=e2e4,e7e5", async (page) => {
        await page.locator(".book-view .move-button").nth(1).waitFor();
        await page.getByLabel("Warn of moves that lose").selectOption("evals.pgn");
        await eventually(async () => assert.equal(await page.locator('tr .mark[aria-label="loses by the stored evaluations of 1 games"]').count(), 1));
        assert.match(await page.locator("tr", { has: page.locator(".mark.bad") }).locator("th").textContent(), /h5/);
        await axeFindsNothing(page);
        await page.screenshot({ path: join(pictures, "book-evals.png") });
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("a move of a book leads to the games with the position", () =>
    scenario("/book/league.ctg?play=e2e4,c7c5", async (page) => {
      await page.getByLabel("Games with the moves in").selectOption("league.pgn");
      await page.getByRole("link", { name: "Games with this position" }).click();
      await page.waitForFunction(() => /of 3,000/.test(document.querySelector(".found")?.textContent ?? ""));
    }));

  test("the games of a move are those with the position after it, in a database that is chosen", () =>
    scenario("/book/league.ctg", async (page) => {
      const link = (move) => page.locator(`tr[data-uci=${move}]`).getByRole("link", { name: /^Games of / });
      await page.getByLabel("Games with the moves in").selectOption("league.pgn");
      const counted = (await page.locator("tr[data-uci=e2e4]").innerText()).split("\t").find((text) => /^\d,\d{3}$/.test(text.trim()));
      await link("e2e4").click();
      await eventually(async () => assert.match(await page.locator(".found").textContent(), new RegExp(`^${counted.trim()} of 3,000`)));
      await page.goBack();
      await eventually(async () => assert.equal(await page.getByLabel("Games with the moves in").inputValue(), "league.pgn"));
      await axeFindsNothing(page);
    }));

  test("the board of a book is read as text and moves are typed", () =>
    scenario("/book/league.ctg", async (page) => {
      await page.locator("tr[data-uci=e2e4]").waitFor();
      await page.keyboard.press("x");
      const field = page.locator(".as-text input");
      await field.fill("e4");
      await field.press("Enter");
      await page.waitForURL(/play=e2e4.*view=text/);
      await page.locator(".as-text", { hasText: "Black to move" }).waitFor();
      await field.fill("c7c5");
      await field.press("Enter");
      await page.waitForURL(/play=e2e4%2Cc7c5/);
    }));
});

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

test("comments of a language are hidden and shown", async () => {
  const library = makeLibrary();
  try {
    await onServer(library.path("tabia.cbh"), "/db/tabia.cbh/game/2", async (page) => {
      const german = page.locator('.notation [data-language="de"]').first();
      await german.waitFor();
      const button = page.locator(".languages button", { hasText: "de" });
      await button.click();
      await german.waitFor({ state: "hidden" });
      assert.equal(await button.getAttribute("aria-pressed"), "false");
      await page.locator('.notation [data-language="en"]').first().waitFor();
      await axeFindsNothing(page);
      await button.click();
      await german.waitFor();
    });
  } finally {
    library.remove();
  }
});

describe("a training question", () => {
  let library;
  before(() => {
    library = makeLibrary();
  });
  after(() => library?.remove());
  const asked = (run, options) => () =>
    onServer(library.path("tabia.cbh"), "/db/tabia.cbh/game/2?ply=30", async (page) => {
      await page.locator(".training", { hasText: "White to move ends it." }).waitFor();
      await run(page);
    }, options);
  const isHidden = async (page) => {
    await page.locator(".hidden-moves").waitFor();
    await eventually(async () => assert.doesNotMatch(await page.locator(".notation").textContent(), /b8/));
  };
  const isShown = async (page) => {
    await eventually(async () => assert.match(await currentMove(page).textContent(), /b8/));
    await eventually(async () => assert.match(await page.locator(".notation").textContent(), /d8#/));
    await eventually(async () => assert.match(await page.locator(".training").textContent(), /Well done!/));
    assert.equal(await page.locator(".hidden-moves").count(), 0);
  };

  test("is asked before its answer, which the keys do not show unasked", asked(async (page) => {
    await isHidden(page);
    for (const key of ["ArrowRight", "End"]) {
      await page.locator("h2").first().click();
      await page.keyboard.press(key);
      // The heading that was clicked is in the question, which has the focus then: what has it now is the button.
      await page.waitForFunction(() => document.activeElement?.matches(".training button"));
      await eventually(async () => assert.match(await page.locator("#live").textContent(), /White to move ends it/));
      await isHidden(page);
    }
    await page.keyboard.press("Enter");
    await page.locator(".hint", { hasText: "The queen is not needed." }).waitFor();
    await isHidden(page);
    await axeFindsNothing(page);
    // The button of the hints is gone after the last one; the focus is not.
    await page.waitForFunction(() => document.activeElement?.matches(".training button"));
    if ((await page.evaluate(() => document.activeElement.textContent)) !== "Answer") await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await isShown(page);
    await page.waitForFunction(() => document.activeElement?.matches(".training"));
    await eventually(async () => assert.match(await page.locator("#live").textContent(), /queen b8/));
    await page.keyboard.press("ArrowRight");
    await eventually(async () => assert.match(await currentMove(page).textContent(), /xb8/));
  }));

  test("is spoken when its position is reached", asked(async (page) => {
    await page.locator(".hidden-moves").waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.locator(".training").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowRight");
    await eventually(async () => assert.match(await page.locator("#live").textContent(), /15… .*White to move ends it/));
  }));

  test("is answered on the board", asked(async (page) => {
    await canMove(page);
    await page.locator('[data-square="d1"]').dragTo(page.locator('[data-square="d7"]'));
    await page.locator(".training .reply", { hasText: "Look at the d-file." }).waitFor();
    await isHidden(page);
    await page.locator('[data-square="b3"]').dragTo(page.locator('[data-square="b8"]'));
    await isShown(page);
    await page.locator(".training .reply", { hasText: "Correct." }).waitFor();
  }));

  test("its answer is in no other tab either, until it is shown there", asked(async (page) => {
    for (const tab of ["PGN", "Stored", "References", "Explorer", "Books"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      await page.locator("#panel", { hasText: "still open" }).waitFor();
      assert.equal(await page.locator("#panel").locator("pre, table, a, .source").count(), 0, tab);
    }
    await axeFindsNothing(page);
    await page.getByRole("tab", { name: "PGN", exact: true }).click();
    await page.getByRole("button", { name: "Show the hidden moves" }).click();
    await eventually(async () => assert.match(await page.locator(".pgn").textContent(), /Qb8\+/));
    assert.ok(await page.evaluate(() => document.activeElement?.id === "panel"));
    await page.getByRole("tab", { name: "Moves", exact: true }).click();
    await eventually(async () => assert.match(await page.locator(".notation").textContent(), /b8/));
    assert.equal(await page.locator(".hidden-moves").count(), 0);
  }));

  test("its answer is not copied before it is shown", asked(async (page) => {
    await page.evaluate(() => navigator.clipboard.writeText("before"));
    for (const copies of [() => page.keyboard.press("Shift+C"), () => page.getByRole("button", { name: "Copy PGN" }).click()]) {
      await page.getByRole("tab", { name: "Moves", exact: true }).click();
      await copies();
      await page.locator("#panel", { hasText: "still open" }).waitFor();
      assert.ok(await page.evaluate(() => document.activeElement?.id === "panel"));
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "before");
    }
    await page.getByRole("button", { name: "Show the hidden moves" }).click();
    await page.getByRole("button", { name: "Copy PGN" }).click();
    await page.waitForFunction(async () => (await navigator.clipboard.readText()).includes("Qb8+"));
  }));

  test("its texts are those of the language of the page, the others follow the answer", async () => {
    for (const [locale, own, other] of [
      ["en-GB", "The queen is not needed.", "Die Dame wird nicht gebraucht."],
      ["de-DE", "Die Dame wird nicht gebraucht.", "The queen is not needed."],
      ["ru-RU", "The queen is not needed.", "Die Dame wird nicht gebraucht."],
    ]) {
      await onServer(library.path("tabia.cbh"), "/db/tabia.cbh/game/2?ply=30", async (page) => {
        const box = page.locator(".training");
        await box.locator("button").first().click();
        await box.locator(".hint", { hasText: own }).waitFor();
        assert.ok(!(await box.textContent()).includes(other), locale);
        await box.locator("button").last().click();
        await box.locator("details", { hasText: other }).waitFor();
        assert.ok(!(await box.locator("details").textContent()).includes(own), locale);
      }, { locale });
    }
  });

  test("its answer is not in the preview of the list", async () => {
    const path = library.path("question.pgn");
    const question = '[%tqu "En","Which move?","","","f1b5","",3]';
    writeFileSync(path, `[Event "Question"]\n[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 {${question}} a6 1/2-1/2\n`);
    await onServer(path, "/games?db=question.pgn", async (page) => {
      await page.waitForFunction(() => document.querySelector(".preview .line")?.textContent?.includes("c6"));
      assert.doesNotMatch(await page.locator(".preview .line").textContent(), /b5|a6/);
      const score = page.locator(".preview .score");
      assert.equal(await score.textContent(), "½-½");
      assert.equal(await score.evaluate((element) => getComputedStyle(element).whiteSpace), "nowrap");
      assert.match(await page.getByRole("link", { name: "Explorer" }).last().getAttribute("href"), /b8c6$/);
      assert.equal(await page.getByRole("button", { name: "Copy whole game" }).count(), 0);
    });
  });

  test("its answer is shown by a click in the notation, on a phone too", asked(async (page) => {
    await axeFindsNothing(page);
    await page.locator(".hidden-moves").click();
    await isShown(page);
  }, { viewport: { width: 390, height: 844 } }));
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

test("a changed file is announced and loaded again", async () => {
  const path = shelf.path("changing.pgn");
  const game = (name) => `[White "${name}"]\n[Black "B"]\n\n1. e4 *\n\n`;
  writeFileSync(path, game("first"));
  await onServer(path, "/games?db=changing.pgn", async (page) => {
    const found = () => page.locator(".found").textContent();
    await rows(page).first().waitFor();
    writeFileSync(path, Array.from({ length: 400 }, (_, i) => game(`player ${i}`)).join(""));
    await eventually(async () => {
      await page.reload();
      await rows(page).first().waitFor();
      assert.match(await found(), /400 games/);
    });
    truncateSync(path, game("player 0").length);
    // The server looks at a file again half a second after the last time.
    await page.waitForTimeout(700);
    await page.locator(".list").focus();
    await page.keyboard.press("End");
    await eventually(async () => assert.match(await found(), /^1 game/));
  });
});

test("a file that is gone is stated in list, game and explorer, which keep what was read; they are loaded again when it is back", async () => {
  const path = shelf.path("going.pgn");
  const game = (name) => `[White "${name}"]\n[Black "B"]\n\n1. e4 *\n\n`;
  for (const address of ["/games?db=going.pgn", "/db/going.pgn/game/1?ply=1", "/explorer?src=going.pgn"]) {
    writeFileSync(path, game("first"));
    await onServer(path, address, async (page) => {
      const shown = page.locator(".layer .row:not([hidden]), .notation .move, .explorer-table .move-button");
      await shown.first().waitFor();
      await page.waitForTimeout(200);
      rmSync(path);
      const gone = page.locator(".gone");
      await gone.waitFor();
      assert.match(await gone.textContent(), /no longer current.*going\.pgn: /);
      assert.ok((await shown.count()) > 0, "what was read is still there");
      writeFileSync(path, game("second") + game("third"));
      await gone.waitFor({ state: "detached" });
      await page.locator("#live", { hasText: "going.pgn changed on disk" }).waitFor();
      if (address.startsWith("/games")) await eventually(async () => assert.match(await page.locator(".found").textContent(), /^2 games/));
      if (address.startsWith("/db")) await page.locator(".who", { hasText: "second" }).waitFor();
      if (address.startsWith("/explorer")) await eventually(async () => assert.match(await page.locator(".explorer-table .sum").textContent(), /2/));
    });
  }
});

test("views stay while the server does not answer, and are loaded again when it does", async () => {
  for (const [path, key, shown] of [
    ["/explorer?src=league.pgn&play=e2e4", "ArrowLeft", ".explorer-table .move-button"],
    ["/db/league.pgn/game/2?ply=2", "n", ".notation .move"],
    ["/book/league.bin?play=e2e4", "ArrowLeft", ".book-view .move-button"],
  ]) {
    await scenario(path, async (page, view) => {
      await page.locator(shown).first().waitFor();
      await page.waitForTimeout(500);
      await page.route("**/api/**", (route) => route.abort());
      await page.keyboard.press(key);
      await page.locator(".gone").waitFor();
      await page.waitForTimeout(300);
      assert.ok((await page.locator(shown).count()) > 0, path);
      await page.unroute("**/api/**");
      await page.locator(".gone").waitFor({ state: "detached" });
      if (path.startsWith("/explorer")) await page.locator(".explorer-table .move-button", { hasText: "d4" }).waitFor();
      if (path.startsWith("/db")) await page.locator(".game-nav", { hasText: "Game 3" }).waitFor();
      if (path.startsWith("/book")) await page.locator(".book-view .controls button:disabled").first().waitFor();
      view.problems.length = 0;
    });
  }
});

test("when the server is gone the page keeps its state and says so", () =>
  onServer(shelf.path("league.pgn"), "/db/league.pgn/game/2?ply=2", async (page, view, other) => {
    await currentMove(page).waitFor();
    assert.equal(await other.stop(), 0);
    await page.keyboard.press("ArrowRight");
    await page.locator(".gone").waitFor();
    await eventually(async () => assert.equal(await currentMove(page).count(), 1));
    // It asks again each second, until it is left.
    await page.goto("about:blank");
    view.problems.length = 0;
  }));
