// The terms of a query, as far as the page has to know them.

/** The terms of a query that all have to hold; the whole query if they are connected in another way. */
export function termsOf(query: string): string[] {
  const terms: string[] = [];
  let term = "";
  let depth = 0;
  let isQuoted = false;
  for (const [index, c] of [...query].entries()) {
    if (c === '"' && query[index - 1] !== "\\") isQuoted = !isQuoted;
    else if (!isQuoted && c === "(") depth++;
    else if (!isQuoted && c === ")") depth--;
    if (/\s/.test(c) && !isQuoted && depth <= 0) {
      if (term !== "") terms.push(term);
      term = "";
    } else term += c;
  }
  if (term !== "") terms.push(term);
  const isList = !isQuoted && depth === 0 && !terms.some((found) => /^(OR|AND|NOT|->|=>|-)$/.test(found));
  return isList || terms.length === 0 ? terms : [query.trim()];
}

/** The term for a position. */
export const positionTerm = (fen: string) => `fen:${fen.split(" ").slice(0, 4).join("_")}`;
