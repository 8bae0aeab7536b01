// The list of games and what is asked of it: players, positions, duplicates, conversion.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, hostile, makeLibrary, open, pictures } from "./harness.mjs";
import { axeFindsNothing, browser, currentMove, moves, onServer, piece, rows, scenario, server, shelf } from "./scenarios.mjs";

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

  test("the graph of years begins with the first year that has games", async () => {
    const file = shelf.path("few-years.pgn");
    writeFileSync(file, [2021, 2023].map((year) => `[White "A"]\n[Black "B"]\n[Date "${year}.01.01"]\n[Result "1-0"]\n\n1. e4 1-0\n\n`).join(""));
    try {
      await onServer(file, "/player/A?db=few-years.pgn", async (page) => {
        await eventually(async () => assert.equal((await page.locator(".ends").innerText()).replace(/\s+/g, " "), "2021 2023"));
        const bars = page.locator(".years .rest");
        assert.equal(await bars.count(), 2);
        const [graph, first, last, ends] = await Promise.all([page.locator(".years"), bars.first(), bars.last(), page.locator(".ends")].map((part) => part.boundingBox()));
        assert.ok(first.x - graph.x < first.width, "the first bar is at the beginning");
        assert.ok(graph.x + graph.width - last.x - last.width < last.width, "the last one is at the end");
        assert.ok(first.width < 100, `a bar of three years is no wider than one of twelve: ${first.width}`);
        assert.ok(Math.abs(ends.width - graph.width) < 1);
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

  test("one half-move is one in every language", async () => {
    const answers = {
      "en-GB": ["the same half-move", "1 half-move in common, of 1 and 3"],
      "de-DE": ["derselbe Halbzug", "1 Halbzug gemeinsam, von 1 und 3"],
      "ru-RU": ["одинаковые полуходы: 1", "общих полуходов: 1 из 1 и 3"],
      "fr-FR": ["le même demi-coup", "1 demi-coup en commun, sur 1 et 3"],
      "es-ES": ["la misma media jugada", "1 media jugada en común, de 1 y 3"],
    };
    for (const [locale, texts] of Object.entries(answers)) {
      const view = await open(browser, server, "/", { locale });
      try {
        const { page } = view;
        await page.route(/\/api\/v1\/duplicates\?/, async (route) => {
          const response = await route.fetch();
          const answer = await response.json();
          const [pair] = answer.pairs;
          if (pair) answer.pairs = [{ ...pair, common: 1, plies: [1, 1] }, { ...pair, common: 1, plies: [1, 3] }];
          await route.fulfill({ response, json: answer });
        });
        await page.goto(`${server.base}/duplicates?db=twice.pgn`);
        await page.locator(".pair").nth(1).waitFor();
        for (const [index, text] of texts.entries()) {
          const found = await page.locator(".pair").nth(index).locator("p").first().textContent();
          assert.ok(found.includes(` % · ${text}`), found);
        }
      } finally {
        await view.close();
      }
    }
  });

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

  test("what differs is coloured on both sides", async () => {
    const path = shelf.path("differing.pgn");
    writeFileSync(
      path,
      `[Event "E"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n[Opening "Ruy Lopez"]\n\n` +
        `1. e4 {[%clk 1:00:00] first} e5 {[%clk 0:59:58]} 2. Nf3 $14 {[%eval 0.31]} (2. f4 exf4 {kept}) 2... Nc6 {[%csl Ga1] same} 3. Bb5 1-0\n`,
    );
    try {
      await onServer(path, "/convert?db=differing.pgn&to=pgn&profile=seven", async (page) => {
        const compare = async () => {
          await page.locator(".data button", { hasText: "Compare" }).first().click();
          await eventually(async () => assert.equal(await page.locator(".compared .notation").count(), 2));
          const marked = (side) => page.locator(".compared section").nth(side).locator(".differs").allTextContents();
          return [await marked(0), await marked(1)];
        };
        // Of comments, symbols and variations only the moves are left.
        const [left, right] = await compare();
        const text = left.join("|");
        for (const part of ["first", "1:00:00", "59:58", "+0.31", "f4", "exf4", "kept", "green a1", "same"]) assert.ok(text.includes(part), `${part} in ${text}`);
        assert.ok(left.includes(""), "the drawn symbol");
        for (const part of ["e4", "e5", "f3", "c6", "b5"]) assert.ok(!left.some((found) => found.endsWith(part) && found.length <= 4), `${part} in ${text}`);
        assert.deepEqual(right, []);
        await page.locator(".compared mark", { hasText: "Opening: Ruy Lopez" }).waitFor();
        await page.getByText("Coloured: what the other side does not have.").waitFor();
        await axeFindsNothing(page);
        await page.screenshot({ path: join(pictures, "compared-marked.png"), fullPage: true });
        await page.emulateMedia({ colorScheme: "dark" });
        await axeFindsNothing(page);
      });
    } finally {
      rmSync(path);
    }
  });

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
      // What takes a second only is a description of the button.
      await eventually(async () => assert.match(await card.locator(".count").textContent(), /Build index$/));
      assert.match(await card.getByRole("button", { name: /index/ }).getAttribute("title"), /^about \d+ B, 1 sec$/);
    }));
});
