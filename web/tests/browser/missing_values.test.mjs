// What a view shows where something is missing: ratings, games, moves, the game or the file itself; sizes for fingers; and
// tables that have space for all their columns.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually, open } from "./harness.mjs";
import { browser, canMove, onServer, rows, scenario, server } from "./scenarios.mjs";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Takes the messages of the console about refused requests, which are meant here, out of the problems. */
const allow = (view, status) =>
  view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !note.includes(`status of ${status}`)));

/** Runs a scenario over files that are made for it, by their names. */
async function onFiles(files, path, run, options) {
  const folder = mkdtempSync(join(tmpdir(), "tabia-missing-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await onServer(folder, path, (page, view, server) => run(page, view, server, folder), options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const game = (white, tags, moves) => `[White "${white}"]\n[Black "B"]\n${tags}[Result "1/2-1/2"]\n\n${moves} 1/2-1/2\n\n`;
const dated = game("Unrated", '[Date "1999.01.02"]\n', "1. e4 e5 2. Nf3");

describe("the explorer", () => {
  test("without ratings the latest games are shown", () =>
    onFiles({ "g.pgn": dated }, "/explorer?src=g.pgn", async (page) => {
      await page.locator("table.top-games", { hasText: "Unrated" }).waitFor();
      assert.ok(await page.getByRole("button", { name: "Top games" }).isDisabled());
      assert.equal(await page.getByRole("button", { name: "Latest games" }).getAttribute("aria-pressed"), "true");
    }));

  test("the browser goes back move by move, and the next move is kept", () =>
    scenario("/", async (page) => {
      await page.locator(".top nav a", { hasText: "Explorer" }).click();
      const play = (name) => page.locator(".explorer-table .move-button", { hasText: name }).first().click();
      const isAt = (moves) => eventually(() => assert.equal(new URL(page.url()).searchParams.get("play") ?? "", moves));
      await play("e4");
      await isAt("e2e4");
      await page.locator(".line", { hasText: "e4" }).waitFor();
      await canMove(page);
      await page.locator(".explorer-table .move-button").first().waitFor();
      await eventually(async () => assert.equal(await page.locator("tr[data-uci=c7c5]").count(), 1));
      await page.locator("tr[data-uci=c7c5] .move-button").click();
      await isAt("e2e4,c7c5");
      await page.goBack();
      await isAt("e2e4");
      await eventually(async () => assert.equal((await page.locator(".line").textContent()).trim(), "1. e4"));
      await page.keyboard.press("ArrowRight");
      await isAt("e2e4,c7c5");
      // The key has made no entry.
      await page.goBack();
      await isAt("");
      assert.equal(new URL(page.url()).pathname, "/explorer");
      await page.goForward();
      await eventually(() => assert.notEqual(new URL(page.url()).searchParams.get("play"), null));
    }));

  test("a share that is not nothing is not shown as 0 %", () =>
    onFiles({ "g.pgn": dated.repeat(400) + dated.replace("e4 e5", "a3 e5") }, "/explorer?src=g.pgn", async (page) => {
      await page.locator("tr[data-uci=a2a3] .share", { hasText: "<1 %" }).waitFor();
    }));

  test("many sources have space for all columns", () =>
    scenario("/explorer?src=league.ctg,league.bin,league.pgn,games.pgn,packed.pgn.gz,all.zip~league.pgn", async (page) => {
      await page.locator(".explorer-table.sources-6 tr[data-uci=e2e4]").waitFor();
      await eventually(async () => {
        const [inner, scroll] = await page.locator(".explorer .table-box").first().evaluate((box) => [box.clientWidth, box.scrollWidth]);
        assert.ok(scroll <= inner, `${scroll} in ${inner}`);
      });
    }));
});

describe("a book", () => {
  test("has space for all columns, the numbers first, and its bytes on request", () =>
    scenario("/book/league.ctg", async (page) => {
      await page.locator(".book-view tr[data-uci]").first().waitFor();
      for (const width of [1280, 800, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await eventually(async () => {
          const [inner, scroll] = await page.locator(".book-view .table-box").evaluate((box) => [box.clientWidth, box.scrollWidth]);
          assert.ok(scroll <= inner, `${width}: ${scroll} in ${inner}`);
        });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      const heads = () => page.locator(".book-view thead th").allTextContents();
      const [last] = (await heads()).slice(-1);
      assert.equal(last, "Games with the moves in");
      assert.ok(!(await heads()).includes("Bytes"));
      await page.getByLabel("show the stored bytes").check();
      await eventually(async () => assert.ok((await heads()).includes("Bytes")));
    }));

  test("has its shares as the language writes them", () =>
    scenario("/book/league.bin", async (page) => {
      await eventually(async () => assert.match(await page.locator(".book-view tr[data-uci=e2e4]").textContent(), /\d,\d %/));
    }, { locale: "de-DE" }));
});

describe("what is missing", () => {
  test("an empty database has no index to build and no stray number", () =>
    onFiles({ "a.pgn": "", "b.pgn": dated }, "/", async (page) => {
      const card = page.locator(".card", { hasText: "a.pgn" });
      await eventually(async () => assert.equal((await card.locator(".count").textContent()).trim(), "0 games"));
      await eventually(async () => assert.match(await page.locator(".card", { hasText: "b.pgn" }).locator(".count").textContent(), /Build index/));
    }));

  test("moves that are not read are no 0", () =>
    onFiles({ "g.pgn": game("A", '[Variant "Atomic"]\n', "1. e4 e5") + dated }, "/games?db=g.pgn", async (page) => {
      const cells = rows(page).locator(".c-moves");
      await eventually(async () => assert.deepEqual(await cells.allTextContents(), ["–", "2"]));
      assert.match(await cells.first().getAttribute("title"), /not played here/);
      assert.equal(await cells.nth(1).getAttribute("title"), "");
      assert.equal(await page.locator("h1").textContent(), "g.pgn");
    }));

  test("an address without its game or database leads elsewhere", async () => {
    await scenario("/db/league.pgn/game/9999?q=elo:>1", async (page, view) => {
      await page.locator(".error", { hasText: "9999" }).waitFor();
      await page.locator(".dead-end a", { hasText: "Shelf" }).waitFor();
      await page.locator(".dead-end a", { hasText: "List" }).click();
      await rows(page).first().waitFor();
      assert.equal(new URL(page.url()).searchParams.get("q"), "elo:>1");
      allow(view, 404);
    });
    for (const name of ["nosuch", "nonsense.cbh"]) {
      await scenario(`/games?db=${name}`, async (page, view) => {
        await page.locator(".dead-end .error").waitFor();
        assert.equal(await page.locator(".toolbar").count(), 0);
        await page.locator(".dead-end a", { hasText: "Shelf" }).click();
        await page.locator(".shelf").waitFor();
        allow(view, 404);
        allow(view, 422);
      });
    }
  });

  test("so does one without its input in other views", async () => {
    for (const path of ["/health?db=nosuch", "/book/nosuch"]) {
      await scenario(path, async (page, view) => {
        await page.locator(".dead-end .error").waitFor();
        await page.locator(".dead-end a", { hasText: "Shelf" }).waitFor();
        await page.waitForLoadState("networkidle");
        allow(view, 404);
      });
    }
  });

  test("an unknown tab is that of the moves", () =>
    scenario("/db/league.pgn/game/1?tab=nosuch", async (page) => {
      await page.locator(".notation .move").first().waitFor();
      assert.equal(await page.getByRole("tab", { selected: true }).textContent(), "Moves");
    }));

  test("a file that was deleted is stated in plain words", () =>
    onFiles({ "a.pgn": dated }, "/games?db=a.pgn", async (page, view, _, folder) => {
      await rows(page).first().waitFor();
      rmSync(join(folder, "a.pgn"));
      await page.locator(".gone", { hasText: "a.pgn: the file is gone" }).waitFor();
      assert.doesNotMatch(await page.locator(".gone").first().textContent(), /os error/);
      allow(view, 404);
    }));
});

describe("texts", () => {
  test("of the library are in the words and the language of the reader", async () => {
    const cut = (field) => ({
      code: "malformed", detail: `games-si4.sg4: game 1: \`${field}\` needs 6 bytes, 2 are left`,
      text: { id: "cutField", values: [field, "6 bytes", "2"] }, values: { detail: `\`${field}\` needs 6 bytes, 2 are left`, game: "1", file: "games-si4.sg4" },
    });
    const problems = [
      cut("blob"), cut("title_language"), cut("no_such_field"),
      { code: "malformed", detail: "`media_at` has the impossible value 0x9", text: { id: "impossibleValue", values: ["media_at", "0x9"] }, values: { detail: "`media_at` has the impossible value 0x9" } },
      { code: "unsupported", detail: "it is not in the archive but at http://x.example/a.si4", text: { id: "elsewhere", values: ["http://x.example/a.si4"] }, values: { detail: "it is not in the archive but at http://x.example/a.si4" } },
    ];
    for (const [locale, wanted] of Object.entries({
      "en-GB": [
        "games-si4.sg4: game 1: the data end too early (record of the game): 6 bytes needed, 2 left", "(text): 6 bytes", "(stored data): 6 bytes",
        "a value that cannot be (reference to media): 0x9", "it is not in the archive but at http://x.example/a.si4",
      ],
      "de-DE": ["Die Daten enden zu früh (Datensatz der Partie): nötig sind 6 Bytes, vorhanden 2", "(Text)", "(gespeicherte Daten)", "Ein unmöglicher Wert (Verweis auf Medien): 0x9", "liegt nicht im Archiv, sondern unter http://x.example/a.si4"],
      "ru-RU": ["данные обрываются (запись партии): нужно 6 байт, осталось 2", "(текст)", "(сохранённые данные)", "невозможное значение (ссылка на медиа): 0x9", "не в архиве, а по адресу http://x.example/a.si4"],
      "fr-FR": ["les données s'arrêtent trop tôt (enregistrement de la partie) : il faut 6 octets, il reste 2", "(texte)", "(données enregistrées)", "une valeur impossible (référence à un média) : 0x9", "n'est pas dans l'archive, mais à http://x.example/a.si4"],
      "es-ES": ["los datos terminan demasiado pronto (registro de la partida): hacen falta 6 bytes, quedan 2", "(texto)", "(datos guardados)", "un valor imposible (referencia a medios): 0x9", "no está en el archivo, sino en http://x.example/a.si4"],
    })) {
      const view = await open(browser, server, "/", { locale });
      try {
        const { page } = view;
        await page.route("**/api/v1/db/games-si4.si4/games/1", async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), problemList: problems } });
        });
        await page.goto(`${server.base}/db/games-si4.si4/game/1`);
        const shown = page.locator(".game-head .problem");
        await eventually(async () => assert.equal(await shown.count(), problems.length));
        await eventually(async () => {
          const texts = await shown.allTextContents();
          for (const [index, text] of wanted.entries()) assert.ok(texts[index].includes(text), `${text} in ${texts[index]}`);
          assert.doesNotMatch(texts.join(), /blob|media_at|title_language|no_such_field/);
        });
      } finally {
        await view.close();
      }
    }
  });

  test("names of formats are words of the language", async () => {
    for (const [locale, wanted] of [["en-GB", "Scid 4 database"], ["de-DE", "Scid 4-Datenbank"], ["ru-RU", "база Scid 4"], ["fr-FR", "base Scid 4"], ["es-ES", "base de Scid 4"]]) {
      await scenario("/convert?db=games.pgn", async (page) => {
        await page.locator(".choose option", { hasText: wanted }).waitFor({ state: "attached" });
        await page.goto(`${server.base}/health?db=games-si4.si4`);
        await eventually(async () => assert.equal(await page.locator(".facts tr").first().locator("td").textContent(), wanted));
        await page.goto(`${server.base}/`);
        await page.locator(".card", { hasText: "games-si4.si4" }).locator(`.badge[title="${wanted}"]`).waitFor();
      }, { locale });
    }
  });

  test("a format has its name once", () =>
    scenario("/health?db=games-si4.si4", async (page) => {
      await page.locator(".facts").waitFor();
      const text = await page.locator(".facts tr").first().locator("td").textContent();
      assert.equal(text, "Scid 4 database");
    }));

  test("an unknown field names the fields below it, not a command", () =>
    scenario("/games?db=league.pgn&q=plyer:x", async (page, view) => {
      await page.locator(".fields.known li").first().waitFor();
      assert.match(await page.locator(".error .hint").textContent(), /all fields are listed below/);
      await page.locator(".toolbar").waitFor();
      allow(view, 400);
    }));

  test("variations that end together have their brackets together", () =>
    onFiles({ "g.pgn": game("A", "", "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5 (2... Nf6 3. e5 (3. d3))))") }, "/db/g.pgn/game/1", async (page) => {
      await page.locator(".notation .move").first().waitFor();
      const text = await page.locator(".notation").textContent();
      assert.match(text, /\)\)\)/);
      assert.doesNotMatch(text, /\) \)/);
    }));

  test("draws are written alike in all lists", () =>
    onFiles({ "g.pgn": dated + dated }, "/duplicates?db=g.pgn", async (page) => {
      await page.locator(".pair td", { hasText: "½-½" }).first().waitFor();
      assert.equal(await page.locator(".pair td", { hasText: "1/2-1/2" }).count(), 0);
    }));
});

