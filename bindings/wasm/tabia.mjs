// tabia for browsers and Node: chess databases and opening books, read in ranges.
//
//     const database = await open(files);            // File objects that were dropped on a page
//     for (const { white, black } of database.headers(1, 100)) console.log(white, black);
//     console.log(database.pgn(7));
//     database.close();

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The module, and the larger one with queries. */
const MODULES = {
  tabia: new URL("./tabia.wasm", import.meta.url),
  search: new URL("./tabia-search.wasm", import.meta.url),
};

const compiled = {};

/** A module, compiled once. After a failure the next call tries again. */
function compile(name) {
  compiled[name] ??= readModule(MODULES[name])
    .then((bytes) => WebAssembly.compile(bytes))
    .catch((error) => {
      delete compiled[name];
      throw error;
    });
  return compiled[name];
}

async function readModule(url) {
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return response.arrayBuffer();
}

/** Uses these bytes as the module instead of the file `tabia.wasm`, or of `tabia-search.wasm`. */
export function useModule(bytes, { search = false } = {}) {
  compiled[search ? "search" : "tabia"] = WebAssembly.compile(bytes);
}

/** Bytes in memory as a file. */
function inMemory(bytes) {
  const all = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return { size: all.length, read: (offset, length) => all.subarray(offset, offset + length) };
}

/** A `Blob` as a file: in a worker read in ranges, elsewhere as a whole, since only a worker may wait for a read. */
async function ofBlob(blob) {
  if (typeof FileReaderSync === "undefined") return inMemory(await blob.arrayBuffer());
  const reader = new FileReaderSync();
  return {
    size: blob.size,
    read: (offset, length) => reader.readAsArrayBuffer(blob.slice(offset, offset + length)),
  };
}

async function fileOf(input, name) {
  const given = input?.file ?? input;
  const found = input?.name ?? name;
  if (!found) throw new TypeError("a file without a name: give { name, file }");
  if (given instanceof Blob) return { name: found, ...(await ofBlob(given)) };
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return { name: found, ...inMemory(given) };
  if (typeof given?.read === "function" && Number.isSafeInteger(given.size)) {
    return { name: found, size: given.size, read: (offset, length) => given.read(offset, length) };
  }
  throw new TypeError("expected a Blob, bytes, or an object with size and read(offset, length)");
}

/** Opens a database or book: a file, or all files of a set. With `search` its games can be searched. */
export async function open(input, { name, search = false } = {}) {
  const inputs = Array.isArray(input) || (typeof FileList !== "undefined" && input instanceof FileList) ? [...input] : [input];
  const files = await Promise.all(inputs.map((one) => fileOf(one, name)));
  const machine = await Machine.start(files, search ? "search" : "tabia");
  const list = files.map((file) => `${file.size}\0${file.name}\0`).join("");
  return machine.open(list);
}

/** An instance of the module for one open set: what goes wrong in it leaves the others unharmed. */
class Machine {
  #files;
  #wasm;
  #handle = 0;
  /** What a read failed with in the present call. */
  #failure;
  #isBroken = false;

  static async start(files, module) {
    const machine = new Machine();
    machine.#files = files;
    const read = (file, at, address, length) => machine.#read(file, at, address >>> 0, length >>> 0);
    machine.#wasm = (await WebAssembly.instantiate(await compile(module), { tabia: { read } })).exports;
    return machine;
  }

