// A word: its senses side by side, in one model or several.

import { go, href } from "./address.js";
import { ask } from "./api.js";
import { combobox } from "./combobox.js";
import { element, figure, percent } from "./dom.js";
import { bar, choice, columns, problem } from "./forms.js";
import { neighborhood } from "./local.js";

const MEASURES = [
  ["cosine", "cosine"], ["kernel", "expected likelihood"], ["distance", "distance"],
  ["kl", "what contains it (KL)"], ["kl-reverse", "what it contains (KL)"],
];
const NUMBERS = [5, 10, 20, 50, 100];
const FREQUENT = [["", "all"], ["10000", "10,000 most frequent"], ["30000", "30,000 most frequent"], ["100000", "100,000 most frequent"]];
const EXAMPLES = 6;
const WIDEST = 720; // pixels of the neighbourhood

export function showWord(place, given, { models, signal }) {
  const word = given.get("word");
  if (!word) {
    askForWord(place, models);
    return;
  }
  const options = {
    by: given.get("by") ?? "cosine", topn: given.get("topn") ?? "10", restrict_vocab: given.get("restrict_vocab") ?? "",
  };
  const change = (name) => (value) => go(href("/word", { word, ...options, [name]: value }));
  place.append(
    element("h1", {}, word),
    element("div", { class: "controls" },
      choice("Nearest by", MEASURES, options.by, change("by")),
      choice("Number", withPresent(NUMBERS.map((number) => [String(number), String(number)]), options.topn), options.topn, change("topn")),
      choice("Among words", withPresent(FREQUENT, options.restrict_vocab), options.restrict_vocab, change("restrict_vocab")),
      element("p", { class: "links" },
        element("a", { href: href("/map", { word }) }, "On the map"), " ",
        element("a", { href: href("/pair", { a: word }) }, "Compare with …"))),
    columns(models, signal, (model) => filled(word, model, options, signal)),
  );
}

// An address may name a number that the list does not offer.
function withPresent(list, value) {
  return list.some(([each]) => each === value) ? list : [...list, [value, value]];
}

function askForWord(place, models) {
  const box = combobox("Word", { model: () => models[0].name, choose: (word) => go(href("/word", { word })), button: "Show" });
  place.append(element("h1", {}, "A word and its senses"), box.form);
  box.input.focus();
}

async function filled(word, { name: model, senses: K }, options, signal) {
  const common = { word, model, restrict_vocab: options.restrict_vocab };
  let answers;
  try {
    answers = await Promise.all([
      ask("senses", { word, model }, signal),
      ask("neighbors", { ...common, by: options.by, topn: options.topn }, signal),
      ask("neighbors", { ...common, by: "kl-reverse", topn: EXAMPLES }, signal),
      ask("neighbors", { ...common, by: "kl", topn: EXAMPLES }, signal),
    ]);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return problem(error, word, model, "/word", options);
  }
  const [described, near, contained, containing] = answers;
  const cards = described.map((sense, place) => card(word, sense, near[place], contained[place], containing[place], options));
  const local = element("div", { class: "around", "aria-busy": "true" });
  neighborhood(word, model, Math.min(WIDEST, document.documentElement.clientWidth - 64), signal)
    .then((drawing) => local.replaceChildren(element("h3", {}, "Its neighbourhood"), drawing))
    .catch((error) => { if (error.name !== "AbortError") local.replaceChildren(problem(error)); })
    .finally(() => local.removeAttribute("aria-busy"));
  const single = K > 1 && !described[0].real;
  return [
    ...(single ? [element("p", { class: "hint" }, "Its senses are close to each other, or one has next to no weight: it may well have one meaning only.")] : []),
    element("div", { class: "senses" }, cards), local,
  ];
}

function card(word, sense, near, contained, containing, options) {
  const key = near.sense;
  const name = word.endsWith(`:${key}`) ? word : `${word}:${key}`;
  return element(
    "article", { class: `card sense sense-${key % 6}`, "aria-label": name },
    element("h3", {}, element("span", { class: "key" }, name), " ", element("span", { class: "about" }, sense.label.join(", "))),
    element("dl", { class: "facts" },
      element("div", {}, element("dt", {}, "weight"), element("dd", {}, bar(sense.weight), figure(sense.weight, 2))),
      element("div", {}, element("dt", {}, "variance"), element("dd", {}, figure(sense.variance))),
      element("div", {}, element("dt", {}, "wider than"), element("dd", {}, `${percent(sense.wider_than)} of senses as frequent`))),
    element("h4", {}, `Nearest by ${MEASURES.find(([each]) => each === options.by)?.[1] ?? options.by}`),
    element("ol", { class: "neighbors" }, near.neighbors.map(([other, number, score]) => element(
      "li", {}, element("a", { href: href("/word", { word: other, ...options }) }, other, element("span", { class: "number" }, `:${number}`)),
      element("span", { class: "score" }, figure(score))))),
    examples("It contains", contained, options),
    examples("It is contained by", containing, options),
  );
}

function examples(title, { neighbors }, options) {
  return element("div", { class: "examples" }, element("h4", {}, title), element("p", { class: "chips" }, neighbors.map(([other, number, score]) =>
    element("a", { href: href("/word", { word: other, ...options }), title: `${other}:${number}, divergence ${figure(-score)}` }, other))));
}
