// What lies over the points of the map: names of frequent words, and the chosen word's components as ellipses.

import { ask } from "./api.js";
import { svg } from "./dom.js";
import { drawnEllipse, placeEllipse } from "./ellipse.js";

const COLUMNS = 4;
const MOST_NAMES = 60;
const BOX = [110, 26]; // pixels that a name keeps free

export class Overlay {
  // layer: an svg element as large as the map.
  constructor(layer, table, senses, model) {
    Object.assign(this, { layer, table, senses, model });
    this.names = svg("g", { class: "names" });
    this.shapes = svg("g", { class: "shapes" });
    layer.append(this.shapes, this.names);
    this.labels = [];
    this.ellipses = [];
    this.known = new Map(); // id -> { word, count }
  }

  // The word of an id, asked for once.
  async word(id, signal) {
    if (!this.known.has(id)) this.known.set(id, (await ask("words", { model: this.model, ids: id }, signal))[0]);
    return this.known.get(id);
  }

  // Names for what is in view, the most frequent words first, as many as do not cover each other.
  async name(onScreen, width, height, signal) {
    const taken = new Set();
    const chosen = [];
    for (let row = 0; row * COLUMNS < this.table.length && chosen.length < MOST_NAMES; row += 1) {
      const [x, y] = onScreen(this.table[row * COLUMNS], this.table[row * COLUMNS + 1]);
      if (x < 40 || y < 14 || x > width - 40 || y > height - 8) continue;
      const [column, line] = [Math.floor(x / BOX[0]), Math.floor(y / BOX[1])];
      const around = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]].map(([right, down]) => `${column + right},${line + down}`);
      if (around.some((cell) => taken.has(cell))) continue;
      taken.add(around[0]);
      chosen.push(row);
    }
    const missing = [...new Set(chosen.map((row) => Math.floor(row / this.senses)))].filter((id) => !this.known.has(id));
    if (missing.length) {
      const found = await ask("words", { model: this.model, ids: missing.join(",") }, signal);
      missing.forEach((id, place) => this.known.set(id, found[place]));
    }
    this.labels = chosen.map((row) => ({
      x: this.table[row * COLUMNS], y: this.table[row * COLUMNS + 1],
      node: svg("text", {}, this.known.get(Math.floor(row / this.senses)).word),
    }));
    this.names.replaceChildren(...this.labels.map(({ node }) => node));
    this.place(onScreen, this.scale);
  }

  // The components of the chosen word, as /api/ellipses gives them.
  choose(components) {
    this.ellipses = components.map(({ word, sense, mean, covariance }) => {
      const kind = `own sense-${sense % 6}`;
      return {
        mean, covariance,
        shape: drawnEllipse(covariance, 0, 0, 1, { class: kind, "data-sense": sense }),
        dot: svg("circle", { r: 5, class: `dot ${kind}` }),
        label: svg("text", { class: kind }, `${word}:${sense}`),
      };
    });
    this.shapes.replaceChildren(...this.ellipses.flatMap(({ shape, dot, label }) => [shape, dot, label]));
  }

  // Put everything where the view has it.
  place(onScreen, scale) {
    this.scale = scale;
    for (const { x, y, node } of this.labels) put(node, onScreen(x, y), -5);
    for (const { mean, covariance, shape, dot, label } of this.ellipses) {
      const [x, y] = onScreen(...mean);
      placeEllipse(shape, covariance, x, y, scale);
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
      put(label, [x, y], -9);
    }
  }
}

function put(node, [x, y], above) {
  node.setAttribute("x", x);
  node.setAttribute("y", y + above);
}
