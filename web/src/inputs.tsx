// The shelf: a card for each database, book and archive.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, type Card, type InputInfo, type Shelf, get, pathOf, send } from "./api.ts";
import { bookHref, convertHref, duplicatesHref, explorerHref, gamesHref, healthHref, playerHref, positionsHref, setQuery, useAddress } from "./router.ts";
import { DropZone } from "./drop_zone.tsx";
import { IndexButton, useIndexChanges } from "./jobs.tsx";
import type { Stated } from "./problem_texts.ts";
import { remembered } from "./remembered.ts";
import { ErrorBox, ProblemText, Spinner, announce, copy, title, useLoad } from "./ui.tsx";
import { bytesText, dateText, formatName, shareText, t, tn } from "./translations.ts";

type Details = Record<string, InputInfo | { failed: Stated }>;

/** How often the folders are looked at while the shelf is shown. */
const PAUSE = 3000;

/** What of a card is not that of its files: whether the server has it open. */
const stateOf = ({ open: _, ...card }: Card) => JSON.stringify(card);

/** The cards now: those that are as they were are the same objects, so that nothing of them is asked or drawn again. */
function merged(before: Card[], now: Card[]): Card[] {
  const known = new Map(before.map((card) => [stateOf(card), card]));
  const next = now.map((card) => known.get(stateOf(card)) ?? card).sort((a, b) => a.name.localeCompare(b.name));
  return next.length === before.length && next.every((card, index) => card === before[index]) ? before : next;
}

