// The explorer, the check of a database, and the book view.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, makeLibrary, open, pictures, run, serve } from "./harness.mjs";
import { axeFindsNothing, browser, currentMove, moves, onServer, piece, rows, scenario, server, shelf } from "./scenarios.mjs";

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
        await eventually(async () => assert.equal(await page.locator('tr .mark[aria-label="loses by the stored evaluations of 1 game"]').count(), 1));
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

test("on a phone and in a narrow window the explorer and the duplicates need no scrolling sideways, and lose nothing", async () => {
  const library = makeLibrary();
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const server = await serve(library.folder);
  try {
    for (const [path, shown, values] of [
      ["/explorer?src=masters.si5", ".explorer-table", ["Elo 2", "Perf. 2", "Last 20"]],
      ["/explorer?src=masters.si5,masters.ctg,masters.bin&play=e2e4,c7c5", ".explorer-table", ["Elo 2", "Weight ", "Last 20"]],
      ["/explorer?src=masters.bin", ".explorer-table", ["Weight "]],
      ["/db/masters.si5/game/9?ply=4&tab=explorer", ".explorer-table", ["Elo 2"]],
      ["/duplicates?db=twice.pgn", ".pair table", ["Wijk aan Zee NED", "Adams, Michael", "1994.01.12"]],
    ]) {
      for (const size of [phone, { viewport: { width: 760, height: 800 } }]) {
        if (size !== phone && path.startsWith("/duplicates")) continue;
        const view = await open(browser, server, path, size);
        try {
          const { page } = view;
          await page.locator(`${shown} tbody tr`).first().waitFor();
          await eventually(async () => {
            const wide = await page.locator(".table-box").evaluateAll((boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => `${box.scrollWidth} in ${box.clientWidth}`));
            assert.deepEqual(wide, [], path);
          });
          const text = await page.locator(shown).first().innerText();
          for (const value of values) assert.ok(text.includes(value), `${path}: ${value} in ${text}`);
          // No cell hides a part of its text, and what is a table is one for screen readers.
          const cut = await page.locator(`${shown} :is(td, th[scope=row])`).evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.outerHTML.slice(0, 120)));
          assert.deepEqual(cut, [], path);
          assert.equal(await page.getByRole("table").first().getByRole("row").first().getByRole("cell").count() > 0 || (await page.getByRole("columnheader").count()) > 0, true);
          assert.ok((await page.getByRole("rowheader").count()) > 0, path);
          await axeFindsNothing(page);
          await page.screenshot({ path: join(pictures, `reflow-${size.viewport.width}-${path.replace(/\W+/g, "-").slice(1, 40)}.png`), fullPage: true });
        } finally {
          await view.close();
        }
      }
    }
  } finally {
    assert.equal(await server.stop(), 0);
    library.remove();
  }
});
