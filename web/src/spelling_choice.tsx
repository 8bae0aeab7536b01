// Names in several spellings: which of them become which, the games that change, and the form that writes them.

import { useEffect, useState } from "preact/hooks";
import { send } from "./api.ts";
import { Command, quoted } from "./commands.tsx";
import { type Report, useCanWrite } from "./database_choice_and_jobs.tsx";
import { gameHref, gamesHref } from "./router.ts";
import { type Cluster, type Kind, rangeText } from "./spellings.ts";
import { ErrorBox, ServerText, Spinner, TableBox } from "./ui.tsx";
import { WriteDecided } from "./write_file.tsx";
import { number, t, tn } from "./translations.ts";

interface Rename {
  kind: Kind;
  name: string;
  proposal: string;
}

const KINDS: Record<Kind, Parameters<typeof t>[0]> = {
  player: "player.title", event: "col.event", site: "col.site", annotator: "col.annotator",
};

const keyOf = (kind: Kind, name: string) => `${kind}\n${name}`;

/** What becomes of the names: the one of each cluster that is kept, and those that become it. */
function useChosen(clusters: Cluster[]) {
  const [targets, setTargets] = useState<ReadonlyMap<Cluster, string>>(new Map());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const targetOf = (cluster: Cluster) => targets.get(cluster) ?? cluster.proposal;
  const others = (cluster: Cluster) => cluster.spellings.filter(({ name }) => name !== targetOf(cluster));
  const isChosen = (cluster: Cluster, name: string) => chosen.has(keyOf(cluster.kind, name));
  const renames: Rename[] = clusters.flatMap((cluster) =>
    others(cluster)
      .filter(({ name }) => isChosen(cluster, name))
      .map(({ name }) => ({ kind: cluster.kind, name, proposal: targetOf(cluster) })),
  );
  return {
    targetOf,
    others,
    isChosen,
    renames,
    keep: (cluster: Cluster, name: string) => setTargets(new Map(targets).set(cluster, name)),
    choose: (cluster: Cluster, name: string, isOn: boolean) => {
      const next = new Set(chosen);
      if (isOn) next.add(keyOf(cluster.kind, name));
      else next.delete(keyOf(cluster.kind, name));
      setChosen(next);
    },
    chooseAll: () => setChosen(new Set(clusters.flatMap((cluster) => cluster.spellings.map(({ name }) => keyOf(cluster.kind, name))))),
    chooseNone: () => setChosen(new Set()),
  };
}

