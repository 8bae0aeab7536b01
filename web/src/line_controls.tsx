// What is below a board that shows no game: the moves to the position, and the buttons for them.

import { useState } from "preact/hooks";
import type { PositionAnswer } from "./api.ts";
import { AsText } from "./board_as_text.tsx";
import { parseFen } from "./chess.ts";
import { setQuery, useAddress } from "./router.ts";
import { useSettings } from "./settings.ts";
import { copy } from "./ui.tsx";
import { moveText, number, t } from "./translations.ts";

export const NO_SHAPES: never[] = [];

/** Whether the board is seen from Black's side, which is in the address, and what turns it. */
export function useFlip(): [boolean, () => void] {
  const [isFlipped, set] = useState(useAddress().query.get("flip") === "1");
  const flip = () => {
    setQuery({ flip: isFlipped ? null : 1 });
    set(!isFlipped);
  };
  return [isFlipped, flip];
}

/** The position of such a board as text. */
export function PositionAsText(props: { position: PositionAnswer; positionNow: () => Promise<PositionAnswer>; onMove: (uci: string) => void }) {
  return <AsText placement={parseFen(props.position.fen)} shapes={NO_SHAPES} positionNow={props.positionNow} onMove={props.onMove} />;
}

/** The moves to a position that is not one of a game, and the buttons for them. */
export function LineControls(props: {
  position: PositionAnswer;
  isStart: boolean;
  onStart: () => void;
  onBack: () => void;
  isEnd: boolean;
  onNext: () => void;
  onFlip: () => void;
  asText: boolean;
  onText: () => void;
}) {
  const { position, isStart } = props;
  const { pieces } = useSettings();
  return (
    <>
      <div class="controls" role="group" aria-label={t("controls")}>
        <button type="button" aria-label={t("move.first")} disabled={isStart} onClick={props.onStart}>«</button>
        <button type="button" aria-label={t("move.back")} disabled={isStart} onClick={props.onBack}>‹</button>
        <button type="button" aria-label={t("move.next")} disabled={props.isEnd} onClick={props.onNext}>›</button>
        <button type="button" aria-label={t("move.flip")} onClick={props.onFlip}>⇅</button>
        <button type="button" aria-label={t("move.text")} aria-pressed={props.asText} onClick={props.onText}>Aa</button>
        <button type="button" onClick={() => void copy(position.fen)}>
          {t("copy.fen")}
        </button>
      </div>
      <p class="line">
        {position.line.map((san, index) => (
          <span>
            {index % 2 === 0 ? `${number(index / 2 + 1)}. ` : ""}
            {moveText(san, pieces)}{" "}
          </span>
        ))}
      </p>
    </>
  );
}
