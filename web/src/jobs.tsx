// Jobs of the server: what runs, what is done. They are followed only while one runs, so that an idle page holds no
// connection.

import { useEffect, useState } from "preact/hooks";
import { ApiError, download, events, get, send } from "./api.ts";
import { address, bookHref, gamesHref, useAddress } from "./router.ts";
import { type Stated, problemLine } from "./problem_texts.ts";
import { Losses, ProblemLine, announce, announceError } from "./ui.tsx";
import { bytesText, t, timeText, tn } from "./translations.ts";

export interface Job {
  id: number;
  kind: "index" | "convert" | "book";
  inputs: string[];
  name: string | null;
  state: "running" | "done" | "cancelled" | "failed";
  unit: "games" | "positions" | "moves";
  done: number;
  share: number | null;
  etaSeconds: number | null;
  error: Stated | null;
  result: {
    /** Ids of what was written. */
    inputs?: string[];
    files?: { name: string; bytes: number | null }[];
    losses?: { kind: string; label: string; count: number }[];
  } | null;
}

let jobs: Job[] = [];
const listeners = new Set<() => void>();
/** The job that ended last while the page was open: its result is what the reader waits for, until another view is shown. */
let ended: { id: number; view: string } | null = null;
/** The job that this page has started last, as long as it runs. */
let started: number | null = null;
/** The databases of the indexes that were made while the page is open, by their jobs, which the list may have no more. */
const indexed = new Map<number, string>();

function change(next: Job[]): void {
  for (const job of next) {
    const before = jobs.find((known) => known.id === job.id);
    // A short one can end before it is seen to run.
    if ((before?.state === "running" || job.id === started) && job.state !== "running") {
      ended = { id: job.id, view: viewOf(address().path) };
      started = null;
      void stateText(job).then((state) => announce(`${nameOf(job)}: ${state}`));
    }
    if (job.kind === "index" && job.state === "done") indexed.set(job.id, job.inputs[0] ?? "");
  }
  const isSame = JSON.stringify(next) === JSON.stringify(jobs);
  jobs = next;
  if (!isSame) for (const listener of listeners) listener();
  clearTimeout(timer);
  if (jobs.length > 0) timer = setTimeout(look, PAUSE);
}

const PAUSE = 2000;
let timer = 0;

/** A server that was started again knows none of the jobs that are shown, so it is asked for them. */
function look(): void {
  if (isFollowing || document.hidden) timer = setTimeout(look, PAUSE);
  else void findJobs();
}

const put = (job: Job) => change([...jobs.filter((known) => known.id !== job.id), job].sort((a, b) => a.id - b.id));
const isRunning = () => jobs.some((job) => job.state === "running");

/** The jobs, oldest first. */
export function useJobs(): Job[] {
  const [found, set] = useState(jobs);
  useEffect(() => {
    const update = () => set(jobs);
    listeners.add(update);
    update();
    return () => {
      listeners.delete(update);
    };
  }, []);
  return found;
}

const viewOf = (path: string[]) => path.slice(0, 2).join("/");

/** Looks what runs; a page that was loaded again goes on following it. */
export async function findJobs(): Promise<void> {
  try {
    change((await get<{ jobs: Job[] }>("jobs")).jobs);
  } catch (error) {
    // With another key the server is another one; what keeps it from answering else passes.
    if (error instanceof ApiError && error.problem.status === 401) change([]);
    else timer = setTimeout(look, PAUSE);
  }
  void follow();
}

/** Starts a job. */
export async function startJob(method: "POST" | "PATCH", path: string, body: unknown): Promise<Job> {
  const job = await send<Job>(method, path, body);
  started = job.id;
  put(job);
  void follow();
  return job;
}

let isFollowing = false;

async function follow(): Promise<void> {
  if (isFollowing) return;
  isFollowing = true;
  while (isRunning()) {
    try {
      await events("events", (name, data) => {
        if (name === "jobs") change((data as { jobs: Job[] }).jobs);
        else if (name === "job") put(data as Job);
        else if (name === "forgotten") change(jobs.filter((job) => job.id !== (data as { id: number }).id));
        return isRunning();
      });
    } catch {
      // The server is gone, or too many pages follow: asked once a second.
      await new Promise((done) => setTimeout(done, 1000));
      await findJobs();
    }
  }
  isFollowing = false;
}

/** Cancels a job that runs, forgets one that has ended. */
async function end(job: Job): Promise<void> {
  try {
    const found = await send<Job>("DELETE", `jobs/${job.id}`);
    if (found.state === "running") put(found);
    else change(jobs.filter((known) => known.id !== job.id));
  } catch {
    change(jobs.filter((known) => known.id !== job.id));
  }
}

function nameOf(job: Job): string {
  if (job.kind === "index") return t("job.index", { name: job.inputs.join(", ") });
  return t("job.write", { name: job.name ?? "" });
}

const stateText = async (job: Job) => (job.state === "failed" && job.error ? problemLine(job.error) : stateOf(job));

