// The pieces: drawn for tabia, MIT OR Apache-2.0 as everything else here.

import { current } from "./settings.ts";

const SVG = "http://www.w3.org/2000/svg";

/** Outlines, and the lines inside them, in a box of 45 by 45. */
const SHAPES: Record<string, [outline: string, lines: string]> = {
  P: [
    "M22.5 8.2a5.6 5.6 0 0 1 3.6 9.9h2.2q1 0 1 1t-1 1h-2.2c.5 6.6 3.6 8.9 6.1 12.6 1 1.4 1.3 2.8 1.3 4.3q0 1-1 1h-18q-1 0-1-1c0-1.500.3-2.900 1.300-4.300 2.500-3.700 5.600-6 6.100-12.600h-2.200q-1 0-1-1t1-1h2.200a5.600 5.600 0 0 1 3.600-9.900z",
    "M15.600 33.200h13.800",
  ],
  R: [
    "M11.500 7.500h5v3.700h3.300V7.500h5.400v3.700h3.300V7.500h5v7.700l-3.500 3.200v10.200l2.600 4.200h.9q1.500 0 1.500 1.500v3.400q0 .500-.500.500h-24q-.500 0-.500-.500v-3.400q0-1.500 1.500-1.500h.9l2.600-4.200V18.400l-3.500-3.200z",
    "M15 18.400h15M15 28.600h15M12.400 32.800h20.200",
  ],
  B: [
    "M22.500 5a2.400 2.400 0 0 1 1.600 4.200c4.700 4.300 8.200 8.700 8.200 13.100 0 3-1.600 5.200-4 6.400l1.500 3.900h1.700q2 0 2 2v2.900q0 .500-.500.500h-21q-.500 0-.500-.500v-2.900q0-2 2-2h1.700l1.500-3.900c-2.400-1.200-4-3.400-4-6.400 0-4.400 3.500-8.800 8.200-13.100A2.400 2.400 0 0 1 22.500 5z",
    "M22.500 14.800v8M18.500 18.800h8M16.700 28.700h11.600M14 32.800h17",
  ],
  N: [
    "M14.400 5.400l4.500 2.900C27.800 8 34.800 14.600 35 27.200c.1 3.600-.2 4.400-.5 5.600h.5q1 0 1 1v3.700q0 .500-.500.500h-23q-.500 0-.500-.500v-3.700q0-1 1-1h.3c.200-6.400 5.600-8.400 7.200-13.200-2.200 1.500-4.300 1.800-5.700 3-1.200 1.200-1.700 3.300-3.900 2.900-2.300-.5-3.900-2.400-3.500-4.700.8-3.400 4.300-6.400 5.300-9.300.4-1.500.5-2.800 1.500-4.100z",
    "M13 32.800h21M17.300 13.400l.4.3M10.200 21.700l.5.3M23.400 11.200c4.800 2.600 7.400 8.200 7.500 17.200",
  ],
  Q: [
    "M22.500 5.200a2.300 2.300 0 0 1 1.100 4.300l2.400 10.600 3.200-8.400a2.300 2.300 0 1 1 2.300.1l-.4 10 4.300-6.100a2.300 2.300 0 1 1 2 .9l-4.500 12.500.700 3.700q1.600.300 1.600 2v2.700q0 .500-.5.500h-24.400q-.500 0-.500-.500v-2.700q0-1.700 1.600-2l.700-3.700L7.600 16.600a2.300 2.300 0 1 1 2-.9l4.300 6.100-.4-10a2.300 2.300 0 1 1 2.300-.1l3.200 8.400 2.400-10.600a2.300 2.300 0 0 1 1.100-4.300z",
    "M12.100 29.100c6.800-1.800 14-1.800 20.800 0M11.400 32.800h22.200",
  ],
  K: [
    "M21.200 3.500h2.600v2.700h2.700v2.600h-2.700v2.700c3.200.6 4.500 3.500 3.500 6.400 4.700-3.300 10.200-.6 9.700 4.500-.300 3.300-3.400 4.700-4.700 8.700l-.3 1.700h.6q1.500 0 1.500 1.500v3.200q0 .500-.500.500H11.400q-.500 0-.500-.500v-3.200q0-1.500 1.500-1.500h.600l-.300-1.700C11.400 27.100 8.300 25.700 8 22.400c-.5-5.100 5-7.800 9.700-4.500-1-2.900.3-5.800 3.500-6.400V8.800h-2.700V6.200h2.700z",
    "M22.500 16.200v11.200M17.700 17.900c1.300 2.500 3.200 5.100 4.800 9.500 1.600-4.400 3.500-7 4.800-9.500M12.800 29.600c6-2 13.400-2 19.400 0M13 32.800h19",
  ],
};

/** Shows the pieces of a set: those above, or those of a file that is read when it is first chosen. */
export async function showSet(name: string): Promise<void> {
  let shapes = SHAPES;
  if (name !== "classic") {
    try {
      const svg = new DOMParser().parseFromString(await (await fetch("/pieces.svg")).text(), "image/svg+xml");
      const paths = (kind: string) => [...svg.querySelectorAll(`#${kind} path`)].map((path) => path.getAttribute("d"));
      shapes = Object.fromEntries(Object.keys(SHAPES).map((kind) => [kind, paths(kind) as [string, string]]));
    } catch {
      // The server is gone: the pieces stay.
    }
  }
  if (name !== current().set) return;
  document.documentElement.dataset["set"] = name;
  for (const path of document.querySelectorAll(".sprite path")) {
    path.setAttribute("d", shapes[path.parentElement?.id.slice(-1) ?? ""]?.[path.matches(".lines") ? 1 : 0] ?? "");
  }
}

/** Adds the pieces to the document; `use` elements show them. */
export function addSprite(): void {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "sprite");
  svg.setAttribute("aria-hidden", "true");
  for (const [kind, [outline, lines]] of Object.entries(SHAPES)) {
    for (const color of ["w", "b"]) {
      const symbol = document.createElementNS(SVG, "symbol");
      symbol.id = `piece-${color}${kind}`;
      symbol.setAttribute("viewBox", "0 0 45 45");
      for (const [name, d] of [["halo", outline], ["body", outline], ["lines", lines]]) {
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", d ?? "");
        path.setAttribute("class", `${name} ${color}`);
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
