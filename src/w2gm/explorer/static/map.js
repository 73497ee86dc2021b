// The map: every sense of a model on a plane, to zoom, point at and choose from.

import { go, href, parameters } from "./address.js";
import { ask, askFloats } from "./api.js";
import { combobox } from "./combobox.js";
import { announce, element, figure, percent, svg } from "./dom.js";
import { choice, problem } from "./forms.js";
import { extentOf } from "./ellipse.js";
import { Grid } from "./grid.js";
import { neighborhood } from "./local.js";
import { Overlay } from "./overlay.js";
import { Pace } from "./pace.js";
import { COLOURED_BY, Points } from "./points.js";
import { steer } from "./steering.js";

const REACH = 14; // pixels from the pointer to a point it means
const SETTLED = 200; // milliseconds without movement, after which names are drawn anew
const WORD_SCALE = 6; // how far a chosen word is zoomed in, at most
const PANEL = 380; // pixels of the panel beside the map

export function showMap(place, given, { models, signal }) {
  const model = (models.find(({ name }) => name === given.get("on")) ?? models[0]).name;
  let by = given.get("color") in COLOURED_BY ? given.get("color") : "variance";
  const canvas = element("canvas", { "aria-hidden": "true" });
  const layer = svg("svg", { class: "layer", "aria-hidden": "true" });
  const tip = element("div", { class: "tip", hidden: true });
  const help = element("p", { class: "hint", id: "map-help" }, "Loading …");
  const frame = element("div", {
    class: "map", tabindex: "0", role: "region", "aria-label": `Map of all senses of ${model}`, "aria-describedby": "map-help", "aria-busy": "true",
  }, canvas, layer, tip);
  const panel = element("aside", { class: "panel", "aria-label": "Chosen word" });
  const search = combobox("Find on the map", { model: () => model, choose: (word) => select(word), value: given.get("word") ?? "", button: "Find" });
  place.append(
    element("h1", {}, "Map"),
    element("div", { class: "controls" }, search.form,
      choice("Colour by", Object.keys(COLOURED_BY).map((name) => [name, name]), by, (value) => go(address({ color: value }), { replace: true })),
      models.length > 1 ? choice("Model", models.map(({ name }) => [name, name]), model, (value) => {
        go(href("/map", { on: value, color: by, word: parameters().get("word") }), { replace: false });
      }) : null,
      element("p", { class: "legend" }, "low ", element("span", { class: "ramp", "aria-hidden": "true" }), " high")),
    element("div", { class: "mapped" }, frame, panel), help,
  );

  let atlas = null; // points, grid, overlay: when they are there
  let view = null; // { x, y, scale }: the middle, and pixels for one unit
  const pace = new Pace();
  let queued = false;
  let settling = 0;
  let hovered = -1;

  load().catch((error) => {
    if (error.name === "AbortError") return;
    frame.removeAttribute("aria-busy");
    help.replaceChildren();
    frame.replaceWith(problem(error));
  });

  async function load() {
    const [facts, table] = await Promise.all([ask("map", { model }, signal), askFloats("points", { model }, signal)]);
    atlas = { table, senses: facts.senses, points: new Points(canvas, table), grid: new Grid(table), overlay: new Overlay(layer, table, facts.senses, model) };
    frame.removeAttribute("aria-busy");
    help.textContent = `${figure(facts.rows)} senses on the plane of the first two principal components (${percent(facts.shares[0] + facts.shares[1])} of how they differ). `
      + "Drag or arrow keys to move, wheel, two fingers or + and − to zoom, 0 for everything; a click chooses a word.";
    const buttons = [["Zoom in", "+", () => zoom(1.5)], ["Zoom out", "−", () => zoom(1 / 1.5)], ["Show everything", "⤢", reset]];
    frame.append(element("div", { class: "zoom" }, buttons.map(([label, sign, onclick]) => element("button", { type: "button", "aria-label": label, onclick }, sign))));
    steer(frame, { pan, zoom, reset, hover, leave, click });
    const watcher = new ResizeObserver(() => redraw());
    watcher.observe(frame);
    signal.addEventListener("abort", () => { watcher.disconnect(); clearTimeout(settling); }, { once: true });
    const stored = ["x", "y", "z"].map((name) => parseFloat(given.get(name)));
    view = stored.every(Number.isFinite) && stored[2] > 0 ? { x: stored[0], y: stored[1], scale: stored[2] } : everything();
    redraw();
    if (given.get("word")) await choose(given.get("word"), !stored.every(Number.isFinite));
  }

  function everything() {
    const [left, right, low, high] = atlas.points.extent();
    return { x: (left + right) / 2, y: (low + high) / 2, scale: atlas.points.scaleOfAll(frame.clientWidth, frame.clientHeight) };
  }

  function onScreen(x, y) {
    return [frame.clientWidth / 2 + (x - view.x) * view.scale, frame.clientHeight / 2 - (y - view.y) * view.scale];
  }

  function onPlane(x, y) {
    return [view.x + (x - frame.clientWidth / 2) / view.scale, view.y - (y - frame.clientHeight / 2) / view.scale];
  }

  // At the next frame, once, however many changes ask for it.
  function redraw() {
    clearTimeout(settling);
    settling = setTimeout(settle, SETTLED);
    if (queued) return;
    queued = true;
    requestAnimationFrame((now) => {
      queued = false;
      if (signal.aborted) return;
      frame.dataset.drawn = atlas.points.draw(view, by, pace.next(now));
      atlas.overlay.place(onScreen, view.scale);
    });
  }

  // After a movement: every point, names for what is in view, and an address that leads here.
  function settle() {
    pace.rest();
    if (Number(frame.dataset.drawn) < atlas.points.count) frame.dataset.drawn = atlas.points.draw(view, by);
    atlas.overlay.name(onScreen, frame.clientWidth, frame.clientHeight, signal).catch(() => {}); // the map is usable without names
    go(address({}), { replace: true, silent: true });
  }

  function address(changes) {
    const word = parameters().get("word");
    const place = view ? { x: view.x.toFixed(4), y: view.y.toFixed(4), z: view.scale.toPrecision(4) } : {};
    return href("/map", { word, on: parameters().get("on"), color: by === "variance" ? "" : by, ...place, ...changes });
  }

  function pan(right, down) {
    view.x -= right / view.scale;
    view.y += down / view.scale;
    leave();
    redraw();
  }

  function zoom(factor, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
    const all = everything().scale;
    const before = onPlane(x, y);
    view.scale = Math.max(all / 4, Math.min(all * 4000, view.scale * factor));
    const after = onPlane(x, y);
    view.x += before[0] - after[0];
    view.y += before[1] - after[1];
    leave();
    redraw();
  }

  function reset() {
    view = everything();
    redraw();
  }

  function pick(x, y) {
    return atlas.grid.nearest(...onPlane(x, y), REACH / view.scale);
  }

  async function hover(x, y) {
    const point = pick(x, y);
    if (point === hovered) return;
    hovered = point;
    if (point < 0) {
      leave();
      return;
    }
    const { word, count } = await atlas.overlay.word(Math.floor(point / atlas.senses), signal);
    if (hovered !== point) return;
    const [left, top] = onScreen(atlas.table[4 * point], atlas.table[4 * point + 1]);
    tip.replaceChildren(element("strong", {}, `${word}:${point % atlas.senses}`), ` variance ${figure(Math.exp(atlas.table[4 * point + 2]))}, seen ${figure(count)} times`);
    tip.style.insetInlineStart = `${left}px`;
    tip.style.insetBlockStart = `${top}px`;
    tip.classList.toggle("leftwards", left > frame.clientWidth / 2);
    tip.hidden = false;
  }

  function leave() {
    hovered = -1;
    tip.hidden = true;
  }

  async function click(x, y) {
    const point = pick(x, y);
    if (point >= 0) select((await atlas.overlay.word(Math.floor(point / atlas.senses), signal)).word, false);
  }

  // Choose a word: an entry of its own in the history. One found by name is brought into view.
  function select(word, bring = true) {
    const stay = bring ? { x: "", y: "", z: "" } : {};
    go(address({ word, ...stay }), {});
  }

  async function choose(word, bring) {
    try {
      const [components, senses] = await Promise.all([ask("ellipses", { word, model }, signal), ask("senses", { word, model }, signal)]);
      atlas.overlay.choose(components);
      if (bring) bringIntoView(components);
      redraw();
      describe(word, components, senses);
    } catch (error) {
      if (error.name === "AbortError") return;
      atlas.overlay.choose([]);
      panel.replaceChildren(problem(error, word, model, "/map"));
    }
  }

  function bringIntoView(components) {
    const [left, right, low, high] = extentOf(components);
    const fitting = 0.85 * Math.min(frame.clientWidth / (right - left || 1), frame.clientHeight / (high - low || 1));
    view = { x: (left + right) / 2, y: (low + high) / 2, scale: Math.min(fitting, everything().scale * WORD_SCALE) };
  }

  function describe(word, components, senses) {
    const local = element("div", {});
    panel.replaceChildren(
      element("h2", {}, element("a", { href: href("/word", { word }) }, word)),
      element("ul", { class: "plain" }, senses.map(({ sense, weight, variance, label }) => element("li", { class: `sense-${sense % 6}` },
        element("span", { class: "key" }, `${components[0].word}:${sense}`), ` ${label.join(", ")}`,
        element("small", {}, ` weight ${figure(weight, 2)}, variance ${figure(variance)}`)))),
      local,
    );
    announce(`${word} is chosen`);
    neighborhood(word, model, Math.min(PANEL, document.documentElement.clientWidth - 32), signal).then((drawing) => local.append(element("h3", {}, "Its neighbourhood"), drawing)).catch(() => {}); // the panel is complete without it
  }

  // The address changed while the map is there: another word, colour or place.
  return (next) => {
    if (!atlas || (next.get("on") ?? models[0].name) !== model) {
      place.replaceChildren();
      return showMap(place, next, { models, signal });
    }
    by = next.get("color") in COLOURED_BY ? next.get("color") : "variance";
    const stored = ["x", "y", "z"].map((name) => parseFloat(next.get(name)));
    const placed = stored.every(Number.isFinite) && stored[2] > 0;
    if (placed) view = { x: stored[0], y: stored[1], scale: stored[2] };
    search.input.value = next.get("word") ?? "";
    if (next.get("word")) choose(next.get("word"), !placed);
    else {
      atlas.overlay.choose([]);
      panel.replaceChildren();
    }
    redraw();
    return undefined;
  };
}