export function SpellingChoice({ clusters, db, name }: { clusters: Cluster[]; db: string; name: string }) {
  const canWrite = useCanWrite();
  const { targetOf, others, isChosen, renames, keep, choose, chooseAll, chooseNone } = useChosen(clusters);
  return (
    <>
      <p class="actions">
        <button type="button" onClick={chooseAll}>
          {t("spellings.all")}
        </button>
        <button type="button" onClick={chooseNone} disabled={renames.length === 0}>
          {t("spellings.clear")}
        </button>
      </p>
      <TableBox label={t("spellings.title")} file="spellings">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">{t("spellings.proposal")}</th>
              <th scope="col">{t("spellings.others")}</th>
            </tr>
          </thead>
          <tbody>
            {clusters.map((cluster) => (
              <tr>
                <th scope="row">
                  <select
                    aria-label={t("spellings.keep", { name: cluster.proposal })}
                    value={targetOf(cluster)}
                    onChange={(event) => keep(cluster, event.currentTarget.value)}
                  >
                    {cluster.spellings.every((spelling) => spelling.name !== cluster.proposal) && <option>{cluster.proposal}</option>}
                    {cluster.spellings.map((spelling) => (
                      <option>{spelling.name}</option>
                    ))}
                  </select>{" "}
                  <span class="sub">{t(KINDS[cluster.kind])}</span>
                </th>
                <td>
                  <ul class="plain-list">
                    {others(cluster).map((spelling) => (
                      <li>
                        <label class="check">
                          <input
                            type="checkbox"
                            checked={isChosen(cluster, spelling.name)}
                            onChange={(event) => choose(cluster, spelling.name, event.currentTarget.checked)}
                          />{" "}
                          <bdi>{spelling.name}</bdi>
                        </label>{" "}
                        <a href={gamesHref([db], { q: `${cluster.kind}:"=${spelling.name.replace(/[\\"]/g, "\\$&")}"` })}>{tn("n.games", spelling.games)}</a>{" "}
                        <span class="sub">
                          {rangeText(spelling.years)} <ServerText text={spelling.reason} known={spelling.known} />
                        </span>
                      </li>
                    ))}
                  </ul>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
      <Command ids={[db]} make={([input]) => commandOf(input ?? "", name, renames)} />
      {canWrite && renames.length > 0 && (
        <>
          <Preview db={db} renames={renames} />
          <WriteDecided
            title={t("spellings.write")}
            hint={t("spellings.writeHint")}
            path="names"
            request={{ db, renames }}
            name={`${name.replace(/(\.\w+)+$/, "")}-renamed`}
          />
        </>
      )}
    </>
  );
}

/** The command that gives the chosen names, whose rows it reads from its standard input; without a choice it makes rows for one. */
function commandOf(input: string, name: string, renames: Rename[]): string {
  if (renames.length === 0) return `tabia names ${input} --tsv > names.tsv`;
  const rows = renames.map((row) => `${row.kind}\t${row.name}\t${row.proposal}`.replaceAll("\\", "\\\\"));
  const output = quoted(`renamed-${name.replace(/^.*[/\\]/, "")}`);
  return [`tabia names ${input} --apply - -o ${output} <<'END'`, "kind\tname\tproposal", ...rows, "END"].join("\n");
}

interface PreviewAnswer extends Report {
  games: number;
  first: { db: string; game: number; changes: { tag: string; old: string; new: string }[] }[];
}

/** The games that change, found a moment after the last choice. */
function Preview({ db, renames }: { db: string; renames: Rename[] }) {
  const [answer, setAnswer] = useState<PreviewAnswer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const key = JSON.stringify(renames);
  useEffect(() => {
    let isCurrent = true;
    setError(null);
    setAnswer(null);
    const ask = async () => {
      while (isCurrent) {
        const found = await send<PreviewAnswer>("POST", "names/preview", { db, renames });
        if (isCurrent && found.isDone) setAnswer(found);
        if (found.isDone) return;
        await new Promise((done) => setTimeout(done, 250));
      }
    };
    const timer = setTimeout(() => {
      ask().catch((problem: unknown) => {
        if (isCurrent) setError(problem);
      });
    }, 300);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [db, key]);
  if (error !== null) return <ErrorBox error={error} />;
  if (answer === null) return <Spinner />;
  return (
    <section class="renamed">
      <p role="status">
        {t("spellings.changed", { n: answer.games })}
        {answer.first.length < answer.games && ` (${t("positions.first", { n: answer.first.length })})`}
      </p>
      {answer.first.length > 0 && (
        <TableBox label={t("spellings.preview")}>
          <table class="data">
            <thead>
              <tr>
                <th scope="col">{t("duplicates.game")}</th>
                <th scope="col">{t("spellings.preview")}</th>
              </tr>
            </thead>
            <tbody>
              {answer.first.map((game) => (
                <tr>
                  <th scope="row">
                    <a href={gameHref(game.db, game.game)}>{number(game.game)}</a>
                  </th>
                  <td>
                    {game.changes.map((change) => (
                      <div>
                        <span class="sub" lang="en">
                          {change.tag}
                        </span>{" "}
                        <del>
                          <bdi>{change.old}</bdi>
                        </del>{" "}
                        → <bdi>{change.new}</bdi>
                      </div>
                    ))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </section>
  );
}
