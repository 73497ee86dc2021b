// The first page: what there is, and some words to begin with.

import { href } from "./address.js";
import { ask } from "./api.js";
import { element, figure } from "./dom.js";

// Ranks by frequency: below them words are too common to have a meaning, above too rare to be known.
const RANKS = [400, 700, 900, 1200, 1600, 2000, 2600, 3200, 4000, 5000];

export function showHome(place, given, { models, signal }) {
  const examples = element("p", { class: "chips" });
  place.append(
    element("h1", {}, "Words as mixtures of Gaussians"),
    element("p", { class: "lead" }, "A word is a small mixture of Gaussians: every component is a sense, its weight how often the word means it, its variance how general it is."),
    element("h2", {}, "Begin with a word"), examples,
    element("h2", {}, models.length > 1 ? "The models" : "The model"),
    element("div", { class: "models" }, models.map(card)),
  );
  const [{ name, words }] = models;
  const ids = RANKS.filter((rank) => rank < words);
  ask("words", { model: name, ids: (ids.length ? ids : [0]).join(",") }, signal)
    .then((found) => examples.append(...found.map(({ word }) => element("a", { href: href("/word", { word }) }, word))))
    .catch(() => {}); // the page is complete without them
}

function card({ name, words, senses, vector_size, covariance, context, provenance }) {
  const facts = [
    ["words", words], ["senses of a word", senses], ["dimensions", vector_size], ["covariance", covariance],
    ["tokens read", provenance.tokens], ["senses in context", context ? "from the output tables" : "from the words themselves"],
  ];
  return element(
    "section", { class: "card" }, element("h3", {}, name),
    element("dl", { class: "facts" }, facts.filter(([, value]) => value !== undefined && value !== null).map(([fact, value]) =>
      element("div", {}, element("dt", {}, fact), element("dd", {}, typeof value === "number" ? figure(value) : String(value))))),
  );
}
