// The first moves of a game on one line.

import { useSettings } from "./settings.ts";
import { type Node, type Tree, endsOfLine, pathTo } from "./game_tree.ts";
import { moveText, tn } from "./translations.ts";

export const numberOf = (node: Node) => Math.ceil(node.ply / 2);

/** The moves up to a node on one line, and how many follow. */
export function MoveLine({ tree, to }: { tree: Tree; to: number }) {
  const { pieces } = useSettings();
  const path = pathTo(tree, to);
  const left = pathTo(tree, endsOfLine(tree, to)[1]).length - path.length;
  return (
    <p class="line">
      {path.map((node, index) => (
        <span>
          {node.ply % 2 === 1 ? `${numberOf(node)}.` : index === 0 ? `${numberOf(node)}…` : ""}
          <span class="no-break">{moveText(node.san, pieces)}</span>{" "}
        </span>
      ))}
      {left > 0 && <span class="sub">… {tn("preview.more", Math.ceil(left / 2))}</span>}
    </p>
  );
}
