// The dialogs that change a move of a book and save the changes in a new one.

import { useEffect, useState } from "preact/hooks";
import { type PositionAnswer, get, send } from "./api.ts";
import { type BookChanges, type MoveChange, isSame } from "./book_changes.ts";
import { WriteForm } from "./write_file.tsx";
import { Dialog, ErrorBox, Losses, Spinner, useLoad } from "./ui.tsx";
import { bytesText, t, tn } from "./translations.ts";

/** What of a move can be changed in a format. */
export interface Editable {
  weight: boolean;
  annotation: boolean;
  advice: boolean;
  comment: boolean;
}

/** A move as it is now. */
export interface EditedMove {
  uci: string;
  san: string;
  weight: number | null;
  annotation: string | null;
  recommended: boolean | null;
  comment: string | null;
  isRemoved: boolean;
}

const SYMBOLS = ["", "!", "?", "!!", "??", "!?", "?!"];

/** Changes a move; one of `moves` if none is given. */
export function EditDialog(props: {
  fen: string;
  move: EditedMove | null;
  moves: PositionAnswer["legal"];
  can: Editable;
  changes: BookChanges;
  onClose: () => void;
}) {
  const { move, can } = props;
  const [uci, setUci] = useState(move?.uci ?? props.moves[0]?.uci ?? "");
  const san = move?.san ?? props.moves.find((legal) => legal.uci === uci)?.san ?? "";
  const advice = move?.recommended === true ? "play" : move?.recommended === false ? "avoid" : "none";
  const annotation = move?.annotation ?? "";
  const symbols = SYMBOLS.includes(annotation) ? SYMBOLS : [...SYMBOLS, annotation];
  return (
    <Dialog title={move ? t("book.editNamed", { move: move.san }) : t("book.add")} onClose={props.onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = event.currentTarget.elements;
          const value = (name: string) => (fields.namedItem(name) as HTMLInputElement | null)?.value;
          const change: MoveChange = { fen: props.fen, move: uci, san };
          if ((fields.namedItem("remove") as HTMLInputElement | null)?.checked) change.remove = true;
          else {
            const weight = value("weight");
            if (weight !== undefined && weight !== "") change.weight = Number(weight);
            const marks = value("annotation");
            if (marks !== undefined && (marks !== annotation || !move)) change.annotation = marks;
            const advised = value("advice");
            if (advised !== undefined && advised !== advice) change.advice = advised as NonNullable<MoveChange["advice"]>;
            const comment = value("comment");
            if (comment !== undefined && (comment !== (move?.comment ?? "") || !move)) change.comment = comment;
          }
          // Earlier changes of the move stay unless they are changed again.
          const before = props.changes.now.find((known) => isSame(known, props.fen, uci));
          const whole = change.remove ? change : { ...before, ...change, remove: false };
          props.changes.put(whole);
          props.onClose();
        }}
      >
        {!move && (
          <label>
            {t("explorer.move")}{" "}
            <select value={uci} onChange={(event) => setUci(event.currentTarget.value)}>
              {props.moves.map((legal) => (
                <option value={legal.uci}>{legal.san}</option>
              ))}
            </select>
          </label>
        )}
        {can.weight && (
          <label>
            {t("explorer.weight")}{" "}
            <input name="weight" type="number" min={0} max={65535} step={1} required defaultValue={String(move?.weight ?? 1)} />
          </label>
        )}
        {can.annotation && (
          <label>
            {t("book.annotation")}{" "}
            <select name="annotation" defaultValue={annotation}>
              {symbols.map((symbol) => (
                <option value={symbol} selected={symbol === annotation}>
                  {symbol === "" ? t("advice.none") : symbol}
                </option>
              ))}
            </select>
          </label>
        )}
        {can.advice && (
          <label>
            {t("book.advice")}{" "}
            <select name="advice" defaultValue={advice}>
              {(["none", "play", "avoid"] as const).map((value) => (
                <option value={value} selected={value === advice}>
                  {t(`advice.${value}`)}
                </option>
              ))}
            </select>
          </label>
        )}
        {can.comment && (
          <label>
            {t("book.comment")} <textarea name="comment" rows={4} defaultValue={move?.comment ?? ""} />
          </label>
        )}
        {move && (
          <label class="check">
            <input type="checkbox" name="remove" defaultChecked={move.isRemoved} /> {t("book.remove")}
          </label>
        )}
        <p class="buttons">
          <button type="submit">{t("book.apply")}</button>
          <button type="button" onClick={props.onClose}>
            {t("job.cancel")}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** How many changes there are, and what can be done with them. */
export function ChangesBar(props: { id: string; name: string; extension: string; changes: BookChanges; onAdd: () => void }) {
  const { changes } = props;
  const [isSaving, setSaving] = useState(false);
  const stem = props.name.replace(/\.\w+$/, "");
  return (
    <div class="changes-bar" role="group" aria-label={t("book.changesLabel")}>
      <button type="button" onClick={props.onAdd}>
        {t("book.add")}
      </button>
      <span role="status">{changes.now.length > 0 && tn("n.changes", changes.now.length)}</span>
      <span class="grow" />
      <button type="button" disabled={!changes.canUndo} onClick={changes.undo}>
        {t("book.undo")}
      </button>
      <button type="button" disabled={!changes.canRedo} onClick={changes.redo}>
        {t("book.redo")}
      </button>
      <button type="button" disabled={changes.now.length === 0} onClick={() => setSaving(true)}>
        {t("book.save")}
      </button>
      {isSaving && (
        <Dialog title={t("book.saveTitle")} onClose={() => setSaving(false)}>
          <ul class="change-list">
            {changes.now.map((change) => (
              <li>
                <b>{change.san}</b> {describe(change)}
              </li>
            ))}
          </ul>
          <SaveForm id={props.id} stem={stem} extension={props.extension} changes={changes.now} onStarted={() => setSaving(false)} />
        </Dialog>
      )}
    </div>
  );
}

interface EditPreview {
  isDone: boolean;
  positions: number;
  moves: number;
  bytes: number;
  losses: { kind: string; label: string; count: number }[];
}

/** The new book as it would be, asked until it is known. */
function usePreview(id: string, to: string, changes: unknown[]): { answer: EditPreview | null; error: unknown } {
  const [answer, setAnswer] = useState<EditPreview | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isOver = false;
    setAnswer(null);
    setError(null);
    const run = async () => {
      while (!isOver) {
        const found = await send<EditPreview>("POST", `book/${encodeURIComponent(id)}/preview`, { to, changes });
        if (isOver) return;
        if (found.isDone) return setAnswer(found);
        await new Promise((done) => setTimeout(done, 250));
      }
    };
    run().catch((problem: unknown) => {
      if (!isOver) setError(problem);
    });
    return () => {
      isOver = true;
    };
  }, [id, to]);
  return { answer, error };
}