  #read(number, at, address, length) {
    try {
      const file = this.#files[number];
      const found = file.read(at, length);
      const bytes = ArrayBuffer.isView(found) ? found : new Uint8Array(found);
      if (bytes.byteLength !== length) {
        throw new Error(`${file.name}: ${bytes.byteLength} bytes instead of ${length} at ${at}: the file has changed`);
      }
      new Uint8Array(this.#wasm.memory.buffer, address, length).set(
        new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      );
      return 1;
    } catch (error) {
      this.#failure ??= error;
      return 0;
    }
  }

  /** Calls a function of the module. An error of a read is thrown, and the result discarded. */
  call(run) {
    if (this.#wasm === null) throw new Error("it is closed");
    if (this.#isBroken) throw new Error("an earlier call has failed for good: open the file again");
    this.#failure = undefined;
    let result;
    try {
      result = run(this.#wasm, this.#handle);
    } catch (error) {
      this.#isBroken = true;
      if (this.#failure) throw this.#failure;
      throw new Error(`tabia has failed: ${error.message}`, { cause: error });
    }
    if (this.#failure) {
      const failure = this.#failure;
      throw failure instanceof Error ? failure : new Error(String(failure));
    }
    return result;
  }

  /** The address of a copy of a text, and its length. */
  put(text) {
    const bytes = encoder.encode(text);
    const address = this.#wasm.tabia_alloc(bytes.length) >>> 0;
    new Uint8Array(this.#wasm.memory.buffer, address, bytes.length).set(bytes);
    return [address, bytes.length];
  }

  text() {
    const length = this.#wasm.tabia_text_length(this.#handle) >>> 0;
    return decoder.decode(new Uint8Array(this.#wasm.memory.buffer, this.#wasm.tabia_text(this.#handle) >>> 0, length));
  }

  /** The text of a call that returns whether it succeeded. */
  answer(run) {
    const isDone = this.call(run);
    const text = this.text();
    if (!isDone) throw new Error(text);
    return text;
  }

  open(list) {
    this.call((wasm) => {
      this.#handle = wasm.tabia_open(...this.put(list));
    });
    const info = JSON.parse(this.answer((wasm, handle) => wasm.tabia_is_open(handle) && wasm.tabia_info(handle)));
    return info.kind === "book" ? new Book(this, info) : new Database(this, info);
  }

  close() {
    this.#wasm = null;
    this.#files = [];
  }
}

class Opened {
  #machine;
  #info;

  constructor(machine, info) {
    this.#machine = machine;
    this.#info = info;
  }

  get kind() {
    return this.#info.kind;
  }

  get format() {
    return this.#info.format;
  }

  /** Problems found on opening, as texts. */
  get problems() {
    return this.#info.problems.map((problem) => problem.text);
  }

  get info() {
    return structuredClone(this.#info);
  }

  get machine() {
    return this.#machine;
  }

  /** Frees the memory. */
  close() {
    this.#machine.close();
  }
}

/** A number as the module takes it. */
function uint32(value, what) {
  if (!Number.isInteger(value) || value < 0) throw new RangeError(`${what} is a whole number from 0 on`);
  return Math.min(value, 0xffff_ffff);
}

export class Database extends Opened {
  /** Number of records, guiding texts and deleted games too. */
  get length() {
    return this.info.length;
  }

  /** The headers of `count` games from the number `first` on, as objects; fewer at the end. */
  headers(first = 1, count = this.length) {
    const [from, most] = [uint32(first, "first"), uint32(count, "count")];
    return JSON.parse(this.machine.answer((wasm, handle) => wasm.tabia_headers(handle, from, most)));
  }

  /**
   * The games that fit a query of `tabia search`, with the moments at which they do, and what could not be read. Games
   * marked as deleted and guiding texts only on demand.
   */
  search(query, options) {
    const found = { games: [], problems: [] };
    for (const part of this.searchParts(query, options)) {
      found.games.push(...part.games);
      found.problems.push(...part.problems);
    }
    return found;
  }

  /** As `search`, in parts of 50,000 records; `next` is the number from which the next part goes on. */
  *searchParts(query, { first = 1, limit = this.length, deleted = false, texts = false } = {}) {
    let number = Math.max(1, uint32(first, "first"));
    let left = uint32(limit, "limit");
    const records = (deleted ? 1 : 0) | (texts ? 2 : 0);
    do {
      const from = number;
      const text = this.machine.answer((wasm, handle) => {
        if (!wasm.tabia_search) throw new TypeError("open the database with { search: true }");
        number = wasm.tabia_search(handle, ...this.machine.put(query), from, left, records) >>> 0;
        return number > 0;
      });
      const part = JSON.parse(text);
      left -= part.games.length;
      yield { ...part, next: number };
    } while (left > 0 && number <= this.length);
  }

  /** A game by its number, with its moves and what is attached to them. */
  game(number) {
    const which = uint32(number, "number");
    const game = JSON.parse(this.machine.answer((wasm, handle) => wasm.tabia_game(handle, which)));
    const { lines, tags, ...rest } = game;
    for (const line of lines) {
      for (const move of line) {
        const shapes = move.shapes.filter(Boolean);
        move.arrows = shapes.filter(({ form }) => form === "arrow").map(({ color, from, to }) => ({ color, from, to }));
        move.marks = shapes.filter(({ to }) => to === null).map(({ form, color, from }) => ({ form, color, square: from }));
        delete move.shapes;
        move.variations = move.variations.map((index) => lines[index]);
      }
    }
    const firsts = new Map();
    for (const [name, value] of tags) if (!firsts.has(name)) firsts.set(name, value);
    return { ...rest, tags: Object.fromEntries(firsts), moves: lines[0] };
  }

  /** A game, or several from a number on, as PGN with everything that they contain. */
  pgn(first, count = 1) {
    return [...this.pgnParts(first, count)].join("");
  }

  /** As `pgn`, in parts of about 1 MiB. */
  *pgnParts(first = 1, count = this.length) {
    let number = uint32(first, "first");
    const end = Math.min(number + uint32(count, "count"), Math.max(number, this.length) + 1);
    while (number < end) {
      const from = number;
      const part = this.machine.answer((wasm, handle) => {
        number = wasm.tabia_pgn(handle, from, end - from) >>> 0;
        return number > 0;
      });
      if (number === from) return;
      yield part;
    }
  }
}

export class Book extends Opened {
  /** The moves of a position, heaviest first: a FEN, or moves such as `1. e4 c5`. `null` if the book does not contain it. */
  find(position = "") {
    return JSON.parse(
      this.machine.answer((wasm, handle) => wasm.tabia_find(handle, ...this.machine.put(position))),
    );
  }
}
