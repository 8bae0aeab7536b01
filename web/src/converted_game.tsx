// A game next to what another format keeps of it.

import { useMemo } from "preact/hooks";
import { get } from "./api.ts";
import { type Annotation, type GameJson, type Node, type Tree, makeTree } from "./game_tree.ts";
import { Notation } from "./notation.tsx";
import { ErrorBox, Spinner, useLoad } from "./ui.tsx";
import { t } from "./translations.ts";

/** The moves to a node of each node, which identify it in another game; one that is there twice has a number, too. */
function linesOf(tree: Tree): Map<string, Node> {
  const names = new Map<number, string>([[0, ""]]);
  const found = new Map<string, Node>();
  for (const node of tree.nodes) {
    const line = node.id === 0 ? "" : `${names.get(node.parent) ?? ""} ${node.uci}`;
    let name = line;
    for (let number = 2; found.has(name); number++) name = `${line}~${number}`;
    names.set(node.id, name);
    found.set(name, node);
  }
  return found;
}

/** The moves and annotations of a game that another one lacks, or has at another move. */
function differences(tree: Tree, other: Tree): Set<Node | Annotation> {
  const found = new Set<Node | Annotation>();
  const others = linesOf(other);
  const compare = (own: Annotation[], theirs: Annotation[]) => {
    const left = theirs.map((annotation) => JSON.stringify(annotation));
    for (const annotation of own) {
      const at = left.indexOf(JSON.stringify(annotation));
      if (at < 0) found.add(annotation);
      else left.splice(at, 1);
    }
  };
  for (const [name, node] of linesOf(tree)) {
    const same = others.get(name);
    if (same === undefined) found.add(node);
    compare(node.annotations, same?.annotations ?? []);
  }
  // Annotations before the first move of a variation.
  const opened = ({ tokens }: Tree) => tokens.flatMap((token) => (token.kind === "open" ? token.annotations : []));
  compare(opened(tree), opened(other));
  return found;
}

/**
 * The notation and the tags of a game; what the other one does not have, or otherwise, is marked.
 */
function Side({ game, other, heading, differing }: { game: GameJson | null; other: GameJson | null; heading: string; differing: ReadonlySet<Node | Annotation> }) {
  if (game === null) {
    return (
      <section>
        <h3>{heading}</h3>
        <p class="problem">{t("converted.nothing")}</p>
      </section>
    );
  }
  const tree = treeOf(game);
  const isSame = (name: string, value: string) => other?.tags.some((tag) => tag.name === name && tag.value === value) ?? false;
  // What is not known is no difference.
  const tags = game.tags.filter((tag) => !/^[?.]*$/.test(tag.value) && !isSame(tag.name, tag.value));
  return (
    <section>
      <h3>{heading}</h3>
      {tags.length > 0 && (
        <p class="sub">
          {tags.map((tag) => (
            <mark>
              <bdi>
                {tag.name}: {tag.value}
              </bdi>
            </mark>
          ))}
        </p>
      )}
      {game.deleted && !other?.deleted && (
        <p class="sub">
          <mark>{t("game.deleted")}</mark>
        </p>
      )}
      <Notation tree={tree} node={0} onNode={() => undefined} result={game.result} differing={differing} />
    </section>
  );
}

/** Made once for each game: the marks are those of its nodes. */
const trees = new WeakMap<GameJson, Tree>();

function treeOf(game: GameJson): Tree {
  const known = trees.get(game) ?? makeTree(game);
  trees.set(game, known);
  return known;
}

const NOTHING: ReadonlySet<Node | Annotation> = new Set();

export function ConvertedGame(props: { db: string; game: number; to: string; name: string; profile: string }) {
  const { db, game, to, profile } = props;
  const load = useLoad<[GameJson, GameJson | null]>(
    (signal) =>
      Promise.all([
        get<GameJson>(`db/${encodeURIComponent(db)}/games/${game}`, {}, signal),
        get<GameJson | null>("convert/game", { db, game, to, profile }, signal),
      ]),
    [db, game, to, profile],
  );
  const [left, right] = useMemo(() => {
    const [before, after] = load.state === "done" ? load.value : [null, null];
    const [own, other] = [before && treeOf(before), after && treeOf(after)];
    return own && other ? [differences(own, other), differences(other, own)] : [NOTHING, NOTHING];
  }, [load]);
  if (load.state === "error") return <ErrorBox error={load.error} />;
  if (load.state === "loading") return <Spinner />;
  const [before, after] = load.value;
  const known = (tags: GameJson["tags"]) => JSON.stringify(tags.filter((tag) => !/^[?.]*$/.test(tag.value)));
  const isSame = after !== null && left.size + right.size === 0 && known(before.tags) === known(after.tags) && before.deleted === after.deleted;
  return (
    <>
      <p class="sub">{t(isSame ? "converted.same" : "converted.hint")}</p>
      <div class="two compared">
        <Side game={before} other={after} heading={t("convert.game", { n: game })} differing={left} />
        <Side game={after} other={before} heading={props.name} differing={right} />
      </div>
    </>
  );
}
