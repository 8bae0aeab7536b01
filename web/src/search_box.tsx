// The search box of the top bar: a query for the list of games, with suggestions for the word that the cursor is in.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Field, type Shelf, get } from "./api.ts";
import { go, listHref, useAddress } from "./router.ts";
import { FieldText, announce, announceError } from "./ui.tsx";
import { t, tn } from "./translations.ts";

interface Suggestion {
  text: string;
  /** How many games have it, or when it was asked; of a field what it asks for. */
  about: string | Field;
  /** What replaces the word. */
  inserted: string;
  isField: boolean;
}

/** The word of a query that the cursor is in: its first and last index, and its parts before the cursor. */
export interface Word {
  from: number;
  to: number;
  /** `-` or nothing. */
  sign: string;
  /** The field, in lower case; empty without one. */
  field: string;
  /** The beginning of the value, without its quotation mark. */
  value: string;
}

const RECENT = "tabia.queries";

/** The last queries that were asked, the last one first. */
function recentQueries(): string[] {
  return (localStorage.getItem(RECENT) ?? "").split("\n").filter((query) => query !== "");
}

function rememberQuery(query: string): void {
  if (query === "") return;
  const others = recentQueries().filter((other) => other !== query);
  localStorage.setItem(RECENT, [query, ...others].slice(0, MAX_SHOWN).join("\n"));
}

/** Suggestions of one kind at most. */
const MAX_SHOWN = 8;

export function wordAt(text: string, cursor: number): Word {
  const isEnd = (at: number) => /[\s()]/.test(text[at] ?? " ");
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < cursor; at++) {
    if (text[at] === '"' && text[at - 1] !== "\\") isQuoted = !isQuoted;
    else if (!isQuoted && isEnd(at)) from = at + 1;
  }
  let to = cursor;
  for (; to < text.length && (isQuoted || !isEnd(to)); to++) {
    if (text[to] === '"' && text[to - 1] !== "\\") isQuoted = !isQuoted;
  }
  const parts = /^(-?)(?:([a-z0-9]+):)?(.*)$/is.exec(text.slice(from, cursor));
  const value = (parts?.[3] ?? "").replace(/^"?=?/, "").replace(/\\(["\\])/g, "$1");
  return { from, to, sign: parts?.[1] ?? "", field: (parts?.[2] ?? "").toLowerCase(), value };
}

const exactly = (name: string) => `"=${name.replace(/[\\"]/g, "\\$&")}"`;

async function suggestions(word: Word, isEmpty: boolean, fields: Field[], databases: () => Promise<string>, signal: AbortSignal): Promise<Suggestion[]> {
  const names = async (field: string, limit: number) => {
    const db = await databases();
    const answer = await get<{ names: { name: string; games: number }[] }>("suggest", { db, field, q: word.value }, signal);
    return answer.names.slice(0, limit).map((found) => ({
      text: found.name,
      about: tn("n.games", found.games),
      inserted: `${word.sign}${field}:${exactly(found.name)} `,
      isField: false,
    }));
  };
  if (word.field !== "") {
    const field = fields.find((known) => known.name === word.field);
    return field?.hasNames ? names(field.name, 20) : [];
  }
  if (word.value === "") {
    if (!isEmpty) return [];
    return recentQueries().map((query) => ({ text: query, about: t("search.recent"), inserted: query, isField: false }));
  }
  const start = word.value.toLowerCase();
  const fitting = fields.filter((field) => field.name.startsWith(start)).slice(0, MAX_SHOWN);
  const players = word.value.length > 1 ? await names("player", MAX_SHOWN) : [];
  return [
    ...fitting.map((field) => ({
      text: `${field.name}:`,
      about: field,
      inserted: `${word.sign}${field.name}:`,
      isField: true,
    })),
    ...players,
  ];
}

/** All databases that can be read, which a search from another view than the list goes through. */
async function allDatabases(): Promise<string> {
  const { inputs } = await get<Shelf>("shelf");
  const databases = inputs.filter(({ kind, error }) => kind === "database" && !error);
  // One that cannot be opened would end the search in all the others.
  const readable = await Promise.all(
    databases.map(async ({ id, open }) => open || get(`db/${encodeURIComponent(id)}`).then(() => true, (error: unknown) => !(error instanceof ApiError))),
  );
  return databases.filter((_, index) => readable[index]).map(({ id }) => id).join(",");
}

/** Marks the query as one that the list cannot read, or no longer. */
export function markQuery(isWrong: boolean): void {
  document.getElementById("search")?.setAttribute("aria-invalid", String(isWrong));
}

/** The box with the query of the list that is shown; in another view it is empty. */
export function SearchBox() {
  const { path, query } = useAddress();
  const isList = path[0] === "games";
  const db = isList ? (query.get("db") ?? "") : "";
  const where = isList ? (query.get("q") ?? "") : "";
  return <Box key={`${db}\n${where}`} {...{ db, where }} sort={isList ? (query.get("sort") ?? "") : ""} deleted={isList && query.get("deleted") === "1"} />;
}

