// The board for those who cannot see it: the position as text, and moves by typing.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PositionAnswer } from "./api.ts";
import type { Placement } from "./chess.ts";
import type { Annotation } from "./game_tree.ts";
import { setQuery, useAddress } from "./router.ts";
import { shapeGroups } from "./shapes.ts";
import { pieceName, t } from "./translations.ts";

/** Whether the text is shown, which is in the address, and what shows or hides it. */
export function useAsText(): [boolean, () => void] {
  const [isShown, show] = useState(useAddress().query.get("view") === "text");
  const toggle = () => {
    setQuery({ view: isShown ? null : "text" });
    show(!isShown);
  };
  return [isShown, toggle];
}

/** The position as lists of pieces, and moves by typing. */
export function AsText(props: {
  placement: Placement;
  shapes: Annotation[];
  positionNow: () => Promise<PositionAnswer>;
  onMove: (uci: string) => void;
}) {
  const [error, setError] = useState("");
  const host = useRef<HTMLElement>(null);
  // It is below the board, which can fill the window.
  useLayoutEffect(() => host.current?.scrollIntoView({ block: "nearest" }), []);
  const list = (isWhite: boolean) =>
    ["K", "Q", "R", "B", "N", "P"].flatMap((kind) => {
      const wanted = isWhite ? kind : kind.toLowerCase();
      const squares = props.placement.board.flatMap((piece, index) =>
        piece === wanted ? [String.fromCharCode(97 + (index & 7)) + String((index >> 3) + 1)] : [],
      );
      return squares.length > 0 ? [`${pieceName(kind)} ${squares.join(" ")}`] : [];
    });
  return (
    <section class="as-text" ref={host} aria-label={t("board.asText")}>
      <p>
        <b>{t("white")}:</b> {list(true).join(", ")}
      </p>
      <p>
        <b>{t("black")}:</b> {list(false).join(", ")}
      </p>
      <p>{t(props.placement.whiteToMove ? "board.whiteToMove" : "board.blackToMove")}</p>
      {shapeGroups(props.shapes).map(({ sign, kind, text }) => (
        <p>
          <span aria-hidden="true">{sign}</span> {kind}: {text}
        </p>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem("move") as HTMLInputElement;
          const wanted = field.value.trim();
          const plain = (san: string) => san.replace(/[+#!?]/g, "").replace(/0/g, "O");
          const isWanted = (move: { san: string; uci: string }) =>
            plain(move.san) === plain(wanted) || move.uci === wanted.toLowerCase();
          props.positionNow().then(
            ({ legal }) => {
              const found = legal.find(isWanted);
              setError(found ? "" : t("board.noMove", { move: wanted }));
              if (!found) return;
              props.onMove(found.uci);
              field.value = "";
            },
            (error: unknown) => setError(String(error)),
          );
        }}
      >
        <label>
          {t("board.type")} <input name="move" autoComplete="off" size={8} spellcheck={false} />
        </label>{" "}
        <button type="submit">{t("board.doMove")}</button>
        {error && <p role="alert">{error}</p>}
      </form>
    </section>
  );
}