describe("a finger", () => {
  for (const path of [
    "/", "/games?db=league.pgn&q=elo:>2500", "/db/league.pgn/game/1", "/db/league.pgn/game/1?tab=explorer", "/explorer?src=league.ctg,league.pgn&play=e2e4",
    "/book/league.ctg", "/player/Anand,%20A?db=league.pgn", "/search?db=league.pgn", "/duplicates?db=twice.pgn", "/health?db=games.pgn", "/convert?db=league.pgn&to=si5",
  ]) {
    test(`has targets of 44 pixels: ${path}`, () =>
      scenario(
        path,
        async (page) => {
          await page.locator("main section").first().waitFor();
          await eventually(async () => {
            const small = await page.evaluate(() => {
              const found = [];
              for (const element of document.querySelectorAll("button, a[href], summary, select, input, textarea")) {
                if (element.closest(".squares, .edit-board, [inert], .visually-hidden, .skip") || !element.checkVisibility()) continue;
                // A box is chosen with its text.
                const target = /checkbox|radio/.test(element.type) ? (element.closest("label") ?? element) : element;
                const { width, height } = target.getBoundingClientRect();
                const least = element.closest(".kinds, .problem") ? 24 : 44;
                if (width > 0 && height < least - 0.5) found.push(`${element.outerHTML.slice(0, 90)}: ${height}`);
              }
              return found;
            });
            assert.deepEqual(small, []);
            const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
            assert.ok(scroll <= inner, `${scroll} in ${inner}`);
          }, 8000);
        },
        phone,
      ));
  }
});
