// The shelf, its cards and jobs, new and changed files, and a server that does not answer.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, open, pictures, run, serve } from "./harness.mjs";
import { axeFindsNothing, browser, currentMove, moves, onServer, rows, scenario, server, shelf } from "./scenarios.mjs";

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

describe("a folder", () => {
  const game = (name) => `[White "${name}"]\n[Black "B"]\n\n1. e4 *\n\n`;
  const onFolder = (run, options) => async () => {
    const folder = mkdtempSync(join(tmpdir(), "tabia-folder-"));
    for (let i = 10; i < 40; i++) writeFileSync(join(folder, `${i}.pgn`), game(`player ${i}`));
    try {
      await onServer(folder, "/", (page) => run(page, folder), options);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  const names = (page) => page.locator(".card h3").allTextContents();

  test(
    "shows files that come and go without a reload, and keeps search, focus and scroll",
    onFolder(async (page, folder) => {
      await eventually(async () => assert.equal((await names(page)).length, 30));
      await page.waitForFunction(() => ![...document.querySelectorAll(".count")].some((e) => e.textContent === "…"));
      // What is not changed is neither drawn anew nor announced.
      await page.evaluate(() => {
        globalThis.changes = 0;
        new MutationObserver((all) => (globalThis.changes += all.length)).observe(document.body, { subtree: true, childList: true, characterData: true });
      });
      await page.waitForTimeout(7000);
      assert.equal(await page.evaluate(() => globalThis.changes), 0);

      await page.locator("#shelf-filter").fill("pgn");
      await page.locator("main").evaluate((main) => (main.scrollTop = 400));
      const scrolled = await page.locator("main").evaluate((main) => main.scrollTop);
      assert.ok(scrolled > 200, String(scrolled));
      await page.locator("#shelf-filter").evaluate((field) => field.focus({ preventScroll: true }));
      writeFileSync(join(folder, "39 new.pgn"), game("new"));
      await eventually(async () => assert.ok((await names(page)).includes("39 new.pgn")));
      await page.locator("#live", { hasText: "On the shelf: 39 new.pgn" }).waitFor({ state: "attached" });
      await page.locator(".card", { hasText: "39 new.pgn" }).locator(".count", { hasText: "1 game" }).waitFor();
      rmSync(join(folder, "39 new.pgn"));
      await eventually(async () => assert.ok(!(await names(page)).includes("39 new.pgn")));
      await page.locator("#live", { hasText: "No longer on the shelf: 39 new.pgn" }).waitFor({ state: "attached" });
      assert.equal(await page.locator("#shelf-filter").inputValue(), "pgn");
      assert.equal(await page.evaluate(() => document.activeElement.id), "shelf-filter");
      assert.equal(await page.locator("main").evaluate((main) => main.scrollTop), scrolled);

      // A file that grows has another number of games.
      writeFileSync(join(folder, "10.pgn"), game("one") + game("two"));
      await page.locator(".card", { hasText: "10.pgn" }).locator(".count", { hasText: "2 games" }).waitFor();
    }),
  );

  test(
    "is looked at when the page is seen again, and not while it is hidden",
    onFolder(async (page, folder) => {
      await eventually(async () => assert.equal((await names(page)).length, 30));
      const see = (isHidden) =>
        page.evaluate((isHidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }, isHidden);
      await see(true);
      rmSync(join(folder, "10.pgn"));
      await page.waitForTimeout(5000);
      assert.equal((await names(page)).length, 30);
      await see(false);
      await eventually(async () => assert.equal((await names(page)).length, 29), 2000);
    }),
  );

  test(
    "that was empty shows its first file",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "tabia-folder-"));
      try {
        await onServer(folder, "/", async (page) => {
          await page.locator(".empty").waitFor();
          writeFileSync(join(folder, "first.pgn"), game("first"));
          await page.locator(".card h3 a", { hasText: "first.pgn" }).click();
          await page.locator(".layer .row .c-white", { hasText: "first" }).waitFor();
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

test("a page that is opened after its file is gone is not called out of date", async () => {
  const path = shelf.path("was-here.pgn");
  writeFileSync(path, '[White "A"]\n\n1. e4 *\n\n');
  await onServer(path, "/games?db=was-here.pgn", async (page, view, other) => {
    await rows(page).first().waitFor();
    await page.waitForTimeout(300);
    rmSync(path);
    await page.locator(".gone", { hasText: "no longer current" }).waitFor();
    for (const address of ["/games?db=was-here.pgn", "/db/was-here.pgn/game/1", "/health?db=was-here.pgn"]) {
      await page.goto(other.base + address);
      await page.locator(".error").first().waitFor();
      // The files are looked at every two seconds.
      await page.waitForTimeout(2500);
      assert.equal(await page.locator(".gone").count(), 0, address);
    }
    view.problems.splice(0);
  });
});

test("an address that is none is a page with a way back", () =>
  scenario("/", async (page, view) => {
    for (const path of ["/nonsense", "/nonsense/%E0%A4%A/x?db=league.pgn"]) {
      const answer = await page.goto(server.base + path);
      assert.equal(answer.status(), 404);
      await page.getByRole("heading", { name: "There is no such page." }).waitFor();
      await axeFindsNothing(page);
    }
    await page.screenshot({ path: join(pictures, "nonsense.png") });
    await page.locator(".empty a").click();
    await page.locator(".card").first().waitFor();
    assert.equal(new URL(page.url()).pathname, "/");
    const program = await fetch(`${server.base}/nonsense`);
    assert.deepEqual([program.status, await program.text()], [404, "not found\n"]);
    view.problems.splice(0, view.problems.length, ...view.problems.filter((note) => !/status of 404/.test(note)));
  }));

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
      await page.locator(".jobs summary", { hasText: "1 finished job" }).click();
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

  test("that have ended are one line, which opens on request and is closed at once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tabia-jobs-"));
    const names = ["a", "b", "c"].map((name) => `${name}.pgn`);
    for (const name of names) writeFileSync(join(folder, name), '[White "A"]\n\n1. e4 e5 *\n\n');
    try {
      for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
        await onServer(
          folder,
          "/",
          async (page, view, other) => {
            for (const name of names) {
              await fetch(`${other.base}/api/v1/jobs`, {
                method: "POST",
                headers: { Authorization: `Bearer ${other.key}`, "Content-Type": "application/json" },
                body: JSON.stringify({ kind: "index", db: name }),
              });
              await eventually(async () => assert.ok((await other.api("jobs")).jobs.every((job) => job.state === "done")));
            }
            for (const path of ["/", "/games?db=a.pgn", "/db/a.pgn/game/1"]) {
              await page.goto(other.base + path);
              const summary = page.locator(".jobs summary");
              await eventually(async () => assert.equal(await summary.textContent(), "3 finished jobs"));
              assert.ok(!(await page.locator(".jobs li").first().isVisible()));
              const { height } = await page.locator(".jobs").boundingBox();
              assert.ok(height <= 46, `${height} of ${viewport.width}`);
            }
            await axeFindsNothing(page);
            await page.screenshot({ path: join(pictures, `jobs-finished-${viewport.width}.png`) });
            await page.locator(".jobs summary").focus();
            await page.keyboard.press("Enter");
            await page.locator(".jobs li", { hasText: "Index of c.pgn" }).waitFor();
            await axeFindsNothing(page);
            await page.getByRole("button", { name: "Close all finished jobs" }).click();
            await eventually(async () => assert.equal(await page.locator(".jobs").count(), 0));
            assert.deepEqual((await other.api("jobs")).jobs, []);
          },
          { viewport },
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test(
    "one that ends is shown with its result until another view is",
    onDatabase("ends.pgn", "/", async (page) => {
      await page.getByRole("button", { name: "Build index of ends.pgn" }).click();
      await page.locator(".jobs li.done", { hasText: "Index of ends.pgn" }).waitFor();
      assert.equal(await page.locator(".jobs summary").count(), 0);
      await page.locator(".card h3 a").click();
      await rows(page).first().waitFor();
      await page.locator(".jobs summary", { hasText: "1 finished job" }).waitFor();
      assert.ok(!(await page.locator(".jobs li").isVisible()));
    }),
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
      await page.locator(".write-form .error .hint", { hasText: "give another name, or replace a file with this name" }).waitFor();
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
