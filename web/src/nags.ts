// The symbols of moves and positions. Those that few fonts have are drawn, so that they show everywhere.

import { inLanguage } from "./problem_texts.ts";

const TEXTS: Record<number, string> = {
  1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 8: "□", 10: "=", 11: "=", 12: "=", 13: "∞",
  18: "+−", 19: "−+", 26: "○", 27: "○", 36: "↑", 37: "↑", 40: "→", 41: "→", 44: "=∞", 45: "=∞",
  140: "∆", 141: "∇", 145: "RR", 146: "N", 238: "○", 244: "×", 245: "⊥",
};

/** Lines in a box of 12 × 14. */
const DRAWN: Record<number, string> = {
  14: "M6 1v6M3 4h6M2.5 9.7h7M2.5 12.5h7",
  15: "M2.5 1.5h7M2.5 4.3h7M6 7v6M3 10h6",
  16: "M6 1v8M2 5h8M2 12.5h8",
  17: "M2 1.5h8M6 5v8M2 9h8",
  22: "M1.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M6 7h.01",
  32: "M9.9 4.7A4.5 4.5 0 1 0 10.5 7.5M10.4 1.7v3.3h-3.3",
  132: "M1 4.5h10M8.5 2L11 4.5 8.5 7M11 9.5H1M3.5 7L1 9.5 3.5 12",
  138: "M1.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M6 2.5v9M1.5 7h9",
  142: "M1 10h10A5 6 0 0 0 1 10z",
  239: "M3 5.5h6M3 8.5h6M4 3L.8 7 4 11M8 3l3.2 4L8 11",
  240: "M1.5 10L7.5 4M3.5 12L9.5 6M4.5 2.5h6.5V9",
  241: "M1.5 2.5h9v9h-9zM6 2.5v9M1.5 7h9",
  242: "M2 2l3.5 5L2 12M6.5 2L10 7l-3.5 5",
  243: "M5.5 2L2 7l3.5 5M10 2L6.5 7l3.5 5",
};

/** Those that are the same for White and Black. */
const ALIKE: Record<number, number> = { 11: 10, 12: 10, 23: 22, 27: 26, 33: 32, 37: 36, 41: 40, 45: 44, 133: 132, 136: 138, 137: 138, 139: 138, 238: 26 };

const SVG = "http://www.w3.org/2000/svg";

/** The symbol with its words for screen readers, and for those who point at it. */
export function nagElement(nag: number): HTMLElement {
  const element = document.createElement("span");
  element.className = nag <= 6 ? `nag nag-${nag}` : "nag";
  const lines = DRAWN[ALIKE[nag] ?? nag];
  if (lines === undefined) element.textContent = TEXTS[nag] ?? `$${nag}`;
  else {
    const [drawing, path] = [document.createElementNS(SVG, "svg"), document.createElementNS(SVG, "path")];
    drawing.setAttribute("viewBox", "0 0 12 14");
    path.setAttribute("d", lines);
    drawing.append(path);
    element.append(drawing);
  }
  element.role = "img";
  element.ariaLabel = element.textContent || `$${nag}`;
  // The words are loaded with the first symbol; without them it has its sign or its number.
  void inLanguage(`nag.${ALIKE[nag] ?? nag}`).then(
    (words) => {
      if (words !== null) element.title = element.ariaLabel = words;
    },
    () => undefined,
  );
  return element;
}
