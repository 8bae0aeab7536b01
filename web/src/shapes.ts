// Arrows and marked squares in words, for those who read a game as text.

import type { Annotation } from "./game_tree.ts";
import { t } from "./translations.ts";

/** The kinds, with the sign of each in a text. */
const SIGNS: Record<string, string> = { arrow: "→", square: "■", circle: "○", disk: "●", frame: "□", letter: "" };
const COLORS = ["green", "red", "yellow", "blue", "orange", "purple", "magenta", "cyan", "white", "black", "darkBlue"];

export const shapesOf = (annotations: Annotation[]) => annotations.filter(({ type }) => type in SIGNS);

/** Shapes of one kind and colour. */
export interface ShapeGroup {
  sign: string;
  /** The name of the kind. */
  kind: string;
  /** The colour and the squares. */
  text: string;
}

/** The shapes of a position, in their order. */
export function shapeGroups(annotations: Annotation[]): ShapeGroup[] {
  const groups = new Map<string, Annotation[]>();
  for (const shape of shapesOf(annotations)) {
    const key = `${shape.type} ${shape["color"]}`;
    groups.set(key, [...(groups.get(key) ?? []), shape]);
  }
  return [...groups.values()].map((shapes) => {
    const { type, color } = shapes[0] as Annotation;
    const names = shapes.map((shape) => (type === "arrow" ? `${shape["from"]}–${shape["to"]}` : [shape["letter"], shape["square"]].filter(Boolean).join(" ")));
    return {
      sign: SIGNS[type] ?? "",
      kind: t("shape.kinds").split("|")[Object.keys(SIGNS).indexOf(type)] ?? type,
      text: `${t("shape.colors").split("|")[COLORS.indexOf(String(color))] ?? color} ${names.join(", ")}`,
    };
  });
}
