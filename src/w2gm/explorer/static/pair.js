// Two words: every measure, every pair of senses, and which of them entails the other.

import { go, href } from "./address.js";
import { ask } from "./api.js";
import { combobox } from "./combobox.js";
import { element, figure, percent } from "./dom.js";
import { choice, columns, problem } from "./forms.js";

const MEASURES = {
  mc: "highest cosine of two senses", avesim: "mean cosine, weighted", el: "log expected likelihood",
  "el-paper": "the same as the paper's tables have it", me: "− smallest distance", w2: "− smallest Wasserstein distance",
  js: "− Jensen-Shannon divergence", kl: "− smallest KL divergence, first in second", "kl-reverse": "− smallest KL divergence, second in first",
};

export function showPair(place, given, { models, signal }) {
  const [a, b] = ["a", "b"].map((name) => given.get(name) ?? "");
  const measure = given.get("measure") ?? "mc";
  const model = () => models[0].name;
  const first = combobox("First word", { model, value: a, choose: () => (second.input.value.trim() ? compare() : second.input.focus()) });
  const second = combobox("Second word", { model, value: b, choose: () => (first.input.value.trim() ? compare() : first.input.focus()), button: "Compare" });
  function compare() {
    go(href("/pair", { a: first.input.value.trim(), b: second.input.value.trim(), measure }));
  }
  place.append(element("h1", {}, a && b ? `${a} and ${b}` : "Two words"), element("div", { class: "two" }, first.form, second.form));
  if (!a || !b) {
    (a ? second : first).input.focus();
    return;
  }
  place.append(columns(models, signal, (each) => filled(a, b, measure, each.name, signal)));
}

async function filled(a, b, measure, model, signal) {
  const pair = { a, b, model };
  try {
    const [values, matrix, forth, back] = await Promise.all([
      ask("similarity", pair, signal), ask("sense-matrix", { ...pair, measure }, signal),
      ask("entails", pair, signal), ask("entails", { a: b, b: a, model }, signal),
    ]);
    return [entailment(a, b, forth, back), similarities(values), pairs(a, b, matrix)];
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return problem(error);
  }
}

function entailment(a, b, forth, back) {
  return element("section", { class: "card" }, element("h3", {}, "Entailment"), verdict(a, b, forth), verdict(b, a, back));
}

// Why: both conditions of the verdict in words, with their figures.
function verdict(a, b, { entails, score, reverse, threshold, chance, senses }) {
  const against = [
    score > reverse ? null : `the other direction scores as high (${figure(reverse)})`,
    score > threshold ? null : `unrelated words as frequent score as high too often (bound ${figure(threshold)})`,
  ].filter(Boolean);
  const why = entails
    ? `Above the other direction (${figure(reverse)}) and above what unrelated words score (bound ${figure(threshold)}).`
    : `No, because ${against.join(" and ")}.`;
  return element("div", { class: "verdict" },
    element("p", {}, element("strong", { class: entails ? "yes" : "no" }, entails ? "yes" : "no"), ` ${a} entails ${b}`),
    element("p", { class: "why" }, `Score ${figure(score)} (${senses[0]} in ${senses[1]}). ${why} ${percent(chance)} of random pairs score so high.`));
}

function similarities(values) {
  return element("section", { class: "card" }, element("h3", {}, "Every measure"), element("table", { class: "measures" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "measure"), element("th", { scope: "col" }, "what"), element("th", { scope: "col" }, "value"))),
    element("tbody", {}, Object.entries(values).map(([name, value]) => element("tr", {},
      element("th", { scope: "row" }, name), element("td", {}, MEASURES[name] ?? ""), element("td", { class: "figure" }, figure(value)))))));
}

function pairs(a, b, { measure, a: rows, b: names, values }) {
  const flat = values.flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...flat), Math.max(...flat)];
  const cell = (value) => {
    const node = element("td", { class: "figure" }, figure(value));
    node.style.setProperty("--share", `${high > low && value !== null ? Math.round((40 * (value - low)) / (high - low)) : 0}%`);
    return node;
  };
  const change = (name) => go(href("/pair", { a, b, measure: name }));
  const list = Object.keys(MEASURES).filter((name) => name !== "kl-reverse").map((name) => [name, name]);
  return element("section", { class: "card" }, element("h3", {}, "Pairs of senses"), choice("Measure", list, measure, change),
    element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Pairs of senses" }, element("table", { class: "matrix" },
      element("thead", {}, element("tr", {}, element("td", {}), names.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, values.map((row, place) => element("tr", {}, element("th", { scope: "row" }, rows[place]), row.map(cell)))))));
}
