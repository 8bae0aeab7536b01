// The pieces. Their outlines are in a file of their own, which the browser keeps.

import { current } from "./settings.ts";

const SVG = "http://www.w3.org/2000/svg";

let drawn: Promise<Document> | undefined;

async function readFile(): Promise<Document> {
  const response = await fetch(new URL("./pieces.svg", import.meta.url));
  return new DOMParser().parseFromString(await response.text(), "image/svg+xml");
}

/** Shows the pieces of a set. */
export async function showSet(name: string): Promise<void> {
  let file: Document;
  try {
    file = await (drawn ??= readFile());
  } catch {
    // The server is gone: those that are shown stay until it is back.
    drawn = undefined;
    setTimeout(() => void showSet(name), 1000);
    return;
  }
  if (name !== current().set) return;
  document.documentElement.dataset["set"] = name;
  for (const path of document.querySelectorAll(".sprite path")) {
    const paths = file.querySelectorAll(`#${name === "classic" ? name : "angular"}-${path.parentElement?.id.slice(-1)} path`);
    path.setAttribute("d", paths[path.matches(".lines") ? 1 : 0]?.getAttribute("d") ?? "");
  }
}

/** Adds the pieces to the document; `use` elements show them. */
export function addSprite(): void {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "sprite");
  svg.setAttribute("aria-hidden", "true");
  for (const piece of "PRBNQK") {
    for (const color of "wb") {
      const symbol = document.createElementNS(SVG, "symbol");
      symbol.id = `piece-${color}${piece}`;
      symbol.setAttribute("viewBox", "0 0 45 45");
      for (const part of ["halo", "body", "lines"]) {
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("class", `${part} ${color}`);
        symbol.append(path);
      }
      svg.append(symbol);
    }
  }
  document.body.append(svg);
}

export function pieceSvg(piece: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "piece");
  svg.setAttribute("viewBox", "0 0 45 45");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#piece-${piece < "a" ? "w" : "b"}${piece.toUpperCase()}`);
  svg.append(use);
  return svg;
}
