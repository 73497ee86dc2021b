// The map of a word's neighbourhood: its senses and the nearest ones, as ellipses on a plane of their own.

import { href } from "./address.js";
import { ask } from "./api.js";
import { element, percent, svg } from "./dom.js";
import { drawnEllipse, extentOf } from "./ellipse.js";

const MARGIN = 48; // half a name fits beside the outermost dot
const POINT = [[0, 0], [0, 0]];

// width: pixels that there is room for.
export async function neighborhood(word, model, width, signal) {
  const { components, shares } = await ask("neighborhood", { word, model }, signal);
  const own = components[0].word;
  const height = Math.round(Math.max(300, 0.65 * width));
  // In view: every dot, and the word's own ellipses whole.
  const [left, right, low, high] = extentOf(components.map((each) => (each.word === own ? each : { ...each, covariance: POINT })));
  const scale = Math.min((width - 2 * MARGIN) / (right - left || 1), (height - 2 * MARGIN) / (high - low || 1));
  const at = ([x, y]) => [
    width / 2 + (x - (left + right) / 2) * scale,
    height / 2 - (y - (low + high) / 2) * scale,
  ];
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "local", role: "group", "aria-label": `Map around ${own}` });
  const names = [];
  for (const { word: name, sense, mean, covariance } of [...components].reverse()) {
    const [x, y] = at(mean);
    const kind = name === own ? `own sense-${sense % 6}` : "other";
    drawing.append(drawnEllipse(covariance, x, y, scale, { class: kind }));
    drawing.append(svg("circle", { cx: x, cy: y, r: name === own ? 4 : 2.5, class: `dot ${kind}` }));
    names.push({ name, sense, x, y, kind });
  }
  // Labels last, above every ellipse; one that would cover another goes below its dot, or is left to the tooltip.
  const taken = [];
  for (const { name, sense, x, y, kind } of names.reverse()) {
    const text = `${name}:${sense}`;
    const wide = 7 * text.length;
    const free = [y - 8, y + 17].find((line) => taken.every((box) => Math.abs(box.x - x) > (box.wide + wide) / 2 || Math.abs(box.line - line) > 13));
    if (free !== undefined) taken.push({ x, line: free, wide });
    const label = svg("text", { x, y: free ?? y - 8, class: `${kind}${free === undefined ? " crowded" : ""}` }, text);
    drawing.append(name === own ? label : svg("a", { href: href("/word", { word: name }), "aria-label": text }, svg("title", {}, text), label));
  }
  return element(
    "figure", { class: "neighborhood" }, drawing,
    element("figcaption", {}, `The plane shows ${percent(shares[0] + shares[1])} of how these senses differ; ellipses are one standard deviation.`),
  );
}
