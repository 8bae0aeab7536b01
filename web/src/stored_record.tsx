// A game as it is stored: its index entry, its bytes, and what of it is kept and not shown.

import { get } from "./api.ts";
import type { GameJson, Tree } from "./game_tree.ts";
import { ErrorBox, Spinner, TableBox, useLoad } from "./ui.tsx";
import { number, t, tn } from "./translations.ts";

interface Stored {
  fields: { name: string; value: string | number | boolean }[];
  parts: StoredPart[];
}

/** Some bytes of the record in a file of the database. */
interface StoredPart {
  kind: "indexEntry" | "extendedEntry" | "game" | "moves" | "annotations";
  file: string;
  offset: number;
  length: number;
  /** Hexadecimal digits of the first bytes. */
  bytes: string;
}

const KINDS: Record<StoredPart["kind"], Parameters<typeof t>[0]> = {
  indexEntry: "stored.entry", extendedEntry: "stored.extended", game: "stored.game", moves: "stored.moves", annotations: "stored.annotations",
};

/** Lines of 16 bytes: offset, digits, and those that are ASCII as text. */
function dump(digits: string, offset: number): string {
  const lines: string[] = [];
  for (let at = 0; at < digits.length; at += 32) {
    const bytes = digits.slice(at, at + 32).match(/../g) ?? [];
    const text = bytes.map((byte) => {
      const code = parseInt(byte, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : "·";
    });
    lines.push(`${(offset + at / 2).toString(16).padStart(8, "0")}  ${bytes.join(" ").padEnd(47)}  ${text.join("")}`);
  }
  return lines.join("\n");
}

export function StoredRecord({ game, tree }: { game: GameJson; tree: Tree }) {
  const load = useLoad<Stored>((signal) => get(`db/${encodeURIComponent(game.db)}/games/${game.game}/stored`, {}, signal), [game]);
  const kept = tree.nodes.flatMap((node) =>
    node.annotations.filter((annotation) => annotation.type === "foreign").map((annotation) => ({ node, annotation })),
  );
  if (load.state === "error") return <ErrorBox error={load.error} />;
  if (load.state === "loading") return <Spinner />;
  const { fields, parts } = load.value;
  return (
    <div class="panel-text">
      <h2>{t("stored.entry")}</h2>
      <table class="tags facts">
        <caption class="visually-hidden">{t("stored.entry")}</caption>
        <tbody>
          {fields.map((field) => (
            <tr>
              <th scope="row" lang="en">
                {field.name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}
              </th>
              <td>
                <bdi>{String(field.value)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {kept.length > 0 && (
        <>
          <h2>{t("stored.kept")}</h2>
          <ul>
            {kept.map(({ node, annotation }) => (
              <li>
                {node.id === 0 ? "" : `${Math.ceil(node.ply / 2)}${node.ply % 2 === 1 ? "." : "…"}${node.san} `}
                {`0x${Number(annotation["kind"] ?? 0).toString(16)}: `}
                <code>{String(annotation["bytes"])}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {parts.map((part) => (
        <section>
          <h2>{t(KINDS[part.kind])}</h2>
          <p class="sub">{tn("stored.bytes", part.length, { file: part.file, offset: part.offset })}</p>
          <TableBox label={`${t(KINDS[part.kind])}: ${t("book.raw")}`}>
            <pre class="bytes" tabIndex={0}>{dump(part.bytes, part.offset)}</pre>
          </TableBox>
          {part.bytes.length / 2 < part.length && <p class="sub">{t("health.more", { n: number(part.length - part.bytes.length / 2) })}</p>}
        </section>
      ))}
      {parts.length === 0 && <p class="sub">{t("stored.noBytes")}</p>}
    </div>
  );
}
