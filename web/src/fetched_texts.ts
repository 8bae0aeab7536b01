// Texts that are files of their own, which are fetched when they are first needed.

const known = new Map<string, Promise<unknown>>();

/** The contents of a file with texts. */
export function fetched<T>(url: string): Promise<T> {
  const before = known.get(url);
  if (before) return before as Promise<T>;
  const found = fetch(url).then((response) => {
    if (!response.ok) throw new Error(response.statusText);
    return response.json() as Promise<T>;
  });
  known.set(url, found);
  // What failed is tried again.
  found.catch(() => known.delete(url));
  return found;
}
