// Commands of the program that do what the page shows.

import { type Card, type Shelf, get, pathOf } from "./api.ts";
import { copy, copyFailed, useLoad } from "./ui.tsx";
import { t } from "./translations.ts";

/** A text as one argument of a shell. */
export const quoted = (text: string) => (/^-|[^\w./-]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text);

/** The name of a file or member without its folders and extensions. */
export const stem = (name: string) => name.replace(/^.*[/\\]|(\.\w+)+$/g, "");

/** The name of an input on the command line, where the server was started; a member of an archive has that of the archive first. */
function nameOf(id: string, cards: Card[]): string {
  const card = cards.find((found) => found.id === id);
  if (!card) return id;
  return card.container === null ? (pathOf(card) ?? card.name) : `${nameOf(card.container, cards)}:${card.name}`;
}

const argumentsOf = (ids: string[], cards: Card[]) => ids.map((id) => quoted(nameOf(id, cards)));

/** Copies the command that `make` builds of inputs, which it gets as arguments. */
export function copyCommand(ids: string[], make: (inputs: string[]) => string): void {
  get<Shelf>("shelf").then(({ inputs }) => copy(make(argumentsOf(ids, inputs))), copyFailed);
}

/** Such a command with a button that copies it. */
export function Command({ ids, make }: { ids: string[]; make: (inputs: string[]) => string }) {
  const shelf = useLoad<Shelf>((signal) => get("shelf", {}, signal), []);
  if (shelf.state !== "done") return null;
  const text = make(argumentsOf(ids, shelf.value.inputs));
  return (
    <p class="command">
      <code>{text}</code>{" "}
      <button type="button" onClick={() => void copy(text)}>
        {t("copy.command")}
      </button>
    </p>
  );
}
