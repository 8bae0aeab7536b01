// The address is the state: every view reads it, and links write it.

import { useEffect, useState } from "preact/hooks";

export interface Address {
  path: string[];
  query: URLSearchParams;
}

export function address(): Address {
  return {
    path: location.pathname.split("/").filter((part) => part !== "").map(decodePart),
    query: new URLSearchParams(location.search),
  };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

addEventListener("popstate", changed);

/** Shows another address. */
export function go(href: string, replace = false): void {
  if (href === location.pathname + location.search) return;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  changed();
}

let timer = 0;

/** Changes a part of the address without a new entry of the history; browsers limit how often. */
export function setQuery(changes: Record<string, string | number | null>): void {
  const query = new URLSearchParams(pending ?? location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, String(value));
  }
  pending = query.toString();
  clearTimeout(timer);
  timer = setTimeout(flush, 120);
}

let pending: string | null = null;

function flush(): void {
  if (pending === null) return;
  const text = pending === "" ? "" : `?${pending}`;
  pending = null;
  history.replaceState(history.state, "", location.pathname + text);
}

addEventListener("pagehide", flush);

/** Changes a part of the address at once, so that the view is drawn anew. */
export function changeQuery(changes: Record<string, string | number | null>): void {
  setQuery(changes);
  clearTimeout(timer);
  flush();
  changed();
}

/** The same as a new entry of the history, so that the browser can go back to what was before. */
export function pushQuery(changes: Record<string, string | number | null>): void {
  clearTimeout(timer);
  flush();
  setQuery(changes);
  clearTimeout(timer);
  const query = pending ?? "";
  pending = null;
  go(location.pathname + (query === "" ? "" : `?${query}`));
}

/** The address with another value of one parameter. */
export function hrefWith(name: string, value: string): string {
  const query = new URLSearchParams(location.search);
  query.set(name, value);
  return `${location.pathname}?${query.toString()}`;
}

/** The address, kept up to date. */
export function useAddress(): Address {
  const [found, set] = useState(address);
  useEffect(() => {
    const update = () => {
      clearTimeout(timer);
      pending = null;
      set(address());
    };
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  return found;
}

/** Follows a link inside the page, unless it is to open elsewhere. */
export function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const href = link.getAttribute("href") ?? "";
  if (!href.startsWith("/") || link.hasAttribute("download") || link.hasAttribute("target")) return;
  event.preventDefault();
  flush();
  go(href);
}

export const gamesHref = (db: string[], query: Record<string, string> = {}) => {
  const params = new URLSearchParams({ db: db.join(","), ...query });
  return `/games?${params.toString()}`;
};

export const gameHref = (db: string, game: number, query: Record<string, string> = {}) => {
  const params = new URLSearchParams(query).toString();
  return `/db/${encodeURIComponent(db)}/game/${game}${params ? `?${params}` : ""}`;
};

export const explorerHref = (src: string[], query: Record<string, string> = {}) => {
  const params = new URLSearchParams({ src: src.join(","), ...query });
  return `/explorer?${params.toString()}`;
};

export const healthHref = (db: string) => `/health?${new URLSearchParams({ db }).toString()}`;

export const playerHref = (name: string, db: string, other = "", reference: string | null = null) => {
  const query = { ...(db ? { db } : {}), ...(other ? { with: other } : {}), ...(reference ? { reference } : {}) };
  const text = new URLSearchParams(query).toString();
  return `/player/${encodeURIComponent(name)}${text === "" ? "" : `?${text}`}`;
};

export const positionsHref = (db: string, q: string) => `/search?${new URLSearchParams(q === "" ? { db } : { db, q }).toString()}`;

export const duplicatesHref = (db: string) => `/duplicates?${new URLSearchParams({ db }).toString()}`;

export const convertHref = (db: string, to: string, profile: string, where = "", deleted = false) => {
  const query = { db, ...(to ? { to } : {}), ...(profile ? { profile } : {}), ...(where ? { q: where } : {}), ...(deleted ? { deleted: "1" } : {}) };
  return `/convert?${new URLSearchParams(query).toString()}`;
};

export const bookHref = (id: string, query: Record<string, string> = {}) => {
  const params = new URLSearchParams(query).toString();
  return `/book/${encodeURIComponent(id)}${params ? `?${params}` : ""}`;
};

/** The list of games with its query, order and deleted records. */
export function listHref(ids: string[], where: string, sort: string, deleted: boolean): string {
  const params = new URLSearchParams({ db: ids.join(",") });
  if (where !== "") params.set("q", where);
  if (sort !== "") params.set("sort", sort);
  if (deleted) params.set("deleted", "1");
  return `/games?${params.toString()}`;
}
