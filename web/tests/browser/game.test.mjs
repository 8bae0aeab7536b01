// The game view: board, notation, comments in several languages, training questions.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, makeLibrary, open, pictures, run } from "./harness.mjs";
import { axeFindsNothing, browser, canMove, currentMove, moves, onServer, piece, rows, scenario, server, shelf } from "./scenarios.mjs";

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

describe("the number of a game", () => {
  test("is typed after the key g, and leads to that game of the same list", () =>
    scenario("/db/league.pgn/game/7?ply=2&q=white%3Acarlsen", async (page) => {
      await moves(page).first().waitFor();
      const field = page.locator(".goto input");
      await page.keyboard.press("g");
      await eventually(async () => assert.ok(await field.evaluate((element) => element === document.activeElement)));
      await page.keyboard.type("31");
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === "/db/league.pgn/game/31" && url.searchParams.get("q") === "white:carlsen");
      await page.locator(".game-nav", { hasText: "Game 31 of 3,000" }).waitFor();
      // The keys are those of the board again.
      await page.keyboard.press("ArrowRight");
      await currentMove(page).waitFor();
      await page.keyboard.press("g");
      await page.keyboard.type("3001");
      await page.keyboard.press("Enter");
      await page.locator("#live", { hasText: "Game 3001 is not in this list" }).waitFor();
      assert.equal(new URL(page.url()).pathname, "/db/league.pgn/game/31");
      await axeFindsNothing(page);
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Game 31 of 3,000" }).click();
      await page.keyboard.type("8");
      await page.keyboard.press("Enter");
      await page.waitForURL(/game\/8/);
    }));

  test("is typed in a text of the database, too, unless letters are no keys", async () => {
    const library = makeLibrary();
    try {
      await onServer(library.path("tabia.cbh"), "/db/tabia.cbh/game/1", async (page, view, other) => {
        const { rows } = await other.api("games?db=tabia.cbh&n=20");
        const number = rows.find((row) => row[6] === null)[1];
        await page.goto(`${other.base}/db/tabia.cbh/game/${number}`);
        await page.locator(".text-view h1").waitFor();
        await page.keyboard.press("g");
        await page.keyboard.type("2");
        await page.keyboard.press("Enter");
        await page.waitForURL(/game\/2/);
        await page.evaluate(() => localStorage.setItem("tabia.settings", JSON.stringify({ singleKeys: false })));
        await page.goto(`${other.base}/db/tabia.cbh/game/${number}`);
        await page.locator(".text-view h1").waitFor();
        await page.keyboard.press("g");
        await page.keyboard.press("n");
        await page.waitForTimeout(200);
        assert.equal(await page.evaluate(() => document.activeElement.id), "");
        assert.match(page.url(), new RegExp(`game/${number}$`));
      });
    } finally {
      library.remove();
    }
  });
});

test("the position as text leaves the whole board in sight", async () => {
  for (const path of ["/db/games.pgn/game/1?ply=3", "/explorer?src=league.bin&play=e2e4", "/book/league.bin?play=e2e4"]) {
    await scenario(path, async (page) => {
      const board = page.locator(".squares");
      await canMove(page);
      const before = await board.boundingBox();
      assert.ok(before.y >= 0 && before.y + before.height <= 800, JSON.stringify(before));
      await page.keyboard.press("x");
      await page.locator(".as-text").waitFor();
      await page.waitForTimeout(300);
      assert.deepEqual(await board.boundingBox(), before, path);
      const text = await page.locator(".as-text").boundingBox();
      assert.ok(text.y >= 0 && text.y + text.height <= 800, JSON.stringify(text));
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, `as-text-${path.split("/")[1].replace(/\W.*/, "")}.png`) });
    });
  }
});

