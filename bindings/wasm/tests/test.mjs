// node tests/test.mjs TABIA: compares the package with the program.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { after } from "node:test";
import { gzipSync } from "node:zlib";
import { Book, Database, open } from "../tabia.mjs";

const encoder = new TextEncoder();
const program = process.argv[2];
const folder = join(import.meta.dirname, "..");
const samples = join(folder, "../../samples");
const made = mkdtempSync(join(tmpdir(), "tabia-wasm-"));
const wasm = readFileSync(join(folder, "tabia.wasm"));
const opened = [];
after(() => {
  opened.forEach(closeSync);
  rmSync(made, { recursive: true });
});

const tabia = (...args) => execFileSync(program, args, { maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] });

/** A file of the disk that is read in ranges; `log.bytes` counts. */
function ranged(path, log = {}) {
  const descriptor = openSync(path);
  opened.push(descriptor);
  log.bytes = 0;
  const read = (offset, length) => {
    log.bytes += length;
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
  };
  return { name: basename(path), file: { size: fstatSync(descriptor).size, read } };
}

/** All files of a set. */
function setOf(path) {
  const base = basename(path).replace(/\.[^.]*$/, ".");
  const parent = join(path, "..");
  const names = readdirSync(parent).filter((name) => name.startsWith(base));
  return names.map((name) => join(parent, name));
}

/** Many games, no two alike, with comments of some length. */
function manyGames(count) {
  const moves = ["e4", "d4", "c4", "Nf3", "b3", "g3", "f4", "h3"];
  const replies = ["e5", "d5", "c5", "Nf6", "b6", "g6", "f5", "h6"];
  const knights = "Na3 Na6 Nb1 Nb8 ".repeat(20);
  let pgn = "";
  for (let game = 0; game < count; game += 1) {
    const result = ["1-0", "0-1", "1/2-1/2", "*"][(game >> 6) % 4];
    pgn += `[Event "Cup ${game % 50}"]\n[White "Player ${game}"]\n[Black "Ünal ${(game * 7) % 1000}"]\n`;
    pgn += `[WhiteElo "${1000 + (game % 1800)}"]\n[Date "${1900 + (game % 120)}.??.??"]\n[Result "${result}"]\n\n`;
    pgn += `1. ${moves[game % 8]} {${"a quoted \\ word ".repeat(1 + (game % 40))}} ${replies[(game >> 3) % 8]} ${knights}${result}\n\n`;
  }
  return pgn;
}

const { writeFileSync } = await import("node:fs");
const pgn = join(made, "many.pgn");
writeFileSync(pgn, manyGames(3000));
const databases = ["cbh", "cbv", "si5", "si4", "sci"].map((extension) => {
  const path = join(made, `many.${extension}`);
  tabia(...(extension === "cbv" ? ["archive", "create", path, join(made, "many.cbh")] : ["convert", pgn, "-o", path]));
  return path;
});

test("the module has its size, and needs nothing but reads", async () => {
  const imports = WebAssembly.Module.imports(await WebAssembly.compile(wasm));
  assert.deepEqual(imports, [{ module: "tabia", name: "read", kind: "function" }]);
  const size = gzipSync(wasm, { level: 9 }).length;
  console.log(`tabia.wasm: ${wasm.length} bytes, ${size} with gzip`);
  assert.ok(size <= 900_000, `${size}`);
  const searching = readFileSync(new URL("../tabia-search.wasm", import.meta.url));
  const larger = gzipSync(searching, { level: 9 }).length;
  console.log(`tabia-search.wasm: ${searching.length} bytes, ${larger} with gzip`);
  assert.ok(larger <= 1_050_000, `${larger}`);
});

for (const path of [join(samples, "tabia.cbv"), join(samples, "tabia.cbh"), pgn, ...databases]) {
  test(`${basename(path)} is what the program reads`, async () => {
    const database = await open(setOf(path).filter((one) => !/\.(cbh|cbv|pgn|s\w\d)$/.test(one) || one === path).map((one) => ranged(one)));
    assert.ok(database instanceof Database);
    assert.deepEqual(database.problems, []);
    const rows = JSON.parse(tabia("ls", path, "--json", "--texts", "--include-deleted"));
    assert.deepEqual(database.headers(), rows.games ?? rows);
    const text = tabia("convert", path, "-o", "-", "--to", "pgn", "--profile", "full", "--include-deleted");
    assert.equal(database.pgn(1, database.length), text.toString());
    assert.equal([...database.pgnParts()].join(""), text.toString());
    database.close();
    assert.throws(() => database.length && database.pgn(1), /closed/);
  });
}