function stateOf(job: Job): string {
  switch (job.state) {
    case "done":
      return t("job.done");
    case "cancelled":
      return t("job.cancelled");
    case "failed":
      return job.error?.detail ?? "";
    default:
      return tn(job.unit === "games" ? "n.games" : job.unit === "positions" ? "n.positions" : "n.moves", job.done);
  }
}

/** The jobs below the head of the page: those that run, and what ended last; the others on request. Nothing if there are none. */
export function JobList() {
  const all = useJobs();
  const view = viewOf(useAddress().path);
  const [isOpen, open] = useState(false);
  if (all.length === 0) return null;
  const isShown = (job: Job) => job.state === "running" || (job.id === ended?.id && ended.view === view);
  const others = all.filter((job) => !isShown(job));
  return (
    <section class="jobs" aria-label={t("jobs.label")}>
      {others.length < all.length && (
        <ul>
          {all.filter(isShown).map((job) => (
            <JobLine key={job.id} job={job} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <div class="finished">
          <details open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
            <summary>{tn("n.finishedJobs", others.length)}</summary>
            <ul>
              {others.map((job) => (
                <JobLine key={job.id} job={job} />
              ))}
            </ul>
          </details>
          <button type="button" class="icon" aria-label={t("jobs.closeAll")} title={t("jobs.closeAll")} onClick={() => void Promise.all(others.map(end))}>
            ✕
          </button>
        </div>
      )}
    </section>
  );
}

function JobLine({ job }: { job: Job }) {
  return (
    <li class={job.state}>
      <bdi class="name">{nameOf(job)}</bdi>
      {job.state === "running" && <progress aria-label={nameOf(job)} {...(job.share === null ? {} : { value: job.share })} max={1} />}
      <span class="sub">
        <bdi>{job.state === "failed" && job.error ? <ProblemLine problem={job.error} /> : stateOf(job)}</bdi>
        {job.state === "running" && job.etaSeconds !== null && ` · ${tn("n.secondsLeft", job.etaSeconds)}`}
      </span>
      {job.result && <Written job={job} />}
      <span class="grow" />
      <button
        type="button"
        aria-label={t(job.state === "running" ? "job.cancelNamed" : "job.closeNamed", { name: nameOf(job) })}
        onClick={() => void end(job)}
      >
        {job.state === "running" ? t("job.cancel") : "✕"}
      </button>
    </li>
  );
}

/** What a job has written: links to open and to download it, and what was lost. */
function Written({ job }: { job: Job }) {
  const { inputs = [], files = [], losses = [] } = job.result ?? {};
  const open = (id: string) => (job.kind === "book" ? bookHref(id) : gamesHref([id]));
  const downloads = files.map((file, index) => (
    <button type="button" class="link" onClick={() => void download(`jobs/${job.id}/files/${index}`, file.name).catch(announceError)}>
      {t("job.download", { name: file.name })}
      {file.bytes !== null && ` (${bytesText(file.bytes)})`}
    </button>
  ));
  return (
    <>
      {inputs.map((id) => (
        <a href={open(id)}>{t("job.open", { name: id })}</a>
      ))}
      {files.length === 1 && downloads}
      {files.length > 1 && (
        <details>
          <summary>{t("job.download", { name: job.name ?? "" })}</summary>
          {downloads}
        </details>
      )}
      {losses.length > 0 && (
        <span class="warn">
          <Losses losses={losses} />
        </span>
      )}
    </>
  );
}

/** How many times the index of one of these databases was made while the page is open. */
export function useIndexChanges(ids: string[]): number {
  useJobs();
  return [...indexed.values()].filter((id) => ids.includes(id)).length;
}

/** What the index of a game takes about, by that of a million games, which docs/benchmarks.md has: bytes, and seconds. */
const [INDEX_BYTES, INDEX_SECONDS] = [105, 0.000_01];

/** From this many seconds on, what an index takes is shown next to the button. */
const LONG_SECONDS = 5;

/** Makes the index of a database; for its number of games the page estimates what that takes. */
export function IndexButton({ id, games }: { id: string; games: number | null | undefined }) {
  const running = useJobs().some((job) => job.kind === "index" && job.state === "running" && job.inputs[0] === id);
  const seconds = (games ?? 0) * INDEX_SECONDS;
  const bytes = bytesText((games ?? 0) * INDEX_BYTES);
  const estimate = seconds > 0 ? t("index.estimate", { bytes, seconds: timeText(seconds) }) : undefined;
  return (
    <>
      <button
        type="button"
        class="link"
        disabled={running}
        title={estimate}
        aria-label={t("index.buildNamed", { name: id })}
        onClick={() => void startJob("POST", "jobs", { kind: "index", db: id }).catch(announceError)}
      >
        {t("index.build")}
      </button>
      {seconds >= LONG_SECONDS && (
        <span class="sub">
          {" "}
          ({estimate})
        </span>
      )}
    </>
  );
}