describe("symbols", () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 10, 13, 14, 15, 16, 17, 18, 19, 22, 23, 26, 32, 33, 36, 40, 44, 132, 138, 140, 141, 142, 145, 146, 239, 240, 241, 242, 243, 244, 245];
  const path = () => shelf.path("symbols.pgn");
  before(() => {
    const line = "Nf3 Nf6 Ng1 Ng8";
    const san = all.map((nag, index) => `${index % 2 === 0 ? `${index / 2 + 1}. ` : ""}${line.split(" ")[index % 4]} $${nag}`);
    writeFileSync(path(), `[White "A"]\n[Black "B"]\n[Result "*"]\n\n${san.join(" ")} *\n`);
  });
  after(() => rmSync(path()));

  test("are drawn, or in a font that has them, and have words", () =>
    onServer(path(), "/db/symbols.pgn/game/1", async (page, view) => {
      await moves(page).first().waitFor();
      const nags = page.locator(".notation .nag");
      await eventually(async () => assert.equal(await nags.count(), all.length));
      await eventually(async () => {
        for (const label of await nags.evaluateAll((found) => found.map((nag) => nag.getAttribute("aria-label")))) assert.match(label, /^[\p{L} ]+$/u);
      });
      assert.equal(await nags.nth(all.indexOf(14)).getAttribute("title"), "White is slightly better");
      const session = await view.context.newCDPSession(page);
      await session.send("DOM.enable");
      await session.send("CSS.enable");
      const { root } = await session.send("DOM.getDocument");
      const { nodeIds } = await session.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: ".notation .nag" });
      const texts = await nags.allTextContents();
      const drawn = await nags.evaluateAll((found) => found.map((nag) => nag.querySelector("svg path")?.getBoundingClientRect().height ?? 0));
      for (const [index, nodeId] of nodeIds.entries()) {
        if (texts[index] === "") {
          assert.ok(drawn[index] >= 5, `${all[index]} is drawn: ${drawn[index]}`);
          continue;
        }
        const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
        for (const character of texts[index]) {
          const charset = character.codePointAt(0).toString(16);
          // A font without the character shows an empty box.
          const having = fonts.filter(({ familyName }) => execFileSync("fc-list", [`${familyName}:charset=${charset}`], { encoding: "utf8" }) !== "");
          assert.ok(having.length > 0, `${character} of ${all[index]} in ${fonts.map(({ familyName }) => familyName)}`);
        }
      }
      // The signs that most fonts lack are never text.
      assert.doesNotMatch(texts.join(""), /[⩲⩱⨀⟳⇆⌓⟫⟪]/);
      await axeFindsNothing(page);
      await page.locator(".notation").screenshot({ path: join(pictures, "symbols.png") });
    }));

  test("have words in every language", async () => {
    for (const [locale, words] of [["de-DE", "Weiß steht etwas besser"], ["ru-RU", "у белых немного лучше"], ["fr-FR", "les Blancs sont un peu mieux"], ["es-ES", "las blancas están algo mejor"]]) {
      await onServer(path(), "/db/symbols.pgn/game/1", async (page) => {
        await page.locator(`.nag[aria-label="${words}"]`).waitFor();
      }, { locale });
    }
  });
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

  test("texts for readers of every language follow with a slash, points with a dash", async () => {
    const path = library.path("separators.pgn");
    const question = '[%tqu "En","Which move?","","","c7c5","Good",3,"e7e5","Solid",1]';
    writeFileSync(path, `[Event "Question"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 {${question}} 2. Nf3 *\n`);
    await onServer(path, "/db/separators.pgn/game/1?ply=1", async (page) => {
      const answers = async (change) => {
        await page.route("**/api/v1/db/separators.pgn/games/1", async (route) => {
          const response = await route.fetch();
          const game = await response.json();
          const [item] = game.moves[1].annotations.filter(({ type }) => type === "training");
          change(item);
          await route.fulfill({ response, json: game });
        });
        await page.reload();
        await page.locator(".training button").last().click();
        await page.locator(".training li").first().waitFor();
        return (await page.locator(".training li").allTextContents()).map((text) => text.trim());
      };
      const texts = (...all) => all.map(([text, language]) => ({ text, language }));
      const found = await answers((item) => {
        item.solutions = [
          // Two for all readers, one of another language.
          { from: "c7", to: "c5", points: 3, comments: texts(["Good", 0], ["Gut", 1], ["1…c5", 99], ["Najdorf", 99]) },
          { from: "e7", to: "e5", points: 1, comments: [] },
        ];
      });
      assert.deepEqual(found, ["c7–c5: 3 points – Good / 1…c5 / Najdorf", "e7–e5: 1 point"]);
    });
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

describe("a text of a database", () => {
  const html = (words, more = "") => `<html><head><title>x</title>${more}</head><body><p>${words}</p></body></html>`;
  const languages = ["In English", "Auf Deutsch", "En français", "En español", "In italiano", "In het Nederlands", "Em português"];
  /** The guiding text of the sample as if it were written in seven languages. */
  const inSeven = (run, { more, after = "", ...options } = {}) => async () => {
    const library = makeLibrary();
    try {
      await onServer(library.path("tabia.cbh"), "/", async (page, view, other) => {
        const { rows } = await other.api("games?db=tabia.cbh&n=20");
        const number = rows.find((row) => row[6] === null)[1];
        await page.route(`**/api/v1/db/tabia.cbh/games/${number}`, async (route) => {
          const response = await route.fetch();
          const game = await response.json();
          game.annotations = languages.flatMap((words, language) => [
            { type: "text", kind: "title", language, text: `${words}!` },
            { type: "text", kind: "html", language, text: html(words + after, more) },
          ]);
          await route.fulfill({ response, json: game });
        });
        await run(page, other, number);
        // The frames run no scripts, those of the tests neither.
        view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/Blocked script execution in 'about:srcdoc'/.test(note)));
      }, options);
    } finally {
      library.remove();
    }
  };

  test(
    "is shown in the language of the page, the others by their names",
    inSeven(async (page, other, number) => {
      await page.goto(`${other.base}/db/tabia.cbh/game/${number}`);
      const heads = page.locator(".in-language summary");
      await eventually(async () =>
        assert.deepEqual(
          (await heads.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim()),
          ["Deutsch", "Englisch In English!", "Französisch En français!", "Spanisch En español!", "Italienisch In italiano!", "Niederländisch In het Nederlands!", "Portugiesisch Em português!"],
        ),
      );
      assert.equal(await page.locator("h1").innerText(), "Auf Deutsch!");
      assert.equal(await page.locator("iframe:visible").count(), 1);
      await page.frameLocator("iframe >> nth=0").locator("p", { hasText: "Auf Deutsch" }).waitFor();
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "text-languages.png") });
      await heads.nth(4).click();
      await page.frameLocator("iframe >> nth=4").locator("p", { hasText: "In italiano" }).waitFor();
    }, { locale: "de-DE" }),
  );

  test(
    "has its beginning in the preview, and no board",
    inSeven(async (page, other, number) => {
      await page.goto(`${other.base}/games?db=tabia.cbh&at=${number}`);
      await page.locator(".preview .excerpt", { hasText: /^In English & more$/ }).waitFor();
      assert.ok(!(await page.locator(".preview .small-board").isVisible()));
      assert.equal(await page.locator(".preview .actions > *").count(), 1);
      await axeFindsNothing(page);
      await page.screenshot({ path: join(pictures, "text-preview.png") });
      await page.keyboard.press(number > 1 ? "ArrowUp" : "ArrowDown");
      await page.locator(".preview .line").waitFor();
      assert.ok(await page.locator(".preview .small-board").isVisible());
    }, { more: "<style>p { color: red }</style><script>alert(1)</script><img src=x onerror=alert(2)>", after: " &amp; more" }),
  );
});