/** The format and the name of the new book, and what it would lose. */
function SaveForm(props: { id: string; stem: string; extension: string; changes: MoveChange[]; onStarted: () => void }) {
  const { id, stem, extension } = props;
  const formats = useLoad<{ books: { id: string; name: string; extension: string }[] }>((signal) => get("formats", {}, signal), []);
  const books = formats.state === "done" ? formats.value.books : [];
  const own = books.find((book) => book.extension === extension)?.id ?? "";
  const [chosen, choose] = useState("");
  const to = chosen || own;
  const changes = props.changes.map(({ san: _, ...change }) => change);
  const { answer, error } = usePreview(id, to, changes);
  return (
    <>
      <p>
        <label class="choose">
          {t("health.format")}{" "}
          <select value={to} onChange={(event) => choose(event.currentTarget.value)}>
            {books.map((book) => (
              <option value={book.id}>{book.name}</option>
            ))}
          </select>
        </label>
      </p>
      <div role="status" class="edit-preview">
        {error !== null && <ErrorBox error={error} />}
        {answer === null && error === null && <Spinner />}
        {answer && (
          <>
            <p>{t("book.preview", { positions: answer.positions, moves: answer.moves, bytes: bytesText(answer.bytes) })}</p>
            {answer.losses.length === 0 ? (
              <p class="state ok">✓ {t("convert.nothingLost")}</p>
            ) : (
              <p class="warn">
                <Losses losses={answer.losses} />
              </p>
            )}
          </>
        )}
      </div>
      <WriteForm
        method="PATCH"
        path={`book/${encodeURIComponent(id)}`}
        request={{ to, changes }}
        name={`${stem}-new.${books.find((book) => book.id === to)?.extension ?? extension}`}
        onStarted={props.onStarted}
      />
    </>
  );
}

function describe(change: MoveChange): string {
  if (change.remove) return t("book.removed");
  const parts: string[] = [];
  if (change.weight !== undefined) parts.push(`${t("explorer.weight")} ${change.weight}`);
  if (change.annotation !== undefined) parts.push(`${t("book.annotation")} ${change.annotation || t("advice.none")}`);
  if (change.advice !== undefined) parts.push(t(`advice.${change.advice}`));
  if (change.comment !== undefined) parts.push(`${t("book.comment")}: ${change.comment || t("advice.none")}`);
  return parts.join(", ");
}