/** Looks from time to time, and when the page is seen again, whether files came or went. */
function useFolders(isShown: boolean, onShelf: (shelf: Shelf) => void): void {
  const latest = useRef(onShelf);
  latest.current = onShelf;
  useEffect(() => {
    if (!isShown) return;
    const controller = new AbortController();
    let timer = 0;
    const look = async () => {
      clearTimeout(timer);
      try {
        if (!document.hidden) latest.current(await get<Shelf>("shelf", {}, controller.signal));
      } catch (error) {
        // Without the key there is nothing to look at.
        if (controller.signal.aborted || error instanceof ApiError) return;
      }
      clearTimeout(timer);
      timer = setTimeout(look, PAUSE);
    };
    const seen = () => {
      if (!document.hidden) void look();
    };
    timer = setTimeout(look, PAUSE);
    document.addEventListener("visibilitychange", seen);
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [isShown]);
}

/** Opens the inputs one after the other, so that cards fill up in their order. */
function useDetails(cards: Card[]): Details {
  const [details, set] = useState<Details>({});
  const asked = useRef(new Set<Card>());
  useEffect(() => {
    const controller = new AbortController();
    const run = async () => {
      for (const card of cards) {
        if (card.kind !== "database" && card.kind !== "book") continue;
        if (card.error || asked.current.has(card)) continue;
        try {
          const path = `db/${encodeURIComponent(card.id)}`;
          const info = await get<InputInfo>(path, {}, controller.signal);
          asked.current.add(card);
          set((all) => ({ ...all, [card.id]: info }));
        } catch (error) {
          if (controller.signal.aborted) return;
          const failed = error instanceof ApiError ? error.problem : { detail: String(error) };
          asked.current.add(card);
          set((all) => ({ ...all, [card.id]: { failed } }));
        }
      }
    };
    void run();
    return () => controller.abort();
  }, [cards]);
  return details;
}

export function ShelfView() {
  const [opened, setOpened] = useState(0);
  const shelf = useLoad<Shelf>((signal) => get("shelf", {}, signal), [opened]);
  const [shown, setShown] = useState<Card[] | null>(null);
  useEffect(() => {
    // In the order in which the cards are shown and opened.
    if (shelf.state === "done") setShown((before) => merged(before ?? [], shelf.value.inputs));
  }, [shelf]);
  useFolders(shown !== null, ({ inputs }) => {
    const before = shown ?? [];
    const next = merged(before, inputs);
    if (next === before) return;
    const without = (cards: Card[], others: Card[]) => cards.filter((card) => !others.some((other) => other.id === card.id)).map((card) => card.name);
    const [come, gone] = [without(next, before), without(before, next)];
    const texts = [come.length > 0 ? t("drop.done", { name: come.join(", ") }) : "", gone.length > 0 ? t("shelf.gone", { name: gone.join(", ") }) : ""];
    if (come.length + gone.length > 0) announce(texts.filter((text) => text !== "").join(" "));
    setShown(next);
  });
  title("");
  if (shelf.state === "error") return <ErrorBox error={shelf.error} />;
  if (shown === null) return <Spinner />;
  return (
    <section class="shelf">
      <Cards inputs={shown} onOpened={() => setOpened((count) => count + 1)} />
      <DropZone onOpened={() => setOpened((count) => count + 1)} />
    </section>
  );
}

type Order = "name" | "games" | "time" | "opened";

/** Where the order is kept. */
const ORDER = "tabia.shelf-order";

function Cards({ inputs, onOpened }: { inputs: Card[]; onOpened: () => void }) {
  const details = useDetails(inputs);
  const address = useAddress();
  const [filter, setFilter] = useState("");
  useEffect(() => setFilter(address.query.get("q") ?? ""), [address]);
  const choose = (text: string) => {
    setFilter(text);
    setQuery({ q: text.trim() });
  };
  const [order, setOrder] = useState<Order>(() => (localStorage.getItem(ORDER) as Order | null) ?? "name");
  const count = (card: Card) => {
    const info = details[card.id];
    return info && "problems" in info ? (info.games ?? info.positions ?? 0) : 0;
  };
  const sorted = useMemo(() => {
    const known = remembered();
    const compare: Record<typeof order, (a: Card, b: Card) => number> = {
      name: () => 0,
      games: (a, b) => count(b) - count(a),
      time: (a, b) => (b.modified ?? 0) - (a.modified ?? 0),
      opened: (a, b) => (known[b.id]?.opened ?? 0) - (known[a.id]?.opened ?? 0),
    };
    const words = lower(filter).split(/\s+/);
    return inputs.filter((card) => words.every((word) => textOf(card).includes(word))).sort(compare[order]);
  }, [inputs, order, details, filter]);
  if (inputs.length === 0) {
    return (
      <div class="empty">
        <h1>{t("shelf.empty")}</h1>
        <p>{t("shelf.emptyHint")}</p>
        <pre>tabia serve ~/Chess</pre>
      </div>
    );
  }
  const isBroken = (card: Card) => {
    const info = details[card.id];
    return card.error !== null || card.kind === "unknown" || (info !== undefined && "failed" in info);
  };
  const databases = sorted.filter((card) => card.kind === "database" && !isBroken(card));
  const books = sorted.filter((card) => card.kind === "book" && !isBroken(card));
  const archives = sorted.filter((card) => card.kind === "archive" && !isBroken(card));
  const failed = sorted.filter(isBroken);
  const named = inputs.filter((card) => !card.dropped);
  const folders = new Set(named.map((card) => card.folder));
  const folder = folders.size === 1 ? named[0]?.folder : undefined;
  const games = databases.reduce((sum, card) => sum + count(card), 0);
  const total = [tn("n.databases", databases.length), tn("n.books", books.length), tn("n.games", games)].join(", ");
  // Until all are open there are more games, and what cannot be opened is no database.
  const unopened = [...databases, ...books].filter((card) => !details[card.id]).length;
  return (
    <>
      <header class="bar-line">
        <h1>{t("shelf.title")}</h1>
        <p class="total">
          {unopened > 0 ? t("shelf.soFar", { total, n: unopened }) : total}
          {folder !== undefined && folder !== "" && (
            <>
              {" · "}
              <bdi>{folder}</bdi>
            </>
          )}
        </p>
        {inputs.length > 1 && (
          <search>
            <label>
              {t("shelf.filter")} <input id="shelf-filter" type="search" value={filter} autoComplete="off" spellcheck={false} onInput={(event) => choose(event.currentTarget.value)} />
            </label>{" "}
            <span class="sub" role="status">{filter.trim() !== "" && t("shelf.found", { n: sorted.length, total: inputs.length })}</span>
          </search>
        )}
        <label>
          {t("shelf.order")}{" "}
          <select
            value={order}
            onChange={(event) => {
              localStorage.setItem(ORDER, event.currentTarget.value);
              setOrder(event.currentTarget.value as Order);
            }}
          >
            <option value="name">{t("shelf.byName")}</option>
            <option value="games">{t("shelf.byGames")}</option>
            <option value="time">{t("shelf.byTime")}</option>
            <option value="opened">{t("shelf.byOpened")}</option>
          </select>
        </label>
        {databases.length > 1 && (
          <a class="button" href={gamesHref(databases.map((card) => card.id))}>
            {t("shelf.allGames")}
          </a>
        )}
      </header>
      {sorted.length === 0 && (
        <div class="empty">
          <p>{t("shelf.noMatch", { text: filter.trim() })}</p>
          <button type="button" onClick={() => choose("")}>
            {t("shelf.showAll")}
          </button>
        </div>
      )}
      <Group onOpened={onOpened} showFolder={folder === undefined} title={t("shelf.databases")} cards={databases} details={details} />
      <Group onOpened={onOpened} showFolder={folder === undefined} title={t("shelf.books")} cards={books} details={details} />
      <Group onOpened={onOpened} showFolder={folder === undefined} title={t("shelf.archives")} cards={archives} details={details} inputs={inputs} />
      <Group onOpened={onOpened} showFolder={folder === undefined} title={t("shelf.failed")} cards={failed} details={details} />
    </>
  );
}

const lower = (text: string) => text.normalize("NFC").toLowerCase();

/** What of an input a filter looks at. */
const textOf = (card: Card) => lower([card.name, card.format, card.formatName, formatName(card.formatName ?? ""), card.container].join(" "));

function Group(props: { onOpened: () => void; showFolder: boolean; title: string; cards: Card[]; details: Details; inputs?: Card[] }) {
  if (props.cards.length === 0) return null;
  return (
    <>
      <h2>{props.title}</h2>
      <ul class="cards">
        {props.cards.map((card) => (
          <CardView key={card.id} onOpened={props.onOpened} showFolder={props.showFolder} card={card} info={props.details[card.id]} inputs={props.inputs ?? []} />
        ))}
      </ul>
    </>
  );
}

function CardView(props: { onOpened: () => void; showFolder: boolean; card: Card; info: Details[string] | undefined; inputs: Card[] }) {
  const { card, info } = props;
  const known = info && "problems" in info ? info : null;
  const failed = card.problem ?? (info && "failed" in info ? info.failed : null);
  const path = pathOf(card);
  const members = props.inputs.filter((input) => input.container === card.id);
  const href =
    card.kind === "database" ? gamesHref([card.id]) : card.kind === "book" ? explorerHref([card.id]) : null;
  const index = useIndexChanges([card.id]) > 0 ? "current" : known?.index;
  const rest: string[] = [];
  if (known?.years) {
    rest.push(known.years[0] === known.years[1] ? String(known.years[0]) : known.years.join("–"));
  }
  if (known?.annotated && known.games) {
    rest.push(t("card.annotated", { share: shareText(known.annotated / known.games) }));
  }
  if (known?.texts) rest.push(tn("n.texts", known.texts));
  if (known?.deleted) rest.push(t("card.deleted", { n: known.deleted }));
  if (known?.encoding && known.encoding !== "auto") rest.push(known.encoding.replace(/,? (or|else) /, " / "));
  const checked = remembered()[card.id]?.checked;
  if (known && checked?.fingerprint === known.fingerprint) {
    rest.push(checked.problems === 0 ? `✓ ${t("card.checked")}` : t("health.found", { n: checked.problems }));
  }
  if (index === "current") rest.push(t("index.current"));
  if (index === "stale") rest.push(t("index.stale"));
  return (
    <li class={`card kind-${card.kind}${failed ? " failed" : ""}`}>
      <div class="head">
        <span class="badge" title={formatName(card.formatName ?? "")}>
          {card.format ?? "?"}
        </span>
        <h3>
          {href && !failed ? (
            <a href={href}>
              <bdi>{card.name}</bdi>
            </a>
          ) : (
            <bdi>{card.name}</bdi>
          )}
        </h3>
      </div>
      {failed ? (
        <div class="why" role="note">
          <ProblemText problem={failed} />
        </div>
      ) : (
        <p class="count">
          {known ? countText(known) : card.kind === "archive" ? t("card.members", { n: members.length }) : "…"}
          {known?.games !== 0 && (index === "absent" || index === "stale" || index === "unusable") && <IndexButton id={card.id} games={known?.games} />}
        </p>
      )}
      {card.problem?.code === "password" && <Password card={card} onOpened={props.onOpened} />}
      {known?.title && known.title !== card.name && (
        <p class="sub">
          <bdi>{known.title}</bdi>
        </p>
      )}
      {rest.length > 0 && <p class="sub">{rest.join("\u00a0· ")}</p>}
      {members.length > 0 && (
        <ul class="members">
          {members.map((member) => (
            <li>
              <a
                href={member.kind === "book" ? explorerHref([member.id]) : gamesHref([member.id])}
              >
                <bdi>{member.name}</bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
      <p class="sub file">
        {[
          card.container && t("card.in", { name: card.container }),
          card.bytes !== null && bytesText(card.bytes),
          card.modified !== null && dateText(card.modified),
          card.dropped && t("card.dropped"),
          props.showFolder && card.folder,
        ]
          .filter((part) => part)
          .map((part, index) => (
            <>
              {index > 0 && " · "}
              <bdi>{part}</bdi>
            </>
          ))}
      </p>
      {!failed && card.kind !== "archive" && (
        <div class="actions">
          {card.kind === "database" && <a href={gamesHref([card.id])}>{t("card.games")}</a>}
          <a href={explorerHref([card.id])}>{t("card.explore")}</a>
          <a href={healthHref(card.id)}>
            {known && known.problems.length > 0
              ? t("card.problems", { n: known.problems.length })
              : t("card.check")}
          </a>
          {card.kind === "book" && <a href={bookHref(card.id)}>{t("card.entries")}</a>}
          <details class="more">
            <summary>{t("card.more")}</summary>
            {card.kind === "database" && (
              <>
                <a href={playerHref("", card.id)}>{t("player.title")}</a>
                <a href={positionsHref(card.id, "")}>{t("positions.title")}</a>
                <a href={duplicatesHref(card.id)}>{t("duplicates.title")}</a>
                <a href={convertHref(card.id, "", "")}>{t("convert.title")}</a>
              </>
            )}
            {path !== null && (
              <p class="path">
                <bdi>{path}</bdi>{" "}
                <button type="button" class="link" aria-label={t("card.copyPath", { name: card.name })} onClick={() => void copy(path)}>
                  {t("card.path")} ⧉
                </button>
              </p>
            )}
          </details>
        </div>
      )}
    </li>
  );
}

/** The password of an archive; it is sent once and kept by the server only. */
function Password({ card, onOpened }: { card: Card; onOpened: () => void }) {
  const [error, setError] = useState<unknown>(null);
  return (
    <form
      class="password"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("password") as HTMLInputElement;
        const password = field.value;
        field.value = "";
        setError(null);
        send("POST", `db/${encodeURIComponent(card.id)}/password`, { password }).then(() => {
          announce(t("drop.done", { name: card.name }), true);
          onOpened();
        }, setError);
      }}
    >
      <label>
        {t("card.password")} <input type="password" name="password" required autoComplete="off" size={12} />
      </label>{" "}
      <button type="submit">{t("open")}</button>
      {error !== null && <ErrorBox error={error} />}
    </form>
  );
}

function countText(info: InputInfo): string {
  if (info.kind === "book") {
    if (info.positions === null || info.positions === undefined) return t("card.book");
    return tn("n.positions", info.positions);
  }
  return tn("n.games", info.games ?? 0);
}

