// A game next to what another format keeps of it.

import { get } from "./api.ts";
import { type GameJson, endsOfLine, makeTree } from "./game_tree.ts";
import { Notation } from "./notation.tsx";
import { ErrorBox, Spinner, useLoad } from "./ui.tsx";
import { t } from "./translations.ts";

/** The notation and the tags of a game; tags that the other one does not have, or otherwise, are marked. */
function Side({ game, other, heading }: { game: GameJson | null; other: GameJson | null; heading: string }) {
  if (game === null) {
    return (
      <section>
        <h3>{heading}</h3>
        <p class="problem">{t("converted.nothing")}</p>
      </section>
    );
  }
  const tree = makeTree(game);
  const isSame = (name: string, value: string) => other?.tags.some((tag) => tag.name === name && tag.value === value) ?? false;
  // What is not known is no difference.
  const differing = game.tags.filter((tag) => !/^[?.]*$/.test(tag.value) && !isSame(tag.name, tag.value));
  return (
    <section>
      <h3>{heading}</h3>
      {differing.length > 0 && (
        <p class="sub">
          {differing.map((tag) => (
            <mark>
              <bdi>
                {tag.name}: {tag.value}
              </bdi>
            </mark>
          ))}
        </p>
      )}
      <Notation tree={tree} node={endsOfLine(tree, 0)[0]} onNode={() => undefined} result={game.result} />
    </section>
  );
}

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
  if (load.state === "error") return <ErrorBox error={load.error} />;
  if (load.state === "loading") return <Spinner />;
  const [before, after] = load.value;
  return (
    <div class="two compared">
      <Side game={before} other={after} heading={t("convert.game", { n: game })} />
      <Side game={after} other={before} heading={props.name} />
    </div>
  );
}