/** `db`: the databases of the list; without one all are searched. */
function Box(props: { db: string; where: string; sort: string; deleted: boolean }) {
  const { where, sort, deleted } = props;
  const [text, setText] = useState(where);
  const [fields, setFields] = useState<Field[]>([]);
  const [isHelp, showHelp] = useState(false);
  const [found, setFound] = useState<Suggestion[]>([]);
  const [active, setActive] = useState(-1);
  const [asked, ask] = useState<{ text: string; cursor: number } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const cursor = useRef<number | null>(null);
  const all = useRef<Promise<string> | null>(null);
  const databases = () => {
    if (props.db !== "") return Promise.resolve(props.db);
    all.current ??= allDatabases();
    // What failed is tried again.
    all.current.catch(() => (all.current = null));
    return all.current;
  };

  const close = () => {
    ask(null);
    setFound([]);
    setActive(-1);
  };
  const needFields = () => {
    if (fields.length > 0) return;
    get<{ fields: Field[] }>("fields").then((answer) => setFields(answer.fields), () => showHelp(false));
  };
  useEffect(() => {
    if (asked === null) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const word = wordAt(asked.text, asked.cursor);
      suggestions(word, asked.text.trim() === "", fields, databases, controller.signal).then(
        (all) => {
          if (controller.signal.aborted) return;
          setFound(all);
          setActive(-1);
          if (all.length > 0) announce(tn("search.nSuggestions", all.length));
        },
        () => {
          if (!controller.signal.aborted) setFound([]);
        },
      );
    }, 80);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [asked, fields]);
  useLayoutEffect(() => {
    if (cursor.current === null) return;
    input.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  }, [text]);
  useEffect(() => {
    if (active >= 0) document.getElementById(`suggestion-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const choose = (suggestion: Suggestion) => {
    const word = wordAt(text, input.current?.selectionStart ?? text.length);
    const rest = text.slice(word.to).replace(/^ /, suggestion.isField ? " " : "");
    const next = `${text.slice(0, word.from)}${suggestion.inserted}${rest}`;
    cursor.current = word.from + suggestion.inserted.length;
    setText(next);
    close();
    if (suggestion.isField) ask({ text: next, cursor: cursor.current });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = found.length;
    if (event.key === "Escape") {
      if (count > 0) close();
      else input.current?.blur();
    } else if (count > 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      // One step before the first is the text itself.
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive((old) => ((old + 1 + step + count + 1) % (count + 1)) - 1);
    } else if (event.key === "ArrowDown" && count === 0) {
      ask({ text, cursor: input.current?.selectionStart ?? text.length });
    } else if (event.key === "Enter" && found[active]) {
      choose(found[active]);
    } else return;
    event.preventDefault();
  };
  const isOpen = found.length > 0;
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        close();
        rememberQuery(text.trim());
        databases().then((db) => go(listHref([db], text.trim(), sort, deleted)), announceError);
      }}
    >
      <input
        ref={input}
        id="search"
        type="text"
        role="combobox"
        inputMode="search"
        value={text}
        placeholder={t("search.example")}
        aria-label={t("search")}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls="suggestions"
        aria-activedescendant={active >= 0 ? `suggestion-${active}` : undefined}
        autoComplete="off"
        spellcheck={false}
        onFocus={needFields}
        onBlur={close}
        onInput={(event) => {
          setText(event.currentTarget.value);
          ask({ text: event.currentTarget.value, cursor: event.currentTarget.selectionStart ?? 0 });
        }}
        onKeyDown={onKeyDown}
      />
      <button type="submit">{t("search.go")}</button>
      {where !== "" && (
        <a class="button" href={listHref([props.db], "", sort, deleted)} aria-label={t("search.clear")}>
          ✕
        </a>
      )}
      <button
        type="button"
        aria-expanded={isHelp}
        onClick={() => {
          showHelp(!isHelp);
          needFields();
        }}
        aria-label={t("search.fields")}
      >
        …
      </button>
      <ul id="suggestions" class="fields suggestions" role="listbox" aria-label={t("search.suggestions")} hidden={!isOpen}>
        {found.map((suggestion, index) => (
          <li
            id={`suggestion-${index}`}
            role="option"
            aria-selected={index === active}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(suggestion)}
          >
            {suggestion.isField ? <code>{suggestion.text}</code> : <bdi>{suggestion.text}</bdi>}
            <span class="sub">{typeof suggestion.about === "string" ? suggestion.about : <FieldText field={suggestion.about} />}</span>
          </li>
        ))}
      </ul>
      {isHelp && !isOpen && (
        <ul class="fields">
          {fields.map((field) => (
            <li>
              <button
                type="button"
                onClick={() => {
                  setText(`${text.trim()} ${field.name}:`.trim());
                  showHelp(false);
                  input.current?.focus();
                }}
              >
                <code>{field.name}:</code>
              </button>
              <FieldText field={field} />
              <code class="example">{field.example}</code>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