test("a game is an object with everything in it", async () => {
  const text = `[Event "A"]
[White "Alpha, A"]
[White "Beta"]
[Date "2013.09.??"]
[__proto__ "x"]
[Result "1-0"]

{first} 1. e4 {good [%csl Re4,Gd5][%cal Gd2d4] [%clk 0:03:00] [%eval 0.25,20]} e5 $1 {[%clk 0:02:58.5] [%emt 0:00:02]}
(1... c5 2. Nf3 (2. c3 {Alapin} d5) d6) (1... e6) 2. Qh5 {[%eval #-3]} Nc6 3. Bc4 Nf6 $4 4. Qxf7# 1-0

[White "C"]
[FEN "r3k3/8/8/8/8/8/8/R3K3 w Q - 0 1"]
[SetUp "1"]

1. O-O-O Kf8 2. Ke9 *
`;
  const database = await open({ name: "games.pgn", file: encoder.encode(text) });
  const game = database.game(1);
  assert.deepEqual(
    { ...game, moves: undefined },
    {
      game: 1,
      tags: Object.fromEntries([
        ["Event", "A"], ["White", "Alpha, A"], ["Date", "2013.09.??"], ["__proto__", "x"], ["Result", "1-0"],
      ]),
      result: "1-0",
      fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
      comments: ["first"],
      problems: [],
      moves: undefined,
    },
  );
  assert.equal(game.moves.map(({ san }) => san).join(" "), "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#");
  const [e4, e5, queen] = game.moves;
  assert.deepEqual(e4, {
    ply: 1,
    san: "e4",
    uci: "e2e4",
    fen: "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    comments: ["good"],
    commentsBefore: [],
    nags: [],
    clock: 180,
    elapsed: null,
    eval: { cp: 25, mate: null, depth: 20 },
    variations: [],
    arrows: [{ color: "green", from: "d2", to: "d4" }],
    marks: [{ form: "square", color: "red", square: "e4" }, { form: "square", color: "green", square: "d5" }],
  });
  assert.deepEqual([e5.nags, e5.clock, e5.elapsed], [[1], 178.5, 2]);
  assert.deepEqual(queen.eval, { cp: null, mate: -3, depth: null });
  assert.deepEqual(e5.variations.map((line) => line.map(({ san }) => san)), [["c5", "Nf3", "d6"], ["e6"]]);
  const [, knight] = e5.variations[0];
  assert.equal(knight.ply, 3);
  assert.deepEqual(knight.variations.map((line) => line.map(({ san }) => san)), [["c3", "d5"]]);
  assert.deepEqual(knight.variations[0][0].comments, ["Alapin"]);
  const second = database.game(2);
  assert.deepEqual(second.moves.map(({ uci }) => uci), ["e1c1", "e8f8"]);
  assert.equal(second.fen, "r3k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
  assert.equal(second.problems.length, 1);
  assert.match(second.problems[0], /Ke9/);
  assert.throws(() => database.game(0), /no game 0/);
  assert.throws(() => database.game(3), /no game 3/);
  assert.throws(() => database.game(-1), RangeError);
  // Variations in variations, as deep as they may be.
  const deep = 2000;
  const nested = "(1. d4 ".repeat(deep) + ")".repeat(deep);
  const many = await open({ name: "deep.pgn", file: encoder.encode(`1. e4 ${nested} *\n`) });
  let [move] = many.game(1).moves;
  let depth = 0;
  while (move?.variations.length) {
    depth += 1;
    [[move]] = move.variations;
  }
  assert.ok(depth > 50 || many.game(1).problems.length > 0, `${depth}`);
});

test("games of other databases are those of their PGN", async () => {
  for (const path of databases) {
    const files = setOf(path).filter((one) => !/\.(cbh|cbv|pgn|s\w\d)$/.test(one) || one === path).map((one) => ranged(one));
    const database = await open(files);
    for (const number of [1, 1500, 3000]) {
      const game = database.game(number);
      assert.deepEqual(game.problems, []);
      const again = await open({ name: "again.pgn", file: encoder.encode(database.pgn(number)) });
      const other = again.game(1);
      assert.deepEqual(game.moves, other.moves);
      assert.deepEqual([game.result, game.tags.White, game.fen], [other.result, other.tags.White, other.fen]);
      assert.equal(game.tags.White, `Player ${number - 1}`);
    }
  }
});

test("of a large set only what is needed is read", async () => {
  for (const [path, data] of [[databases[0], ".cbg"], [databases[2], ".sg5"]]) {
    const log = {};
    const files = setOf(path).filter((one) => !/\.(cbv|pgn|s[ing]4|sci|sc[gn])$/.test(one));
    const set = files.map((one) => ranged(one, one.endsWith(data) ? log : {}));
    const own = data === ".sg5" ? set.filter(({ name }) => /5$/.test(name)) : set.filter(({ name }) => /cb.?.?$/.test(name));
    const { size } = own.find(({ name }) => name.endsWith(data)).file;
    const database = await open(own);
    assert.equal(database.headers(1500, 5).length, 5);
    assert.match(database.pgn(1500), /Player 1499/);
    assert.ok(size > 250_000, `${data}: ${size}`);
    assert.ok(log.bytes > 0 && log.bytes <= 3 * 65_536, `${data}: ${log.bytes} of ${size}`);
  }
});

/** What the program finds. Without a game its exit code is 1. */
function found(...words) {
  try {
    return JSON.parse(tabia("search", ...words, "--json"));
  } catch (error) {
    if (error.status !== 1) throw error;
    return JSON.parse(error.stdout);
  }
}

test("a search finds what the program finds", async () => {
  const queries = [
    "", 'white:"player 17"', "result:1-0 plies:>6", "line:1.e4 -result:1-0", "move:Nf3 -> move:Nc6", "mat:KQRRBBNNP*KQRRBBNNP*",
    "player:nobody", 'white:"player 2" OR black:"player 3"',
  ];
  for (const path of [pgn, join(samples, "tabia.cbv"), ...databases]) {
    const files = setOf(path).filter((one) => !/\.(cbh|cbv|pgn|s\w\d)$/.test(one) || one === path).map((one) => ranged(one));
    const database = await open(files, { search: true });
    for (const query of queries) {
      for (const [options, flags] of [[{}, []], [{ deleted: true, texts: true }, ["--include-deleted", "--texts"]]]) {
        // The first moment has columns of its own there.
        const expected = found(path, query, ...flags).map(({ ply, fen, move, ...row }) => row);
        const { games, problems } = database.search(query, options);
        assert.deepEqual(games, expected, `${path} ${query}`);
        assert.deepEqual(problems, []);
        if (expected.length > 3) {
          const some = database.search(query, { ...options, first: expected[1].game, limit: 2 });
          assert.deepEqual(some.games, expected.slice(1, 3), `${path} ${query}`);
        }
      }
    }
    const parts = [...database.searchParts("result:*", { first: database.length + 5 })];
    assert.deepEqual(parts.map(({ games }) => games), [[]]);
    assert.throws(() => database.search("elo>2700"), /elo/);
    assert.throws(() => database.search("sort:date"), /sort:/);
    assert.throws(() => database.search("elo:1", { limit: -1 }), RangeError);
  }
});

test("games on which it is not known whether they fit are named", async () => {
  const text = '[White "A"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n[White "B"]\n\n1. e4 e5 2. Nf3 Nc6 *\n';
  const file = { name: "games.pgn", file: encoder.encode(text) };
  const small = await open(file);
  assert.throws(() => small.search("e4"), /search: true/);
  assert.equal(small.length, 2);
  const database = await open(file, { search: true });
  const { games, problems } = database.search("move:Nc6");
  assert.deepEqual(games.map(({ game }) => game), [2]);
  assert.equal(problems.length, 1);
  assert.match(problems[0], /game 1/);
});

test("a book has the moves that the program finds", async () => {
  for (const extension of ["bin", "ctg"]) {
    const path = join(made, `book.${extension}`);
    tabia("book", "build", pgn, "-o", path, "--min-games", "1");
    const book = await open(setOf(path).filter((one) => !one.endsWith(".bin") || extension === "bin").map((one) => ranged(one)));
    assert.ok(book instanceof Book);
    for (const moves of ["", "1. e4", "1. g3 b6"]) {
      const found = JSON.parse(tabia("book", "find", path, "--moves", moves, "--json"));
      const wanted = (found.moves ?? found).map(({ uci }) => uci);
      assert.ok(wanted.length > 0);
      assert.deepEqual(book.find(moves).moves.map(({ uci }) => uci), wanted);
    }
    assert.equal(book.find("8/8/8/4k3/8/8/8/K7 w - - 0 1"), null);
    assert.throws(() => book.find("1. Ke8"), /not a legal move/);
  }
});

test("a file that changes or cannot be read is an error, not other games", async () => {
  const path = databases[2];
  const files = () => ["si5", "sn5", "sg5"].map((extension) => ranged(path.replace(/si5$/, extension)));
  for (const fails of [
    () => {
      throw new Error("the disk has failed");
    },
    () => new Uint8Array(3),
  ]) {
    const set = files();
    const database = await open(set);
    const games = set[2].file;
    const { read } = games;
    games.read = fails;
    assert.throws(() => database.pgn(1), /the disk has failed|has changed/);
    assert.equal(database.headers(1, 1).length, 1);
    games.read = read;
    assert.match(database.pgn(1), /Player 0/);
    const failing = files();
    failing[0].file.read = fails;
    await assert.rejects(open(failing), /the disk has failed|has changed/);
  }
});

test("what is no database is an error", async () => {
  const sample = readFileSync(join(samples, "tabia.cbv"));
  await assert.rejects(open(Uint8Array.from({ length: 256 }, (_, at) => at), { name: "x.xyz" }));
  await assert.rejects(open(new Uint8Array(9)), /without a name/);
  await assert.rejects(open([]), /no file/);
  const huge = { size: 2 ** 33, read: () => assert.fail() };
  await assert.rejects(open({ name: "x.si5", file: huge }), /larger than 4 GiB/);
  for (let length = 0; length < sample.length; length += 97) {
    const cut = { name: "tabia.cbv", file: sample.subarray(0, length) };
    try {
      (await open(cut)).close();
    } catch (error) {
      assert.doesNotMatch(error.message, /tabia has failed/);
    }
  }
  const whole = await open({ name: "tabia.cbv", file: sample });
  assert.throws(() => whole.pgn(0), /no game 0/);
  assert.throws(() => whole.pgn(10), /no game 10/);
  assert.throws(() => whole.headers(-1), RangeError);
});
